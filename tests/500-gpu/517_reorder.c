// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The reorder stage, with a policy made for the purpose: what waits in its queues, in which order that reaches the first
// level, and when. The policy's queue is the warp's number and its drain takes the highest queue first; it writes down what it
// is asked and what the cache looks up.
#include "gpu_test.h"

enum { MOST_EVENTS = 256 };

// Policies keep no variables of their own (policy.h); these are the test's hands.
static struct {
  struct weir_reorder shape;
  struct event {
    char
      what; // 'q' a load asks for its queue, 's' a store or atomic; 'l' a load is looked up, 't' a store; 'i' a line is given
    unsigned warp;
    weir_cycle now;
  } events[MOST_EVENTS];
  unsigned count;
} hand;

static void note(char what, const struct weir_access *a) {
  assert_true(hand.count < MOST_EVENTS);
  hand.events[hand.count++] = (struct event){what, a->warp, a->now};
}

static void on_launch(struct weir_cache_view *c, uint64_t number) {
  (void)c, (void)number;
  hand.count = 0;
}

static struct weir_reorder shape(const struct weir_geometry *g) {
  (void)g;
  return hand.shape;
}

static uint32_t on_enqueue(struct weir_cache_view *c, const struct weir_access *a) {
  (void)c;
  note(a->kind == WEIR_ACCESS_LOAD ? 'q' : 's', a);
  return a->warp;
}

static uint32_t highest(struct weir_cache_view *c, uint64_t waiting, const uint16_t *lengths) {
  (void)c;
  uint32_t q = weir_log2(waiting);
  assert_true(lengths[q] > 0);
  return q;
}

static bool on_load(struct weir_cache_view *c, struct weir_access *a) {
  (void)c;
  note('l', a);
  return false;
}

static void on_store(struct weir_cache_view *c, struct weir_access *a) {
  (void)c;
  note('t', a);
}

static void on_insert(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  (void)c, (void)way;
  note('i', a);
}

static uint64_t no_cost(const struct weir_geometry *g) {
  (void)g;
  return 0;
}

static const struct weir_policy puppet = {
  .abi = WEIR_POLICY_ABI,
  .kind = WEIR_POLICY_BYPASS,
  .name = "puppet",
  .summary = "writes down what it sees",
  .citation = "none",
  .cost_bits = no_cost,
  .launch = on_launch,
  .load = on_load,
  .store = on_store,
  .insert = on_insert,
  .reorder = shape,
  .enqueue = on_enqueue,
  .drain = highest,
};

static void add_puppet(struct rig *rig, unsigned level, uint32_t queues, uint32_t depth) {
  struct weir_level_policies *l = (struct weir_level_policies *)weir_scheme_level(rig->scheme, level);
  hand.shape = (struct weir_reorder){queues, depth};
  weir_policy_defaults(&l->companions[l->companion_count++], &puppet);
}

// ---- latency ----------------------------------------------------------------------------------------------------------

static uint64_t time_of(const char *timed, uint32_t queues) {
  struct rig *rig = lone_rig();
  if (queues) add_puppet(rig, 0, queues, 8);
  uint64_t cycles = between(rig, timed);
  rig_free(rig);
  return cycles;
}

// A cycle for a load that goes through the stage; nothing for what does not, nor for a policy that asks for no queues.
static void the_stage_takes_a_cycle(void **state) {
  (void)state;
  static const char hit[] = READ(0) "ld.global.u64 %d1, [%d20];" READ(1);
  static const char *others[] = {
    READ(0) "ld.global.cg.u64 %d1, [%d20];" READ(1),
    READ(0) "ld.volatile.global.u64 %d1, [%d20];" READ(1),
    READ(0) ".local .align 8 .b8 l[8]; ld.local.u64 %d1, [l];" READ(1),
    READ(0) "atom.global.add.u64 %d1, [%d20], 0;" READ(1),
    READ(0) "st.global.u64 [%d20], %d0; membar.gl;" READ(1),
    READ(0) "ld.param.u64 %d1, [a];" READ(1),
  };
  assert_int_equal(time_of(hit, 4), time_of(hit, 0) + 1);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    assert_true(time_of(others[i], 0) > 2);
    assert_int_equal(time_of(others[i], 4), time_of(others[i], 0));
  }
}

// ---- order ------------------------------------------------------------------------------------------------------------

// Four warps find eight lines in the first level. Then warp 0 asks for two that are not there, which hold up the cache: it
// has one miss-status register. Behind the second, which is in the pipe and refused, all others wait; they are hits. From
// cycle T, in which the second miss is taken (the cache gives it a line), one per cycle can be looked up.
#define LOAD(last_line)                                                                                                \
  "min.u32 %r50, %r4, " #last_line                                                                                     \
  "; mul.wide.u32 %d50, %r50, 128; add.u64 %d51, %d1, %d50; ld.global.u32 %r51, [%d51];"
