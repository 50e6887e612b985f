// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "exec/access.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "exec/limits.h"

#include <string.h>

const struct weir_allocation *weir_touch(struct weir_warp *w, uint64_t address, uint64_t bytes) {
  const struct weir_allocation *a = weir_memory_find(w->block->launch->memory, address);
  if (!a || address - a->base > a->bytes || a->bytes - (address - a->base) < bytes) return NULL;
  w->block->recent[w->pc % WEIR_RECENT] = a;
  return a;
}

void weir_lane_addresses(const struct weir_warp *w, const struct weir_insn *i, uint64_t mask, uint64_t *address) {
  const void *base = weir_at(w, i->a_bank, i->a);
  for (; mask; mask &= mask - 1) {
    const unsigned l = weir_lowest(mask);
    address[l] = i->wide ? ((const uint64_t *)base)[l] + i->imm : (uint32_t)(((const uint32_t *)base)[l] + i->imm);
  }
}

static bool fits(uint64_t address, uint64_t bytes, uint64_t base, uint64_t size) {
  return address >= base && address - base <= size && size - (address - base) >= bytes;
}

// The space of a generic address, made relative to that space's window.
static enum weir_reach resolve(uint64_t *address) {
  if (fits(*address, 1, WEIR_SHARED_BASE, WEIR_LOCAL_BASE - WEIR_SHARED_BASE)) {
    *address -= WEIR_SHARED_BASE;
    return WEIR_REACH_CLUSTER;
  }
  if (fits(*address, 1, WEIR_LOCAL_BASE, WEIR_STATIC_BASE - WEIR_LOCAL_BASE)) {
    *address -= WEIR_LOCAL_BASE;
    return WEIR_REACH_LOCAL;
  }
  if (fits(*address, 1, WEIR_PARAM_BASE, WEIR_SHARED_BASE - WEIR_PARAM_BASE)) return WEIR_REACH_KERNEL;
  return WEIR_REACH_GLOBAL;
}

static uint8_t space_of(enum weir_reach reach, uint64_t address) {
  if (reach == WEIR_REACH_CLUSTER) return address >> WEIR_CLUSTER_SHIFT ? WEIR_MEM_CLUSTER : WEIR_MEM_SHARED;
  static const uint8_t of[] = {
    [WEIR_REACH_GLOBAL] = WEIR_MEM_GLOBAL, [WEIR_REACH_CONST] = WEIR_MEM_CONST, [WEIR_REACH_SHARED] = WEIR_MEM_SHARED,
    [WEIR_REACH_LOCAL] = WEIR_MEM_LOCAL,   [WEIR_REACH_FRAME] = WEIR_MEM_CALL,  [WEIR_REACH_KERNEL] = WEIR_MEM_PARAM,
  };
  return of[reach];
}

// Host pointer of one lane's access, or NULL.
static void *locate(struct weir_warp *w, enum weir_reach reach, unsigned lane, uint64_t address, uint32_t bytes,
                    bool writes) {
  struct weir_block_state *b = w->block;
  switch (reach) {
  case WEIR_REACH_SHARED: return fits(address, bytes, 0, b->shared_bytes) ? b->shared + address : NULL;
  case WEIR_REACH_CLUSTER: return weir_cluster_at(b, address, bytes);
  case WEIR_REACH_LOCAL:
  case WEIR_REACH_FRAME:
    return fits(address, bytes, 0, b->local_bytes) ? w->local + (size_t)lane * b->local_bytes + address : NULL;
  case WEIR_REACH_KERNEL:
    if (writes || !fits(address, bytes, WEIR_PARAM_BASE, b->launch->kernel->param_bytes)) return NULL;
    return b->state->params + (address - WEIR_PARAM_BASE);
  default: break;
  }
  const struct weir_allocation *a = b->recent[w->pc % WEIR_RECENT];
  if (!a || !fits(address, bytes, a->base, a->bytes)) a = weir_touch(w, address, bytes);
  return a && !(writes && a->read_only) ? a->host + (address - a->base) : NULL;
}

// What a read finds that a software cache lets go past the end of a buffer, or NULL.
static void *line(const struct weir_warp *w, enum weir_reach reach, unsigned lane, uint64_t address, uint32_t bytes) {
  enum { MOST_BYTES = 32 };
  static _Thread_local _Alignas(MOST_BYTES) uint8_t found[WEIR_MAX_LANES][MOST_BYTES];
  if (reach != WEIR_REACH_GLOBAL || address & (bytes - 1)) return NULL;
  return weir_memory_read_line(w->block->launch->memory, address, bytes, found[lane]) ? found[lane] : NULL;
}

// Real devices protect pages of 2 MiB: what lies in one page with a buffer can be touched, and so can what lies before the
// first, where the driver keeps its own.
enum { PAGE = 2 << 20 };

static bool in_page(const struct weir_memory *m, uint64_t address, uint64_t bytes) {
  if (fits(address, bytes, WEIR_HEAP_BASE - PAGE, PAGE)) return true;
  const struct weir_allocation *a = weir_memory_find(m, address);
  return a && !a->mapped && fits(address, bytes, a->base, weir_align_up(a->base + a->bytes, PAGE) - a->base);
}

