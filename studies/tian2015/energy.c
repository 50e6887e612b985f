// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Figure 7 and table 3: the L1's energy by the paper's costs per access, which the chip file holds.
#include "tian2015/tian2015.h"

#include <math.h>

// Tag, data and prediction table; pJ of all L1s together.
static double dynamic_energy(const struct weir_plan *p, const char *program, const char *scheme) {
  return tian_number(p, program, scheme, "total.energy_pj.l1_tag") +
    tian_number(p, program, scheme, "total.energy_pj.l1_data") +
    tian_number(p, program, scheme, "total.energy_pj.l1_predictor");
}

static double energy(const struct weir_plan *p, const char *program) {
  return dynamic_energy(p, program, TIAN_PC) / dynamic_energy(p, program, TIAN_BASELINE);
}

static double leakage(const struct weir_plan *p, const char *program, const char *scheme) {
  return tian_number(p, program, scheme, "total.energy_pj.l1_leakage");
}

static double with_leakage(const struct weir_plan *p, const char *program) {
  return (dynamic_energy(p, program, TIAN_PC) + leakage(p, program, TIAN_PC)) /
    (dynamic_energy(p, program, TIAN_BASELINE) + leakage(p, program, TIAN_BASELINE));
}

static double chip_energy(const struct weir_plan *p, const char *program) {
  return weir_run_sum(weir_plan_run(p, program, TIAN_CHIP, TIAN_PC), "total.energy_pj") /
    weir_run_sum(weir_plan_run(p, program, TIAN_CHIP, TIAN_BASELINE), "total.energy_pj");
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
  return dynamic_energy(p, program, scheme) / tian_number(p, program, scheme, "total.time_ps") / L1S * 1e3;
}

static double static_power(const struct weir_plan *p, const char *program, const char *scheme) {
  return leakage(p, program, scheme) / tian_number(p, program, scheme, "total.time_ps") / L1S * 1e3;
}

// What one access costs, in pJ, as the run was charged.
static double per_access(const struct weir_plan *p, const char *program, const char *scheme, const char *part,
                         double accesses) {
  return accesses > 0 ? tian_number(p, program, scheme, part) / accesses : NAN;
}

static double array_accesses(const struct weir_plan *p, const char *program, const char *scheme) {
  return tian_number(p, program, scheme, "total.l1.tag_accesses") + tian_number(p, program, scheme, "total.l1.fills");
}

static double tag_access(const struct weir_plan *p, const char *program, const char *scheme) {
  return per_access(p, program, scheme, "total.energy_pj.l1_tag", array_accesses(p, program, scheme));
}

static double data_access(const struct weir_plan *p, const char *program, const char *scheme) {
  return per_access(p, program, scheme, "total.energy_pj.l1_data", array_accesses(p, program, scheme));
}

static double table_access(const struct weir_plan *p, const char *program, const char *scheme) {
  return per_access(p, program, scheme, "total.energy_pj.l1_predictor",
                    tian_number(p, program, scheme, "total.l1.predictor_accesses"));
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
