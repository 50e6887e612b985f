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

#include <regex.h>

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
  bool signalled;
  int status;      // exit status, or the signal's number
  char *foreign;   // libraries of NVIDIA's that were loaded in the place of weir's, and why: lines; NULL: none
  char *out, *err; // WEIR_STREAMS_KEPT: what it printed; NUL-terminated
  size_t out_bytes;
};

// The file that a shell would run for `name`; freed by weir_free. NULL and a diagnostic if there is none.
char *weir_command_find(const char *name, struct weir_sink *sink);

// Runs `argv` (NULL-terminated) to its end under the experiment and collects the run objects. SIGINT and the like end the
// program, not weir, which still reports. False and a diagnostic if it could not be started, or can be seen beforehand not
// to work (a static CUDA runtime, no PTX inside, the driver API, a runtime that weir has no library of).
bool weir_command_run(const struct weir_experiment *e, char *const argv[], enum weir_command_streams streams,
                      struct weir_command_result *result, struct weir_sink *sink);
// Did some process launch what the experiment selects, or none anything? If not, a diagnostic says what there was.
bool weir_command_selected(const struct weir_command_result *result, struct weir_sink *sink);
void weir_command_result_free(struct weir_command_result *r);

// Runs `argv` under the experiment of each item of the batch, `jobs` at a time (0: as many as there are processors), with
// its streams kept. Each item's result is the first process that launched a kernel. False if interrupted, or (with a
// diagnostic) if nothing could be started. *same tells whether all printed the same and ended alike; if not, each
// difference is reported as a warning. What `ignored` (NULL: nothing) matches of a printed line is as if it were not there.
bool weir_command_batch(struct weir_batch *b, char *const argv[], unsigned jobs, const regex_t *ignored, bool *same,
                        struct weir_sink *sink);

#endif
