// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Figure 7 and table 3: the L1's energy by the paper's costs per access, which the chip file holds.
#include "tian2015/tian2015.h"

#include <math.h>

// Tag, data and prediction table; pJ of all L1s together.
double tian_dynamic_energy(const struct weir_plan *p, const char *program, const char *scheme) {
  const struct weir_cache_numbers l1 = tian_l1(p, program, scheme);
  return l1.tag_pj + l1.data_pj + l1.predictor_pj;
}

static double energy(const struct weir_plan *p, const char *program) {
  return tian_dynamic_energy(p, program, TIAN_PC) / tian_dynamic_energy(p, program, TIAN_BASELINE);
}

static double leakage(const struct weir_plan *p, const char *program, const char *scheme) {
  return tian_l1(p, program, scheme).leakage_pj;
}

static double with_leakage(const struct weir_plan *p, const char *program) {
  return (tian_dynamic_energy(p, program, TIAN_PC) + leakage(p, program, TIAN_PC)) /
    (tian_dynamic_energy(p, program, TIAN_BASELINE) + leakage(p, program, TIAN_BASELINE));
}

static double chip_energy(const struct weir_plan *p, const char *program) {
  return tian_total(p, program, TIAN_PC).energy_pj / tian_total(p, program, TIAN_BASELINE).energy_pj;
}

void tian_figure_7(struct weir_table *t, const struct weir_plan *p) {
  static const struct weir_figure_column columns[] = {
    {"energy", "L1 energy",
     "tag, data and prediction table: every access reads tag and data, every fill accesses both again",
     WEIR_COLUMN_REAL, WEIR_ARITHMETIC_MEAN, energy, NULL, NULL},
    {"with_leakage", "and leakage", NULL, WEIR_COLUMN_REAL, WEIR_ARITHMETIC_MEAN, with_leakage, NULL, NULL},
    {"chip", "chip", "caches, network and memory together, as modelled", WEIR_COLUMN_REAL, WEIR_ARITHMETIC_MEAN,
     chip_energy, NULL, NULL},
    {0}};
  tian_table(t, p, columns, TIAN_LOWEST);
  weir_table_note(t, "Over the baseline's. Average: arithmetic.");
}

// ---- Table 3 ----------------------------------------------------------------------------------------------------------

enum { L1S = 8 }; // table 1: one per compute unit

// 1 pJ / 1 ps = 1 W; of one L1, in mW.
static double dynamic_power(const struct weir_plan *p, const char *program, const char *scheme) {
  return tian_dynamic_energy(p, program, scheme) / tian_total(p, program, scheme).time_ps / L1S * 1e3;
}

static double static_power(const struct weir_plan *p, const char *program, const char *scheme) {
  return leakage(p, program, scheme) / tian_total(p, program, scheme).time_ps / L1S * 1e3;
}

// What one access costs, in pJ, as the run was charged.
static double per_access(double energy_pj, double accesses) {
  return accesses > 0 ? energy_pj / accesses : NAN;
}

static double array_accesses(const struct weir_cache_numbers *l1) {
  return l1->tag_accesses + l1->fills;
}

static double tag_access(const struct weir_plan *p, const char *program, const char *scheme) {
  const struct weir_cache_numbers l1 = tian_l1(p, program, scheme);
  return per_access(l1.tag_pj, array_accesses(&l1));
}

static double data_access(const struct weir_plan *p, const char *program, const char *scheme) {
  const struct weir_cache_numbers l1 = tian_l1(p, program, scheme);
  return per_access(l1.data_pj, array_accesses(&l1));
}

static double table_access(const struct weir_plan *p, const char *program, const char *scheme) {
  const struct weir_cache_numbers l1 = tian_l1(p, program, scheme);
  return per_access(l1.predictor_pj, l1.predictor_accesses);
}

typedef double measure(const struct weir_plan *p, const char *program, const char *scheme);

static double average(const struct weir_plan *p, measure *of, const char *scheme) {
  double sum = 0;
  unsigned count = 0;
  for (const char *const *program = tian_programs; *program; program++) {
    double v = of(p, *program, scheme);
    if (!isnan(v)) sum += v, count++;
  }
  return count ? sum / count : NAN;
}

void tian_table_3(struct weir_table *t, const struct weir_plan *p) {
  static const struct {
    const char *label;
    measure *of;
  } rows[] = {{"tag access (pJ)", tag_access},
              {"data access (pJ)", data_access},
              {"prediction table access (pJ)", table_access},
              {"dynamic power (mW)", dynamic_power},
              {"static power (mW)", static_power}};
  weir_table_column(t, WEIR_COLUMN_TEXT, "quantity", "", NULL);
  weir_table_column(t, WEIR_COLUMN_REAL, "baseline", "16 KiB baseline", NULL);
  weir_table_column(t, WEIR_COLUMN_REAL, "bypassing", "bypassing", NULL);
  weir_table_column(t, WEIR_COLUMN_CHANGE, "ratio", "change", "bypassing over the baseline");
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct weir_cell *cells = weir_table_row(t);
    tian_label(t, cells, rows[i].label);
    cells[1].ours = average(p, rows[i].of, TIAN_BASELINE);
    cells[2].ours = average(p, rows[i].of, TIAN_PC);
    cells[3].ours = cells[2].ours / cells[1].ours;
  }
  tian_publish(t);
  weir_table_note(
    t,
    "Of one L1, mean over the programs (arithmetic). Energies per access are the chip file's, taken from this "
    "table; powers follow from the runs.");
}