#define EVERY_OTHER(first_line, last_line)                                                                             \
  "mad.lo.u32 %r50, %r4, 2, " #first_line "; min.u32 %r50, %r50, " #last_line "; mul.wide.u32 %d50, %r50, 128;"        \
  "add.u64 %d51, %d1, %d50; ld.global.u32 %r51, [%d51];"
#define FOUR(text) text text text text
#define LATER FOUR(FOUR("add.u32 %r60, %r60, 1;")) // longer than all that one warp does, far shorter than a miss takes
#define WARPS(w1, w2, w3)                                                                                                  \
  ".local .align 8 .b8 l[8]; ld.param.u64 %d1, [a]; mov.u32 %r1, %tid.x; shr.u32 %r3, %r1, 5; and.b32 %r4, %r1, 31;"       \
  "setp.eq.u32 %p0, %r4, 0;" LOAD(                                                                                         \
    7) "add.u32 %r60, %r51, %r51; bar.sync 0;"                                                                             \
       "setp.eq.u32 %p1, %r3, 1; @%p1 bra W1; setp.eq.u32 %p2, %r3, 2; @%p2 bra W2; setp.eq.u32 %p3, %r3, 3; @%p3 bra W3;" \
       "add.u64 %d1, %d1, 8192;" LOAD(1) "bra END; W1:" LATER w1 "bra END; W2:" LATER w2 "bra END; W3:" LATER w3           \
                                         "END:"

static void run_once(const char *body, uint32_t depth, uint32_t banks) {
  struct rig *rig = rig_new();
  rig_set(rig, "l1.hit_latency_cycles=1"); // the pipe holds one request for each bank
  rig_set(rig, "l1.banks=%u", banks);
  rig_set(rig, "l1.mshrs=1");
  rig_set(rig, "l2.input_delay_cycles=2000");
  add_puppet(rig, 0, 4, depth);
  struct run run = {.body = body, .threads = 128};
  struct sight s;
  observe(rig, &run, UINT64_C(0xFFFFFFF0), &s);
  rig_free(rig);
}

// The last line given: what comes behind it is what waited.
static unsigned second_miss(void) {
  unsigned at = hand.count;
  while (at-- && hand.events[at].what != 'i') {
  }
  assert_true(at < hand.count && hand.events[at].warp == 0);
  return at;
}

// What is noted as a or b from T on: a group for each cycle, of the warps that did so, with s for a store; - for none.
static void from_second_miss(char a, char b, char *out) {
  unsigned first = second_miss();
  weir_cycle cycle = hand.events[first].now;
  bool any = false;
  for (unsigned i = first; i < hand.count; i++) {
    const struct event *e = &hand.events[i];
    if (e->what != a && e->what != b) continue;
    for (; cycle < e->now; cycle++, any = false) out += sprintf(out, any ? " " : "- ");
    *out++ = e->what == 't' ? 's' : (char)('0' + e->warp);
    any = true;
  }
  *out = '\0';
}

static void assert_look_ups(const char *body, uint32_t depth, uint32_t banks, const char *expected) {
  char seen[8 * MOST_EVENTS];
  run_once(body, depth, banks);
  from_second_miss('l', 't', seen);
  assert_string_equal(seen, expected);
}

// When loads, behind T, first ask for their queues.
static void assert_asks(const char *expected) {
  char seen[8 * MOST_EVENTS];
  from_second_miss('q', 'q', seen);
  assert_string_equal(seen, expected);
}

// Warps ask in the order 1, 2, 3 and leave in the order 3, 2, 1, the highest queue first; each warp's own accesses together.
static void the_policy_says_who_goes(void **state) {
  (void)state;
  assert_look_ups(WARPS(LOAD(3), LATER LOAD(2), LATER LATER LOAD(3)), 8, 1, "- 3 3 3 3 2 2 2 1 1 1 1");
  assert_asks("");
  char asked[MOST_EVENTS] = "";
  for (unsigned i = 0, n = 0; i < hand.count; i++)
    if (hand.events[i].what == 'q') asked[n++] = (char)('0' + hand.events[i].warp);
  assert_non_null(strstr(asked,
                         "00"
                         "1111"
                         "222"
                         "3333"));
}

// Two leave per cycle for two banks. Lines of even number lie in one, of odd in the other, and a warp's come from the highest
// address. The pipe has room for two: behind the miss that is refused, the first of warp 1 has got there, and is looked up with it.
static void one_per_bank(void **state) {
  (void)state;
  assert_look_ups(WARPS(LOAD(3), LATER LOAD(3), ""), 8, 2, "1 22 22 11 1");
  // Lines 7, 5, 3 of warp 1 and 6, 4, 2 of warp 2: where the highest queue's next finds its bank taken, the other's goes.
  assert_look_ups(WARPS(EVERY_OTHER(3, 7), LATER EVERY_OTHER(2, 6), ""), 8, 2, "1 21 21 2");
}

