// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Loops of all shapes: nested, with barriers, several ways out, tables of branches, guarded and vector accesses. What they
// leave is computed here in C, and how often they use lines follows from their trip counts.
#include "harness.h"

#define KERNEL(body)                                                                                                   \
  SL1_HEADER                                                                                                           \
  ".visible .entry k(.param .u64 .ptr .global .align 16 a, .param .u64 .ptr .global .align 16 b)\n{\n"                 \
  ".shared .align 4 .b8 tile[512];\n"                                                                                  \
  ".reg .b64 %rd<20>;\n.reg .b32 %r<20>;\n.reg .pred %p<8>;\nld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\n"       \
  "mov.u32 %r1, %tid.x;\nmov.u32 %r2, 0;\nmov.u32 %r3, 0;\n" body "}\n"
// Each thread: a + 256 t in rd1, b + 4 t in rd2.
#define PLACE                                                                                                          \
  "mul.wide.u32 %rd3, %r1, 256;\nadd.s64 %rd1, %rd1, %rd3;\nmul.wide.u32 %rd4, %r1, 4;\nadd.s64 %rd2, %rd2, %rd4;\n"

enum { ROW = 256 };

static uint8_t a_byte(unsigned i) {
  return (uint8_t)(i * 5 + i / 256);
}

// Runs `threads` threads; `expected` of thread t is what it leaves in word t of b.
static void run(struct sl1_bench *s, const char *text, const char *options, unsigned threads,
                uint32_t (*expected)(unsigned)) {
  sl1_open(s, text, options);
  const uint64_t a = weir_memory_alloc(s->b.memory, "a", threads * ROW),
                 b = weir_memory_alloc(s->b.memory, "b", threads * 4);
  uint8_t *bytes = bench_at(&s->b, a, threads * ROW);
  for (unsigned i = 0; i < threads * ROW; i++) bytes[i] = a_byte(i);
  const uint64_t p[2] = {a, b};
  sl1_launch(s, 1, threads, 2, p);
  const uint32_t *words = bench_at(&s->b, b, threads * 4);
  for (unsigned t = 0; t < threads; t++)
    if (words[t] != expected(t)) fail_msg("%s: thread %u leaves %u, not %u", options, t, words[t], expected(t));
}

// 8 rows of 16 bytes: the outer header is visited after each. With threshold 20, two rows are monitored.
static uint32_t sum_of_128(unsigned t) {
  uint32_t sum = 0;
  for (unsigned i = 0; i < 128; i++) sum += a_byte(t * ROW + i);
  return sum;
}

static void inner_loops_belong_to_their_outer_one(void **state) {
  (void)state;
  struct sl1_bench s;
  run(&s,
      KERNEL(PLACE
             "$OUTER:\nmov.u32 %r4, 0;\n$INNER:\nld.global.u8 %r5, [%rd1];\nadd.u32 %r3, %r3, %r5;\n"
             "add.s64 %rd1, %rd1, 1;\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, 16;\n@%p1 bra $INNER;\n"
             "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 8;\n@%p1 bra $OUTER;\nst.global.u32 [%rd2], %r3;\nret;\n"),
      "threshold=20,counters=on", 32, sum_of_128);
  assert_int_equal(s.report.kernels[0].loop_count, 1);
  assert_counts(&s, 0, 32, 32, 32 * 32, 32 * 30, 32 * 96, 32 * 90, 32 * 6, 0);
  sl1_close(&s);
}

// Every lane waits for its neighbour's byte, in every iteration. Slices change where all do: one access an iteration.
static uint32_t neighbours(unsigned t) {
  uint32_t sum = 0;
  for (unsigned i = 0; i < 64; i++) sum += a_byte((t + 1) % 96 * ROW + i);
  return sum;
}

