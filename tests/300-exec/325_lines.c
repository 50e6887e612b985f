// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Reads that a cache in software lets go past the ends of a buffer: within the line, and no further. Writes never.
#include "harness.h"

// Copies 16 bytes, word by word or as a vector, from `at` to `out`; or writes there.
static const char kernels[] = PTX_HEADER
  ".visible .entry word(.param .u64 at, .param .u64 out) { .reg .b32 %r1; .reg .b64 %rd<3>;\n"
  "ld.param.u64 %rd1, [at]; ld.param.u64 %rd2, [out]; ld.global.u32 %r1, [%rd1]; st.global.u32 [%rd2], %r1; ret; }\n"
  ".visible .entry vector(.param .u64 at, .param .u64 out) { .reg .b32 %r<5>; .reg .b64 %rd<3>;\n"
  "ld.param.u64 %rd1, [at]; ld.param.u64 %rd2, [out]; ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];\n"
  "st.global.v4.u32 [%rd2], {%r1, %r2, %r3, %r4}; ret; }\n"
  ".visible .entry store(.param .u64 at, .param .u64 out) { .reg .b32 %r1; .reg .b64 %rd1;\n"
  "ld.param.u64 %rd1, [at]; mov.u32 %r1, 7; st.global.u32 [%rd1], %r1; ret; }\n";

struct outcome {
  bool went_on;
  uint8_t kind;
  uint8_t out[16];
};

static struct outcome touch(struct bench *b, const char *kernel, uint64_t at) {
  const uint64_t out = weir_memory_alloc(b->memory, "out", 16), params[2] = {at, out};
  struct weir_launch launch = bench_launch(b, kernel, 1, 1, params);
  struct weir_fault fault = {0};
  struct outcome o = {.went_on = weir_run_functional(&launch, &fault), .kind = fault.kind};
  memcpy(o.out, bench_at(b, out, 16), 16);
  return o;
}

// Buffers begin at multiples of 256, and so does a line.
static void a_read_goes_to_the_end_of_its_line(void **state) {
  (void)state;
  static const struct {
    uint32_t line;
    int64_t at; // relative to the second buffer of 100 bytes
    bool readable;
  } cases[] = {
    {1, 96, true},   {1, 100, false},  {1, -4, false},  // nowhere
    {8, 100, true},  {8, 104, false},  {8, -4, false},  // [96, 104)
    {16, 108, true}, {16, 112, false}, {16, -4, false}, // [96, 112)
    {32, 124, true}, {32, 128, false}, {32, -4, false}, // [96, 128)
    {24, 116, true}, {24, 120, false}, {24, -4, false}, // [96, 120)
  };
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct bench b;
    bench_open(&b, kernels, 32);
    weir_memory_set_line(b.memory, cases[i].line);
    weir_memory_alloc(b.memory, "first", 4);
    const uint64_t buffer = weir_memory_alloc(b.memory, "second", 100);
    memset(bench_at(&b, buffer, 100), 0x55, 100);
    const struct outcome o = touch(&b, "word", buffer + (uint64_t)cases[i].at);
    assert_int_equal(o.went_on, cases[i].readable);
    if (!o.went_on) assert_int_equal(o.kind, WEIR_FAULT_ACCESS);
    for (int k = 0; k < 4 && o.went_on; k++)
      assert_int_equal(o.out[k], cases[i].at >= 0 && cases[i].at < 100 ? 0x55 : 0);
    bench_close(&b);
  }
}

static void a_vector_has_the_buffers_bytes_and_zeros(void **state) {
  (void)state;
  struct bench b;
  bench_open(&b, kernels, 32);
  weir_memory_set_line(b.memory, 16);
  const uint64_t buffer = weir_memory_alloc(b.memory, "buffer", 10);
  memset(bench_at(&b, buffer, 10), 0x55, 10);
  const struct outcome o = touch(&b, "vector", buffer);
  assert_true(o.went_on);
  for (int k = 0; k < 16; k++) assert_int_equal(o.out[k], k < 10 ? 0x55 : 0);
  bench_close(&b);
}

static void writes_stay_exact(void **state) {
  (void)state;
  struct bench b;
  bench_open(&b, kernels, 32);
  weir_memory_set_line(b.memory, 32);
  const uint64_t buffer = weir_memory_alloc(b.memory, "buffer", 4);
  assert_true(touch(&b, "store", buffer).went_on);
  assert_int_equal(touch(&b, "store", buffer + 4).kind, WEIR_FAULT_ACCESS);
  bench_close(&b);
}

// Memory of the host, which ends where it ends: two pieces in one line, with bytes between them that are nobody's.
static void pieces_of_host_memory_share_a_line(void **state) {
  (void)state;
  uint8_t one[6], other[4];
  memset(one, 0x11, sizeof one);
  memset(other, 0x22, sizeof other);
  const uint64_t line = UINT64_C(1) << 44;
  struct bench b;
  bench_open(&b, kernels, 32);
  weir_memory_set_line(b.memory, 16);
  assert_true(weir_memory_map(b.memory, "one", line, one, sizeof one));
  assert_true(weir_memory_map(b.memory, "other", line + 8, other, sizeof other));
  const struct outcome o = touch(&b, "vector", line);
  assert_true(o.went_on);
  for (int k = 0; k < 16; k++) assert_int_equal(o.out[k], k < 6 ? 0x11 : k >= 8 && k < 12 ? 0x22 : 0);
  assert_int_equal(touch(&b, "vector", line + 16).kind, WEIR_FAULT_ACCESS);
  bench_close(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_read_goes_to_the_end_of_its_line),
    cmocka_unit_test(a_vector_has_the_buffers_bytes_and_zeros),
    cmocka_unit_test(writes_stay_exact),
    cmocka_unit_test(pieces_of_host_memory_share_a_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
