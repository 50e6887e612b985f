// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Asynchronous copies between global and shared memory (PTX ISA, "Data Movement and Conversion Instructions: Asynchronous copy"). As far as a program
// can tell they are done when they have been executed; who models time learns when they began (winstr.h).
#ifndef WEIR_EXEC_COPY_H
#define WEIR_EXEC_COPY_H

#include "exec/machine.h"
#include "exec/tensor.h"

// An address of shared memory: a register of 32 or 64 bits, and an offset.
struct weir_shared_address {
  struct weir_ref from;
  bool wide;
  uint64_t offset;
};

// cp.async: size (the list's count is 1) is how many bytes are taken, the others written being 0, or a predicate under which none is. cp.async.bulk:
// size is how many are copied, a multiple of 16. The insn's address operand is the one of global memory, its list begins here: behind size comes a
// cache policy.
struct weir_copy_op {
  struct weir_ref size, policy;
  struct weir_shared_address shared, barrier; // barrier: of a copy that arrives at one
  struct weir_ref blocks;                     // a mask of ranks, of a copy to several blocks
  struct weir_ref at[WEIR_TENSOR_DIMENSIONS]; // coordinates, where the address is a tensor map's
  uint8_t dimensions;                         // 0: it is not
  bool ignores, unless_ignores;               // size is a predicate; it holds where the source is not ignored
  bool arrives, stores, reduces, prefetches;  // stores: to global memory
  bool multicasts, from_shared;               // from_shared: not from global memory
};

// st.async, red.async: a thread's values, of which the insn's list is, to shared memory of the cluster, and their bytes to a barrier beside them.
struct weir_async_op {
  struct weir_ref values[4];
  struct weir_shared_address barrier;
};

static inline const struct weir_copy_op *weir_copy_of(const struct weir_insn *i) {
  return (const struct weir_copy_op *)(const void *)i->list; // which it begins with
}

static inline uint64_t weir_shared_at(const struct weir_warp *w, const struct weir_shared_address *a, unsigned lane) {
  const void *from = weir_at(w, a->from.bank, a->from.offset);
  if (a->wide) return ((const uint64_t *)from)[lane] + a->offset;
  return (uint32_t)(((const uint32_t *)from)[lane] + a->offset);
}

static inline const uint32_t *weir_copy_sizes(const struct weir_warp *w, const struct weir_copy_op *op) {
  return weir_at(w, op->size.bank, op->size.offset);
}

#endif
