// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What S-L1 takes of registers and room, and Table 1's structures.
#include "mokhtari2015/mokhtari2015.h"

#include <math.h>
#include <string.h>

// ---- registers and room ---------------------------------------------------------------------------------------------

void mokhtari_plan_registers(struct weir_plan *p) {
  mokhtari_plan(p, MOKHTARI_NO_L1, MOKHTARI_LITTLE);
  mokhtari_plan(p, MOKHTARI_SL1, MOKHTARI_LITTLE);
}

// Of the kernel that takes most registers.
static struct weir_launch_numbers largest(const struct weir_plan *p, const char *program, const char *variant) {
  const json_t *kernels = weir_run_member(mokhtari_run(p, program, variant, MOKHTARI_LITTLE), "kernels");
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

// By ptxas, of the kernel that takes most.
static const struct {
  const char *program;
  unsigned without, with; // S-L1
} by_ptxas[] = {
#define REGISTERS(program, without, with) {program, without, with},
#include "ptxas.def"
#undef REGISTERS
};

static double ptxas(const char *program, bool with) {
  unsigned i = 0;
  while (strcmp(by_ptxas[i].program, program) != 0) i++;
  return with ? by_ptxas[i].with : by_ptxas[i].without;
}

static double ptxas_without(const struct weir_plan *p, const char *program) {
  (void)p;
  return ptxas(program, false);
}

static double ptxas_with(const struct weir_plan *p, const char *program) {
  (void)p;
  return ptxas(program, true);
}

void mokhtari_registers(struct weir_table *t, const struct weir_plan *p) {
#define OF(name, heading, meaning, of, variant)                                                                        \
  { name, heading, meaning, WEIR_COLUMN_COUNT, WEIR_ARITHMETIC_MEAN, NULL, of, variant }
  static const struct weir_figure_column columns[] = {
    OF("registers", "registers", "of a thread, by the estimate that occupancy takes; the kernel that takes most",
       registers, MOKHTARI_NO_L1),
    OF("registers_sl1", "with S-L1", NULL, registers, MOKHTARI_SL1),
    {"ptxas", "ptxas", "registers by ptxas (ptxas.def)", WEIR_COLUMN_COUNT, WEIR_ARITHMETIC_MEAN, ptxas_without, NULL,
     NULL},
    {"ptxas_sl1", "with S-L1", NULL, WEIR_COLUMN_COUNT, WEIR_ARITHMETIC_MEAN, ptxas_with, NULL, NULL},
    OF("threads", "threads", "for which an SMX has room, in blocks of 128", room, MOKHTARI_NO_L1),
    OF("threads_sl1", "with S-L1", NULL, room, MOKHTARI_SL1),
    {0}};
#undef OF
  mokhtari_table(t, p, columns);
  weir_table_note(t, "Means: arithmetic.");
}

// ---- Table 1: used data structures ----------------------------------------------------------------------------------

// What pointer parameters point to and main loops load or store, but not atomically; the most of a kernel. Loops that copy
// to shared memory count: so what grep and kmeans keep there is among them.
static double structures(const struct weir_plan *p, const char *program, const char *variant) {
  const json_t *kernels = weir_run_member(mokhtari_run(p, program, variant, MOKHTARI_LITTLE), "sl1.kernels");
  double most = kernels ? 0 : NAN;
  size_t i, k;
  json_t *kernel, *structure;
  json_array_foreach((json_t *)kernels, i, kernel) {
    double used = 0;
    json_array_foreach(weir_run_member(kernel, "structures"), k, structure) {
      const char *verdict = json_string_value(weir_run_member(structure, "verdict"));
      used += verdict && strcmp(verdict, "no loop") != 0 && strcmp(verdict, "atomic") != 0;
    }
    most = fmax(most, used);
  }
  return most;
}

void mokhtari_plan_structures(struct weir_plan *p) {
  mokhtari_plan(p, MOKHTARI_SL1, MOKHTARI_LITTLE);
}

void mokhtari_table_1(struct weir_table *t, const struct weir_plan *p) {
  static const struct weir_figure_column columns[] = {{"structures", "used data structures",
                                                       "of main loops, but for atomic ones; the kernel with most",
                                                       WEIR_COLUMN_COUNT, WEIR_NO_MEAN, NULL, structures, MOKHTARI_SL1},
                                                      {0}};
  mokhtari_table(t, p, columns);
}
