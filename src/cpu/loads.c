// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Loads look up the data cache when their addresses are there, the earliest first, as many per cycle as there are ports.
#include "cpu/core_private.h"

#include "base/alloc.h"

// ---- a heap of loads by time, then age --------------------------------------------------------------------------------

static bool before(const struct weir_cpu_load *a, const struct weir_cpu_load *b) {
  return a->when != b->when ? a->when < b->when : a->number < b->number;
}

static void swap(struct weir_cpu_load *a, struct weir_cpu_load *b) {
  const struct weir_cpu_load t = *a;
  *a = *b;
  *b = t;
}

void weir_cpu_push_load(struct weir_cpu_core *c, uint64_t number, weir_cycle when) {
  *weir_push(c->loads, c->load_count, c->load_capacity) = (struct weir_cpu_load){when, number};
  for (uint32_t i = c->load_count - 1; i && before(&c->loads[i], &c->loads[(i - 1) / 2]); i = (i - 1) / 2)
    swap(&c->loads[i], &c->loads[(i - 1) / 2]);
}

static void pop(struct weir_cpu_core *c) {
  c->loads[0] = c->loads[--c->load_count];
  for (uint32_t i = 0, child; (child = 2 * i + 1) < c->load_count; i = child) {
    if (child + 1 < c->load_count && before(&c->loads[child + 1], &c->loads[child])) child++;
    if (!before(&c->loads[child], &c->loads[i])) return;
    swap(&c->loads[child], &c->loads[i]);
  }
}

// ---- look-ups ---------------------------------------------------------------------------------------------------------

static void loaded_at(struct weir_cpu_slot *s, weir_cycle when) {
  s->loaded = weir_later(s->loaded, when);
}

// One look-up. False: refused.
static bool look_up(struct weir_cpu_core *c, struct weir_cpu_slot *s, uint64_t address, weir_cycle now) {
  struct weir_mreq *r = weir_cpu_request(c, WEIR_MREQ_LOAD, address, (uint32_t)s->what->pc);
  r->token = (uint32_t)(s - c->slots);
  enum weir_stall why;
  switch (weir_cache_access(&c->l1d, r, now, &why)) {
  case WEIR_OUTCOME_REFUSED:
    c->l1d.stats->stalls[why]++;
    weir_mreq_release(c->pool, r);
    c->loads_blocked = true;
    return false;
  case WEIR_OUTCOME_HIT:
    weir_mreq_release(c->pool, r);
    loaded_at(s, now + c->config.l1d.latency_cycles);
    return true;
  default: s->loads_left++; return true;
  }
}

// Looks up what is next of the instruction's accesses; an access over the end of a line has two. False: refused.
static bool advance(struct weir_cpu_core *c, struct weir_cpu_slot *s, weir_cycle now) {
  const unsigned k = s->next_access;
  const struct weir_trace_access *a = &s->what->accesses[k];
  const uint64_t line = c->config.l1d.line_bytes, address = s->addresses[k], rest = line - (address & (line - 1));
  if (a->store) {
    s->next_access++;
    return true;
  }
  if (s->forwarded >> k & 1) {
    loaded_at(s, now + c->config.l1d.latency_cycles);
    c->stats.forwarded_loads++;
  } else if (!look_up(c, s, s->second_line ? address + rest : address, now)) {
    return false;
  }
  const bool again = !s->second_line && !(s->forwarded >> k & 1) && a->bytes > rest;
  s->second_line = again;
  if (again) return true;
  c->stats.loads++;
  s->next_access++;
  return true;
}

void weir_cpu_issue_loads(struct weir_cpu_core *c, weir_cycle now) {
  for (uint32_t n = 0; n < c->config.load_ports && c->load_count && !c->loads_blocked;) {
    const struct weir_cpu_load top = c->loads[0];
    struct weir_cpu_slot *s = weir_cpu_slot(c, top.number);
    if (top.when > now) return;
    if (s->next_access < s->what->access_count) {
      n += !s->what->accesses[s->next_access].store;
      if (!advance(c, s, now)) return;
    }
    if (s->next_access < s->what->access_count) continue;
    pop(c);
    if (!s->loads_left) weir_cpu_loaded(c, top.number);
  }
}

void weir_cpu_load_answer(struct weir_cpu_core *c, struct weir_mreq *r, weir_cycle now) {
  struct weir_cpu_slot *s = &c->slots[r->token];
  loaded_at(s, now);
  if (!--s->loads_left && s->next_access == s->what->access_count) weir_cpu_loaded(c, weir_cpu_number(c, r->token));
}
