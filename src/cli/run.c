// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// weir run: one program on one chip under one scheme.
#include "cli/options.h"
#include "experiment/report.h"
#include "experiment/batch.h"
#include "experiment/progress.h"

#include <stdlib.h>

static void print(const json_t *run, enum output_format format) {
  if (format == OUTPUT_TEXT) {
    weir_print_report(run, stdout);
    return;
  }
  char *text = weir_json_text(run, true);
  puts(text);
  free(text);
}

static void show_progress(void *context, uint64_t warp_instructions) {
  weir_progress_show(context, &(struct weir_progress_state){.warp_instructions = warp_instructions});
}

// 1 if the program ran but its results are wrong.
static int run_opened(const struct weir_experiment *e, const struct weir_setup *setup, struct weir_app *app,
                      enum output_format format, struct weir_sink *sink) {
  struct weir_progress progress;
  weir_progress_start(&progress, 1);
  struct weir_watch watch = {show_progress, &progress};
  json_t *run = weir_experiment_run(e, setup, app, &watch, sink);
  weir_progress_stop(&progress);
  if (!run) return WEIR_EXIT_USER;
  print(run, format);
  int status = *weir_run_text(run, "check") == 'f' ? WEIR_EXIT_INTERNAL : WEIR_EXIT_OK;
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
    if (whole && b.items[0].run) print(b.items[0].run, o->format);
    fflush(stdout);
    status = whole ? weir_batch_status(&b, stderr) : WEIR_EXIT_INTERRUPTED;
  }
  weir_batch_free(&b);
  return status;
}

static int run_one(const struct weir_experiment *e, const struct weir_setup *setup, const struct options *o,
                   struct weir_sink *sink) {
  if (setup->scheme && weir_scheme_sweep_count(setup->scheme)) return run_sweep(e, o, sink);
  struct weir_app *app = weir_experiment_open(e, setup->lanes, sink);
  if (!app) return WEIR_EXIT_USER;
  int status = run_opened(e, setup, app, o->format, sink);
  weir_app_free(app);
  return status;
}

static int run(const struct options *o) {
  if (o->functional && (o->scheme_count || o->set_count))
    return weir_usage_error("run", "--functional runs on no chip: --scheme and --set have no meaning");
  if (o->scheme_count > 1) return weir_usage_error("run", "one --scheme only; weir compare takes several");
  const char *scheme = o->functional ? NULL : o->scheme_count ? o->schemes[0] : DEFAULT_SCHEME;
  struct weir_experiment e = weir_options_experiment(o, o->arguments[0], scheme);
  struct weir_sink sink = {0};
  struct weir_setup setup;
  bool known = weir_program_known(e.program, &sink), ready = weir_setup_read(&setup, &e, &sink);
  int status = known && ready ? run_one(&e, &setup, o, &sink) : WEIR_EXIT_USER;
  if (ready) weir_setup_free(&setup);
  weir_conclude(&sink);
  return status;
}

static const struct argp_option options[] = {
  ROW_CHIP,
  {"scheme", KEY_SCHEME, "SCHEME", 0,
   "NAME[,key=value...] (weir list schemes); a key is a policy's knob or a chip path; a value best:LIST is swept "
   "(default: " DEFAULT_SCHEME ")", 0},
  ROW_SIZE,
  ROW_SET,
  ROW_SEED,
  ROW_INPUT,
  ROW_STEP_LIMIT,
  {"functional", KEY_FUNCTIONAL, 0, 0, "results only: no chip, no time", 0},
  {"jobs", KEY_JOBS, "N", 0, "runs at a time, of a scheme that sweeps (default: one per processor)", 0},
  ROW_JSON("one run object"),
  ROW_PLUGIN,
  {0},
};

const struct command command_run = {
  .name = "run",
  .arguments = "PROGRAM",
  .summary = "run a program on a chip under a scheme and say what its caches did",
  .description = "PROGRAM is a bundled workload (weir list workloads) or a launch file, which names any PTX file, its "
                 "buffers and launches. Under a scheme that leaves values open (key=best:1..8|12) each combination is run, and "
                 "the best one reported. Exits with 1 if the program's results are wrong.",
  .options = options,
  .least = 1,
  .most = 1,
  .run = run,
};
