// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The keys `hints` of a cache: what it does about each of PTX's cache hints (base/cache_hint.h).
#include "base/param_rows.h"
#include "config/keys.h"

static const char *const effects[] = {
#define X(name, value, meaning) value,
  WEIR_HINT_EFFECTS(X)
#undef X
    NULL};

#define PREFETCH(name, size)                                                                                           \
  UINT(weir_hint_config, name, 0, 4096,                                                                                \
       "where a load with L2::" size                                                                                   \
       "B misses, the aligned bytes around that are fetched; 0: none, the size is ignored",                            \
       .initial = "0")

static const struct weir_param hint_keys[] = {
#define X(hint, key, given, from)                                                                                      \
  {.name = key,                                                                                                        \
   .type = WEIR_PARAM_CHOICE,                                                                                          \
   .bytes = sizeof(enum weir_hint_effect),                                                                             \
   .offset = offsetof(struct weir_hint_config, effects) + WEIR_HINT_##hint * sizeof(enum weir_hint_effect),            \
   .choices = effects,                                                                                                 \
   .initial = given,                                                                                                   \
   .help = "what this cache does about " from},
  WEIR_CACHE_HINTS(X)
#undef X
    UINT(weir_hint_config, last_ways, 1, WEIR_MAX_WAYS,
         "lines of a set that go after all others at once; more are as any other", .initial = "64"),
  PREFETCH(prefetch_64b, "64"),
  PREFETCH(prefetch_128b, "128"),
  PREFETCH(prefetch_256b, "256"),
};
const struct weir_param_table weir_hint_table = TABLE_OF("a cache's hints", weir_hint_config, hint_keys);
