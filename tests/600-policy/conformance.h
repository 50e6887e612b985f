// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What every policy must keep, whoever wrote it: the invariants at the top of policy/policy.h, checked from outside over
// many geometries and knob values, with its private memory between canaries and an inaccessible page.
#ifndef WEIR_TESTS_POLICY_CONFORMANCE_H
#define WEIR_TESTS_POLICY_CONFORMANCE_H

#include "core_rig.h"
#include "rig.h"

#include <sys/mman.h>
#include <unistd.h>

enum {
  CANARY = 0xA5,
  CONFORMANCE_STEPS = 1500,
  CONFORMANCE_REPLIES = 8,
  CONFORMANCE_CORES = 15,
  CONFORMANCE_SLICES = 12,
  CONFORMANCE_PARTS = 4
};

// Memory whose end (rounded up to 16 bytes) is the end of the accessible page.
struct guarded {
  uint8_t *map, *data;
  size_t map_bytes, bytes;
};

static inline struct guarded guarded_new(size_t bytes) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), rounded = weir_align_up(bytes, 16);
  struct guarded g = {.map_bytes = weir_align_up(rounded, page) + 2 * page, .bytes = bytes};
  g.map = mmap(NULL, g.map_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(g.map != MAP_FAILED);
  assert_int_equal(mprotect(g.map + g.map_bytes - page, page, PROT_NONE), 0);
  g.data = g.map + g.map_bytes - page - rounded;
  memset(g.map, CANARY, g.map_bytes - page);
  memset(g.data, 0, bytes);
  return g;
}

static inline void guarded_check(const struct guarded *g) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  for (const uint8_t *p = g->map; p < g->map + g->map_bytes - page; p++)
    if ((p < g->data || p >= g->data + g->bytes) && *p != CANARY)
      fail_msg("private memory overrun at byte %td of %zu", p - g->data, g->bytes);
}

// One policy on one cache of tags, and a digest of all it answered.
struct subject {
  struct weir_policy_instance i;
  struct weir_geometry g;
  struct weir_policy_choice choice;
  struct guarded state, scope_state, set_state, line_state;
  struct weir_policy_scope scope; // of the first of a scope's subjects
  struct weir_cache_view *scope_caches[CONFORMANCE_PARTS];
  struct rig_line lines[RIG_MAX_LINES];
  struct weir_access waiting[CONFORMANCE_REPLIES]; // bypassed, not answered
  unsigned waits;
  struct core_rig core; // in front of it, of a throttle
  struct weir_reorder reorder;
  uint16_t queued[WEIR_MAX_REORDER_QUEUES];
  struct weir_rng rng; // of the stream, not the policy's
  uint64_t digest, launches;
  weir_cycle now;
};

// What an epoch hands over, in one piece, so that it can be compared.
struct conformance_sensors {
  struct weir_sensors all;
  struct weir_core_sensors core[CONFORMANCE_CORES];
  struct weir_slice_sensors slice[CONFORMANCE_SLICES];
};

// Its scope begins with it, or is that of `first`.
static inline void subject_join(struct subject *s, struct subject *first) {
  const struct weir_policy *p = s->choice.policy;
  uint32_t count = weir_policy_scope_caches(p, &s->g);
  assert_in_range(count, 1, CONFORMANCE_PARTS);
  s->scope_state = guarded_new(first != s || !p->scope_bytes ? 0 : p->scope_bytes(&s->g));
  if (first == s) s->scope = (struct weir_policy_scope){s->scope_state.data, count, s->scope_caches};
  first->scope_caches[count > 1 ? s->g.instance : 0] = &s->i.view;
  s->i.view.scope = &first->scope;
}

