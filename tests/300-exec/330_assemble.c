// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Code in its machine code's order (exec/assemble): by hand, and against what the PTX does as it is written.
#include "harness.h"

#include "exec/assemble/assemble.h"
#include "exec/program.h"

// ---- order ----------------------------------------------------------------------------------------------------------

static const char kernel[] =
  PTX_HEADER ".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n) {\n"
             ".reg .b32 %%r<99>;\n.reg .b64 %%rd<99>;\n.reg .f32 %%f<99>;\n.reg .pred %%p<9>;\n"
             "ld.param.u64 %%rd1, [a];\nld.param.u64 %%rd2, [b];\nld.param.u32 %%r1, [n];\n%s\nret;\n}\n";

// The opcodes of what `body` becomes, first letters of global accesses ("l" and "s"), in order; of all else nothing.
static void accesses(const char *body, char *to) {
  char text[8192];
  struct weir_sink sink = {0};
  snprintf(text, sizeof text, kernel, body);
  struct weir_module *m = weir_ptx_parse("test.ptx", text, strlen(text), &sink);
  assert_non_null(m);
  struct weir_module *assembled =
    weir_assemble(m, (struct weir_code){.assembler = WEIR_ASSEMBLER_SM_90, .assembled = true});
  const struct weir_function *f = assembled->functions[0];
  assert_ptr_equal(f->written, m->functions[0]);
  for (uint32_t s = 0; s < f->statement_count; s++) {
    if (f->statements[s].kind != WEIR_STMT_INSTRUCTION) continue;
    const struct weir_instruction *in = f->statements[s].instruction;
    if (in->form.space == WEIR_SPACE_GLOBAL) *to++ = in->opcode == WEIR_OP_LD ? 'l' : 's';
    if (in->opcode == WEIR_OP_FMA) *to++ = 'f';
    if (in->opcode == WEIR_OP_MAD) *to++ = 'm';
    if (in->opcode == WEIR_OP_BAR) *to++ = 'b';
    if (in->opcode == WEIR_OP_WGMMA) *to++ = in->form.type ? 'w' : in->operand_count ? 'q' : 'c';
    if (in->opcode == WEIR_OP_BRA) *to++ = '.';
  }
  *to = 0;
  weir_module_free(assembled);
  weir_module_free(m);
  weir_sink_free(&sink);
}

static void loads_go_first(void **state) {
  (void)state;
  char found[256];
  accesses("ld.global.f32 %f1, [%rd1];\nfma.rn.f32 %f3, %f1, %f1, %f1;\n"
           "ld.global.f32 %f2, [%rd2];\nfma.rn.f32 %f4, %f2, %f2, %f3;\n"
           "st.global.f32 [%rd1+8], %f4;",
           found);
  assert_string_equal(found, "llffs");
}

// What waits for a load, and leads to another one, waits for that alone: not the load beside it, whose address is there sooner.
static void none_waits_for_another(void **state) {
  (void)state;
  char found[256];
  accesses(
    "mul.wide.u32 %rd5, %r1, 4;\nadd.s64 %rd6, %rd1, %rd5;\nadd.s64 %rd7, %rd2, %rd5;\n"
    "ld.global.u32 %r2, [%rd6];\nmad.lo.s32 %r3, %r2, %r2, %r1;\nmul.wide.u32 %rd3, %r3, 4;\nadd.s64 %rd3, %rd2, %rd3;\n"
    "ld.global.f32 %f1, [%rd3];\nmul.wide.u32 %rd8, %r1, 8;\nadd.s64 %rd4, %rd7, %rd8;\nld.global.f32 %f2, [%rd4];\n"
    "fma.rn.f32 %f3, %f1, %f2, %f2;\nst.global.f32 [%rd1+8], %f3;",
    found);
  assert_string_equal(found, "llmlfs");
}

// A load stays behind a store that may be to the same bytes; one of other bytes of the same base, or that nobody writes, does not.
static void a_store_holds_what_it_may_write(void **state) {
  (void)state;
  char found[256];
  accesses(
    "fma.rn.f32 %f1, %f0, %f0, %f0;\nst.global.f32 [%rd1], %f1;\nld.global.f32 %f2, [%rd2];\nst.global.f32 [%rd1+64], %f2;",
    found);
  assert_string_equal(found, "fsls");
  accesses(
    "fma.rn.f32 %f1, %f0, %f0, %f0;\nst.global.f32 [%rd1], %f1;\nld.global.f32 %f2, [%rd1+4];\nst.global.f32 [%rd1+64], %f2;",
    found);
  assert_string_equal(found, "lfss");
  accesses(
    "fma.rn.f32 %f1, %f0, %f0, %f0;\nst.global.f32 [%rd1], %f1;\nld.global.f32 %f2, [%rd1+3];\nst.global.f32 [%rd1+64], %f2;",
    found);
  assert_string_equal(found, "fsls");
  accesses(
    "fma.rn.f32 %f1, %f0, %f0, %f0;\nst.global.f32 [%rd1], %f1;\nld.global.nc.f32 %f2, [%rd2];\nst.global.f32 [%rd1+64], %f2;",
    found);
  assert_string_equal(found, "lfss");
}

