// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Launches that are not timed. They leave no time behind, and the counts are as if they had not been.
#include "base/alloc.h"
#include "chip/machine.h"
#include "gpu/coalesce.h"

#include <string.h>

static void empty(struct weir_cache *cache, void *context) {
  (void)context;
  weir_cache_flush(cache, 0);
}

void weir_chip_freshen(struct weir_chip *c) {
  if (!c->stale) return;
  weir_members_gather(c);
  const struct weir_run_stats counted = c->stats;
  for (unsigned l = 0; l < c->config->caches_count; l++) weir_chip_each_cache(c, l, empty, NULL);
  weir_members_gather(c);
  c->stats = counted;
  c->copy_count = 0;
  c->stale = false;
}

// Long enough that lanes side by side share a transaction.
enum { SEGMENT_BYTES = 128 };

struct weir_note { // a transaction
  uint64_t address;
  uint16_t bytes;
  uint8_t full; // of its 32-byte parts: those that a store writes whole
  uint8_t kind;
};

enum noted { FETCHES, WRITES, EXCHANGES };

static enum noted kind_of(const struct weir_winstr *access) {
  return access->what->op_class == WEIR_CLASS_LOAD ? FETCHES
    : access->what->op_class == WEIR_CLASS_STORE   ? WRITES
                                                   : EXCHANGES;
}

// Does the store write all bytes of the sector?
static bool writes_whole(const struct weir_note *n, uint64_t at, uint64_t bytes) {
  for (uint64_t part = at; part < at + bytes; part += 32)
    if (part < n->address || part >= n->address + n->bytes || !(n->full >> (part - n->address) / 32 & 1)) return false;
  return true;
}

static void warm(struct weir_chip *c, const struct weir_note *n) {
  const bool fetches = n->kind == FETCHES;
  const uint64_t step = c->config->caches[1].sector_bytes, own = c->config->caches[0].sector_bytes,
                 unit = fetches && own > step ? own : step; // the first level asks for its own sectors
  const weir_cycle now = c->now / c->clocks.slices.period;
  const uint64_t end = (n->address + n->bytes + unit - 1) & ~(unit - 1);
  for (uint64_t at = n->address & ~(unit - 1); at < end; at += step) {
    uint64_t place;
    if (c->host_memory && weir_host_memory_access(c->host_memory, at, !fetches) != WEIR_ACCESS_DEVICE) continue;
    const uint32_t slice = weir_slice_of(&c->fabric.map, at, &place);
    const bool part = n->kind == WRITES && !writes_whole(n, at, step);
    const enum weir_warming how = fetches ? WEIR_WARM_READ : part ? WEIR_WARM_WRITE_PART : WEIR_WARM_WRITE;
    weir_slice_warm(&c->slices[slice], at, place, how, now);
  }
}

static struct weir_note note_of(const struct weir_winstr *access, const struct weir_transaction *t) {
  return (struct weir_note){
    .address = t->address, .bytes = t->bytes, .full = t->full, .kind = (uint8_t)kind_of(access)};
}

static void warm_access(void *context, const struct weir_winstr *access) {
  struct weir_transaction transactions[WEIR_MAX_TRANSACTIONS];
  const unsigned count = weir_coalesce(access, SEGMENT_BYTES, false, transactions);
  for (unsigned i = 0; i < count; i++) {
    const struct weir_note n = note_of(access, &transactions[i]);
    warm(context, &n);
  }
}

static void drop_first(struct weir_chip *c) {
  weir_members_gather(c);
  const struct weir_run_stats counted = c->stats;
  weir_chip_each_cache(c, 0, empty, NULL);
  weir_members_gather(c);
  c->stats = counted;
}

void weir_chip_pass(struct weir_chip *c) {
  c->kernels.recorded++;
}

// Without time; what is accessed goes through the shared caches.
static bool run_warm(struct weir_chip *c, const struct weir_launch *launch, struct weir_fault *fault) {
  const struct weir_observer observer = {.saw = warm_access, .context = c};
  return weir_functional_launch(launch, c->config->caches_count > 1 ? &observer : NULL, fault);
}

