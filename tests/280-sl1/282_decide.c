// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Who gets a line (sections 3.1 and 3.2.2), of structures whose hits follow from their strides: of 16 accesses, 1 byte
// apart, 15 hit a line of 16 bytes; 2 apart, 14; 4 apart, 12; 8 apart, 8; 16 apart, none.
#include "copy.h"

struct expected {
  const char *options;
  uint32_t sa, sb, lines; // strides; room
  bool caches_a, caches_b;
};

// With threshold 32 each structure has 16 monitored accesses. b is written: its hits count half.
static void ranks_follow_hits(void **state) {
  (void)state;
  static const struct expected cases[] = {
    {"", 1, 1, 2, true, true},
    {"", 1, 1, 1, true, false},                             // 2 × 15 : 15
    {"", 4, 1, 1, true, false},                             // 2 × 12 : 15
    {"floor_percent=10", 8, 1, 1, true, false},             // 2 × 8 : 15
    {"floor_percent=10,rw_factor=1", 8, 1, 1, false, true}, // 8 : 15
    {"rw_factor=1", 1, 1, 1, true, false},                  // of equals the one that is only read
    {"", 8, 1, 2, false, true},                             // 50 % is not more than 50 %
    {"floor_percent=49", 8, 1, 2, true, true},
    {"", 16, 1, 2, false, true},
    {"floor_percent=0", 16, 16, 2, false, false}, // 0 % is not more than 0 %
    {"", 1, 8, 2, true, false},
    {"most_lines=1", 1, 1, 2, true, false},
    {"most_lines=2", 1, 1, 2, true, true},
    {"cacheable=none", 1, 1, 2, false, false},
    {"cacheable=none,original_slice=off", 1, 1, 2, false, false},
    {"original_slice=off", 16, 16, 2, false, false},
    {"line_bytes=8", 8, 1, 2, false, true},
    {"line_bytes=32", 8, 1, 2, true, true}, // 12 of 16
    {"alias=none", 1, 1, 2, true, true},
  };
  for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
    const struct expected *e = &cases[k];
    struct sl1_bench s;
    char options[128];
    snprintf(options, sizeof options, "threshold=32,counters=on%s%s", *e->options ? "," : "", e->options);
    sl1_open(&s, COPY, options);
    struct copy_params p = copy_setup(&s, 32, e->sa, e->sb);
    sl1_launch(&s, 1, THREADS, e->lines, &p);
    const bool a = sl1_count(&s, 0, WEIR_SL1_CACHING) == THREADS, b = sl1_count(&s, 1, WEIR_SL1_CACHING) == THREADS;
    if (a != e->caches_a || b != e->caches_b)
      fail_msg("%s, strides %u and %u: a %d, b %d", e->options, e->sa, e->sb, a, b);
    assert_int_equal(sl1_count(&s, 0, WEIR_SL1_MONITORED), 16 * THREADS);
    assert_int_equal(sl1_count(&s, 0, WEIR_SL1_ACCESSES), e->caches_a ? 16 * THREADS : 0);
    const uint8_t *to = bench_at(&s.b, p.b, BYTES);
    for (uint32_t t = 0; t < THREADS; t++)
      for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(to[t * CHUNK + i * e->sb], (uint8_t)(4 + (t * CHUNK + i * e->sa) * 7));
    sl1_close(&s);
  }
}

// Two that are read alike: the first of the parameters.
#define TWO                                                                                                            \
  SL1_HEADER ".visible .entry k(.param .u64 .ptr .global .align 1 a, .param .u64 .ptr .global .align 1 b,\n"           \
             " .param .u64 .ptr .global .align 4 out)\n{\n"                                                            \
             ".reg .b64 %rd<9>;\n.reg .b32 %r<9>;\n.reg .pred %p<2>;\n"                                                \
             "ld.param.u64 %rd1, [b];\nld.param.u64 %rd2, [a];\nld.param.u64 %rd3, [out];\n"                           \
             "mov.u32 %r1, 0;\nmov.u32 %r2, 0;\n"                                                                      \
             "$LOOP:\nld.global.u8 %r3, [%rd1];\nld.global.u8 %r4, [%rd2];\nadd.u32 %r2, %r2, %r3;\n"                  \
             "add.u32 %r2, %r2, %r4;\nadd.s64 %rd1, %rd1, 1;\nadd.s64 %rd2, %rd2, 1;\nadd.u32 %r1, %r1, 1;\n"          \
             "setp.lt.u32 %p1, %r1, 64;\n@%p1 bra $LOOP;\nst.global.u32 [%rd3], %r2;\nret;\n}\n"