static void barriers_are_met_by_all(void **state) {
  (void)state;
  static const char *const options[] = {"threshold=16,counters=on", "threshold=16,counters=on,barrier_fence=off",
                                        "threshold=16,counters=on,original_slice=off",
                                        "threshold=16,counters=on,scope=block"};
  for (unsigned k = 0; k < 4; k++) {
    struct sl1_bench s;
    run(&s,
        KERNEL(PLACE
               "mov.u64 %rd5, tile;\nadd.s64 %rd6, %rd5, %rd4;\nadd.u32 %r6, %r1, 1;\nrem.u32 %r6, %r6, 96;\n"
               "mul.wide.u32 %rd7, %r6, 4;\nadd.s64 %rd7, %rd5, %rd7;\n"
               "$L:\nld.global.u8 %r5, [%rd1];\nst.shared.u32 [%rd6], %r5;\nbar.sync 0;\nld.shared.u32 %r5, [%rd7];\n"
               "add.u32 %r3, %r3, %r5;\nbar.sync 0;\nadd.s64 %rd1, %rd1, 1;\nadd.u32 %r2, %r2, 1;\n"
               "setp.lt.u32 %p1, %r2, 64;\n@%p1 bra $L;\nst.global.u32 [%rd2], %r3;\nret;\n"),
        options[k], 96, neighbours);
    assert_int_equal(sl1_count(&s, 0, WEIR_SL1_CACHING), 96);
    assert_int_equal(sl1_count(&s, 0, WEIR_SL1_ACCESSES), 96 * 48);
    // Where barriers empty the lines, every access fills one.
    assert_int_equal(sl1_count(&s, 0, WEIR_SL1_FILLS), k == 1 ? 96 * 3 : 96 * 48);
    sl1_close(&s);
  }
}

// Ways out: a byte of value 7 (break), 100 bytes (return from within), 200 + t (end of the loop).
static uint32_t ways(unsigned t) {
  uint32_t sum = 0;
  for (unsigned i = 0;; i++) {
    sum += a_byte(t * ROW + i);
    if (a_byte(t * ROW + i) == 7) return sum + 1000000;
    if (i + 1 == 100 && t % 3 == 0) return 0;
    if (i + 1 >= 200 + t % 16) return sum + 2000000;
  }
}

static void every_way_out_is_taken(void **state) {
  (void)state;
  static const char *const options[] = {"threshold=16,counters=on", "threshold=150,counters=on", "threshold=1",
                                        "threshold=64,floor_percent=99"};
  for (unsigned k = 0; k < 4; k++) {
    struct sl1_bench s;
    run(&s,
        KERNEL(PLACE
               "rem.u32 %r6, %r1, 3;\nsetp.eq.u32 %p2, %r6, 0;\nand.b32 %r7, %r1, 15;\nadd.u32 %r7, %r7, 200;\n"
               "$L:\nld.global.u8 %r5, [%rd1];\nadd.u32 %r3, %r3, %r5;\nsetp.eq.u32 %p1, %r5, 7;\n@%p1 bra $BREAK;\n"
               "add.s64 %rd1, %rd1, 1;\nadd.u32 %r2, %r2, 1;\nsetp.eq.and.u32 %p3, %r2, 100, %p2;\n@%p3 ret;\n"
               "setp.lt.u32 %p1, %r2, %r7;\n@%p1 bra $L;\nadd.u32 %r3, %r3, 2000000;\nbra $OUT;\n"
               "$BREAK:\nadd.u32 %r3, %r3, 1000000;\n$OUT:\nst.global.u32 [%rd2], %r3;\nret;\n"),
        options[k], 64, ways);
    sl1_close(&s);
  }
}

// A table of branches within the loop, one of whose entries leaves it and one of which is its header.
static uint32_t table(unsigned t) {
  uint32_t sum = 0, i = 0;
  while (true) {
    const uint8_t byte = a_byte(t * ROW + i++);
    if (byte % 4 == 0)
      sum += byte;
    else if (byte % 4 == 1)
      sum ^= byte;
    else if (byte % 4 == 3 && i >= 90)
      return sum;
  }
}

static void tables_of_branches_are_copied(void **state) {
  (void)state;
  static const char *const options[] = {"threshold=16,counters=on", "threshold=16,cacheable=none", "threshold=1000"};
  for (unsigned k = 0; k < 3; k++) {
    struct sl1_bench s;
    run(&s,
        KERNEL(PLACE
               "T: .branchtargets $ADD, $XOR, $L, $TRY, $LEAVE;\n"
               "$L:\nld.global.u8 %r5, [%rd1];\nadd.s64 %rd1, %rd1, 1;\nadd.u32 %r2, %r2, 1;\nand.b32 %r6, %r5, 3;\n"
               "setp.ge.u32 %p1, %r2, 90;\nsetp.eq.and.u32 %p1, %r6, 3, %p1;\n@%p1 mov.u32 %r6, 4;\nbrx.idx %r6, T;\n"
               "$ADD:\nadd.u32 %r3, %r3, %r5;\nbra $L;\n$XOR:\nxor.b32 %r3, %r3, %r5;\nbra $L;\n$TRY:\nbra $L;\n"
               "$LEAVE:\nst.global.u32 [%rd2], %r3;\nret;\n"),
        options[k], 64, table);
    if (!k) assert_true(sl1_count(&s, 0, WEIR_SL1_HITS) > 64 * 60);
    sl1_close(&s);
  }
}

