// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// CPU programs by name. Invariant: a name stands for one trace file: of several that there are, the longer recording.
#ifndef WEIR_TRACE_PROGRAMS_H
#define WEIR_TRACE_PROGRAMS_H

#include "trace/misses.h"

struct weir_cpu_program {
  const char *name;
  const char *spec;               // the SPEC CPU2006 program that it is the ancestor, a descendant or of the kind of
  enum weir_trace_class paper;    // that one's class in Holey et al., Table III
  enum weir_trace_class measured; // of its committed trace
  const char *summary;            // what it does
};

const struct weir_cpu_program *weir_cpu_programs(unsigned *count);
const struct weir_cpu_program *weir_cpu_program_find(const char *name); // NULL: not in the table

// The trace of the CPU program `name`: NAME.wtrace in the folder that the environment variable WEIR_CPU_TRACES names; if
// it is not there, weir's own workloads/cpu/traces/NAME.wtrace; if neither is, the file `name` itself, if it is a weir trace
// or has the name of one of ChampSim's. NULL if there is none of these; freed by weir_free.
char *weir_cpu_program_path(const char *name);

#endif
