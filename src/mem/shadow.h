// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Shadow tags: what the same cache would hold if nothing bypassed it, under the same replace policy. They measure a
// bypass predictor (Tian et al., section 5.3) and change nothing.
#ifndef WEIR_MEM_SHADOW_H
#define WEIR_MEM_SHADOW_H

#include "mem/cache.h"

struct weir_shadow *weir_shadow_create(const struct weir_cache_params *params);
void weir_shadow_free(struct weir_shadow *s);

// A load that the cache has taken; `bypassed`: as a miss that will not be installed. Counts into `stats`.
void weir_shadow_load(struct weir_shadow *s, struct weir_access a, bool bypassed, struct weir_level_stats *stats);

// The line was invalidated (store, flush) in the cache it shadows.
void weir_shadow_drop(struct weir_shadow *s, uint64_t line, uint32_t set);
void weir_shadow_flush(struct weir_shadow *s);

#endif
