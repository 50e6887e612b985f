// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "run/run.h"

#include "base/alloc.h"
#include "base/crew.h"
#include "run/mix.h"

#include <assert.h>

enum { PROGRESS_CYCLES = 1 << 16 };

// ---- functional: the launches and their warp instructions, nothing else ------------------------------------------------

struct functional {
  struct weir_backend inner;
  struct weir_run *run;
  const struct weir_watch *watch;
  const char *alone; // why one thread had all of some launch
};

static void watched(const struct weir_watch *watch, uint64_t warp_instructions) {
  if (watch) watch->ran(watch->context, warp_instructions);
}

static bool count_launch(void *context, const struct weir_launch *launch, struct weir_fault *fault) {
  struct functional *f = context;
  struct weir_run *r = f->run;
  uint64_t before = *launch->steps;
  if (!f->alone) f->alone = weir_functional_alone(launch);
  bool ok = f->inner.launch(f->inner.context, launch, fault);
  struct weir_kernel_stats *k = weir_push(r->own_kernels, r->kernel_count, r->kernel_capacity);
  *k = (struct weir_kernel_stats){.name = launch->kernel->name, .launch = r->kernel_count - 1, .launches = 1};
  k->counts.warp_instructions = *launch->steps - before;
  r->own_total.warp_instructions += k->counts.warp_instructions;
  watched(f->watch, r->own_total.warp_instructions);
  return ok;
}

static void tell_launches_alone(const char *why, struct weir_sink *sink) {
  if (why) weir_report(sink, WEIR_NOTE, (struct weir_place){0}, "some kernels ran on one thread: %s", why);
}

static bool run_functional(struct weir_run *r, struct weir_app *app, const struct weir_watch *watch,
                           struct weir_sink *sink) {
  struct weir_crew *crew = r->experiment->threads > 1 ? weir_crew_create(r->experiment->threads) : NULL;
  struct functional f = {weir_functional_backend(crew), r, watch, NULL};
  bool ok = weir_app_run(app, (struct weir_backend){.context = &f, .launch = count_launch});
  weir_crew_free(crew);
  if (crew) tell_launches_alone(f.alone, sink);
  r->kernels = r->own_kernels;
  r->total = &r->own_total;
  return ok;
}

// ---- on a chip ---------------------------------------------------------------------------------------------------------

static void chip_progress(void *context, const struct weir_run_stats *so_far) {
  watched(context, so_far->warp_instructions);
}

static bool run_app(struct weir_run *r, const struct weir_opened *o) {
  r->own_selecting = (struct weir_selecting){.by = r->setup->selection, .chip = r->chip};
  r->own_sampling = (struct weir_sampling){.chip = r->chip};
  if (r->setup->sample) {
    r->sampling = &r->own_sampling;
    weir_chip_let_stop(r->chip);
    return weir_app_run(o->app, weir_sampling_backend(&r->own_sampling));
  }
  if (!r->setup->selection) return weir_app_run(o->app, weir_chip_backend(r->chip));
  r->selecting = &r->own_selecting;
  return weir_app_run(o->app, weir_selection_backend(&r->own_selecting));
}

// On the chip that r has by then.
static bool run_chip(struct weir_run *r, const struct weir_opened *o, struct weir_sink *sink) {
  bool ok = weir_chip_cpu_cores(r->setup->chip) ? weir_run_mix(r, o, sink) : run_app(r, o);
  weir_chip_finish(r->chip);
  return ok;
}

static unsigned threads(const struct weir_run *r) {
  const struct weir_experiment *e = r->experiment;
  return e->threads ? e->threads : weir_chip_threads_worth(r->setup->chip, e->processors);
}

static bool run_on_chip(struct weir_run *r, const struct weir_opened *o, const struct weir_watch *watch,
                        struct weir_sink *sink) {
  const bool foresees = weir_chip_foresees(r->setup->chip, r->setup->scheme);
  if (foresees && !(r->records = weir_run_record(r, o, run_chip, sink))) return false;
  r->chip = weir_chip_create(r->setup->chip, r->setup->scheme, r->experiment->seed, sink);
  if (!r->chip) return false;
  weir_chip_use_threads(r->chip, threads(r));
  if (foresees) weir_chip_foretell(r->chip, r->records);
  if (watch) weir_chip_on_progress(r->chip, PROGRESS_CYCLES, chip_progress, (void *)watch);
  const bool ok = run_chip(r, o, sink);
  r->kernels = weir_chip_kernels(r->chip, &r->kernel_count);
  r->total = weir_chip_total(r->chip);
  if (!r->sampling) return ok;
  weir_sampling_total(r->sampling, &r->own_total);
  r->total = &r->own_total;
  return ok;
}

static void tell_alone(const struct weir_run *r, struct weir_sink *sink) {
  const char *run, *launches;
  if (!r->chip || r->experiment->threads <= 1) return;
  weir_chip_alone(r->chip, &run, &launches);
  if (run) weir_report(sink, WEIR_NOTE, (struct weir_place){0}, "--threads has no effect on this run: %s", run);
  tell_launches_alone(launches, sink);
}

// The GPU's program, and what it is checked by once it has ended.
static void put_app(struct weir_run *r, struct weir_app *app) {
  r->own_program = weir_app_program(app);
  r->programs = &r->own_program;
  r->program_count = 1;
  r->own_sl1 = (struct weir_run_sl1){r->own_program, weir_app_sl1(app)};
  r->sl1 = &r->own_sl1;
  r->sl1_count = r->own_sl1.report != NULL;
  r->memory = weir_app_memory(app);
}

// Results are there only of a program that ended.
static bool put_results(struct weir_run *r, struct weir_app *app, struct weir_sink *sink) {
  r->buffer_bytes = weir_host_buffer_bytes(weir_app_host(app));
  if (!r->complete) return true;
  r->host = weir_app_host(app);
  r->check = weir_app_check(app);
  return weir_app_dump(app, sink);
}

json_t *weir_experiment_run(const struct weir_experiment *e, const struct weir_setup *setup,
                            const struct weir_opened *o, const struct weir_watch *watch, struct weir_sink *sink) {
  assert(!setup->scheme || !weir_scheme_sweep_count(setup->scheme)); // a batch runs those
  struct weir_run r = {
    .experiment = e, .setup = setup, .counts = weir_mix_counts_of(&e->counts, e->size, !o->mix.cpus), .complete = true};
  if (o->app) put_app(&r, o->app);
  double start = weir_seconds_now(), cpu_start = weir_cpu_seconds_now();
  bool ok = e->scheme ? run_on_chip(&r, o, watch, sink) : run_functional(&r, o->app, watch, sink);
  r.seconds = weir_seconds_now() - start;
  r.cpu_seconds = weir_cpu_seconds_now() - cpu_start;
  r.peak_rss_bytes = weir_peak_rss_bytes();
  tell_alone(&r, sink);
  ok = ok && (!o->app || put_results(&r, o->app, sink));
  json_t *json = ok ? weir_run_to_json(&r) : NULL;
  if (json && !weir_selection_met(json, sink)) {
    json_decref(json);
    json = NULL;
  }
  if (e->ends) return json;
  weir_selecting_free(&r.own_selecting);
  weir_sampling_free(&r.own_sampling);
  if (r.chip) weir_chip_free(r.chip);
  weir_records_free(r.records);
  weir_free(r.own_kernels);
  return json;
}
