// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Cache policies: the values that createpolicy makes are NVIDIA's, and say what they are to say of an address.
#include "harness.h"

#include "exec/descriptor.h"

#define BEFORE                                                                                                         \
  ".version 7.4\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out) { .reg .b32 %r<8>; "              \
  ".reg .f32 %f<2>; .reg .b64 %rd<8>;\n"                                                                               \
  " ld.param.u64 %rd1, [out]; mov.u64 %rd3, 0x10000; mov.f32 %f1, 0f3E800000; mov.u32 %r6, 8192;\n"
#define BEHIND "\n mov.b64 {%r3, %r2}, %rd4; st.global.u32 [%rd1], %r2; ret; }\n"

// The high half: no policy has anything in the low one.
static uint32_t policy(const char *body) {
  char ptx[2000];
  struct bench b;
  struct weir_fault fault;
  uint32_t high;
  snprintf(ptx, sizeof ptx, "%s%s%s", BEFORE, body, BEHIND);
  bench_open(&b, ptx, 32);
  const uint64_t out = weir_memory_alloc(b.memory, "out", 4);
  struct weir_launch launch = bench_launch(&b, "k", 1, 1, &out);
  if (!weir_run_functional(&launch, &fault)) fail_msg("%s", fault.message);
  memcpy(&high, bench_at(&b, out, 4), 4);
  bench_close(&b);
  return high;
}

// The four that libcu++ has as constants; 8/16 and 4/16 of the accesses, which are held as one less; first for the others.
static void fractions(void **state) {
  (void)state;
  assert_int_equal(policy("createpolicy.fractional.L2::evict_unchanged.b64 %rd4;"), 0x10F00000);
  assert_int_equal(policy("createpolicy.fractional.L2::evict_first.b64 %rd4, 1.0;"), 0x12F00000);
  assert_int_equal(policy("createpolicy.fractional.L2::evict_last.b64 %rd4, 0f3F800000;"), 0x14F00000);
  assert_int_equal(policy("createpolicy.fractional.L2::evict_normal.L2::evict_unchanged.b64 %rd4;"), 0x16F00000);
  assert_int_equal(policy("createpolicy.fractional.L2::evict_first.L2::evict_first.b64 %rd4, 0.5;"), 0x13700000);
  assert_int_equal(policy("createpolicy.fractional.L2::evict_last.b64 %rd4, %f1;"), 0x14300000);
  assert_int_equal(policy("mov.u64 %rd5, 0x1234567800000000; createpolicy.cvt.L2.b64 %rd4, %rd5;"), 0x12345678);
}

// Two of 16 blocks of 4 KiB, from the 16th of memory on; and, of 1 MiB, eight of 8 KiB from the 8th on.
static void ranges(void **state) {
  (void)state;
  assert_int_equal(policy("createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 %rd4, [%rd3], %r6, 65536;"),
                   2 << 5 | 16 << 12 | 2 << 25 | 3 << 27);
  assert_int_equal(policy("createpolicy.range.L2::evict_first.b64 %rd4, [%rd3+0], 65536, 1048576;"),
                   8 << 5 | 8 << 12 | 1 << 20 | 1 << 25 | 3 << 27);
}

static void what_they_say(void **state) {
  (void)state;
  const uint64_t range = weir_descriptor_range(WEIR_DESCRIPTOR_LAST, WEIR_DESCRIPTOR_FIRST, 0x10000, 8192, 65536);
  assert_int_equal(weir_descriptor_hint(range, 0xFFFF), WEIR_HINT_EVICT_FIRST);
  assert_int_equal(weir_descriptor_hint(range, 0x10000), WEIR_HINT_EVICT_LAST);
  assert_int_equal(weir_descriptor_hint(range, 0x11FFF), WEIR_HINT_EVICT_LAST);
  assert_int_equal(weir_descriptor_hint(range, 0x12000), WEIR_HINT_EVICT_FIRST);
  assert_int_equal(weir_descriptor_hint(0, 0x10000), WEIR_HINT_NONE);
  const uint64_t all = weir_descriptor_fraction(WEIR_DESCRIPTOR_NORMAL, WEIR_DESCRIPTOR_UNCHANGED, 1);
  const uint64_t half = weir_descriptor_fraction(WEIR_DESCRIPTOR_FIRST, WEIR_DESCRIPTOR_UNCHANGED, 0.5f);
  unsigned first = 0;
  for (uint64_t line = 0; line < 16000; line++) {
    assert_int_equal(weir_descriptor_hint(all, line * 128), WEIR_HINT_EVICT_NORMAL);
    const uint8_t hint = weir_descriptor_hint(half, line * 128);
    assert_int_equal(hint, weir_descriptor_hint(half, line * 128 + 96)); // a line is of one kind
    first += hint == WEIR_HINT_EVICT_FIRST;
    if (hint != WEIR_HINT_EVICT_FIRST) assert_int_equal(hint, WEIR_HINT_EVICT_UNCHANGED);
  }
  assert_in_range(first, 8000 - 380, 8000 + 380); // six standard deviations of so many throws of a coin
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(fractions),
    cmocka_unit_test(ranges),
    cmocka_unit_test(what_they_say),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