static void of_equals_the_first_parameter_wins(void **state) {
  (void)state;
  struct sl1_bench s;
  sl1_open(&s, TWO, "threshold=32,counters=on");
  const uint64_t p[3] = {sl1_buffer(&s, "a", 64, 1, 0), sl1_buffer(&s, "b", 64, 2, 0), sl1_buffer(&s, "out", 4, 0, 0)};
  sl1_launch(&s, 1, 1, 1, p);
  assert_int_equal(*(uint32_t *)bench_at(&s.b, p[2], 4), 3 * 64);
  assert_counts(&s, 0, 1, 1, 16, 15, 48, 45, 3, 0);
  assert_counts(&s, 1, 1, 0, 16, 15, 0, 0, 0, 0);
  sl1_close(&s);
}

// The threshold counts iterations: 16 of them, not 32 accesses in 16.
static void the_threshold_may_count_iterations(void **state) {
  (void)state;
  struct sl1_bench s;
  sl1_open(&s, COPY, "threshold=32,count=iterations,counters=on");
  struct copy_params p = copy_setup(&s, 64, 1, 1);
  sl1_launch(&s, 1, THREADS, 2, &p);
  assert_int_equal(sl1_count(&s, 0, WEIR_SL1_MONITORED), 32 * THREADS);
  sl1_close(&s);
}

