// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// MRPB (Jia et al., HPCA 2014): which queue a load goes to, in which order the queues drain, and which stalls it bypasses.
#include "rig.h"

enum { QUEUES = 64 };

// The policy beside queues that hold nothing but a number of loads.
struct buffer {
  struct weir_policy_instance i;
  struct weir_geometry g;
  uint16_t lengths[QUEUES];
};

static struct buffer *buffer_of(const char *knobs) {
  struct buffer *b = calloc(1, sizeof *b);
  struct weir_policy_choice choice = rig_choose(WEIR_POLICY_BYPASS, "mrpb", knobs);
  b->g = (struct weir_geometry){.sets = 32, .ways = 4, .line_bytes = 128, .warps = 48};
  weir_policy_start(&b->i, NULL, &choice, &b->g, 1, 1);
  b->g.knobs = b->i.knobs;
  return b;
}

static void buffer_free(struct buffer *b) {
  weir_policy_stop(&b->i);
  free(b);
}

static uint32_t enter(struct buffer *b, uint16_t warp) {
  struct weir_access a = {.warp = warp, .kind = WEIR_ACCESS_LOAD};
  uint32_t q = b->i.policy->enqueue(&b->i.view, &a);
  assert_in_range(q, 0, QUEUES - 1);
  b->lengths[q]++;
  return q;
}

static uint32_t leave(struct buffer *b) {
  uint64_t waiting = 0;
  for (unsigned q = 0; q < QUEUES; q++) waiting |= (uint64_t)(b->lengths[q] > 0) << q;
  uint32_t q = b->i.policy->drain(&b->i.view, waiting, b->lengths);
  assert_true(b->lengths[q] > 0);
  b->lengths[q]--;
  return q;
}

// A letter per step: loads of warps a, b, c … enter; '.' lets one leave. out: the warps that left (one queue each).
static void assert_leave(const char *knobs, const char *steps, const char *expected) {
  struct buffer *b = buffer_of(knobs);
  char out[128] = "";
  unsigned n = 0;
  for (; *steps; steps++) {
    if (*steps == ' ') continue;
    if (*steps == '.')
      out[n++] = (char)('a' + leave(b));
    else
      assert_int_equal(enter(b, (uint16_t)(*steps - 'a')), *steps - 'a');
  }
  assert_string_equal(out, expected);
  buffer_free(b);
}

// Coalesced loads of four warps, twice over: the L1 sees each warp's together.
static void warps_leave_together(void **state) {
  (void)state;
  assert_leave(NULL, "abcd abcd ........", "aabbccdd");
  assert_leave(NULL, "dcba dcba ........", "aabbccdd");
  assert_leave("drain=round-robin", "abcd abcd ........", "bcdabcda"); // at first as if a had gone last
}

// b is being drained when a, of higher priority, gets a load. Greedy: b goes on until it is empty, then the highest that waits
// goes, not the next. Fixed: a goes at once.
static void greedy_goes_on(void **state) {
  (void)state;
  assert_leave("drain=greedy", "bbbcc . a .. ...", "bbbacc");
  assert_leave("drain=fixed", "bbbcc . a .. ...", "babbcc");
  assert_leave("drain=greedy", "cc bb . a .. c b ...", "bbabcc");
}

// Who has nothing is passed over; behind the last, the first.
static void round_robin(void **state) {
  (void)state;
  assert_leave("drain=round-robin", "ccaae .. ac .....", "ceacaca");
}

// Of equals the lowest: a1 b2 c3, then c2, b1; another b; b1 again, c1, and one of each.
static void longest(void **state) {
  (void)state;
  assert_leave("drain=longest", "abbccc .. b .....", "cbbcabc");
}

static void a_queue_is_a_warp_s(void **state) {
  (void)state;
  struct buffer *b = buffer_of(NULL), *eight = buffer_of("queues=8");
  for (uint16_t warp = 0; warp < 64; warp++) {
    assert_int_equal(enter(b, warp), warp % 48);
    assert_int_equal(enter(eight, warp), warp % 8);
  }
  buffer_free(b);
  buffer_free(eight);
}

