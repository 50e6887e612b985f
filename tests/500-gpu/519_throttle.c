// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Throttles at work in a core: what they see, what they hold back and until when, and that none stops a core for good. Most
// of it with a policy made for the purpose, which does what the test tells it and writes down what issues.
#include "gpu_test.h"

enum { MOST_ISSUES = 20000, EPOCH = 1000 };

struct hold { // what a puppet allows before cycle `opens`; everything from then on
  uint64_t issue, loads;
  weir_cycle opens;
  bool unannounced; // it does not say when that is
};

// Policies keep no variables of their own (policy.h); these are the test's hands. A launch begins with nothing.
static struct {
  struct hold holds[2]; // of each puppet
  struct issued {
    unsigned warp;
    bool load;
    weir_cycle now;
  } issues[MOST_ISSUES];
  unsigned count, starts, ends, waited; // waited: times that they were asked with a warp waiting
  bool opened;                          // by the end of a period, or by what the cache tells
  weir_cycle opened_at;
  unsigned misses; // of loads
  uint64_t resident, issued[64], began[64];
} hand;

static uint64_t no_cost(const struct weir_geometry *g) {
  (void)g;
  return 0;
}

static void on_launch(struct weir_cache_view *c, uint64_t number) {
  (void)c, (void)number;
  assert_int_equal(hand.resident, 0);
  hand.count = hand.starts = hand.ends = hand.waited = 0;
  hand.opened = false;
  hand.misses = 0;
}

// The core is shown as what started, ended and issued says.
static void check_view(const struct weir_core_view *v) {
  assert_int_equal(v->resident, hand.resident);
  assert_int_equal(v->waiting & ~v->resident, 0);
  assert_int_equal(v->count, weir_popcount(v->resident));
  for (uint32_t i = 0; i < v->count; i++) {
    assert_true(hand.resident >> v->by_age[i] & 1);
    if (i) assert_true(hand.began[v->by_age[i - 1]] < hand.began[v->by_age[i]]);
    assert_int_equal(v->issued[v->by_age[i]], hand.issued[v->by_age[i]]);
  }
}

static void on_start(struct weir_cache_view *c, uint32_t warp) {
  assert_false(hand.resident >> warp & 1);
  hand.resident |= UINT64_C(1) << warp;
  hand.issued[warp] = 0;
  hand.began[warp] = ++hand.starts;
  check_view(c->core);
}

static void on_end(struct weir_cache_view *c, uint32_t warp) {
  assert_true(hand.resident >> warp & 1);
  hand.resident &= ~(UINT64_C(1) << warp);
  hand.ends++;
  check_view(c->core);
}

static void on_issue(struct weir_cache_view *c, const struct weir_issue *i) {
  assert_true(hand.count < MOST_ISSUES);
  assert_false(c->core->waiting >> i->warp & 1);
  hand.issues[hand.count++] = (struct issued){i->warp, i->load, i->now};
  hand.issued[i->warp]++;
  check_view(c->core);
}

static void answer(const struct hold *h, weir_cycle now, struct weir_allowance *out) {
  bool open = now >= h->opens;
  out->issue = open ? UINT64_MAX : h->issue;
  out->loads = open ? UINT64_MAX : h->loads;
  out->until = open || h->unannounced ? WEIR_NEVER : h->opens;
}

static void first_hand(struct weir_cache_view *c, weir_cycle now, struct weir_allowance *out) {
  check_view(c->core);
  hand.waited += c->core->waiting != 0;
  answer(&hand.holds[0], hand.opened ? WEIR_NEVER : now, out);
}

static void second_hand(struct weir_cache_view *c, weir_cycle now, struct weir_allowance *out) {
  (void)c;
  answer(&hand.holds[1], now, out);
}

static uint32_t period(const struct weir_geometry *g) {
  (void)g;
  return EPOCH;
}

static void open_it(struct weir_cache_view *c, const struct weir_sensors *s) {
  (void)c, (void)s;
  hand.opened = true;
}

// The cache tells of something while the other hooks are silent.
static void open_at_store(struct weir_cache_view *c, struct weir_access *a) {
  (void)c;
  if (!hand.opened) hand.opened_at = a->now;
  hand.opened = true;
}

static void open_at_insert(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  (void)way;
  open_at_store(c, a);
}

static bool count_miss(struct weir_cache_view *c, struct weir_access *a) {
  (void)c, (void)a;
  hand.misses++;
  return false;
}