// first: of the scope's subjects; NULL: this is it.
static inline struct subject *subject_new(const struct weir_policy_choice *choice, const struct weir_geometry *g,
                                          uint64_t stream, struct subject *first) {
  struct subject *s = calloc(1, sizeof *s);
  s->g = *g;
  s->choice = *choice;
  s->g.knobs = s->choice.knobs;
  s->rng = weir_rng_seed(99, stream);
  s->now = UINT64_C(0xFFFFFF00);
  const struct weir_policy *p = choice->policy;
  core_rig_init(&s->core, g->warps, 2);
  s->g.core = p->kind == WEIR_POLICY_THROTTLE ? &s->core.view : NULL;
  s->state = guarded_new(p->cache_bytes ? p->cache_bytes(&s->g) : 0);
  s->set_state = guarded_new((size_t)g->sets * p->set_bytes);
  s->line_state = guarded_new((size_t)g->sets * g->ways * p->line_bytes);
  s->i = (struct weir_policy_instance){.policy = p, .rng = weir_rng_seed(5, 5)};
  memcpy(s->i.knobs, choice->knobs, sizeof s->i.knobs);
  s->i.view = (struct weir_cache_view){
    .sets = g->sets,
    .ways = g->ways,
    .line_bytes = g->line_bytes,
    .instance = g->instance,
    .instances = g->instances,
    .owners = weir_owner_count(g),
    .core = s->g.core,
    .knobs = s->i.knobs,
    .counters = s->i.counters,
    .rng = &s->i.rng,
    .state = s->state.data,
    .set_state = (char *)s->set_state.data,
    .line_state = (char *)s->line_state.data,
    .set_bytes = p->set_bytes,
    .line_state_bytes = p->line_bytes,
  };
  subject_join(s, first ? first : s);
  if (p->reorder) s->reorder = p->reorder(&s->g);
  weir_hook(&s->i, init);
  return s;
}

static inline void subject_note(struct subject *s, uint64_t answer) {
  s->digest = (s->digest ^ answer) * UINT64_C(0x9E3779B97F4A7C15);
  s->digest ^= s->digest >> 29;
}

// Ends a subject: its memory is intact, its knobs untouched, only declared counters moved. Returns the digest.
static inline uint64_t subject_end(struct subject *s) {
  guarded_check(&s->state);
  guarded_check(&s->scope_state);
  guarded_check(&s->set_state);
  guarded_check(&s->line_state);
  assert_memory_equal(s->i.knobs, s->choice.knobs, sizeof s->i.knobs);
  unsigned declared = 0;
  while (s->i.policy->counters && s->i.policy->counters[declared].name) subject_note(s, s->i.counters[declared++]);
  for (; declared < WEIR_MAX_POLICY_COUNTERS; declared++) assert_int_equal(s->i.counters[declared], 0);
  uint64_t digest = s->digest;
  munmap(s->state.map, s->state.map_bytes);
  munmap(s->scope_state.map, s->scope_state.map_bytes);
  munmap(s->set_state.map, s->set_state.map_bytes);
  munmap(s->line_state.map, s->line_state.map_bytes);
  free(s);
  return digest;
}

// Some of the valid ways of a set, at least one.
static inline uint64_t some_ways(struct subject *s) {
  uint64_t all = weir_mask(s->g.ways), some = all;
  if (weir_rng_below(&s->rng, 2)) some = weir_rng_next(&s->rng) & all;
  return some ? some : UINT64_C(1) << weir_rng_below(&s->rng, s->g.ways);
}

static inline uint32_t choose_victim(struct subject *s, struct weir_access *a) {
  uint64_t candidates = some_ways(s);
  uint32_t way = weir_lowest(candidates);
  if (s->i.policy->kind == WEIR_POLICY_REPLACE) {
    way = s->i.policy->victim(&s->i.view, a, candidates);
    if (way >= s->g.ways || !(candidates >> way & 1))
      fail_msg("victim %u is not among the candidates %#jx of %u ways", way, (uintmax_t)candidates, s->g.ways);
  } else {
    uint64_t dead = weir_hook(&s->i, dead, a, candidates);
    if (dead & ~candidates)
      fail_msg("dead lines %#jx are not all candidates %#jx", (uintmax_t)dead, (uintmax_t)candidates);
    subject_note(s, dead);
    way = weir_lowest(dead ? dead : candidates);
  }
  subject_note(s, way);
  return way;
}

