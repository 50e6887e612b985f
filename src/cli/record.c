// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// weir record: a program's accesses to the first-level caches, into a file.
#include "cli/options.h"
#include "replay/capture.h"

static int run(const struct options *o) {
  if (!o->output_path) return weir_usage_error("record", "--output says which file gets the stream");
  if (o->scheme_count > 1) return weir_usage_error("record", "one --scheme only: a recording is of one run");
  const struct weir_experiment e =
    weir_options_experiment(o, o->arguments[0], o->scheme_count ? o->schemes[0] : DEFAULT_SCHEME);
  struct weir_sink sink = {0};
  struct weir_captured done;
  const bool ok = weir_record_program(&e, o->output_path, &done, &sink);
  if (ok)
    fprintf(stderr, "weir: %s: %llu records of %llu launches\n", o->output_path, (unsigned long long)done.records,
            (unsigned long long)done.launches);
  const int complaints = weir_conclude(&sink);
  return ok ? complaints : WEIR_EXIT_USER;
}

static const struct argp_option options[] = {
  {"output", KEY_OUT, "FILE", 0, "the file that gets the stream", 0},
  ROW_CHIP,
  {"scheme", KEY_SCHEME, "SCHEME", 0, "NAME[,key=value...] (weir list schemes; default: " DEFAULT_SCHEME ")", 0},
  ROW_SIZE,
  ROW_SET,
  ROW_REGISTERS,
  ROWS_PROGRAM,
  ROW_PLUGIN,
  {0},
};

const struct command command_record = {
  .name = "record",
  .arguments = "PROGRAM",
  .summary = "keep a program's accesses to the caches in a file, for weir replay and other tools",
  .description =
    "Runs a workload or launch file on the chip and keeps every access that a first-level cache takes or that goes past "
    "it, in the order in which that happens (docs/STREAMS.md).",
  .options = options,
  .least = 1,
  .most = 1,
  .run = run,
};
