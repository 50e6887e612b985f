// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Figures 18, 19 and 20: energy of the applications of 2C4G, their own cores' and their parts of what is shared
// (section 6.1), and their energy times delay squared.
#include "holey2014/holey2014.h"

#include <math.h>
#include <string.h>

enum kind { ON_CHIP_DYNAMIC, ON_CHIP_STATIC, ON_CHIP, DRAM, SYSTEM };

static bool ends_with(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  return n >= m && !strcmp(text + n - m, end);
}

static bool belongs(const char *part, enum kind kind) {
  bool dram = !strncmp(part, "dram", 4), still = ends_with(part, "_static") || ends_with(part, "_leakage");
  switch (kind) {
  case ON_CHIP_DYNAMIC:
    return !dram && !still;
  case ON_CHIP_STATIC:
    return !dram && still;
  case ON_CHIP:
    return !dram;
  case DRAM:
    return dram;
  case SYSTEM:
    break;
  }
  return true;
}

static double energy(const struct weir_plan *p, const char *mix, const char *scheme, unsigned owner, enum kind kind) {
  json_t *parts = weir_run_member(holey_application(holey_run(p, mix, scheme), owner), "energy_pj"), *part;
  if (!parts) return NAN;
  double sum = 0;
  const char *name;
  json_object_foreach(parts, name, part) if (strcmp(name, "total") != 0 && belongs(name, kind)) sum +=
      json_number_value(part);
  return sum;
}

static double delay(const struct weir_plan *p, const char *mix, const char *scheme, unsigned owner) {
  return holey_of(p, mix, scheme, owner, "time_ps");
}

// Over that under LRU.
static double ratio(const struct weir_plan *p, const char *mix, const char *scheme, unsigned owner, enum kind kind,
                    bool delays) {
  double of = energy(p, mix, scheme, owner, kind) / energy(p, mix, HOLEY_LRU, owner, kind);
  double slower = delay(p, mix, scheme, owner) / delay(p, mix, HOLEY_LRU, owner);
  return delays ? of * slower * slower : of;
}

enum { OWNERS = 3, ALL = OWNERS };

// Mean over the mixes of one application's ratio, or of the geometric mean of the three.
static double mean_ratio(const struct weir_plan *p, const char *scheme, unsigned owner, enum kind kind, bool delays) {
  struct holey_mix mixes[HOLEY_MIXES];
  struct holey_mean mean = {0};
  unsigned count = holey_draw(p, HOLEY_2C4G, mixes);
  for (unsigned m = 0; m < count; m++)
    for (unsigned i = 0; i < OWNERS; i++)
      if (owner == ALL || owner == i) holey_mean_add(&mean, ratio(p, mixes[m].name, scheme, i, kind, delays));
  return holey_mean_of(&mean);
}

static void add_owner(struct weir_table *t, const struct weir_plan *p, const char *label, unsigned owner,
                      enum kind kind, bool delays) {
  struct weir_cell *cells = weir_table_row(t);
  weir_table_text(t, &cells[0], label);
  unsigned i = 0;
  for (; holey_schemes[i]; i++) cells[1 + i].ours = mean_ratio(p, holey_schemes[i], owner, kind, delays);
  cells[1 + i].ours = cells[i].ours / cells[i - 1].ours;
}

static void by_owner(struct weir_table *t, const struct weir_plan *p, enum kind kind, bool delays) {
  holey_scheme_columns(t, "", WEIR_COLUMN_CHANGE);
  weir_table_column(t, WEIR_COLUMN_CHANGE, "helm_over_tap", "HeLM over TAP-RRIP", NULL);
  add_owner(t, p, "CPU 1", 1, kind, delays);
  add_owner(t, p, "CPU 2", 2, kind, delays);
  add_owner(t, p, "GPU", 0, kind, delays);
  add_owner(t, p, "system", ALL, kind, delays);
  holey_publish(t);
}

void holey_figure_18a(struct weir_table *t, const struct weir_plan *p) {
  by_owner(t, p, ON_CHIP_DYNAMIC, false);
  weir_table_note(t,
                  "Cores, caches, network, memory controllers; mixes of 2C4G. System: of the three. Means: geometric.");
}

void holey_figure_18b(struct weir_table *t, const struct weir_plan *p) {
  by_owner(t, p, ON_CHIP_STATIC, false);
  weir_table_note(t, "Cores, caches, memory controllers; mixes of 2C4G. System: of the three. Means: geometric.");
}

void holey_figure_18c(struct weir_table *t, const struct weir_plan *p) {
  by_owner(t, p, ON_CHIP, false);
  weir_table_note(t, "Dynamic and static; mixes of 2C4G. System: of the three. Means: geometric.");
}

void holey_figure_19a(struct weir_table *t, const struct weir_plan *p) {
  by_owner(t, p, DRAM, false);
  weir_table_note(t, "Dynamic and static; mixes of 2C4G. System: of the three. Means: geometric.");
}

void holey_figure_19b(struct weir_table *t, const struct weir_plan *p) {
  by_owner(t, p, SYSTEM, false);
  weir_table_note(t, "On the chip and in DRAM; mixes of 2C4G. System: of the three. Means: geometric.");
}

void holey_figure_20(struct weir_table *t, const struct weir_plan *p) {
  by_owner(t, p, SYSTEM, true);
  weir_table_note(
      t,
      "Energy (chip and DRAM) times the square of the time; mixes of 2C4G. System: of the three (section 6.1). "
      "Means: geometric.");
}
