// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What an instruction says of how caches should treat its access: PTX's cache operators and eviction priorities.
#ifndef WEIR_BASE_CACHE_HINT_H
#define WEIR_BASE_CACHE_HINT_H

enum weir_cache_hint {
  WEIR_HINT_NONE,
  WEIR_HINT_CA,
  WEIR_HINT_CG,
  WEIR_HINT_CS,
  WEIR_HINT_LU,
  WEIR_HINT_CV,
  WEIR_HINT_WB,
  WEIR_HINT_WT,
  WEIR_HINT_NO_ALLOCATE,
  WEIR_HINT_EVICT_FIRST,
  WEIR_HINT_EVICT_LAST
};

#endif
