// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// CPU cores on a chip: programs made by functions, whose times and misses follow from the chip file by hand.
#include "chip_test.h"
#include "cpu_program.h"

#include "chip/mix.h"

struct bench {
  struct weir_chip_config *config;
  struct weir_scheme *scheme;
  struct weir_chip *chip;
  struct programs programs;
  const struct weir_chip_program *counts;
};

static void open_bench(struct bench *b, const char *chip) {
  struct weir_sink sink = {0};
  *b = (struct bench){.config = weir_chip_read(chip, &sink)};
  b->scheme = weir_scheme_read("lru", b->config, &sink);
  b->chip = weir_chip_create(b->config, b->scheme, 1, &sink);
  assert_clean(&sink);
}

static void add(struct bench *b, uint64_t lines, uint64_t warmup, uint64_t instructions) {
  add_program(&b->programs, b->chip, lines, warmup, instructions);
}

static void run(struct bench *b) {
  struct weir_fault fault = {0};
  assert_true(weir_chip_run_cpus(b->chip, &fault));
  assert_int_equal(weir_chip_programs(b->chip, &b->counts), b->programs.count);
}

static void close_bench(struct bench *b) {
  weir_chip_free(b->chip);
  weir_scheme_free(b->scheme);
  weir_chip_config_free(b->config);
  free_programs(&b->programs);
}

static struct weir_requester_counts at_llc(const struct bench *b, unsigned program) {
  return weir_chip_requester_counts(b->chip, &b->counts[program], 1, b->counts[program].requester);
}

// ---- times --------------------------------------------------------------------------------------------------------------

// Four instructions enter per cycle, and as many leave it one cycle later.
static void test_width(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, "apu-1c4g");
  add(&b, 0, 64, 40000);
  run(&b);
  assert_true(b.counts[0].counted);
  assert_int_equal(b.counts[0].instructions, 40000);
  assert_in_range(b.counts[0].cycles, 10000, 10003);
  assert_in_range(weir_chip_total(b.chip)->cycles, 10000 * 385 / 769 - 1, 10003 * 385 / 769); // of the GPU's clock
  assert_int_equal(weir_chip_total(b.chip)->cpu_instructions, 40000);
  close_bench(&b);
}

// A load waits for the one before it. On its way: the data cache's 2 cycles; there and back through the mesh, each way 1 cycle to
// enter, 1 to 5 hops, and in all 1 + 3 flits; the LLC's tags, 3 cycles; 77 ns (200 cycles) of memory, or 15 ns more where a row
// is to be closed first. Mesh and LLC have cycles twice as long, and a part hands on in its next cycle.
static void test_memory_latency(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, "apu-1c4g");
  add(&b, 1u << 20, 0, 2000); // 64 MiB: no line comes twice
  run(&b);
  const double each = (double)b.counts[0].cycles / 2000;
  assert_true(each > 2 + 2 * (2 * 2 + 2 + 3) + 200);
  assert_true(each < 2 + 2 * (2 * 6 + 4 + 3) + 200 + 39 + 5 * 2);
  assert_int_equal(at_llc(&b, 0).demand_misses, 2000 + 1);         // and the line of code
  assert_in_range(b.counts[0].levels[1].loads.misses, 2000, 2001); // the next one is on its way
  close_bench(&b);
}

// The text, with what stands from `from` to `to` there twice; the second time it begins with another name.
static char *repeated(const char *text, const char *from, const char *to, const char *name) {
  const char *start = strstr(text, from), *end = strstr(start, to);
  char *block = weir_text_copy(start);
  block[end - start] = '\0';
  memcpy(strstr(block, "name: "), name, strlen(name));
  char *all = weir_text_format("%.*s%s%s", (int)(end - text), text, block, end);
  weir_free(block);
  return all;
}

// Two kinds of cores: the slower clock takes as many of its own cycles.
static void test_kinds(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  char *path = weir_data_path("chips/apu-1c4g.yaml");
  size_t size;
  char *text = weir_file_read(path, 1 << 20, &size, &sink);
  char *energy = repeated(text, "    - name: cpu ", "\ncpus:", "name: old "),
       *both = repeated(energy, "\n  - name: cpu ", "\ncopies_pass", "name: old ");
  memcpy(strstr(strstr(both, "\n  - name: old "), "mhz: 2600"), "mhz: 1300", 9);
  memcpy(strstr(both, "\". C0"), "none #", 6);
  struct bench b;
  open_bench(&b, write_yaml(both));
  add(&b, 0, 64, 40000);
  add(&b, 0, 64, 40000);
  run(&b);
  assert_in_range(b.counts[1].cycles, 10000, 10003);
  assert_in_range(b.counts[1].time_ps, 10000 * 769, 10003 * 769); // whole picoseconds, of 1.3 and
  assert_in_range(b.counts[0].time_ps, 10000 * 385, 10003 * 385); // of 2.6 GHz
  close_bench(&b);
  weir_free(both);
  weir_free(energy);
  weir_free(text);
  weir_free(path);
}

// ---- pasts --------------------------------------------------------------------------------------------------------------

