// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Figures 11, 12 and 13: the instructions that S-L1 adds, what it costs where it caches nothing, and sizes of its
// lines.
#include "mokhtari2015/mokhtari2015.h"

// ---- figure 11 ------------------------------------------------------------------------------------------------------

void mokhtari_plan_instructions(struct weir_plan *p) {
  mokhtari_plan(p, MOKHTARI_L1, MOKHTARI_MANY);
  mokhtari_plan(p, MOKHTARI_SL1, MOKHTARI_MANY);
}

void mokhtari_plan_instructions_at_1024(struct weir_plan *p) {
  mokhtari_plan(p, MOKHTARI_L1, MOKHTARI_FEW);
  mokhtari_plan(p, MOKHTARI_SL1, MOKHTARI_FEW);
}

static double more_executed(const struct weir_plan *p, const char *program, enum mokhtari_sweep sweep) {
  return mokhtari_total(p, program, MOKHTARI_SL1, sweep).warp_instructions /
    mokhtari_total(p, program, MOKHTARI_L1, sweep).warp_instructions;
}

static double issued(const struct weir_plan *p, const char *program, const char *variant, enum mokhtari_sweep sweep) {
  const struct weir_run_numbers n = mokhtari_total(p, program, variant, sweep);
  return n.warp_instructions + n.replays;
}

static double more_issued(const struct weir_plan *p, const char *program, enum mokhtari_sweep sweep) {
  return issued(p, program, MOKHTARI_SL1, sweep) / issued(p, program, MOKHTARI_L1, sweep);
}

#define OF_SWEEP(name, sweep)                                                                                          \
  static double executed_##name(const struct weir_plan *p, const char *program) {                                      \
    return more_executed(p, program, sweep);                                                                           \
  }                                                                                                                    \
  static double issued_##name(const struct weir_plan *p, const char *program) {                                        \
    return more_issued(p, program, sweep);                                                                             \
  }
OF_SWEEP(many, MOKHTARI_MANY)
OF_SWEEP(few, MOKHTARI_FEW)
#undef OF_SWEEP

#define CHANGE_OF(name, meaning, of)                                                                                   \
  { #name, #name, meaning, WEIR_COLUMN_CHANGE, WEIR_ARITHMETIC_MEAN, of, NULL, NULL }
#define INSTRUCTIONS(name)                                                                                             \
  CHANGE_OF(executed, "warp instructions", executed_##name),                                                           \
    CHANGE_OF(issued,                                                                                                  \
              "these, and replays: an issue slot per access of a memory instruction, and per pass over the banks",     \
              issued_##name)

void mokhtari_figure_11(struct weir_table *t, const struct weir_plan *p) {
  static const struct weir_figure_column columns[] = {INSTRUCTIONS(many), {0}};
  mokhtari_table(t, p, columns);
  weir_table_note(t, "S-L1 against the hardware's L1, each at its best number of threads. Means: arithmetic.");
}

void mokhtari_figure_11_at_1024(struct weir_table *t, const struct weir_plan *p) {
  static const struct weir_figure_column columns[] = {INSTRUCTIONS(few), {0}};
  mokhtari_table(t, p, columns);
  weir_table_note(t, "S-L1 against the hardware's L1, 1024 threads on one SMX. Means: arithmetic.");
}

// ---- figure 12 ------------------------------------------------------------------------------------------------------

void mokhtari_plan_unused(struct weir_plan *p) {
  mokhtari_plan(p, MOKHTARI_NO_L1, MOKHTARI_FEW);
  mokhtari_plan(p, MOKHTARI_UNUSED, MOKHTARI_FEW);
  mokhtari_plan(p, MOKHTARI_MONITORED, MOKHTARI_FEW);
}

static double cycles(const struct weir_plan *p, const char *program, const char *variant) {
  return mokhtari_total(p, program, variant, MOKHTARI_FEW).cycles;
}

static double time_over_none(const struct weir_plan *p, const char *program, const char *variant) {
  return cycles(p, program, variant) / cycles(p, program, MOKHTARI_NO_L1);
}

void mokhtari_figure_12(struct weir_table *t, const struct weir_plan *p) {
  static const struct weir_figure_column columns[] = {
    {"unused", "unused",
     "time over that without S-L1, every access going through the check of the computation slice, as in the "
     "paper",
     WEIR_COLUMN_CHANGE, WEIR_ARITHMETIC_MEAN, NULL, time_over_none, MOKHTARI_UNUSED},
    {"monitoring", "monitoring",
     "threads that cache nothing go on in the untouched loop: what is left is monitoring, of 300 accesses "
     "of each thread",
     WEIR_COLUMN_CHANGE, WEIR_ARITHMETIC_MEAN, NULL, time_over_none, MOKHTARI_MONITORED},
    {0}};
  mokhtari_table(t, p, columns);
  weir_table_note(t, "No structure is found worth caching. Means: arithmetic.");
}

// ---- figure 13 ------------------------------------------------------------------------------------------------------

void mokhtari_plan_lines(struct weir_plan *p) {
  mokhtari_plan(p, MOKHTARI_SL1, MOKHTARI_FEW);
  mokhtari_plan(p, MOKHTARI_LINES(8), MOKHTARI_FEW);
  mokhtari_plan(p, MOKHTARI_LINES(24), MOKHTARI_FEW);
  mokhtari_plan(p, MOKHTARI_LINES(32), MOKHTARI_FEW);
}

static double over_16_bytes(const struct weir_plan *p, const char *program, const char *variant) {
  return cycles(p, program, MOKHTARI_SL1) / cycles(p, program, variant);
}

void mokhtari_figure_13(struct weir_table *t, const struct weir_plan *p) {
#define LINE(bytes, meaning)                                                                                           \
  {                                                                                                                    \
    "bytes_" #bytes, #bytes " bytes", meaning, WEIR_COLUMN_CHANGE, WEIR_GEOMETRIC_MEAN, NULL, over_16_bytes,           \
      MOKHTARI_LINES(bytes)                                                                                            \
  }
  static const struct weir_figure_column columns[] = {LINE(8, "speed over that with lines of 16 bytes"),
                                                      LINE(24, NULL),
                                                      LINE(32, "not in the paper: there is no room for 2048 threads"),
                                                      {0}};
#undef LINE
  mokhtari_table(t, p, columns);
  weir_table_note(t, "The paper: 8 bytes are slower for every program, 24 for all but two. Means: geometric.");
}
