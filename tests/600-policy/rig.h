// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A cache of tags alone, written from the contract of policy/policy.h and nothing else, that drives policies as the real
// cache does: one access at a time, allocated at the miss, answered at once.
#ifndef WEIR_TESTS_POLICY_RIG_H
#define WEIR_TESTS_POLICY_RIG_H

#include "policy/host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RIG_LINE_BYTES = 64, RIG_MAX_LINES = 4096, RIG_MAX_BYPASS = 2 };

struct rig_line {
  uint64_t line;
  bool valid, reused;
};

struct rig {
  struct weir_geometry g;
  struct weir_policy_instance replace, companions[RIG_MAX_BYPASS];
  unsigned bypasses;
  struct rig_line lines[RIG_MAX_LINES];
  uint64_t evicted; // line of the last eviction; UINT64_MAX: none in the last access
  weir_cycle now;
};

// A choice of the built-in (or loaded) policy `name`; `knobs` is "name=value,…" or NULL.
static inline struct weir_policy_choice rig_choose(enum weir_policy_kind kind, const char *name, const char *knobs) {
  const struct weir_policy *policy = weir_policy_find(kind, name);
  assert_non_null(policy);
  struct weir_policy_choice choice;
  weir_policy_defaults(&choice, policy);
  char text[256], message[256], *rest = text;
  snprintf(text, sizeof text, "%s", knobs ? knobs : "");
  for (char *word; (word = strsep(&rest, ",")) && *word;) {
    char *value = strchr(word, '=');
    *value++ = 0;
    assert_null(weir_policy_set(&choice, word, value, message, sizeof message));
  }
  return choice;
}

// A cache that the GPU and requesters-1 CPU programs share.
static inline struct rig *rig_new_shared(uint32_t requesters, uint32_t sets, uint32_t ways, const char *replace,
                                         const char *knobs) {
  struct rig *rig = calloc(1, sizeof *rig);
  assert_true((size_t)sets * ways <= RIG_MAX_LINES);
  rig->g = (struct weir_geometry){.sets = sets, .ways = ways, .line_bytes = RIG_LINE_BYTES, .requesters = requesters};
  rig->now = UINT64_C(0xFFFFFFF0); // crosses 2^32 soon
  struct weir_policy_choice choice = rig_choose(WEIR_POLICY_REPLACE, replace, knobs);
  weir_policy_start(&rig->replace, NULL, &choice, &rig->g, 1, 0);
  return rig;
}

static inline struct rig *rig_new(uint32_t sets, uint32_t ways, const char *replace, const char *knobs) {
  return rig_new_shared(1, sets, ways, replace, knobs);
}

static inline void rig_add_bypass(struct rig *rig, const char *name, const char *knobs) {
  struct weir_policy_choice choice = rig_choose(WEIR_POLICY_BYPASS, name, knobs);
  weir_policy_start(&rig->companions[rig->bypasses], NULL, &choice, &rig->g, 1, 1 + rig->bypasses);
  rig->bypasses++;
}

static inline void rig_free(struct rig *rig) {
  weir_policy_stop(&rig->replace);
  for (unsigned i = 0; i < rig->bypasses; i++) weir_policy_stop(&rig->companions[i]);
  free(rig);
}

// A counter of a policy at work, by name.
static inline uint64_t rig_counter(const struct weir_policy_instance *i, const char *name) {
  for (unsigned n = 0; i->policy->counters && i->policy->counters[n].name; n++)
    if (!strcmp(i->policy->counters[n].name, name)) return i->counters[n];
  fail_msg("no counter %s", name);
  return 0;
}

// An access to block number `block`; the set is its remainder.
static inline struct weir_access rig_request(struct rig *rig, uint64_t block, uint32_t pc, enum weir_access_kind kind) {
  return (struct weir_access){
    .line = block * RIG_LINE_BYTES,
    .set = (uint32_t)(block % rig->g.sets),
    .pc = pc,
    .kind = (uint8_t)kind,
    .transactions = 1,
    .lanes = 1,
    .now = rig->now++,
  };
}

static inline struct rig_line *rig_set(struct rig *rig, uint32_t set) {
  return rig->lines + (size_t)set * rig->g.ways;
}

// The way that holds the line, or -1.
static inline int rig_find(struct rig *rig, const struct weir_access *a) {
  for (uint32_t way = 0; way < rig->g.ways; way++)
    if (rig_set(rig, a->set)[way].valid && rig_set(rig, a->set)[way].line == a->line) return (int)way;
  return -1;
}

