// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Short branches as guards (exec/assemble/guard.c): which, as ptxas 13 makes them, and that threads compute what they did.
#include "harness.h"

#include "base/rng.h"
#include "exec/assemble/assemble.h"
#include "exec/program.h"

static const char kernel[] = PTX_HEADER
  ".visible .entry k(.param .u64 a, .param .u64 b) {\n"
  ".reg .b32 %%r<99>;\n.reg .b64 %%rd<99>;\n.reg .f32 %%f<99>;\n.reg .pred %%p<9>;\n.shared .align 4 .b8 near[64];\n"
  "ld.param.u64 %%rd1, [a];\nld.param.u64 %%rd2, [b];\nld.global.u32 %%r1, [%%rd1+64];\n"
  "ld.global.f32 %%f1, [%%rd1+68];\nld.global.f32 %%f2, [%%rd1+72];\nsetp.ne.s32 %%p1, %%r1, 7;\n"
  "%s\nst.global.f32 [%%rd2], %%f1;\nst.global.f32 [%%rd2+4], %%f2;\nret;\n}\n";

struct found {
  unsigned branches, guarded, fresh;
};

static struct found found_in(const char *body) {
  char text[8192];
  struct weir_sink sink = {0};
  struct found n = {0};
  snprintf(text, sizeof text, kernel, body);
  struct weir_module *m = weir_ptx_parse("test.ptx", text, strlen(text), &sink);
  if (!m) fail_msg("%s", text);
  struct weir_module *assembled =
    weir_assemble(m, (struct weir_code){.assembler = WEIR_ASSEMBLER_SM_70, .assembled = true});
  const struct weir_function *f = assembled->functions[0];
  for (uint32_t s = 0; s < f->statement_count; s++) {
    if (f->statements[s].kind != WEIR_STMT_INSTRUCTION) continue;
    const struct weir_instruction *in = f->statements[s].instruction;
    n.branches += in->opcode == WEIR_OP_BRA;
    n.guarded += in->opcode != WEIR_OP_BRA && in->guard;
    n.fresh += in->fresh;
  }
  weir_module_free(assembled);
  weir_module_free(m);
  weir_sink_free(&sink);
  return n;
}

static void repeat(char *to, const char *line, unsigned times) {
  while (times--) to += sprintf(to, "%s\n", line);
  *to = 0;
}

static void expect(const char *body, unsigned branches, unsigned guarded) {
  const struct found n = found_in(body);
  assert_int_equal(n.branches, branches);
  assert_int_equal(n.guarded, guarded);
}

// Up to how many instructions ptxas was asked (scripts/machine-code.py branches).
static unsigned asked(const char *name) {
  char line[200], row[100];
  unsigned most = 0;
  FILE *f = fopen(WEIR_SOURCE_DIR "/tests/300-exec/machine/branches.csv", "r");
  assert_non_null(f);
  while (fgets(line, sizeof line, f))
    if (sscanf(line, "13.0,sm_80,%99[^,],%u", row, &most) == 2 && !strcmp(row, name)) break;
  fclose(f);
  assert_string_equal(row, name);
  return most;
}

// Eight multiply-adds, and no ninth.
static void eight_instructions(void **state) {
  (void)state;
  char body[2048], lines[1024];
  const unsigned most = asked("multiply-add");
  for (unsigned n = 1; n <= 10; n++) {
    repeat(lines, "fma.rn.f32 %f1, %f1, %f1, %f2;", n);
    snprintf(body, sizeof body, "@%%p1 bra L;\n%sL:", lines);
    expect(body, n > most, n > most ? 0 : n);
  }
}

// Six and seven where there are two.
static void six_and_seven(void **state) {
  (void)state;
  char body[4096], first[1024], second[1024];
  const unsigned before = asked("multiply-add before two others"), behind = asked("multiply-add behind two others");
  for (unsigned n = 5; n <= 7; n++)
    for (unsigned k = 6; k <= 8; k++) {
      repeat(first, "fma.rn.f32 %f1, %f1, %f1, %f2;", n);
      repeat(second, "fma.rn.f32 %f1, %f2, %f1, %f1;", k);
      snprintf(body, sizeof body, "@%%p1 bra L;\n%sbra.uni M;\nL:\n%sM:", first, second);
      const bool is_short = n <= before && k <= behind;
      expect(body, is_short ? 0 : 2, is_short ? n + k : 0);
    }
}

