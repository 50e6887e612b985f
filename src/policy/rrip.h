// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Re-reference interval prediction (Jaleel et al., High performance cache replacement using re-reference interval
// prediction, ISCA 2010, section 4): each line holds a re-reference prediction value (RRPV) of M bits. 2^M-1 is the
// distant future, 2^M-2 a long one, 0 the near-immediate.
// Invariant: RRPV <= 2^M-1, one byte per line. Lines age only when a victim is sought. The knobs of the M bits and of the
// rule for hits come first in every table of this family.
#ifndef WEIR_POLICY_RRIP_H
#define WEIR_POLICY_RRIP_H

#include "policy/policy.h"

enum { WEIR_RRIP_BITS, WEIR_RRIP_ON_HIT, WEIR_RRIP_KNOBS };
enum { WEIR_RRIP_HIT_PRIORITY, WEIR_RRIP_FREQUENCY_PRIORITY };

static const char *const weir_rrip_on_hit[] = {"hit_priority", "frequency_priority", NULL};

#define WEIR_RRIP_KNOB_TABLE                                                                                           \
  [WEIR_RRIP_BITS] = {"rrpv_bits", WEIR_KNOB_INT, 2, 1, 8, NULL, false, "M, width of the RRPV (RRIP section 6: 2)"},   \
  [WEIR_RRIP_ON_HIT] = {"on_hit",                                                                                      \
                        WEIR_KNOB_CHOICE,                                                                              \
                        WEIR_RRIP_HIT_PRIORITY,                                                                        \
                        0,                                                                                             \
                        1,                                                                                             \
                        weir_rrip_on_hit,                                                                              \
                        false,                                                                                         \
                        "RRPV becomes 0, or is decremented (RRIP section 4.2)"}

static inline uint8_t weir_rrip_distant(const double *knobs) {
  return (uint8_t)weir_mask((unsigned)knobs[WEIR_RRIP_BITS]);
}

// Inferred: lines never filled are distant; it cannot be seen, as a fill sets the RRPV.
static inline void weir_rrip_init(struct weir_cache_view *c) {
  uint8_t *rrpv = weir_line_state(c, 0, 0);
  for (size_t line = 0; line < (size_t)c->sets * c->ways; line++) rrpv[line] = weir_rrip_distant(c->knobs);
}

static inline void weir_rrip_hit(struct weir_cache_view *c, struct weir_access *a, uint32_t way, bool pending) {
  (void)pending;
  uint8_t *rrpv = weir_line_state(c, a->set, way);
  *rrpv = c->knobs[WEIR_RRIP_ON_HIT] == WEIR_RRIP_HIT_PRIORITY ? 0 : (uint8_t)(*rrpv - (*rrpv > 0));
}

// SRRIP's insertion: a long interval. BRRIP's common one: distant.
static inline void weir_rrip_insert(struct weir_cache_view *c, uint32_t set, uint32_t way, bool is_long) {
  *(uint8_t *)weir_line_state(c, set, way) = (uint8_t)(weir_rrip_distant(c->knobs) - (is_long ? 1 : 0));
}

// The candidates in the distant future: all lines age by the same amount until there is one. Lines that cannot be evicted
// age as well, up to the distant future.
static inline uint64_t weir_rrip_distant_ways(struct weir_cache_view *c, struct weir_access *a, uint64_t candidates) {
  uint8_t *rrpv = weir_line_state(c, a->set, 0);
  uint8_t distant = weir_rrip_distant(c->knobs), oldest = 0;
  uint64_t ways = 0;
  for (uint64_t rest = candidates; rest; rest &= rest - 1) {
    uint32_t way = weir_lowest(rest);
    if (rrpv[way] < oldest) continue;
    ways = (rrpv[way] > oldest ? 0 : ways) | UINT64_C(1) << way;
    oldest = rrpv[way];
  }
  unsigned age = distant - oldest;
  for (uint32_t way = 0; age && way < c->ways; way++)
    rrpv[way] = rrpv[way] + age > distant ? distant : (uint8_t)(rrpv[way] + age);
  return ways;
}

// The lowest way in the distant future.
static inline uint32_t weir_rrip_victim(struct weir_cache_view *c, struct weir_access *a, uint64_t candidates) {
  return weir_lowest(weir_rrip_distant_ways(c, a, candidates));
}

static inline uint64_t weir_rrip_bits(const struct weir_geometry *g) {
  return (uint64_t)g->sets * g->ways * (uint64_t)g->knobs[WEIR_RRIP_BITS];
}

#endif