static void once_opened(struct weir_cache_view *c, weir_cycle now, struct weir_allowance *out) {
  (void)c;
  answer(&hand.holds[0], hand.opened ? WEIR_NEVER : now, out);
}

static void close_again(struct weir_cache_view *c, uint64_t number) {
  (void)c, (void)number;
  hand.opened = false;
  hand.misses = 0;
}

// From the view alone.
static void only_the_oldest(struct weir_cache_view *c, weir_cycle now, struct weir_allowance *out) {
  (void)now;
  out->issue = out->loads = c->core->count ? UINT64_C(1) << c->core->by_age[0] : 0;
}

static void all_that_are_there(struct weir_cache_view *c, weir_cycle now, struct weir_allowance *out) {
  (void)now;
  out->issue = out->loads = c->core->resident;
}

#define PUPPET                                                                                                         \
  .abi = WEIR_POLICY_ABI, .kind = WEIR_POLICY_THROTTLE, .name = "puppet", .summary = "does as told",                   \
  .citation = "none", .cost_bits = no_cost
enum puppet { RECORDER, SECOND, PERIODIC, STORE_OPENS, INSERT_OPENS, OLDEST, RESIDENT };
static const struct weir_policy puppets[] = {
  [RECORDER] = {PUPPET, .launch = on_launch, .start = on_start, .end = on_end, .issued = on_issue,
                .allowed = first_hand, .miss = count_miss},
  [SECOND] = {PUPPET, .allowed = second_hand},
  [PERIODIC] = {PUPPET, .launch = on_launch, .start = on_start, .end = on_end, .issued = on_issue,
                .allowed = first_hand, .epoch_cycles = period, .epoch = open_it, .epochs_restart = true},
  [STORE_OPENS] = {PUPPET, .launch = close_again, .allowed = once_opened, .store = open_at_store},
  [INSERT_OPENS] = {PUPPET, .launch = close_again, .allowed = once_opened, .insert = open_at_insert},
  [OLDEST] = {PUPPET, .allowed = only_the_oldest},
  [RESIDENT] = {PUPPET, .allowed = all_that_are_there},
};

static void add_puppet(struct rig *rig, enum puppet which, struct hold hold) {
  struct weir_level_policies *l = (struct weir_level_policies *)weir_scheme_level(rig->scheme, 0);
  hand.holds[which == SECOND] = hold;
  weir_policy_defaults(&l->companions[l->companion_count++], &puppets[which]);
}

static const struct hold nothing_held = {.opens = 0}, all_held = {.opens = WEIR_NEVER, .unannounced = true};

static struct rig *rig_under(const char *scheme) {
  struct rig *rig = rig_new();
  weir_scheme_free(rig->scheme);
  rig->scheme = weir_scheme_read(scheme, rig->config, &rig->sink);
  assert_non_null(rig->scheme);
  return rig;
}

static const weir_cycle START = UINT64_C(0xFFFFFF00); // 2^32 comes while it runs

// ---- what is held back, to the cycle ------------------------------------------------------------------------------------

// Two warps read the clock, then divide in a chain of more than 1500 cycles.
#define CHAIN                                                                                                          \
  "mov.u32 %r1, 99; div.u32 %r1, %r1, %r1; div.u32 %r1, %r1, %r1; div.u32 %r1, %r1, %r1; div.u32 %r1, %r1, %r1;"       \
  "div.u32 %r1, %r1, %r1; div.u32 %r1, %r1, %r1; div.u32 %r1, %r1, %r1; div.u32 %r1, %r1, %r1;"                        \
  "div.u32 %r1, %r1, %r1; div.u32 %r1, %r1, %r1; div.u32 %r1, %r1, %r1;"
#define READ_AND_DIVIDE READ(0) CHAIN RECORD_PLACE "st.global.u64 [%d90], %d0;"
static const struct run read_and_divide = {.threads = 64, .body = READ_AND_DIVIDE};

static struct sight see(struct rig *rig, const struct run *run) {
  struct sight sight;
  observe(rig, run, START, &sight);
  rig_free(rig);
  return sight;
}