// Stores and atomics ask too, but do not wait there; turns are the changes from one queue to another.
static void counters(void **state) {
  (void)state;
  struct buffer *b = buffer_of(NULL);
  struct weir_access store = {.warp = 5, .kind = WEIR_ACCESS_STORE}, atomic = {.warp = 7, .kind = WEIR_ACCESS_ATOMIC};
  assert_int_equal(b->i.policy->enqueue(&b->i.view, &store), 5);
  assert_int_equal(b->i.policy->enqueue(&b->i.view, &atomic), 7);
  for (uint16_t i = 0; i < 6; i++) enter(b, i % 3); // two each in 0, 1, 2
  while (leave(b) != 2) {
  }
  leave(b);
  assert_int_equal(rig_counter(&b->i, "queued"), 6);
  assert_int_equal(rig_counter(&b->i, "turns"), 2); // it began with 0
  buffer_free(b);
}

// ---- bypassing ----------------------------------------------------------------------------------------------------------

// Which causes a load bypasses: a letter for each, n(o way), m(SHR), g (merge), q(ueue of misses).
static void assert_bypasses(const char *knobs, enum weir_access_kind kind, const char *expected) {
  static const char letters[WEIR_STALL_COUNT] = {[WEIR_STALL_NO_WAY] = 'n',
                                                 [WEIR_STALL_MSHR_FULL] = 'm',
                                                 [WEIR_STALL_MERGE_FULL] = 'g',
                                                 [WEIR_STALL_MISS_QUEUE] = 'q'};
  static const char *const names[WEIR_STALL_COUNT] = {[WEIR_STALL_NO_WAY] = "no_way_bypasses",
                                                      [WEIR_STALL_MSHR_FULL] = "mshr_bypasses",
                                                      [WEIR_STALL_MERGE_FULL] = "merge_bypasses",
                                                      [WEIR_STALL_MISS_QUEUE] = "miss_queue_bypasses"};
  struct buffer *b = buffer_of(knobs);
  for (unsigned why = WEIR_STALL_NO_WAY; why < WEIR_STALL_COUNT; why++) {
    struct weir_access a = {.kind = (uint8_t)kind};
    bool expects = letters[why] && strchr(expected, letters[why]);
    assert_int_equal(b->i.policy->stall(&b->i.view, &a, (enum weir_stall)why), expects);
    if (names[why]) assert_int_equal(rig_counter(&b->i, names[why]), expects);
  }
  buffer_free(b);
}

static void causes(void **state) {
  (void)state;
  assert_bypasses(NULL, WEIR_ACCESS_LOAD, "nmgq"); // any resource (Zhao et al., section V)
  assert_bypasses("on_mshr_full=off,on_merge_full=off,on_miss_queue=off", WEIR_ACCESS_LOAD, "n"); // associativity alone
  assert_bypasses("on_no_way=off", WEIR_ACCESS_LOAD, "mgq");
  assert_bypasses("on_mshr_full=off", WEIR_ACCESS_LOAD, "ngq");
  assert_bypasses("on_merge_full=off", WEIR_ACCESS_LOAD, "nmq");
  assert_bypasses("on_miss_queue=off", WEIR_ACCESS_LOAD, "nmg");
  assert_bypasses("bypass=off", WEIR_ACCESS_LOAD, "");
  assert_bypasses(NULL, WEIR_ACCESS_STORE, "");
  assert_bypasses(NULL, WEIR_ACCESS_ATOMIC, "");
}

// ---- what it asks for ---------------------------------------------------------------------------------------------------

static void assert_costs(const char *knobs, uint32_t queues, uint32_t depth, uint64_t bits) {
  struct buffer *b = buffer_of(knobs);
  struct weir_reorder r = b->i.policy->reorder(&b->g);
  assert_int_equal(r.queues, queues);
  assert_int_equal(r.depth, depth);
  assert_int_equal(weir_policy_cost_bits(b->i.policy, &b->g), bits);
  buffer_free(b);
}

// 86 bits per request, between the 8 and 16 bytes that descriptions suppose, and the number of a queue.
static void cost(void **state) {
  (void)state;
  assert_costs(NULL, 48, 8, 48 * 8 * 86 + 6);
  assert_costs("queues=8,depth=16", 8, 16, 8 * 16 * 86 + 3);
  assert_costs("drain=fixed", 48, 8, 48 * 8 * 86); // remembers nothing
  assert_costs("reorder=off", 0, 0, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(warps_leave_together),
    cmocka_unit_test(greedy_goes_on),
    cmocka_unit_test(round_robin),
    cmocka_unit_test(longest),
    cmocka_unit_test(a_queue_is_a_warp_s),
    cmocka_unit_test(counters),
    cmocka_unit_test(causes),
    cmocka_unit_test(cost),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
