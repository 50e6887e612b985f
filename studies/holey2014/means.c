// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Figure 11 on one configuration, and figure "means": how far each of its means depends on the mixes that were drawn
// (spread.h).
#include "holey2014/holey2014.h"
#include "holey2014/spread.h"

#include <math.h>
#include <stdio.h>

// What a mix adds to a mean, over that under LRU: a number of its own, or of its CPU programs or its GPU program.
struct quantity {
  const char *name;
  double (*of_mix)(const struct weir_plan *p, const char *mix, const char *scheme); // NULL: of programs
  holey_number *of;
  bool gpu;
};

static double speedup(const struct weir_plan *p, const char *mix, const char *scheme) {
  return holey_speedup(p, mix, scheme, "");
}

static double bandwidth(const struct weir_plan *p, const char *mix, const char *scheme) {
  return holey_traffic(holey_run(p, mix, scheme, ""), true) / holey_traffic(holey_run(p, mix, HOLEY_LRU, ""), true);
}

static const struct quantity quantities[] = {
  {"combined speed", speedup, NULL, false},
  {"CPU programs' speed", NULL, holey_ipc, false},
  {"GPU program's speed", NULL, holey_ipc, true},
  {"CPU programs' misses", NULL, holey_llc_misses, false},
  {"GPU program's misses", NULL, holey_llc_misses, true},
  {"off-chip bytes per second", bandwidth, NULL, false},
};

enum { QUANTITIES = sizeof quantities / sizeof *quantities };

static void add(struct holey_sample *s, double value) {
  if (!(value > 0)) return;
  s->logs += log(value);
  s->count++;
}

static struct holey_sample sample_of(const struct weir_plan *p, const char *mix, const char *scheme,
                                     const struct quantity *q) {
  struct holey_sample s = {0};
  if (q->of_mix)
    add(&s, q->of_mix(p, mix, scheme));
  else
    for (unsigned requester = !q->gpu; requester <= (q->gpu ? 0 : holey_cpus(mix)); requester++)
      add(&s, holey_ratio(p, mix, scheme, requester, q->of));
  return s;
}

static struct holey_spread spread_of(const struct weir_plan *p, enum holey_cores cores, const char *scheme,
                                     const struct quantity *q) {
  struct holey_mix mixes[HOLEY_MIXES];
  struct holey_sample samples[HOLEY_MIXES];
  const unsigned count = holey_draw(p, cores, mixes);
  for (unsigned i = 0; i < count; i++) samples[i] = sample_of(p, mixes[i].name, scheme, q);
  return holey_spread_of(samples, count);
}

// ---- with intervals ------------------------------------------------------------------------------------------------

static void add_row(struct weir_table *t, const char *label, const struct holey_spread *s) {
  struct weir_cell *cells = weir_table_row(t);
  weir_table_text(t, &cells[0], label);
  cells[1].ours = s->mixes;
  cells[2].ours = s->mean;
  cells[3].ours = s->median;
  cells[4].ours = s->bootstrap_low;
  cells[5].ours = s->bootstrap_high;
  cells[6].ours = s->without_low;
  cells[7].ours = s->without_high;
}

static void add_scheme(struct weir_table *t, const struct weir_plan *p, enum holey_cores cores, const char *scheme,
                       const struct quantity *q) {
  const struct holey_spread s = spread_of(p, cores, scheme, q);
  char label[80];
  snprintf(label, sizeof label, "%s, %s, %s", holey_core_names[cores], q->name, holey_scheme_heading(scheme));
  add_row(t, label, &s);
}

// Mix by mix: HeLM's combined speed over TAP-RRIP's.
static void add_lead(struct weir_table *t, const struct weir_plan *p, enum holey_cores cores) {
  struct holey_mix mixes[HOLEY_MIXES];
  struct holey_sample samples[HOLEY_MIXES];
  const unsigned count = holey_draw(p, cores, mixes);
  for (unsigned i = 0; i < count; i++) {
    samples[i] = (struct holey_sample){0};
    add(&samples[i], holey_speedup(p, mixes[i].name, HOLEY_HELM, "") / holey_speedup(p, mixes[i].name, HOLEY_TAP, ""));
  }
  const struct holey_spread s = holey_spread_of(samples, count);
  char label[80];
  snprintf(label, sizeof label, "%s, combined speed, HeLM over TAP-RRIP", holey_core_names[cores]);
  add_row(t, label, &s);
}