#define PRODUCT "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd1, %rd2, 1, 1, 1, 0, 0;\n"

// What a product leaves is read behind the wait, of which nothing says so but that it waits. A loop with one stays as it is: a copy would write other
// registers than it reads.
static void products_are_waited_for(void **state) {
  (void)state;
  char found[256];
  accesses(PRODUCT "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
                   "fma.rn.f32 %f5, %f1, %f2, %f3;\nst.global.f32 [%rd1], %f5;",
           found);
  assert_string_equal(found, "wcqfs");
  accesses("mov.u32 %r2, 0;\nL: " PRODUCT "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 8;\n@%p1 bra L;\n"
           "wgmma.wait_group.sync.aligned 0;\nst.global.f32 [%rd1], %f1;",
           found);
  assert_string_equal(found, "w.qs");
}

static void nothing_passes_a_barrier(void **state) {
  (void)state;
  char found[256];
  accesses(
    "fma.rn.f32 %f1, %f0, %f0, %f0;\nst.global.f32 [%rd1], %f1;\nbar.sync 0;\nld.global.f32 %f2, [%rd1+4];\nst.global.f32 [%rd1+64], %f2;",
    found);
  assert_string_equal(found, "fsbls");
}

// ---- loops ----------------------------------------------------------------------------------------------------------

// Four copies, two, and one, as ptxas 13 has them; its loads come before what uses them.
static void a_loop_is_copied(void **state) {
  (void)state;
  char found[256];
  accesses(
    "L:\nld.global.f32 %f1, [%rd1];\nfma.rn.f32 %f2, %f1, %f1, %f2;\nadd.s64 %rd1, %rd1, 4;\nadd.s32 %r2, %r2, 1;\n"
    "setp.ne.s32 %p1, %r2, %r1;\n@%p1 bra L;\nst.global.f32 [%rd2], %f2;",
    found);
  assert_string_equal(found, ".llllffff...llff.lf.s");
}

// ptxas 13 leaves these as they are: a branch where the predicate does not hold, what weighs too much, what is told not to.
static void a_loop_stays(void **state) {
  (void)state;
  char found[256], body[8192];
  accesses("L:\nld.global.f32 %f1, [%rd1];\nfma.rn.f32 %f2, %f1, %f1, %f2;\nadd.s32 %r2, %r2, 1;\n"
           "setp.eq.s32 %p1, %r2, %r1;\n@!%p1 bra L;",
           found);
  assert_string_equal(found, "lf.");
  accesses(
    "L:\n.pragma \"nounroll\";\nld.global.f32 %f1, [%rd1];\nfma.rn.f32 %f2, %f1, %f1, %f2;\nadd.s32 %r2, %r2, 1;\n"
    "setp.ne.s32 %p1, %r2, %r1;\n@%p1 bra L;",
    found);
  assert_string_equal(found, "lf.");
  for (unsigned muls = 43; muls <= 44; muls++) { // docs/VALIDATION.md: ptxas copies 43
    char *to = body + sprintf(body, "L:\nld.global.f32 %%f1, [%%rd1];\nfma.rn.f32 %%f2, %%f1, %%f1, %%f2;\n");
    for (unsigned k = 0; k < muls; k++) to += sprintf(to, "mul.rn.f32 %%f2, %%f2, %%f2;\n");
    sprintf(to, "add.s64 %%rd1, %%rd1, 4;\nadd.s32 %%r2, %%r2, 1;\nsetp.ne.s32 %%p1, %%r2, %%r1;\n@%%p1 bra L;");
    accesses(body, found);
    assert_int_equal(strlen(found) > 3, muls == 43);
  }
}

// How often the loop below runs: the rules of the PTX ISA, in C, for numbers of 4 or 8 bytes.
static bool holds(const char *compare, bool is_signed, unsigned bytes, uint64_t a, uint64_t b) {
  const bool less = bytes == 4 ? is_signed ? (int32_t)a < (int32_t)b : (uint32_t)a < (uint32_t)b
    : is_signed                ? (int64_t)a < (int64_t)b
                               : a < b;
  const bool equal = bytes == 4 ? (uint32_t)a == (uint32_t)b : a == b;
  if (!strcmp(compare, "ne")) return !equal;
  if (!strcmp(compare, "lt")) return less;
  if (!strcmp(compare, "le")) return less || equal;
  return !strcmp(compare, "gt") ? !less && !equal : !less;
}

