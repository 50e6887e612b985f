// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A curve as a table: a row per point, ours beside the measured one.
#include "silicon/silicon.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { AT, LEVEL, X, VALUE, ERROR, STEP, NAME = 32, NOTE = 240 };

static const struct {
  const char *unit, *x, *heading, *meaning, *note;
} curves[] = {
  [SILICON_LATENCY] = {" KiB", "log2 of KiB", SILICON_VALUE_LATENCY, "core cycles per load",
                       "A pointer chase by one thread, a pointer per 64 bytes (workload chase)."},
  [SILICON_STRIDES] =
    {"", "elements apart", SILICON_VALUE_STRIDES, "core cycles per load of a warp",
     "Loads of 4 bytes that the first-level cache has, neighbouring lanes apart (workload strides-rrze)."},
  [SILICON_BANDWIDTH] = {" KiB", "log2 of KiB", SILICON_VALUE_BANDWIDTH, "bytes per core cycle of all cores together",
                         "Every core reads the same buffer (workload one-buffer-rrze)."},
  [SILICON_BUFFERS] =
    {" KiB", "log2 of KiB", SILICON_VALUE_BUFFERS, "bytes per core cycle of all cores together",
     "Every block reads 512 KiB, one of as many buffers as the footprint has (workload buffers-rrze)."},
};

static void add_columns(struct weir_table *t, enum silicon_curve curve) {
  const bool strides = curve == SILICON_STRIDES;
  weir_table_column(t, WEIR_COLUMN_TEXT, "at", strides ? "stride" : "footprint", NULL);
  weir_table_column(t, WEIR_COLUMN_TEXT, "level", "level", "whose plateau it is; empty: a knee between two");
  weir_table_column(t, strides ? WEIR_COLUMN_COUNT : WEIR_COLUMN_REAL, "x", curves[curve].x, NULL);
  weir_table_column(t, WEIR_COLUMN_REAL, curves[curve].heading, curves[curve].heading, curves[curve].meaning);
  weir_table_column(t, WEIR_COLUMN_PERCENT, "error", "error", "distance from what was measured, over that");
  if (curve == SILICON_LATENCY)
    weir_table_column(t, WEIR_COLUMN_TEXT, "step", "within a step",
                      "of a knee: do the cycles lie between those measured at the next footprints on both sides?");
}

static double error_of(const struct weir_cell *c) {
  return fabs(c->ours - c->published) / c->published;
}

static bool is_within_a_step(const struct silicon_point *p, double ours) {
  return ours >= fmin(p->before, p->value) && ours <= fmax(p->value, p->after);
}

static void add_point(struct weir_table *t, const struct weir_plan *plan, const struct silicon_chip *c,
                      const struct silicon_point *p) {
  char name[NAME];
  struct weir_cell *cells = weir_table_row(t);
  snprintf(name, sizeof name, "%u%s", p->at, curves[p->curve].unit);
  weir_table_text(t, &cells[AT], name);
  if (p->level) weir_table_text(t, &cells[LEVEL], p->level);
  cells[X].ours = p->curve == SILICON_STRIDES ? p->at : log2(p->at);
  cells[VALUE].ours = silicon_ours(plan, c, p);
  cells[VALUE].published = silicon_measured(c, p);
  cells[ERROR].ours = error_of(&cells[VALUE]);
  if (isfinite(p->before) && isfinite(cells[VALUE].ours))
    weir_table_text(t, &cells[STEP], is_within_a_step(p, cells[VALUE].ours) ? "yes" : "no");
}

// Of the plateaus' points: where a curve is steep, a small step of the footprint is a large one of the value.
static void add_mean(struct weir_table *t) {
  double sum = 0;
  unsigned count = 0;
  for (unsigned i = 0; i < t->row_count; i++)
    if (t->rows[i][LEVEL].text && isfinite(t->rows[i][ERROR].ours)) sum += t->rows[i][ERROR].ours, count++;
  t->summary_row = t->row_count;
  struct weir_cell *cells = weir_table_row(t);
  weir_table_text(t, &cells[AT], "mean, plateaus");
  if (count) cells[ERROR].ours = sum / count;
}

// Of the knees' points, how many are within a step.
static void add_steps(struct weir_table *t) {
  char text[NAME];
  unsigned count = 0, within = 0;
  for (unsigned i = 0; i < t->summary_row; i++) {
    const char *step = t->rows[i][STEP].text;
    if (step) count++, within += !strcmp(step, "yes");
  }
  if (!count) return;
  snprintf(text, sizeof text, "%u of %u", within, count);
  weir_table_text(t, &t->rows[t->summary_row][STEP], text);
}

void silicon_table(struct weir_table *t, const struct weir_plan *plan, const struct silicon_chip *c,
                   enum silicon_curve curve) {
  char note[NOTE];
  unsigned i = 0;
  add_columns(t, curve);
  for (const struct silicon_point *p; (p = silicon_next(c, curve, &i));) add_point(t, plan, c, p);
  add_mean(t);
  if (curve == SILICON_LATENCY) add_steps(t);
  const bool another = curve == SILICON_STRIDES && strcmp(c->strides_chip, c->name) != 0;
  snprintf(note, sizeof note, "%s Measured: %s%s%s%s", curves[curve].note, c->measured_by, another ? ", on " : ".",
           another ? c->strides_chip : "", another ? ": this chip's were not measured." : "");
  weir_table_note(t, note);
}
