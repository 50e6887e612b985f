// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Several programs on one chip: the CPU programs' traces feed the CPU cores from within the chip's clock, and the GPU's
// program is run here, again and again, until all have reached their counts.
#include "run/mix.h"
#include "run/run.h"
#include "trace/loop.h"

struct feeds {
  struct weir_trace_loop loops[WEIR_MIX_CPUS];
  unsigned count;
};

static bool add_cpus(struct weir_run *r, struct feeds *f, const struct weir_mix *m, struct weir_sink *sink) {
  for (; f->count < m->cpus; f->count++) {
    struct weir_trace_loop *l = &f->loops[f->count];
    if (!weir_trace_loop_open(l, m->paths[f->count], 0, sink)) return false;
    weir_chip_add_cpu(r->chip,
                      &(struct weir_chip_cpu_program){.name = m->names[f->count],
                                                      .feed = {weir_trace_loop_read, l},
                                                      .warmup = r->counts.warmup,
                                                      .instructions = r->counts.cpu});
  }
  return true;
}

static void close_feeds(struct weir_run *r, struct feeds *f) {
  for (unsigned i = 0; i < f->count; i++) {
    r->restarts[i + 1] = f->loops[i].restarts;
    weir_trace_loop_close(&f->loops[i]);
  }
}

// One pass of the GPU's program. False: it did not end by itself.
static bool pass(struct weir_run *r, struct weir_app *app) {
  if (!weir_app_run(app, weir_chip_backend(r->chip))) return false;
  weir_chip_gpu_ended(r->chip);
  return true;
}

static bool refuse_idle(const struct weir_mix *m, struct weir_sink *sink) {
  return weir_fail_plain(sink, "'%s' executes nothing on the GPU: it would never reach its count", m->gpu);
}

// The first pass is of the program that was opened, which keeps its results; each further one of a new copy.
static bool run_passes(struct weir_run *r, const struct weir_opened *o, struct weir_sink *sink) {
  r->complete = pass(r, o->app);
  bool ended = r->complete;
  uint64_t before = 0;
  while (ended && !weir_chip_mix_done(r->chip)) {
    uint64_t executed = weir_chip_total(r->chip)->warp_instructions;
    if (executed == before) return refuse_idle(&o->mix, sink);
    before = executed;
    struct weir_app *again = weir_mix_open_gpu(r->experiment, r->setup, o->mix.gpu, sink);
    if (!again) return false;
    r->restarts[0]++;
    weir_chip_fold_kernels(r->chip);
    ended = pass(r, again);
    weir_app_free(again);
  }
  return weir_chip_mix_done(r->chip);
}

static bool run_cpus(struct weir_run *r, struct weir_sink *sink) {
  struct weir_fault fault = {0};
  return weir_chip_run_cpus(r->chip, &fault) || weir_fail_plain(sink, "%s", fault.message);
}

bool weir_run_mix(struct weir_run *r, const struct weir_opened *o, struct weir_sink *sink) {
  struct feeds f = {0};
  bool ok = add_cpus(r, &f, &o->mix, sink);
  if (ok && o->app) weir_chip_add_gpu(r->chip, o->mix.gpu, r->counts.gpu);
  ok = ok && (o->app ? run_passes(r, o, sink) : run_cpus(r, sink));
  close_feeds(r, &f);
  return ok && !sink->errors; // a trace that turned out to be damaged has said so
}
