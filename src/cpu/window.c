// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The reorder buffer: who waits for whom, when each is done, and leaving in order.
#include "cpu/core_private.h"

static uint32_t latency(const struct weir_cpu_core *c, const struct weir_cpu_slot *s) {
  return c->config.latency_cycles[s->what->kind];
}

static bool loads(const struct weir_trace_static *what) {
  for (unsigned k = 0; k < what->access_count; k++)
    if (!what->accesses[k].store) return true;
  return false;
}

// ---- times ------------------------------------------------------------------------------------------------------------

static void finish(struct weir_cpu_core *c, struct weir_cpu_slot *s, weir_cycle done);

// All that it reads has a time.
static void operands_known(struct weir_cpu_core *c, struct weir_cpu_slot *s) {
  if (!loads(s->what)) {
    finish(c, s, s->ready + latency(c, s));
    return;
  }
  weir_cpu_push_load(c, weir_cpu_number(c, (uint32_t)(s - c->slots)), s->ready);
}

static void finish(struct weir_cpu_core *c, struct weir_cpu_slot *s, weir_cycle done) {
  s->done = done;
  if (s->redirects) c->fetch_at = done + c->config.redirect_cycles;
  uint16_t link = s->first_dependent;
  s->first_dependent = WEIR_CPU_NOBODY;
  while (link != WEIR_CPU_NOBODY) {
    struct weir_cpu_slot *d = &c->slots[link / WEIR_CPU_LINKS];
    link = d->next[link % WEIR_CPU_LINKS];
    d->ready = weir_later(d->ready, done);
    if (!--d->waits) operands_known(c, d);
  }
}

// The latency of an instruction that also computes begins with its data; one cycle of it is a load's own.
void weir_cpu_loaded(struct weir_cpu_core *c, uint64_t number) {
  struct weir_cpu_slot *s = weir_cpu_slot(c, number);
  finish(c, s, s->loaded + latency(c, s) - 1);
}

// ---- entering ---------------------------------------------------------------------------------------------------------

// Operand `k` is what instruction `number` makes.
static void depend(struct weir_cpu_core *c, struct weir_cpu_slot *s, unsigned k, uint64_t number) {
  if (number < c->head) return;
  struct weir_cpu_slot *maker = weir_cpu_slot(c, number);
  if (maker->done != WEIR_NEVER) {
    s->ready = weir_later(s->ready, maker->done);
    return;
  }
  s->next[k] = maker->first_dependent;
  maker->first_dependent = (uint16_t)((s - c->slots) * WEIR_CPU_LINKS + k);
  s->waits++;
}

static struct weir_cpu_word *word_of(struct weir_cpu_core *c, uint64_t address) {
  return &c->words[(address >> 3) % WEIR_CPU_WORDS];
}

static void depend_on_registers(struct weir_cpu_core *c, struct weir_cpu_slot *s) {
  const struct weir_trace_static *what = s->what;
  for (unsigned k = 0; k < what->source_count; k++) {
    const uint8_t r = what->sources[k];
    if (r && r != WEIR_TRACE_STACK_POINTER && r != WEIR_TRACE_PC && c->writers[r]) depend(c, s, k, c->writers[r] - 1);
  }
}

static void depend_on_stores(struct weir_cpu_core *c, struct weir_cpu_slot *s) {
  const struct weir_trace_static *what = s->what;
  for (unsigned k = 0; k < what->access_count; k++) {
    const struct weir_cpu_word *w = word_of(c, s->addresses[k]);
    if (what->accesses[k].store || !w->number || w->word != s->addresses[k] >> 3 ||
        w->number - 1 < weir_cpu_oldest_store(c))
      continue;
    s->forwarded |= (uint8_t)(1u << k);
    depend(c, s, WEIR_TRACE_REGISTERS + k, w->number - 1);
  }
}

static void write_names(struct weir_cpu_core *c, const struct weir_cpu_slot *s, uint64_t number) {
  const struct weir_trace_static *what = s->what;
  for (unsigned k = 0; k < what->destination_count; k++) c->writers[what->destinations[k]] = number + 1;
  for (unsigned k = 0; k < what->access_count; k++)
    if (what->accesses[k].store)
      *word_of(c, s->addresses[k]) = (struct weir_cpu_word){s->addresses[k] >> 3, number + 1};
}

void weir_cpu_enter(struct weir_cpu_core *c, uint64_t number, weir_cycle now) {
  struct weir_cpu_slot *s = weir_cpu_slot(c, number);
  s->ready = now + 1;
  s->done = WEIR_NEVER;
  s->loaded = 0;
  s->waits = s->loads_left = 0;
  s->next_access = s->forwarded = 0;
  s->second_line = s->redirects = false;
  s->first_dependent = WEIR_CPU_NOBODY;
  depend_on_registers(c, s);
  depend_on_stores(c, s);
  write_names(c, s, number);
  if (!s->waits) operands_known(c, s);
}

// ---- leaving ----------------------------------------------------------------------------------------------------------

void weir_cpu_retire(struct weir_cpu_core *c, weir_cycle now) {
  for (uint32_t n = 0; n < c->config.width && c->head < c->tail; n++) {
    const struct weir_cpu_slot *s = weir_cpu_slot(c, c->head);
    if (s->done > now) return; // WEIR_NEVER too
    if (!weir_cpu_store_room(c, s->what)) return;
    weir_cpu_push_stores(c, c->head);
    c->head++;
    c->stats.instructions++;
    c->stats.cycles = now + 1 - c->began;
  }
}