// The way for a line that is in none; WEIR_NO_WAY: a policy keeps the victim.
static inline uint32_t rig_place(struct rig *rig, struct weir_access *a) {
  struct rig_line *set = rig_set(rig, a->set);
  for (uint32_t way = 0; way < rig->g.ways; way++)
    if (!set[way].valid) return way;
  uint64_t dead = 0, all = weir_mask(rig->g.ways);
  for (unsigned i = 0; i < rig->bypasses; i++) dead |= weir_hook(&rig->companions[i], dead, a, all);
  uint32_t way = weir_hook(&rig->replace, victim, a, dead ? dead : all);
  assert_in_range(way, 0, rig->g.ways - 1);
  bool kept = false;
  bool may_keep = a->kind == WEIR_ACCESS_LOAD || a->kind == WEIR_ACCESS_STORE;
  for (unsigned i = 0; i < rig->bypasses && may_keep; i++) kept |= weir_hook(&rig->companions[i], keep, a, way);
  if (kept) return WEIR_NO_WAY;
  rig->evicted = set[way].line;
  weir_hook(&rig->replace, evict, a, way, set[way].reused);
  for (unsigned i = 0; i < rig->bypasses; i++) weir_hook(&rig->companions[i], evict, a, way, set[way].reused);
  return way;
}

static inline uint32_t rig_install(struct rig *rig, struct weir_access *a) {
  uint32_t way = rig_place(rig, a);
  if (way == WEIR_NO_WAY) return way;
  rig_set(rig, a->set)[way] = (struct rig_line){a->line, true, false};
  weir_hook(&rig->replace, insert, a, way);
  for (unsigned i = 0; i < rig->bypasses; i++) weir_hook(&rig->companions[i], insert, a, way);
  return way;
}

static inline void rig_hit(struct rig *rig, struct weir_access *a, uint32_t way) {
  rig_set(rig, a->set)[way].reused = true;
  weir_hook(&rig->replace, hit, a, way, false);
  for (unsigned i = 0; i < rig->bypasses; i++) weir_hook(&rig->companions[i], hit, a, way, false);
}

// Stores are given lines. 'h' hit, 'm' miss and installed, 'b' bypassed, 's' skipped without a look-up.
static inline char rig_do(struct rig *rig, struct weir_access *a) {
  rig->evicted = UINT64_MAX;
  bool skips = false, bypasses = false;
  for (unsigned i = 0; i < rig->bypasses; i++) skips |= weir_hook(&rig->companions[i], load, a);
  if (skips) return 's';
  int way = rig_find(rig, a);
  weir_hook(&rig->replace, look, a, way >= 0 ? (uint32_t)way : WEIR_NO_WAY);
  for (unsigned i = 0; i < rig->bypasses; i++)
    weir_hook(&rig->companions[i], look, a, way >= 0 ? (uint32_t)way : WEIR_NO_WAY);
  if (way >= 0) {
    rig_hit(rig, a, (uint32_t)way);
    return 'h';
  }
  for (uint32_t w = 0; w < rig->g.ways; w++) a->room |= !rig_set(rig, a->set)[w].valid;
  for (unsigned i = 0; i < rig->bypasses; i++)
    if (a->kind == WEIR_ACCESS_LOAD)
      bypasses |= weir_hook(&rig->companions[i], miss, a);
    else if (a->kind == WEIR_ACCESS_STORE)
      bypasses |= weir_hook(&rig->companions[i], store_miss, a);
  return bypasses || rig_install(rig, a) == WEIR_NO_WAY ? 'b' : 'm';
}

static inline char rig_load(struct rig *rig, uint64_t block, uint32_t pc) {
  struct weir_access a = rig_request(rig, block, pc, WEIR_ACCESS_LOAD);
  return rig_do(rig, &a);
}

static inline void rig_invalidate(struct rig *rig, uint32_t set, uint32_t way) {
  rig_set(rig, set)[way].valid = false;
  weir_hook(&rig->replace, invalidate, set, way);
  for (unsigned i = 0; i < rig->bypasses; i++) weir_hook(&rig->companions[i], invalidate, set, way);
}

// Runs a trace of one-letter blocks ("abca", blanks ignored) in one set; expect has a letter per access: 'h' or 'm', or,
// for a miss that evicts, the upper-case letter of the block that left.
static inline void rig_trace(struct rig *rig, const char *blocks, const char *expect) {
  char got[256] = "", want[256] = "";
  size_t count = 0, wanted = 0;
  for (const char *p = blocks; *p; p++) {
    if (*p == ' ') continue;
    char outcome = rig_load(rig, (uint64_t)(*p - 'a') * rig->g.sets, 8);
    bool evicts = rig->evicted != UINT64_MAX;
    got[count++] = (char)(evicts ? 'A' + (int)(rig->evicted / RIG_LINE_BYTES / rig->g.sets) : outcome);
  }
  for (const char *p = expect; *p; p++)
    if (*p != ' ') want[wanted++] = *p;
  assert_string_equal(got, want);
}

#endif