// Held until cycle T, warp 1 issues in T, though its core sleeps (warp 0 waits for a division). It was ready since the cycle
// in which it issues when nothing holds it, and its scheduler has no other warp.
static void goes_when_the_answer_ends(void **state) {
  (void)state;
  weir_cycle free_at = see(rig_under("lru"), &read_and_divide).words[1][0];
  for (weir_cycle t = START + 290; t < START + 320; t++) {
    struct rig *rig = rig_under("lru");
    add_puppet(rig, RECORDER, (struct hold){1, 1, t, false});
    add_puppet(rig, SECOND, nothing_held); // whose answer has no end
    struct sight sight = see(rig, &read_and_divide);
    assert_int_equal(sight.words[1][0], t);
    assert_int_equal(sight.counts.issue_slots_throttled, t - free_at);
    assert_int_equal(sight.counts.throttle_overrides, 0);
  }
}

// The end of a period changes what a throttle says, though it had not said when.
static void goes_when_a_period_ends(void **state) {
  (void)state;
  struct rig *rig = rig_under("lru");
  add_puppet(rig, PERIODIC, (struct hold){1, 1, WEIR_NEVER, true});
  struct sight sight = see(rig, &read_and_divide);
  assert_int_equal(sight.words[1][0], sight.begin + EPOCH);
}

// So does what the cache tells, in the same cycle: at a look-up, and at a fill.
static void goes_when_the_cache_says(enum puppet which) {
  struct run run = {.threads = 64,
                    .body = READ(0) RECORD_PLACE "ld.global.u64 %d5, [%d90+4096]; st.global.u64 [%d90+8192], %d5;" CHAIN
                                                 "st.global.u64 [%d90], %d0;"};
  struct rig *rig = rig_under("lru");
  rig_set(rig, "l1.allocate=on_fill");
  rig_set(rig, "l1.flush_at_kernel_end=true");
  add_puppet(rig, which, (struct hold){1, 1, WEIR_NEVER, true});
  struct sight sight = see(rig, &run);
  assert_true(hand.opened && sight.words[0][0] < sight.words[1][0]);
  assert_int_equal(sight.words[1][0], hand.opened_at);
}

static void goes_when_the_cache_tells(void **state) {
  (void)state;
  goes_when_the_cache_says(STORE_OPENS);
  goes_when_the_cache_says(INSERT_OPENS);
}

// Of warp 1, only what comes from global or local memory waits. `load` is the held instruction; those before it are not.
static void holds_loads(const char *load) {
  char body[4096] =
    RECORD_PLACE "mov.u32 %r5, s; st.shared.u32 [%r5], %r5; ld.shared.u32 %r6, [%r5];"
                 "st.global.u64 [%d90], %d91; ld.param.u64 %d5, [a]; .local .align 8 .b8 own[8]; mov.u64 %d7, own;";
  strcat(strcat(body, load), CHAIN);
  struct run run = {.threads = 64, .body = body};
  struct rig *rig = rig_under("lru");
  add_puppet(rig, RECORDER, (struct hold){3, 1, START + 1000, false});
  see(rig, &run);
  unsigned others = 0, loads = 0;
  for (unsigned i = 0; i < hand.count; i++) {
    const struct issued *one = &hand.issues[i];
    if (one->warp != 1) continue;
    others += one->now < START + 1000;
    loads += one->load;
    if (one->load) assert_int_equal(one->now, START + 1000);
  }
  assert_int_equal(loads, 1);
  assert_true(others >= 5);
}

static void loads_are_held(void **state) {
  (void)state;
  holds_loads("ld.global.u64 %d6, [%d91];");
  holds_loads("ld.u64 %d6, [%d91];"); // generic
  holds_loads("ld.local.u32 %r8, [%d7];");
}

// ---- several, and none ---------------------------------------------------------------------------------------------------

static const struct run four = {.threads = 128, .body = CHAIN};

// The first and the last issue of each of four warps.
static void spans(weir_cycle first[4], weir_cycle last[4]) {
  for (unsigned w = 0; w < 4; w++) first[w] = WEIR_NEVER;
  for (unsigned i = 0; i < hand.count; i++) {
    const struct issued *one = &hand.issues[i];
    if (first[one->warp] == WEIR_NEVER) first[one->warp] = one->now;
    last[one->warp] = one->now;
  }
}

// Every throttle must allow it. Where they agree on none, the oldest goes.
static void all_must_allow(void **state) {
  (void)state;
  struct rig *rig = rig_under("lru");
  add_puppet(rig, RECORDER, (struct hold){3, 3, WEIR_NEVER, true}); // 0 and 1
  add_puppet(rig, SECOND, (struct hold){6, 6, WEIR_NEVER, true});   // 1 and 2
  struct sight sight = see(rig, &four);
  weir_cycle first[4], last[4];
  spans(first, last);
  assert_true(last[1] < first[0] && last[0] < first[2] && last[2] < first[3]);
  unsigned others = 0;
  for (unsigned i = 0; i < hand.count; i++) others += hand.issues[i].warp != 1;
  assert_int_equal(sight.counts.throttle_overrides, others);
}

