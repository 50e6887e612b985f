// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a batch was asked for: which runs that needs, and whether they can be.
#include "batch/batch.h"

#include "base/alloc.h"
#include "batch/items.h"

#include <string.h>

void weir_batch_add(struct weir_batch *b, const struct weir_experiment *e) {
  *weir_push(b->items, b->count, b->capacity) = (struct weir_batch_item){.experiment = *e};
}

void weir_batch_free(struct weir_batch *b) {
  for (unsigned i = 0; i < b->count; i++) {
    json_decref(b->items[i].run);
    weir_setup_free(&b->items[i].setup);
    weir_free(b->items[i].runs);
  }
  for (unsigned k = 0; k < b->run_count; k++) {
    if (!b->runs[k].borrowed) weir_setup_free(&b->runs[k].setup);
    weir_free(b->runs[k].failure);
  }
  weir_free(b->items);
  weir_free(b->runs);
  weir_free(b->reads);
  weir_arena_free(&b->texts);
}

bool weir_same_text(const char *a, const char *b) {
  return a == b || (a && b && !strcmp(a, b));
}

// ---- runs ------------------------------------------------------------------------------------------------------------

static bool same_sets(const struct weir_experiment *a, const struct weir_experiment *b) {
  if (a->set_count != b->set_count) return false;
  for (unsigned i = 0; i < a->set_count; i++)
    if (strcmp(a->sets[i], b->sets[i])) return false;
  return true;
}

static bool same_chip(const struct weir_experiment *a, const struct weir_experiment *b) {
  return weir_same_text(a->scheme, b->scheme) && weir_same_text(a->chip, b->chip) && weir_same_text(a->sl1, b->sl1) &&
    weir_same_text(a->hints, b->hints) && same_sets(a, b);
}

static bool same_counts(const struct weir_mix_counts *a, const struct weir_mix_counts *b) {
  return a->cpu == b->cpu && a->gpu == b->gpu && a->warmup == b->warmup;
}

static bool same_run(const struct weir_experiment *a, const struct weir_experiment *b) {
  return same_chip(a, b) && a->command == b->command && !strcmp(a->program, b->program) &&
    weir_same_text(a->input, b->input) && a->size == b->size && a->seed == b->seed && a->step_limit == b->step_limit &&
    same_counts(&a->counts, &b->counts);
}

static unsigned find_run(const struct weir_batch *b, const struct weir_experiment *e) {
  unsigned k = 0;
  while (k < b->run_count && !same_run(&b->runs[k].experiment, e)) k++;
  return k;
}

// A run without lanes stands for a setup that is wrong: nothing will run, but its mistake is complained of only once,
// however many programs it is made for.
static bool read_setup(struct weir_batch *b, const struct weir_experiment *e, struct weir_setup *setup,
                       struct weir_sink *sink) {
  for (unsigned k = 0; k < b->run_count; k++)
    if (!b->runs[k].setup.lanes && same_chip(&b->runs[k].experiment, e)) return false;
  if ((e->command ? weir_setup_read_process : weir_setup_read)(setup, e, sink)) return true;
  *weir_push(b->runs, b->run_count, b->run_capacity) = (struct weir_batch_run){.experiment = *e};
  return false;
}

static void push_run(struct weir_batch_item *item, unsigned k) {
  *weir_push(item->runs, item->run_count, item->run_capacity) = k;
}

// Takes the setup.
static void need_run(struct weir_batch *b, struct weir_batch_item *item, const struct weir_experiment *e,
                     struct weir_setup *setup) {
  push_run(item, b->run_count);
  *weir_push(b->runs, b->run_count, b->run_capacity) = (struct weir_batch_run){.experiment = *e, .setup = *setup};
}

static bool same_select(const struct weir_select *a, const struct weir_select *b) {
  return weir_same_text(a->kernels, b->kernels) && weir_same_text(a->launches, b->launches) && a->most == b->most &&
    a->warm == b->warm && weir_same_text(a->sample, b->sample);
}

