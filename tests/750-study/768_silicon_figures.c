// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Figures of the study silicon from runs with round numbers. What cells should hold is worked out by hand beside them.
#include "made_runs.h"

extern const struct weir_study weir_study_silicon;
const struct weir_study *const made_study = &weir_study_silicon;
const char *const made_chip = "volta-v100";

struct counts {
  const char *program, *scheme;
  int cycles, accesses; // by which the last launch exceeds the one before
};

static const struct counts made[] = {
  {"chase", "none,launch.footprint_kib=35,launch.stride=8", 3000, 100},     // 30 cycles per load
  {"chase", "none,launch.footprint_kib=95,launch.stride=8", 3171, 100},     // 31.71
  {"chase", "none,launch.footprint_kib=130,launch.stride=8", 147000, 1000}, // 147, in a knee
  {"chase", "none,launch.footprint_kib=160,launch.stride=8", 382000, 1000}, // 382, likewise
  {"chase", "none,launch.footprint_kib=239,launch.stride=8", 43020, 200},   // 215.1
  {"strides-rrze", "none,launch.stride=1", 49152, 7},   // 256 × 4 × 32 loads of a warp are 32768: 1.5 cycles each
  {"strides-rrze", "none,launch.stride=8", 262144, 7},  // 8
  {"strides-rrze", "none,launch.stride=32", 524288, 7}, // 16
  {"one-buffer-rrze", "none,launch.blocks=80,launch.footprint_kib=64", 100, 31250}, // 32 × 31250 / 100
  {"one-buffer-rrze", "none,launch.blocks=80,launch.footprint_kib=160", 100, 6250},
  {"one-buffer-rrze", "none,launch.blocks=80,launch.footprint_kib=384", 200, 12500},
};

// Of blocks of 480 threads: cycles by which each kernel's third launch exceeds its second, in the order of launches.
static const int streamed[] = {16384, 32768, 32768, 49152, 32768, 65536};
enum { STREAMED = sizeof streamed / sizeof *streamed };

static json_t *launch(int cycles, int accesses) {
  return json_pack("{s:i, s:{s:{s:i}}, s:{s:{s:i}}}", "cycles", cycles, "l1", "loads", "accesses", accesses, "l2",
                   "loads", "accesses", 1);
}

static bool first_launch_alone;

static json_t *made_streams(void) {
  json_t *kernels = json_array();
  for (unsigned k = 0; k < STREAMED; k++) {
    json_array_append_new(kernels, launch(70000, 0));
    json_array_append_new(kernels, launch(500, 0));
    json_array_append_new(kernels, launch(500 + streamed[k], 0));
  }
  return json_pack("{s:o, s:o}", "total", launch(9, 9), "kernels", kernels);
}

json_t *made_run(const char *program, const char *scheme) {
  if (!strcmp(program, "stream-kernels-rrze"))
    return strstr(scheme, ",launch.threads=480,") && !first_launch_alone ? made_streams() : NULL;
  for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
    const struct counts *c = &made[i];
    if (strcmp(c->program, program) != 0 || strcmp(c->scheme, scheme) != 0) continue;
    json_t *run = json_pack("{s:o, s:[o, o]}", "total", launch(9, 9), "kernels", launch(90000, 70000), launch(500, 40));
    if (!first_launch_alone)
      json_array_append_new(json_object_get(run, "kernels"), launch(500 + c->cycles, 40 + c->accesses));
    else
      json_array_remove(json_object_get(run, "kernels"), 1);
    return run;
  }
  return NULL;
}

static void latency(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "volta-v100-latency");
  assert_ours(&t, "35 KiB", "cycles", 30);
  assert_published(&t, "35 KiB", "cycles", 30.0);
  assert_ours(&t, "35 KiB", "error", 0);
  assert_ours(&t, "95 KiB", "cycles", 31.71);
  assert_true(fabs(cell_of(&t, "95 KiB", "error")->ours - 0.05) < 1e-9); // 30.2 × 1.05 is 31.71
  assert_ours(&t, "160 KiB", "cycles", 382);
  assert_ours(&t, "160 KiB", "error", 1); // twice the 191 measured
  assert_ours(&t, "239 KiB", "cycles", 215.1);
  assert_none(&t, "1832 KiB", "cycles"); // failed
  assert_none(&t, "1832 KiB", "error");
  assert_ours(&t, "13620 KiB", "x", log2(13620));
  assert_string_equal(cell_of(&t, "35 KiB", "level")->text, "L1");
  assert_null(cell_of(&t, "160 KiB", "level")->text);
  // Measured are 30.2, 89.5 and 147.1 cycles of 95, 130 and 144 KiB, 147.1, 191 and 204.2 of 144, 160 and 177 KiB.
  assert_string_equal(cell_of(&t, "130 KiB", "step")->text, "yes");
  assert_string_equal(cell_of(&t, "160 KiB", "step")->text, "no");
  assert_null(cell_of(&t, "6984 KiB", "step")->text); // failed
  assert_null(cell_of(&t, "239 KiB", "step")->text);  // no knee
  assert_string_equal(cell_of(&t, "mean, plateaus", "step")->text, "1 of 2");
  // Of the three points of plateaus that have run: 0, 5 and 0 %.
  assert_true(fabs(cell_of(&t, "mean, plateaus", "error")->ours - 0.05 / 3) < 1e-9);
  assert_int_equal(t.summary_row, t.row_count - 1);
  weir_table_free(&t);
}

