// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A decoded module: every function's instructions in one array indexed by PC, its variables laid out in device memory,
// ready to be stepped by warps of a fixed width. Invariant: immutable once built, so that many chips, and many
// processes after a fork, share it.
#ifndef WEIR_EXEC_PROGRAM_H
#define WEIR_EXEC_PROGRAM_H

#include "base/diag.h"
#include "exec/assembler.h"
#include "exec/memory.h"
#include "exec/winstr.h"
#include "ptx/ir.h"

struct weir_kernel_param {
  const char *name;
  uint32_t offset, bytes, align; // in the parameter buffer
  enum weir_type type;           // NONE for an array (struct by value)
  bool is_pointer;               // written .ptr, or .u64/.b64
  bool is_shared_pointer;        // .ptr .shared (OpenCL __local argument: the host passes a byte count)
};

struct weir_kernel {
  const char *name;
  uint32_t entry;         // PC of its first instruction
  uint32_t function;      // index
  uint32_t place, places; // of its machine code, without that of what it calls (weir_program_places)
  uint32_t param_count, param_bytes;
  const struct weir_kernel_param *params;
  uint32_t shared_bytes;          // static; extern .shared begins after it, aligned as declared
  uint32_t shared_align;          // of the extern array (1 if there is none)
  uint32_t local_bytes;           // per thread, call stack included
  bool served;                    // it may call what the platform provides: printf, malloc, free, assert
  bool clocked;                   // it may read %clock or %globaltimer
  bool multiplies;                // it may multiply matrices, which takes matrix units
  bool recurses;                  // calls may come back to a function: their stack has a fixed size
  uint32_t registers;             // 32-bit registers per thread that its assembler would use (exec/estimate/estimate.h)
  bool registers_counted;         // … or has used: weir_program_count_registers
  uint32_t maxnreg, minnctapersm; // .maxnreg, .minnctapersm; 0: not given
  uint32_t maxntid[3];            // 0: not given
  uint32_t reqntid[3];
  uint32_t reqnctapercluster[3], maxclusterrank; // 0: not given
  bool explicitcluster;                          // it is launched in clusters only
};

// Where the kernel's dynamic shared memory, its extern array, begins: behind its static variables.
uint64_t weir_dynamic_shared_base(const struct weir_kernel *k);

struct weir_program;

// Decodes every function of the module for warps of `lanes` (32 or 64) lanes, in the order that `code` says, estimates the
// registers that its assembler would give its threads, and allocates its .global and .const variables in `memory`. Reports everything that cannot be run (ptx/check.h); NULL if there is any. The module must
// outlive the program.
struct weir_program *weir_program_build(const struct weir_module *m, unsigned lanes, struct weir_code code,
                                        struct weir_memory *memory, struct weir_sink *sink);
// Reports everything that keeps weir from running the module; true if there is nothing.
bool weir_program_check(const struct weir_module *m, struct weir_sink *sink);
// The same as weir_program_build, but an instruction that cannot be run is a fault where it is executed: a program's other kernels run.
struct weir_program *weir_program_build_partly(const struct weir_module *m, unsigned lanes, struct weir_code code,
                                               struct weir_memory *memory, struct weir_sink *sink);
void weir_program_free(struct weir_program *p);

const struct weir_kernel *weir_program_kernel(const struct weir_program *p, const char *name); // NULL: none
const struct weir_kernel *weir_program_kernels(const struct weir_program *p, uint32_t *count);
// The program's machine code gives the kernel so many registers per thread, in place of the estimate. Before its first
// launch; false: there is no such kernel.
bool weir_program_count_registers(struct weir_program *p, const char *name, uint32_t registers);
// PCs are unique over all programs in one memory: this program's are [first, first + count).
uint32_t weir_program_first_pc(const struct weir_program *p);
const struct weir_static *weir_program_statics(const struct weir_program *p, uint32_t *count); // of PC first + index
// Where machine code has the instruction of PC first + index, as an instruction's number in the machine code of all programs in the memory;
// [count]: where the program's code ends. As it is written, an instruction has one place. Assembled, it has as many as it becomes machine instructions, and
// each function begins at a multiple of WEIR_CODE_ALIGN.
const uint32_t *weir_program_places(const struct weir_program *p);
enum { WEIR_CODE_ALIGN = 8 }; // 128 bytes: NVIDIA's cubins have functions so, filled up behind a branch to itself
const char *weir_program_function_name(const struct weir_program *p, uint32_t function);
const char *weir_program_function_path(const struct weir_program *p, uint32_t function); // the PTX file that it is from
const char *weir_program_file(const struct weir_program *p, uint32_t source_file);       // NULL: unknown
const char *weir_program_path(const struct weir_program *p);                             // the PTX file
// That it was decoded from; NULL: it is streamed (exec/streamed.h).
const struct weir_module *
weir_program_module(const struct weir_program *p); // whose functions are those that run (ptx/ir.h: `written`)
unsigned weir_program_lanes(const struct weir_program *p);
uint32_t weir_program_registers(const struct weir_program *p); // scoreboard numbers are below this
// Address and size of a module variable; 0 if there is none of that name.
uint64_t weir_program_variable(const struct weir_program *p, const char *name, uint64_t *bytes);

#endif
