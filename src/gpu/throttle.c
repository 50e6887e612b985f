// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Throttles: policies that say which warps of a core may issue. What they say stands until warps start, end, wait or go on,
// until they have been told something, or until it ends by their own word; they are asked again when a warp is ready then.
#include "gpu/sm.h"

#include "base/bits.h"

#include <string.h>

static uint64_t bit_of(uint32_t warp) {
  return UINT64_C(1) << warp;
}

static bool hears_cache(const struct weir_policy *p) {
  return p->hit || p->insert || p->evict || p->invalidate || p->store || p->miss;
}

void weir_throttle_init(struct weir_sm *m) {
  m->view = (struct weir_core_view){.warps = m->shared->config->max_warps,
                                    .schedulers = m->shared->config->schedulers,
                                    .by_age = m->throttling.by_age,
                                    .issued = m->throttling.issued};
}

void weir_throttle_enlist(struct weir_sm *m) {
  struct weir_throttling *t = &m->throttling;
  for (unsigned i = 0; i < m->l1.params.companion_count; i++) {
    const struct weir_policy *p = m->l1.companions[i].policy;
    if (p->kind != WEIR_POLICY_THROTTLE) continue;
    weir_throttle_hooks_add(&t->hooks, &m->l1.companions[i]);
    t->count++;
    t->hear_cache |= hears_cache(p);
  }
}

void weir_throttle_start(struct weir_sm *m, uint32_t warp) {
  struct weir_throttling *t = &m->throttling;
  t->by_age[m->view.count++] = (uint8_t)warp; // the youngest
  t->issued[warp] = 0;
  m->view.resident |= bit_of(warp);
  t->stale = true;
  weir_tell(&t->hooks, start, warp);
}

void weir_throttle_end(struct weir_sm *m, uint32_t warp) {
  struct weir_throttling *t = &m->throttling;
  uint8_t *at = memchr(t->by_age, (int)warp, m->view.count);
  memmove(at, at + 1, (size_t)(t->by_age + --m->view.count - at));
  m->view.resident &= ~bit_of(warp);
  t->stale = true;
  weir_tell(&t->hooks, end, warp);
}

void weir_throttle_issued(struct weir_sm *m, uint32_t warp, const struct weir_winstr *w, weir_cycle now) {
  struct weir_throttling *t = &m->throttling;
  uint64_t overruled = t->overruled_issue | (t->overruled_loads & m->load_next);
  m->shared->stats->throttle_overrides += overruled >> warp & 1;
  t->issued[warp]++;
  if (!t->hooks.count.issued) return;
  struct weir_issue issue = {.pc = w->pc * 8,
                             .warp = (uint16_t)warp,
                             .lanes = (uint8_t)weir_popcount(w->active),
                             .load = weir_sm_reads_data(m, w->what, w->space),
                             .now = now};
  t->stale = true;
  weir_tell(&t->hooks, issued, &issue);
}

// ---- what they allow ----------------------------------------------------------------------------------------------------

static bool stands(const struct weir_sm *m, weir_cycle now) {
  const struct weir_throttling *t = &m->throttling;
  return !t->stale && t->waiting == m->view.waiting && now < t->all.until;
}

// No throttle may stop a core: if none of its warps can go on, the oldest that waits for nothing does.
static void let_one_go(struct weir_sm *m) {
  struct weir_throttling *t = &m->throttling;
  uint64_t able = m->view.resident & ~m->view.waiting;
  t->overruled_issue = t->overruled_loads = 0;
  if (!able || able & t->all.issue & t->all.loads) return;
  uint32_t i = 0;
  while (!(able & bit_of(t->by_age[i]))) i++;
  t->overruled_issue = bit_of(t->by_age[i]) & ~t->all.issue;
  t->overruled_loads = bit_of(t->by_age[i]) & ~t->all.loads;
  t->all.issue |= t->overruled_issue;
  t->all.loads |= t->overruled_loads;
}

static void ask(struct weir_sm *m, weir_cycle now) {
  struct weir_throttling *t = &m->throttling;
  t->all = (struct weir_allowance){.issue = UINT64_MAX, .loads = UINT64_MAX, .until = WEIR_NEVER};
  for (uint32_t i = 0; i < t->hooks.count.allowed; i++) {
    struct weir_allowance one = {.until = WEIR_NEVER};
    t->hooks.allowed[i].call(t->hooks.allowed[i].view, now, &one);
    t->all.issue &= one.issue;
    t->all.loads &= one.loads;
    t->all.until = weir_sooner(t->all.until, one.until);
  }
  t->waiting = m->view.waiting;
  t->stale = false;
  let_one_go(m);
}

void weir_throttle_choose(struct weir_sm *m, weir_cycle now) {
  if (!stands(m, now)) ask(m, now);
  uint64_t pass = weir_throttle_pass(m, UINT64_MAX);
  for (uint32_t s = 0; s < m->view.schedulers; s++) m->schedulers[s].let_go = m->schedulers[s].warps & pass;
}

weir_cycle weir_throttle_wake(const struct weir_sm *m, weir_cycle now) {
  if (!m->ready) return WEIR_NEVER; // they are asked for ready warps alone
  return stands(m, now + 1) ? m->throttling.all.until : now + 1;
}

void weir_throttle_count(struct weir_sm *m, uint32_t scheduler, uint64_t cycles) {
  uint64_t ready = m->ready & m->schedulers[scheduler].warps;
  if (ready && !weir_throttle_pass(m, ready)) m->shared->stats->issue_slots_throttled += cycles;
}

void weir_throttle_count_sleep(struct weir_sm *m, uint64_t cycles) {
  for (uint32_t s = 0; s < m->view.schedulers; s++) weir_throttle_count(m, s, cycles);
}
