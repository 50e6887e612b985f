// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What ports counted at a level of shared caches is, added up, what the level counted itself.
#ifndef WEIR_TESTS_REQUESTER_H
#define WEIR_TESTS_REQUESTER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stats/stats.h"
#include "stats/requester.h"

static inline struct weir_requester_counts sum_of(const struct weir_requester_counts *ports, uint32_t count) {
  struct weir_requester_counts sum = {0};
  for (uint32_t i = 0; i < count; i++) weir_requester_counts_add(&sum, &ports[i]);
  return sum;
}

static inline void assert_adds_up(const struct weir_requester_counts *n, const struct weir_level_stats *s) {
  const struct weir_access_counts *l = &s->loads, *w = &s->stores;
#define X(name, unit, meaning) assert_int_equal(n->at.name, l->name + w->name);
  WEIR_ACCESS_FIELDS(X)
#undef X
  assert_int_equal(n->fills, s->fills);
  assert_int_equal(n->evictions, s->evictions);
  assert_int_equal(n->writebacks, s->writebacks);
  assert_int_equal(n->data_reads, s->data_reads);
  assert_int_equal(n->data_writes, s->data_writes);
}

#endif
