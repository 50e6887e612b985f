// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Figures 11, 12, 13, 16 and 17, and section 5.6: what the schemes do to mixes, all over LRU.
#include "holey2014/holey2014.h"

#include <stdio.h>

void holey_plan_1c4g(struct weir_plan *p) {
  holey_plan_mixes(p, HOLEY_1C4G, "");
}

void holey_plan_2c4g(struct weir_plan *p) {
  holey_plan_mixes(p, HOLEY_2C4G, "");
}

void holey_plan_4c4g(struct weir_plan *p) {
  holey_plan_mixes(p, HOLEY_4C4G, "");
}

void holey_plan_all(struct weir_plan *p) {
  for (unsigned cores = 0; cores < HOLEY_CORES; cores++) holey_plan_mixes(p, cores, "");
}

static unsigned scheme_count(void) {
  unsigned n = 0;
  while (holey_schemes[n]) n++;
  return n;
}

static void mean_note(struct weir_table *t, const struct weir_plan *p, const char *what) {
  struct holey_mix mixes[HOLEY_MIXES];
  char note[320];
  snprintf(note, sizeof note, "%s Means (geometric) over %u, %u and %u mixes.", what, holey_draw(p, HOLEY_1C4G, mixes),
           holey_draw(p, HOLEY_2C4G, mixes), holey_draw(p, HOLEY_4C4G, mixes));
  weir_table_note(t, note);
}

// ---- Figure 11 -----------------------------------------------------------------------------------------------------

// The mean over a configuration's mixes of a program's number over that under LRU: of all CPU programs, or the
// GPU's.
static double mean_ratio(const struct weir_plan *p, enum holey_cores cores, bool cpus, const char *scheme,
                         holey_number *of) {
  struct holey_mix mixes[HOLEY_MIXES];
  struct holey_mean mean = {0};
  unsigned count = holey_draw(p, cores, mixes);
  for (unsigned i = 0; i < count; i++)
    for (unsigned requester = cpus; requester <= (cpus ? holey_cpus(mixes[i].name) : 0); requester++)
      holey_mean_add(&mean, holey_ratio(p, mixes[i].name, scheme, requester, of));
  return holey_mean_of(&mean);
}

static void by_core(struct weir_table *t, const struct weir_plan *p, holey_number *of) {
  holey_scheme_columns(t, "", WEIR_COLUMN_CHANGE);
  for (unsigned cores = 0; cores < HOLEY_CORES; cores++)
    for (unsigned cpus = 2; cpus-- > 0;) {
      struct weir_cell *cells = weir_table_row(t);
      char label[16];
      snprintf(label, sizeof label, "%s, %s", holey_core_names[cores], cpus ? "CPU" : "GPU");
      weir_table_text(t, &cells[0], label);
      for (unsigned i = 0; i < scheme_count(); i++)
        cells[1 + i].ours = mean_ratio(p, cores, cpus, holey_schemes[i], of);
    }
  holey_publish(t);
}

void holey_figure_11a(struct weir_table *t, const struct weir_plan *p) {
  by_core(t, p, holey_llc_misses);
  mean_note(t, p, "Misses of loads, stores and fetches at the LLC, over those under LRU.");
}

void holey_figure_11b(struct weir_table *t, const struct weir_plan *p) {
  by_core(t, p, holey_ipc);
  mean_note(t, p, "Speed of the programs (Eq. 1).");
}

static double mean_speedup(const struct weir_plan *p, enum holey_cores cores, const char *scheme, const char *suffix) {
  struct holey_mix mixes[HOLEY_MIXES];
  struct holey_mean mean = {0};
  unsigned count = holey_draw(p, cores, mixes);
  for (unsigned i = 0; i < count; i++) holey_mean_add(&mean, holey_speedup(p, mixes[i].name, scheme, suffix));
  return holey_mean_of(&mean);
}

static struct weir_cell *add_speedups(struct weir_table *t, const struct weir_plan *p, const char *label,
                                      enum holey_cores cores, const char *suffix) {
  struct weir_cell *cells = weir_table_row(t);
  weir_table_text(t, &cells[0], label);
  for (unsigned i = 0; i < scheme_count(); i++) cells[1 + i].ours = mean_speedup(p, cores, holey_schemes[i], suffix);
  return cells;
}

