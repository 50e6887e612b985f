// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Judging a run: each law in turn, and what the files of laws share.
#include "laws.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

static void note(struct verdict *v, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void note(struct verdict *v, const char *format, ...) {
  v->broken++;
  if (v->length + 256 > NOTE_BYTES) return;
  v->length += (size_t)snprintf(v->notes + v->length, NOTE_BYTES - v->length, "%s: ", v->law);
  va_list arguments;
  va_start(arguments, format);
  v->length += (size_t)vsnprintf(v->notes + v->length, NOTE_BYTES - v->length, format, arguments);
  va_end(arguments);
  v->length += (size_t)snprintf(v->notes + v->length, NOTE_BYTES - v->length, "\n");
}

void equal(struct verdict *v, const char *what, uint64_t is, uint64_t must) {
  if (is != must) note(v, "%s is %" PRIu64 ", must be %" PRIu64, what, is, must);
}

void at_most(struct verdict *v, const char *what, uint64_t is, uint64_t most) {
  if (is > most) note(v, "%s is %" PRIu64 ", may be at most %" PRIu64, what, is, most);
}

#define ANY_HAS(run, level, hook)                                                                                      \
  const struct weir_level_policies *p_ = weir_scheme_level((run)->scheme, (level));                                    \
  bool has_ = false;                                                                                                   \
  for (unsigned i_ = 0; i_ < p_->companion_count; i_++) has_ |= p_->companions[i_].policy->hook != NULL;               \
  return has_

bool level_asks_load(const struct run *run, unsigned level) {
  ANY_HAS(run, level, load);
}

bool level_asks_stall(const struct run *run, unsigned level) {
  ANY_HAS(run, level, stall);
}

bool level_asks_keep(const struct run *run, unsigned level) {
  ANY_HAS(run, level, keep);
}

static unsigned check_list(const struct law *list, unsigned count, const struct run *run, struct verdict *v) {
  unsigned broken = 0;
  for (unsigned i = 0; i < count; i++) {
    v->law = list[i].name;
    v->broken = 0;
    list[i].check(run, v);
    broken += v->broken != 0;
  }
  return broken;
}

unsigned check_laws(const struct run *run, char *notes) {
  struct verdict v = {.notes = notes};
  *notes = 0;
  return check_list(core_laws, core_law_count, run, &v) + check_list(cache_laws, cache_law_count, run, &v) +
    check_list(memory_laws, memory_law_count, run, &v);
}
