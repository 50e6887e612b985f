// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Names to what they stand for, in nested scopes. Invariant: entries are in the order added, those of an inner scope
// behind those of its outer; entries of one hash are chained, newest first, so that an inner name hides an outer one and
// leaving a scope is undoing its additions. Names are not copied.
#ifndef WEIR_PTX_NAMES_H
#define WEIR_PTX_NAMES_H

#include "base/map.h"

#include <stddef.h>
#include <stdint.h>

struct weir_name {
  const char *text;
  void *value;
  uint64_t hash;
  uint32_t length, depth;
  uint32_t next; // 1 + older entry of the same hash; 0: none
};

struct weir_names {
  struct weir_name *entries;
  uint32_t count, capacity;
  struct weir_map newest; // of a hash: 1 + its newest entry; 0: none
};

// The innermost entry of a name at `depth` or deeper; NULL if there is none.
struct weir_name *weir_names_find(const struct weir_names *n, const char *text, size_t length, uint32_t depth);

// The entry of the same name that `e` hides, or NULL.
struct weir_name *weir_names_hidden(const struct weir_names *n, const struct weir_name *e);

void weir_names_add(struct weir_names *n, const char *text, size_t length, uint32_t depth, void *value);

// Forgets all but the first `count` entries.
void weir_names_pop(struct weir_names *n, uint32_t count);

void weir_names_free(struct weir_names *n);

#endif
