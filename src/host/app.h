// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A program that weir can run, whatever it comes from: a bundled workload, a launch file or a recording. Invariant: after
// weir_app_open the program is prepared; weir_app_run may be called once per process.
#ifndef WEIR_HOST_APP_H
#define WEIR_HOST_APP_H

#include "host/host.h"
#include "host/workload.h"
#include "sl1/sl1.h"

struct weir_app;

enum weir_check_outcome { WEIR_CHECK_NONE, WEIR_CHECK_PASSED, WEIR_CHECK_FAILED };

struct weir_app_options {
  enum weir_size size;
  const char *input; // --input FILE or NULL
  uint64_t seed;
  uint64_t step_limit; // warp instructions per launch; 0: none
  unsigned lanes;      // of the chip: 32 or 64
  struct weir_code code;
  uint64_t memory_bytes; // that the device has; 0: as many as it has addresses for
  struct weir_program_options program;
};

// `name` is a workload's name or the path of a launch file (YAML). NULL and diagnostics if it cannot be opened.
struct weir_app *weir_app_open(const char *name, const struct weir_app_options *options, struct weir_sink *sink);
void weir_app_free(struct weir_app *a);

// The path of the PTX that a program of that name runs, freed by weir_free; NULL and a diagnostic: there is none.
char *weir_app_module(const char *name, struct weir_sink *sink);

bool weir_app_run(struct weir_app *a, struct weir_backend backend); // false: stopped early, the sink says why
enum weir_check_outcome weir_app_check(struct weir_app *a);

const char *weir_app_name(const struct weir_app *a);
struct weir_host *weir_app_host(struct weir_app *a);
const struct weir_program *weir_app_program(const struct weir_app *a);
struct weir_memory *weir_app_memory(struct weir_app *a);
const struct weir_sl1_report *weir_app_sl1(const struct weir_app *a); // NULL: the program runs without S-L1
// After a run: writes the buffers the launch file lists under `dump` to files beside it.
bool weir_app_dump(struct weir_app *a, struct weir_sink *sink);
bool weir_app_dumps(const struct weir_app *a); // are there any?

// The functional backend: results, no time. The crew (base/crew.h; NULL: one thread) shares each launch, to the same results.
struct weir_backend weir_functional_backend(struct weir_crew *crew);

#endif
