// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What an instruction says of how caches should treat its access (PTX's cache operators and eviction priorities), and what a
// cache of a chip does about it. The second follows from the first by the chip's table (config/keys_hints.c).
#ifndef WEIR_BASE_CACHE_HINT_H
#define WEIR_BASE_CACHE_HINT_H

#include <stdint.h>

// X(name, key of chip files, what a chip does that does not say, which instructions give it). The order is part of the policy
// contract: new ones come last.
// clang-format off
#define WEIR_CACHE_HINTS(X)                                                                                            \
  X(CA, "ca", "normal", "ld.ca")                                                                                       \
  X(CG, "cg", "past_first", "ld.cg, st.cg")                                                                            \
  X(CS, "cs", "ignored", "ld.cs, st.cs")                                                                               \
  X(LU, "lu", "ignored", "ld.lu")                                                                                      \
  X(CV, "cv", "past_first", "ld.cv")                                                                                   \
  X(WB, "wb", "normal", "st.wb")                                                                                       \
  X(WT, "wt", "normal", "st.wt")                                                                                       \
  X(NO_ALLOCATE, "no_allocate", "past_first", "no_allocate of this level")                                             \
  X(EVICT_FIRST, "evict_first", "ignored", "evict_first of this level")                                                \
  X(EVICT_LAST, "evict_last", "ignored", "evict_last of this level")                                                   \
  X(EVICT_NORMAL, "evict_normal", "normal", "evict_normal of this level")                                              \
  X(EVICT_UNCHANGED, "evict_unchanged", "ignored", "evict_unchanged of this level")                                    \
  X(PREFETCH_L2, "prefetch_l2", "normal", "prefetch.L2")                                                               \
  X(APPLY_NORMAL, "applypriority", "ignored", "applypriority")                                                         \
  X(DISCARD, "discard", "ignored", "discard")                                                                          \
  X(L1_EVICT_FIRST, "l1_evict_first", "normal", "L1::evict_first, if no priority of L2 is given, behind the first level") \
  X(L1_NO_ALLOCATE, "l1_no_allocate", "normal", "L1::no_allocate, if no priority of L2 is given, behind the first level")

// X(name, value of those keys, meaning).
#define WEIR_HINT_EFFECTS(X)                                                                                           \
  X(NORMAL, "normal", "as without it")                                                                                 \
  X(IGNORED, "ignored", "as without it, which is said of each program that has it")                                    \
  X(PAST_FIRST, "past_first", "loads go past the first level's cache; the others treat them as without it")            \
  X(NO_ALLOCATE, "no_allocate", "a miss keeps no line")                                                                \
  X(FIRST, "first", "its line is the first to go, before what any policy says")                                        \
  X(LAST, "last", "its line goes after all others")                                                                    \
  X(UNCHANGED, "unchanged", "a hit changes neither the policy's order nor such a mark")                                \
  X(OLDEST, "oldest", "a miss's line goes before the others, the oldest such line first; a hit is as with unchanged")     \
  X(DEMOTE, "demote", "its line is as any other again, and goes by the policy")                                        \
  X(DROP, "drop", "its line is dropped, unwritten")
// clang-format on

enum weir_cache_hint {
  WEIR_HINT_NONE,
#define X(name, key, initial, from) WEIR_HINT_##name,
  WEIR_CACHE_HINTS(X)
#undef X
    WEIR_HINT_COUNT
};

// What the caches behind the first level hear of an access that tells them `l2`: if that is nothing, what it tells the first.
static inline uint8_t weir_hint_behind(uint8_t l1, uint8_t l2) {
  if (l2 != WEIR_HINT_NONE) return l2;
  return l1 == WEIR_HINT_EVICT_FIRST ? WEIR_HINT_L1_EVICT_FIRST
    : l1 == WEIR_HINT_NO_ALLOCATE    ? WEIR_HINT_L1_NO_ALLOCATE
                                     : WEIR_HINT_NONE;
}

// Sizes that a load can ask the L2 to fetch where it misses.
enum weir_prefetch_size {
  WEIR_PREFETCH_NONE,
  WEIR_PREFETCH_64B,
  WEIR_PREFETCH_128B,
  WEIR_PREFETCH_256B,
  WEIR_PREFETCH_SIZES
};

extern const char *const weir_hint_keys[WEIR_HINT_COUNT]; // the chip files' keys; NULL of WEIR_HINT_NONE

enum weir_hint_effect {
#define X(name, value, meaning) WEIR_EFFECT_OF_HINT_##name,
  WEIR_HINT_EFFECTS(X)
#undef X
};

#endif
