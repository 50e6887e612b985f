// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// weir run: one program on one chip under one scheme.
#include "cli/program.h"
#include "cli/ptxas.h"
#include "base/alloc.h"
#include "batch/batch.h"
#include "run/mix.h"
#include "run/object.h"
#include "batch/progress.h"

static bool print(const struct options *o, json_t *run, struct weir_sink *sink) {
  return weir_print_runs(o, &run, 1, false, sink);
}

static void show_progress(void *context, uint64_t warp_instructions) {
  weir_progress_show(context, &(struct weir_progress_state){.warp_instructions = warp_instructions});
}

// 1 if the program ran but its results are wrong.
static int run_opened(const struct weir_experiment *e, const struct weir_setup *setup, const struct weir_opened *opened,
                      const struct options *o, struct weir_sink *sink) {
  struct weir_progress progress;
  weir_progress_start(&progress, 1);
  struct weir_watch watch = {show_progress, &progress};
  json_t *run = weir_experiment_run(e, setup, opened, &watch, sink);
  weir_progress_stop(&progress);
  if (!run) return WEIR_EXIT_USER;
  int status = !print(o, run, sink)       ? WEIR_EXIT_USER
    : *weir_run_text(run, "check") == 'f' ? WEIR_EXIT_INTERNAL
                                          : WEIR_EXIT_OK;
  json_decref(run);
  return status;
}

// A scheme that leaves values open: all its combinations, on all cores, and the report of the best.
static int run_sweep(const struct weir_experiment *e, const struct options *o, struct weir_sink *sink) {
  struct weir_batch b = {0};
  weir_batch_add(&b, e);
  int status = WEIR_EXIT_USER;
  if (weir_batch_check(&b, sink)) {
    bool whole = weir_batch_run(&b, &(struct weir_batch_options){.jobs = o->jobs}, sink);
    bool written = !whole || !b.items[0].run || print(o, b.items[0].run, sink);
    fflush(stdout);
    status = whole ? weir_batch_status(&b, stderr) : WEIR_EXIT_INTERRUPTED;
    if (!written) status = WEIR_EXIT_USER;
  }
  weir_batch_free(&b);
  return status;
}

static int run_one(const struct weir_experiment *e, const struct weir_setup *setup, const struct options *o,
                   struct weir_sink *sink) {
  if (!weir_ncu_fits(o, setup, sink) || !weir_experiment_fits(e, setup, sink) ||
      !weir_mix_counts_meant(&e->counts, &e->program, 1, setup->chip, sink))
    return WEIR_EXIT_USER;
  if (setup->scheme && weir_scheme_sweep_count(setup->scheme)) return run_sweep(e, o, sink);
  struct weir_opened *opened = weir_experiment_open(e, setup, sink);
  if (!opened) return WEIR_EXIT_USER;
  int status = run_opened(e, setup, opened, o, sink);
  weir_experiment_close(opened);
  return status;
}

static int run(const struct options *o) {
  if (o->functional && (o->scheme_count || (o->set_count && !o->program)))
    return weir_usage_error("run", "--functional runs on no chip: --scheme and --set have no meaning");
  if (o->functional && o->ptxas) return weir_usage_error("run", "--functional runs on no chip: --ptxas has no meaning");
  if (o->functional && o->ncu) return weir_usage_error("run", "--functional runs on no chip: --ncu has no meaning");
  if (o->ncu && o->format == OUTPUT_JSON)
    return weir_usage_error("run", "--ncu says what is printed as text; --json has it all");
  if (o->scheme_count > 1) return weir_usage_error("run", "one --scheme only; weir compare takes several");
  if (!weir_clock_option("run", o)) return WEIR_EXIT_USER;
  if (o->program) return weir_program_options("run", o) ? weir_run_program(o) : WEIR_EXIT_USER;
  if (o->timeline_path)
    return weir_usage_error("run", "--timeline is for a program after --: nothing else has a time line");
  const char *scheme = o->functional ? NULL : o->scheme_count ? o->schemes[0] : WEIR_DEFAULT_SCHEME;
  struct weir_experiment e = weir_options_experiment(o, o->arguments[0], scheme);
  struct weir_sink sink = {0};
  struct weir_setup setup;
  char *counts = NULL;
  bool known = weir_program_known(e.program, &sink) && weir_ptxas_ask(o, &e, &counts, &sink);
  bool ready = (known || !o->ptxas) && weir_setup_read(&setup, &e, &sink);
  if (ready) weir_setup_tell_idle(&setup, &e, &sink);
  int status = known && ready ? run_one(&e, &setup, o, &sink) : WEIR_EXIT_USER;
  if (ready) weir_setup_free(&setup);
  weir_free(counts);
  weir_conclude(&sink);
  return status;
}

static const struct argp_option options[] = {
  ROW_CHIP,
  {"scheme", KEY_SCHEME, "SCHEME", 0,
   "NAME[,key=value...] (weir list schemes); a key is a policy's knob, a chip path or CACHE.bypass; a value "
   "best:LIST is swept, the fastest kept; best-ipc:LIST keeps the highest IPC "
   "(" DEFAULT_SCHEME_HELP ")",
   0},
  ROW_SIZE,
  ROW_SET,
  ROW_REGISTERS,
  ROW_PTXAS,
  ROWS_PROGRAM,
  ROW_STRICT,
  ROW_CLOCK,
  ROWS_SELECT,
  ROWS_COUNTS,
  {"functional", KEY_FUNCTIONAL, 0, 0, "results only: no chip, no time", 0},
  {"ncu", KEY_NCU, 0, 0,
   "print requests, sectors and wavefronts by kernel and by line, as Nsight Compute counts them "
   "(docs/READING-RESULTS.md)",
   0},
  {"jobs", KEY_JOBS, "N", 0, "runs at a time, of a scheme that sweeps (default: one per processor)", 0},
  ROW_THREADS,
  {"json", KEY_JSON, "FILE", OPTION_ARG_OPTIONAL,
   "print one run object as JSON (docs/OUTPUT.md), or write it to FILE; of a program after --, an array with one per "
   "process that used a device, and if that goes to standard output, the program's goes to standard error",
   0},
  {"timeline", KEY_TIMELINE, "FILE", 0,
   "write what streams, copy engines and kernels of the program after -- did when to FILE, as trace events that Perfetto shows "
   "(docs/TIMELINE.md)",
   0},
  {"output", KEY_OUTPUT, "FILE", 0, "write the report to FILE", 0},
  ROW_PLUGIN,
  {0},
};

const struct command command_run = {
  .name = "run",
  .arguments = "PROGRAM\n-- ./program ARGUMENT...",
  .summary = "run a program on a chip under a scheme and say what its caches did",
  .description =
    "PROGRAM is a bundled workload (weir list workloads); a launch file, which names any PTX file, its "
    "buffers and launches; a recording or a trace of Accel-Sim's tracer (docs/STREAMS.md); or, on a chip with CPU cores, several at once, as in bzip2+mcf+floyd: CPU programs "
    "(weir list cpu-programs, or a trace's path), one per core, and at most one of the GPU's, each counted up "
    "to its number of instructions (docs/MIXES.md). Any command may follow --: its CUDA and OpenCL calls find the modelled "
    "chip, its output is its own, and so is the exit status (128 + n if signal n ended it). Under a scheme that "
    "leaves values open (key=best:1..8|12) each combination is run, and the best one reported. Exits with 1 if the program's results are wrong.",
  .options = options,
  .least = 1,
  .most = 1,
  .takes_program = true,
  .run = run,
};
