// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// mbarrier against a model of what PTX ISA says of it ("mbarrier": phases, pending and expected arrivals), on random sequences of one
// thread; as a barrier of several warps; copies that arrive at one; what is refused. And elect.sync.
#include "base/rng.h"
#include "harness.h"

enum { OPERATIONS = 40, SEQUENCES = 60, TEXT = 1 << 15 };

struct model {
  uint64_t phase;
  uint32_t pending, expected;
};

static void arrive(struct model *m, uint32_t count) {
  m->pending -= count;
  if (m->pending) return;
  m->phase++;
  m->pending = m->expected;
}

static char *add(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static char *add(char *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  text += vsprintf(text, format, arguments);
  va_end(arguments);
  return text;
}

// Appends an operation, and the result that it is to have, or UINT32_MAX. States are in %s1 on, of which `states` are there; of each, the model.
static char *operation(char *text, struct weir_rng *r, struct model *m, struct model *of, unsigned *states,
                       uint32_t *result) {
  const unsigned what = (unsigned)weir_rng_below(r, 6), last = *states;
  const uint32_t count = 1 + (uint32_t)weir_rng_below(r, m->pending);
  *result = UINT32_MAX;
  switch (what) {
  case 0:
    of[++*states] = *m;
    arrive(m, count);
    return count == 1 ? add(text, " mbarrier.arrive.shared.b64 %%s%u, [bar];\n", *states)
                      : add(text, " mbarrier.arrive.release.cta.shared::cta.b64 %%s%u, [bar], %u;\n", *states, count);
  case 1:
    if (m->pending < 2) return text;
    of[++*states] = *m;
    arrive(m, 1);
    return add(text, " mbarrier.arrive.noComplete.b64 %%s%u, [%%rd2], 1;\n", *states);
  case 2: // the last thread does not drop
    if (m->expected < 2) return text;
    of[++*states] = *m;
    m->expected--;
    arrive(m, 1);
    return add(text, " mbarrier.arrive_drop.shared.b64 %%s%u, [bar];\n", *states);
  case 3: // of the running phase or of the one before it, as PTX demands
    if (!last || m->phase - of[last].phase > 1) return text;
    *result = of[last].phase != m->phase;
    return add(text, " mbarrier.%s.shared.b64 %%p, [bar], %%s%u; selp.u32 %%r1, 1, 0, %%p;\n",
               count & 1 ? "test_wait" : "try_wait", last);
  case 4:
    *result = (m->phase & 1) != (count & 1);
    return add(text, " mbarrier.test_wait.parity.shared.b64 %%p, [bar], %u; selp.u32 %%r1, 1, 0, %%p;\n", count & 1);
  default:
    if (!last) return text;
    *result = of[last].pending;
    return add(text, " mbarrier.pending_count.b64 %%r1, %%s%u;\n", last);
  }
}

static void sequences_are_the_models(void **state) {
  struct weir_rng r = weir_rng_seed(340, 0);
  (void)state;
  for (unsigned s = 0; s < SEQUENCES; s++) {
    static char text[TEXT];
    uint32_t expected[OPERATIONS], results = 0;
    struct model m = {.expected = 1 + (uint32_t)weir_rng_below(&r, 9)}, of[OPERATIONS + 1];
    unsigned states = 0;
    m.pending = m.expected;
    char *at =
      add(text,
          PTX_HEADER ".visible .entry k(.param .u64 out) {\n .reg .b64 %%rd<4>, %%s<64>; .reg .b32 %%r<4>;\n"
                     " .reg .pred %%p; .shared .align 8 .b64 bar;\n ld.param.u64 %%rd1, [out];\n"
                     " mov.u64 %%rd3, bar; cvta.shared.u64 %%rd2, %%rd3; mbarrier.init.shared.b64 [bar], %u;\n",
          m.expected);
    for (unsigned k = 0; k < OPERATIONS; k++) {
      at = operation(at, &r, &m, of, &states, &expected[results]);
      if (expected[results] != UINT32_MAX) at = add(at, " st.global.u32 [%%rd1+%u], %%r1;\n", 4 * results++);
    }
    add(at, " mbarrier.inval.shared.b64 [bar]; ret; }\n");
    struct bench b;
    bench_open(&b, text, 32);
    const uint64_t address = weir_memory_alloc(b.memory, "out", sizeof expected);
    bench_run(&b, "k", 1, 1, &address);
    const uint32_t *got = bench_at(&b, address, sizeof expected);
    for (uint32_t k = 0; k < results; k++)
      if (got[k] != expected[k]) fail_msg("result %u is %u, not %u:\n%s", k, got[k], expected[k], text);
    bench_close(&b);
  }
}

// Four warps: each thread writes a word, arrives, waits for the phase, reads its mirror image's, and all that ten times. Or it copies the
// word from global memory, which arrives for it.
static void warps_meet(void **state) {
  static const char *const ways[] = {
    " st.shared.u32 [%r5], %r6; mbarrier.arrive.shared.b64 %s, [bar];\n",
    " cp.async.ca.shared.global [%r5], [%rd3], 4; cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\n",
    " cp.async.ca.shared.global [%r5], [%rd3], 4; cp.async.mbarrier.arrive.shared.b64 [bar];\n"
    " mbarrier.arrive.shared.b64 %s, [bar];\n"};
  (void)state;
  for (unsigned way = 0; way < 3; way++) {
    char text[4096];
    snprintf(text, sizeof text,
             PTX_HEADER
             ".visible .entry k(.param .u64 data) {\n .reg .b64 %%rd<6>, %%s; .reg .b32 %%r<12>; .reg .pred %%p;\n"
             " .shared .align 8 .b64 bar; .shared .align 4 .b8 words[1024];\n ld.param.u64 %%rd1, [data];\n"
             " mov.u32 %%r1, %%tid.x; setp.ne.u32 %%p, %%r1, 0; @%%p bra $I; mbarrier.init.shared.b64 [bar], 128;\n"
             "$I: bar.sync 0; mov.u32 %%r2, 0; mov.u32 %%r3, 0; mov.u32 %%r7, words;\n"
             "$L: and.b32 %%r4, %%r2, 1; shl.b32 %%r4, %%r4, 9; add.u32 %%r4, %%r4, %%r7; shl.b32 %%r5, %%r1, 2;\n"
             " add.u32 %%r5, %%r5, %%r4; mad.lo.u32 %%r6, %%r2, 128, %%r1; mul.wide.u32 %%rd2, %%r6, 4;\n"
             " add.u64 %%rd3, %%rd1, %%rd2; ld.global.u32 %%r6, [%%rd3];\n%s"
             "$W: and.b32 %%r8, %%r2, 1; mbarrier.try_wait.parity.shared.b64 %%p, [bar], %%r8; @!%%p bra $W;\n"
             " sub.u32 %%r8, 127, %%r1; shl.b32 %%r8, %%r8, 2; add.u32 %%r8, %%r8, %%r4; ld.shared.u32 %%r9, [%%r8];\n"
             " mad.lo.u32 %%r3, %%r3, 3, %%r9; add.u32 %%r2, %%r2, 1; setp.lt.u32 %%p, %%r2, 10; @%%p bra $L;\n"
             " mul.wide.u32 %%rd2, %%r1, 4; add.u64 %%rd3, %%rd1, %%rd2; st.global.u32 [%%rd3+5120], %%r3; ret; }\n",
             ways[way]);
    struct bench b;
    bench_open(&b, text, 32);
    const uint64_t address = weir_memory_alloc(b.memory, "data", 5120 + 512);
    uint32_t *data = bench_at(&b, address, 5120 + 512);
    for (uint32_t k = 0; k < 1280; k++) data[k] = k * 2654435761u;
    bench_run(&b, "k", 1, 128, &address);
    for (uint32_t t = 0; t < 128; t++) {
      uint32_t sum = 0;
      for (uint32_t k = 0; k < 10; k++) sum = sum * 3 + data[k * 128 + 127 - t];
      assert_int_equal(data[1280 + t], sum);
    }
    bench_close(&b);
  }
}

static void assert_fault(const char *body, const char *says) {
  char text[1024];
  struct bench b;
  struct weir_fault fault;
  snprintf(text, sizeof text,
           PTX_HEADER
           ".visible .entry k() {\n .reg .b64 %%s; .reg .b32 %%r<4>; .shared .align 8 .b64 bar;\n %s ret; }\n",
           body);
  bench_open(&b, text, 32);
  const struct weir_launch launch = bench_launch(&b, "k", 1, 1, NULL);
  assert_false(weir_run_functional(&launch, &fault));
  if (!strstr(fault.message, says)) fail_msg("'%s' says '%s'", body, fault.message);
  bench_close(&b);
}

#define INIT "mbarrier.init.shared.b64 [bar], 2; "

static void misuse_is_told(void **state) {
  (void)state;
  assert_fault("mbarrier.init.shared.b64 [bar], 0;", "mbarrier.init of 0 arrivals: a phase waits for 1 to 1048575");
  assert_fault("mbarrier.init.shared.b64 [bar], 1048576;", "mbarrier.init of 1048576 arrivals");
  assert_fault("st.shared.u64 [bar], 0; mbarrier.arrive.shared.b64 %s, [bar];",
               "1 arrivals at an mbarrier that waits for 0: was it initialised?");
  assert_fault(INIT "mbarrier.arrive.shared.b64 %s, [bar], 3;", "3 arrivals at an mbarrier that waits for 2");
  assert_fault(INIT "mbarrier.arrive.noComplete.shared.b64 %s, [bar], 2;", "with .noComplete would end the phase");
  assert_fault("mbarrier.init.shared.b64 [bar+4], 1;", "misaligned");
}

// The leader is one of those that take part, the same for all of them; here the lowest.
static void one_lane_is_elected(void **state) {
  static const char text[] = PTX_HEADER
    ".visible .entry k(.param .u64 out) {\n .reg .b64 %rd<4>; .reg .b32 %r<8>; .reg .pred %p<3>; ld.param.u64 %rd1, [out];\n"
    " mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 3; setp.eq.u32 %p1, %r2, 0; mov.u32 %r3, 0; mov.u32 %r4, 99; @%p1 bra $E;\n"
    " elect.sync %r4|%p2, 0xEEEEEEEE; selp.u32 %r3, 1, 0, %p2;\n"
    "$E: mul.wide.u32 %rd2, %r1, 8; add.u64 %rd2, %rd2, %rd1; st.global.v2.u32 [%rd2], {%r3, %r4}; ret; }\n";
  struct bench b;
  (void)state;
  bench_open(&b, text, 32);
  const uint64_t address = weir_memory_alloc(b.memory, "out", 64 * 8);
  bench_run(&b, "k", 1, 64, &address);
  const uint32_t(*got)[2] = bench_at(&b, address, 64 * 8);
  for (unsigned t = 0; t < 64; t++) {
    assert_int_equal(got[t][0], t % 32 == 1);
    assert_int_equal(got[t][1], t % 4 ? 1 : 99);
  }
  bench_close(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(sequences_are_the_models),
    cmocka_unit_test(warps_meet),
    cmocka_unit_test(misuse_is_told),
    cmocka_unit_test(one_lane_is_elected),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
