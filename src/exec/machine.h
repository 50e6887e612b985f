// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The decoded instruction and the state of a warp, private to exec. Invariant: every operand of a register-only body is
// a vector of `lanes` values in one of four banks, so that a body never asks what kind of operand it has; a predicate is
// one 64-bit lane mask. A narrow register lives in a 32-bit slot whose upper bits mean nothing.
#ifndef WEIR_EXEC_MACHINE_H
#define WEIR_EXEC_MACHINE_H

#include "base/bits.h"
#include "exec/cluster.h"
#include "exec/limits.h"
#include "exec/streamed.h"
#include "exec/warp.h"

struct weir_insn;

// Banks an operand's byte offset counts from. What hundreds of warps share is in few places, which stay in the host's cache.
enum weir_bank {
  WEIR_BANK_FRAME,   // the running function's registers: predicates, then 64-bit slots, then 32-bit slots
  WEIR_BANK_CONST,   // immediates and launch-independent special registers, broadcast; shared by all warps
  WEIR_BANK_LAUNCH,  // special registers of the launch (enum weir_launch_slot), then uniform ones (decode/uniform.c)
  WEIR_BANK_THREADS, // of the warps with this number of all blocks (enum weir_thread_slot)
  WEIR_BANK_WARP,    // special registers of the warp (enum weir_warp_slot)
  WEIR_BANK_BLOCK,   // special registers of the block (enum weir_block_slot)
  WEIR_BANK_COUNT
};

// Slots are 32 bits wide but for EXTERN_SHARED (offset of the kernel's extern .shared), LOCAL (base of the running frame in local
// memory), OWN_WINDOW (generic address of the block's shared memory in its cluster) and ASIDE (results of a body while not all lanes
// run).
enum weir_launch_slot {
  WEIR_SLOT_NTID_X,
  WEIR_SLOT_NTID_Y,
  WEIR_SLOT_NTID_Z,
  WEIR_SLOT_NCTAID_X,
  WEIR_SLOT_NCTAID_Y,
  WEIR_SLOT_NCTAID_Z,
  WEIR_SLOT_NWARPID,
  WEIR_SLOT_DYNAMIC_SMEM,
  WEIR_SLOT_TOTAL_SMEM,
  WEIR_SLOT_RESERVED_SMEM,
  WEIR_SLOT_RESERVED_SMEM_END,
  WEIR_SLOT_ENVREG1,
  WEIR_SLOT_ENVREG2,
  WEIR_SLOT_NCLUSTERID_X,
  WEIR_SLOT_NCLUSTERID_Y,
  WEIR_SLOT_NCLUSTERID_Z,
  WEIR_SLOT_CLUSTER_NCTAID_X,
  WEIR_SLOT_CLUSTER_NCTAID_Y,
  WEIR_SLOT_CLUSTER_NCTAID_Z,
  WEIR_SLOT_CLUSTER_NCTARANK,
  WEIR_SLOT_EXPLICIT_CLUSTER,
  WEIR_SLOT_EXTERN_SHARED,
  WEIR_LAUNCH_SLOTS = WEIR_SLOT_EXTERN_SHARED + 2
};

enum weir_thread_slot { WEIR_SLOT_TID_X, WEIR_SLOT_TID_Y, WEIR_SLOT_TID_Z, WEIR_THREAD_SLOTS };

enum weir_warp_slot { WEIR_SLOT_WARPID, WEIR_SLOT_LOCAL, WEIR_WARP_SLOTS = WEIR_SLOT_LOCAL + 2 };

enum weir_block_slot {
  WEIR_SLOT_CTAID_X,
  WEIR_SLOT_CTAID_Y,
  WEIR_SLOT_CTAID_Z,
  WEIR_SLOT_SMID,
  WEIR_SLOT_CLUSTERID_X,
  WEIR_SLOT_CLUSTERID_Y,
  WEIR_SLOT_CLUSTERID_Z,
  WEIR_SLOT_CLUSTER_CTAID_X,
  WEIR_SLOT_CLUSTER_CTAID_Y,
  WEIR_SLOT_CLUSTER_CTAID_Z,
  WEIR_SLOT_CLUSTER_CTARANK,
  WEIR_SLOT_OWN_WINDOW,
  WEIR_SLOT_ASIDE = WEIR_SLOT_OWN_WINDOW + 2,
  WEIR_BLOCK_SLOTS = WEIR_SLOT_ASIDE + 2
};

struct weir_ref {
  uint32_t offset;
  uint8_t bank;
};

