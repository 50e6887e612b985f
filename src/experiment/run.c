// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "experiment/run.h"

#include "base/alloc.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { PROGRESS_CYCLES = 1 << 16 };

static double seconds_of(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double weir_seconds_now(void) {
  return seconds_of(CLOCK_MONOTONIC);
}

double weir_cpu_seconds_now(void) {
  return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t weir_peak_rss_bytes(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (uint64_t)usage.ru_maxrss * 1024;
}

// ---- functional: the launches and their warp instructions, nothing else ------------------------------------------------

struct functional {
  struct weir_backend inner;
  struct weir_run *run;
  const struct weir_watch *watch;
};

static void watched(const struct weir_watch *watch, uint64_t warp_instructions) {
  if (watch) watch->ran(watch->context, warp_instructions);
}

static bool count_launch(void *context, const struct weir_launch *launch, struct weir_fault *fault) {
  struct functional *f = context;
  struct weir_run *r = f->run;
  uint64_t before = *launch->steps;
  bool ok = f->inner.launch(f->inner.context, launch, fault);
  struct weir_kernel_stats *k = weir_push(r->own_kernels, r->kernel_count, r->kernel_capacity);
  *k = (struct weir_kernel_stats){.name = launch->kernel->name, .launch = r->kernel_count - 1, .launches = 1};
  k->counts.warp_instructions = *launch->steps - before;
  r->own_total.warp_instructions += k->counts.warp_instructions;
  watched(f->watch, r->own_total.warp_instructions);
  return ok;
}

static bool run_functional(struct weir_run *r, struct weir_app *app, const struct weir_watch *watch) {
  struct functional f = {weir_functional_backend(), r, watch};
  bool ok = weir_app_run(app, (struct weir_backend){.context = &f, .launch = count_launch});
  r->kernels = r->own_kernels;
  r->total = &r->own_total;
  return ok;
}

// ---- on a chip ---------------------------------------------------------------------------------------------------------

static void chip_progress(void *context, const struct weir_run_stats *so_far) {
  watched(context, so_far->warp_instructions);
}

static bool run_on_chip(struct weir_run *r, struct weir_app *app, const struct weir_watch *watch,
                        struct weir_sink *sink) {
  r->chip = weir_chip_create(r->setup->chip, r->setup->scheme, r->experiment->seed, sink);
  if (!r->chip) return false;
  if (watch) weir_chip_on_progress(r->chip, PROGRESS_CYCLES, chip_progress, (void *)watch);
  bool ok = weir_app_run(app, weir_chip_backend(r->chip));
  weir_chip_finish(r->chip);
  r->kernels = weir_chip_kernels(r->chip, &r->kernel_count);
  r->total = weir_chip_total(r->chip);
  return ok;
}

json_t *weir_experiment_run(const struct weir_experiment *e, const struct weir_setup *setup, struct weir_app *app,
                            const struct weir_watch *watch, struct weir_sink *sink) {
  assert(!setup->scheme || !weir_scheme_sweep_count(setup->scheme)); // a batch runs those
  const struct weir_program *program = weir_app_program(app);
  const struct weir_run_sl1 sl1 = {program, weir_app_sl1(app)};
  struct weir_run r = {.experiment = e,
                       .setup = setup,
                       .programs = &program,
                       .program_count = 1,
                       .host = weir_app_host(app),
                       .sl1 = &sl1,
                       .sl1_count = sl1.report != NULL,
                       .memory = weir_app_memory(app),
                       .complete = true};
  double start = weir_seconds_now(), cpu_start = weir_cpu_seconds_now();
  bool ok = e->scheme ? run_on_chip(&r, app, watch, sink) : run_functional(&r, app, watch);
  r.seconds = weir_seconds_now() - start;
  r.cpu_seconds = weir_cpu_seconds_now() - cpu_start;
  r.peak_rss_bytes = weir_peak_rss_bytes();
  r.buffer_bytes = weir_host_buffer_bytes(r.host);
  if (ok) r.check = weir_app_check(app);
  ok = ok && weir_app_dump(app, sink);
  json_t *json = ok ? weir_run_to_json(&r) : NULL;
  if (r.chip) weir_chip_free(r.chip);
  weir_free(r.own_kernels);
  return json;
}
