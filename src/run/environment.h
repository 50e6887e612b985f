// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// An experiment in environment variables: what a program that has never heard of weir runs under. The launcher (room
// launcher) sets them and the device inside the program (room device) reads them. Invariant: they say all of it, so they
// serve without a launcher, too: a program started with our library in front and WEIR_CHIP set, say, runs on that chip;
// without WEIR_RESULTS its report goes to stderr at exit, unless WEIR_REPORT=none (or a file's path, which gets the run
// object) says otherwise.
#ifndef WEIR_RUN_ENVIRONMENT_H
#define WEIR_RUN_ENVIRONMENT_H

#include "run/experiment.h"

#define WEIR_ENV_CHIP "WEIR_CHIP"       // name or path; default: WEIR_ENV_DEFAULT_CHIP
#define WEIR_ENV_SCHEME "WEIR_SCHEME"   // "NAME[,key=value…]"; default: WEIR_DEFAULT_SCHEME; WEIR_ENV_FUNCTIONAL
#define WEIR_ENV_SL1 "WEIR_SL1"         // as --sl1 has it: "key=value,…"; "true": nothing but the defaults
#define WEIR_ENV_HINTS "WEIR_HINTS"     // of --hint and --hints, a line each: origin, tab, request
#define WEIR_ENV_PTXAS "WEIR_PTXAS"     // "KERNEL=N,…": registers per thread, as --ptxas found them
#define WEIR_ENV_RECORDS "WEIR_RECORDS" // accesses, under a scheme that foresees: "write:FILE", then "read:FILE"
#define WEIR_ENV_SET "WEIR_SET"         // "path=value;path=value"
#define WEIR_ENV_SEED "WEIR_SEED"
#define WEIR_ENV_STEP_LIMIT "WEIR_STEP_LIMIT"
#define WEIR_ENV_THREADS "WEIR_THREADS" // of the host; 0 counts as 1
#define WEIR_ENV_STRICT "WEIR_STRICT"   // true or false (default)
#define WEIR_ENV_KERNELS "WEIR_KERNELS" // which launches are timed (struct weir_select)
#define WEIR_ENV_LAUNCHES "WEIR_LAUNCHES"
#define WEIR_ENV_MAX_LAUNCHES "WEIR_MAX_LAUNCHES"
#define WEIR_ENV_WARM "WEIR_WARM"       // true or false (default)
#define WEIR_ENV_SAMPLE "WEIR_SAMPLE"   // "auto": they are sampled
#define WEIR_ENV_PLUGIN "WEIR_PLUGIN"   // "a.so;b.so"
#define WEIR_ENV_CLOCK "WEIR_CLOCK"     // "modelled" or "still"
#define WEIR_ENV_INPUTS "WEIR_INPUTS"   // "true": what the process reads is told, in that folder
#define WEIR_ENV_RESULTS "WEIR_RESULTS" // folder of run objects
#define WEIR_ENV_REPORT "WEIR_REPORT"   // "none", "stderr" (default) or a path, where there is no WEIR_RESULTS

// File that gets the time line (docs/TIMELINE.md); where there is WEIR_RESULTS, any text: beside the run object, its name's
// ending WEIR_TIMELINE_ENDING.
#define WEIR_ENV_TIMELINE "WEIR_TIMELINE"
#define WEIR_TIMELINE_ENDING ".timeline"

// File that gets what the process's warps execute (docs/STREAMS.md); where there is WEIR_RESULTS likewise.
#define WEIR_ENV_RECORDING "WEIR_RECORDING"
#define WEIR_RECORDING_ENDING ".recording"

#define WEIR_ENV_FUNCTIONAL "functional" // as a scheme: results only

// The newest device that comes with weir: it takes the PTX of all older ones.
#define WEIR_ENV_DEFAULT_CHIP "hopper-h100"

// The experiment that the environment describes; its texts live as long as the process. False and diagnostics if a
// variable is malformed.
bool weir_environment_experiment(struct weir_experiment *e, struct weir_sink *sink);

#endif