static inline void subject_install(struct subject *s, struct weir_access *a) {
  struct rig_line *set = s->lines + (size_t)a->set * s->g.ways;
  uint32_t way = 0;
  while (way < s->g.ways && set[way].valid) way++;
  if (way == s->g.ways) {
    way = choose_victim(s, a);
    bool may_keep = a->kind == WEIR_ACCESS_LOAD || a->kind == WEIR_ACCESS_STORE;
    bool kept = may_keep && weir_hook(&s->i, keep, a, way);
    subject_note(s, kept);
    if (kept) return;
    weir_hook(&s->i, evict, a, way, set[way].reused);
  }
  set[way] = (struct rig_line){a->line, true, false};
  weir_hook(&s->i, insert, a, way);
}

static inline struct weir_access subject_request(struct subject *s) {
  static const uint8_t kinds[] = {WEIR_ACCESS_LOAD,  WEIR_ACCESS_LOAD,   WEIR_ACCESS_LOAD,
                                  WEIR_ACCESS_LOAD,  WEIR_ACCESS_LOAD,   WEIR_ACCESS_STORE,
                                  WEIR_ACCESS_STORE, WEIR_ACCESS_ATOMIC, WEIR_ACCESS_WRITEBACK};
  uint64_t lines = (uint64_t)s->g.sets * s->g.ways;
  uint64_t block = weir_rng_below(&s->rng, 2) ? weir_rng_below(&s->rng, lines) : weir_rng_below(&s->rng, 3 * lines);
  return (struct weir_access){
    .line =
      (block + (UINT64_C(1) << 40)) / s->g.sets * s->g.sets * s->g.line_bytes + block % s->g.sets * s->g.line_bytes,
    .set = (uint32_t)(block % s->g.sets),
    .pc = (uint32_t)(8 * weir_rng_below(&s->rng, 200)),
    .core = (uint16_t)weir_rng_below(&s->rng, 15),
    .warp = (uint16_t)weir_rng_below(&s->rng, 48),
    .slice = (uint16_t)weir_rng_below(&s->rng, CONFORMANCE_SLICES),
    .owner = (uint8_t)weir_rng_below(&s->rng, weir_owner_count(&s->g)),
    .kind = kinds[weir_rng_below(&s->rng, sizeof kinds)],
    .degree = (uint8_t)(1 + weir_rng_below(&s->rng, 64)),
    .ready_warps = (uint8_t)weir_rng_below(&s->rng, 48),
    .lanes = UINT32_MAX,
    .bypassed_above = weir_rng_below(&s->rng, 4) == 0,
    .now = s->now++,
  };
}

// Fields that a policy must leave alone are as they were (reply_mark is its to write).
static inline void check_untouched(const struct weir_access *a, const struct weir_access *before) {
  struct weir_access same = *a;
  same.reply_mark = before->reply_mark;
  assert_memory_equal(&same, before, sizeof same);
}

// The answer to some bypassed request comes back, marked or not.
static inline void subject_reply(struct subject *s) {
  struct weir_access a = s->waiting[--s->waits];
  a.reply_mark = weir_rng_below(&s->rng, 3) == 0;
  bool installs = weir_hook(&s->i, reply, &a, weir_rng_below(&s->rng, 4) == 0);
  subject_note(s, installs);
  if (installs) subject_install(s, &a);
}

static inline bool subject_look_up(struct subject *s, struct weir_access *a) {
  struct rig_line *set = s->lines + (size_t)a->set * s->g.ways;
  uint32_t way = 0;
  while (way < s->g.ways && !(set[way].valid && set[way].line == a->line)) way++;
  bool found = way < s->g.ways;
  weir_hook(&s->i, look, a, found ? way : WEIR_NO_WAY);
  if (found && weir_rng_below(&s->rng, 16) == 0) { // a store that evicts
    set[way].valid = false;
    weir_hook(&s->i, invalidate, a->set, way);
  } else if (found) {
    set[way].reused = true;
    weir_hook(&s->i, hit, a, way, weir_rng_below(&s->rng, 8) == 0);
  }
  return found;
}

