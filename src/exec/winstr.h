// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Contract 1: what one warp did in one instruction. The timing model knows nothing else of a program, so live execution
// and a recorded trace are two sources of one thing.
//
// Two halves. `struct weir_static` is what an instruction is, one per PC, made once when the program is decoded:
// enough for fetch, scoreboard and issue. `struct weir_winstr` is what one execution of it did, filled by
// weir_warp_step: enough for the load/store unit and the coalescer.
#ifndef WEIR_EXEC_WINSTR_H
#define WEIR_EXEC_WINSTR_H

#include "base/cache_hint.h"

#include <stdbool.h>
#include <stdint.h>

enum { WEIR_MAX_LANES = 64 };

// Operation classes: the grain at which chips give latency, initiation interval and unit (chips/*.yaml). DEFAULT comes
// first; those from FENCE on go to the load/store unit, and no chip file names them.
// clang-format off
#define WEIR_OP_CLASSES(X)                                                                                   \
  X(DEFAULT, "default", "what has no row of its own")                                                        \
  X(INT_ADD, "int_add", "integer add, subtract")                                                             \
  X(INT_MAX, "int_max", "integer minimum, maximum")                                                          \
  X(INT_MUL, "int_mul", "integer multiply")                                                                  \
  X(INT_MAD, "int_mad", "integer multiply-add")                                                              \
  X(INT_MUL24, "int_mul24", "mul24")                                                                         \
  X(INT_MAD24, "int_mad24", "mad24")                                                                         \
  X(INT_DOT, "int_dot", "dp4a, dp2a")                                                                        \
  X(INT_DIV, "int_div", "integer divide")                                                                    \
  X(INT_REM, "int_rem", "integer remainder")                                                                 \
  X(INT_CONVERT, "int_convert", "cvt and set among integers")                                                \
  X(INT_COMPARE, "int_compare", "setp of integers")                                                          \
  X(INT_ABS, "int_abs", "abs of integers")                                                                   \
  X(INT_NEG, "int_neg", "neg of integers")                                                                   \
  X(INT_SAD, "int_sad", "sad, vabsdiff")                                                                     \
  X(INT_LOGIC, "int_logic", "bitwise logic, shift, select, move, bit field, cvta")                           \
  X(INT_BITS, "int_bits", "popc, clz, bfind, brev, bmsk, fns, szext")                                        \
  X(F32_ADD, "f32_add", "single-precision add, subtract")                                                    \
  X(F32_MAX, "f32_max", "single-precision minimum, maximum")                                                 \
  X(F32_MUL, "f32_mul", "single-precision multiply")                                                         \
  X(F32_MAD, "f32_mad", "single-precision mad")                                                              \
  X(F32_FMA, "f32_fma", "single-precision fma")                                                              \
  X(F32_DIV, "f32_div", "single-precision divide")                                                           \
  X(F32_CONVERT, "f32_convert", "cvt and set, from or to single-precision")                                  \
  X(F32_COMPARE, "f32_compare", "single-precision setp")                                                     \
  X(F32_ABS, "f32_abs", "single-precision abs")                                                              \
  X(F32_NEG, "f32_neg", "single-precision neg")                                                              \
  X(F32_BITS, "f32_bits", "single-precision copysign, testp")                                                \
  X(SFU, "sfu", "single-precision square root, reciprocal, exponential, logarithm, sine, cosine, tanh")      \
  X(F64_ADD, "f64_add", "double-precision add, subtract")                                                    \
  X(F64_MAX, "f64_max", "double-precision minimum, maximum")                                                 \
  X(F64_MUL, "f64_mul", "double-precision multiply")                                                         \
  X(F64_MAD, "f64_mad", "double-precision mad")                                                              \
  X(F64_FMA, "f64_fma", "double-precision fma")                                                              \
  X(F64_DIV, "f64_div", "double-precision divide")                                                           \
  X(F64_CONVERT, "f64_convert", "cvt and set, from or to double-precision")                                  \
  X(F64_COMPARE, "f64_compare", "double-precision setp")                                                     \
  X(F64_ABS, "f64_abs", "double-precision abs")                                                              \
  X(F64_NEG, "f64_neg", "double-precision neg")                                                              \
  X(F64_BITS, "f64_bits", "double-precision copysign, testp")                                                \
  X(F64_SFU, "f64_sfu", "double-precision square root, reciprocal")                                          \
  X(INT_MATRIX, "int_matrix", "mma of integers and bits, a step of 16 x 8 sums over 128 bits of a row")      \
  X(F32_MATRIX, "f32_matrix", "mma of what is narrower than f64, by such steps")                             \
  X(F64_MATRIX, "f64_matrix", "mma of f64, by such steps")                                                   \
  X(SHUFFLE, "shuffle", "shfl, movmatrix")                                                                   \
  X(VOTE, "vote", "vote, match, redux, activemask")                                                          \
  X(BRANCH, "branch", "branch, call, return, exit")                                                          \
  X(BARRIER, "barrier", "thread-block barrier, warp barrier")                                                \
  X(NOP, "nop", "nanosleep, pmevent")                                                                        \
  X(FENCE, "fence", "memory fence")                                                                          \
  X(LOAD, "load", "load, prefetch")                                                                          \
  X(STORE, "store", "store")                                                                                 \
  X(ATOMIC, "atomic", "atomic read-modify-write, reduction")
