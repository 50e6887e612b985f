// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "policy/conform/subject.h"

#include "base/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CANARY = 0xA5 };

void weir_conform_fail(struct weir_conform_trial *t, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(t->found, sizeof t->found, format, arguments);
  va_end(arguments);
  longjmp(t->out, 1);
}

// ---- memory ------------------------------------------------------------------------------------------------------------

static struct weir_conform_memory memory_new(const char *what, size_t bytes) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), rounded = weir_align_up(bytes, 16);
  struct weir_conform_memory m = {.what = what, .map_bytes = weir_align_up(rounded, page) + 2 * page, .bytes = bytes};
  m.map = mmap(NULL, m.map_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (m.map == MAP_FAILED || mprotect(m.map + m.map_bytes - page, page, PROT_NONE)) abort();
  m.data = m.map + m.map_bytes - page - rounded;
  memset(m.map, CANARY, m.map_bytes - page);
  memset(m.data, 0, bytes);
  return m;
}

static void memory_check(struct weir_conform_trial *t, const struct weir_conform_memory *m) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  for (const uint8_t *p = m->map; p < m->map + m->map_bytes - page; p++)
    if ((p < m->data || p >= m->data + m->bytes) && *p != CANARY)
      weir_conform_fail(t,
                        "it writes byte %td of its memory by %s; expected: none but bytes 0 to %zu (it has %zu in all)",
                        p - m->data, m->what, m->bytes ? m->bytes - 1 : 0, m->bytes);
}

static void memory_free(struct weir_conform_memory *m) {
  munmap(m->map, m->map_bytes);
}

// ---- a subject ---------------------------------------------------------------------------------------------------------

// Its scope begins with it, or is that of `first`.
static void join_scope(struct weir_subject *s, struct weir_subject *first) {
  const struct weir_policy *p = s->choice.policy;
  uint32_t count = weir_policy_scope_caches(p, &s->g);
  s->scope_state = memory_new("scope_bytes", first != s || !p->scope_bytes ? 0 : p->scope_bytes(&s->g));
  if (first == s) s->scope = (struct weir_policy_scope){s->scope_state.data, count, s->scope_caches};
  first->scope_caches[count > 1 ? s->g.instance : 0] = &s->i.view;
  s->i.view.scope = &first->scope;
}

static void carve(struct weir_subject *s) {
  const struct weir_policy *p = s->choice.policy;
  s->state = memory_new("cache_bytes", p->cache_bytes ? p->cache_bytes(&s->g) : 0);
  s->set_state = memory_new("set_bytes", (size_t)s->g.sets * p->set_bytes);
  s->line_state = memory_new("line_bytes", (size_t)s->g.sets * s->g.ways * p->line_bytes);
}

struct weir_subject *weir_subject_new(struct weir_conform_trial *t, const struct weir_policy_choice *choice,
                                      const struct weir_geometry *g, uint64_t stream, struct weir_subject *first) {
  struct weir_subject *s = weir_new(struct weir_subject);
  const struct weir_policy *p = choice->policy;
  s->trial = t;
  s->g = *g;
  s->choice = *choice;
  s->g.knobs = s->choice.knobs;
  s->rng = weir_rng_seed(99, stream);
  s->now = UINT64_C(0xFFFFFF00);
  weir_conform_core_init(&s->core, g->warps, 2);
  s->g.core = p->kind == WEIR_POLICY_THROTTLE ? &s->core.view : NULL;
  carve(s);
  weir_policy_prepare(&s->i, &s->choice, &s->g, weir_rng_seed(5, 5),
                      &(struct weir_policy_memory){s->state.data, s->set_state.data, s->line_state.data});
  join_scope(s, first ? first : s);
  if (p->reorder) s->reorder = p->reorder(&s->g);
  weir_hook(&s->i, init);
  return s;
}

static void check_counters(struct weir_subject *s) {
  unsigned declared = 0;
  while (s->i.policy->counters && s->i.policy->counters[declared].name) weir_subject_note(s, s->i.counters[declared++]);
  for (unsigned k = declared; k < WEIR_MAX_POLICY_COUNTERS; k++)
    if (s->i.counters[k])
      weir_conform_fail(s->trial, "it counts in counters[%u]; expected: none beyond its %u counters", k, declared);
}

uint64_t weir_subject_end(struct weir_subject *s) {
  struct weir_conform_memory *memory[] = {&s->state, &s->scope_state, &s->set_state, &s->line_state};
  for (unsigned k = 0; k < 4; k++) {
    memory_check(s->trial, memory[k]);
    memory_free(memory[k]);
  }
  if (memcmp(s->i.knobs, s->choice.knobs, sizeof s->i.knobs) != 0)
    weir_conform_fail(s->trial, "it writes its knobs; expected: they stay as they were set");
  check_counters(s);
  uint64_t digest = s->digest;
  weir_free(s);
  return digest;
}