typedef void (*weir_alu_fn)(struct weir_warp *, const struct weir_insn *, uint64_t mask);
// False: nothing was executed and the block's fault is raised. `out` may be NULL.
typedef bool (*weir_memory_fn)(struct weir_warp *, const struct weir_insn *, uint64_t mask, struct weir_winstr *out);

enum weir_kind {
  WEIR_KIND_ALU,
  WEIR_KIND_MEMORY,
  WEIR_KIND_BRANCH,
  WEIR_KIND_TABLE,
  WEIR_KIND_CALL,
  WEIR_KIND_RET,
  WEIR_KIND_EXIT,
  WEIR_KIND_TRAP,
  WEIR_KIND_BARRIER,
  WEIR_KIND_CLUSTER,   // its barrier
  WEIR_KIND_WARPGROUP, // a wait for products of matrices, at which the warps of a group meet
  WEIR_KIND_NOTHING,
  WEIR_KIND_UNIFORM // computed once for the launch: a warp passes it
};

// Where a memory instruction goes, as decoded. FRAME: a function's .param variables, which lie in the thread's local
// memory but are reported as param. KERNEL: the launch's parameter buffer. CLUSTER: shared memory of any block of the cluster.
enum weir_reach {
  WEIR_REACH_GLOBAL,
  WEIR_REACH_CONST,
  WEIR_REACH_SHARED,
  WEIR_REACH_CLUSTER,
  WEIR_REACH_LOCAL,
  WEIR_REACH_FRAME,
  WEIR_REACH_KERNEL,
  WEIR_REACH_GENERIC
};

// To whom a store or atomic shows something.
enum weir_publishes { WEIR_TO_NOBODY, WEIR_TO_BLOCK, WEIR_TO_ALL };

#define WEIR_PC_NONE UINT32_MAX
#define WEIR_FUNCTION_BASE UINT64_C(0x01000000) // a pointer to function k is this + 8 (first_function + k)

// Predicates every frame begins with: constant true, the carry flag, and one for what an instruction needs in passing.
enum { WEIR_PRED_TRUE = 0, WEIR_PRED_CARRY = 8, WEIR_PRED_SCRATCH = 16, WEIR_PRED_FIRST = 24 };

// Of a call's argument or result: bytes from one frame's local memory to another's, or to or from the caller's vector of
// 4 or 8 bytes a lane (an argument that is a register or a constant, a result that is a register).
struct weir_argument_copy {
  uint32_t from, to, bytes;
  bool in_vector;
  uint8_t bank, width; // of the vector
};

// Of a formal parameter that is a register: between the frame's local memory and its registers.
struct weir_formal {
  uint32_t local, bytes, slot, width;
};

struct weir_call {
  uint32_t target; // function, or WEIR_PC_NONE: in the register
  uint32_t argument_count, result_count;
  struct weir_argument_copy *arguments; // from: caller's frame, to: callee's
  struct weir_argument_copy *results;   // from: callee's frame, to: caller's
  uint32_t frame_bytes;                 // of the caller: the callee's frame begins there
  uint32_t formal_bytes;                // of the callee's frame, as this call lays out its parameters
};

struct weir_branch_table { // brx.idx
  uint32_t count;
  const uint32_t *target;
};

struct weir_setp_tail { // what setp does with the comparison's outcome
  uint32_t complement;  // predicate offset of q, or WEIR_PC_NONE
  uint32_t with;        // predicate offset of c
  uint8_t boolean;      // enum weir_sub AND, OR, XOR or NONE
  bool invert, flip_with;
};

struct weir_insn {
  union {
    weir_alu_fn alu;
    weir_memory_fn memory;
  };
  uint32_t d, a, b, c; // byte offsets; d is in the frame bank
  uint64_t imm;        // address offset, barrier number, target and reconvergence, rounding
  union {
    const struct weir_ref *list; // more operands
    const struct weir_insn *sequence;
    const struct weir_setp_tail *tail;
    const struct weir_call *call;
    const struct weir_branch_table *table;
    const char *text; // TRAP: why; NULL: the program's own
    const struct weir_image_op *image;
    const struct weir_matrix_op *matrix;
    const struct weir_warpgroup_op *warpgroup;
  };
  const struct weir_insn *before; // run first: instructions that cores do not see (exec/decode/silence.c), or NULL
  uint32_t before_count;
  uint32_t guard; // predicate offset in the frame; 0 is the constant true
  uint8_t kind, guard_flip;
  uint8_t a_bank, b_bank, c_bank;
  uint8_t count;        // of list or sequence; UNIFORM: so many such from here on
  uint8_t reach, bytes; // memory: enum weir_reach, bytes of an element
  uint8_t wide;         // memory: the address register has 64 bits
  uint8_t sub;          // small selector of a body (enum weir_sub, rounding, …)
  uint8_t type;         // enum weir_type where a body asks at run time
  uint8_t publishes;    // memory: enum weir_publishes
  uint8_t weight;       // memory: of what a turn may touch that other threads see (functional.c)
  bool plain;           // register-only, without a guard, and nothing runs before it
};

