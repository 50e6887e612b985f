// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "run/sweep.h"

#include "run/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *value_json(const char *text) {
  char *end;
  double value = strtod(text, &end);
  if (*end || end == text || text[strspn(text, "0123456789.eE+-")]) return json_string(text);
  return strspn(text, "-0123456789") == strlen(text) ? json_integer(strtoll(text, NULL, 10)) : json_real(value);
}

static json_t *values_json(const struct weir_scheme *s, unsigned combination) {
  json_t *o = json_object();
  for (unsigned k = 0; k < weir_scheme_sweep_count(s); k++)
    json_object_set_new(o, weir_scheme_sweep(s, k)->key, value_json(weir_scheme_choice_of(s, combination, k)));
  return o;
}

static const struct weir_member value_members[] = {{"<key>", WEIR_SCALAR, "", "its value: a number or a text", NULL},
                                                   WEIR_END_ROW};

// clang-format off
#define TRIED_MEMBERS(X)                                                                                             \
  X(values, OBJECT, "", "of each key left open", value_members, values_json(s->scheme, r->combination))              \
  X(cycles, INTEGER, "core cycles", "`total.cycles` of its run", NULL, json_integer((json_int_t)r->cycles))          \
  X(thread_ipc, REAL, "thread instructions per core cycle", "`total.thread_ipc` of its run; null without a GPU", NULL, \
    isnan(r->thread_ipc) ? json_null() : json_real(r->thread_ipc))                                                   \
  X(mean_ipc, REAL, "instructions per cycle", "of a mix: geometric mean of its programs' `ipc`; null of others", NULL, \
    isnan(r->mean_ipc) ? json_null() : json_real(r->mean_ipc))                                                       \
  X(check, TEXT, "", "`check` of its run; one that failed is not chosen", NULL, json_string(r->check))
// clang-format on

static const struct weir_member tried_members[] = {TRIED_MEMBERS(WEIR_ROW) WEIR_END_ROW};

static json_t *tried_json(const struct weir_sweep_result *s) {
  json_t *list = json_array();
  for (unsigned i = 0; i < s->count; i++) {
    const struct weir_sweep_tried *r = &s->tried[i];
    json_t *o = json_object();
    TRIED_MEMBERS(WEIR_WRITE)
    json_array_append_new(list, o);
  }
  return list;
}

// clang-format off
#define SWEEP_MEMBERS(X)                                                                                             \
  X(best, OBJECT, "", "by key, the value chosen: fewest cycles or highest thread_ipc (objective), of a mix highest mean_ipc; the first of equals", value_members, \
    s->scheme ? values_json(s->scheme, s->best) : json_object())                                                     \
  X(objective, TEXT, "", "cycles (best:LIST) or ipc (best-ipc:LIST); empty if there was no sweep", NULL,                       \
    json_string(!s->scheme ? "" : weir_scheme_objective(s->scheme) == WEIR_HIGHEST_IPC ? "ipc" : "cycles"))          \
  X(tried, LIST, "", "every combination whose run ended, in order", tried_members, tried_json(s))
// clang-format on

const struct weir_member weir_sweep_members[] = {SWEEP_MEMBERS(WEIR_ROW) WEIR_END_ROW};

json_t *weir_sweep_json(const struct weir_sweep_result *s) {
  json_t *o = json_object();
  SWEEP_MEMBERS(WEIR_WRITE)
  return o;
}