void holey_figure_11c(struct weir_table *t, const struct weir_plan *p) {
  holey_scheme_columns(t, "", WEIR_COLUMN_CHANGE);
  weir_table_column(t, WEIR_COLUMN_CHANGE, "helm_over_tap", "HeLM over TAP-RRIP", NULL);
  for (unsigned cores = 0; cores < HOLEY_CORES; cores++) {
    struct weir_cell *cells = add_speedups(t, p, holey_core_names[cores], cores, "");
    cells[1 + scheme_count()].ours = cells[scheme_count()].ours / cells[scheme_count() - 1].ours;
  }
  holey_publish(t);
  mean_note(t, p, "Combined speed (Eq. 2).");
}

// ---- Figures 12 and 13: mix by mix ---------------------------------------------------------------------------------

enum { ALL = -1 }; // requesters: the combined speed

static double speed_of(const struct weir_plan *p, const char *mix, const char *scheme, int requester) {
  return requester == ALL ? holey_speedup(p, mix, scheme, "")
                          : holey_ratio(p, mix, scheme, (unsigned)requester, holey_ipc);
}

static void add_summary(struct weir_table *t, unsigned mixes) {
  t->summary_row = t->row_count;
  struct weir_cell *cells = weir_table_row(t);
  weir_table_text(t, &cells[0], "mean");
  for (unsigned i = 1; i < t->column_count; i++) cells[i].ours = weir_table_geomean(t, i, false, 0, mixes, 1);
}

static void mix_by_mix(struct weir_table *t, const struct weir_plan *p, enum holey_cores cores, int requester) {
  struct holey_mix mixes[HOLEY_MIXES];
  unsigned count = holey_draw(p, cores, mixes);
  holey_scheme_columns(t, "mix", WEIR_COLUMN_CHANGE);
  weir_table_column(t, WEIR_COLUMN_CHANGE, "order", "combined, HeLM", "the order of the chart");
  for (unsigned i = 0; i < count; i++) {
    struct weir_cell *cells = weir_table_row(t);
    weir_table_text(t, &cells[0], mixes[i].name);
    for (unsigned k = 0; k < scheme_count(); k++)
      cells[1 + k].ours = speed_of(p, mixes[i].name, holey_schemes[k], requester);
    cells[1 + scheme_count()].ours = speed_of(p, mixes[i].name, HOLEY_HELM, ALL);
  }
  add_summary(t, count);
  holey_publish(t);
}

void holey_figure_12a(struct weir_table *t, const struct weir_plan *p) {
  mix_by_mix(t, p, HOLEY_1C4G, ALL);
  weir_table_note(t, "Combined speed of the mixes of 1C4G. Mean: geometric.");
}

void holey_figure_12b(struct weir_table *t, const struct weir_plan *p) {
  mix_by_mix(t, p, HOLEY_4C4G, ALL);
  weir_table_note(t, "Combined speed of the mixes of 4C4G. Mean: geometric.");
}

void holey_figure_13a(struct weir_table *t, const struct weir_plan *p) {
  mix_by_mix(t, p, HOLEY_2C4G, ALL);
  weir_table_note(t, "Combined speed of the mixes of 2C4G. Mean: geometric.");
}

void holey_figure_13b(struct weir_table *t, const struct weir_plan *p) {
  mix_by_mix(t, p, HOLEY_2C4G, 1);
  weir_table_note(t, "Speed of the first CPU program, which is cache sensitive. Mean: geometric.");
}

void holey_figure_13c(struct weir_table *t, const struct weir_plan *p) {
  mix_by_mix(t, p, HOLEY_2C4G, 2);
  weir_table_note(t, "Speed of the second CPU program, which is cache insensitive. Mean: geometric.");
}

void holey_figure_13d(struct weir_table *t, const struct weir_plan *p) {
  mix_by_mix(t, p, HOLEY_2C4G, 0);
  weir_table_note(t, "Speed of the GPU program. Mean: geometric.");
}

// ---- Figure 16: the cache's size, by its ways ----------------------------------------------------------------------

static const struct {
  const char *label, *suffix;
} sizes[] = {{"2 MiB, 8 ways", ",llc.size_kib=2048,llc.ways=8"},
             {"4 MiB, 16 ways", ",llc.size_kib=4096,llc.ways=16"},
             {"8 MiB, 32 ways", ""}};

void holey_plan_ways(struct weir_plan *p) {
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) holey_plan_mixes(p, HOLEY_4C4G, sizes[i].suffix);
}

