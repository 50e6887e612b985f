// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "run/run.h"

#include <math.h>

static json_t *integer(uint64_t value) {
  return json_integer((json_int_t)value);
}

static json_t *share(double error, uint64_t of) {
  return isfinite(error) && of ? json_real(error / (double)of) : error > 0 ? json_null() : json_real(0);
}

static json_t *dimensions(const uint32_t d[3]) {
  return json_sprintf("%u x %u x %u", d[0], d[1], d[2]);
}

// clang-format off
#define STRATUM_MEMBERS(X)                                                                                             \
  X(kernel, TEXT, "", "its launches are of this kernel", NULL, json_string(t->kernel))                                 \
  X(block, TEXT, "threads", "in x, y and z", NULL, dimensions(t->block))                                               \
  X(launches, INTEGER, "launches", "in it", NULL, integer(t->launches))                                                \
  X(timed, INTEGER, "launches", "of these, those that were timed", NULL, integer(t->timed))                            \
  X(counted, INTEGER, "launches", "of these, those that the others are estimated from", NULL, integer(t->counted))     \
  X(warp_instructions, INTEGER, "instructions", "of all its launches", NULL,                                           \
    integer(own.warp_instructions))                                               \
  X(cycles, INTEGER, "core cycles", "of all its launches, as estimated", NULL, integer(own.cycles))                        \
  X(cycles_error, REAL, "", "half of the interval of a confidence of 95 %, over these; null: nothing tells", NULL,     \
    share(weir_stratum_error(t, WEIR_ESTIMATE_CYCLES), own.cycles))
// clang-format on

static const struct weir_member stratum_members[] = {STRATUM_MEMBERS(WEIR_ROW) WEIR_END_ROW};

static json_t *strata_json(const struct weir_strata *s) {
  json_t *list = json_array();
  for (unsigned i = 0; i < s->count; i++) {
    const struct weir_stratum *t = &s->all[i];
    struct weir_run_stats own;
    weir_stratum_total(t, &own);
    json_t *o = json_object();
    STRATUM_MEMBERS(WEIR_WRITE)
    json_array_append_new(list, o);
  }
  return list;
}

// clang-format off
#define SAMPLING_MEMBERS(X)                                                                                            \
  X(launched, INTEGER, "launches", "of the program", NULL, integer(s->launched))                                       \
  X(timed, INTEGER, "launches", "of these, those that were timed: kernels, loads and the like are of them, total is of all", \
    NULL, integer(s->timed))                                                                                           \
  X(stopped, INTEGER, "launches", "of these, those that were steady after some of their blocks, which alone were timed", NULL, \
    integer(s->stopped))                                                                                               \
  X(warmed, INTEGER, "launches", "of those not timed, those that left in the shared caches what they accessed, since one that was " \
                                 "to be timed was near", NULL, integer(s->warmed))                                     \
  X(not_run, INTEGER, "launches", "of those not timed, those that repeated one which had left memory as it found it, and so were " \
                                  "not run at all", NULL, integer(s->not_run))                                         \
  X(cycles_error, REAL, "", "of total.cycles, half of the interval of a confidence of 95 %, over them; null: nothing tells", \
    NULL, share(weir_strata_error(&s->strata, WEIR_ESTIMATE_CYCLES), total->cycles))                                   \
  X(l1_load_misses_error, REAL, "", "the same of the load misses of the first level", NULL,                            \
    share(weir_strata_error(&s->strata, WEIR_ESTIMATE_MISSES), total->levels[0].loads.misses))                         \
  X(strata, LIST, "", "launches that are alike, each in one", stratum_members, strata_json(&s->strata))
// clang-format on

const struct weir_member weir_sampling_members[] = {SAMPLING_MEMBERS(WEIR_ROW) WEIR_END_ROW};

json_t *weir_sampling_json(const struct weir_sampling *s, const struct weir_run_stats *total) {
  if (!s) return NULL;
  json_t *o = json_object();
  SAMPLING_MEMBERS(WEIR_WRITE)
  return o;
}
