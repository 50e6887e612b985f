// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a text of several programs names, what they are to execute, and what is wrong with one that cannot be run.
#include "weir_process.h"

#include "run/mix.h"
#include "trace/programs.h"

#define TRACE WEIR_SOURCE_DIR "/tests/450-trace/data/mcf.wtrace"

static struct weir_sink sink;

static void assert_said(const char *part) {
  char *text = NULL;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  weir_sink_print(&sink, f);
  fclose(f);
  assert_holds(text, part);
  free(text);
  weir_sink_free(&sink);
}

static void parts(void **state) {
  (void)state;
  struct weir_mix m;
  assert_true(weir_mix_read(&m, TRACE "+bfs+" TRACE, &sink));
  assert_int_equal(m.cpus, 2);
  assert_string_equal(m.names[1], TRACE);
  assert_string_equal(m.paths[0], TRACE);
  assert_string_equal(m.gpu, "bfs");
  weir_mix_release(&m);
  assert_true(weir_mix_read(&m, TRACE, &sink)); // one CPU program alone
  assert_int_equal(m.cpus, 1);
  assert_null(m.gpu);
  weir_mix_release(&m);
  assert_true(weir_mix_read(&m, "bfs", &sink));
  assert_int_equal(m.cpus, 0);
  assert_string_equal(m.gpu, "bfs");
  weir_mix_release(&m);
}

static void which_are_mixes(void **state) {
  (void)state;
  char path[] = "/tmp/weir+test-XXXXXX.yaml";
  close(mkstemps(path, 5));
  assert_true(weir_mix_is("mcf+bfs"));
  assert_true(weir_mix_is("mcf"));
  assert_true(weir_mix_is(TRACE));
  assert_false(weir_mix_is("bfs"));
  assert_false(weir_mix_is("no-such-program"));
  assert_false(weir_mix_is(path)); // a file that is there, a '+' in its name
  struct weir_mix m;
  assert_true(weir_mix_read(&m, path, &sink));
  assert_string_equal(m.gpu, path);
  weir_mix_release(&m);
  unlink(path);
}

// A name is a workload's or a CPU program's, never both's.
static void names_are_apart(void **state) {
  (void)state;
  unsigned count;
  const struct weir_cpu_program *p = weir_cpu_programs(&count);
  assert_true(count > 0);
  for (unsigned i = 0; i < count; i++) assert_null(weir_workload_find(p[i].name));
}

static void wrong_parts(void **state) {
  (void)state;
  struct weir_mix m;
  assert_false(weir_mix_read(&m, TRACE "+bfss", &sink));
  assert_said("no workload, CPU program or file 'bfss' of '" TRACE "+bfss'; did you mean 'bfs'?");
  assert_false(weir_mix_read(&m, "omnetp", &sink));
  assert_said("did you mean 'omnetpp'?");
  assert_false(weir_mix_read(&m, "bfs+spmv", &sink));
  assert_said("two programs for the GPU, 'bfs' and 'spmv'");
  assert_false(weir_mix_read(&m, "+bfs", &sink));
  assert_said("names no program on one side of a '+'");
  assert_false(weir_mix_read(&m, "bfs+", &sink));
  assert_said("names no program on one side of a '+'");
#define TWO TRACE "+" TRACE "+"
  assert_false(weir_mix_read(&m, TWO TWO TWO TWO TRACE, &sink));
  assert_said("more than 8 CPU programs");
}

// Every mistake of a text is told, not the first alone.
static void all_wrong_parts(void **state) {
  (void)state;
  struct weir_mix m;
  assert_false(weir_mix_read(&m, "nosuchone+nosuchother", &sink));
  assert_int_equal(sink.errors, 2);
  weir_sink_free(&sink);
}

static void counts(void **state) {
  (void)state;
  const struct weir_mix_counts nothing = {0}, some = {.cpu = 7, .warmup = WEIR_NO_WARMUP};
  // Holey et al., section 4
  struct weir_mix_counts c = weir_mix_counts_of(&nothing, WEIR_SIZE_PAPER, false);
  assert_true(c.cpu == 500000000 && c.gpu == 150000000 && c.warmup == 0);
  c = weir_mix_counts_of(&nothing, WEIR_SIZE_SMALL, false);
  assert_true(c.cpu == 4000000 && c.gpu == 1200000 && c.warmup == 8000000);
  c = weir_mix_counts_of(&nothing, WEIR_SIZE_SMALL, true);
  assert_true(c.gpu == 0);
  c = weir_mix_counts_of(&some, WEIR_SIZE_SMALL, false);
  assert_true(c.cpu == 7 && c.gpu == 1200000 && c.warmup == 0);
  assert_false(weir_mix_counts_given(&nothing));
  assert_true(weir_mix_counts_given(&some));
}

// ---- as a user meets it ---------------------------------------------------------------------------------------------

static void refuses(const char *message, const char *const *argv) {
  struct process p = process_run_all(argv);
  if (p.status != 2) fail_msg("status %d instead of 2: %s%s", p.status, p.out, p.err);
  assert_holds(p.err, message);
  assert_string_equal(p.out, "");
  process_free(&p);
}
#define REFUSES(message, ...) refuses(message, (const char *const[]){__VA_ARGS__, NULL})

static void chips(void **state) {
  (void)state;
  REFUSES("the chip 'gcn-apu' has no CPU cores for '" TRACE "+bfs'", "run", TRACE "+bfs");
  REFUSES("has 2 CPU programs, and the chip 'apu-1c4g' has 1 CPU core\n", "compare", TRACE "+" TRACE, "--chip",
          "apu-1c4g", "--schemes", "lru,srrip");
  REFUSES("without one (--functional) only a program of the GPU does", "run", TRACE, "--functional");
}

static void options(void **state) {
  (void)state;
#define APU "--chip", "apu-1c4g"
  REFUSES("--input has no meaning for '" TRACE "'", "run", TRACE, APU, "--input", TRACE);
  REFUSES("--step-limit has no meaning", "run", TRACE, APU, "--step-limit", "1");
  REFUSES("S-L1 has no meaning", "run", TRACE, APU, "--sl1");
  REFUSES("--gpu-instructions has no meaning", "run", TRACE, APU, "--gpu-instructions", "1K");
  REFUSES("--gpu-instructions has no meaning", "compare", "bfs", "nn", "--scheme", "lru", "--gpu-instructions", "1K");
  REFUSES("--cpu-instructions has no meaning for bfs", "run", "bfs", APU, "--cpu-instructions", "1K");
  REFUSES("--warmup has no meaning for bfs", "run", "bfs", APU, "--warmup", "0");
  REFUSES("--cpu-instructions must be an integer from 1 to 9223372036854775807, not", "run", TRACE, APU,
          "--cpu-instructions", "0");
  REFUSES("not '1X'", "run", TRACE, APU, "--cpu-instructions", "1X");
  REFUSES("from 0 to 9223372036854775807, not '9223372037G'", "run", TRACE, APU, "--warmup", "9223372037G");
  REFUSES("a count of instructions is for workloads", "run", "--warmup", "1", "--", "true");
  REFUSES("tian2015 runs no mixes", "study", "tian2015", "--mixes", "3");
  REFUSES("tian2015 runs no mixes", "study", "tian2015", "--cpu-instructions", "3");
  REFUSES("a device runs one workload or launch file", "gpu", TRACE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(parts),       cmocka_unit_test(which_are_mixes), cmocka_unit_test(names_are_apart),
    cmocka_unit_test(wrong_parts), cmocka_unit_test(all_wrong_parts), cmocka_unit_test(counts),
    cmocka_unit_test(chips),       cmocka_unit_test(options),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
