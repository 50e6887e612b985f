// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "report/study.h"

#include "base/alloc.h"
#include "run/mix.h"

#include <assert.h>
#include <string.h>

struct weir_plan {
  struct weir_batch batch;
  struct weir_arena texts;
  const struct weir_study *study;
  const struct weir_study_options *options;
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

void weir_plan_add(struct weir_plan *p, const char *program, const char *chip, const char *scheme) {
  if (find(p, program, chip, scheme)) return;
  const struct weir_study_options *o = p->options;
  struct weir_experiment e = {.program = keep(p, program),
                              .chip = keep(p, chip),
                              .scheme = keep(p, scheme),
                              .size = p->study->paper_inputs ? WEIR_SIZE_PAPER : o->size,
                              .seed = o->seed,
                              .counts = o->counts};
  if (p->study->draws_mixes) {
    e.counts = weir_mix_counts_of(&o->counts, o->size, false); // the GPU's also of a program alone
    if (!e.counts.warmup) e.counts.warmup = WEIR_NO_WARMUP;
  }
  weir_batch_add(&p->batch, &e);
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

static bool wanted(const struct weir_figure *f, const struct weir_study_options *o) {
  return !o->figure || !strcmp(f->number, o->figure);
}

static bool any_wanted(const struct weir_study *s, const struct weir_study_options *o, struct weir_sink *sink) {
  const char *numbers[64];
  size_t count = 0;
  for (const struct weir_figure *f = s->figures; f->number; f++) {
    if (wanted(f, o)) return true;
    if (count < 64) numbers[count++] = f->number;
  }
  const char *nearest = weir_nearest(o->figure, numbers, count);
  return weir_fail_plain(sink, "%s has no figure '%s'%s%s%s", s->name, o->figure, nearest ? "; did you mean '" : "",
                         nearest ? nearest : "", nearest ? "'?" : "");
}

static bool takes(const struct weir_study *s, const struct weir_study_options *o, struct weir_sink *sink) {
  return s->draws_mixes || !(o->mixes || weir_mix_counts_given(&o->counts)) ||
    weir_fail_plain(sink,
                    "%s runs no mixes: --mixes, --cpu-instructions, --gpu-instructions and --warmup have no meaning",
                    s->name);
}

static void compute(const struct weir_study *s, const struct weir_plan *p,
                    void (*each)(void *context, const struct weir_table *t), void *context) {
  for (const struct weir_figure *f = s->figures; f->number; f++) {
    if (!wanted(f, p->options)) continue;
    struct weir_table t;
    weir_table_start(&t, f->number, f->title);
    t.chart = f->chart;
    f->compute(&t, p);
    each(context, &t);
    weir_table_free(&t);
  }
}

static int interrupted(const struct weir_batch *b) {
  fprintf(stderr, "weir: interrupted: %u of %u runs are kept; the same command goes on from there\n",
          weir_batch_ended(b), b->run_count);
  return WEIR_EXIT_INTERRUPTED;
}

int weir_study_run(const struct weir_study *s, const struct weir_study_options *o,
                   void (*each)(void *context, const struct weir_table *t), void *context, struct weir_sink *sink) {
  struct weir_plan p = {.study = s, .options = o};
  struct weir_store *store = takes(s, o, sink) && any_wanted(s, o, sink) ? weir_store_open(o->store, sink) : NULL;
  int status = WEIR_EXIT_USER;
  for (const struct weir_figure *f = s->figures; store && f->number; f++)
    if (wanted(f, o)) f->plan(&p);
  if (store && weir_batch_check(&p.batch, sink)) {
    struct weir_batch_options options = {.jobs = o->jobs, .store = store};
    if (weir_batch_run(&p.batch, &options, sink)) {
      compute(s, &p, each, context);
      fflush(stdout);
      status = weir_batch_status(&p.batch, stderr);
    } else if (!sink->errors) {
      status = interrupted(&p.batch);
    }
  }
  if (store) weir_store_close(store);
  weir_batch_free(&p.batch);
  weir_arena_free(&p.texts);
  return status;
}