// Outside of a loop a body that would wait for what it loads keeps its branch, but for a store to shared memory; inside it does not.
static void what_waits(void **state) {
  (void)state;
  expect("@%p1 bra L;\nld.global.f32 %f3, [%rd2+64];\nadd.f32 %f1, %f1, %f3;\nL:", 1, 0);
  expect("@%p1 bra L;\nld.global.f32 %f3, [%rd2+64];\nst.shared.f32 [near], %f3;\nL:", 0, 2);
  expect(
    "B:\n@%p1 bra L;\nld.global.f32 %f3, [%rd2+64];\nadd.f32 %f1, %f1, %f3;\nL:\nld.volatile.global.u32 %r2, [%rd1];\n"
    "setp.ne.s32 %p2, %r2, 0;\n@%p2 bra B;",
    1, 2);
}

// What lanes do together, or in order with other threads, keeps its branch, and so does a body that changes its own predicate.
static void what_stays(void **state) {
  (void)state;
  expect("@%p1 bra L;\nbar.sync 0;\nL:", 1, 0);
  expect("@%p1 bra L;\natom.global.add.u32 %r3, [%rd2], 1;\nL:", 1, 0);
  expect("@%p1 bra L;\nshfl.sync.idx.b32 %r3, %r1, 0, 31, -1;\nst.global.u32 [%rd2+8], %r3;\nL:", 1, 0);
  expect("@%p1 bra L;\nst.volatile.global.u32 [%rd2+8], %r1;\nL:", 1, 0);
  expect("@%p1 bra L;\nsetp.ne.s32 %p1, %r1, 9;\nadd.f32 %f1, %f1, %f2;\nL:\nselp.f32 %f2, %f1, %f2, %p1;", 1, 0);
  expect("@%p1 bra L;\nK:\nadd.f32 %f1, %f1, %f2;\nL:\nsetp.ne.s32 %p2, %r1, 9;\n@%p2 bra K;", 2,
         0); // it has another way in
}

// A branch around a jump is the opposite branch; what a body computes for itself needs no guard.
static void others(void **state) {
  (void)state;
  expect("B:\nld.volatile.global.u32 %r2, [%rd1];\nsetp.eq.s32 %p2, %r2, 0;\n@%p2 bra L;\nbra.uni B;\nL:", 1, 0);
  expect("@%p1 bra L;\nadd.s32 %r5, %r1, 4;\nadd.s32 %r6, %r5, %r1;\nst.global.u32 [%rd2+8], %r6;\nL:", 0, 1);
  expect("@%p1 bra L;\nadd.s32 %r5, %r1, 4;\nst.global.u32 [%rd2+8], %r5;\nL:\nst.global.u32 [%rd2+12], %r5;", 0, 2);
}

// What a register held is lost where both bodies write it, the second before it reads it; not where one does.
static void what_both_write(void **state) {
  (void)state;
  static const char behind[] = "M:\nst.global.u32 [%rd2+12], %r5;";
  static const struct {
    const char *first, *second;
    unsigned fresh;
  } bodies[] = {
    {"add.s32 %r5, %r1, 4;", "add.s32 %r5, %r1, 9;", 1},
    {"add.s32 %r5, %r5, 4;", "add.s32 %r5, %r1, 9;", 1},
    {"add.s32 %r5, %r1, 4;", "add.s32 %r5, %r5, 9;", 0},
    {"add.s32 %r5, %r1, 4;", "st.global.u32 [%rd2+16], %r1;", 0},
  };
  for (unsigned k = 0; k < sizeof bodies / sizeof *bodies; k++) {
    char body[1024];
    snprintf(body, sizeof body, "@%%p1 bra L;\n%s\nbra.uni M;\nL:\n%s\n%s", bodies[k].first, bodies[k].second, behind);
    assert_int_equal(found_in(body).fresh, bodies[k].fresh);
  }
}

