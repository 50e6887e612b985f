// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "policy/recency.h"

void weir_recency_hit(struct weir_cache_view *c, struct weir_access *a, uint32_t way, bool pending) {
  (void)pending;
  weir_recency_promote(c, a->set, way);
}