static inline void random_core_sensors(struct subject *s, struct weir_core_sensors *core) {
  core->instructions = weir_rng_below(&s->rng, 3000);
  core->launch_instructions = core->instructions + weir_rng_below(&s->rng, 3000);
  struct weir_access_counts *loads = &core->loads;
  loads->hits = weir_rng_below(&s->rng, 2) ? weir_rng_below(&s->rng, 500) : 0;
  loads->hits_on_miss = weir_rng_below(&s->rng, 2) ? weir_rng_below(&s->rng, 100) : 0;
  loads->misses = weir_rng_below(&s->rng, 2) ? weir_rng_below(&s->rng, 100) : 0;
  loads->bypasses = weir_rng_below(&s->rng, 200);
  loads->misses += loads->bypasses;
  loads->accesses = loads->hits + loads->hits_on_miss + loads->misses;
  core->stall_bypasses = weir_rng_below(&s->rng, loads->bypasses + 1);
  for (unsigned why = 0; why < WEIR_STALL_COUNT; why++) core->stall_cycles[why] = weir_rng_below(&s->rng, 300);
  uint64_t period = weir_policy_epoch_cycles(s->i.policy, &s->g);
  core->busy_cycles = weir_rng_below(&s->rng, 2) ? period : weir_rng_below(&s->rng, period + 1);
  core->ready_warps = (uint32_t)weir_rng_below(&s->rng, 48);
  core->occupied = weir_rng_below(&s->rng, 2);
}

// A period ends. Nothing that the policy is shown changes.
static inline void subject_epoch(struct subject *s) {
  weir_cycle period = weir_policy_epoch_cycles(s->i.policy, &s->g);
  if (!period || s->i.view.scope != &s->scope) return;
  struct conformance_sensors seen, before;
  memset(&seen, 0, sizeof seen);
  seen.all = (struct weir_sensors){.now = s->now,
                                   .period = period,
                                   .cores = CONFORMANCE_CORES,
                                   .slices = CONFORMANCE_SLICES,
                                   .core = seen.core,
                                   .slice = seen.slice};
  seen.all.launch_cycles = period * (1 + weir_rng_below(&s->rng, 20));
  for (unsigned i = 0; i < CONFORMANCE_CORES; i++) random_core_sensors(s, &seen.core[i]);
  for (unsigned i = 0; i < CONFORMANCE_SLICES; i++)
    seen.slice[i].input_utilisation = (double)weir_rng_below(&s->rng, 11) / 10;
  memcpy(&before, &seen, sizeof seen);
  s->i.policy->epoch(&s->i.view, &seen.all);
  assert_memory_equal(&seen, &before, sizeof seen);
}

// Some of the queues that hold something, at least one.
static inline uint64_t some_queues(struct subject *s) {
  uint64_t all = 0, some;
  for (uint32_t q = 0; q < s->reorder.queues; q++) all |= (uint64_t)(s->queued[q] != 0) << q;
  some = weir_rng_below(&s->rng, 2) ? weir_rng_next(&s->rng) & all : all;
  return some ? some : all;
}

// The access enters its queue if it is a load and there is room; now and then some leave.
static inline void subject_reorder(struct subject *s, const struct weir_access *a) {
  if (!s->reorder.queues) return;
  uint32_t q = s->i.policy->enqueue(&s->i.view, a);
  if (q >= s->reorder.queues) fail_msg("queue %u of %u", q, s->reorder.queues);
  subject_note(s, q);
  s->queued[q] = (uint16_t)(s->queued[q] + (a->kind == WEIR_ACCESS_LOAD && s->queued[q] < s->reorder.depth));
  uint64_t waiting;
  while (weir_rng_below(&s->rng, 2) && (waiting = some_queues(s))) {
    q = s->i.policy->drain(&s->i.view, waiting, s->queued);
    if (q >= s->reorder.queues || !(waiting >> q & 1))
      fail_msg("queue %u drains, of those in %#jx", q, (uintmax_t)waiting);
    s->queued[q]--;
    subject_note(s, q);
  }
}

// One of the warps in the mask, which is not 0.
static inline uint32_t some_warp(struct subject *s, uint64_t warps) {
  for (uint64_t skip = weir_rng_below(&s->rng, weir_popcount(warps)); skip; skip--) warps &= warps - 1;
  return weir_lowest(warps);
}