struct weir_function_code {
  const char *name;
  uint32_t entry, pcs;   // its instructions
  uint32_t frame_bytes;  // register frame
  uint32_t launch_bytes; // of WEIR_BANK_LAUNCH
  const struct weir_insn *uniform;
  uint32_t uniform_count;
  const uint32_t *zero; // (offset, bytes) of slots that may be read before they are written
  uint32_t zero_count;
  uint32_t formal_bytes; // its results and parameters, with which a frame of local memory begins
  uint32_t local_bytes;  // its .local and .param variables in that frame, formal ones included
  uint32_t registers;
  uint32_t param_bytes;              // of a kernel
  uint32_t kernel;                   // its number + 1; 0: it is none
  bool is_kernel, address_taken;     // the latter: an indirect call may come here
  bool clocked;                      // it reads a clock
  bool multiplies;                   // matrices
  uint8_t builtin;                   // enum weir_builtin: it has no body, the platform provides it
  const struct weir_formal *formals; // that are registers: parameters, then results
  uint32_t formal_params, formal_results;
};

struct weir_program {
  const struct weir_module *module;
  struct weir_module *
    assembled; // that is `module`, and the program's own; NULL: it runs as it is written             // NULL of a streamed program,
  const struct weir_streamed_program *streamed; // … of which this is what is known
  struct weir_arena arena;
  struct weir_memory *memory;
  unsigned lanes;
  struct weir_insn *code;
  struct weir_static *statics;
  uint32_t *columns;    // [PC] → column in the PTX text
  uint32_t *places;     // [PC], and behind the last
  bool reserves_shared; // some of its code asks where the system's shared memory lies
  uint32_t pc_count;
  uint32_t first_pc; // what others call instruction 0 by; in here instructions count from 0
  struct weir_function_code *functions;
  uint32_t function_count;
  uint32_t first_function; // so that a pointer to a function of another program in this memory is known as such
  struct weir_kernel *kernels;
  uint32_t kernel_count;
  uint32_t register_count;
  uint8_t *constants; // 64-byte aligned
  size_t constant_bytes;
  uint64_t *variables; // [module variable, in item order] → address
};

struct weir_simt_entry {
  uint32_t pc, rpc;
  uint64_t mask;
};

struct weir_frame {
  uint8_t *registers;
  uint32_t capacity; // bytes at `registers` owned by this frame (0: the block's)
  uint32_t function;
  uint32_t base;                // SIMT stack entries below are the callers'
  uint32_t local;               // offset of its frame in local memory
  uint64_t alive;               // lanes that have not returned
  const struct weir_call *call; // that made it; NULL: the kernel itself
  struct weir_simt_entry back;  // the caller's top of stack, resumed when all lanes have returned
};

enum { WEIR_RECURSIVE_STACK = 32 << 10 }; // bytes of a thread's stack that may recurse, unless the host says how many
enum { WEIR_LEAST_FRAME = 16 };           // of which each call counts as so many at least: a frame may be empty

// The members stand in the order in which a step wants them: of a warp that runs in turn with hundreds of others, each is in a
// line that has left the host's cache by then. Most steps need the first line, and `launch` and `present`.
struct weir_warp {
  _Alignas(64) uint8_t *bank[WEIR_BANK_COUNT];
  uint64_t active; // top of the SIMT stack, held here
  uint32_t pc, rpc;
  uint16_t groups;                  // of 32 lanes
  bool waiting, exited;             // waiting: at a barrier
  uint8_t barrier;                  // waited for
  uint8_t spent;                    // of its next turn's weight (functional.c)
  const struct weir_launch *launch; // the block's
  uint64_t present;                 // lanes that exist
  const struct weir_insn *code;
  struct weir_block_state *block;
  uint64_t live; // lanes that have not exited
  uint64_t all;  // a mask of the lanes of its width
  struct weir_simt_entry *stack;
  uint32_t depth, stack_capacity;
  struct weir_frame *frames, *first_frames; // the latter: of the block's allocation
  uint32_t frame_count, frame_capacity;
  uint8_t *local;                    // lane after lane, block->local_bytes each
  unsigned index;                    // in its block
  uint32_t barrier_pc;               // of the instruction it waits at
  const struct weir_insn *reduction; // bar.red in progress: where the result goes
  uint64_t reduction_mask;
  uint64_t arrived,
    passed;          // lanes at the cluster's barrier: it has not been met yet; it has, and they are to wait for it
  uint64_t awaiting; // … and those that do wait
  uint64_t excused;  // counted as arrived, though they have not come there yet (cluster.c)
};

