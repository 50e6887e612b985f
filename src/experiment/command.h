// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Programs that have never heard of weir: how the launcher (weir run -- ./program) and the device inside the program
// (src/device) talk. Invariant: the launcher sets the environment below and nothing else; each process that uses a device
// writes one run object, DIR/<start>-<pid>.json, into the results folder, so that what ended is there whatever happens next.
//
// The same variables serve without a launcher: a program started with our library in front and WEIR_CHIP set, say, runs on
// that chip; without WEIR_RESULTS its report goes to stderr at exit, unless WEIR_REPORT=none (or a file's path) says
// otherwise.
#ifndef WEIR_EXPERIMENT_COMMAND_H
#define WEIR_EXPERIMENT_COMMAND_H

#include "experiment/experiment.h"

#define WEIR_ENV_CHIP "WEIR_CHIP"             // name or path; default: WEIR_COMMAND_CHIP
#define WEIR_ENV_SCHEME "WEIR_SCHEME"         // "NAME[,key=value…]"; default lru; "none": functional
#define WEIR_ENV_SET "WEIR_SET"               // "path=value;path=value"
#define WEIR_ENV_SEED "WEIR_SEED"
#define WEIR_ENV_STEP_LIMIT "WEIR_STEP_LIMIT"
#define WEIR_ENV_PLUGIN "WEIR_PLUGIN"         // "a.so;b.so"
#define WEIR_ENV_RESULTS "WEIR_RESULTS"       // folder of run objects
#define WEIR_ENV_REPORT "WEIR_REPORT"         // "none", "stderr" (default) or a path, where there is no WEIR_RESULTS

// CUDA programs count on warps of 32 lanes.
#define WEIR_COMMAND_CHIP "fermi-gtx480"

// The experiment that the environment describes; its texts live as long as the process. False and diagnostics if a
// variable is malformed.
bool weir_command_experiment(struct weir_experiment *e, struct weir_sink *sink);

struct weir_command_result {
  json_t **runs; // run objects of the processes that used a device, in the order of their start
  unsigned run_count, run_capacity;
  bool signalled;
  int status;    // exit status, or the signal's number
};

// Runs `argv` (NULL-terminated) to its end under the experiment, with its standard streams as they are (quiet: its
// output goes nowhere), and collects the run objects. False and a diagnostic if it could not be started, or can be seen
// beforehand not to work (a static CUDA runtime, no PTX inside, the driver API).
bool weir_command_run(const struct weir_experiment *e, char *const argv[], bool quiet,
                      struct weir_command_result *result, struct weir_sink *sink);
void weir_command_result_free(struct weir_command_result *r);

#endif
