// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Shadow tags: what the same cache would hold if nothing bypassed it, under the same replace policy. They measure a
// bypass predictor (Tian et al., section 5.3) and change nothing.
#ifndef WEIR_MEM_SHADOW_H
#define WEIR_MEM_SHADOW_H

#include "mem/cache.h"

struct weir_shadow *weir_shadow_create(const struct weir_cache_params *params);
void weir_shadow_free(struct weir_shadow *s);

// A read that the cache has taken; `bypassed`: as a miss that will not be installed. Counts into `stats`.
void weir_shadow_read(struct weir_shadow *s, struct weir_access a, bool bypassed, struct weir_level_stats *stats);

// A store that it has taken, whether or not the line is in the cache itself.
void weir_shadow_write(struct weir_shadow *s, struct weir_access a, bool evicts, bool allocates);
void weir_shadow_drop_ways(struct weir_shadow *s, uint32_t from); // the lines in these ways and those behind them
void weir_shadow_use_ways(struct weir_shadow *s, uint32_t ways);  // as weir_cache_use_ways, when those others are empty
void weir_shadow_use_data(struct weir_shadow *s, uint32_t lines); // as weir_cache_use_data

#endif