enum { THREADS = 64, MOST_RUNS = 100 };

struct counting {
  const char *compare;
  bool is_signed;
  unsigned bytes;
  int step;
};

static uint32_t runs(const struct counting *c, uint64_t start, uint64_t bound) {
  uint32_t n = 0;
  do start += (uint64_t)c->step, n++;
  while (n < MOST_RUNS && holds(c->compare, c->is_signed, c->bytes, start, bound));
  return n;
}

// Each thread has a start and a bound of its own, also at the ends of the numbers. The loop sums what it loads, which says how
// often and in which order it ran.
static void loops_run_as_often(const struct counting *c, bool machine) {
  char text[4096];
  struct bench b;
  memset(&b, 0, sizeof b);
  const unsigned bits = 8 * c->bytes;
  const char *r = c->bytes == 8 ? "rd" : "r";
  snprintf(
    text, sizeof text,
    PTX_HEADER
    ".visible .entry k(.param .u64 from, .param .u64 to, .param .u64 data) {\n"
    ".reg .b32 %%r<9>;\n.reg .b64 %%rd<9>;\n.reg .pred %%p<2>;\n"
    "mov.u32 %%r1, %%tid.x;\nmul.wide.u32 %%rd4, %%r1, 8;\nmul.wide.u32 %%rd5, %%r1, 16;\n"
    "ld.param.u64 %%rd1, [from];\nadd.s64 %%rd1, %%rd1, %%rd5;\n"
    "ld.global.u%u %%%s2, [%%rd1];\nld.global.u%u %%%s3, [%%rd1+8];\n"
    "ld.param.u64 %%rd6, [data];\nmov.u32 %%r4, 0;\nmov.u32 %%r5, 0;\n"
    "L:\nld.global.u32 %%r6, [%%rd6];\nmad.lo.u32 %%r4, %%r4, 3, %%r6;\nadd.s64 %%rd6, %%rd6, 4;\nadd.s32 %%r5, %%r5, 1;\n"
    "add.s%u %%%s2, %%%s2, %d;\nsetp.%s.%c%u %%p1, %%%s2, %%%s3;\n@%%p1 bra L;\n"
    "ld.param.u64 %%rd7, [to];\nadd.s64 %%rd7, %%rd7, %%rd4;\nst.global.v2.u32 [%%rd7], {%%r4, %%r5};\nret;\n}\n",
    bits, r, bits, r, bits, r, r, c->step, c->compare, c->is_signed ? 's' : 'u', bits, r, r);
  b.module = weir_ptx_parse("test.ptx", text, strlen(text), &b.sink);
  assert_non_null(b.module);
  b.memory = weir_memory_create();
  b.program = weir_program_build(
    b.module, 32, (struct weir_code){.assembler = WEIR_ASSEMBLER_SM_90, .assembled = true, .machine = machine},
    b.memory, &b.sink);
  if (!b.program) bench_fail(&b, "program does not build");
  uint64_t pairs[THREADS][2];
  uint32_t data[MOST_RUNS], found[THREADS][2];
  for (unsigned t = 0; t < THREADS; t++) {
    const uint64_t middles[] = {0, UINT64_MAX >> (65 - bits), UINT64_C(1) << (bits - 1), 100};
    const uint64_t bound = middles[t % 4] + t / 4 - 8;
    const uint64_t away = t * 7 % 23 * (uint64_t)abs(c->step);
    pairs[t][1] = bound;
    pairs[t][0] = c->step < 0 ? bound + away : bound - away;
    if (runs(c, pairs[t][0], bound) < MOST_RUNS) continue;
    pairs[t][1] = 1000; // it would run for ever, or too long
    pairs[t][0] = 1000 - (uint64_t)c->step;
  }
  for (unsigned k = 0; k < MOST_RUNS; k++) data[k] = k * k + 1;
  uint64_t params[3] = {weir_memory_alloc(b.memory, "from", sizeof pairs),
                        weir_memory_alloc(b.memory, "to", sizeof found),
                        weir_memory_alloc(b.memory, "data", sizeof data)};
  memcpy(bench_at(&b, params[0], sizeof pairs), pairs, sizeof pairs);
  memcpy(bench_at(&b, params[2], sizeof data), data, sizeof data);
  bench_run(&b, "k", 1, THREADS, params);
  memcpy(found, bench_at(&b, params[1], sizeof found), sizeof found);
  for (unsigned t = 0; t < THREADS; t++) {
    const uint32_t n = runs(c, pairs[t][0], pairs[t][1]);
    uint32_t sum = 0;
    for (uint32_t k = 0; k < n; k++) sum = sum * 3 + data[k];
    assert_int_equal(found[t][1], n);
    assert_int_equal(found[t][0], sum);
  }
  bench_close(&b);
}

