// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a chip file says of its gpu cores (SMs, compute units): limits, front end, function units, memory front end.
#ifndef WEIR_GPU_CORE_H
#define WEIR_GPU_CORE_H

#include "exec/winstr.h"

#include <stdbool.h>
#include <stdint.h>

// The order in which a scheduler offers its warps an issue slot.
enum weir_scheduler_order {
  WEIR_SCHEDULE_LRR,    // loose round robin: from the warp after the last that issued
  WEIR_SCHEDULE_GTO,    // greedy then oldest: the last that issued, then by age
  WEIR_SCHEDULE_OLDEST, // by age
  WEIR_SCHEDULE_GTY,    // greedy then youngest
};

// Which scheduler has the first choice where several want the one memory instruction that a core issues per cycle.
// Which of the warps whose next instruction has been fetched and is free of hazards count as ready.
enum weir_ready_meaning {
  WEIR_READY_HAZARD_FREE, // all of them
  WEIR_READY_ISSUABLE,    // not those whose memory instruction the load/store unit has no room for
};

enum weir_memory_turn {
  WEIR_TURN_CYCLE,       // the cycle's number mod schedulers, as in GPGPU-Sim (shader.cc, Issue_Prio)
  WEIR_TURN_ROUND_ROBIN, // the one after the last that had it
};

// Where parameters and results of device functions lie.
enum weir_call_parameters {
  WEIR_PARAMETERS_REGISTERS, // as compilers pass them: storing and loading one is a move
  WEIR_PARAMETERS_LOCAL,     // in thread-local memory
};

// What the cores execute.
enum weir_core_code {
  WEIR_CODE_WRITTEN,   // the program's PTX in its order
  WEIR_CODE_ASSEMBLED, // in the order of the machine code that NVIDIA's assembler makes of it (exec/assemble)
  WEIR_CODE_MACHINE,   // so, and each instruction takes as many slots as it becomes machine instructions
};

// What takes an instruction.
// In this order: weir_sm_look_ahead tells the two in the middle by their bits.
enum weir_unit_kind { WEIR_UNIT_MAIN, WEIR_UNIT_SPECIAL, WEIR_UNIT_MATRIX, WEIR_UNIT_MEMORY };
enum { WEIR_UNIT_KINDS = WEIR_UNIT_MEMORY }; // of function units

struct weir_latency_config { // cycles of the core clock
  uint32_t latency_cycles, interval_cycles;
  enum weir_unit_kind unit; // but MEMORY
};

enum { WEIR_MAX_CARVEOUTS = 16, WEIR_MAX_GPCS = 64 };

// The sizes that shared memory may have in an array that is first-level cache, too; each larger than the one before.
struct weir_carveouts {
  uint32_t count, kib[WEIR_MAX_CARVEOUTS];
};

