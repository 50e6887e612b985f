// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What comes between a subject's accesses: ends of epochs, launches, queues in front of the cache, and the core of a throttle.
#include "policy/conform/subject.h"

#include <inttypes.h>

// ---- epochs ------------------------------------------------------------------------------------------------------------

// What an epoch hands over, in one piece, so that it can be compared.
struct sensors {
  struct weir_sensors all;
  struct weir_core_sensors core[WEIR_CONFORM_CORES];
  struct weir_slice_sensors slice[WEIR_CONFORM_SLICES];
};

static void random_loads(struct weir_subject *s, struct weir_access_counts *n) {
  n->hits = weir_subject_below(s, 2) ? weir_subject_below(s, 500) : 0;
  n->hits_on_miss = weir_subject_below(s, 2) ? weir_subject_below(s, 100) : 0;
  n->misses = weir_subject_below(s, 2) ? weir_subject_below(s, 100) : 0;
  n->bypasses = weir_subject_below(s, 200);
  n->misses += n->bypasses;
  n->accesses = n->hits + n->hits_on_miss + n->misses;
}

static void random_core(struct weir_subject *s, struct weir_core_sensors *core) {
  core->instructions = weir_subject_below(s, 3000);
  core->launch_instructions = core->instructions + weir_subject_below(s, 3000);
  random_loads(s, &core->loads);
  core->stall_bypasses = weir_subject_below(s, core->loads.bypasses + 1);
  for (unsigned why = 0; why < WEIR_STALL_COUNT; why++) core->stall_cycles[why] = weir_subject_below(s, 300);
  uint64_t cycles = weir_policy_epoch_cycles(s->i.policy, &s->g);
  core->busy_cycles = weir_subject_below(s, 2) ? cycles : weir_subject_below(s, cycles + 1);
  core->ready_warps = (uint32_t)weir_subject_below(s, 48);
  core->occupied = weir_subject_below(s, 2);
}

// An epoch ends. Nothing that the policy is shown changes.
static void epoch(struct weir_subject *s) {
  weir_cycle cycles = weir_policy_epoch_cycles(s->i.policy, &s->g);
  if (!cycles || s->i.view.scope != &s->scope) return;
  struct sensors seen, before;
  memset(&seen, 0, sizeof seen);
  seen.all = (struct weir_sensors){.now = s->now,
                                   .epoch_cycles = cycles,
                                   .cores = WEIR_CONFORM_CORES,
                                   .slices = WEIR_CONFORM_SLICES,
                                   .core = seen.core,
                                   .slice = seen.slice};
  seen.all.launch_cycles = cycles * (1 + weir_subject_below(s, 20));
  for (unsigned i = 0; i < WEIR_CONFORM_CORES; i++) random_core(s, &seen.core[i]);
  for (unsigned i = 0; i < WEIR_CONFORM_SLICES; i++)
    seen.slice[i].input_utilisation = (double)weir_subject_below(s, 11) / 10;
  memcpy(&before, &seen, sizeof seen);
  s->i.policy->epoch(&s->i.view, &seen.all);
  if (memcmp(&seen, &before, sizeof seen) != 0)
    weir_conform_fail(s->trial, "its epoch changes the sensors that it is shown; expected: nothing of them");
}

void weir_subject_pass_time(struct weir_subject *s) {
  if (weir_subject_below(s, 50) == 0) epoch(s);
  if (weir_subject_below(s, 500) == 0) weir_hook(&s->i, launch, s->launches++);
  if (weir_subject_below(s, 700) == 0) weir_hook(&s->i, warmed_up);
}

// ---- queues ------------------------------------------------------------------------------------------------------------

// Some of the queues that hold something, at least one.
static uint64_t some_queues(struct weir_subject *s) {
  uint64_t all = 0, some;
  for (uint32_t q = 0; q < s->reorder.queues; q++) all |= (uint64_t)(s->queued[q] != 0) << q;
  some = weir_subject_below(s, 2) ? weir_rng_next(&s->rng) & all : all;
  return some ? some : all;
}