static void every_loop_runs_as_often(void **state) {
  (void)state;
  static const char *const up[] = {"ne", "lt", "le"}, *const down[] = {"ne", "gt", "ge"};
  for (unsigned k = 0; k < 3; k++)
    for (int step = 1; step <= 5; step += 2)
      for (unsigned s = 0; s < 4; s++) {
        const unsigned bytes = s / 2 ? 8 : 4;
        loops_run_as_often(&(struct counting){up[k], s % 2, bytes, step}, s % 2 == (step == 3));
        loops_run_as_often(&(struct counting){down[k], s % 2, bytes, -step}, s % 2 != (step == 3));
      }
}

// ---- silent instructions --------------------------------------------------------------------------------------------

// Bases that move between accesses, copies, and conversions run with what follows, once: before a store that others may see, which
// ends a warp's turn, in both ways of a branch, and before a table of targets, which lanes come back to.
static const char silent[] = PTX_HEADER
  ".visible .entry k(.param .u64 to, .param .u32 n) {\n"
  ".reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n.reg .pred %p<9>;\n"
  "ld.param.u64 %rd1, [to];\nld.param.u32 %r9, [n];\ncvta.to.global.u64 %rd1, %rd1;\nmov.u32 %r1, %tid.x;\n"
  "mul.wide.u32 %rd2, %r1, 64;\nadd.s64 %rd3, %rd1, %rd2;\nmov.u32 %r2, %r1;\nadd.u32 %r3, %r2, 7;\n"
  "st.global.u32 [%rd3], %r3;\nadd.s64 %rd3, %rd3, 4;\nst.global.u32 [%rd3], %r2;\nadd.s64 %rd3, %rd3, 4;\n"
  "ld.global.u32 %r4, [%rd3+-8];\nadd.s64 %rd3, %rd3, 4;\nst.global.u32 [%rd3], %r4;\n"
  "and.b32 %r5, %r1, 3;\nts: .branchtargets A, B, C, D;\nmov.u32 %r6, %r5;\nadd.s64 %rd3, %rd3, 4;\n"
  "brx.idx %r6, ts;\nA: mov.u32 %r7, %r9;\nst.global.u32 [%rd3], %r7;\nbra E;\n"
  "B: add.u32 %r7, %r9, 1;\nst.global.u32 [%rd3], %r7;\nbra E;\nC: mov.u32 %r7, 5;\nst.global.u32 [%rd3], %r7;\nbra E;\n"
  "D: mov.u32 %r7, %r1;\nst.global.u32 [%rd3], %r7;\nE:\nadd.s64 %rd3, %rd3, 4;\nst.global.u32 [%rd3], %r6;\nret;\n}\n";

static void they_run_once(void **state) {
  (void)state;
  uint32_t count[2];
  for (unsigned machine = 0; machine < 2; machine++) {
    struct bench b;
    memset(&b, 0, sizeof b);
    b.module = weir_ptx_parse("test.ptx", silent, strlen(silent), &b.sink);
    if (!b.module) bench_fail(&b, "PTX does not parse");
    b.memory = weir_memory_create();
    b.program = weir_program_build(
      b.module, 32, (struct weir_code){.assembler = WEIR_ASSEMBLER_SM_70, .assembled = true, .machine = machine},
      b.memory, &b.sink);
    if (!b.program) bench_fail(&b, "program does not build");
    uint32_t words[THREADS][16];
    weir_program_statics(b.program, &count[machine]);
    struct {
      uint64_t to;
      uint32_t n;
    } params = {weir_memory_alloc(b.memory, "to", sizeof words), 1000};
    bench_run(&b, "k", 1, THREADS, &params);
    memcpy(words, bench_at(&b, params.to, sizeof words), sizeof words);
    for (uint32_t t = 0; t < THREADS; t++) {
      const uint32_t way[] = {1000, 1001, 5, t};
      assert_int_equal(words[t][0], t + 7);
      assert_int_equal(words[t][1], t);
      assert_int_equal(words[t][3], t + 7);
      assert_int_equal(words[t][4], way[t % 4]);
      assert_int_equal(words[t][5], t % 4);
    }
    bench_close(&b);
  }
  assert_in_range(count[1], 10, count[0] - 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(loads_go_first),
    cmocka_unit_test(none_waits_for_another),
    cmocka_unit_test(a_store_holds_what_it_may_write),
    cmocka_unit_test(nothing_passes_a_barrier),
    cmocka_unit_test(products_are_waited_for),
    cmocka_unit_test(a_loop_is_copied),
    cmocka_unit_test(a_loop_stays),
    cmocka_unit_test(every_loop_runs_as_often),
    cmocka_unit_test(they_run_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
