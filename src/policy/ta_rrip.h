// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Thread-aware RRIP: a duel between SRRIP and BRRIP for every requester (RRIP section 4.3, after TA-DIP: Jaleel et al., PACT
// 2008; the GPU's cores are one requester, inferred). In a requester's leader sets only its own lines are inserted by the
// leader's policy, and only its own misses move its PSEL; the lines of others enter as they do everywhere.
//
// Invariants: one RRPV per line, as in rrip.h; bit w of a set's word tells that the line in way w is the GPU's.
#ifndef WEIR_POLICY_TA_RRIP_H
#define WEIR_POLICY_TA_RRIP_H

#include "policy/bimodal.h"
#include "policy/dueling.h"
#include "policy/leaders.h"
#include "policy/rrip.h"

enum { WEIR_TA_PERIOD = WEIR_RRIP_KNOBS, WEIR_TA_LEADERS, WEIR_TA_PSEL_BITS, WEIR_TA_KNOBS };
enum { WEIR_TA_SET_BYTES = 8 };

#define WEIR_TA_KNOB_TABLE(rrpv_bits_, rrpv_help_)                                                                     \
  [WEIR_RRIP_BITS] = {"rrpv_bits", WEIR_KNOB_INT, rrpv_bits_, 1, 8, NULL, false, rrpv_help_},                          \
  [WEIR_RRIP_ON_HIT] = {"on_hit",                                                                                      \
                        WEIR_KNOB_CHOICE,                                                                              \
                        WEIR_RRIP_HIT_PRIORITY,                                                                        \
                        0,                                                                                             \
                        1,                                                                                             \
                        weir_rrip_on_hit,                                                                              \
                        false,                                                                                         \
                        "RRPV becomes 0, or is decremented (RRIP section 4.2)"},                                       \
  [WEIR_TA_PERIOD] = {"period",                                                                                        \
                      WEIR_KNOB_INT,                                                                                   \
                      32,                                                                                              \
                      1,                                                                                               \
                      65536,                                                                                           \
                      NULL,                                                                                            \
                      false,                                                                                           \
                      "1/epsilon: one of so many of BRRIP's lines enters with a long interval (inferred: as BIP)"},    \
  [WEIR_TA_LEADERS] = WEIR_LEADERS_KNOB, [WEIR_TA_PSEL_BITS] = WEIR_DUELING_PSEL_KNOB

struct weir_ta_duel {
  uint32_t psel, brrip_counter;
};

struct weir_ta {
  struct weir_leaders leaders;
  uint32_t first; // offset of the first requester's leader sets
  struct weir_ta_duel duel[WEIR_MAX_REQUESTERS];
};

static inline void weir_ta_start(struct weir_cache_view *c, struct weir_ta *ta) {
  ta->leaders = weir_leaders_start(c->sets, c->instances, c->requesters, (uint32_t)c->knobs[WEIR_TA_LEADERS]);
  ta->first = ta->leaders.stride >= WEIR_LEADERS_OF_HELM + 2 * c->requesters ? WEIR_LEADERS_OF_HELM : 0;
  for (uint32_t i = 0; i < c->requesters; i++)
    ta->duel[i].psel = (1u << ((unsigned)c->knobs[WEIR_TA_PSEL_BITS] - 1)) - 1;
  weir_rrip_init(c);
}

// Whether the set leads for this requester.
static inline enum weir_dueling_role weir_ta_role(const struct weir_ta *ta, uint32_t set, uint32_t requester) {
  uint32_t role = weir_leaders_role(&ta->leaders, set), own = ta->first + 2 * requester;
  return role == own ? WEIR_DUELING_A : role == own + 1 ? WEIR_DUELING_B : WEIR_DUELING_FOLLOWER;
}

// A miss of a demand access; write-backs say nothing about what a line is worth (inferred).
static inline void weir_ta_miss(const struct weir_cache_view *c, struct weir_ta *ta, const struct weir_access *a) {
  uint32_t *psel = &ta->duel[a->requester].psel;
  enum weir_dueling_role role = weir_ta_role(ta, a->set, a->requester);
  if (role == WEIR_DUELING_A && *psel < weir_mask((unsigned)c->knobs[WEIR_TA_PSEL_BITS]))
    ++*psel;
  else if (role == WEIR_DUELING_B && *psel > 0)
    --*psel;
}

// BRRIP's insertion: mostly not long.
static inline bool weir_ta_brrip_is_long(const struct weir_cache_view *c, struct weir_ta *ta, uint32_t requester) {
  return weir_bimodal_rare(&ta->duel[requester].brrip_counter, (uint32_t)c->knobs[WEIR_TA_PERIOD]);
}

// The winner's insertion, or the leader's.
static inline bool weir_ta_is_long(const struct weir_cache_view *c, struct weir_ta *ta, const struct weir_access *a) {
  enum weir_dueling_role role = weir_ta_role(ta, a->set, a->requester);
  bool high = ta->duel[a->requester].psel >> ((unsigned)c->knobs[WEIR_TA_PSEL_BITS] - 1);
  bool brrip = role == WEIR_DUELING_B || (role == WEIR_DUELING_FOLLOWER && high);
  return !brrip || weir_ta_brrip_is_long(c, ta, a->requester);
}

static inline void weir_ta_note_requester(struct weir_cache_view *c, const struct weir_access *a, uint32_t way) {
  uint64_t *gpu = weir_set_state(c, a->set), bit = UINT64_C(1) << way;
  *gpu = a->requester == 0 ? *gpu | bit : *gpu & ~bit;
}

// As weir_rrip_victim; gpu_first: of the lines in the distant future the GPU's go first (Holey section 4.2).
static inline uint32_t weir_ta_victim(struct weir_cache_view *c, struct weir_access *a, uint64_t candidates,
                                      bool gpu_first) {
  uint64_t distant = weir_rrip_distant_ways(c, a, candidates);
  uint64_t gpus = gpu_first ? distant & *(const uint64_t *)weir_set_state(c, a->set) : 0;
  return weir_lowest(gpus ? gpus : distant);
}

// requester_bit: a bit per line tells the GPU's.
static inline uint64_t weir_ta_line_bits(const struct weir_geometry *g, bool requester_bit) {
  return weir_rrip_bits(g) + (requester_bit ? (uint64_t)g->sets * g->ways : 0);
}

static inline uint64_t weir_ta_duel_bits(const struct weir_geometry *g) {
  uint64_t duel = weir_bimodal_bits((uint32_t)g->knobs[WEIR_TA_PERIOD]) + (uint64_t)g->knobs[WEIR_TA_PSEL_BITS];
  return weir_requester_count(g) * duel;
}

static inline const char *weir_ta_reject(const struct weir_geometry *g) {
  return g->sets >= 2 * weir_requester_count(g) ? NULL : "set dueling needs at least two sets for every requester";
}

#endif