struct weir_core_config { // gpu cores (SMs, compute units)
  uint32_t count;
  uint32_t warp_lanes; // 32 or 64
  uint32_t max_warps, max_blocks, registers, shared_bytes;
  uint32_t block_reserved_bytes;   // of shared memory, in each block, beside what it asks for
  uint32_t thread_registers;       // that one thread may have at most
  uint32_t register_unit;          // a thread's registers are rounded up to a multiple of it,
  uint32_t warp_register_unit;     // and then a warp's to a multiple of this
  uint32_t unified_kib;            // of the array that is shared memory and first-level cache in one; 0: two arrays
  const char *carveouts_kib;       // what of it kernels may take as shared memory: the text,
  struct weir_carveouts carveouts; // … and what it says, if there is such an array
  uint32_t carveout_floor_bytes; // of shared memory of their own that blocks have under any preference (gpu/carveout.h)
  bool prefer_l1;                // launches that prefer nothing prefer a larger first-level cache
  const char *kernel_registers;  // "estimated"; "N" or "KERNEL=N", with commas between: what kernels have instead
  const char *ptxas_registers;   // as that, from no chip file: what --ptxas says; NULL: nothing. Borrowed
  uint32_t schedulers;
  enum weir_scheduler_order scheduler;
  uint32_t fetch_instructions;    // per fetch, in sequence: a taken branch drops what follows it
  uint32_t decode_cycles;         // fetch hit to issuable
  uint32_t branch_cycles;         // from a branch's issue to its warp's next one, at least
  uint32_t instruction_bytes;     // in memory
  uint32_t launch_prefetch_bytes; // of its code, at most, that a launch has the shared cache fetch
  uint32_t prefetch_lines;        // that a stream buffer fetches ahead of the last line of instructions
  uint32_t operand_cycles;        // issue to the function unit's input
  uint32_t writeback_cycles;      // result to dependents issuable
  uint32_t register_banks;        // each serves one register per cycle; 0: never in the way
  // Instructions that gather operands at once, by kind of unit; 0: any number.
  uint32_t main_collectors, special_collectors, memory_collectors;
  uint32_t collector_reads;                         // registers that one collector takes per cycle
  uint32_t main_units, special_units, matrix_units; // function units of each kind
  uint32_t unit_backlog;                            // instructions that may wait before a unit
  bool unit_conflicts;      // a unit delivers one result per cycle, and as many instructions as there are units of its
                            // kind wait between collectors and units
  bool partitioned;         // each scheduler has its share of the units to itself
  uint32_t lanes_per_cycle; // lanes a unit takes per cycle; an instruction occupies it warp_lanes / this × interval
  enum weir_ready_meaning ready_warps;
  enum weir_memory_turn memory_turn;
  // Each scheduler's address unit, if address_cycles is not 0: a memory instruction takes it for so long, has one of address_queue
  // places before and in it, and the place is free address_hold_cycles after the instruction's issue, or as much later as the
  // load/store unit lets it wait. Without, the core issues one memory instruction per cycle.
  uint32_t address_cycles, address_queue, address_hold_cycles;
  uint32_t memory_queue;           // memory instructions that may wait before the load/store unit
  uint32_t memory_interval_cycles; // that one occupies it at least
  bool past_l1_in_pipe;            // loads past the first-level cache go through its pipeline, in order
  bool l1_bank_conflicts;          // of the first-level cache's data, which lies in shared memory's banks
  bool parameters_at_launch;       // loads of a launch's parameters miss no cache
  bool constant_by_address;        // loads of constants go by the addresses of their lanes, not by lines
  uint32_t shared_latency_cycles, shared_banks, shared_bank_bytes;
  // A block's barriers: from the last warp's arrival until others go on, and of each arrival.
  uint32_t barrier_cycles, barrier_interval_cycles;
  // Groups of cores, in one of which all blocks of a cluster are (0: none); what another block's shared memory takes beside the unit itself
  // (0: there are no clusters), and each of its 32-byte segments there; from the last arrival at the cluster's barrier to its end.
  uint32_t gpcs, cluster_latency_cycles, cluster_segment_cycles, cluster_barrier_cycles;
  uint32_t groups;          // of neighbouring cores, to which blocks go in turn; 0: from core to core
  uint32_t coalesce_bytes;  // segment of 4-byte and wider elements (128 on Fermi, 64 on GCN)
  bool coalesce_by_element; // 1- and 2-byte elements use 32- and 64-byte segments (compute capability 2.x)
  bool skip_l1_global;      // global loads bypass the first-level cache unless .ca
  enum weir_core_code code;
  bool stall_counts; // what writes in a known time is waited for by the assembler's counts (gpu/decoded.h)
  enum weir_call_parameters call_parameters;
  uint32_t
    guard_cycles; // from the issue of what writes a predicate to that of what it guards, at least; 0: no more than other results take
  uint32_t launch_cycles;      // from a launch until its first block may start
  uint32_t block_start_cycles; // from a block's having room until its warps can fetch, beyond the next cycle
  bool exit_before_stores;     // a warp ends while its stores are on their way
  uint32_t perturb;            // measure: which of many ways blocks and warps start a little late; 0: they do not
  struct weir_latency_config latency[WEIR_CLASS_COUNT]; // by class, those before FENCE; in YAML by their keys
};

// GPCs that clusters of thread blocks may be in.
static inline uint32_t weir_cluster_gpcs(const struct weir_core_config *k) {
  return k->cluster_latency_cycles ? k->gpcs : 0;
}

#endif
