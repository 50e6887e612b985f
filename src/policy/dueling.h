// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Set dueling (Qureshi et al., Adaptive insertion policies for high performance caching, ISCA 2007, section 5.2): a few
// leader sets always use policy A, as many always B; a saturating counter PSEL counts A's misses up and B's down, and
// all other sets follow B while its most significant bit is set.
//
// Leaders are chosen by the paper's "complement-select" (section 5.3): the sets are divided into as many constituencies as
// each policy has leaders; in constituency k the k-th set leads for A, the k-th from the end for B. Inferred, as the paper
// has 1024 sets and does not say: PSEL starts one below its middle (A), and small caches lead with an eighth of their sets.
// Invariant: no set leads for both.
#ifndef WEIR_POLICY_DUELING_H
#define WEIR_POLICY_DUELING_H

#include "policy/policy.h"

enum weir_dueling_role { WEIR_DUELING_FOLLOWER, WEIR_DUELING_A, WEIR_DUELING_B };

struct weir_dueling {
  uint32_t psel, psel_bits;
  uint32_t constituencies, constituency_sets; // the latter even
};

// leaders: sets that lead per policy in the scope, of whose `caches` this one has its share; 0: 32, or an eighth of the sets
// if that is less.
static inline struct weir_dueling weir_dueling_start(uint32_t sets, uint32_t caches, uint32_t leaders,
                                                     uint32_t psel_bits) {
  uint32_t share = ((leaders ? leaders : 32) + caches - 1) / caches, eighth = sets < 8 ? 1 : sets / 8;
  uint32_t wanted = leaders || share < eighth ? share : eighth;
  uint32_t constituencies = wanted <= sets / 2 ? wanted : sets / 2;
  return (struct weir_dueling){(1u << (psel_bits - 1)) - 1, psel_bits, constituencies, sets / constituencies & ~1u};
}

static inline enum weir_dueling_role weir_dueling_role(const struct weir_dueling *d, uint32_t set) {
  uint32_t constituency = set / d->constituency_sets, offset = set % d->constituency_sets;
  if (constituency >= d->constituencies) return WEIR_DUELING_FOLLOWER;
  uint32_t leader = constituency % d->constituency_sets;
  if (offset == leader) return WEIR_DUELING_A;
  return offset == d->constituency_sets - 1 - leader ? WEIR_DUELING_B : WEIR_DUELING_FOLLOWER;
}

// A miss in a set of this role moves PSEL.
static inline void weir_dueling_miss(struct weir_dueling *d, enum weir_dueling_role role) {
  if (role == WEIR_DUELING_A && d->psel < weir_mask(d->psel_bits))
    d->psel++;
  else if (role == WEIR_DUELING_B && d->psel > 0)
    d->psel--;
}

// Whether a set of this role uses policy B now.
static inline bool weir_dueling_uses_b(const struct weir_dueling *d, enum weir_dueling_role role) {
  return role == WEIR_DUELING_B || (role == WEIR_DUELING_FOLLOWER && d->psel >> (d->psel_bits - 1));
}

static inline const char *weir_dueling_reject(const struct weir_geometry *g) {
  return g->sets >= 2 ? NULL : "set dueling needs at least two sets";
}

// The knobs of every policy that duels, to be placed in its table.
#define WEIR_DUELING_LEADERS_KNOB                                                                                      \
  {                                                                                                                    \
    "leaders", WEIR_KNOB_INT, 0, 0, 1024, NULL, false,                                                                 \
      "leader sets per policy and scope; 0: 32 (DIP section 5.3), or an eighth of the sets if that is less (inferred)" \
  }
#define WEIR_DUELING_SCOPE_KNOB                                                                                        \
  WEIR_SCOPE_KNOB(WEIR_SCOPE_PART, "what one policy selector is for (inferred: each part of a shared cache has one)")
#define WEIR_DUELING_PSEL_KNOB                                                                                         \
  { "psel_bits", WEIR_KNOB_INT, 10, 1, 30, NULL, false, "width of the policy selector (DIP section 5.3)" }

#endif
