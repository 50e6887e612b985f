// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// S-L1, a first-level cache in software: PTX in, PTX out whose kernels keep thread-private cache lines in shared memory
// (Mokhtari and Stumm, S-L1: a software-based GPU L1 cache that outperforms the hardware L1 for data processing
// applications, MEMSYS 2015). Invariant: a transformed kernel computes the same bytes as the original, whatever is cached;
// its parameter list is the original's; launched by somebody who knows nothing of S-L1 it caches nothing and is still right.
//
// A structure is what a pointer parameter of a kernel points to (section 3.1). Each main loop, an outermost natural loop
// with accesses to structures, becomes three: the original (nothing is cached: CLN = 0, or nothing is worth it), a
// monitoring slice (a simulated line per thread and structure, section 3.2.1) and a computation slice (accesses through
// the lines, section 3.2.3). How a launch gives room to the lines: sl1/launch.h.
#ifndef WEIR_SL1_SL1_H
#define WEIR_SL1_SL1_H

#include "ptx/ir.h"
#include "sl1/options.h"

enum weir_sl1_verdict { // of a structure
  WEIR_SL1_CANDIDATE,   // monitored, then cached if it is worth it
  WEIR_SL1_ATOMIC,      // may be accessed by atomic instructions (section 3.4)
  WEIR_SL1_VOLATILE,    // accessed by volatile, relaxed, acquire or release instructions
  WEIR_SL1_ESCAPES,     // its address is stored, passed to a function, or computed with in ways that are not followed
  WEIR_SL1_NO_REUSE,    // proven: no access finds its line again (the paper's future work, section 6)
  WEIR_SL1_NO_LOOP,     // no access in a main loop
  WEIR_SL1_TOO_MANY,    // 24 others come before it
};

struct weir_sl1_structure {
  const char *parameter;  // name; into the module's arena
  uint32_t offset;        // bytes into the parameter: of pointers in a struct that is passed by value
  uint32_t index;         // of the parameter
  uint32_t loads, stores; // instructions in main loops
  bool written;           // read-write, if any instruction of the kernel may store to it
  enum weir_sl1_verdict verdict;
  uint32_t line; // of the PTX text: the instruction that decided the verdict, or the first access
};

struct weir_sl1_loop {
  uint32_t line, source_file, source_line; // of its header
  const char *left_alone;                  // NULL: transformed; else why not
};

struct weir_sl1_kernel {
  const char *name;
  struct weir_sl1_structure *structures;
  uint32_t structure_count, candidates; // candidates: those that may get a line, the most lines a thread can have
  struct weir_sl1_loop *loops;
  uint32_t loop_count;
  uint32_t untraced; // accesses in main loops that no structure is known of
  bool transformed;
};

// What the pass did; in an arena of its own. Names point into the module.
struct weir_sl1_report {
  struct weir_arena arena;
  struct weir_sl1_kernel *kernels;
  uint32_t kernel_count;
};

// The transformed text of a module that was parsed (not linked), NUL-terminated, freed by weir_free. The module stays as it
// is. Never fails on what parses; what cannot be transformed is printed as it was, and the report says why. `report` may be
// NULL; else weir_sl1_report_free.
char *weir_sl1_transform(const struct weir_module *m, const struct weir_sl1_options *o, struct weir_sl1_report *report);
void weir_sl1_report_free(struct weir_sl1_report *r);

// "atomic", "no reuse", …
const char *weir_sl1_verdict_name(enum weir_sl1_verdict v);

#endif
