// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "mem/census.h"

#include "base/alloc.h"
#include "base/map.h"

struct weir_census {
  struct weir_map lines; // 1 if asked for again
  uint64_t again;
};

struct weir_census *weir_census_create(void) {
  return weir_new(struct weir_census);
}

void weir_census_free(struct weir_census *c) {
  if (!c) return;
  weir_map_free(&c->lines);
  weir_free(c);
}

void weir_census_count(struct weir_census *c, uint64_t line) {
  bool is_new;
  uint64_t *again = weir_map_add(&c->lines, line, &is_new);
  if (is_new || *again) return;
  *again = 1;
  c->again++;
}

uint64_t weir_census_distinct(const struct weir_census *c) {
  return c->lines.count;
}

uint64_t weir_census_once(const struct weir_census *c) {
  return c->lines.count - c->again;
}
