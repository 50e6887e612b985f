// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A sweep file (docs/SWEEPS.md): which experiments it asks for. Invariant: their order and number depend on the file alone, and those
// of one program, size and seed follow one another, since they share one prepared program.
#ifndef WEIR_BATCH_PLAN_H
#define WEIR_BATCH_PLAN_H

#include "base/arena.h"
#include "run/experiment.h"

enum { WEIR_PLAN_MOST = 1000000 }; // experiments

struct weir_plan_name { // as the file has it
  const char *text;
  struct weir_place place;
};

struct weir_plan_command {
  const char *name;               // as experiments have it in `program`
  struct weir_command_line *line; // the experiments'
  struct weir_place place;
};

struct weir_plan_label {
  const char *of, *text; // of: what experiments have, that very pointer
  struct weir_place place;
};

struct weir_plan {
  struct weir_experiment *items;
  unsigned count, capacity;
  unsigned excluded; // by `exclude`
  struct weir_plan_name *programs, *chips;
  unsigned program_count, program_capacity, chip_count, chip_capacity;
  struct weir_plan_command *commands; // programs behind "--"
  unsigned command_count, command_capacity;
  struct weir_plan_label *labels; // programs, chips and schemes with a `name`
  unsigned label_count, label_capacity;
  char *text; // of the file, which places point into
  struct weir_arena texts;
};

// False and diagnostics with file and line if it is not well-formed. Programs, chips and schemes are not looked up.
bool weir_plan_read(struct weir_plan *p, const char *path, struct weir_sink *sink);
void weir_plan_free(struct weir_plan *p);

// What tables call a program, chip or scheme of the plan's experiments: its `name` in the file, else what it is.
const char *weir_plan_label(const struct weir_plan *p, const char *of);

#endif