// Not in the cycle in which it came, though another of its queue leaves then. Warp 1 asks for lines 7, 4, 2 and 1, of banks
// 1, 0, 0 and 1, with queues of two. The first is in the pipe before T. At T the second leaves, in T + 1 the third, while the
// fourth comes.
static void never_in_the_cycle_of_coming(void **state) {
  (void)state;
  assert_look_ups(WARPS("shl.b32 %r49, 1, %r4; min.u32 %r50, %r49, 7; mul.wide.u32 %d50, %r50, 128;"
                        "add.u64 %d51, %d1, %d50; ld.global.u32 %r51, [%d51];",
                        "", ""),
                  2, 2, "1 1 1 1");
}

// Queues of two. The third load of warp 1 holds up the load/store unit, and warp 2 behind it. At T one leaves; the third enters in
// T + 1 and leaves in T + 2, while the fourth enters; warp 2 asks in T + 3, when the fourth leaves, and does so in T + 4.
static void a_full_queue_holds_up_all(void **state) {
  (void)state;
  assert_look_ups(WARPS(LOAD(3), LATER LOAD(1), ""), 2, 1, "- 1 1 1 1 2 2");
  assert_asks("- - 1 2 2");
}

// With room for one, a queue takes a load in every other cycle: at T the first leaves, in T + 1 the second (which waited)
// enters, in T + 2 it leaves while the third asks in vain, and so on.
static void a_queue_of_one(void **state) {
  (void)state;
  assert_look_ups(WARPS(LOAD(3), "", ""), 1, 1, "- 1 - 1 - 1 - 1");
  assert_asks("- - 1 - 1");
}

#define STORE "st.global.u32 [%d1+16384], %r4;"

// The warp's own loads go first, whatever the policy would choose; then the store; then the others.
static void a_store_waits_for_its_queue(void **state) {
  (void)state;
  assert_look_ups(WARPS(LOAD(2) LATER LATER STORE, LATER LOAD(2), ""), 8, 1, "- 1 1 1 s 2 2 2");
}

// What has nothing to wait for goes ahead of all that is queued: a store of a warp without loads there, a local store.
static void others_stores_do_not_wait(void **state) {
  (void)state;
  assert_look_ups(WARPS(LOAD(2), LATER LOAD(2), LATER LATER STORE), 8, 1, "- s 2 2 2 1 1 1");
  assert_look_ups(WARPS(LOAD(2) LATER LATER "st.local.u32 [l], %r4;", LATER LOAD(2), ""), 8, 1, "- s 2 2 2 1 1 1");
}

// An atomic goes past the cache, but not past its warp's loads: it is on its way in T + 3, so that a load behind it asks in T + 4.
static void an_atomic_waits_for_its_queue(void **state) {
  (void)state;
  assert_look_ups(
    WARPS(LOAD(2) LATER LATER "@%p0 red.global.add.u32 [%d1+16384], 1;", LATER LOAD(2), LATER LATER LATER LOAD(0)), 8,
    1, "- 1 1 1 2 2 3 2");
  assert_asks("- - - - 3");
}

// ---- who may reorder ----------------------------------------------------------------------------------------------------

// NULL: it is taken.
static void assert_refused(const char *scheme, unsigned level, uint32_t queues, uint32_t depth, const char *says) {
  struct rig *rig = rig_new();
  weir_scheme_free(rig->scheme);
  rig->scheme = weir_scheme_read(scheme, rig->config, &rig->sink);
  assert_non_null(rig->scheme);
  add_puppet(rig, level, queues, depth);
  struct weir_chip *chip = weir_chip_create(rig->config, rig->scheme, 1, &rig->sink);
  assert_int_equal(chip != NULL, !says);
  assert_int_equal(rig->sink.errors, says != NULL);
  if (says && !strstr(rig->sink.diags[0].message, says)) fail_msg("%s", rig->sink.diags[0].message);
  weir_chip_free(chip);
  rig_free(rig);
}

static void one_policy_of_the_first_level(void **state) {
  (void)state;
  assert_refused("mrpb", 0, 4, 8,
                 "policy puppet cannot manage cache l1 of chip fermi-gtx480: another policy already reorders");
  assert_refused("mrpb-bypass", 0, 4, 8, NULL); // whose knob leaves the queues away
  assert_refused("mrpb", 0, 0, 0, NULL);        // asks for none itself
  assert_refused("lru", 1, 4, 8, "policy puppet cannot manage cache l2 of chip fermi-gtx480: it reorders loads");
  assert_refused("lru", 0, WEIR_MAX_REORDER_QUEUES + 1, 8, "too many reorder queues");
  assert_refused("lru", 0, 4, 0, "queues that hold none");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_stage_takes_a_cycle),
    cmocka_unit_test(the_policy_says_who_goes),
    cmocka_unit_test(one_per_bank),
    cmocka_unit_test(never_in_the_cycle_of_coming),
    cmocka_unit_test(a_full_queue_holds_up_all),
    cmocka_unit_test(a_queue_of_one),
    cmocka_unit_test(a_store_waits_for_its_queue),
    cmocka_unit_test(others_stores_do_not_wait),
    cmocka_unit_test(an_atomic_waits_for_its_queue),
    cmocka_unit_test(one_policy_of_the_first_level),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
