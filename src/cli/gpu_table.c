// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "cli/gpu.h"

#include <math.h>

enum column { VARIANT, THREADS, TIME, SPEEDUP, LAUNCHES, LINES, HITS, CHECK };

static void add_columns(struct weir_table *t) {
  weir_table_column(t, WEIR_COLUMN_TEXT, "variant", "variant", NULL);
  weir_table_column(t, WEIR_COLUMN_TEXT, "threads", "blocks×threads", NULL);
  weir_table_column(t, WEIR_COLUMN_REAL, "milliseconds", "ms", "the kernels' time, copies not included");
  weir_table_column(t, WEIR_COLUMN_RATIO, "speedup", "speedup", "over no L1 with as many threads");
  weir_table_column(t, WEIR_COLUMN_COUNT, "launches", "launches", NULL);
  weir_table_column(t, WEIR_COLUMN_COUNT, "lines", "lines", "of S-L1, per thread");
  weir_table_column(t, WEIR_COLUMN_PERCENT, "hit_rate", "hits", "of accesses to them, with --sl1=counters=true");
  weir_table_column(t, WEIR_COLUMN_TEXT, "check", "check", NULL);
}

static double number(const json_t *o, const char *key) {
  const json_t *v = json_object_get(o, key);
  return v ? json_number_value(v) : NAN;
}

static double time_of(const struct gpu_cell *c) {
  return c->right ? number(c->answer, "milliseconds") : NAN;
}

static struct weir_cell *add_row(struct weir_table *t, const struct gpu_cell *c, const char *format, double baseline) {
  struct weir_cell *row = weir_table_row(t);
  char *name = weir_text_format(format, c->variant->name);
  char *threads =
    c->shape.blocks ? weir_text_format("%u×%u", c->shape.blocks, c->shape.block) : weir_text_copy("its own");
  weir_table_text(t, &row[VARIANT], name);
  weir_table_text(t, &row[THREADS], threads);
  weir_table_text(t, &row[CHECK], c->check);
  weir_free(name);
  weir_free(threads);
  row[TIME].ours = number(c->answer, "milliseconds");
  row[SPEEDUP].ours = baseline / time_of(c);
  row[LAUNCHES].ours = number(c->answer, "launches");
  if (c->variant->sl1) row[LINES].ours = number(c->answer, "lines");
  row[HITS].ours = number(c->answer, "hit_rate");
  return row;
}

// The variant's fastest run with right results; NULL: it has none.
static const struct gpu_cell *best(const struct gpu_runs *runs, unsigned variant) {
  const struct gpu_cell *found = NULL;
  for (unsigned k = variant; k < runs->count; k += runs->variants)
    if (runs->cells[k].right && (!found || time_of(&runs->cells[k]) < time_of(found))) found = &runs->cells[k];
  return found;
}

static void add_best(struct weir_table *t, const struct gpu_runs *runs) {
  const struct gpu_cell *baseline = best(runs, 0);
  t->summary_row = t->row_count;
  for (unsigned v = 0; v < runs->variants; v++) {
    const struct gpu_cell *c = best(runs, v);
    if (c) add_row(t, c, "%s, at its best", baseline ? time_of(baseline) : NAN);
  }
}

static const char *text(const json_t *o, const char *key) {
  return json_string_value(json_object_get(o, key));
}

static void start(struct weir_table *t, const struct gpu_runs *runs) {
  const struct options *o = runs->cells->options;
  char *title = weir_text_format("%s on %s (compute capability %s, %lld multiprocessors, CUDA %s), median of %u",
                                 o->arguments[0], text(runs->device, "name"), text(runs->device, "compute_capability"),
                                 (long long)json_integer_value(json_object_get(runs->device, "multiprocessors")),
                                 text(runs->device, "cuda"), o->repeat);
  weir_table_start(t, "gpu", title);
  weir_free(title);
}

void weir_gpu_table(struct weir_table *t, const struct gpu_runs *runs) {
  start(t, runs);
  add_columns(t);
  for (unsigned k = 0; k < runs->count; k++)
    add_row(t, &runs->cells[k], "%s", time_of(&runs->cells[k - k % runs->variants]));
  if (runs->count > runs->variants) add_best(t, runs);
}
