// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "stats/ncu.h"

struct counts {
#define X(name, unit, meaning, value) uint64_t name;
  WEIR_NCU_COUNTS(X)
#undef X
};

static struct counts counts_of(const struct weir_run_stats *s) {
  const struct weir_level_stats *l1 = &s->levels[0], *l2 = &s->levels[1];
  return (struct counts){
#define X(name, unit, meaning, value) .name = value,
    WEIR_NCU_COUNTS(X)
#undef X
  };
}

static double ratio(uint64_t a, uint64_t b) {
  return b ? (double)a / (double)b : 0;
}

#define COUNT_ROW(name, unit, meaning, value) {#name, WEIR_INTEGER, unit, meaning, NULL},
#define RATE_ROW(name, unit, meaning, value) {#name, WEIR_REAL, unit, meaning, NULL},

const struct weir_member weir_ncu_members[] = {WEIR_NCU_COUNTS(COUNT_ROW)
                                                 WEIR_NCU_RATES(RATE_ROW){NULL, WEIR_INTEGER, NULL, NULL, NULL}};

json_t *weir_ncu_json(const struct weir_run_stats *s) {
  const struct counts counts = counts_of(s), *n = &counts;
  const struct weir_level_stats *l2 = &s->levels[1];
  json_t *o = json_object();
#define X(name, unit, meaning, value) json_object_set_new(o, #name, json_integer((json_int_t)n->name));
  WEIR_NCU_COUNTS(X)
#undef X
#define X(name, unit, meaning, value) json_object_set_new(o, #name, json_real(value));
  WEIR_NCU_RATES(X)
#undef X
  return o;
}