void holey_figure_16(struct weir_table *t, const struct weir_plan *p) {
  holey_scheme_columns(t, "LLC", WEIR_COLUMN_CHANGE);
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
    add_speedups(t, p, sizes[i].label, HOLEY_4C4G, sizes[i].suffix);
  holey_publish(t);
  struct holey_mix mixes[HOLEY_MIXES];
  char note[160];
  snprintf(note, sizeof note,
           "Combined speed against LRU with the same cache; the ways change, not the sets. Means (geometric) over %u "
           "mixes of 4C4G.",
           holey_draw(p, HOLEY_4C4G, mixes));
  weir_table_note(t, note);
}

// ---- Figure 17: kinds of mixes -------------------------------------------------------------------------------------

static void add_kind(struct weir_table *t, const struct weir_plan *p, const char *label, bool cpu_sensitive,
                     bool gpu_sensitive) {
  struct holey_mix mixes[HOLEY_MIXES];
  unsigned count = holey_draw(p, HOLEY_1C4G, mixes);
  struct weir_cell *cells = weir_table_row(t);
  weir_table_text(t, &cells[0], label);
  for (unsigned k = 0; k < scheme_count(); k++) {
    struct holey_mean mean = {0};
    for (unsigned i = 0; i < count; i++)
      if (mixes[i].cpu_sensitive == cpu_sensitive && mixes[i].gpu_sensitive == gpu_sensitive)
        holey_mean_add(&mean, holey_speedup(p, mixes[i].name, holey_schemes[k], ""));
    cells[1 + k].ours = holey_mean_of(&mean);
  }
}

void holey_figure_17(struct weir_table *t, const struct weir_plan *p) {
  holey_scheme_columns(t, "", WEIR_COLUMN_CHANGE);
  add_kind(t, p, "CSGI", true, false);
  add_kind(t, p, "CSGS", true, true);
  add_kind(t, p, "CIGI", false, false);
  add_kind(t, p, "CIGS", false, true);
  holey_publish(t);
  weir_table_note(
    t,
    "Combined speed of the mixes of 1C4G. CS, CI: the CPU program is cache sensitive, insensitive; GS, GI: the "
    "GPU's is. Means: geometric.");
}

// ---- section 5.6: off-chip bandwidth -------------------------------------------------------------------------------

enum measure { UTILIZATION, BYTES_PER_SECOND, BYTES, MEASURES };

// Over LRU: of all mixes together, or the mean of what each has.
static double all_traffic(const struct weir_plan *p, enum holey_cores cores, const char *scheme, enum measure measure) {
  struct holey_mix mixes[HOLEY_MIXES];
  struct holey_mean mean = {0};
  double sum = 0, base = 0;
  unsigned count = holey_draw(p, cores, mixes);
  for (unsigned i = 0; i < count; i++) {
    double of = holey_traffic(holey_run(p, mixes[i].name, scheme, ""), measure != BYTES);
    double under_lru = holey_traffic(holey_run(p, mixes[i].name, HOLEY_LRU, ""), measure != BYTES);
    holey_mean_add(&mean, of / under_lru);
    sum += of;
    base += under_lru;
  }
  return measure == UTILIZATION ? sum / base : holey_mean_of(&mean);
}

double holey_utilization(const struct weir_plan *p, enum holey_cores cores, const char *scheme) {
  return all_traffic(p, cores, scheme, UTILIZATION);
}

void holey_bandwidth(struct weir_table *t, const struct weir_plan *p) {
  static const char *const names[] = {"utilization", "bytes per second", "bytes"};
  holey_scheme_columns(t, "", WEIR_COLUMN_CHANGE);
  for (unsigned measure = 0; measure < MEASURES; measure++)
    for (unsigned cores = 0; cores < HOLEY_CORES; cores++) {
      struct weir_cell *cells = weir_table_row(t);
      char label[32];
      snprintf(label, sizeof label, "%s, %s", holey_core_names[cores], names[measure]);
      weir_table_text(t, &cells[0], label);
      for (unsigned i = 0; i < scheme_count(); i++)
        cells[1 + i].ours = all_traffic(p, cores, holey_schemes[i], measure);
    }
  holey_publish(t);
  mean_note(t, p,
            "What the programs move between the chip and DRAM, over that under LRU. Utilization: bytes per second "
            "of all mixes together. The others: of each mix, in the time that each program takes, and for its "
            "instructions.");
}