static inline void subject_move_warps(struct subject *s) {
  struct weir_core_view *v = &s->core.view;
  uint64_t vacant = weir_mask(v->warps) & ~v->resident, able = v->resident & ~v->waiting;
  if (vacant && weir_rng_below(&s->rng, 4) == 0) core_rig_start(&s->core, &s->i, some_warp(s, vacant));
  if (v->resident && weir_rng_below(&s->rng, 8) == 0) v->waiting ^= UINT64_C(1) << some_warp(s, v->resident);
  if (able && weir_rng_below(&s->rng, 2)) core_rig_issue(&s->core, &s->i, some_warp(s, able), s->now);
  if (able && weir_rng_below(&s->rng, 12) == 0) core_rig_end(&s->core, &s->i, some_warp(s, able));
}

// No throttle stops a core: a warp that is resident and does not wait may do anything.
static inline struct weir_allowance subject_ask(struct subject *s) {
  struct weir_allowance out = {.until = WEIR_NEVER}, again = out;
  const struct weir_core_view *v = &s->core.view;
  s->i.policy->allowed(&s->i.view, s->now, &out);
  s->i.policy->allowed(&s->i.view, s->now, &again);
  if (out.issue != again.issue || out.loads != again.loads || out.until != again.until)
    fail_msg("a throttle that is asked twice answers twice");
  uint64_t able = v->resident & ~v->waiting;
  if (able && !(able & out.issue & out.loads)) fail_msg("of warps %#jx, none may issue and load", (uintmax_t)able);
  if (out.loads & ~out.issue) fail_msg("warps %#jx may load but not issue", (uintmax_t)(out.loads & ~out.issue));
  if (out.until <= s->now) fail_msg("an answer of cycle %ju ends in %ju", (uintmax_t)s->now, (uintmax_t)out.until);
  return out;
}

// An answer stands until it ends: time passes, at most until then.
static inline void subject_throttle(struct subject *s) {
  if (s->i.policy->kind != WEIR_POLICY_THROTTLE) return;
  subject_move_warps(s);
  struct weir_allowance before = subject_ask(s);
  subject_note(s, before.issue ^ before.loads << 1);
  subject_note(s, before.until);
  weir_cycle left = before.until - s->now;
  s->now += weir_rng_below(&s->rng, left > 1000 ? 1000 : left);
  struct weir_allowance after = subject_ask(s);
  if (after.issue != before.issue || after.loads != before.loads) fail_msg("an answer changed before its end");
  if (left <= 1000 && weir_rng_below(&s->rng, 2)) s->now = before.until;
}

// What comes now and then, of no request.
static inline void subject_pass_time(struct subject *s) {
  if (weir_rng_below(&s->rng, 50) == 0) subject_epoch(s);
  if (weir_rng_below(&s->rng, 500) == 0) weir_hook(&s->i, launch, s->launches++);
  if (weir_rng_below(&s->rng, 700) == 0) weir_hook(&s->i, warmed_up);
}

static inline void subject_step(struct subject *s) {
  subject_pass_time(s);
  subject_throttle(s);
  if (s->waits && weir_rng_below(&s->rng, 3) == 0) subject_reply(s);
  struct weir_access a;
  memset(&a, 0, sizeof a); // padding too: it is compared
  struct weir_access made = subject_request(s);
  memcpy(&a, &made, sizeof a);
  struct weir_access before;
  memcpy(&before, &a, sizeof a);
  if (a.kind == WEIR_ACCESS_STORE || a.kind == WEIR_ACCESS_ATOMIC) weir_hook(&s->i, store, &a);
  subject_reorder(s, &a);
  bool skips = weir_hook(&s->i, load, &a);
  subject_note(s, skips);
  if (!skips && !subject_look_up(s, &a)) {
    enum weir_stall why = (enum weir_stall)weir_rng_below(&s->rng, WEIR_STALL_COUNT);
    bool bypasses = a.kind == WEIR_ACCESS_STORE ? weir_hook(&s->i, store_miss, &a) : false;
    if (a.kind == WEIR_ACCESS_LOAD) bypasses = weir_hook(&s->i, miss, &a);
    if (bypasses && s->i.policy->kind == WEIR_POLICY_THROTTLE) fail_msg("a throttle bypasses");
    bypasses |= !bypasses && why != WEIR_STALL_NONE && weir_hook(&s->i, stall, &a, why);
    subject_note(s, bypasses);
    if (!bypasses)
      subject_install(s, &a);
    else if (s->waits < CONFORMANCE_REPLIES)
      s->waiting[s->waits++] = a;
  }
  subject_note(s, a.reply_mark);
  check_untouched(&a, &before);
}

