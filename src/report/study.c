// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "report/study.h"

#include "base/alloc.h"
#include "report/results.h"
#include "report/study_rows.h"
#include "run/mix.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

struct weir_plan {
  struct weir_batch batch; // its items; what has to run is a batch of its own
  struct weir_arena texts;
  const struct weir_study *study;
  const struct weir_study_options *options;
  // Of the results file that is written: what was there before, the figures that it is for, NULL: all; and whether it was for others than
  // these, whose rows stay.
  struct weir_results old;
  const char *figures;
  bool others;
};

static struct weir_batch_item *find(const struct weir_plan *p, const char *program, const char *chip,
                                    const char *scheme) {
  for (unsigned i = 0; i < p->batch.count; i++) {
    const struct weir_experiment *e = &p->batch.items[i].experiment;
    if (!strcmp(e->program, program) && !strcmp(e->chip, chip) && !strcmp(e->scheme, scheme)) return &p->batch.items[i];
  }
  return NULL;
}

static const char *keep(struct weir_plan *p, const char *text) {
  return weir_arena_text(&p->texts, text, strlen(text));
}

void weir_plan_add_counted(struct weir_plan *p, const char *program, const char *chip, const char *scheme,
                           const struct weir_mix_counts *counts) {
  if (find(p, program, chip, scheme)) return;
  const struct weir_study_options *o = p->options;
  const struct weir_experiment e = {.program = keep(p, program),
                                    .chip = keep(p, chip),
                                    .scheme = keep(p, scheme),
                                    .size = p->study->paper_inputs ? WEIR_SIZE_PAPER : o->size,
                                    .seed = o->seed,
                                    .counts = *counts};
  weir_batch_add(&p->batch, &e);
}

void weir_plan_add(struct weir_plan *p, const char *program, const char *chip, const char *scheme) {
  const struct weir_study_options *o = p->options;
  struct weir_mix_counts counts = o->counts;
  if (p->study->draws_mixes) {
    counts = weir_mix_counts_of(&o->counts, o->size, false); // the GPU's also of a program alone
    if (!counts.warmup) counts.warmup = WEIR_NO_WARMUP;
  }
  weir_plan_add_counted(p, program, chip, scheme, &counts);
}

const json_t *weir_plan_run(const struct weir_plan *p, const char *program, const char *chip, const char *scheme) {
  const struct weir_batch_item *item = find(p, program, chip, scheme);
  assert(item && "computed from a run that was not planned");
  return item->run;
}

enum weir_size weir_plan_size(const struct weir_plan *p) {
  return p->options->size;
}

unsigned weir_plan_mixes(const struct weir_plan *p) {
  return p->options->mixes;
}

static bool by_file(const struct weir_study_options *o) {
  return o->results || o->from;
}

static bool fits_file(const struct weir_study *s, const struct weir_figure *f) {
  const char *const *left_out = s->whole_runs;
  while (left_out && *left_out && strcmp(*left_out, f->number) != 0) left_out++;
  return !left_out || !*left_out;
}

bool weir_study_names(const char *list, const char *number) {
  for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
    if (strcspn(at, ",") == strlen(number) && !strncmp(at, number, strlen(number))) return true;
  return false;
}

static bool wanted(const struct weir_study *s, const struct weir_figure *f, const struct weir_study_options *o) {
  return (!o->figure || weir_study_names(o->figure, f->number)) && (!by_file(o) || fits_file(s, f));
}

static bool has_figure(const struct weir_study *s, const char *number, const struct weir_study_options *o,
                       struct weir_sink *sink) {
  const char *numbers[64];
  size_t count = 0;
  for (const struct weir_figure *f = s->figures; f->number; f++) {
    if (!strcmp(f->number, number))
      return !by_file(o) || fits_file(s, f) ||
        weir_fail_plain(sink, "figure '%s' of %s needs more of its runs than a results file keeps", number, s->name);
    if (count < 64) numbers[count++] = f->number;
  }
  const char *nearest = weir_nearest(number, numbers, count);
  return weir_fail_plain(sink, "%s has no figure '%s'%s%s%s", s->name, number, nearest ? "; did you mean '" : "",
                         nearest ? nearest : "", nearest ? "'?" : "");
}

// Every figure that is asked for is there.
static bool has_figures(const struct weir_study *s, const struct weir_study_options *o, struct weir_sink *sink) {
  bool ok = true;
  for (const char *at = o->figure; ok && at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
    char *number = weir_text_format("%.*s", (int)strcspn(at, ","), at);
    ok = has_figure(s, number, o, sink);
    weir_free(number);
  }
  return ok;
}