// Warps 0 and 1 may load says one, 1 and 2 the other: 1 loads first, all may do the rest. Then, as no warp may load, the oldest
// does; its other instructions were allowed and do not count.
static void all_must_allow_loads(void **state) {
  (void)state;
  struct run run = {.threads = 128, .body = RECORD_PLACE "ld.global.u64 %d5, [%d91];" CHAIN};
  struct rig *rig = rig_under("lru");
  add_puppet(rig, SECOND, (struct hold){15, 6, WEIR_NEVER, true});
  add_puppet(rig, RECORDER, (struct hold){15, 3, WEIR_NEVER, true});
  struct sight sight = see(rig, &run);
  unsigned order[4], loads = 0;
  for (unsigned i = 0; i < hand.count; i++)
    if (hand.issues[i].load && loads < 4) order[loads++] = hand.issues[i].warp;
  assert_int_equal(loads, 4);
  assert_true(order[0] == 1 && order[1] == 0 && order[2] == 2 && order[3] == 3);
  assert_int_equal(sight.counts.throttle_overrides, 3);
  weir_cycle first[4], last[4];
  spans(first, last);
  assert_true(first[3] < last[1]);
}

#define MOVES "mov.u32 %r20, 1; mov.u32 %r21, 1; mov.u32 %r22, 1; mov.u32 %r23, 1; mov.u32 %r24, 1; mov.u32 %r25, 1;"
#define MANY_MOVES MOVES MOVES MOVES MOVES MOVES MOVES MOVES MOVES

// No warp may load: warp 0 does, once it has the address. Neither what it does before and after was overruled, nor what the
// others do while its load is next.
static void only_the_load_is_overruled(void **state) {
  (void)state;
  struct run run = {.threads = 128,
                    .body =
                      RECORD_PLACE "setp.ne.u32 %p1, %r91, 0; @%p1 bra others; cvt.u64.u32 %d6, %r91;"
                                   "add.u64 %d7, %d91, %d6; ld.global.u64 %d5, [%d7]; others: " MANY_MOVES MANY_MOVES};
  struct rig *rig = rig_under("lru");
  add_puppet(rig, RECORDER, (struct hold){15, 0, WEIR_NEVER, true});
  assert_int_equal(see(rig, &run).counts.throttle_overrides, 1);
}

// Throttles without a hook but `allowed` are asked when a warp ends, or starts.
static void asked_when_warps_come_and_go(void **state) {
  (void)state;
  struct rig *oldest = rig_under("lru"), *resident = rig_under("lru");
  add_puppet(oldest, OLDEST, nothing_held);
  struct weir_run_stats a = see(oldest, &four).counts, b = see(rig_under("swl,warps=1"), &four).counts;
  assert_memory_equal(&a, &b, sizeof a);
  struct run blocks = {.blocks = 5, .threads = 64, .body = CHAIN};
  add_puppet(resident, RESIDENT, nothing_held);
  a = see(resident, &blocks).counts;
  b = see(rig_under("lru"), &blocks).counts;
  assert_memory_equal(&a, &b, sizeof a);
}

// Thread-local loads do not bypass, but throttles are told of their misses: here a line of the warp's 32 words.
static void local_misses_are_told(void **state) {
  (void)state;
  struct rig *rig = rig_under("lru");
  rig_set(rig, "l1.flush_at_kernel_end=true");
  add_puppet(rig, RECORDER, nothing_held);
  see(rig, &(struct run){.body = ".local .align 4 .b8 own[4]; mov.u64 %d7, own; ld.local.u32 %r8, [%d7];"});
  assert_int_equal(hand.misses, 1);
}

// Static warp limiting with one warp: each begins in the cycle after the last instruction of the one before.
static void one_after_the_other(void **state) {
  (void)state;
  struct rig *rig = rig_under("swl,warps=1");
  add_puppet(rig, RECORDER, nothing_held);
  see(rig, &four);
  weir_cycle first[4], last[4];
  spans(first, last);
  for (unsigned w = 1; w < 4; w++) assert_int_equal(first[w], last[w - 1] + 1);
}