static inline bool is_rejected(const struct weir_policy_choice *choice, struct weir_geometry g) {
  if (choice->policy->kind == WEIR_POLICY_THROTTLE && !g.warps) return true; // no core is behind it
  g.knobs = choice->knobs;
  return choice->policy->reject && choice->policy->reject(&g);
}

// The caches of one scope.
struct parts {
  struct subject *s[CONFORMANCE_PARTS];
  uint32_t count;
};

static inline struct parts parts_new(const struct weir_policy_choice *choice, struct weir_geometry g, uint64_t stream) {
  struct parts p = {0};
  g.knobs = choice->knobs;
  p.count = weir_policy_scope_caches(choice->policy, &g);
  for (uint32_t i = 0; i < p.count; i++) {
    if (p.count > 1) g.instance = i;
    p.s[i] = subject_new(choice, &g, stream + i, p.s[0]);
  }
  return p;
}

static inline void parts_step(struct parts *p) {
  for (uint32_t i = 0; i < p->count; i++) subject_step(p->s[i]);
}

static inline uint64_t parts_end(struct parts *p) {
  uint64_t digest = 0;
  while (p->count--) digest = digest * 31 + subject_end(p->s[p->count]);
  return digest;
}

// Alone, again, and beside another cache of the same policy: always the same answers.
static inline void conform_in(const struct weir_policy_choice *choice, const struct weir_geometry *g) {
  uint64_t digests[3];
  for (unsigned run = 0; run < 3; run++) {
    struct parts one = parts_new(choice, *g, 1), other = {0};
    if (run == 2) other = parts_new(choice, *g, 11);
    for (unsigned step = 0; step < CONFORMANCE_STEPS; step++) {
      parts_step(&one);
      if (run == 2) parts_step(&other);
    }
    digests[run] = parts_end(&one);
    if (run == 2) parts_end(&other);
  }
  assert_int_equal(digests[0], digests[1]); // the same calls, the same answers
  assert_int_equal(digests[0], digests[2]); // and no memory but its own
}

// The cost is the same when asked again, does not shrink as the cache grows, is not 0 if the policy keeps anything, and
// does not exceed what its model keeps (a generator of random bits aside, and a request's 64 bytes in its reorder queues).
static inline void conform_cost(const struct weir_policy_choice *choice, struct weir_geometry g) {
  const struct weir_policy *p = choice->policy;
  g.knobs = choice->knobs;
  uint64_t bits = weir_policy_cost_bits(p, &g), lines = (uint64_t)g.sets * g.ways;
  size_t scope = p->scope_bytes ? p->scope_bytes(&g) : 0;
  size_t bytes =
    (p->cache_bytes ? p->cache_bytes(&g) : 0) + scope + g.sets * (size_t)p->set_bytes + lines * p->line_bytes;
  assert_int_equal(bits, weir_policy_cost_bits(p, &g));
  struct weir_reorder queues = p->reorder ? p->reorder(&g) : (struct weir_reorder){0};
  assert_true(bits <= bytes * 8 + 64 + (uint64_t)queues.queues * queues.depth * 64 * 8);
  assert_true(queues.queues <= WEIR_MAX_REORDER_QUEUES && (queues.depth || !queues.queues));
  if (bytes && g.ways > 1) assert_true(bits > 0);
  g.sets *= 2;
  assert_true(weir_policy_cost_bits(p, &g) >= bits);
}

// A last-level cache that the GPU shares with CPU programs: one of several parts.
#define CONFORMANCE_SHARED(owners_, sets_, ways_)                                                                      \
  { .sets = sets_, .ways = ways_, .line_bytes = 64, .instance = 1, .instances = 4, .owners = owners_ }