static bool takes(const struct weir_study *s, const struct weir_study_options *o, struct weir_sink *sink) {
  if (!s->draws_mixes && (o->mixes || weir_mix_counts_given(&o->counts)))
    return weir_fail_plain(
      sink, "%s runs no mixes: --mixes, --cpu-instructions, --gpu-instructions and --warmup have no meaning", s->name);
  if (by_file(o) && !s->counters)
    return weir_fail_plain(sink, "%s says of no counters that a file keeps them", s->name);
  return true;
}

static void compute(const struct weir_plan *p, void (*each)(void *context, const struct weir_table *t), void *context) {
  for (const struct weir_figure *f = p->study->figures; f->number; f++) {
    if (!wanted(p->study, f, p->options)) continue;
    struct weir_table t;
    weir_table_start(&t, f->number, f->title);
    t.chart = f->chart;
    f->compute(&t, p);
    each(context, &t);
    weir_table_free(&t);
  }
}

// ---- running what is missing -----------------------------------------------------------------------------------------

static int interrupted(const struct weir_plan *p) {
  unsigned kept = 0;
  for (unsigned i = 0; i < p->batch.count; i++) kept += p->batch.items[i].run != NULL;
  fprintf(stderr, "weir: interrupted: %u of %u results are kept; the same command goes on from there\n", kept,
          p->batch.count);
  return WEIR_EXIT_INTERRUPTED;
}

// At most `most` items from *at on that have no result yet get one.
static int run_some(struct weir_plan *p, const struct weir_batch_options *options, unsigned *at, unsigned most,
                    struct weir_sink *sink) {
  struct weir_batch todo = {0};
  unsigned *of = weir_new_array(unsigned, p->batch.count + 1);
  for (; *at < p->batch.count && todo.count < most; ++*at)
    if (!p->batch.items[*at].run) of[todo.count] = *at, weir_batch_add(&todo, &p->batch.items[*at].experiment);
  int status = WEIR_EXIT_USER;
  if (weir_batch_check(&todo, sink)) {
    const bool ended = weir_batch_run(&todo, options, sink);
    for (unsigned k = 0; k < todo.count; k++) p->batch.items[of[k]].run = json_incref(todo.items[k].run);
    if (ended)
      status = weir_batch_status(&todo, stderr);
    else if (!sink->errors)
      status = interrupted(p);
  }
  weir_batch_free(&todo);
  weir_free(of);
  return status;
}

static bool write_results(const struct weir_plan *p, struct weir_sink *sink);

// Items that have no result yet get one. A results file is written every so often, so that no more is lost with the process.
static int run_items(struct weir_plan *p, struct weir_sink *sink) {
  enum { AT_ONCE = 12 };
  const struct weir_study_options *o = p->options;
  struct weir_batch_options options = {.jobs = o->jobs, .store = weir_store_open(o->store, WEIR_STORE_WAL, sink)};
  if (!options.store) return WEIR_EXIT_USER;
  const size_t errors = sink->errors;
  int status = WEIR_EXIT_OK;
  for (unsigned at = 0; at < p->batch.count && status != WEIR_EXIT_INTERRUPTED && sink->errors == errors;) {
    const int now = run_some(p, &options, &at, o->results ? AT_ONCE : UINT_MAX, sink);
    if (now > status) status = now;
    if (o->results && sink->errors == errors && !write_results(p, sink)) status = WEIR_EXIT_USER;
  }
  weir_store_close(options.store);
  return status;
}

// ---- results files ---------------------------------------------------------------------------------------------------

// The file's row in place of the item's run. False if the row is not there, or not of these contents.
static bool take_row(struct weir_plan *p, struct weir_batch_item *item, const struct weir_results *from,
                     const char *fingerprint) {
  const struct weir_results_row *row = weir_results_find(from, &item->experiment);
  (void)p;
  if (!row || (fingerprint && strcmp(row->fingerprint, fingerprint) != 0)) return false;
  item->run = weir_results_run(row->counters);
  return true;
}

static bool take_rows(struct weir_plan *p, const struct weir_results *from, struct weir_sink *sink) {
  bool ok = true;
  for (unsigned i = 0; ok && i < p->batch.count; i++) {
    const struct weir_experiment *e = &p->batch.items[i].experiment;
    ok = take_row(p, &p->batch.items[i], from, NULL) ||
      weir_fail_plain(sink, "%s has no row for %s under %s on %s: make it anew by weir study %s --results %s",
                      p->options->from, e->program, e->scheme, e->chip, p->study->name, p->options->from);
  }
  return ok;
}

