// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What look-ahead, issue and write-back want of an instruction, one per PC, made when a core learns of its program: three cache
// lines of the host, of which most instructions need the first. Invariant: it follows from the instruction and the chip alone.
#ifndef WEIR_GPU_DECODED_H
#define WEIR_GPU_DECODED_H

#include "exec/winstr.h"
#include "gpu/core.h"

#include <stdbool.h>

struct weir_decoded {
  _Alignas(64) uint8_t unit; // enum weir_unit_kind
  uint8_t writes, count;     // registers written; these and those read
  uint8_t operands;          // registers that a collector reads
  bool loads_data, results;  // by the first-level cache; something to write back, if only the warp's end
  bool scattered;            // its registers lie in more than two words of the scoreboard, one behind the other
  uint8_t slots;             // of its scheduler that it takes
  bool beside;               // its results are waited for by groups (copies.h), and by no register
  uint8_t least_cycles;      // from its issue to its results, whatever else they take
  uint8_t stall_cycles;      // from its issue to that of its warp's next one, at least; 0: no more than its slots
  uint32_t latency;          // of what a unit takes: cycles in its pipeline,
  uint32_t occupancy;        // for which it takes nothing else,
  uint32_t result_cycles;    // and from its beginning to its results
  uint32_t first_word; // of the two; which of their bits are of registers that it writes or reads, and that it writes
  uint64_t touched[2], written[2];
  uint32_t registers[WEIR_STATIC_MAX_DST + WEIR_STATIC_MAX_SRC]; // scoreboard numbers, those written first
};

// Storing or loading a parameter of a call is a move, where these lie in registers.
static inline bool weir_is_move(const struct weir_core_config *k, const struct weir_static *s) {
  return s->space == WEIR_MEM_CALL && k->call_parameters == WEIR_PARAMETERS_REGISTERS;
}

// Whether what statics[i] writes is a predicate that first guards an instruction, as far as the ones behind it tell.
bool weir_writes_guard(const struct weir_static *statics, uint32_t count, uint32_t i);

// loads_data: whether it is a load by the first-level cache; writes_guard: as above.
void weir_decode_timing(struct weir_decoded *d, const struct weir_core_config *k, const struct weir_static *s,
                        bool loads_data, bool writes_guard);

// core.stall_counts: the counts that the scoreboard does not imply, of a program's instructions, whose timing is there. From Volta on no register
// that is written in a known time holds a warp back: NVIDIA's assembler writes into each instruction how many cycles the next one waits (Huerta
// et al., MICRO 2025, section 4), as if no load were waited for between. So behind an instruction that has waited for one, the rest of a count from
// before is still waited for. Branches have core.branch_cycles.
void weir_decode_stalls(struct weir_decoded *d, const struct weir_core_config *k, const struct weir_static *statics,
                        uint32_t count);

#endif