// Of a first-level cache: one of many, in front of a core.
#define CONFORMANCE_CACHE(sets_, ways_, line_bytes_)                                                                   \
  {                                                                                                                    \
    .sets = sets_, .ways = ways_, .line_bytes = line_bytes_, .warps = 48, .instance = 3,                               \
    .instances = CONFORMANCE_CORES                                                                                     \
  }

static const struct weir_geometry conformance_geometries[] = {
  CONFORMANCE_CACHE(32, 8, 64),   CONFORMANCE_CACHE(32, 4, 128), CONFORMANCE_CACHE(64, 16, 64),
  CONFORMANCE_CACHE(16, 32, 64),  CONFORMANCE_CACHE(4, 64, 32),  CONFORMANCE_CACHE(8, 6, 128),
  CONFORMANCE_CACHE(5, 3, 64),    CONFORMANCE_CACHE(3, 17, 64),  CONFORMANCE_CACHE(1, 4, 64),
  CONFORMANCE_CACHE(2, 1, 64),    CONFORMANCE_CACHE(1, 1, 64),   CONFORMANCE_SHARED(3, 64, 32),
  CONFORMANCE_SHARED(9, 128, 16), CONFORMANCE_SHARED(2, 16, 4),
};

// One setting of the knobs, in every geometry that the policy takes. Returns how many those are.
static inline unsigned conform_everywhere(const struct weir_policy_choice *choice, unsigned geometries) {
  unsigned taken = 0;
  for (unsigned i = 0; i < geometries; i++) {
    if (is_rejected(choice, conformance_geometries[i])) continue;
    taken++;
    conform_cost(choice, conformance_geometries[i]);
    conform_in(choice, &conformance_geometries[i]);
  }
  return taken;
}

// Every knob refuses what lies outside its range or is not of its type, and takes its bounds and its default.
static inline void conform_knob(const struct weir_policy *p, unsigned index) {
  const struct weir_knob *knob = &p->knobs[index];
  struct weir_policy_choice choice;
  weir_policy_defaults(&choice, p);
  assert_true(choice.knobs[index] == knob->initial);
  char text[64], message[256];
  assert_non_null(weir_policy_set(&choice, knob->name, "nonsense", message, sizeof message));
  assert_non_null(strstr(message, knob->name));
  assert_non_null(weir_policy_set(&choice, knob->name, "", message, sizeof message));
  snprintf(text, sizeof text, "%.0f", knob->highest + 1);
  assert_non_null(weir_policy_set(&choice, knob->name, text, message, sizeof message));
  snprintf(text, sizeof text, "%.0f", knob->lowest - 1);
  assert_non_null(weir_policy_set(&choice, knob->name, text, message, sizeof message));
  if (knob->type == WEIR_KNOB_INT)
    assert_non_null(weir_policy_set(&choice, knob->name, "1.5", message, sizeof message));
  assert_true(choice.knobs[index] == knob->initial); // a refused value changes nothing
  const double bounds[] = {knob->lowest, knob->highest};
  for (unsigned b = 0; b < 2; b++) {
    if (knob->type == WEIR_KNOB_CHOICE)
      snprintf(text, sizeof text, "%s", knob->choices[(unsigned)bounds[b]]);
    else
      snprintf(text, sizeof text, "%.17g", bounds[b]);
    if (!knob->power_of_two || weir_is_pow2((uint64_t)bounds[b])) {
      assert_null(weir_policy_set(&choice, knob->name, text, message, sizeof message));
      assert_true(choice.knobs[index] == bounds[b]);
      conform_everywhere(&choice, 2);
    }
  }
}

static inline void conform(const struct weir_policy *p) {
  assert_null(weir_policy_flaw(p));
  assert_ptr_equal(weir_policy_find(p->kind, p->name), p);
  struct weir_policy_choice choice;
  weir_policy_defaults(&choice, p);
  assert_true(conform_everywhere(&choice, sizeof conformance_geometries / sizeof *conformance_geometries) > 0);
  for (unsigned i = 0; p->knobs && p->knobs[i].name; i++) conform_knob(p, i);
}

#endif
