// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// S-L1's two readings, what it takes of registers and room, and Table 1's structures.
#include "mokhtari2015/mokhtari2015.h"

#include <math.h>
#include <string.h>

static double cycles(const struct weir_plan *p, const char *program, const char *variant) {
  return mokhtari_total(p, program, variant, MOKHTARI_FEW).cycles;
}

static double over_none(const struct weir_plan *p, const char *program, const char *variant) {
  return cycles(p, program, MOKHTARI_NO_L1) / cycles(p, program, variant);
}

// ---- the paper's S-L1, and weir's defaults --------------------------------------------------------------------------

void mokhtari_plan_defaults(struct weir_plan *p) {
  mokhtari_plan(p, MOKHTARI_NO_L1, MOKHTARI_FEW);
  mokhtari_plan(p, MOKHTARI_SL1, MOKHTARI_FEW);
  mokhtari_plan(p, MOKHTARI_WEIR, MOKHTARI_FEW);
}

void mokhtari_defaults(struct weir_table *t, const struct weir_plan *p) {
  static const struct weir_figure_column columns[] = {
    {"paper", "the paper's", "speed over that without any L1", WEIR_COLUMN_RATIO, WEIR_GEOMETRIC_MEAN, NULL, over_none,
     MOKHTARI_SL1},
    {"weir", "weir's defaults",
     "the same with static_proof, which the paper names as future work, and original_slice, which it does not have",
     WEIR_COLUMN_RATIO, WEIR_GEOMETRIC_MEAN, NULL, over_none, MOKHTARI_WEIR},
    {0}};
  mokhtari_table(t, p, columns);
  weir_table_note(t, "1024 threads on one SMX. Means: geometric.");
}

// ---- registers and room ---------------------------------------------------------------------------------------------

void mokhtari_plan_registers(struct weir_plan *p) {
  mokhtari_plan(p, MOKHTARI_NO_L1, MOKHTARI_FEW);
  mokhtari_plan(p, MOKHTARI_SL1, MOKHTARI_FEW);
}

// Of the kernel that takes most registers.
static struct weir_launch_numbers largest(const struct weir_plan *p, const char *program, const char *variant) {
  const json_t *kernels = weir_run_member(mokhtari_run(p, program, variant, MOKHTARI_FEW), "kernels");
  struct weir_launch_numbers most = {.registers = NAN, .core_blocks = NAN};
  size_t i;
  json_t *k;
  json_array_foreach((json_t *)kernels, i, k) {
    const struct weir_launch_numbers n = weir_launch_of(k);
    if (!(n.registers <= most.registers)) most = n;
  }
  return most;
}

static double registers(const struct weir_plan *p, const char *program, const char *variant) {
  return largest(p, program, variant).registers;
}

static double room(const struct weir_plan *p, const char *program, const char *variant) {
  enum { BLOCK = 128 };
  return largest(p, program, variant).core_blocks * BLOCK;
}

void mokhtari_registers(struct weir_table *t, const struct weir_plan *p) {
#define OF(name, heading, meaning, of, variant)                                                                        \
  { name, heading, meaning, WEIR_COLUMN_COUNT, WEIR_ARITHMETIC_MEAN, NULL, of, variant }
  static const struct weir_figure_column columns[] = {
    OF("registers", "registers", "of a thread, by the estimate that occupancy takes; the kernel that takes most",
       registers, MOKHTARI_NO_L1),
    OF("registers_sl1", "with S-L1", NULL, registers, MOKHTARI_SL1),
    OF("threads", "threads", "for which an SMX has room, in blocks of 128", room, MOKHTARI_NO_L1),
    OF("threads_sl1", "with S-L1", NULL, room, MOKHTARI_SL1),
    {0}};
#undef OF
  mokhtari_table(t, p, columns);
  weir_table_note(t, "Means: arithmetic.");
}

// ---- Table 1: used data structures ----------------------------------------------------------------------------------

// What pointer parameters of the kernels with a main loop point to, if the loops access it; the most of a kernel. What a
// program keeps in shared memory is none of them.
static double structures(const struct weir_plan *p, const char *program, const char *variant) {
  const json_t *kernels = weir_run_member(mokhtari_run(p, program, variant, MOKHTARI_FEW), "sl1.kernels");
  double most = kernels ? 0 : NAN;
  size_t i, k;
  json_t *kernel, *structure;
  json_array_foreach((json_t *)kernels, i, kernel) {
    double used = 0;
    json_array_foreach(weir_run_member(kernel, "structures"), k, structure) {
      const char *verdict = json_string_value(weir_run_member(structure, "verdict"));
      used += verdict && strcmp(verdict, "no loop") != 0;
    }
    most = fmax(most, used);
  }
  return most;
}

void mokhtari_plan_structures(struct weir_plan *p) {
  mokhtari_plan(p, MOKHTARI_SL1, MOKHTARI_FEW);
}

void mokhtari_table_1(struct weir_table *t, const struct weir_plan *p) {
  static const struct weir_figure_column columns[] = {
    {"structures", "used data structures", "in global memory, of main loops; the kernel with most", WEIR_COLUMN_COUNT,
     WEIR_ARITHMETIC_MEAN, NULL, structures, MOKHTARI_SL1},
    {0}};
  mokhtari_table(t, p, columns);
  weir_table_note(t, "The paper counts one in shared memory of grep and kmeans, which is not among ours.");
}