// The text of a loop in an order of its own: its header last, and a block that is not its in the middle.
static void blocks_may_stand_in_any_order(void **state) {
  (void)state;
  struct sl1_bench s;
  run(&s,
      KERNEL(PLACE
             "bra $HEAD;\n$BODY:\nadd.u32 %r3, %r3, %r5;\nadd.s64 %rd1, %rd1, 1;\nbra $LATCH;\n"
             "$AFTER:\nst.global.u32 [%rd2], %r3;\nret;\n$LATCH:\nadd.u32 %r2, %r2, 1;\nsetp.ge.u32 %p1, %r2, 128;\n"
             "@%p1 bra $AFTER;\n$HEAD:\nld.global.u8 %r5, [%rd1];\nbra $BODY;\n"),
      "threshold=32,counters=on", 32, sum_of_128);
  assert_counts(&s, 0, 32, 32, 32 * 32, 32 * 30, 32 * 96, 32 * 90, 32 * 6, 0);
  sl1_close(&s);
}

// Half of the accesses do not happen.
static uint32_t every_other(unsigned t) {
  uint32_t sum = 0;
  for (unsigned i = t & 1; i < 128; i += 2) sum += a_byte(t * ROW + i);
  return sum;
}

// Of 128 iterations each thread accesses in every other one, even threads in the even ones. An even thread has seen 16 after
// 31 iterations, when an odd one has seen 15: its warp leaves with it, or each waits for its own 16th.
static void guarded_accesses_count_when_they_happen(void **state) {
  (void)state;
  static const char *const options[] = {"threshold=16,counters=on", "threshold=16,counters=on,line_bytes=24",
                                        "threshold=16,counters=on,leave=thread"};
  static const unsigned monitored[] = {16 * 16 + 16 * 15, 16 * 16 + 16 * 15, 32 * 16};
  for (unsigned k = 0; k < 3; k++) {
    struct sl1_bench s;
    run(&s,
        KERNEL(PLACE
               "$L:\nxor.b32 %r6, %r1, %r2;\nand.b32 %r6, %r6, 1;\nsetp.eq.u32 %p2, %r6, 0;\nmov.u32 %r5, 0;\n"
               "@%p2 ld.global.u8 %r5, [%rd1];\nadd.u32 %r3, %r3, %r5;\nadd.s64 %rd1, %rd1, 1;\nadd.u32 %r2, %r2, 1;\n"
               "setp.lt.u32 %p1, %r2, 128;\n@%p1 bra $L;\nst.global.u32 [%rd2], %r3;\nret;\n"),
        options[k], 32, every_other);
    assert_int_equal(sl1_count(&s, 0, WEIR_SL1_MONITORED), monitored[k]);
    assert_int_equal(sl1_count(&s, 0, WEIR_SL1_ACCESSES), 32 * 64 - monitored[k]);
    sl1_close(&s);
  }
}

// Vectors of every shape, all within lines: 12 accesses of 2 to 16 bytes in each 16.
static uint32_t vectors(unsigned t) {
  uint32_t sum = 0;
  for (unsigned i = 0; i < 256; i += 16) {
    uint8_t x[16];
    uint16_t h[8];
    uint32_t w[4];
    uint64_t d[2];
    for (unsigned j = 0; j < 16; j++) x[j] = a_byte(t * ROW + i + j);
    memcpy(h, x, 16), memcpy(w, x, 16), memcpy(d, x, 16);
    sum += x[2] + x[3] * 3u + x[4] + x[7] * 5u;   // v2.u8 at 2, v4.u8 at 4: first and last
    sum += h[2] + h[3] * 7u + h[4] + h[7] * 9u;   // v2.u16 at 4, v4.u16 at 8
    sum += w[2] + w[3] * 11u + w[0] + w[3] * 13u; // v2.u32 at 8, v4.u32 at 0
    sum += (uint32_t)d[1] + (uint32_t)(d[0] >> 32) * 15u + (uint32_t)d[0] +
      (uint32_t)(d[1] >> 32); // u64 at 8, 0; v2.u64 at 0
  }
  return sum;
}

