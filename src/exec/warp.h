// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Thread blocks and their warps while they execute. Invariant: a warp's architectural state changes only in
// weir_warp_step, one instruction at a time, so any interleaving of steps of a block's warps is a legal execution; the
// caller chooses it (round robin when only results matter, the chip's schedulers when time does).
//
// Divergence: a SIMT stack that reconverges at immediate post-dominators (Fung et al., MICRO 2007).
#ifndef WEIR_EXEC_WARP_H
#define WEIR_EXEC_WARP_H

#include "exec/aside.h"
#include "exec/program.h"

// What device code may ask of the host.
struct weir_launch;
struct weir_launch_state;
struct weir_fault;
struct weir_crew;
struct weir_services {
  void *context;
  // Text of device-side printf and of a failed assert, formatted; may be called in the middle of a launch.
  void (*print)(void *context, const char *text, size_t bytes);
  uint64_t heap_bytes;  // that device-side malloc may have in use at a time; 0: 8 MiB, CUDA's default
  uint32_t stack_bytes; // of a thread whose calls may recurse, 0: 32 KiB
  // Told of an access outside all buffers that a real device would let pass, because it protects no less than a page, and all
  // constants as one: what it reads is 0, what it writes is lost. Once for each instruction of a block. NULL: such an
  // access is a fault like any other.
  void (*strayed)(void *context, const struct weir_launch *launch, const struct weir_fault *where);
};

enum { WEIR_GRID_WORKSPACE_BYTES = 8 };
enum { WEIR_MAX_CLUSTER = 16, WEIR_PORTABLE_CLUSTER = 8 }; // blocks: at most, and on every chip that has clusters

// Told of each instruction that a warp of the launch has stepped through: which block of the grid, in the order of their indices,
// and which of its warps.
struct weir_listener {
  void (*stepped)(void *context, uint64_t block, unsigned warp, const struct weir_winstr *what, bool exits);
  void *context;
};

// An access-policy window: accesses to its bytes that name no eviction priority of the L2 ask what the policy says
// (exec/descriptor.h). None has 0 bytes.
struct weir_access_window {
  uint64_t address, bytes, policy;
};

struct weir_launch {
  const struct weir_program *program;
  const struct weir_kernel *kernel;
  struct weir_memory *memory;
  uint32_t grid[3], block[3];
  uint32_t cluster[3]; // blocks of a cluster, of which the grid has a whole number; 0: as the kernel requires, else one
  uint32_t dynamic_shared_bytes;
  uint32_t registers;                   // per thread; 0: the kernel's
  uint8_t shared_preference;            // of weir_prefer_shared; 0: none
  const void *params;                   // kernel->param_bytes bytes, laid out as kernel->params say
  uint64_t step_limit;                  // warp instructions before the launch is called a runaway; 0: none
  uint64_t *steps;                      // counts them; shared by all blocks of the launch
  const uint64_t *clock;                // what %clock reads, in core cycles; NULL: reads *steps
  const uint64_t *time_ps;              // what %globaltimer reads, there in nanoseconds; NULL: reads *steps
  uint64_t *meetings;                   // counts how often a cluster has met at its barrier; NULL: nobody asks
  const struct weir_services *services; // NULL: text goes to stderr, and the heap has 8 MiB (CUDA's default)
  uint64_t first_block; // without time: blocks before the one of this number have run (weir_block_index)
  bool cooperative;     // all blocks must be resident together: they may wait for each other
  // Of a cooperative launch: device address of WEIR_GRID_WORKSPACE_BYTES bytes, which %envreg1 (high) and %envreg2 (low)
  // hold. Generated code reads them as {u32 bytes, u32 barrier} and traps if the address is 0. The host sets them to 0 once;
  // the barrier may go from one launch to the next, but not serve two at a time.
  uint64_t grid_workspace;
  struct weir_access_window window;
  const struct weir_streams *streams;    // what its warps do, of a streamed program (exec/streamed.h); else NULL
  const struct weir_listener *listener;  // NULL: nobody listens
  const struct weir_launch_state *state; // of weir_launch_begin, for all its blocks; NULL: each has its own
  struct weir_crew *crew;   // that shares it, where it runs without time (base/crew.h); NULL: one thread does
  struct weir_aside *aside; // where what its warps do to memory that cores share is put off; NULL: it is done at once
};

// A launch prefers so many percent of the most shared memory that a core may have; its first-level cache has the rest.
static inline uint8_t weir_prefer_shared(unsigned percent) {
  return (uint8_t)(percent + 1);
}