// What all blocks of a launch share, in one allocation.
struct weir_launch_state {
  uint8_t *params;  // 64-byte aligned
  uint8_t *bank;    // WEIR_BANK_LAUNCH
  uint8_t *threads; // WEIR_BANK_THREADS of warp after warp
};

struct weir_barrier {
  uint64_t warps[16];  // that wait (up to 1024 of them)
  uint32_t arrived;    // threads, or warps where no count was given
  uint32_t expected;   // threads; 0: every warp that has not exited
  uint32_t count_true; // bar.red: threads whose predicate holds
  uint32_t count_all;
};

// Behind a block's own barriers and the cluster's: one for each of its groups of 128 threads.
enum { WEIR_BARRIERS = 16, WEIR_WARPGROUP_BARRIER = WEIR_CLUSTER_BARRIER + 1, WEIR_WARPGROUPS = 8, WEIR_RECENT = 16 };

// What a turn of its warps needs stands first, and what few blocks ever have last.
struct weir_block_state {
  struct weir_warp *warps;
  unsigned warp_count, exited;
  const struct weir_launch *launch;
  const struct weir_program *program;
  uint32_t index[3];
  unsigned lanes;
  uint8_t *bank; // block slots
  uint8_t *shared;
  uint32_t shared_bytes;
  uint32_t local_bytes; // per thread
  const struct weir_launch_state *state;
  struct weir_launch_state *own; // that it is, where the launch has none for all blocks
  uint32_t call_depth;           // nested calls before it is called a stack overflow
  unsigned sm, first_slot;
  bool has_barriers; // some of which have been arrived at
  bool notes_strays; // are kept in `strays`, and told of later
  struct weir_fault *strays;
  uint32_t stray_count, stray_capacity;
  uint32_t *strayed; // instructions of the block that have, by number
  uint32_t strayed_count, strayed_capacity;
  struct weir_segment *segments; // of its last bulk copy (bulk.c)
  uint32_t segment_count, segment_capacity;
  void *stream; // of a streamed program: what the block's warps do; NULL: it could not be read
  const struct weir_allocation *recent[WEIR_RECENT]; // last allocation touched, by PC
  struct weir_fault fault;
  struct weir_barrier barriers[WEIR_WARPGROUP_BARRIER + WEIR_WARPGROUPS];
  struct weir_cluster *cluster; // that the block is in; NULL of a streamed program
  uint32_t rank;                // … there
  struct weir_cluster alone;    // that it is, if it is in none with others
};

// It loads a kernel's parameter into a uniform register.
static inline bool weir_reads_uniform(const struct weir_insn *i) {
  return i->kind == WEIR_KIND_UNIFORM && i->reach == WEIR_REACH_KERNEL;
}

static inline void *weir_at(const struct weir_warp *w, unsigned bank, uint32_t offset) {
  return w->bank[bank] + offset;
}

static inline uint64_t *weir_predicate(const struct weir_warp *w, uint32_t offset) {
  return (uint64_t *)(void *)(w->bank[WEIR_BANK_FRAME] + offset);
}

// Of a slot of any of these enumerations, in its bank.
static inline uint32_t weir_slot_offset(const struct weir_program *p, unsigned slot) {
  return slot * 4 * p->lanes;
}

// Where a block's shared memory that is the system's begins: behind all of its own. On the hardware it lies before that, and
// programs are not to rely on either.
static inline uint32_t weir_reserved_shared_base(const struct weir_launch *l) {
  return (uint32_t)weir_align_up(weir_dynamic_shared_base(l->kernel) + l->dynamic_shared_bytes, 16);
}

// The slot's value in all lanes.
static inline void weir_broadcast(const struct weir_program *p, uint8_t *bank, unsigned slot, uint32_t value) {
  uint32_t *to = (uint32_t *)(void *)(bank + weir_slot_offset(p, slot));
  const unsigned lanes = p->lanes; // which the compiler cannot know is none of `to`
  for (unsigned l = 0; l < lanes; l++) to[l] = value;
}

// simt.c
void weir_simt_diverge(struct weir_warp *w, uint32_t target, uint64_t taken, uint32_t fall, uint32_t reconvergence);
void weir_simt_settle(struct weir_warp *w); // makes the top of the stack one that has lanes to run
void weir_simt_return(struct weir_warp *w, uint64_t mask);
void weir_simt_exit(struct weir_warp *w, uint64_t mask);