// ---- what threads compute -------------------------------------------------------------------------------------------

// Random code with branches around few and many instructions, within each other or not, and the same in C. Registers %r0 to %r7
// are summed in the end; a thread has eight words of memory of its own.
enum { REGISTERS = 8, WORDS = 8, THREADS = 64, MOST_LINES = 400, PROGRAMS = 60 };

struct line {
  enum { SUM, PRODUCT, LOAD, STORE, IF, ELSE, END } kind;
  unsigned to, a, b;
  bool odd; // IF: taken where %r[a] is odd
  unsigned label;
};

struct random_program {
  struct weir_rng rng;
  struct line lines[MOST_LINES];
  unsigned count, labels;
};

static unsigned pick(struct random_program *p, unsigned of) {
  return (unsigned)weir_rng_below(&p->rng, of);
}

static struct line *add(struct random_program *p, unsigned kind) {
  struct line *l = &p->lines[p->count++];
  *l = (struct line){
    .kind = kind, .to = pick(p, REGISTERS), .a = pick(p, REGISTERS), .b = pick(p, REGISTERS), .odd = pick(p, 2)};
  return l;
}

static void add_lines(struct random_program *p, unsigned depth) {
  const unsigned n = 1 + pick(p, 7);
  for (unsigned k = 0; k < n && p->count < MOST_LINES - 40; k++) {
    if (!depth || pick(p, 3)) {
      add(p, pick(p, 4));
      continue;
    }
    const unsigned label = p->labels++;
    add(p, IF)->label = label;
    add_lines(p, depth - 1);
    if (pick(p, 2)) {
      add(p, ELSE)->label = label;
      add_lines(p, depth - 1);
    }
    add(p, END)->label = label;
  }
}

static bool has_else(const struct random_program *p, unsigned label) {
  for (unsigned k = 0; k < p->count; k++)
    if (p->lines[k].kind == ELSE && p->lines[k].label == label) return true;
  return false;
}

static char *print(const struct random_program *p, char *to) {
  to += sprintf(to,
                PTX_HEADER ".visible .entry k(.param .u64 a, .param .u64 b) {\n"
                           ".reg .b32 %%r<20>;\n.reg .b64 %%rd<9>;\n.reg .pred %%p<400>;\n"
                           "ld.param.u64 %%rd1, [a];\nmov.u32 %%r10, %%tid.x;\nmul.wide.u32 %%rd2, %%r10, 32;\n"
                           "add.s64 %%rd1, %%rd1, %%rd2;\n");
  for (unsigned k = 0; k < REGISTERS; k++) to += sprintf(to, "ld.global.u32 %%r%u, [%%rd1+%u];\n", k, 4 * k);
  for (unsigned k = 0; k < p->count; k++) {
    const struct line *l = &p->lines[k];
    switch (l->kind) {
    case SUM: to += sprintf(to, "add.s32 %%r%u, %%r%u, %%r%u;\n", l->to, l->a, l->b); break;
    case PRODUCT: to += sprintf(to, "mad.lo.s32 %%r%u, %%r%u, %%r%u, 5;\n", l->to, l->a, l->b); break;
    case LOAD: to += sprintf(to, "ld.global.u32 %%r%u, [%%rd1+%u];\n", l->to, 4 * l->a); break;
    case STORE: to += sprintf(to, "st.global.u32 [%%rd1+%u], %%r%u;\n", 4 * l->a, l->b); break;
    case IF:
      to += sprintf(to, "and.b32 %%r11, %%r%u, 1;\nsetp.%s.s32 %%p%u, %%r11, 1;\n@%%p%u bra %s%u;\n", l->a,
                    l->odd ? "ne" : "eq", l->label, l->label, has_else(p, l->label) ? "E" : "D", l->label);
      break;
    case ELSE: to += sprintf(to, "bra.uni D%u;\nE%u:\n", l->label, l->label); break;
    case END: to += sprintf(to, "D%u:\n", l->label); break;
    }
  }
  to += sprintf(to, "ld.param.u64 %%rd3, [b];\nadd.s64 %%rd3, %%rd3, %%rd2;\n");
  for (unsigned k = 0; k < REGISTERS; k++) to += sprintf(to, "st.global.u32 [%%rd3+%u], %%r%u;\n", 4 * k, k);
  return to + sprintf(to, "ret;\n}\n");
}

