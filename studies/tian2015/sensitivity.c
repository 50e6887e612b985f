// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// How much the speed of bypassing depends on what the paper leaves open, on the three programs that it calls memory-intensive.
#include "tian2015/tian2015.h"

#include <math.h>

// `of_chip`: the baseline has the value, too.
static const struct setting {
  const char *label, *values;
  bool of_chip;
} settings[] = {
  {"as shipped", "", false},
  {"threshold 4 of 15", ",threshold=4", false},
  {"threshold 12", ",threshold=12", false},
  {"threshold 15", ",threshold=15", false},
  {"table of 64", ",entries=64", false},
  {"table of 256", ",entries=256", false},
  {"3-bit counters", ",counter_bits=3,threshold=4", false},
  {"5-bit counters", ",counter_bits=5,threshold=16", false},
  {"2 channels, 4 slices of L2 and L3", ",dram.channels=2,dram.slices_per_channel=2", true},
  {"4 channels, 8 slices", ",dram.slices_per_channel=2", true},
  {"8 channels, 8 slices", ",dram.channels=8", true},
  {"4 channels, 16 slices", ",dram.slices_per_channel=4", true},
  {"16 channels, 16 slices", ",dram.channels=16", true},
  {"16 MSHRs", ",l1.mshrs=16", true},
  {"32 MSHRs", ",l1.mshrs=32", true},
  {"128 MSHRs", ",l1.mshrs=128", true},
};
static const char *const programs[] = {"matrixmul", "spmv", "bfs"};
enum { SETTINGS = sizeof settings / sizeof *settings, PROGRAMS = sizeof programs / sizeof *programs, LONGEST = 128 };

static const char *spec(char *out, const char *scheme, const struct setting *s, bool baseline) {
  snprintf(out, LONGEST, "%s%s", scheme, baseline && !s->of_chip ? "" : s->values);
  return out;
}

void tian_plan_sensitivity(struct weir_plan *p) {
  char scheme[LONGEST];
  for (unsigned i = 0; i < SETTINGS; i++)
    for (unsigned j = 0; j < PROGRAMS; j++) {
      weir_plan_add(p, programs[j], TIAN_CHIP, spec(scheme, TIAN_BASELINE, &settings[i], true));
      weir_plan_add(p, programs[j], TIAN_CHIP, spec(scheme, TIAN_PC, &settings[i], false));
    }
}

static void row(struct weir_table *t, const struct weir_plan *p, const struct setting *s) {
  struct weir_cell *cells = weir_table_row(t);
  char none[LONGEST], pc[LONGEST];
  double product = 1;
  tian_label(t, cells, s->label);
  for (unsigned j = 0; j < PROGRAMS; j++) {
    double time = tian_total(p, programs[j], spec(none, TIAN_BASELINE, s, true)).time_ps;
    cells[1 + j].ours = time / tian_total(p, programs[j], spec(pc, TIAN_PC, s, false)).time_ps;
    product *= cells[1 + j].ours;
    cells[2 + PROGRAMS + j].ours = tian_total(p, programs[j], TIAN_BASELINE).time_ps / time;
  }
  cells[1 + PROGRAMS].ours = pow(product, 1.0 / PROGRAMS);
}

void tian_figure_sensitivity(struct weir_table *t, const struct weir_plan *p) {
  static const struct {
    const char *name, *heading;
  } baselines[] = {
    {"matrixmul_none", "matrixmul's baseline"}, {"spmv_none", "spmv's baseline"}, {"bfs_none", "bfs's baseline"}};
  weir_table_column(t, WEIR_COLUMN_TEXT, "setting", "setting", NULL);
  for (unsigned j = 0; j < PROGRAMS; j++)
    weir_table_column(t, WEIR_COLUMN_CHANGE, programs[j], programs[j], "PC-based bypassing over none");
  weir_table_column(t, WEIR_COLUMN_CHANGE, "mean", "mean", "geometric");
  for (unsigned j = 0; j < PROGRAMS; j++)
    weir_table_column(t, WEIR_COLUMN_CHANGE, baselines[j].name, baselines[j].heading,
                      "the baseline over that of the chip as shipped");
  for (unsigned i = 0; i < SETTINGS; i++) row(t, p, &settings[i]);
  tian_publish(t);
  weir_table_note(t, "As shipped: threshold 8, 128 counters of 4 bits, 4 channels and slices, 64 MSHRs.");
}