// … and nothing does. Who serves the chip's parts shares the blocks.
static bool run_cold(struct weir_chip *c, const struct weir_launch *launch, struct weir_fault *fault) {
  struct weir_launch shared = *launch;
  shared.crew = c->members.crew;
  return weir_functional_launch(&shared, NULL, fault);
}

bool weir_chip_run_rest(struct weir_chip *c, const struct weir_launch *launch, bool warm, struct weir_fault *fault) {
  struct weir_launch rest = *launch;
  rest.first_block = c->steady.rest;
  return warm ? run_warm(c, &rest, fault) : run_cold(c, &rest, fault);
}

// ---- noted accesses -----------------------------------------------------------------------------------------------------

// Of the last so many transactions, several times what the shared caches of today's chips hold, the caches' contents come.
enum { MOST_NOTES = 1 << 21 };

static uint32_t most_constants(const struct weir_chip *c) {
  return c->config->constant_cache.size_bytes / c->config->constant_cache.line_bytes;
}

static void note_constant(struct weir_chip *c, uint64_t line) {
  uint32_t k = 0;
  while (k < c->constant_count && c->constants[k] != line) k++;
  if (k == c->constant_count) {
    k -= k == most_constants(c);
    c->constant_count = k + 1;
  }
  memmove(c->constants + 1, c->constants, k * sizeof *c->constants);
  c->constants[0] = line;
}

static void note_access(void *context, const struct weir_winstr *access) {
  struct weir_chip *c = context;
  const bool constant = access->space == WEIR_MEM_CONST;
  const uint32_t line = c->config->constant_cache.line_bytes;
  struct weir_transaction transactions[WEIR_MAX_TRANSACTIONS];
  const unsigned count = weir_coalesce(access, constant ? line : SEGMENT_BYTES, false, transactions);
  for (unsigned i = 0; i < count; i++)
    if (constant)
      note_constant(c, transactions[i].address & ~(uint64_t)(line - 1));
    else
      c->notes[c->note_count++ % MOST_NOTES] = note_of(access, &transactions[i]);
}

bool weir_chip_run_noted(struct weir_chip *c, const struct weir_launch *launch, struct weir_fault *fault) {
  const struct weir_observer observer = {.saw = note_access, .context = c, .constants = true};
  if (!c->notes) c->notes = weir_new_array(struct weir_note, MOST_NOTES);
  if (!c->constants) c->constants = weir_new_array(uint64_t, most_constants(c));
  c->note_count = c->constant_count = 0;
  return weir_functional_launch(launch, c->config->caches_count > 1 ? &observer : NULL, fault);
}

// In every core, since any may have run the blocks that read it.
static void warm_constant(struct weir_chip *c, uint64_t line) {
  bool missed = false;
  for (uint32_t i = 0; i < c->config->core.count; i++) {
    struct weir_cache *own = &c->sms[i].constant_cache;
    missed |= !weir_cache_holds(own, line, line);
    weir_cache_warm(own, line, line, WEIR_WARM_READ, c->core_cycle);
  }
  const struct weir_note fetched = {
    .address = line, .bytes = (uint16_t)c->config->constant_cache.line_bytes, .kind = FETCHES};
  if (missed) warm(c, &fetched);
}

void weir_chip_warm_noted(struct weir_chip *c) {
  weir_members_gather(c);
  const struct weir_run_stats counted = c->stats;
  for (uint64_t i = c->note_count > MOST_NOTES ? c->note_count - MOST_NOTES : 0; i < c->note_count; i++)
    warm(c, &c->notes[i % MOST_NOTES]);
  for (uint32_t k = c->constant_count; k-- > 0;) warm_constant(c, c->constants[k]);
  weir_members_gather(c);
  c->stats = counted;
}

// ---- selected launches --------------------------------------------------------------------------------------------------

bool weir_chip_skip(struct weir_chip *c, const struct weir_launch *launch, bool warm, struct weir_fault *fault) {
  warm &= c->config->caches_count > 1;
  weir_chip_pass(c);
  c->stale |= !warm;
  if (!warm) return run_cold(c, launch, fault);
  weir_chip_freshen(c);
  if (!c->built) weir_chip_build(c);
  drop_first(c);
  return run_warm(c, launch, fault);
}
