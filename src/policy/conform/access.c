// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// One access to a subject, as a cache would make it: hooks in the order of the contract, and rules for what they answer.
#include "policy/conform/subject.h"

#include <inttypes.h>

// Some of the valid ways of a set, at least one.
static uint64_t some_ways(struct weir_subject *s) {
  uint64_t all = weir_mask(s->g.ways), some = all;
  if (weir_subject_below(s, 2)) some = weir_rng_next(&s->rng) & all;
  return some ? some : UINT64_C(1) << weir_subject_below(s, s->g.ways);
}

static uint32_t asked_victim(struct weir_subject *s, struct weir_access *a, uint64_t candidates) {
  uint32_t way = s->i.policy->victim(&s->i.view, a, candidates);
  if (way >= s->g.ways || !(candidates >> way & 1))
    weir_conform_fail(s->trial,
                      "victim answers way %" PRIu32 "; expected: one of the candidates, %#" PRIx64 ", of %u ways", way,
                      candidates, s->g.ways);
  return way;
}

static uint32_t choose_victim(struct weir_subject *s, struct weir_access *a) {
  uint64_t candidates = some_ways(s);
  if (s->i.policy->kind == WEIR_POLICY_REPLACE) return asked_victim(s, a, candidates);
  uint64_t dead = weir_hook(&s->i, dead, a, candidates);
  if (dead & ~candidates)
    weir_conform_fail(s->trial, "dead answers ways %#" PRIx64 "; expected: none but of the candidates, %#" PRIx64, dead,
                      candidates);
  weir_subject_note(s, dead);
  return weir_lowest(dead ? dead : candidates);
}

static void install(struct weir_subject *s, struct weir_access *a) {
  struct weir_conform_line *set = s->lines + (size_t)a->set * s->g.ways;
  uint32_t way = 0;
  while (way < s->g.ways && set[way].valid) way++;
  if (way == s->g.ways) {
    way = choose_victim(s, a);
    weir_subject_note(s, way);
    bool may_keep = a->kind == WEIR_ACCESS_LOAD || a->kind == WEIR_ACCESS_STORE;
    bool kept = may_keep && weir_hook(&s->i, keep, a, way);
    weir_subject_note(s, kept);
    if (kept) return;
    weir_hook(&s->i, evict, a, way, set[way].reused);
  }
  set[way] = (struct weir_conform_line){a->line, true, false};
  weir_hook(&s->i, insert, a, way);
}

static void make_request(struct weir_subject *s, struct weir_access *a) {
  static const uint8_t kinds[] = {WEIR_ACCESS_LOAD,  WEIR_ACCESS_LOAD,   WEIR_ACCESS_LOAD,
                                  WEIR_ACCESS_LOAD,  WEIR_ACCESS_LOAD,   WEIR_ACCESS_STORE,
                                  WEIR_ACCESS_STORE, WEIR_ACCESS_ATOMIC, WEIR_ACCESS_WRITEBACK};
  uint64_t lines = (uint64_t)s->g.sets * s->g.ways;
  uint64_t block = weir_subject_below(s, 2) ? weir_subject_below(s, lines) : weir_subject_below(s, 3 * lines);
  memset(a, 0, sizeof *a); // padding too: it is compared
  a->line =
    (block + (UINT64_C(1) << 40)) / s->g.sets * s->g.sets * s->g.line_bytes + block % s->g.sets * s->g.line_bytes;
  a->set = (uint32_t)(block % s->g.sets);
  a->pc = (uint32_t)(8 * weir_subject_below(s, 200));
  a->core = (uint16_t)weir_subject_below(s, WEIR_CONFORM_CORES);
  a->warp = (uint16_t)weir_subject_below(s, 48);
  a->slice = (uint16_t)weir_subject_below(s, WEIR_CONFORM_SLICES);
  a->requester = (uint8_t)weir_subject_below(s, weir_requester_count(&s->g));
  a->kind = kinds[weir_subject_below(s, sizeof kinds)];
  a->l1_hint = (uint8_t)weir_subject_below(s, WEIR_HINT_COUNT);
  a->l2_hint = (uint8_t)weir_subject_below(s, WEIR_HINT_COUNT);
  a->transactions = (uint8_t)(1 + weir_subject_below(s, 64));
  a->ready_warps = (uint8_t)weir_subject_below(s, 48);
  a->lanes = UINT32_MAX;
  a->bypassed_above = weir_subject_below(s, 4) == 0;
  a->now = s->now++;
}