struct cells {
  double *all;
  unsigned count, capacity, at;
  const struct weir_study *study;
  struct weir_sink *sink;
};

static void keep_cells(void *context, const struct weir_table *t) {
  struct cells *c = context;
  for (unsigned i = 0; i < t->row_count; i++)
    for (unsigned j = 0; j < t->column_count; j++) *weir_push(c->all, c->count, c->capacity) = t->rows[i][j].ours;
}

static void compare_cells(void *context, const struct weir_table *t) {
  struct cells *c = context;
  bool told = false;
  for (unsigned i = 0; i < t->row_count; i++)
    for (unsigned j = 0; j < t->column_count; j++, c->at++) {
      const double whole = c->at < c->count ? c->all[c->at] : NAN, kept = t->rows[i][j].ours;
      if (told || whole == kept || (isnan(whole) && isnan(kept))) continue;
      told = true;
      weir_fail_plain(c->sink,
                      "figure %s of %s, column %s, needs a counter that the study's list of counters leaves out",
                      t->name, c->study->name, t->columns[j].name);
    }
}

static void keep_others(const struct weir_plan *p, struct weir_results *to) {
  for (unsigned i = 0; i < p->old.count; i++) {
    const struct weir_results_row *row = &p->old.rows[i];
    if (!find(p, row->experiment.program, row->experiment.chip, row->experiment.scheme))
      weir_results_add(to, &row->experiment, row->fingerprint, json_incref(row->counters));
  }
}

// What there is.
static bool write_results(const struct weir_plan *p, struct weir_sink *sink) {
  const struct weir_study_options *o = p->options;
  struct weir_results r = {
    .study = weir_text_copy(p->study->name), .size = o->size, .seed = o->seed, .mixes = o->mixes, .counts = o->counts};
  if (p->figures) r.figures = weir_text_copy(p->figures);
  bool ok = true;
  for (unsigned i = 0; ok && i < p->batch.count; i++) {
    const struct weir_batch_item *item = &p->batch.items[i];
    char fingerprint[WEIR_HASH_TEXT];
    if (!item->run) continue;
    ok = weir_study_fingerprint(p->study, &item->experiment, fingerprint, sink);
    weir_results_add(&r, &item->experiment, fingerprint,
                     weir_study_counters(p->study, item->run, item->experiment.chip));
  }
  if (p->others) keep_others(p, &r);
  ok = ok && weir_results_write(&r, o->results, sink);
  weir_results_free(&r);
  return ok;
}

// Writes what there is, and puts what was written in place of the runs, which must not change a figure.
static bool keep_results(struct weir_plan *p, bool complete, struct weir_sink *sink) {
  struct cells cells = {.study = p->study, .sink = sink};
  if (complete) compute(p, keep_cells, &cells);
  const bool ok = write_results(p, sink);
  for (unsigned i = 0; i < p->batch.count; i++) {
    struct weir_batch_item *item = &p->batch.items[i];
    if (!item->run) continue;
    json_t *counters = weir_study_counters(p->study, item->run, item->experiment.chip);
    json_decref(item->run);
    item->run = weir_results_run(counters);
    json_decref(counters);
  }
  if (complete) compute(p, compare_cells, &cells);
  weir_free(cells.all);
  return ok;
}

// ---- a study ---------------------------------------------------------------------------------------------------------

static void plan_figures(struct weir_plan *p) {
  for (const struct weir_figure *f = p->study->figures; f->number; f++)
    if (wanted(p->study, f, p->options)) f->plan(p);
}

// The figures of a results file are those that it was made for, if the call names none.
static bool take_figures(struct weir_plan *p, struct weir_study_options *o, const struct weir_results *file,
                         struct weir_sink *sink) {
  if (!o->figure && file->figures) o->figure = keep(p, file->figures);
  return has_figures(p->study, o, sink);
}

// What is written is for these figures, and for those that the file was for.
static void join_figures(struct weir_plan *p, const struct weir_study_options *o) {
  const char *list = p->old.figures;
  p->figures = o->figure && list ? o->figure : NULL;
  p->others = o->figure && !list;
  for (const char *at = p->figures ? list : NULL; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
    char *number = weir_text_format("%.*s", (int)strcspn(at, ","), at);
    if (!weir_study_names(o->figure, number)) {
      char *both = weir_text_format("%s,%s", p->figures, number);
      p->figures = keep(p, both);
      p->others = true;
      weir_free(both);
    }
    weir_free(number);
  }
}

