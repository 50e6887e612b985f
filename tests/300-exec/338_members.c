// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// vote, match and redux with .sync: each lane learns of the lanes in its own membermask, also where lanes that execute one instruction
// have several masks, as tiles of cooperative groups do (PTX ISA, "vote.sync", "match.sync", "redux.sync"). A model says what.
#include "base/bits.h"
#include "base/rng.h"
#include "harness.h"

enum { THREADS = 64, CASES = 200 };
enum what {
  ANY,
  ALL,
  UNI,
  BALLOT,
  NONE_OF,
  MATCH_ANY,
  MATCH_ALL,
  EQUAL,
  ADD,
  MIN,
  MAX,
  SMALLEST,
  AND,
  OR,
  XOR,
  RESULTS
};

#define KEEP(register) " st.global.u32 [%rd4], " register "; add.u64 %rd4, %rd4, 256;\n"
#define VOTE(how) " vote.sync." how ".pred %p3, %p2, %r3; selp.b32 %r5, 1, 0, %p3;\n" KEEP("%r5")
#define REDUCE(how) " redux.sync." how " %r5, %r4, %r3;\n" KEEP("%r5")

// Threads that take part have bit 1 of `flags`; bit 0 is their vote.
static const char kernel[] =
  ".version 7.8\n.target sm_80\n.address_size 64\n"
  ".visible .entry k(.param .u64 masks, .param .u64 values, .param .u64 flags, .param .u64 out) {\n"
  " .reg .pred %p<5>; .reg .b32 %r<8>; .reg .b64 %rd<8>;\n"
  " ld.param.u64 %rd1, [masks]; ld.param.u64 %rd2, [values]; ld.param.u64 %rd3, [flags]; ld.param.u64 %rd4, [out];\n"
  " mov.u32 %r1, %tid.x; mul.wide.u32 %rd5, %r1, 4; add.u64 %rd1, %rd1, %rd5; add.u64 %rd2, %rd2, %rd5;\n"
  " add.u64 %rd3, %rd3, %rd5; add.u64 %rd4, %rd4, %rd5; ld.global.u32 %r3, [%rd1]; ld.global.u32 %r4, [%rd2];\n"
  " ld.global.u32 %r2, [%rd3]; and.b32 %r6, %r2, 1; setp.ne.u32 %p2, %r6, 0; and.b32 %r6, %r2, 2;\n"
  " setp.eq.u32 %p1, %r6, 0; @%p1 bra $E;\n" VOTE("any") VOTE("all")
    VOTE("uni") " vote.sync.ballot.b32 %r5, %p2, %r3;\n" KEEP("%r5") " vote.sync.ballot.b32 %r5, !%p2, %r3;\n" KEEP("%r5") " match.any.sync.b32 %r5, %r4, %r3;\n" KEEP(
      "%r5") " match.all.sync.b32 %r5|%p4, %r4, %r3;\n" KEEP("%r5") " selp.b32 %r5, 1, 0, %p4;\n" KEEP("%r5")
      REDUCE("add.u32") REDUCE("min.u32") REDUCE("max.s32") REDUCE("min.s32") REDUCE("and.b32") REDUCE("or.b32")
        REDUCE("xor.b32") "$E: ret; }\n";

struct world {
  uint32_t masks[THREADS], values[THREADS], flags[THREADS], out[RESULTS][THREADS];
};

// Up to four groups in each 32 threads, and threads that take no part.
static void draw(struct weir_rng *r, struct world *w) {
  unsigned group[THREADS];
  const unsigned groups = 1 + (unsigned)weir_rng_below(r, 4), values = 1 + (unsigned)weir_rng_below(r, 3);
  const bool tiles = weir_rng_below(r, 2);
  for (unsigned t = 0; t < THREADS; t++) {
    group[t] = tiles ? t % 32 * groups / 32 : (unsigned)weir_rng_below(r, groups);
    w->values[t] = 0xFFFFFFFE + (uint32_t)weir_rng_below(r, values);
    w->flags[t] = (uint32_t)weir_rng_below(r, 2) | (weir_rng_below(r, 8) ? 2 : 0);
  }
  for (unsigned t = 0; t < THREADS; t++) {
    w->masks[t] = 0;
    for (unsigned o = t & ~31u; o < (t & ~31u) + 32; o++)
      if (group[o] == group[t] && w->flags[o] & 2) w->masks[t] |= UINT32_C(1) << o % 32;
  }
}