static void strides(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "volta-v100-strides");
  assert_ours(&t, "1", "cycles", 1.5);
  assert_published(&t, "1", "cycles", 1.02);
  assert_ours(&t, "8", "cycles", 8);
  assert_ours(&t, "8", "error", 0);
  assert_ours(&t, "32", "error", 0.5); // 16 where 32 were measured
  assert_ours(&t, "63", "x", 63);
  assert_ours(&t, "mean, plateaus", "error", (0.48 / 1.02 + 0.5) / 3);
  assert_non_null(strstr(t.note, "ampere-a100")); // whose points these are
  weir_table_free(&t);
}

static void bandwidth(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "volta-v100-bandwidth");
  assert_ours(&t, "64 KiB", "bytes", 10000);
  assert_published(&t, "64 KiB", "bytes", 13842.2 / 1.38); // GB/s at 1.38 GHz
  assert_ours(&t, "160 KiB", "bytes", 2000);
  assert_true(isnan(cell_of(&t, "160 KiB", "bytes")->published)); // was not measured
  assert_none(&t, "160 KiB", "error");
  assert_ours(&t, "384 KiB", "bytes", 2000);
  assert_published(&t, "384 KiB", "bytes", 2457.7 / 1.38);
  const double l1 = 1 - 10000 * 1.38 / 13842.2, l2 = 2000 * 1.38 / 2457.7 - 1;
  assert_true(fabs(cell_of(&t, "mean, plateaus", "error")->ours - (l1 + l2) / 2) < 1e-9);
  assert_null(strstr(t.note, "ampere-a100"));
  weir_table_free(&t);
}

// 8 MiB of each array, the next power of two above four times 600 KiB that all threads go over at a time, 768 that the L2 holds and
// 64 in the channels: in 16384 cycles 512 bytes each, at 1.38 GHz 706.56 GB/s. `triad` has three arrays.
static void occupancy(void **state) {
  (void)state;
  static const struct {
    const char *kernel;
    double ours, published;
  } cells[] = {{"read", 706.56, 727},  {"init", 353.28, 895},     {"scale", 706.56, 780},
               {"triad", 706.56, 798}, {"stencil3", 706.56, 775}, {"stencil5", 353.28, 770}};
  struct weir_table t;
  double sum = 0;
  figure_make(&t, "volta-v100-occupancy");
  for (unsigned k = 0; k < STREAMED; k++) {
    assert_true(fabs(cell_of(&t, "480", cells[k].kernel)->ours - cells[k].ours) < 1e-9);
    assert_published(&t, "480", cells[k].kernel, cells[k].published);
    assert_none(&t, "32", cells[k].kernel); // failed
    sum += 1 - cells[k].ours / cells[k].published;
  }
  assert_ours(&t, "480", "x", 960); // two blocks
  assert_true(fabs(cell_of(&t, "480", "error")->ours - sum / STREAMED) < 1e-9);
  assert_none(&t, "32", "error");
  assert_true(fabs(cell_of(&t, "mean", "error")->ours - sum / STREAMED) < 1e-9); // the others have failed
  weir_table_free(&t);
}

// A run that has but one launch says nothing.
static void one_launch(void **state) {
  (void)state;
  struct weir_table t;
  first_launch_alone = true;
  figure_make(&t, "volta-v100-latency");
  assert_none(&t, "35 KiB", "cycles");
  assert_none(&t, "mean, plateaus", "error");
  weir_table_free(&t);
  first_launch_alone = false;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(latency), cmocka_unit_test(strides), cmocka_unit_test(bandwidth),
                                     cmocka_unit_test(occupancy), cmocka_unit_test(one_launch)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
