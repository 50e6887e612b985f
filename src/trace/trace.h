// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// CPU programs as traces, for whoever wants to run them again. Invariant: a trace is a list of segments; a segment is a
// run of one thread's instructions in program order, without a gap; and every instruction executed is an instance of
// one static instruction, which says all that is the same each time: how it is encoded, what it reads and writes, how
// many bytes it loads and stores, and whether it branched. What differs from time to time are the addresses, and which
// instruction follows. Static instructions that differ in anything are different, also at one PC.
#ifndef WEIR_TRACE_TRACE_H
#define WEIR_TRACE_TRACE_H

#include "base/diag.h"

#include <stdint.h>

// How long an instruction takes in a core's execution units, memory apart.
enum weir_trace_kind {
  WEIR_TRACE_UNKNOWN, // ChampSim's records do not tell
  WEIR_TRACE_INTEGER, // one-cycle arithmetic, moves, address computation, nops
  WEIR_TRACE_MULTIPLY,
  WEIR_TRACE_DIVIDE,
  WEIR_TRACE_FLOAT_ADD,      // also conversions and comparisons
  WEIR_TRACE_FLOAT_MULTIPLY, // also fused multiply-add
  WEIR_TRACE_FLOAT_DIVIDE,   // also square roots and x87's transcendental functions
  WEIR_TRACE_VECTOR,         // integer arithmetic, moves and shuffles of vector registers
  WEIR_TRACE_SYSTEM,         // system calls, fences, cpuid: nothing overlaps them
  WEIR_TRACE_KINDS
};
extern const char *const weir_trace_kind_names[WEIR_TRACE_KINDS];

enum weir_trace_branch {
  WEIR_TRACE_NO_BRANCH,
  WEIR_TRACE_JUMP,
  WEIR_TRACE_INDIRECT,
  WEIR_TRACE_CONDITIONAL,
  WEIR_TRACE_CALL,
  WEIR_TRACE_INDIRECT_CALL,
  WEIR_TRACE_RETURN,
  WEIR_TRACE_OTHER_BRANCH,
  WEIR_TRACE_BRANCHES
};
extern const char *const weir_trace_branch_names[WEIR_TRACE_BRANCHES];

// Registers are numbered from 1, as the recorder likes; 0 is none. These three have ChampSim's numbers.
enum { WEIR_TRACE_STACK_POINTER = 6, WEIR_TRACE_FLAGS = 25, WEIR_TRACE_PC = 26 };

// One load or store. `base` is the register that its address comes from (0: not known); it helps to compress only.
struct weir_trace_access {
  uint16_t bytes; // 0: not known
  uint8_t store;  // 0 or 1
  uint8_t base;
};

enum { WEIR_TRACE_ACCESSES = 8, WEIR_TRACE_REGISTERS = 8 };

// Compared as bytes: what is not used is 0.
struct weir_trace_static {
  uint64_t pc;
  struct weir_trace_access accesses[WEIR_TRACE_ACCESSES];
  uint8_t sources[WEIR_TRACE_REGISTERS], destinations[WEIR_TRACE_REGISTERS];
  uint8_t access_count, source_count, destination_count;
  uint8_t length;       // bytes; 0: not known
  uint8_t kind, branch; // enums above
  uint8_t taken;        // of a branch: 1 if it went elsewhere than to the next instruction in memory
  uint8_t spare;
};

struct weir_trace_inst {
  const struct weir_trace_static *what; // until the reader is closed
  const uint64_t *addresses;            // one per access, until the next call of the reader
  uint64_t next_pc; // of the instruction that followed: a taken branch's target; 0 after a ChampSim trace's last
};

struct weir_trace_segment {
  uint32_t thread;
  uint64_t first; // number of its first instruction in its thread's run, from 0
  uint64_t instructions;
  double weight; // the part of the thread's run that it stands for; 1 where nothing was sampled
};

struct weir_trace_totals {
  uint64_t instructions, kinds[WEIR_TRACE_KINDS], branches[WEIR_TRACE_BRANCHES], taken, loads, stores;
};

struct weir_trace_info {
  bool champsim;
  char **arguments; // the program and its arguments; none of a ChampSim trace
  unsigned argument_count;
  const char *isa, *recorder;
  uint64_t run_instructions; // what the program's first thread executed, recorded or not; 0: not known
  uint64_t dropped_accesses; // beyond WEIR_TRACE_ACCESSES of one instruction
  struct weir_trace_segment *segments;
  unsigned segment_count;
  struct weir_trace_totals totals; // of all segments; all 0 of a ChampSim trace, which must be read to be counted
  uint32_t static_count;
  uint64_t file_bytes;
};

struct weir_trace_reader;

// Opens a weir trace or a ChampSim trace (plain, gzip, xz or zstd), told apart by content, at the first instruction of
// thread 0. NULL and a diagnostic if it is neither, or damaged where that shows at once. The sink is used until the
// reader is closed.
struct weir_trace_reader *weir_trace_open(const char *path, struct weir_sink *sink);
void weir_trace_close(struct weir_trace_reader *r);
const struct weir_trace_info *weir_trace_info(const struct weir_trace_reader *r);

// Continues with the first instruction of that thread, or of that segment alone. False and a diagnostic if there is
// none.
bool weir_trace_select_thread(struct weir_trace_reader *r, uint32_t thread);
bool weir_trace_select_segment(struct weir_trace_reader *r, unsigned segment);

// The next instructions of what is selected, at most `most`, all of one segment. 0: no more, or a diagnostic was given.
size_t weir_trace_read(struct weir_trace_reader *r, struct weir_trace_inst *out, size_t most);

// The segment of what was read last.
unsigned weir_trace_current_segment(const struct weir_trace_reader *r);

// Makes the next read start `instructions` after the first one selected. Of a ChampSim trace all before it is read.
// False and a diagnostic if it has not as many.
bool weir_trace_seek(struct weir_trace_reader *r, uint64_t instructions);

// Adds one instruction executed `times` times.
void weir_trace_count(struct weir_trace_totals *t, const struct weir_trace_static *s, uint64_t times);

#endif