// 128 KiB: with a past, all is in the L2, and nothing of that past is counted; without one, every line comes from memory once.
static void test_past(void **state) {
  (void)state;
  for (int past = 0; past < 2; past++) {
    struct bench b;
    open_bench(&b, "apu-1c4g");
    add(&b, 2048, past ? 4096 : 0, 8192);
    run(&b);
    const struct weir_chip_program *a = &b.counts[0];
    const uint64_t once = past ? 0 : 2048 + 1;
    assert_int_equal(at_llc(&b, 0).at.accesses, once);
    assert_int_equal(at_llc(&b, 0).fills, once);
    assert_int_equal(a->traffic.dram_reads, once);
    // the data cache has nothing of a round, which is 4 times its size
    assert_int_equal(a->levels[2].loads.accesses, past ? 8192 : 8192 + 1);
    assert_int_equal(a->levels[2].loads.misses, once);
    assert_int_equal(a->total.levels[1].tag_accesses, once);
    close_bench(&b);
  }
}

// A past of 1 MiB passes the LLC, too, and stays in there.
static void test_past_of_llc(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, "apu-1c4g");
  add(&b, 16384, 3 * 16384, 16384);
  run(&b);
  const struct weir_requester_counts n = at_llc(&b, 0);
  assert_int_equal(n.at.accesses, 16384);
  assert_int_equal(n.at.hits, 16384);
  assert_int_equal(n.fills, 0);
  // it holds 1 MiB, and the line of code, all the time
  const double lines = (double)n.line_cycles / ((double)b.counts[0].time_ps / 769);
  assert_true(lines > 16384.9 && lines < 16385.1);
  close_bench(&b);
}

// ---- several programs -----------------------------------------------------------------------------------------------------

// A program that asks for nothing does not change another's times; what is said of the quick one is of when it had its count,
// though it goes on.
static void test_frozen(void **state) {
  (void)state;
  struct bench alone, both;
  open_bench(&alone, "apu-2c4g");
  add(&alone, 1u << 20, 0, 3000);
  run(&alone);
  open_bench(&both, "apu-2c4g");
  add(&both, 1u << 20, 0, 3000);
  add(&both, 0, 64, 4000);
  run(&both);
  assert_int_equal(both.counts[0].cycles, alone.counts[0].cycles);
  assert_int_equal(both.counts[1].instructions, 4000);
  assert_in_range(both.counts[1].cycles, 1000, 1003);
  assert_true(both.programs.all[1]->next > 100 * 4000); // it has run all the while
  assert_true(weir_chip_mix_done(both.chip));
  close_bench(&alone);
  close_bench(&both);
}

// The same addresses are other memory to another program.
static void test_apart(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, "apu-2c4g");
  for (int i = 0; i < 2; i++) add(&b, 8192, 0, 8192);
  run(&b);
  for (unsigned i = 0; i < 2; i++) {
    assert_int_equal(at_llc(&b, i).demand_misses, 8192 + 1);
    assert_int_equal(at_llc(&b, i).evictions, 0); // 1 MiB of 4
  }
  close_bench(&b);
}

// A program that ends before its count ends the run, and is not counted.
static void test_short(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, "apu-2c4g");
  add(&b, 0, 0, 4000);
  add(&b, 0, 0, 4000);
  b.programs.all[1]->limit = 1000;
  run(&b);
  assert_true(weir_chip_mix_done(b.chip));
  assert_false(b.counts[1].counted);
  close_bench(&b);
}

// ---- a level more -----------------------------------------------------------------------------------------------------------

// A second shared level is a matter of the file: what misses the first reaches it, in the past as well as in the run.
static void test_level(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  char *path = weir_data_path("chips/apu-1c4g.yaml");
  size_t size;
  char *text = weir_file_read(path, 1 << 20, &size, &sink);
  char *caches = repeated(text, "  - name: llc", "\nnetwork:", "name: far");
  char *all = repeated(caches, "    - name: llc", "  shared_pj:", "name: far");
  memcpy(strstr(strstr(all, "name: llc"), "size_kib: 2048"), "size_kib: 512 ", 14);
  struct bench b;
  open_bench(&b, write_yaml(all));
  add(&b, 16384, 3 * 16384, 16384); // 1 MiB: too much for 512 KiB, visited in rounds
  run(&b);
  assert_int_equal(at_llc(&b, 0).at.misses, 16384);
  const struct weir_requester_counts far = weir_chip_requester_counts(b.chip, &b.counts[0], 2, 1);
  assert_int_equal(far.at.accesses, 16384);
  assert_int_equal(far.at.hits, 16384);
  close_bench(&b);
  weir_free(all);
  weir_free(caches);
  weir_free(text);
  weir_free(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_width), cmocka_unit_test(test_memory_latency), cmocka_unit_test(test_kinds),
    cmocka_unit_test(test_past),  cmocka_unit_test(test_past_of_llc),    cmocka_unit_test(test_frozen),
    cmocka_unit_test(test_apart), cmocka_unit_test(test_short),          cmocka_unit_test(test_level),
  };
  return cmocka_run_group_tests(tests, NULL, remove_yaml);
}
