// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Inputs of the cache-sensitive GPU programs, which the paper does not name. What a program goes over is a part of its chip's
// LLC: graded in the order of Table III, 30, 45, 60, 75 and 90 %. Where it does not gain 10 % from half of the LLC to all of
// it, alone under LRU (Figure 10), it takes the next larger part at which it does. No mix has a say in it.
#include "holey2014/holey2014.h"

#include <stdio.h>
#include <string.h>

static const unsigned llc_kib[] = {[HOLEY_1C4G] = 2048, [HOLEY_2C4G] = 4096, [HOLEY_4C4G] = 8192};

static const struct {
  const char *program;
  unsigned percent[HOLEY_CORES]; // of the LLC
} inputs[] = {
  {"matrixmul-wide", {60, 60, 60}}, {"transpose", {60, 75, 60}}, {"gaussian", {60, 60, 60}},
  {"fastwalsh", {75, 75, 75}},      {"floyd", {90, 90, 90}},
};

enum { INPUTS = sizeof inputs / sizeof *inputs };

unsigned holey_footprint_kib(const char *program, enum holey_cores cores) {
  for (unsigned i = 0; i < INPUTS; i++)
    if (!strcmp(inputs[i].program, program)) return llc_kib[cores] * inputs[i].percent[cores] / 100;
  return 0;
}

// ---- figure "inputs" -----------------------------------------------------------------------------------------------

static const unsigned parts[] = {30, 45, 60, 75, 90};
enum { PARTS = sizeof parts / sizeof *parts };

static void spec_of(char out[HOLEY_SPEC], enum holey_cores cores, unsigned percent, unsigned kib) {
  snprintf(out, HOLEY_SPEC, HOLEY_LRU ",llc.size_kib=%u,launch.footprint_kib=%u", kib, llc_kib[cores] * percent / 100);
}

static const json_t *run_at(const struct weir_plan *p, const char *program, enum holey_cores cores, unsigned percent,
                            unsigned kib) {
  char spec[HOLEY_SPEC];
  spec_of(spec, cores, percent, kib);
  return weir_plan_run(p, program, holey_chips[cores], spec);
}

void holey_plan_inputs(struct weir_plan *p) {
  char spec[HOLEY_SPEC];
  for (unsigned cores = 0; cores < HOLEY_CORES; cores++)
    for (unsigned i = 0; i < INPUTS; i++)
      for (unsigned k = 0; k < PARTS; k++)
        for (unsigned half = 0; half < 2; half++) {
          spec_of(spec, cores, parts[k], llc_kib[cores] >> half);
          weir_plan_add(p, inputs[i].program, holey_chips[cores], spec);
        }
}

static double gain(const struct weir_plan *p, const char *program, enum holey_cores cores, unsigned percent) {
  return holey_run_ipc(run_at(p, program, cores, percent, llc_kib[cores])) /
    holey_run_ipc(run_at(p, program, cores, percent, llc_kib[cores] / 2));
}

void holey_figure_inputs(struct weir_table *t, const struct weir_plan *p) {
  static const char *const names[PARTS] = {"gain_30", "gain_45", "gain_60", "gain_75", "gain_90"};
  static const char *const headings[PARTS] = {"30 %", "45 %", "60 %", "75 %", "90 %"};
  weir_table_column(t, WEIR_COLUMN_TEXT, "row", "", NULL);
  for (unsigned k = 0; k < PARTS; k++) weir_table_column(t, WEIR_COLUMN_CHANGE, names[k], headings[k], NULL);
  weir_table_column(t, WEIR_COLUMN_COUNT, "part", "taken, %", "of the LLC");
  weir_table_column(t, WEIR_COLUMN_COUNT, "kib", "KiB", NULL);
  for (unsigned cores = 0; cores < HOLEY_CORES; cores++)
    for (unsigned i = 0; i < INPUTS; i++) {
      struct weir_cell *cells = weir_table_row(t);
      char label[48];
      snprintf(label, sizeof label, "%s, %s", holey_core_names[cores], inputs[i].program);
      weir_table_text(t, &cells[0], label);
      for (unsigned k = 0; k < PARTS; k++) cells[1 + k].ours = gain(p, inputs[i].program, cores, parts[k]);
      cells[1 + PARTS].ours = inputs[i].percent[cores];
      cells[2 + PARTS].ours = holey_footprint_kib(inputs[i].program, cores);
    }
  weir_table_note(
    t,
    "Instructions per cycle with the chip's LLC over those with half of it, alone under LRU, by the part of "
    "the LLC that the program goes over.");
}
