// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Results files held to what weir gives now.
#include "base/alloc.h"
#include "report/results.h"
#include "report/study_rows.h"
#include "run/object.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TOLD = 5 }; // so many of a kind are named, the others counted

static const double SAMPLE_COST = 1e6; // in warp instructions: a second or two of one core

static bool fingerprints(const struct weir_study *s, const char *path, const struct weir_results *r,
                         struct weir_sink *sink) {
  unsigned stale = 0;
  for (unsigned i = 0; i < r->count; i++) {
    const struct weir_results_row *row = &r->rows[i];
    char now[WEIR_HASH_TEXT];
    if (!weir_study_fingerprint(s, &row->experiment, now, sink)) return false;
    if (!strcmp(now, row->fingerprint) || stale++ >= TOLD) continue;
    weir_fail_plain(sink, "%s: %s under %s is of another model, chip, workload, scheme or list of counters", path,
                    row->experiment.program, row->experiment.scheme);
  }
  return !stale ||
    weir_fail_plain(sink, "%s: %u of %u rows are old; weir study %s --size %s --results %s makes them anew", path,
                    stale, r->count, s->name, weir_size_names[r->size], path);
}

// ---- which rows ------------------------------------------------------------------------------------------------------

struct choice {
  const struct weir_results_row *row;
  weir_hash order;
  double cost;
};

static double of_row(const struct weir_results_row *row, const char *path) { // 0: it has none
  const double n = weir_run_number(row->counters, path);
  return n > 0 ? n : 0;
}

// What the row takes to run, in warp instructions, of all runs of a sweep: a value left open has its choices between bars. What goes
// past the first-level cache takes about as long as four of them; an instruction of a CPU core as long as a quarter.
static double cost_of(const struct weir_results_row *row) {
  double runs = 1;
  for (const char *c = row->experiment.scheme; *c; c++)
    runs *= !strncmp(c, "best:", 5) || !strncmp(c, "best-ipc:", 9) ? 1 + (double)strcspn(c, ",")
                                                                   : 1; // no more choices than characters
  const double below = of_row(row, "total.l1.loads.misses") + of_row(row, "total.l1.loads.bypasses") +
    of_row(row, "total.l1.stores.accesses");
  return runs *
    (weir_run_number(row->counters, "total.warp_instructions") + 4 * below + of_row(row, "total.cpu_instructions") / 4);
}

static int by_order(const void *a, const void *b) {
  const struct choice *x = a, *y = b;
  return x->order < y->order ? -1 : x->order > y->order;
}

static void take(struct weir_batch *b, const struct weir_results_row **of, const struct weir_results_row *row) {
  of[b->count] = row;
  weir_batch_add(b, &row->experiment);
}

// One row of a file whose rows all cost more than a sample: the first that costs no more than twice the least.
static void choose_one(struct weir_batch *b, const struct weir_results_row **of, const struct choice *all,
                       unsigned count) {
  double least = INFINITY;
  for (unsigned i = 0; i < count; i++) least = fmin(least, all[i].cost);
  for (unsigned i = 0; i < count && !b->count; i++)
    if (all[i].cost <= 2 * least) take(b, of, all[i].row);
}

static void choose(struct weir_batch *b, const struct weir_results_row **of, const struct weir_results *r,
                   const char *sample) {
  struct choice *all = weir_new_array(struct choice, r->count + 1);
  for (unsigned i = 0; i < r->count; i++) {
    const struct weir_results_row *row = &r->rows[i];
    weir_hash h = weir_hash_text(weir_hash_text(weir_hash_start(), sample), row->experiment.program);
    h = weir_hash_text(weir_hash_text(h, row->experiment.scheme), row->experiment.chip);
    all[i] = (struct choice){row, h, cost_of(row)};
  }
  qsort(all, r->count, sizeof *all, by_order);
  double left = sample ? SAMPLE_COST : INFINITY;
  for (unsigned i = 0; i < r->count; i++) {
    if (!(all[i].cost <= left)) continue; // also if it is not known
    left -= all[i].cost;
    take(b, of, all[i].row);
  }
  if (!b->count) choose_one(b, of, all, r->count);
  weir_free(all);
}

// ---- and whether they are the same -----------------------------------------------------------------------------------

static char *text_of(const json_t *value) { // freed by free
  return value ? weir_json_text(value, false) : strdup("nothing");
}

static bool same(const char *path, const struct weir_results_row *row, json_t *now, struct weir_sink *sink) {
  json_t *all = json_copy(row->counters), *value;
  json_object_update_missing(all, now);
  const char *name;
  unsigned differing = 0;
  json_object_foreach(all, name, value) {
    const json_t *kept = json_object_get(row->counters, name), *ours = json_object_get(now, name);
    char *before = text_of(kept), *after = text_of(ours);
    if (strcmp(before, after) != 0 && differing++ < TOLD)
      weir_fail_plain(sink, "%s: %s under %s on %s: %s is %s, and weir gives %s", path, row->experiment.program,
                      row->experiment.scheme, row->experiment.chip, name, before, after);
    free(before);
    free(after);
  }
  json_decref(all);
  return !differing;
}

static bool run_again(const struct weir_study *s, const char *path, const struct weir_results *r, const char *sample,
                      unsigned jobs, struct weir_sink *sink) {
  if (sample && !strcmp(sample, "none")) return true;
  struct weir_batch b = {0};
  const struct weir_results_row **of = weir_new_array(const struct weir_results_row *, r->count + 1);
  choose(&b, of, r, sample);
  struct weir_batch_options options = {.jobs = jobs};
  bool ok = weir_batch_check(&b, sink) && weir_batch_run(&b, &options, sink) && !weir_batch_status(&b, stderr);
  for (unsigned i = 0; ok && i < b.count; i++) {
    json_t *now = weir_study_counters(s, b.items[i].run, of[i]->experiment.chip);
    same(path, of[i], now, sink);
    json_decref(now);
  }
  ok = ok && !sink->errors;
  if (ok) printf("%s: %u of %u rows run again, all as kept\n", path, b.count, r->count);
  weir_batch_free(&b);
  weir_free(of);
  return ok;
}

int weir_study_check(const struct weir_study *s, const char *path, const char *sample, unsigned jobs,
                     struct weir_sink *sink) {
  struct weir_results r;
  if (!s->counters) return weir_fail_plain(sink, "%s has no results files", s->name), WEIR_EXIT_USER;
  if (!weir_results_read(&r, path, sink)) return WEIR_EXIT_USER;
  int status = WEIR_EXIT_USER;
  if (strcmp(r.study, s->name) != 0)
    weir_fail_plain(sink, "%s has results of %s", path, r.study);
  else {
    const bool same_model = fingerprints(s, path, &r, sink), same_rows = run_again(s, path, &r, sample, jobs, sink);
    status = same_model && same_rows ? WEIR_EXIT_OK : WEIR_EXIT_INTERNAL;
  }
  weir_results_free(&r);
  return status;
}