// reply_mark is the policy's to write.
static void check_untouched(struct weir_subject *s, const struct weir_access *a, const struct weir_access *before) {
  struct weir_access same;
  memcpy(&same, a, sizeof same);
  same.reply_mark = before->reply_mark;
  if (memcmp(&same, before, sizeof same) != 0)
    weir_conform_fail(s->trial, "it changes the access that it is shown; expected: nothing of it but reply_mark");
}

// The answer to some bypassed request comes back, marked or not.
static void reply(struct weir_subject *s) {
  struct weir_access a = s->waiting[--s->waits];
  a.reply_mark = weir_subject_below(s, 3) == 0;
  bool installs = weir_hook(&s->i, reply, &a, weir_subject_below(s, 4) == 0);
  weir_subject_note(s, installs);
  if (installs) install(s, &a);
}

static bool look_up(struct weir_subject *s, struct weir_access *a) {
  struct weir_conform_line *set = s->lines + (size_t)a->set * s->g.ways;
  uint32_t way = 0;
  while (way < s->g.ways && !(set[way].valid && set[way].line == a->line)) way++;
  bool found = way < s->g.ways;
  weir_hook(&s->i, look, a, found ? way : WEIR_NO_WAY);
  if (found && weir_subject_below(s, 16) == 0) { // a store that evicts
    set[way].valid = false;
    weir_hook(&s->i, invalidate, a->set, way);
  } else if (found) {
    set[way].reused = true;
    weir_hook(&s->i, hit, a, way, weir_subject_below(s, 8) == 0);
  }
  return found;
}

static void miss(struct weir_subject *s, struct weir_access *a) {
  enum weir_stall why = (enum weir_stall)weir_subject_below(s, WEIR_STALL_COUNT);
  bool bypasses = a->kind == WEIR_ACCESS_STORE ? weir_hook(&s->i, store_miss, a) : false;
  if (a->kind == WEIR_ACCESS_LOAD) bypasses = weir_hook(&s->i, miss, a);
  if (bypasses && s->i.policy->kind == WEIR_POLICY_THROTTLE)
    weir_conform_fail(s->trial, "a throttle's miss answers true; expected: false, as it only learns");
  bypasses |= !bypasses && why != WEIR_STALL_NONE && weir_hook(&s->i, stall, a, why);
  weir_subject_note(s, bypasses);
  if (!bypasses)
    install(s, a);
  else if (s->waits < WEIR_CONFORM_REPLIES)
    memcpy(&s->waiting[s->waits++], a, sizeof *a);
}

void weir_subject_step(struct weir_subject *s) {
  weir_subject_pass_time(s);
  weir_subject_throttle(s);
  if (s->waits && weir_subject_below(s, 3) == 0) reply(s);
  struct weir_access a, before;
  make_request(s, &a);
  memcpy(&before, &a, sizeof a);
  if (a.kind == WEIR_ACCESS_STORE || a.kind == WEIR_ACCESS_ATOMIC) weir_hook(&s->i, store, &a);
  weir_subject_reorder(s, &a);
  bool skips = weir_hook(&s->i, load, &a);
  weir_subject_note(s, skips);
  if (!skips && !look_up(s, &a)) miss(s, &a);
  weir_subject_note(s, a.reply_mark);
  check_untouched(s, &a, &before);
}
