// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What the lines do, by counters that follow from the addresses, and by what is in memory.
#include "copy.h"

// b holds what the copy makes of a, and the rest of it is untouched.
static void check_copy(const struct sl1_bench *s, const struct copy_params *p) {
  const uint8_t *b = bench_at(&s->b, p->b, BYTES);
  uint8_t *expected = weir_alloc(BYTES);
  memset(expected, 0xee, BYTES);
  for (uint32_t t = 0; t < THREADS; t++)
    for (uint32_t i = 0; i < p->n; i++)
      expected[t * CHUNK + i * p->sb] = (uint8_t)(3 + (t * CHUNK + i * p->sa) * 7 + 1);
  assert_memory_equal(b, expected, BYTES);
  weir_free(expected);
}

// 160 bytes per thread from a multiple of 16 on. After 16 iterations 32 accesses have been monitored, of which each
// structure had 1 miss and 15 hits. The 144 bytes that are left lie in 9 lines.
static void sequential_bytes_hit_fifteen_of_sixteen_times(void **state) {
  (void)state;
  struct sl1_bench s;
  sl1_open(&s, COPY, "threshold=32,counters=on");
  struct copy_params p = copy_setup(&s, 160, 1, 1);
  sl1_launch(&s, 1, THREADS, 2, &p);
  check_copy(&s, &p);
  assert_counts(&s, 0, 32, 32, 32 * 16, 32 * 15, 32 * 144, 32 * 135, 32 * 9, 0);
  assert_counts(&s, 1, 32, 32, 32 * 16, 32 * 15, 32 * 144, 32 * 135, 32 * 9, 32 * 144);
  sl1_close(&s);
}

// The copy onto itself, of one structure: a load that misses finds the line dirty. 16 iterations of 2 accesses are
// monitored; 144 bytes are left, in 9 lines.
static void a_load_that_misses_writes_back(void **state) {
  (void)state;
  struct sl1_bench s;
  char *text = weir_text_copy(COPY);
  memcpy(strstr(text, "%rd2, [b]"), "%rd2, [a]", 9);
  sl1_open(&s, text, "threshold=32,counters=on");
  weir_free(text);
  struct copy_params p = copy_setup(&s, 160, 1, 1);
  sl1_launch(&s, 1, THREADS, 1, &p);
  const uint8_t *a = bench_at(&s.b, p.a, BYTES);
  for (uint32_t i = 0; i < BYTES; i++) assert_int_equal(a[i], (uint8_t)(3 + i * 7 + (i % CHUNK < 160)));
  assert_counts(&s, 0, 32, 32, 32 * 32, 32 * 31, 32 * 288, 32 * 279, 32 * 9, 32 * 144);
  sl1_close(&s);
}

// As many fills as lines are begun from byte 32 on: monitoring ends after 32 bytes. In 256 bytes 10 lines of 24 and one of
// 16 are 11; of the first, byte 32 is in the second.
static void every_size_and_layout_copies_right(void **state) {
  (void)state;
  static const struct { unsigned line, fills; } sizes[] = {{8, 28}, {16, 14}, {24, 10}, {32, 7}};
  static const char *const layouts[] = {"contiguous", "interleaved"};
  for (unsigned k = 0; k < 8; k++) {
    struct sl1_bench s;
    char options[128];
    snprintf(options, sizeof options, "threshold=64,counters=on,line_bytes=%u,layout=%s", sizes[k / 2].line,
             layouts[k % 2]);
    sl1_open(&s, COPY, options);
    struct copy_params p = copy_setup(&s, 256, 1, 1);
    sl1_launch(&s, 1, THREADS, 2, &p);
    check_copy(&s, &p);
    assert_int_equal(sl1_count(&s, 0, WEIR_SL1_ACCESSES), 32 * (256 - 32));
    assert_int_equal(sl1_count(&s, 0, WEIR_SL1_FILLS), 32 * sizes[k / 2].fills);
    assert_int_equal(sl1_count(&s, 1, WEIR_SL1_FILLS), 32 * sizes[k / 2].fills);
    assert_int_equal(sl1_count(&s, 1, WEIR_SL1_WRITTEN_BYTES), 32 * (256 - 32));
    sl1_close(&s);
  }
}

// Buffers end where the last byte is: what a line has beyond is read, but not written.
static void the_last_line_may_end_behind_its_buffer(void **state) {
  (void)state;
  struct sl1_bench s;
  sl1_open(&s, COPY, "threshold=8,line_bytes=32");
  struct copy_params p = {sl1_buffer(&s, "a", 37, 1, 1), sl1_buffer(&s, "b", 37, 0, 0), 37, 1, 1, 0};
  sl1_launch(&s, 1, 1, 2, &p);
  const uint8_t *b = bench_at(&s.b, p.b, 37);
  for (unsigned i = 0; i < 37; i++) assert_int_equal(b[i], i + 2);
  sl1_close(&s);
}

