// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Figure 12: Needleman-Wunsch with and without scratchpad memory.
#include "tian2015/tian2015.h"

#include <math.h>

static const struct {
  const char *label, *scheme;
} configurations[] = {{"16 KiB", TIAN_BASELINE},
                      {"PC-based", TIAN_PC},
                      {"counter", TIAN_COUNTER},
                      {"32 KiB", TIAN_KIB(32)},
                      {"64 KiB", TIAN_KIB(64)}};
static const char *const programs[] = {"nw", "nw-nospm", "nw-plain"};
enum { PROGRAMS = sizeof programs / sizeof *programs, CONFIGURATIONS = sizeof configurations / sizeof *configurations };

void tian_plan_nw(struct weir_plan *p) {
  for (unsigned i = 0; i < PROGRAMS; i++)
    for (unsigned j = 0; j < CONFIGURATIONS; j++) weir_plan_add(p, programs[i], TIAN_CHIP, configurations[j].scheme);
}

static double time_of(const struct weir_plan *p, const char *program, const char *scheme) {
  return tian_total(p, program, scheme).time_ps;
}

// Of the time that nw-nospm takes longer than nw, what a configuration takes away. NaN if it takes no longer.
static double gap_closed(const struct weir_plan *p, const char *program, const char *scheme) {
  double slow = time_of(p, program, TIAN_BASELINE), fast = time_of(p, "nw", TIAN_BASELINE);
  return slow > fast ? (slow - time_of(p, program, scheme)) / (slow - fast) : NAN;
}

static void row(struct weir_table *t, const struct weir_plan *p, unsigned program, unsigned configuration) {
  const char *scheme = configurations[configuration].scheme;
  struct weir_cell *cells = weir_table_row(t);
  char label[64];
  snprintf(label, sizeof label, "%s, %s", programs[program], configurations[configuration].label);
  tian_label(t, cells, label);
  cells[1].ours = time_of(p, programs[program], scheme) / time_of(p, "nw", TIAN_BASELINE);
  if (configuration)
    cells[2].ours = time_of(p, programs[program], TIAN_BASELINE) / time_of(p, programs[program], scheme);
  if (program && configuration) cells[3].ours = gap_closed(p, programs[program], scheme);
}

void tian_figure_12(struct weir_table *t, const struct weir_plan *p) {
  weir_table_column(t, WEIR_COLUMN_TEXT, "configuration", "configuration", NULL);
  weir_table_column(t, WEIR_COLUMN_REAL, "time", "time", "over that of nw with a 16 KiB L1");
  weir_table_column(t, WEIR_COLUMN_CHANGE, "speedup", "speedup", "over the same program with a 16 KiB L1");
  weir_table_column(t, WEIR_COLUMN_PERCENT, "gap_closed", "gap closed",
                    "of what the program takes longer than nw, both with a 16 KiB L1; nothing if it takes no longer");
  for (unsigned i = 0; i < PROGRAMS; i++)
    for (unsigned j = 0; j < CONFIGURATIONS; j++) row(t, p, i, j);
  tian_publish(t);
  weir_table_note(t,
                  "The text adds that bypassing with a 16 KiB L1 outperforms a 64 KiB L1. nw-nospm keeps two "
                  "of a cell's three neighbours in registers, nw-plain reads all from memory.");
}