// clang-format on

enum weir_op_class {
#define X(name, key, help) WEIR_CLASS_##name,
  WEIR_OP_CLASSES(X)
#undef X
    WEIR_CLASS_COUNT
};

// Where a memory instruction goes. Generic accesses are resolved to one of these when executed. PARAM: a kernel's
// parameters; CALL: parameters and results of a device function, on either side of the call. CLUSTER: shared memory, in some lanes that of
// another block of the cluster; no instruction is so before it is executed.
enum weir_mem_space {
  WEIR_MEM_NONE,
  WEIR_MEM_GLOBAL,
  WEIR_MEM_SHARED,
  WEIR_MEM_LOCAL,
  WEIR_MEM_CONST,
  WEIR_MEM_PARAM,
  WEIR_MEM_CALL,
  WEIR_MEM_CLUSTER
};

// What an instruction has to do with copies, or products of matrices, that run beside their warp (cp.async, wgmma and their like). As far as a program can tell, their data is there
// at once; whoever models time holds back those who wait for it.
enum weir_copy_role {
  WEIR_COPY_NONE,
  WEIR_COPY_BEGIN,  // it copies or multiplies, in its warp's open group
  WEIR_COPY_COMMIT, // closes that group
  WEIR_COPY_WAIT,   // for all closed groups but the last copy_groups
  WEIR_COPY_DRAIN,  // closes the group and waits for all
  WEIR_COPY_ARRIVE, // the barrier at its address waits for what its warp has begun to copy
  WEIR_COPY_TEST,   // of the barrier at its address
  WEIR_COPY_ROLES
};

// Where a bulk copy is told to have arrived, if not at a barrier of its block: nowhere that anybody of the block waits, and in its group.
#define WEIR_ARRIVES_NOWHERE UINT32_MAX
#define WEIR_ARRIVES_IN_GROUP (UINT32_MAX - 1)

enum { WEIR_STATIC_MAX_DST = 9, WEIR_STATIC_MAX_SRC = 18 };