// block.c: constant predicates and the registers that may be read before they are written
void weir_frame_start(uint8_t *registers, const struct weir_function_code *code);

// aside.c: true if the data of this access, which has been checked, is to move later. COPY: from memory that cores share into the
// block's own. IMAGE: texels, which may be anywhere.
enum weir_data_move { WEIR_MOVE_LOAD, WEIR_MOVE_STORE, WEIR_MOVE_COPY, WEIR_MOVE_IMAGE_LOAD, WEIR_MOVE_IMAGE_STORE };
bool weir_aside_takes(struct weir_aside *a, struct weir_warp *w, const struct weir_insn *i, uint64_t mask,
                      const struct weir_winstr *out, enum weir_data_move move);

static inline bool weir_puts_off(struct weir_warp *w, const struct weir_insn *i, uint64_t mask,
                                 const struct weir_winstr *out, enum weir_data_move move) {
  struct weir_aside *a = w->block->launch->aside;
  return out && __builtin_expect(a != NULL, 0) && weir_aside_takes(a, w, i, mask, out, move);
}

enum { WEIR_TURN_WEIGHT = 8 };

// bulk.c: a bulk copy, as accesses of one row of up to 32 words each
void weir_observe_bulk(const struct weir_observer *o, const struct weir_winstr *access);

static inline void weir_observe(const struct weir_observer *o, const struct weir_winstr *access) {
  if (!o || !access->what->access_bytes || !access->active) return;
  if (access->what->is_bulk)
    weir_observe_bulk(o, access);
  else if (access->space == WEIR_MEM_GLOBAL || (access->space == WEIR_MEM_CONST && o->constants))
    o->saw(o->context, access);
}

// Whether it ends the turn that it would be in: what is shown to other blocks is never in one, what is shown to the warp's own is its first.
static inline bool weir_ends_turn(const struct weir_insn *i, bool first) {
  return i->publishes && (!first || i->publishes == WEIR_TO_ALL);
}

// step.c: runs a warp for a turn: until it waits, is done, has executed `most` instructions, which *steps counts, or some that weigh
// WEIR_TURN_WEIGHT together, or one would end the turn; the observer, if there is one, is told of accesses. False: a fault of its block
bool weir_warp_run(struct weir_warp *w, uint64_t most, const struct weir_observer *observer, uint64_t *steps);
// The instruction that it stands at, which shows something to other blocks.
bool weir_warp_publish(struct weir_warp *w, const struct weir_observer *observer, uint64_t *steps);

static inline bool weir_warp_publishes(const struct weir_warp *w) {
  return !w->waiting && !w->exited && w->code && w->code[w->pc].publishes == WEIR_TO_ALL;
}

// call.c
bool weir_call(struct weir_warp *w, const struct weir_insn *i, uint64_t mask);
void weir_call_finish(struct weir_warp *w); // every lane of the top frame has returned

// services.c: a function that the platform provides (enum weir_builtin), for all lanes of the mask in turn
bool weir_serve(struct weir_warp *w, const struct weir_call *call, unsigned builtin, uint64_t mask);

// streamed.c: what block.c and step.c do, of a streamed program
struct weir_block_state *weir_streamed_create(const struct weir_launch *launch);
void weir_streamed_start(struct weir_block_state *b);
void weir_streamed_free(struct weir_block_state *b);
enum weir_step weir_streamed_step(struct weir_warp *w, struct weir_winstr *out, struct weir_fault *fault);

// barrier.c: a warp comes to barrier `id` for `count` threads; false: that is wrong
bool weir_barrier_join(struct weir_warp *w, unsigned lane, uint32_t id, uint32_t count, bool waits);
void weir_barrier_settle(struct weir_block_state *b, uint32_t id); // its warps go on if that was the last
bool weir_barrier(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, struct weir_winstr *out);
// The warps of a group of 128 threads, as far as they have not exited, go on once all of them are here: they have made the products before it.
void weir_warpgroup_meet(struct weir_warp *w);
void weir_barrier_exited(struct weir_block_state *b); // a warp has exited: barriers may be complete without it

// fault.c
bool weir_raise(struct weir_warp *w, unsigned lane, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool weir_raise_kind(struct weir_warp *w, enum weir_fault_kind kind, unsigned lane, const char *format, ...)
  __attribute__((format(printf, 4, 5)));
void weir_raise_runaway(struct weir_warp *w, struct weir_fault *fault);
bool weir_raise_access(struct weir_warp *w, const struct weir_insn *i, unsigned lane, uint64_t address, uint64_t bytes);

#endif