// Rows of the file that are still right need no run.
static bool recall_rows(struct weir_plan *p, const struct weir_results *old, struct weir_sink *sink) {
  bool ok = true;
  for (unsigned i = 0; ok && i < p->batch.count; i++) {
    char fingerprint[WEIR_HASH_TEXT];
    ok = weir_study_fingerprint(p->study, &p->batch.items[i].experiment, fingerprint, sink);
    if (ok) take_row(p, &p->batch.items[i], old, fingerprint);
  }
  return ok;
}

static bool same_draw(const struct weir_study_options *o, const struct weir_results *r) {
  return o->seed == r->seed && o->mixes == r->mixes && o->counts.cpu == r->counts.cpu &&
    o->counts.gpu == r->counts.gpu && o->counts.warmup == r->counts.warmup;
}

// Plans the figures, and takes what the file has of them. False if the file is of something else.
static bool recall_results(struct weir_plan *p, struct weir_study_options *o, struct weir_sink *sink) {
  p->figures = o->figure;
  if (!o->results || access(o->results, F_OK)) {
    plan_figures(p);
    return true;
  }
  if (!weir_results_read(&p->old, o->results, sink)) return false;
  const struct weir_results *old = &p->old;
  const bool same = old->size == o->size && !strcmp(old->study, p->study->name);
  if (!same) weir_fail_plain(sink, "%s has results of %s, size %s", o->results, old->study, weir_size_names[old->size]);
  if (!same || !take_figures(p, o, old, sink)) return false;
  join_figures(p, o);
  if (p->others && !same_draw(o, old))
    return weir_fail_plain(sink, "%s is for other figures, too, with another seed, other mixes or other counts",
                           o->results);
  plan_figures(p);
  return recall_rows(p, old, sink);
}

static int run_plan(struct weir_plan *p, struct weir_study_options *o, struct weir_sink *sink) {
  if (!recall_results(p, o, sink)) return WEIR_EXIT_USER;
  const size_t errors = sink->errors;
  int status = run_items(p, sink);
  const bool complete = status != WEIR_EXIT_INTERRUPTED && sink->errors == errors;
  if (p->options->results && (complete || status == WEIR_EXIT_INTERRUPTED) && !keep_results(p, complete, sink))
    return WEIR_EXIT_USER;
  return complete || status ? status : WEIR_EXIT_USER;
}

static bool same_options(const struct weir_study *s, const struct weir_study_options *o, const struct weir_results *r,
                         struct weir_sink *sink) {
  if (strcmp(r->study, s->name) != 0) return weir_fail_plain(sink, "%s has results of %s", o->from, r->study);
  if (o->size == WEIR_SIZE_SMALL || o->size == r->size) return true;
  return weir_fail_plain(sink, "%s has results of size %s", o->from, weir_size_names[r->size]);
}

static int read_plan(struct weir_plan *p, struct weir_study_options *o, struct weir_sink *sink) {
  struct weir_results from;
  if (!weir_results_read(&from, o->from, sink)) return WEIR_EXIT_USER;
  bool ok = same_options(p->study, o, &from, sink) && take_figures(p, o, &from, sink);
  o->size = from.size, o->seed = from.seed, o->mixes = from.mixes, o->counts = from.counts;
  if (ok) plan_figures(p);
  ok = ok && take_rows(p, &from, sink);
  weir_results_free(&from);
  return ok ? WEIR_EXIT_OK : WEIR_EXIT_USER;
}

int weir_study_run(const struct weir_study *s, const struct weir_study_options *options,
                   void (*each)(void *context, const struct weir_table *t), void *context, struct weir_sink *sink) {
  struct weir_study_options o = *options;
  struct weir_plan p = {.study = s, .options = &o};
  int status = WEIR_EXIT_USER;
  if (takes(s, &o, sink) && has_figures(s, &o, sink)) {
    const size_t errors = sink->errors;
    status = o.from ? read_plan(&p, &o, sink) : run_plan(&p, &o, sink);
    if (status != WEIR_EXIT_INTERRUPTED && (sink->errors == errors || status != WEIR_EXIT_USER)) {
      compute(&p, each, context);
      fflush(stdout);
    }
  }
  weir_batch_free(&p.batch);
  weir_results_free(&p.old);
  weir_arena_free(&p.texts);
  return status;
}