static void vectors_are_served(void **state) {
  (void)state;
  static const char *const options[] = {"threshold=16,counters=on",
                                        "threshold=16,counters=on,layout=interleaved",
                                        "threshold=16,counters=on,line_bytes=32",
                                        "threshold=16,counters=on,line_bytes=24",
                                        "threshold=16,counters=on,line_bytes=8",
                                        "threshold=16,counters=on,line_bytes=32,layout=interleaved"};
  for (unsigned k = 0; k < 6; k++) {
    struct sl1_bench s;
    run(&s,
        KERNEL(
          PLACE
          ".reg .b16 %h<8>;\n.reg .b64 %d<4>;\n$L:\n"
          "ld.global.v2.u8 {%h0, %h1}, [%rd1+2];\nld.global.v4.u8 {%h2, %h4, %h4, %h3}, [%rd1+4];\n"
          "cvt.u32.u16 %r4, %h0;\nadd.u32 %r3, %r3, %r4;\ncvt.u32.u16 %r4, %h1;\nmad.lo.u32 %r3, %r4, 3, %r3;\n"
          "cvt.u32.u16 %r4, %h2;\nadd.u32 %r3, %r3, %r4;\ncvt.u32.u16 %r4, %h3;\nmad.lo.u32 %r3, %r4, 5, %r3;\n"
          "ld.global.v2.u16 {%h0, %h1}, [%rd1+4];\nld.global.v4.u16 {%h2, %h4, %h5, %h3}, [%rd1+8];\n"
          "cvt.u32.u16 %r4, %h0;\nadd.u32 %r3, %r3, %r4;\ncvt.u32.u16 %r4, %h1;\nmad.lo.u32 %r3, %r4, 7, %r3;\n"
          "cvt.u32.u16 %r4, %h2;\nadd.u32 %r3, %r3, %r4;\ncvt.u32.u16 %r4, %h3;\nmad.lo.u32 %r3, %r4, 9, %r3;\n"
          "ld.global.v2.u32 {%r4, %r5}, [%rd1+8];\nadd.u32 %r3, %r3, %r4;\nmad.lo.u32 %r3, %r5, 11, %r3;\n"
          "ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd1];\nadd.u32 %r3, %r3, %r4;\nmad.lo.u32 %r3, %r7, 13, %r3;\n"
          "ld.global.u64 %d0, [%rd1+8];\ncvt.u32.u64 %r4, %d0;\nadd.u32 %r3, %r3, %r4;\n"
          "ld.global.u64 %d0, [%rd1];\nshr.u64 %d0, %d0, 32;\ncvt.u32.u64 %r4, %d0;\nmad.lo.u32 %r3, %r4, 15, %r3;\n"
          "ld.global.v2.u64 {%d0, %d1}, [%rd1];\ncvt.u32.u64 %r4, %d0;\nadd.u32 %r3, %r3, %r4;\nshr.u64 %d1, %d1, 32;\n"
          "cvt.u32.u64 %r4, %d1;\nadd.u32 %r3, %r3, %r4;\n"
          "add.s64 %rd1, %rd1, 16;\nadd.u32 %r2, %r2, 16;\nsetp.lt.u32 %p1, %r2, 256;\n@%p1 bra $L;\n"
          "st.global.u32 [%rd2], %r3;\nret;\n"),
        options[k], 32, vectors);
    if (k < 3) assert_int_equal(sl1_count(&s, 0, WEIR_SL1_ACCESSES), 32 * 14 * 9); // 9 an iteration: 18 in two
    sl1_close(&s);
  }
}

// Lanes tell each other what they read: all have to be in one slice.
static uint32_t told(unsigned t) {
  uint32_t sum = 0;
  for (unsigned i = 0; i < 64; i++) sum += a_byte((t ^ 1) * ROW + i);
  return sum;
}

static void warps_stay_together(void **state) {
  (void)state;
  struct sl1_bench s;
  run(&s,
      KERNEL(PLACE "$L:\nld.global.u8 %r5, [%rd1];\nshfl.sync.bfly.b32 %r5, %r5, 1, 31, -1;\nadd.u32 %r3, %r3, %r5;\n"
                   "add.s64 %rd1, %rd1, 1;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 64;\n@%p1 bra $L;\n"
                   "st.global.u32 [%rd2], %r3;\nret;\n"),
      "threshold=16,counters=on", 64, told);
  assert_int_equal(sl1_count(&s, 0, WEIR_SL1_HITS), 64 * 45);
  sl1_close(&s);
}