static bool same_setup(const struct weir_experiment *a, const struct weir_experiment *b) {
  return same_chip(a, b) && weir_same_text(a->ptxas, b->ptxas) && same_select(&a->select, &b->select) &&
    !a->command == !b->command && weir_same_text(a->timeline, b->timeline);
}

// Runs of another program or seed have the same chip, which is read once.
static bool borrow_run(struct weir_batch *b, struct weir_batch_item *item, const struct weir_experiment *e) {
  unsigned k = 0;
  while (k < b->run_count && !(b->runs[k].setup.lanes && same_setup(&b->runs[k].experiment, e))) k++;
  if (k == b->run_count) return false;
  struct weir_setup setup = b->runs[k].setup; // the list may move
  need_run(b, item, e, &setup);
  b->runs[b->run_count - 1].borrowed = true;
  return true;
}

static bool need_combination(struct weir_batch *b, struct weir_batch_item *item, unsigned combination,
                             struct weir_sink *sink) {
  struct weir_experiment e = item->experiment;
  char *spec = weir_scheme_combination(item->setup.scheme, combination);
  e.scheme = weir_arena_text(&b->texts, spec, strlen(spec));
  weir_free(spec);
  unsigned k = find_run(b, &e);
  struct weir_setup setup;
  if (k < b->run_count)
    push_run(item, k);
  else if (borrow_run(b, item, &e))
    return true;
  else if (read_setup(b, &e, &setup, sink))
    need_run(b, item, &e, &setup);
  else
    return false;
  return true;
}

// Of an item that may leave values open.
static bool read_item_setup(struct weir_batch *b, const struct weir_batch_item *item, struct weir_setup *setup,
                            struct weir_sink *sink) {
  struct weir_experiment e = item->experiment;
  if (e.scheme && strstr(e.scheme, "best")) e.command = NULL; // what its runs must be, they say themselves
  return read_setup(b, &e, setup, sink);
}

static bool plan_item(struct weir_batch *b, struct weir_batch_item *item, struct weir_sink *sink) {
  unsigned k = find_run(b, &item->experiment);
  if (k < b->run_count) {
    push_run(item, k);
    return b->runs[k].setup.lanes;
  }
  if (borrow_run(b, item, &item->experiment)) return true;
  struct weir_setup setup;
  if (!read_item_setup(b, item, &setup, sink)) return false;
  if (!setup.scheme || !weir_scheme_sweep_count(setup.scheme)) {
    need_run(b, item, &item->experiment, &setup);
    return true;
  }
  item->setup = setup;
  bool ok = true;
  for (unsigned i = 0; i < weir_scheme_combinations(setup.scheme); i++) ok &= need_combination(b, item, i, sink);
  return ok;
}

static bool program_is_first(const struct weir_batch *b, unsigned i) {
  for (unsigned k = 0; k < i; k++)
    if (!strcmp(b->items[k].experiment.program, b->items[i].experiment.program)) return false;
  return true;
}

// Each program on each chip once, however many schemes there are: with the first run of the program on that chip.
static bool programs_fit(const struct weir_batch *b, struct weir_sink *sink) {
  bool ok = true;
  for (unsigned k = 0; k < b->run_count; k++) {
    const struct weir_experiment *e = &b->runs[k].experiment;
    unsigned first = 0;
    while (strcmp(b->runs[first].experiment.program, e->program) ||
           !weir_same_text(b->runs[first].experiment.chip, e->chip))
      first++;
    if (first == k && !e->command) ok &= weir_experiment_fits(e, &b->runs[k].setup, sink);
  }
  return ok;
}

bool weir_batch_check(struct weir_batch *b, struct weir_sink *sink) {
  bool ok = true;
  for (unsigned i = 0; i < b->count; i++)
    if (!b->items[i].experiment.command && program_is_first(b, i))
      ok &= weir_program_known(b->items[i].experiment.program, sink);
  for (unsigned i = 0; i < b->count; i++) ok &= plan_item(b, &b->items[i], sink);
  return ok && programs_fit(b, sink);
}