// A loop that is shorter than the threshold never uses a line (POLICIES 8.10 of the design): nobody has decided.
static void a_short_loop_only_monitors(void **state) {
  (void)state;
  struct sl1_bench s;
  sl1_open(&s, COPY, "counters=on");
  struct copy_params p = copy_setup(&s, 150, 1, 1); // 300 accesses, and no header visit behind them
  sl1_launch(&s, 1, THREADS, 2, &p);
  assert_counts(&s, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  p.n = 151;
  sl1_launch(&s, 1, THREADS, 2, &p);
  assert_int_equal(sl1_count(&s, 0, WEIR_SL1_ACCESSES), THREADS);
  sl1_close(&s);
}

// Lanes 0 to 15 read bytes 1 apart, the others 16 apart: together 240 of 512 hit, 46.9 %.
#define HALVES                                                                                                         \
  SL1_HEADER                                                                                                           \
  ".visible .entry k(.param .u64 .ptr .global .align 1 a, .param .u64 .ptr .global .align 4 out)\n{\n"                 \
  ".reg .b64 %rd<9>;\n.reg .b32 %r<9>;\n.reg .pred %p<3>;\n"                                                           \
  "ld.param.u64 %rd1, [a];\nld.param.u64 %rd3, [out];\nmov.u32 %r5, %tid.x;\nmul.wide.u32 %rd4, %r5, 512;\n"           \
  "add.s64 %rd1, %rd1, %rd4;\nmul.wide.u32 %rd4, %r5, 4;\nadd.s64 %rd3, %rd3, %rd4;\n"                                 \
  "setp.lt.u32 %p2, %r5, 16;\nselp.b64 %rd5, 1, 16, %p2;\nmov.u32 %r1, 0;\nmov.u32 %r2, 0;\n"                          \
  "$LOOP:\nld.global.u8 %r3, [%rd1];\nadd.u32 %r2, %r2, %r3;\nadd.s64 %rd1, %rd1, %rd5;\n"                             \
  "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 32;\n@%p1 bra $LOOP;\nst.global.u32 [%rd3], %r2;\nret;\n}\n"

static void a_block_may_decide_together(void **state) {
  (void)state;
  static const struct {
    const char *options;
    unsigned caching;
  } cases[] = {
    {"threshold=16,counters=on", 16},
    {"threshold=16,counters=on,scope=block", 0},
    {"threshold=16,counters=on,scope=block,floor_percent=46", 32},
  };
  for (unsigned k = 0; k < 3; k++) {
    struct sl1_bench s;
    sl1_open(&s, HALVES, cases[k].options);
    const uint64_t p[2] = {sl1_buffer(&s, "a", 32 * 512, 1, 0), sl1_buffer(&s, "out", 128, 0, 0)};
    sl1_launch(&s, 1, 32, 1, p);
    assert_int_equal(sl1_count(&s, 0, WEIR_SL1_CACHING), cases[k].caching);
    for (unsigned t = 0; t < 32; t++) assert_int_equal(((uint32_t *)bench_at(&s.b, p[1], 128))[t], 32);
    sl1_close(&s);
  }
}

// First a is read for 64 bytes, then b.
#define ONE_AFTER_THE_OTHER                                                                                            \
  SL1_HEADER ".visible .entry k(.param .u64 .ptr .global .align 1 a, .param .u64 .ptr .global .align 1 b,\n"           \
             " .param .u64 .ptr .global .align 4 out)\n{\n"                                                            \
             ".reg .b64 %rd<9>;\n.reg .b32 %r<9>;\n.reg .pred %p<2>;\n"                                                \
             "ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\nld.param.u64 %rd3, [out];\n"                           \
             "mov.u32 %r1, 0;\nmov.u32 %r2, 0;\n"                                                                      \
             "$A:\nld.global.u8 %r3, [%rd1];\nadd.u32 %r2, %r2, %r3;\nadd.s64 %rd1, %rd1, 1;\nadd.u32 %r1, %r1, 1;\n"  \
             "setp.lt.u32 %p1, %r1, 64;\n@%p1 bra $A;\nmov.u32 %r1, 0;\n"                                              \
             "$B:\nld.global.u8 %r3, [%rd2];\nadd.u32 %r2, %r2, %r3;\nadd.s64 %rd2, %rd2, 1;\nadd.u32 %r1, %r1, 1;\n"  \
             "setp.lt.u32 %p1, %r1, 64;\n@%p1 bra $B;\nst.global.u32 [%rd3], %r2;\nret;\n}\n"

static void a_second_loop_uses_the_first_ones_decision(void **state) {
  (void)state;
  for (unsigned k = 0; k < 2; k++) {
    struct sl1_bench s;
    sl1_open(&s, ONE_AFTER_THE_OTHER, k ? "threshold=16,counters=on,remonitor=on" : "threshold=16,counters=on");
    const uint64_t p[3] = {sl1_buffer(&s, "a", 64, 1, 0), sl1_buffer(&s, "b", 64, 2, 0),
                           sl1_buffer(&s, "out", 4, 0, 0)};
    sl1_launch(&s, 1, 1, 2, p);
    assert_int_equal(*(uint32_t *)bench_at(&s.b, p[2], 4), 3 * 64);
    if (k) { // two decisions: the first caches a alone, the second b alone
      assert_counts(&s, 0, 2, 1, 16, 15, 48, 45, 3, 0);
      assert_counts(&s, 1, 2, 1, 16, 15, 48, 45, 3, 0);
    } else {
      assert_counts(&s, 0, 1, 1, 16, 15, 48, 45, 3, 0);
      assert_counts(&s, 1, 1, 0, 0, 0, 0, 0, 0, 0);
    }
    sl1_close(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(ranks_follow_hits),
    cmocka_unit_test(of_equals_the_first_parameter_wins),
    cmocka_unit_test(the_threshold_may_count_iterations),
    cmocka_unit_test(a_short_loop_only_monitors),
    cmocka_unit_test(a_block_may_decide_together),
    cmocka_unit_test(a_second_loop_uses_the_first_ones_decision),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