// r: registers; m: memory.
static void run_in_c(const struct random_program *p, uint32_t *r, uint32_t *m) {
  unsigned off = 0; // branches deep in what is not run
  bool ran[400] = {false};
  for (unsigned k = 0; k < p->count; k++) {
    const struct line *l = &p->lines[k];
    if (l->kind == IF) {
      ran[l->label] = !off && (r[l->a] & 1) == l->odd;
      if (off || !ran[l->label]) off++;
    } else if (l->kind == ELSE && off <= 1) {
      off = ran[l->label];
    } else if (l->kind == END) {
      off -= off > 0;
    } else if (!off) {
      if (l->kind == SUM) r[l->to] = r[l->a] + r[l->b];
      if (l->kind == PRODUCT) r[l->to] = r[l->a] * r[l->b] + 5;
      if (l->kind == LOAD) r[l->to] = m[l->a];
      if (l->kind == STORE) m[l->a] = r[l->b];
    }
  }
}

static void check(const struct random_program *p, bool machine) {
  static char text[65536];
  struct bench b;
  memset(&b, 0, sizeof b);
  print(p, text);
  b.module = weir_ptx_parse("test.ptx", text, strlen(text), &b.sink);
  if (!b.module) bench_fail(&b, text);
  b.memory = weir_memory_create();
  b.program = weir_program_build(
    b.module, 32, (struct weir_code){.assembler = WEIR_ASSEMBLER_SM_90, .assembled = true, .machine = machine},
    b.memory, &b.sink);
  if (!b.program) bench_fail(&b, text);
  uint32_t memory[THREADS][WORDS], expected[THREADS][WORDS], found[THREADS][REGISTERS], registers[THREADS][REGISTERS];
  struct weir_rng rng = p->rng;
  for (unsigned t = 0; t < THREADS; t++)
    for (unsigned k = 0; k < WORDS; k++)
      memory[t][k] = registers[t][k] = expected[t][k] = (uint32_t)weir_rng_below(&rng, 1000);
  uint64_t params[2] = {weir_memory_alloc(b.memory, "a", sizeof memory),
                        weir_memory_alloc(b.memory, "b", sizeof found)};
  memcpy(bench_at(&b, params[0], sizeof memory), memory, sizeof memory);
  bench_run(&b, "k", 1, THREADS, params);
  memcpy(found, bench_at(&b, params[1], sizeof found), sizeof found);
  memcpy(memory, bench_at(&b, params[0], sizeof memory), sizeof memory);
  for (unsigned t = 0; t < THREADS; t++) {
    run_in_c(p, registers[t], expected[t]);
    if (memcmp(found[t], registers[t], sizeof found[t]) || memcmp(memory[t], expected[t], sizeof memory[t]))
      fail_msg("thread %u of\n%s", t, text);
  }
  bench_close(&b);
}

static void threads_compute_what_they_did(void **state) {
  (void)state;
  static struct random_program p;
  for (unsigned k = 0; k < PROGRAMS; k++) {
    memset(&p, 0, sizeof p);
    p.rng = weir_rng_seed(k, 1);
    for (unsigned n = 0; n < 4; n++) add_lines(&p, 3);
    check(&p, k % 2);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(eight_instructions),
    cmocka_unit_test(six_and_seven),
    cmocka_unit_test(what_waits),
    cmocka_unit_test(what_stays),
    cmocka_unit_test(others),
    cmocka_unit_test(what_both_write),
    cmocka_unit_test(threads_compute_what_they_did),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
