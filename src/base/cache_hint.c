// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/cache_hint.h"

#include <stddef.h>

const char *const weir_hint_keys[WEIR_HINT_COUNT] = {
#define X(name, key, initial, from) [WEIR_HINT_##name] = key,
  WEIR_CACHE_HINTS(X)
#undef X
};
