// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Programs that begin again, and programs by name.
#include "trace_test.h"

#include "trace/loop.h"
#include "trace/programs.h"

// Thread 0 executes PCs 0x1000, 0x1010 … in segments of 5 and 3 instructions, thread 1 two others in between.
static void write_trace(const char *path, struct weir_sink *sink) {
  static const struct { uint32_t thread, first, count; } segments[] = {{0, 0, 5}, {1, 100, 2}, {0, 5, 3}};
  const struct weir_trace_about about = {NULL, 0, "x86-64", "a test", 0};
  struct weir_trace_writer *w = weir_trace_writer_open(path, &about, sink);
  for (unsigned s = 0; s < 3; s++) {
    struct weir_trace_segment_writer *to = weir_trace_segment_start(w, segments[s].thread, segments[s].first, 1);
    for (uint32_t i = 0; i < segments[s].count; i++) {
      const struct weir_trace_static what = {.pc = 0x1000 + 16 * (uint64_t)(segments[s].first + i)};
      weir_trace_put(to, weir_trace_define(w, &what), NULL);
    }
    weir_trace_segment_end(to, 0);
  }
  assert_true(weir_trace_writer_finish(w, 0, 0, sink));
}

static void begins_again(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  struct weir_trace_loop l;
  struct weir_trace_inst batch[4];
  write_trace(path_of("loop.wtrace"), &sink);
  assert_true(weir_trace_loop_open(&l, path_of("loop.wtrace"), 0, &sink));
  for (unsigned read = 0; read < 1000;) {
    const size_t n = weir_trace_loop_read(&l, batch, 4);
    assert_in_range(n, 1, 4);
    for (size_t i = 0; i < n; i++, read++) assert_int_equal(batch[i].what->pc, 0x1000 + 16 * (read % 8));
    assert_int_equal(l.instructions, read);
    assert_int_equal(l.restarts, (read - 1) / 8); // what was read begins a round if it is the 9th, the 17th …
  }
  weir_trace_loop_close(&l);
  assert_true(weir_trace_loop_open(&l, path_of("loop.wtrace"), 1, &sink));
  assert_int_equal(weir_trace_loop_read(&l, batch, 4), 2);
  assert_int_equal(weir_trace_loop_read(&l, batch, 4), 2);
  assert_int_equal(batch[0].what->pc, 0x1000 + 16 * 100);
  assert_int_equal(l.restarts, 1);
  weir_trace_loop_close(&l);
  assert_no_errors(&sink);
  assert_false(weir_trace_loop_open(&l, path_of("loop.wtrace"), 2, &sink));
  assert_says(&sink, "has no thread 2");
}

// A ChampSim trace that is damaged behind its third record gives three instructions at most, once, and one diagnostic.
static void damage_ends_it(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  struct weir_trace_loop l;
  struct weir_trace_inst batch[8];
  uint8_t records[5][64] = {{0}};
  for (uint8_t i = 0; i < 5; i++) records[i][0] = (uint8_t)(i + 1);
  write_file(path_of("good.champsim"), records, sizeof records);
  assert_true(weir_trace_loop_open(&l, path_of("good.champsim"), 0, &sink));
  assert_int_equal(weir_trace_loop_read(&l, batch, 8), 5);
  assert_int_equal(weir_trace_loop_read(&l, batch, 2), 2);
  assert_int_equal(batch[1].what->pc, 2);
  weir_trace_loop_close(&l);
  assert_no_errors(&sink);
  records[3][8] = 7; // a flag is 0 or 1
  write_file(path_of("bad.champsim"), records, sizeof records);
  assert_true(weir_trace_loop_open(&l, path_of("bad.champsim"), 0, &sink));
  size_t read = 0;
  for (size_t n; (n = weir_trace_loop_read(&l, batch, 1)); read += n) assert_in_range(read, 0, 3);
  assert_int_equal(weir_trace_loop_read(&l, batch, 1), 0);
  assert_int_equal(sink.errors, 1);
  weir_trace_loop_close(&l);
  assert_says(&sink, "is neither a weir trace nor one of ChampSim");
}

static void assert_path(const char *name, const char *expected) {
  char *path = weir_cpu_program_path(name);
  if (!expected)
    assert_null(path);
  else
    assert_string_equal(path, expected);
  weir_free(path);
}

static void names(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  char command[512], data[128];
  unsetenv("WEIR_CPU_TRACES");
  snprintf(data, sizeof data, "%s/data", folder);
  snprintf(command, sizeof command, "mkdir -p '%s/workloads/cpu/traces' '%s/long'", data, folder);
  assert_int_equal(system(command), 0);
  setenv("WEIR_DATA", data, 1);
  write_trace(path_of("data/workloads/cpu/traces/some.wtrace"), &sink);
  assert_no_errors(&sink);
  assert_path("some", path_of("data/workloads/cpu/traces/some.wtrace"));
  snprintf(command, sizeof command, "cp '%s/workloads/cpu/traces/some.wtrace' '%s/long/some.wtrace'", data, folder);
  assert_int_equal(system(command), 0);
  setenv("WEIR_CPU_TRACES", path_of("long"), 1);
  assert_path("some", path_of("long/some.wtrace")); // the longer one goes first
  assert_path("other", NULL);
  assert_path("", NULL);
  assert_path("../long/some", NULL);
  assert_path(path_of("long/some.wtrace"), path_of("long/some.wtrace"));
  assert_path(path_of("long"), NULL);
  write_file(path_of("launch.yaml"), "kernel: nothing\n", 16); // no trace, and not named as one
  assert_path(path_of("launch.yaml"), NULL);
  write_file(path_of("x.champsim.xz"), "", 0); // named as one: what is wrong with it its reader says
  assert_path(path_of("x.champsim.xz"), path_of("x.champsim.xz"));
  unsetenv("WEIR_CPU_TRACES");
  unsetenv("WEIR_DATA");
}

static void table(void **state) {
  (void)state;
  unsigned count;
  const struct weir_cpu_program *programs = weir_cpu_programs(&count);
  for (unsigned i = 0; i < count; i++) assert_ptr_equal(weir_cpu_program_find(programs[i].name), &programs[i]);
  assert_string_equal(weir_cpu_program_find("mcf")->spec, "429.mcf");
  assert_int_equal(weir_cpu_program_find("lbm")->paper, WEIR_TRACE_STREAMING); // Table III
  assert_null(weir_cpu_program_find("no such program"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(begins_again),
    cmocka_unit_test(damage_ends_it),
    cmocka_unit_test(names),
    cmocka_unit_test(table),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
