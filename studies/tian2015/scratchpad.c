// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Figure 12: Needleman-Wunsch with and without scratchpad memory; and LU decomposition likewise.
#include "tian2015/tian2015.h"

#include <math.h>

static const struct {
  const char *label, *scheme;
} configurations[] = {{"16 KiB", TIAN_BASELINE},
                      {"PC-based", TIAN_PC},
                      {"counter", TIAN_COUNTER},
                      {"32 KiB", TIAN_KIB(32)},
                      {"64 KiB", TIAN_KIB(64)}};
enum { CONFIGURATIONS = sizeof configurations / sizeof *configurations };

// A program with scratchpad memory, then the same without.
static const char *const nw[] = {"nw", "nw-nospm", "nw-plain", NULL}, *const lud[] = {"lud", "lud-plain", NULL};

static void plan(struct weir_plan *p, const char *const *programs) {
  for (; *programs; programs++)
    for (unsigned j = 0; j < CONFIGURATIONS; j++) weir_plan_add(p, *programs, TIAN_CHIP, configurations[j].scheme);
}

void tian_plan_nw(struct weir_plan *p) {
  plan(p, nw);
}

void tian_plan_lud(struct weir_plan *p) {
  plan(p, lud);
}

static double time_of(const struct weir_plan *p, const char *program, const char *scheme) {
  return tian_total(p, program, scheme).time_ps;
}

// Of the time that a program takes longer than the one with scratchpad memory, what a configuration takes away. NaN if it takes
// no longer.
static double gap_closed(const struct weir_plan *p, const char *program, const char *with, const char *scheme) {
  double slow = time_of(p, program, TIAN_BASELINE), fast = time_of(p, with, TIAN_BASELINE);
  return slow > fast ? (slow - time_of(p, program, scheme)) / (slow - fast) : NAN;
}

static void row(struct weir_table *t, const struct weir_plan *p, const char *const *programs, unsigned program,
                unsigned configuration) {
  const char *name = programs[program], *with = programs[0], *scheme = configurations[configuration].scheme;
  struct weir_cell *cells = weir_table_row(t);
  char label[64];
  snprintf(label, sizeof label, "%s, %s", name, configurations[configuration].label);
  tian_label(t, cells, label);
  cells[1].ours = time_of(p, name, scheme) / time_of(p, with, TIAN_BASELINE);
  if (configuration) cells[2].ours = time_of(p, name, TIAN_BASELINE) / time_of(p, name, scheme);
  if (program && configuration) cells[3].ours = gap_closed(p, name, with, scheme);
}

static void fill(struct weir_table *t, const struct weir_plan *p, const char *const *programs) {
  weir_table_column(t, WEIR_COLUMN_TEXT, "configuration", "configuration", NULL);
  weir_table_column(t, WEIR_COLUMN_REAL, "time", "time", "over that with scratchpad memory and a 16 KiB L1");
  weir_table_column(t, WEIR_COLUMN_CHANGE, "speedup", "speedup", "over the same program with a 16 KiB L1");
  weir_table_column(
    t, WEIR_COLUMN_PERCENT, "gap_closed", "gap closed",
    "of what the program takes longer than the one with scratchpad memory, both with a 16 KiB L1; nothing "
    "if it takes no longer");
  for (unsigned i = 0; programs[i]; i++)
    for (unsigned j = 0; j < CONFIGURATIONS; j++) row(t, p, programs, i, j);
  tian_publish(t);
}

void tian_figure_12(struct weir_table *t, const struct weir_plan *p) {
  fill(t, p, nw);
  weir_table_note(t,
                  "The text adds that bypassing with a 16 KiB L1 outperforms a 64 KiB L1. nw-nospm keeps two "
                  "of a cell's three neighbours in registers, nw-plain reads all from memory.");
}

void tian_figure_12_of_lud(struct weir_table *t, const struct weir_plan *p) {
  fill(t, p, lud);
  weir_table_note(t, "The paper has one such program, nw, and leaves others for later (section 7).");
}