// The access enters its queue if it is a load and there is room; now and then some leave.
void weir_subject_reorder(struct weir_subject *s, const struct weir_access *a) {
  if (!s->reorder.queues) return;
  uint32_t q = s->i.policy->enqueue(&s->i.view, a);
  if (q >= s->reorder.queues)
    weir_conform_fail(s->trial, "enqueue answers queue %" PRIu32 "; expected: less than the %" PRIu32 " of reorder", q,
                      s->reorder.queues);
  weir_subject_note(s, q);
  s->queued[q] = (uint16_t)(s->queued[q] + (a->kind == WEIR_ACCESS_LOAD && s->queued[q] < s->reorder.depth));
  uint64_t waiting;
  while (weir_subject_below(s, 2) && (waiting = some_queues(s))) {
    q = s->i.policy->drain(&s->i.view, waiting, s->queued);
    if (q >= s->reorder.queues || !(waiting >> q & 1))
      weir_conform_fail(s->trial, "drain answers queue %" PRIu32 "; expected: one of those that wait, %#" PRIx64, q,
                        waiting);
    s->queued[q]--;
    weir_subject_note(s, q);
  }
}

// ---- throttles ---------------------------------------------------------------------------------------------------------

// One of the warps in the mask, which is not 0.
static uint32_t some_warp(struct weir_subject *s, uint64_t warps) {
  for (uint64_t skip = weir_subject_below(s, weir_popcount(warps)); skip; skip--) warps &= warps - 1;
  return weir_lowest(warps);
}

static void move_warps(struct weir_subject *s) {
  struct weir_core_view *v = &s->core.view;
  uint64_t vacant = weir_mask(v->warps) & ~v->resident, able = v->resident & ~v->waiting;
  if (vacant && weir_subject_below(s, 4) == 0) weir_conform_core_start(&s->core, &s->i, some_warp(s, vacant));
  if (v->resident && weir_subject_below(s, 8) == 0) v->waiting ^= UINT64_C(1) << some_warp(s, v->resident);
  if (able && weir_subject_below(s, 2)) weir_conform_core_issue(&s->core, &s->i, some_warp(s, able), s->now);
  if (able && weir_subject_below(s, 12) == 0) weir_conform_core_end(&s->core, &s->i, some_warp(s, able));
}

// No throttle stops a core: a warp that is resident and does not wait may do anything.
static struct weir_allowance ask(struct weir_subject *s) {
  struct weir_allowance out = {.until = WEIR_NEVER}, again = out;
  const struct weir_core_view *v = &s->core.view;
  s->i.policy->allowed(&s->i.view, s->now, &out);
  s->i.policy->allowed(&s->i.view, s->now, &again);
  if (out.issue != again.issue || out.loads != again.loads || out.until != again.until)
    weir_conform_fail(s->trial,
                      "allowed, asked twice in a cycle, answers twice; expected: the same, until it is told something");
  uint64_t able = v->resident & ~v->waiting;
  if (able && !(able & out.issue & out.loads))
    weir_conform_fail(s->trial,
                      "allowed lets warps %#" PRIx64 " issue and %#" PRIx64 " load; expected: at least one of %#" PRIx64
                      ", which are resident and do not wait, in both",
                      out.issue, out.loads, able);
  if (out.loads & ~out.issue)
    weir_conform_fail(s->trial, "allowed lets warps %#" PRIx64 " load, but not issue; expected: loads within issue",
                      out.loads & ~out.issue);
  if (out.until <= s->now)
    weir_conform_fail(s->trial, "an answer of allowed in cycle %" PRIu64 " ends in cycle %" PRIu64 "; expected: later",
                      s->now, out.until);
  return out;
}

// An answer stands until it ends: time passes, at most until then.
void weir_subject_throttle(struct weir_subject *s) {
  if (s->i.policy->kind != WEIR_POLICY_THROTTLE) return;
  move_warps(s);
  struct weir_allowance before = ask(s);
  weir_subject_note(s, before.issue ^ before.loads << 1);
  weir_subject_note(s, before.until);
  weir_cycle left = before.until - s->now;
  s->now += weir_subject_below(s, left > 1000 ? 1000 : left);
  struct weir_allowance after = ask(s);
  if (after.issue != before.issue || after.loads != before.loads)
    weir_conform_fail(s->trial,
                      "an answer of allowed changed in cycle %" PRIu64 "; expected: that it stands until %" PRIu64,
                      s->now, before.until);
  if (left <= 1000 && weir_subject_below(s, 2)) s->now = before.until;
}