// A line of which each byte is one of 16 that 16 threads write: only the bytes that a thread wrote go back.
static void neighbours_in_a_line_do_not_overwrite_each_other(void **state) {
  (void)state;
  static const char *const layouts[] = {"", ",layout=interleaved"};
  for (unsigned k = 0; k < 2; k++) {
    struct sl1_bench s;
    char options[128];
    snprintf(options, sizeof options, "threshold=8,counters=on,static_proof=off%s", layouts[k]);
    sl1_open(&s, COPY, options);
    // Thread t: bytes t, t + 4, t + 8, …: in each line 4 of its own, so 3 of 4 hit.
    struct copy_params p = {sl1_buffer(&s, "a", 512, 5, 1), sl1_buffer(&s, "b", 512, 0, 0), 100, 4, 4, 1};
    sl1_launch(&s, 1, 4, 2, &p);
    const uint8_t *b = bench_at(&s.b, p.b, 512);
    for (unsigned i = 0; i < 512; i++) assert_int_equal(b[i], i < 400 ? (uint8_t)(i + 6) : 0);
    assert_int_equal(sl1_count(&s, 1, WEIR_SL1_CACHING), 4);
    assert_int_equal(sl1_count(&s, 1, WEIR_SL1_WRITTEN_BYTES), 4 * 96);
    sl1_close(&s);
  }
}

// Stores go around a line that is not there, and nothing else fills it.
static void stores_go_around(void **state) {
  (void)state;
  struct sl1_bench s;
  sl1_open(&s, COPY, "threshold=32,counters=on,write_miss=around");
  struct copy_params p = copy_setup(&s, 160, 1, 1);
  sl1_launch(&s, 1, THREADS, 2, &p);
  check_copy(&s, &p);
  assert_counts(&s, 1, 32, 32, 32 * 16, 32 * 15, 0, 0, 0, 0);
  assert_int_equal(sl1_count(&s, 0, WEIR_SL1_FILLS), 32 * 9);
  sl1_close(&s);
}

// Nobody who launches the kernel has to know of lines.
static void without_room_nothing_is_cached(void **state) {
  (void)state;
  struct sl1_bench s;
  sl1_open(&s, COPY, "threshold=32,counters=on");
  struct copy_params p = copy_setup(&s, 160, 1, 1);
  sl1_launch(&s, 1, THREADS, 0, &p);
  check_copy(&s, &p);
  for (unsigned c = 0; c < 2; c++) assert_counts(&s, c, 0, 0, 0, 0, 0, 0, 0, 0);
  struct weir_fault fault;
  struct weir_launch launch = bench_launch(&s.b, "k", 1, THREADS, &p);
  assert_true(weir_run_functional(&launch, &fault));
  for (unsigned c = 0; c < 2; c++) assert_counts(&s, c, 0, 0, 0, 0, 0, 0, 0, 0);
  sl1_close(&s);
}

// Lanes whose loops end early leave the monitoring slice by another way. Each reads 7 t bytes, at least one; it decides if
// more are left when 64 accesses, of 32 bytes, have been seen.
#define UNEVEN                                                                                                         \
  SL1_HEADER ".visible .entry k(.param .u64 .ptr .global .align 1 a, .param .u64 .ptr .global .align 1 b)\n{\n"        \
             ".reg .b64 %rd<9>;\n.reg .b32 %r<9>;\n.reg .pred %p<2>;\n"                                                \
             "ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\nmov.u32 %r5, %tid.x;\nmul.lo.u32 %r1, %r5, 7;\n"       \
             "mul.wide.u32 %rd3, %r5, 256;\nadd.s64 %rd1, %rd1, %rd3;\nadd.s64 %rd2, %rd2, %rd3;\nmov.u32 %r6, 0;\n"   \
             "$LOOP:\nld.global.u8 %r7, [%rd1];\nadd.u32 %r7, %r7, 1;\nst.global.u8 [%rd2], %r7;\n"                    \
             "add.s64 %rd1, %rd1, 1;\nadd.s64 %rd2, %rd2, 1;\nadd.u32 %r6, %r6, 1;\n"                                  \
             "setp.lt.u32 %p1, %r6, %r1;\n@%p1 bra $LOOP;\nst.global.u8 [%rd2], 77;\nret;\n}\n"

static void lanes_leave_when_they_are_done(void **state) {
  (void)state;
  struct sl1_bench s;
  sl1_open(&s, UNEVEN, "threshold=64,counters=on");
  const uint64_t p[2] = {sl1_buffer(&s, "a", 32 * 256, 0, 1), sl1_buffer(&s, "b", 32 * 256, 0, 0)};
  sl1_launch(&s, 1, 32, 2, p);
  const uint8_t *b = bench_at(&s.b, p[1], 32 * 256);
  uint64_t decided = 0, served = 0;
  for (unsigned t = 0; t < 32; t++) {
    const unsigned n = t ? 7 * t : 1;
    decided += n > 32;
    served += n > 32 ? n - 32 : 0;
    for (unsigned i = 0; i < n; i++) assert_int_equal(b[t * 256 + i], (uint8_t)(t * 256 + i + 1));
    assert_int_equal(b[t * 256 + n], 77);
  }
  assert_int_equal(decided, 27);
  assert_int_equal(sl1_count(&s, 0, WEIR_SL1_THREADS), decided);
  assert_int_equal(sl1_count(&s, 0, WEIR_SL1_ACCESSES), served);
  assert_int_equal(sl1_count(&s, 1, WEIR_SL1_WRITTEN_BYTES), served);
  sl1_close(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(sequential_bytes_hit_fifteen_of_sixteen_times),
    cmocka_unit_test(a_load_that_misses_writes_back),
    cmocka_unit_test(every_size_and_layout_copies_right),
    cmocka_unit_test(the_last_line_may_end_behind_its_buffer),
    cmocka_unit_test(neighbours_in_a_line_do_not_overwrite_each_other),
    cmocka_unit_test(stores_go_around),
    cmocka_unit_test(without_room_nothing_is_cached),
    cmocka_unit_test(lanes_leave_when_they_are_done),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