// ---- nothing stops a core ------------------------------------------------------------------------------------------------

// Blocks of eight warps that read lines again and meet at barriers, with a fence.
static const struct run meeting = {
  .blocks = 6,
  .threads = 256,
  .body = RECORD_PLACE
  "mov.u32 %r9, 0; shr.u32 %r10, %r90, 5; and.b32 %r11, %r90, 7; mad.lo.u32 %r12, %r10, 8, %r11;"
  "mul.wide.u32 %d2, %r12, 128; add.u64 %d3, %d91, %d2;"
  "again: ld.global.u32 %r6, [%d3]; add.u32 %r7, %r7, %r6; ld.global.u32 %r6, [%d3+8192]; add.u32 %r7, %r7, %r6;"
  "bar.sync 0; st.global.u32 [%d90+32768], %r7; membar.gl; add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 6; @%p1 bra again;"};

static struct rig *meeting_under(const char *scheme) {
  struct rig *rig = rig_under(scheme);
  rig_set(rig, "l1.index=xor");
  rig_set(rig, "l1.size_kib=2"); // 16 lines for 128
  return rig;
}

static void nothing_waits_for_ever(void **state) {
  (void)state;
  static const char *const schemes[] = {
    "swl,warps=1",
    "swl,warps=1,restrict=loads",
    "swl,warps=1,scope=scheduler,greedy=true",
    "swl,warps=3,greedy=true",
    "ccws",
    "ccws,k=1024,base=10000",
    "ccws,k=1024,base=1",
    "ccws,k=1024,base=10000,waiting=extend",
  };
  for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
    struct sight sight = see(meeting_under(schemes[i]), &meeting);
    assert_int_equal(sight.counts.blocks, 6);
    assert_true(sight.counts.issue_slots_throttled > 0);
    assert_true(sight.counts.issue_slots_throttled <= sight.counts.issue_slots_idle);
    assert_int_equal(sight.counts.throttle_overrides, 0);
  }
}

// A throttle that allows nothing is overruled for the oldest warp that can go on: static warp limiting with one warp. (With
// one scheduler: of two, one may let a barrier go that the other's warp, older and so in the list, waits at.)
static void allowing_nothing_leaves_one(void **state) {
  (void)state;
  struct rig *nothing = meeting_under("lru"), *limited = meeting_under("swl,warps=1");
  add_puppet(nothing, RECORDER, all_held);
  rig_set(nothing, "core.schedulers=1");
  rig_set(limited, "core.schedulers=1");
  struct weir_run_stats held = see(nothing, &meeting).counts, one = see(limited, &meeting).counts;
  assert_int_equal(held.throttle_overrides, held.warp_instructions);
  held.throttle_overrides = one.throttle_overrides;
  assert_memory_equal(&held, &one, sizeof held);
}

// One that allows everything, or is static warp limiting without limit, changes nothing. What it saw was right whenever it was
// told something, and every warp that started has ended.
static void allowing_all_changes_nothing(void **state) {
  (void)state;
  struct rig *rig = meeting_under("lru");
  add_puppet(rig, RECORDER, nothing_held);
  struct weir_run_stats free = see(meeting_under("lru"), &meeting).counts, all = see(rig, &meeting).counts;
  assert_memory_equal(&all, &free, sizeof all);
  assert_int_equal(hand.starts, 6 * 8);
  assert_int_equal(hand.ends, 6 * 8);
  assert_int_equal(hand.resident, 0);
  assert_int_equal(hand.count, all.warp_instructions);
  assert_true(hand.waited > 0);
  all = see(meeting_under("swl"), &meeting).counts;
  assert_memory_equal(&all, &free, sizeof all);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(goes_when_the_answer_ends),
    cmocka_unit_test(goes_when_a_period_ends),
    cmocka_unit_test(goes_when_the_cache_tells),
    cmocka_unit_test(loads_are_held),
    cmocka_unit_test(all_must_allow),
    cmocka_unit_test(all_must_allow_loads),
    cmocka_unit_test(asked_when_warps_come_and_go),
    cmocka_unit_test(local_misses_are_told),
    cmocka_unit_test(only_the_load_is_overruled),
    cmocka_unit_test(one_after_the_other),
    cmocka_unit_test(nothing_waits_for_ever),
    cmocka_unit_test(allowing_nothing_leaves_one),
    cmocka_unit_test(allowing_all_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