static void means_of(struct weir_table *t, const struct weir_plan *p, enum holey_cores cores,
                     const char *const *schemes) {
  weir_table_column(t, WEIR_COLUMN_TEXT, "row", "", NULL);
  weir_table_column(t, WEIR_COLUMN_COUNT, "mixes", "mixes", NULL);
  weir_table_column(t, WEIR_COLUMN_CHANGE, "mean", "mean", "geometric");
  weir_table_column(t, WEIR_COLUMN_CHANGE, "median", "median", "of the mixes");
  weir_table_column(t, WEIR_COLUMN_CHANGE, "bootstrap_low", "95 % from",
                    "2000 draws of as many mixes with replacement");
  weir_table_column(t, WEIR_COLUMN_CHANGE, "bootstrap_high", "to", NULL);
  weir_table_column(t, WEIR_COLUMN_CHANGE, "without_low", "but for one, from", "the mean without one of the mixes");
  weir_table_column(t, WEIR_COLUMN_CHANGE, "without_high", "to", NULL);
  for (unsigned q = 0; q < QUANTITIES; q++)
    for (const char *const *scheme = schemes; *scheme; scheme++) add_scheme(t, p, cores, *scheme, &quantities[q]);
  add_lead(t, p, cores);
  holey_publish(t);
  weir_table_note(t, "Over LRU. A mix counts once in the median, and is drawn or left out as a whole.");
}

// ---- means alone ---------------------------------------------------------------------------------------------------

static void figure_11_of(struct weir_table *t, const struct weir_plan *p, enum holey_cores cores) {
  holey_scheme_columns(t, "over LRU", WEIR_COLUMN_CHANGE);
  for (unsigned q = 0; q < QUANTITIES; q++) {
    struct weir_cell *cells = weir_table_row(t);
    weir_table_text(t, &cells[0], quantities[q].name);
    for (unsigned i = 0; holey_schemes[i]; i++)
      cells[1 + i].ours = spread_of(p, cores, holey_schemes[i], &quantities[q]).mean;
  }
  struct weir_cell *cells = weir_table_row(t);
  weir_table_text(t, &cells[0], "off-chip utilization");
  for (unsigned i = 0; holey_schemes[i]; i++) cells[1 + i].ours = holey_utilization(p, cores, holey_schemes[i]);
  holey_publish(t);
  struct holey_mix mixes[HOLEY_MIXES];
  char note[160];
  snprintf(note, sizeof note,
           "Means (geometric), mixes: %u. Utilization: off-chip bytes per second of all mixes together.",
           holey_draw(p, cores, mixes));
  weir_table_note(t, note);
}

void holey_figure_11_1c4g(struct weir_table *t, const struct weir_plan *p) {
  figure_11_of(t, p, HOLEY_1C4G);
}

void holey_figure_11_2c4g(struct weir_table *t, const struct weir_plan *p) {
  figure_11_of(t, p, HOLEY_2C4G);
}

void holey_figure_11_4c4g(struct weir_table *t, const struct weir_plan *p) {
  figure_11_of(t, p, HOLEY_4C4G);
}

void holey_means_1c4g(struct weir_table *t, const struct weir_plan *p) {
  means_of(t, p, HOLEY_1C4G, holey_schemes);
}

void holey_means_2c4g(struct weir_table *t, const struct weir_plan *p) {
  means_of(t, p, HOLEY_2C4G, holey_schemes);
}

void holey_means_4c4g(struct weir_table *t, const struct weir_plan *p) {
  means_of(t, p, HOLEY_4C4G, holey_schemes);
}

// ---- long runs -----------------------------------------------------------------------------------------------------

static const char *const leaders[] = {HOLEY_TAP, HOLEY_HELM, NULL};

void holey_plan_leaders(struct weir_plan *p) {
  holey_plan_schemes(p, HOLEY_1C4G, leaders, "");
}

void holey_leaders_means(struct weir_table *t, const struct weir_plan *p) {
  means_of(t, p, HOLEY_1C4G, leaders);
}

void holey_leaders(struct weir_table *t, const struct weir_plan *p) {
  static const struct {
    const char *name, *heading;
  } columns[][3] = {{{"tap_rrip", "TAP-RRIP"}, {"tap_rrip_cpu", "CPU program"}, {"tap_rrip_gpu", "GPU program"}},
                    {{"helm", "HeLM"}, {"helm_cpu", "CPU program"}, {"helm_gpu", "GPU program"}}};
  weir_table_column(t, WEIR_COLUMN_TEXT, "row", "mix", NULL);
  for (unsigned k = 0; leaders[k]; k++)
    for (unsigned i = 0; i < 3; i++)
      weir_table_column(t, WEIR_COLUMN_CHANGE, columns[k][i].name, columns[k][i].heading, NULL);
  struct holey_mix mixes[HOLEY_MIXES];
  const unsigned count = holey_draw(p, HOLEY_1C4G, mixes);
  for (unsigned i = 0; i < count; i++) {
    struct weir_cell *cells = weir_table_row(t);
    weir_table_text(t, &cells[0], mixes[i].name);
    for (unsigned k = 0; leaders[k]; k++) {
      cells[1 + 3 * k].ours = holey_speedup(p, mixes[i].name, leaders[k], "");
      cells[2 + 3 * k].ours = holey_ratio(p, mixes[i].name, leaders[k], 1, holey_ipc);
      cells[3 + 3 * k].ours = holey_ratio(p, mixes[i].name, leaders[k], 0, holey_ipc);
    }
  }
  weir_table_note(t, "Speed over LRU: combined (Eq. 2), and of the mix's two programs.");
}
