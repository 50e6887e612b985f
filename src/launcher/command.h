// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Programs that have never heard of weir (weir run -- ./program). Invariant: the launcher and the device inside the program
// (src/device) talk through the environment (run/environment.h) and the results folder alone. Each process that uses a
// device has one run object there, <start>-<pid>.json, so that what ended is there whatever happens next.
//
// The launcher puts the front doors first: LD_LIBRARY_PATH begins with their folder, OCL_ICD_VENDORS names it (our
// weir.icd is in it), and LD_PRELOAD has libweirends.so (src/device/library), and libcudart.so too if the program would look
// elsewhere for it first. That folder is lib/weir beside the executable (build tree) or ../lib/weir (installed). WEIR_DATA
// tells the program where the launcher's chips and schemes are. Where the system allows it, addresses are not randomised,
// since device code sees those of pinned memory.
#ifndef WEIR_LAUNCHER_COMMAND_H
#define WEIR_LAUNCHER_COMMAND_H

#include "batch/batch.h"
#include "run/experiment.h"

enum weir_command_streams {
  WEIR_STREAMS_OWN,       // the program's are weir's
  WEIR_STREAMS_TO_STDERR, // what it prints goes to stderr: weir's stdout is for weir alone
  WEIR_STREAMS_KEPT,      // it reads nothing, and what it prints is kept
};

struct weir_command_result {
  json_t **runs; // run objects of the processes that used a device, in the order of their start
  unsigned run_count, run_capacity;
  unsigned timeline_count;
  json_t
    *timeline; // of an experiment that asks for it: of all these processes (run/trace_events.h); NULL: none had one
  unsigned
    recordings; // of an experiment that asks for one: how many processes left one; the first has the file that it names
  bool signalled;
  int status;      // exit status, or the signal's number
  char *foreign;   // libraries of NVIDIA's that were loaded in the place of weir's, and why: lines; NULL: none
  json_t *inputs;  // of a command line that tells them: what it read, as process.inputs has it
  char *changed;   // a file of these that has changed since the start: nothing can be said of them; NULL: none
  char *out, *err; // WEIR_STREAMS_KEPT: what it printed; NUL-terminated
  size_t out_bytes;
};

// The file that a shell would run for `name`; freed by weir_free. NULL and a diagnostic if there is none.
char *weir_command_find(const char *name, struct weir_sink *sink);

// The chip that a program runs on unless told otherwise: WEIR_ENV_DEFAULT_CHIP or, where some of its PTX is for a newer device, the
// first of a few others that take all of it. Of a program that cannot be read, or whose PTX none takes: WEIR_ENV_DEFAULT_CHIP.
const char *weir_command_default_chip(const char *name);

// False and a diagnostic if it can be seen that the program of that file cannot work (a static CUDA runtime, no PTX inside, the driver API, a
// runtime that weir has no library of).
bool weir_command_fits(const char *path, struct weir_sink *sink);

// Runs `argv` (NULL-terminated) to its end under the experiment and collects the run objects. SIGINT and the like end the
// program, not weir, which still reports. False and a diagnostic if it could not be started, or does not fit.
bool weir_command_run(const struct weir_experiment *e, char *const argv[], enum weir_command_streams streams,
                      struct weir_command_result *result, struct weir_sink *sink);
// Did some process launch what the experiment selects, or none anything? If not, a diagnostic says what there was.
bool weir_command_selected(const struct weir_command_result *result, struct weir_sink *sink);
// Has some process PTX of the files that hints are for? If not, a diagnostic for each.
bool weir_command_hinted(const struct weir_command_result *result, struct weir_sink *sink);
void weir_command_result_free(struct weir_command_result *r);

// For struct weir_batch_options: the command line of an experiment runs to its end, reading nothing. The run object is that of
// the first process that launched a kernel; its `process` has what it printed, how it ended and, if asked for, what it read.
json_t *weir_command_experiment(const struct weir_experiment *e, struct weir_sink *sink);

// Whether each command line of the batch printed the same and ended alike on each chip, as it is set, under all schemes; each difference is
// reported as a warning. Also notes, once, which of them cannot be kept in a store, and names in --registers that none launched.
bool weir_command_agree(const struct weir_batch *b, struct weir_sink *sink);

#endif
