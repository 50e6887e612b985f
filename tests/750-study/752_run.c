// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Figures through the executable: of the runs that results files keep, and one of a run of its own.
#include "folder.h"

#include <jansson.h>
#include <math.h>

#define KEPT(study, file) "--from", WEIR_SOURCE_DIR "/studies/" study "/results/" file ".csv"

static json_t *figure_rows(const char *study, const char *number, const char *where, const char *file, json_t **all) {
  struct process p = process_run("study", study, "--figure", number, "--json", where, file);
  if (p.status) print_error("%s", p.err);
  assert_int_equal(p.status, 0);
  *all = json_loads(p.out, 0, NULL);
  assert_non_null(*all);
  process_free(&p);
  json_t *figure = json_array_get(json_object_get(*all, "figures"), 0);
  assert_string_equal(json_string_value(json_object_get(figure, "name")), number);
  return json_object_get(figure, "rows");
}

static double number(json_t *rows, size_t row, const char *column) {
  json_t *v = json_object_get(json_array_get(rows, row), column);
  assert_true(json_is_number(v));
  return json_number_value(v);
}

// A program without local memory, from its first row of five, against nw's baseline.
static void assert_without_local_memory(json_t *rows, size_t first) {
  double slow = number(rows, first, "time");
  for (size_t i = first + 1; i < first + 5; i++) {
    double time = number(rows, i, "time");
    assert_true(time > 0);
    assert_true(fabs(number(rows, i, "speedup") - slow / time) < 1e-9);
    json_t *closed = json_object_get(json_array_get(rows, i), "gap_closed");
    if (slow > 1)
      assert_true(fabs(json_number_value(closed) - (slow - time) / (slow - 1)) < 1e-9);
    else
      assert_true(json_is_null(closed));
  }
}

// nw, nw-nospm and nw-plain under five configurations each.
static void needleman_wunsch(void **state) {
  (void)state;
  json_t *all, *rows = figure_rows("tian2015", "12", KEPT("tian2015", "small"), &all);
  assert_int_equal(json_array_size(rows), 15);
  assert_true(number(rows, 0, "time") == 1);
  assert_without_local_memory(rows, 5);
  assert_without_local_memory(rows, 10);
  assert_true(number(rows, 5, "time_published") == 7);
  json_decref(all);
}

// 128 × 4 + 256 × 7 bits; a bit for each of 4096 blocks; 128 × 128 × 5 + 256 × 20 bits (section 4.1).
static void storage(void **state) {
  (void)state;
  json_t *all, *rows = figure_rows("tian2015", "storage", KEPT("tian2015", "small"), &all);
  assert_true(number(rows, 0, "bytes") == 288);
  assert_true(number(rows, 1, "bytes") == 512);
  assert_true(number(rows, 2, "bytes") == 10880);
  json_decref(all);
}

static double total_cycles(const char *program) {
  struct process p = process_run("run", program, "--chip", "fermi-bucl", "--scheme", "lru", "--json");
  assert_int_equal(p.status, 0);
  json_t *run = json_loads(p.out, 0, NULL);
  double cycles = json_number_value(json_object_get(json_object_get(run, "total"), "cycles"));
  json_decref(run);
  process_free(&p);
  return cycles;
}

// One run, sampled each 1000 cycles into at most 48 rows; that of the last sample ends when the run without samples
// does.
static void partitions_over_time(void **state) {
  (void)state;
  json_t *all, *rows = figure_rows("zhao2016", "partitions-over-time", "--store", file("runs.sqlite"), &all);
  size_t count = json_array_size(rows);
  double before = 0, busiest = 0, cycles = total_cycles("bfs-random");
  assert_int_equal(count, cycles > 48000 ? 48 : ceil(cycles / 1000));
  for (size_t i = 0; i < count; i++) {
    double cycle = number(rows, i, "cycle"), highest = number(rows, i, "highest");
    assert_true(cycle > before && (i + 1 == count || fmod(cycle, 1000) == 0));
    assert_true(number(rows, i, "lowest") >= 0 && number(rows, i, "lowest") <= number(rows, i, "mean"));
    assert_true(number(rows, i, "mean") <= highest && highest <= 1);
    busiest = fmax(busiest, highest);
    before = cycle;
  }
  assert_true(before == cycles);
  assert_true(busiest > 0);
  json_decref(all);
}

// The micro-benchmark with 1 to 15 blocks: an SMX takes 32 bytes per cycle of 980 MHz from the L2 and no more,
// "slightly less than 32 GB/s", however many there are; DRAM has at most the 336 GB/s of its pins (section 2).
static void throughput_of_l2_and_dram(void **state) {
  (void)state;
  json_t *all, *rows = figure_rows("mokhtari2015", "6", KEPT("mokhtari2015", "memory"), &all);
  assert_int_equal(json_array_size(rows), 15);
  for (size_t i = 0; i < 15; i++) {
    double most = 31.36 * (double)(i + 1), l2 = number(rows, i, "l2"), dram = number(rows, i, "dram");
    assert_true(l2 > 0.98 * most && l2 < 1.02 * most); // what a launch still has on its way at its end differs
    assert_true(dram > 0 && dram < 1.02 * most && dram < 1.1 * 336);
  }
  json_decref(all);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(needleman_wunsch), cmocka_unit_test(storage),
                                     cmocka_unit_test(partitions_over_time),
                                     cmocka_unit_test(throughput_of_l2_and_dram)};
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