struct weir_static {
  uint8_t op_class;     // enum weir_op_class
  uint8_t space;        // enum weir_mem_space; GLOBAL for generic ones until executed
  uint8_t l1_hint;      // enum weir_cache_hint, for the first-level cache
  uint8_t l2_hint;      // … for the caches behind it
  uint8_t access_bytes; // per lane: element bytes × vector width, 1..32; 0 if not memory
  uint8_t element_bytes;
  uint8_t dst_count, src_count;
  uint8_t operand_count; // of src: all but the guard, which comes last unless an operand names it too
  uint8_t machine;       // machine instructions that it stands for; 0: one
  uint8_t steps;         // of its unit, one after the other (mma); 0: one
  uint8_t copy_role;     // enum weir_copy_role
  uint8_t copy_groups;
  uint8_t is_bulk : 1; // cp.async.bulk and its like: a copy of segments, or what is about the groups of these
  uint8_t
    of_products : 1; // a product of matrices that runs beside its warp (wgmma), or what is about the groups of these
  uint8_t reads_bulk : 1;  // it waits until such copies have read what they copy
  uint8_t is_volatile : 1; // or strong beyond the block: no first-level cache serves it
  uint8_t is_exit : 1, is_barrier : 1, non_coherent : 1;
  uint8_t is_cluster_barrier : 1; // a recording has no clusters: nobody waits there
  uint8_t is_texture : 1;         // reads a texture or surface
  uint8_t has_policy : 1;         // a cache policy says what it asks of the L2 (exec/descriptor.h)
  uint8_t l2_prefetch : 2;        // enum weir_prefetch_size
  // Scoreboard register numbers, unique over the whole program (a function's registers follow its predecessor's).
  // src includes the guard predicate and address registers.
  uint32_t dst[WEIR_STATIC_MAX_DST];
  uint32_t src[WEIR_STATIC_MAX_SRC];
  uint32_t line;        // in the PTX text
  uint32_t source_file; // index into the program's file names, 0 = unknown
  uint32_t source_line; // 0 = unknown
  uint32_t function;    // index of the function it belongs to
};

// Of so many products of elements of `bits` bits: steps of 16 × 8 sums over 128 bits of a row of A, which take a matrix unit as long whatever
// the elements are (NVIDIA's whitepapers: twice the products at half the width, from Turing on).
static inline uint8_t weir_matrix_steps(uint32_t products, unsigned bits) {
  enum { STEP_BITS = 16 * 8 * 128 };
  return (uint8_t)((products * bits + STEP_BITS - 1) / STEP_BITS);
}

// Of a list of registers, such as dst or src.
static inline bool weir_has_register(const uint32_t *list, unsigned count, uint32_t number) {
  for (unsigned k = 0; k < count; k++)
    if (list[k] == number) return true;
  return false;
}

// What is known of the addresses of one execution. RUNS: every lane of the warp runs, and `follows` is known. ROW: each of them lies
// `access_bytes` behind its neighbour.
enum weir_spread { WEIR_SPREAD_UNKNOWN, WEIR_SPREAD_BOUNDED, WEIR_SPREAD_RUNS, WEIR_SPREAD_ROW };

// Bytes of global memory side by side, at least one and a multiple of 4.
struct weir_segment {
  uint64_t address;
  uint32_t bytes, lane;
};

struct weir_winstr {
  const struct weir_static *what;
  uint32_t pc;   // of the instruction, unique in the device's memory (exec/program.h); its address is 8 × pc
  uint32_t next; // of the one that the warp executes next, unless it has exited
  uint8_t space; // enum weir_mem_space, resolved
  // Of a barrier instruction that some lane executes: its number, how many threads it is for (0: all of the block's), and whether
  // the warp arrives without waiting.
  uint8_t barrier;
  bool arrives;
  uint16_t barrier_threads;
  uint8_t spread; // enum weir_spread; if it is not UNKNOWN, `low` and `high` are the least and the greatest address
  uint64_t low, high;
  uint64_t follows; // bit l: lane l has the address of lane l - 1, or lies `access_bytes` behind it
  uint64_t active;  // lanes that executed it: the warp's active mask and the guard
  uint64_t policy;  // where it has one: that of the lowest of these
  // Per active lane. Global, const and param: device address. Shared: offset within the block's shared memory, and of another block's in
  // the cluster's window (exec/cluster.h). Local:
  // and call: offset within the thread's local memory.
  uint64_t address[WEIR_MAX_LANES];
  // Of a bulk copy: what it moves of global memory, lane after lane, until the block's next one; where in its block's shared memory the barrier lies that
  // the first lane's arrives at, or one of the two above; and what a read asks the L2 for besides (enum weir_prefetch_size).
  const struct weir_segment *segments;
  uint32_t segment_count, arrives_at;
  uint8_t fetches;
};

#endif