// Two loops in one, as compilers make of lines within a chunk: both go back to one header, and only the outer one is left.
// Lanes whose line has ended wait for the others where the inner loop ends. A way out of the header would let them go on alone;
// so many instructions does the warp execute then.
static uint64_t steps_of_lines(const char *options) {
  struct sl1_bench s;
  sl1_open(&s,
           KERNEL(PLACE
                  "$L:\nld.global.u8 %r5, [%rd1];\nadd.u32 %r3, %r3, %r5;\nadd.s64 %rd1, %rd1, 1;\n"
                  "add.u32 %r2, %r2, 1;\nadd.u32 %r6, %r2, %r1;\nand.b32 %r6, %r6, 31;\nsetp.ne.u32 %p2, %r6, 0;\n"
                  "@%p2 bra $L;\nmul.lo.u32 %r3, %r3, 5;\nsetp.lt.u32 %p1, %r2, 96;\n@%p1 bra $L;\n"
                  "st.global.u32 [%rd2], %r3;\nret;\n"),
           options);
  const uint64_t p[2] = {sl1_buffer(&s, "a", 32 * ROW, 1, 1), weir_memory_alloc(s.b.memory, "b", 32 * 4)};
  const uint64_t steps = sl1_launch(&s, 1, 32, 2, p);
  sl1_close(&s);
  return steps;
}

static void lanes_meet_where_they_did(void **state) {
  (void)state;
  // The warp's first line lasts 32 iterations, as do the others: 32 × 4 of 10 instructions, some more where lines end.
  // Monitored, none cached: some 10 more instructions in each, and the decision.
  assert_true(steps_of_lines("threshold=1000000") < 128 * (10 + 10) + 500);
  assert_true(steps_of_lines("threshold=40,cacheable=none") < 128 * (10 + 10) + 500);
  assert_true(steps_of_lines("threshold=40,cacheable=none,original_slice=off") < 128 * (10 + 10) + 500);
}

// .loc survives in every slice, so that loads are told by their source's line.
static void lines_of_the_source_survive(void **state) {
  (void)state;
  struct sl1_bench s;
  run(&s,
      ".version 7.8\n.target sm_70\n.address_size 64\n.file 1 \"sum.cl\"\n"
      ".visible .entry k(.param .u64 .ptr .global .align 16 a, .param .u64 .ptr .global .align 16 b)\n{\n"
      ".reg .b64 %rd<9>;\n.reg .b32 %r<9>;\n.reg .pred %p<3>;\nld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\n"
      "mov.u32 %r1, %tid.x;\nmov.u32 %r2, 0;\nmov.u32 %r3, 0;\n" PLACE
      ".loc 1 10 0\n$L:\n.loc 1 11 5\nld.global.u8 %r5, [%rd1];\n"
      ".loc 1 12 5\nadd.u32 %r3, %r3, %r5;\nadd.s64 %rd1, %rd1, 1;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 128;\n"
      "@%p1 bra $L;\n.loc 1 14 3\nst.global.u32 [%rd2], %r3;\nret;\n}\n",
      "threshold=16", 32, sum_of_128);
  unsigned loads = 0, stores = 0;
  const struct weir_function *f = s.b.module->functions[0];
  for (uint32_t k = 0; k < f->statement_count; k++) {
    if (f->statements[k].kind != WEIR_STMT_INSTRUCTION) continue;
    const struct weir_instruction *in = f->statements[k].instruction;
    if (in->form.space != WEIR_SPACE_GLOBAL) continue;
    if (in->opcode == WEIR_OP_LD) loads++, assert_int_equal(in->source_line, 11);
    if (in->opcode == WEIR_OP_ST) stores++, assert_int_equal(in->source_line, 14);
  }
  assert_int_equal(loads, 4); // monitored, a fill, past the line, untouched
  assert_int_equal(stores, 1);
  sl1_close(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(inner_loops_belong_to_their_outer_one),
    cmocka_unit_test(barriers_are_met_by_all),
    cmocka_unit_test(every_way_out_is_taken),
    cmocka_unit_test(tables_of_branches_are_copied),
    cmocka_unit_test(blocks_may_stand_in_any_order),
    cmocka_unit_test(guarded_accesses_count_when_they_happen),
    cmocka_unit_test(vectors_are_served),
    cmocka_unit_test(warps_stay_together),
    cmocka_unit_test(lanes_meet_where_they_did),
    cmocka_unit_test(lines_of_the_source_survive),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