// All of a module's constants lie in one bank of 64 KiB, in which devices tell no variable from another (inferred: public programs that
// read behind one run on them).
static bool in_bank(const struct weir_memory *m, uint64_t address, uint64_t bytes) {
  const struct weir_allocation *a = weir_memory_find(m, address);
  return a && a->read_only && fits(address, bytes, a->base, WEIR_MAX_CONST_BYTES);
}

static bool goes_unnoticed(const struct weir_memory *m, enum weir_reach reach, uint64_t address, uint32_t bytes) {
  if (address & (bytes - 1) || weir_memory_at(m, address, bytes)) return false;
  return reach == WEIR_REACH_GLOBAL ? in_page(m, address, bytes)
                                    : reach == WEIR_REACH_CONST && in_bank(m, address, bytes);
}

// Published programs arrive at barriers of blocks that have just ended, and run on devices: PTX leaves it undefined.
static bool is_gone(const struct weir_block_state *b, enum weir_reach reach, uint64_t address, uint32_t bytes) {
  const uint64_t rank = address >> WEIR_CLUSTER_SHIFT;
  return reach == WEIR_REACH_CLUSTER && rank && rank <= b->cluster->size && !b->cluster->blocks[rank - 1] &&
    !(address & (bytes - 1));
}

// A block tells once of each of its instructions: where one strays, most threads do, and messages take long to write.
static bool told_before(struct weir_block_state *b, uint32_t pc) {
  for (uint32_t k = 0; k < b->strayed_count; k++)
    if (b->strayed[k] == pc) return true;
  *weir_push(b->strayed, b->strayed_count, b->strayed_capacity) = pc;
  return false;
}

// Bytes to stand for those that a stray access would find there, or NULL if it is a fault.
static _Thread_local _Alignas(32) uint8_t nothing[32];

bool weir_is_nowhere(const void *host) {
  return host == nothing;
}

static void *stray(struct weir_warp *w, const struct weir_insn *i, enum weir_reach reach, unsigned lane,
                   uint64_t address, uint64_t in_space, uint32_t bytes) {
  const struct weir_launch *launch = w->block->launch;
  const bool gone = is_gone(w->block, reach, in_space, bytes);
  if (!launch->services || !launch->services->strayed ||
      !(gone || goes_unnoticed(launch->memory, reach, address, bytes)))
    return NULL;
  if (launch->aside) {
    launch->aside->strays = true;
    return memset(nothing, 0, sizeof nothing);
  }
  struct weir_block_state *b = w->block;
  if (told_before(b, w->pc)) return memset(nothing, 0, sizeof nothing);
  weir_raise_access(w, i, lane, address, bytes);
  b->fault.raised = false;
  if (b->notes_strays)
    *weir_push(b->strays, b->stray_count, b->stray_capacity) = b->fault;
  else
    launch->services->strayed(launch->services->context, launch, &b->fault);
  return memset(nothing, 0, sizeof nothing);
}

bool weir_locate_lanes(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, uint32_t bytes, bool writes,
                       uint64_t *address, uint64_t *where, uint8_t *space) {
  *space = WEIR_MEM_NONE;
  for (; mask; mask &= mask - 1) {
    const unsigned l = weir_lowest(mask);
    const uint64_t written = address[l];
    const enum weir_reach reach = i->reach == WEIR_REACH_GENERIC ? resolve(&address[l]) : i->reach;
    if (reach == WEIR_REACH_CLUSTER) address[l] = weir_cluster_own(w->block, address[l]);
    void *host = address[l] & (bytes - 1) ? NULL : locate(w, reach, l, address[l], bytes, writes);
    if (!host && !writes) host = line(w, reach, l, address[l], bytes);
    if (!host) host = stray(w, i, reach, l, written, address[l], bytes);
    if (!host) return weir_raise_access(w, i, l, written, bytes);
    where[l] = (uintptr_t)host;
    const uint8_t is = space_of(reach, address[l]);
    if (*space == WEIR_MEM_NONE || (*space == WEIR_MEM_SHARED && is == WEIR_MEM_CLUSTER)) *space = is;
  }
  return true;
}

const void *weir_locate_generic(struct weir_warp *w, unsigned lane, uint64_t address, uint32_t bytes) {
  static const struct weir_insn generic = {.reach = WEIR_REACH_GENERIC};
  uint64_t in_space = address;
  const enum weir_reach reach = resolve(&in_space);
  const void *host = address & (bytes - 1) ? NULL : locate(w, reach, lane, in_space, bytes, false);
  if (!host) weir_raise_access(w, &generic, lane, address, bytes);
  return host;
}

void weir_show_parameter(const struct weir_warp *w, const struct weir_insn *i, struct weir_winstr *out) {
  out->space = WEIR_MEM_PARAM;
  out->spread = WEIR_SPREAD_BOUNDED;
  out->low = out->high = WEIR_PARAM_BASE + i->imm;
  for (unsigned l = 0; l < w->block->lanes; l++) out->address[l] = out->low;
}
