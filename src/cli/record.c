// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// weir record: a program's accesses to the first-level caches, into a file.
#include "cli/options.h"
#include "cli/program.h"
#include "replay/capture.h"
#include "run/numbers.h"

// Its exit status is the program's, as that of weir run.
static int end_program(const struct options *o, const struct weir_command_result *r, struct weir_sink *sink) {
  if (r->recordings > 1)
    weir_fail_plain(sink, "%u processes used a device; '%s' has what the first of them did", r->recordings,
                    o->output_path);
  else if (!r->recordings)
    weir_fail_plain(sink, "nothing is recorded: '%s' used no device, or did not end by itself", o->program[0]);
  else if (!sink->errors)
    fprintf(stderr, "weir: %s: %.0f warp instructions\n", o->output_path,
            (double)weir_run_total(r->runs[0]).warp_instructions);
  if (sink->errors) return WEIR_EXIT_USER;
  return weir_program_status(r);
}

// A program that has never heard of weir.
static int record_program(const struct options *o) {
  struct weir_sink sink = {0};
  struct weir_setup setup;
  struct weir_command_result result = {0};
  struct weir_experiment e =
    weir_options_experiment(o, o->program[0], o->scheme_count ? o->schemes[0] : WEIR_DEFAULT_SCHEME);
  e.recording = o->output_path;
  int status = WEIR_EXIT_USER;
  if (weir_setup_read_process(&setup, &e, &sink)) {
    const bool once = !weir_setup_foresees(&setup) ||
      weir_fail_plain(&sink, "--scheme: '%s' needs more than one run; record keeps one", e.scheme);
    weir_setup_free(&setup);
    if (once && weir_command_run(&e, o->program, WEIR_STREAMS_OWN, &result, &sink))
      status = end_program(o, &result, &sink);
  }
  weir_command_result_free(&result);
  weir_conclude(&sink);
  return status;
}

static int run(const struct options *o) {
  if (!o->output_path) return weir_usage_error("record", "--output says which file gets the stream");
  if (o->scheme_count > 1) return weir_usage_error("record", "one --scheme only: a recording is of one run");
  if (o->program && !o->instructions)
    return weir_usage_error("record",
                            "accesses of a program after -- are recorded in two steps: weir record --instructions "
                            "-o FILE -- PROGRAM, then weir record FILE, which runs the recording");
  if (o->program) return weir_program_options("record", o) ? record_program(o) : WEIR_EXIT_USER;
  const struct weir_experiment e =
    weir_options_experiment(o, o->arguments[0], o->scheme_count ? o->schemes[0] : WEIR_DEFAULT_SCHEME);
  struct weir_sink sink = {0};
  struct weir_captured done;
  const bool ok = (o->instructions ? weir_record_instructions : weir_record_accesses)(&e, o->output_path, &done, &sink);
  if (ok)
    fprintf(stderr, "weir: %s: %llu %s of %llu launches\n", o->output_path, (unsigned long long)done.records,
            o->instructions ? "warp instructions" : "records", (unsigned long long)done.launches);
  const int complaints = weir_conclude(&sink);
  return ok ? complaints : WEIR_EXIT_USER;
}

static const struct argp_option options[] = {
  {"output", KEY_OUT, "FILE", 0, "the file that gets the stream", 0},
  {"instructions", KEY_INSTRUCTIONS, 0, 0,
   "keep what each warp executes, in place of accesses: a program that weir run takes, on any chip and under any scheme",
   0},
  ROW_CHIP,
  {"scheme", KEY_SCHEME, "SCHEME", 0, "NAME[,key=value...] (weir list schemes; " DEFAULT_SCHEME_HELP ")", 0},
  ROW_SIZE,
  ROW_SET,
  ROW_REGISTERS,
  ROWS_PROGRAM,
  ROW_PLUGIN,
  {0},
};

const struct command command_record = {
  .name = "record",
  .arguments = "PROGRAM\n--instructions -- ./program ARGUMENT...",
  .summary = "keep a program's accesses to the caches, or its instructions, in a file",
  .description =
    "Runs a workload, launch file or recording of instructions on the chip and keeps every access that a first-level cache takes or that goes past "
    "it, in the order in which that happens, for weir replay and other tools; or, with --instructions, what each warp "
    "executes, for weir run, also of any program behind -- (docs/STREAMS.md).",
  .options = options,
  .least = 1,
  .most = 1,
  .takes_program = true,
  .run = run,
};