static inline uint64_t weir_launch_blocks(const struct weir_launch *l) {
  return (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
}

static inline uint64_t weir_block_threads(const struct weir_launch *l) {
  return (uint64_t)l->block[0] * l->block[1] * l->block[2];
}

// Why execution stopped. The message is complete but for the place, which is kernel, line, source line, block, thread.
enum weir_fault_kind {
  WEIR_FAULT_OTHER,
  WEIR_FAULT_ACCESS,
  WEIR_FAULT_MISALIGNED,
  WEIR_FAULT_ASSERT,
  WEIR_FAULT_TRAP,
  WEIR_FAULT_RUNAWAY
};

struct weir_fault {
  bool raised;
  uint8_t kind; // enum weir_fault_kind
  char message[256];
  uint32_t pc;
  uint32_t block[3], thread[3];
};

enum weir_step {
  WEIR_STEP_DONE_ONE, // executed one instruction, the warp goes on
  WEIR_STEP_BARRIER,  // executed a barrier and now waits (weir_warp_waiting) unless it was the last to arrive
  WEIR_STEP_EXITED,   // executed one instruction and no lane is left: the warp is done
  WEIR_STEP_FAULT,    // nothing was executed; the fault says why
};

struct weir_warp;
struct weir_block_state;

// What all blocks of the launch share: its parameters, and registers that hold the same in all of them. To be ended once none of them
// is left; both take NULL, which a streamed program's launch has.
struct weir_launch_state *weir_launch_begin(const struct weir_launch *launch);
void weir_launch_end(struct weir_launch_state *s);

// Storage for one resident block of `launch`; weir_block_start (re)uses it for one block index after another.
struct weir_block_state *weir_block_create(const struct weir_launch *launch);
void weir_block_start(struct weir_block_state *b, uint32_t x, uint32_t y, uint32_t z);

// Clusters of a launch (exec/cluster.h): how many blocks they have in each direction, and in all.
void weir_cluster_dims(const struct weir_launch *l, uint32_t dims[3]);
uint32_t weir_cluster_blocks(const struct weir_launch *l);
bool weir_cluster_is_explicit(const struct weir_launch *l); // the launch or its kernel says so
// What is wrong with them, without regard to a chip, freed by weir_free: they do not divide the grid, are too large, or not what the
// kernel asks for. NULL: nothing.
char *weir_cluster_flaw(const struct weir_launch *l);
bool weir_cluster_check(const struct weir_launch *l, struct weir_fault *fault); // the same as a fault: false
// Blocks are numbered through cluster after cluster, in one by their ranks; without clusters, in the order of their indices.
void weir_block_index(const struct weir_launch *l, uint64_t number, uint32_t index[3]);
// A cluster of several blocks, to be started one after the other before a warp of any steps. It is freed with the last of them.
struct weir_cluster;
struct weir_cluster *weir_cluster_create(const struct weir_launch *l);
void weir_block_start_in(struct weir_block_state *b, struct weir_cluster *c, const uint32_t index[3]);
void weir_block_free(struct weir_block_state *b);

unsigned weir_block_warps(const struct weir_block_state *b);
struct weir_warp *weir_block_warp(struct weir_block_state *b, unsigned i);
bool weir_block_done(const struct weir_block_state *b);
void weir_block_set_place(struct weir_block_state *b, unsigned sm, unsigned first_warp_slot); // %smid, %warpid

// Executes the warp's next instruction. `out` is filled for the timing model (address[] only for memory instructions).
enum weir_step weir_warp_step(struct weir_warp *w, struct weir_winstr *out, struct weir_fault *fault);

// It is going to step: the lines of the host's cache with its state are fetched.
static inline void weir_warp_prefetch(const struct weir_warp *w) {
  __builtin_prefetch(w, 1);
  __builtin_prefetch((const char *)w + 64);
}
// … and its state is there: those with what its next instruction reads and writes.
void weir_warp_prefetch_operands(const struct weir_warp *w);
uint32_t weir_warp_pc(const struct weir_warp *w);  // of the next instruction; valid while not exited
bool weir_warp_waiting(const struct weir_warp *w); // at a barrier that is not complete
bool weir_warp_exited(const struct weir_warp *w);
uint64_t weir_warp_met(const struct weir_warp *w); // launch->clock when its cluster last met at its barrier
bool weir_block_awaits_cluster(const struct weir_block_state *b); // a warp of it waits there

// Called when no warp of the block can go on: fills `fault` with what each waits for (a barrier that cannot be met).
void weir_block_deadlock(const struct weir_block_state *b, struct weir_fault *fault);

// Runs the whole launch without timing. False and `fault` if it stopped early. The blocks of a
// window, and their warps, advance side by side in a fixed order (exec/functional.c), so that one may spin until another has
// done its part, and races that do no harm on a device do none here.
bool weir_run_functional(const struct weir_launch *launch, struct weir_fault *fault);

// Why one thread has all of such a launch, whatever its crew, or NULL.
const char *weir_functional_alone(const struct weir_launch *launch);

// As weir_run_functional, by one thread, and the observer (NULL: none) is told of every access to global memory that some lane makes, in
// the order in which they are made.
struct weir_observer {
  void (*saw)(void *context, const struct weir_winstr *access);
  void *context;
  bool constants; // it is told of accesses to these, too
};
bool weir_run_observed(const struct weir_launch *launch, const struct weir_observer *observer,
                       struct weir_fault *fault);

// The fault as a diagnostic: PTX file and line with caret, source line when known, kernel, block and thread.
void weir_fault_report(const struct weir_fault *fault, const struct weir_launch *launch, struct weir_sink *sink);
// The same as a warning: of an access that strayed.
void weir_fault_warn(const struct weir_fault *fault, const struct weir_launch *launch, struct weir_sink *sink);

#endif
