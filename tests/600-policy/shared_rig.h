// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A cache of tags that a GPU and CPU programs share: accesses with a requester, a core and ready warps, periods that end, and
// random interleaved streams for models to follow.
#ifndef WEIR_TESTS_POLICY_SHARED_RIG_H
#define WEIR_TESTS_POLICY_SHARED_RIG_H

#include "rig.h"

enum { SHARED_CORES = 4 };

struct shared_access {
  uint64_t block;
  uint32_t pc;
  uint16_t core;
  uint8_t requester, kind, ready;
};

static inline struct weir_access shared_request(struct rig *rig, struct shared_access s) {
  struct weir_access a = rig_request(rig, s.block, s.pc, (enum weir_access_kind)s.kind);
  a.requester = s.requester;
  a.core = s.core;
  a.ready_warps = s.ready;
  return a;
}

static inline char shared_do(struct rig *rig, struct shared_access s) {
  struct weir_access a = shared_request(rig, s);
  return rig_do(rig, &a);
}

// A load of `requester`; of the GPU by a core that nobody samples.
static inline char shared_load(struct rig *rig, unsigned requester, uint64_t block) {
  return shared_do(rig, (struct shared_access){.block = block, .pc = 8, .core = 3, .requester = (uint8_t)requester});
}

// Letters are blocks of one set as in rig_trace; capital letters are the GPU's loads, others those of CPU program 1. A
// digit before a letter is its requester instead. expect: 'h', 'm', 'b', or, for an eviction, the letter that left.
static inline void shared_trace(struct rig *rig, uint32_t set, const char *blocks, const char *expect) {
  char got[256] = "", want[256] = "";
  size_t count = 0, wanted = 0;
  int digit = -1;
  for (const char *p = blocks; *p; p++) {
    if (*p >= '0' && *p <= '9') digit = *p - '0';
    if (*p == ' ' || (*p >= '0' && *p <= '9')) continue;
    bool gpu = *p >= 'A' && *p <= 'Z';
    unsigned requester = digit >= 0 ? (unsigned)digit : gpu ? 0 : 1;
    uint64_t number = (uint64_t)(gpu ? *p - 'A' : 26 + *p - 'a');
    digit = -1;
    char outcome = shared_load(rig, requester, number * rig->g.sets + set);
    uint64_t left = rig->evicted / RIG_LINE_BYTES / rig->g.sets;
    got[count++] = rig->evicted == UINT64_MAX ? outcome : (char)(left < 26 ? 'A' + left : 'a' + left - 26);
  }
  for (const char *p = expect; *p; p++)
    if (*p != ' ') want[wanted++] = *p;
  assert_string_equal(got, want);
}

// A period ends; the policy is shown the cores.
static inline void shared_epoch(struct rig *rig, struct weir_policy_instance *i, const struct weir_core_sensors *core,
                                uint32_t cores, weir_cycle period) {
  struct weir_sensors s = {.now = rig->now, .epoch_cycles = period, .cores = cores, .core = core};
  i->policy->epoch(&i->view, &s);
}

// Some access: blocks of each requester are its own, some are asked for often, PCs tell what becomes of a block a little.
static inline struct shared_access shared_random(struct weir_rng *rng, unsigned requesters, uint32_t sets,
                                                 uint32_t ways, bool loads_alone) {
  static const uint8_t kinds[] = {WEIR_ACCESS_LOAD,  WEIR_ACCESS_LOAD, WEIR_ACCESS_LOAD,      WEIR_ACCESS_LOAD,
                                  WEIR_ACCESS_STORE, WEIR_ACCESS_LOAD, WEIR_ACCESS_WRITEBACK, WEIR_ACCESS_ATOMIC};
  unsigned requester = (unsigned)weir_rng_below(rng, requesters);
  uint64_t lines = (uint64_t)sets * ways, hot = weir_rng_below(rng, 3);
  uint64_t block = weir_rng_below(rng, hot ? lines / 2 + 1 : 3 * lines);
  struct shared_access s = {.block = requester * 16 * lines + block,
                            .requester = (uint8_t)requester,
                            .core = (uint16_t)weir_rng_below(rng, SHARED_CORES),
                            .ready = (uint8_t)weir_rng_below(rng, 64),
                            .kind = loads_alone ? WEIR_ACCESS_LOAD : kinds[weir_rng_below(rng, sizeof kinds)]};
  s.pc = (uint32_t)(8 * (1 + requester * 10 + (hot ? 0 : 5) + weir_rng_below(rng, 4)));
  return s;
}

#endif