// Of thread t, by what the others in its mask have.
static void model(const struct world *w, unsigned t, uint32_t want[RESULTS]) {
  const uint32_t mask = w->masks[t], first = w->values[(t & ~31u) + weir_lowest(mask)];
  uint32_t yes = 0, same = 0, sum = 0, least = UINT32_MAX, all = UINT32_MAX, some = 0, odd = 0;
  int32_t most = INT32_MIN, smallest = INT32_MAX;
  bool equal = true;
  for (unsigned l = 0; l < 32; l++) {
    if (!(mask >> l & 1)) continue;
    const uint32_t v = w->values[(t & ~31u) + l];
    yes |= (w->flags[(t & ~31u) + l] & 1) << l;
    same |= (uint32_t)(v == w->values[t]) << l;
    equal &= v == first;
    sum += v;
    least = v < least ? v : least;
    most = (int32_t)v > most ? (int32_t)v : most;
    smallest = (int32_t)v < smallest ? (int32_t)v : smallest;
    all &= v;
    some |= v;
    odd ^= v;
  }
  const uint32_t results[RESULTS] = {[ANY] = yes != 0,
                                     [ALL] = yes == mask,
                                     [UNI] = yes == 0 || yes == mask,
                                     [BALLOT] = yes,
                                     [NONE_OF] = mask & ~yes,
                                     [MATCH_ANY] = same,
                                     [MATCH_ALL] = equal ? mask : 0,
                                     [EQUAL] = equal,
                                     [ADD] = sum,
                                     [MIN] = least,
                                     [MAX] = (uint32_t)most,
                                     [SMALLEST] = (uint32_t)smallest,
                                     [AND] = all,
                                     [OR] = some,
                                     [XOR] = odd};
  memcpy(want, results, sizeof results);
}

static void run(struct world *w, unsigned lanes) {
  struct bench b;
  bench_open(&b, kernel, lanes);
  const uint64_t params[4] = {
    weir_memory_alloc(b.memory, "masks", sizeof w->masks), weir_memory_alloc(b.memory, "values", sizeof w->values),
    weir_memory_alloc(b.memory, "flags", sizeof w->flags), weir_memory_alloc(b.memory, "out", sizeof w->out)};
  memcpy(bench_at(&b, params[0], sizeof w->masks), w->masks, sizeof w->masks);
  memcpy(bench_at(&b, params[1], sizeof w->values), w->values, sizeof w->values);
  memcpy(bench_at(&b, params[2], sizeof w->flags), w->flags, sizeof w->flags);
  const struct weir_launch launch = bench_launch(&b, "k", 1, THREADS, params);
  struct weir_fault fault = {0};
  if (!weir_run_functional(&launch, &fault)) fail_msg("%s", fault.message);
  memcpy(w->out, bench_at(&b, params[3], sizeof w->out), sizeof w->out);
  bench_close(&b);
}

static void lanes_learn_of_those_in_their_mask(void **state) {
  (void)state;
  struct weir_rng r = weir_rng_seed(11, 0);
  for (unsigned k = 0; k < CASES; k++) {
    struct world w;
    draw(&r, &w);
    run(&w, k % 2 ? 64 : 32);
    for (unsigned t = 0; t < THREADS; t++) {
      if (!(w.flags[t] & 2)) continue;
      uint32_t want[RESULTS];
      model(&w, t, want);
      for (unsigned i = 0; i < RESULTS; i++)
        if (w.out[i][t] != want[i])
          fail_msg("case %u, thread %u, result %u: %x, not %x", k, t, i, w.out[i][t], want[i]);
    }
  }
}

// PTX leaves open what a lane learns that is not in its own mask. Programs that give %lanemask_lt (HeCBench's bscan, which passes on
// devices) count the votes in it.
static void masks_without_the_lane_itself(void **state) {
  (void)state;
  struct weir_rng r = weir_rng_seed(12, 0);
  struct world w;
  draw(&r, &w);
  uint32_t yes[2] = {0, 0};
  for (unsigned t = 0; t < THREADS; t++) {
    w.masks[t] = (UINT32_C(1) << t % 32) - 1;
    w.flags[t] |= 2;
    yes[t / 32] |= (w.flags[t] & 1) << t % 32;
  }
  run(&w, 32);
  for (unsigned t = 0; t < THREADS; t++) assert_int_equal(w.out[BALLOT][t], yes[t / 32] & w.masks[t]);
}

// One mask for all, which the instruction says: of 64 threads, each 32 have a vote and a sum of their own, 0 + … + 31 and 32 + … + 63.
static void a_mask_for_all(void **state) {
  (void)state;
  static const char text[] =
    PTX_HEADER ".visible .entry k(.param .u64 out) { .reg .pred %p<3>; .reg .b32 %r<5>; .reg .b64 %rd<3>;\n"
               " ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 8; add.u64 %rd1, %rd1, %rd2;\n"
               " setp.lt.u32 %p1, %r1, 32; vote.sync.all.pred %p2, %p1, -1; selp.b32 %r2, 1, 0, %p2;\n"
               " redux.sync.add.u32 %r3, %r1, -1; st.global.v2.u32 [%rd1], {%r2, %r3}; ret; }\n";
  for (unsigned lanes = 32; lanes <= 64; lanes += 32) {
    struct bench b;
    bench_open(&b, text, lanes);
    const uint64_t out = weir_memory_alloc(b.memory, "out", THREADS * 8);
    const struct weir_launch launch = bench_launch(&b, "k", 1, THREADS, &out);
    struct weir_fault fault = {0};
    assert_true(weir_run_functional(&launch, &fault));
    const uint32_t(*got)[2] = bench_at(&b, out, THREADS * 8);
    for (unsigned t = 0; t < THREADS; t++) {
      assert_int_equal(got[t][0], t < 32);
      assert_int_equal(got[t][1], t < 32 ? 496 : 1520);
    }
    bench_close(&b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(lanes_learn_of_those_in_their_mask),
    cmocka_unit_test(masks_without_the_lane_itself),
    cmocka_unit_test(a_mask_for_all),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
