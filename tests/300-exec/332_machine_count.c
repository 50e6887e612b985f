// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// How many machine instructions exec/estimate says that PTX becomes, beside what ptxas makes of it (machine/*.csv).
#include "machine_rows.h"

#include <math.h>
#include <stdlib.h>

static unsigned machine_of(const struct weir_instruction *in) {
  assert_true(in->machine > 0);
  return in->machine - 1u;
}

static unsigned count_of(const struct weir_function *f) {
  unsigned n = 0;
  for (uint32_t s = 0; s < f->statement_count; s++)
    if (f->statements[s].kind == WEIR_STMT_INSTRUCTION) n += machine_of(f->statements[s].instruction);
  return n;
}

static unsigned instructions_of(const struct weir_function *f) {
  unsigned n = 0;
  for (uint32_t s = 0; s < f->statement_count; s++) n += f->statements[s].kind == WEIR_STMT_INSTRUCTION;
  return n;
}

static struct weir_module *assembled(const struct weir_module *m, enum weir_assembler assembler) {
  return weir_assemble(m, (struct weir_code){.assembler = assembler, .assembled = true, .machine = true});
}

// ---- by hand --------------------------------------------------------------------------------------------------------

// Each instruction of `body` that becomes some, and how many, or the divisions alone; the kernel's first one has one more, which sets R1.
static void expect_of(const char *body, bool divisions, const char *expected) {
  static const char kernel[] =
    PTX_HEADER ".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n) {\n"
               ".reg .b32 %%r<99>;\n.reg .b64 %%rd<99>;\n.reg .f32 %%f<99>;\n.reg .pred %%p<9>;\n"
               "mov.u32 %%r90, %%tid.x;\nmov.u32 %%r91, %%tid.y;\n%s\nret;\n}\n";
  char text[4096], found[256] = "";
  struct weir_sink sink = {0};
  snprintf(text, sizeof text, kernel, body);
  struct weir_module *m = weir_ptx_parse("test.ptx", text, strlen(text), &sink);
  assert_non_null(m);
  struct weir_module *a = assembled(m, WEIR_ASSEMBLER_SM_70);
  const struct weir_function *f = a->functions[0];
  for (uint32_t s = 0; s < f->statement_count; s++) {
    const struct weir_statement *t = &f->statements[s];
    if (t->kind != WEIR_STMT_INSTRUCTION || t->line < 10 || t->instruction->opcode == WEIR_OP_RET ||
        weir_is_silent(t->instruction))
      continue;
    if (divisions && t->instruction->opcode != WEIR_OP_DIV && t->instruction->opcode != WEIR_OP_REM) continue;
    sprintf(found + strlen(found), "%s%u ", weir_opcode_name(t->instruction->opcode), machine_of(t->instruction));
  }
  assert_string_equal(found, expected);
  weir_module_free(a);
  weir_module_free(m);
  weir_sink_free(&sink);
}

static void expect(const char *body, const char *expected) {
  expect_of(body, false, expected);
}

// A parameter is an operand, a conversion of an address none at all, and a widening multiplication by an immediate is one instruction with the
// addition behind it: IMAD.WIDE R2, R0, 0x4, c[0x0][0x160].
static void what_others_swallow(void **state) {
  (void)state;
  expect(
    "ld.param.u64 %rd1, [a];\ncvta.to.global.u64 %rd2, %rd1;\nmul.wide.u32 %rd3, %r90, 4;\nadd.s64 %rd4, %rd2, %rd3;\n"
    "ld.global.f32 %f1, [%rd4];\nst.global.f32 [%rd4+8], %f1;",
    "add2 ld1 st1 "); // and MOV R5, 0x4, as no operand is an immediate beside one from the constant bank
}

// Sums of 64 bits are two; of which nothing reads the high half, one.
static void wide_sums(void **state) {
  (void)state;
  expect(
    "ld.param.u64 %rd1, [a];\nld.global.u64 %rd2, [%rd1];\nld.global.u64 %rd3, [%rd1+8];\nadd.s64 %rd4, %rd2, %rd3;\n"
    "st.global.u64 [%rd1], %rd4;",
    "ld2 ld1 add2 st1 ");
  expect(
    "ld.param.u64 %rd1, [a];\nld.global.u64 %rd2, [%rd1];\nld.global.u64 %rd3, [%rd1+8];\nadd.s64 %rd4, %rd2, %rd3;\n"
    "cvt.u32.u64 %r1, %rd4;\nst.global.u32 [%rd1], %r1;",
    "ld2 ld1 add1 st1 ");
}

// A base that moves is an offset of the accesses before it is needed as such.
static void a_moving_base(void **state) {
  (void)state;
  expect("ld.param.u64 %rd1, [a];\nadd.s64 %rd2, %rd1, 64;\nld.global.f32 %f1, [%rd2];\nld.global.f32 %f2, [%rd2+4];\n"
         "add.f32 %f3, %f1, %f2;\nst.global.f32 [%rd2], %f3;",
         "ld2 ld1 add1 st1 ");
}

// Two sums are an IADD3, two operations on bits a LOP3; a third needs another one, and so does what is used twice.
static void three_operands(void **state) {
  (void)state;
  expect("ld.param.u64 %rd1, [a];\nand.b32 %r1, %r90, 31;\nor.b32 %r2, %r1, %r91;\nst.global.u32 [%rd1], %r2;",
         "mov1 or1 st1 ");
  expect("ld.param.u64 %rd1, [a];\nadd.s32 %r1, %r90, %r91;\nadd.s32 %r2, %r1, 9;\nst.global.u32 [%rd1], %r2;",
         "mov1 add1 st1 ");
  expect("ld.param.u64 %rd1, [a];\nld.global.u32 %r3, [%rd1];\nxor.b32 %r1, %r90, %r91;\nxor.b32 %r2, %r1, %r3;\n"
         "xor.b32 %r4, %r2, 77;\nst.global.u32 [%rd1], %r4;",
         "ld2 mov1 xor1 xor1 st1 ");
  expect("ld.param.u64 %rd1, [a];\nadd.s32 %r1, %r90, %r91;\nadd.s32 %r2, %r1, %r90;\nadd.s32 %r3, %r1, %r91;\n"
         "st.global.u32 [%rd1], %r2;\nst.global.u32 [%rd1+4], %r3;",
         "mov1 add1 add1 add1 st1 st1 ");
}

// What ptxas computes of numbers is an immediate: LOP3.LUT R5, R0, 0x9, RZ, 0x3c.
static void numbers(void **state) {
  (void)state;
  expect(
    "ld.param.u64 %rd1, [a];\nld.global.u32 %r5, [%rd1];\nmov.u32 %r1, 4;\nshl.b32 %r2, %r1, 1;\nadd.s32 %r3, %r2, 1;\n"
    "xor.b32 %r4, %r5, %r3;\nst.global.u32 [%rd1], %r4;",
    "ld2 xor1 st1 ");
}

// A variable of shared memory is an offset of the accesses: LDS R2, [R0+0x10].
static void a_shared_variable(void **state) {
  (void)state;
  expect(".shared .align 4 .b8 near[256];\nld.param.u64 %rd1, [a];\nmov.u64 %rd2, near;\ncvt.u64.u32 %rd3, %r90;\n"
         "add.s64 %rd4, %rd2, %rd3;\nld.shared.u8 %r1, [%rd4+16];\nst.global.u32 [%rd1], %r1;",
         "ld1 st1 ");
}

// Divisions of 32 bits, as ptxas 13.0 has them for sm_75 to sm_90: what it makes of a divisor is there for the next division by the same, be it a register or a literal. A literal that it computes
// of others is one, too.
static void divisions(void **state) {
  (void)state;
  static const struct {
    const char *operation, *of;
    unsigned one, again;
  } rows[] = {
    {"div.u32", "%r91", 18, 10}, {"rem.u32", "%r91", 17, 9}, {"div.s32", "%r91", 25, 13}, {"rem.s32", "%r91", 22, 12},
    {"div.u32", "10", 14, 7},    {"rem.u32", "10", 13, 6},   {"div.s32", "10", 18, 11},   {"rem.s32", "10", 16, 9},
    {"div.u32", "%r95", 14, 7},  {"rem.s32", "%r95", 16, 9},
  };
  for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
    char body[600], expected[100];
    snprintf(
      body, sizeof body,
      "ld.param.u64 %%rd1, [a];\nmov.f32 %%f1, 0f41200000;\ncvt.rzi.s32.f32 %%r95, %%f1;\nld.global.u32 %%r5, [%%rd1];\n"
      "%s %%r1, %%r90, %s;\n%s %%r2, %%r5, %s;\nst.global.u32 [%%rd1], %%r1;\nst.global.u32 [%%rd1+4], %%r2;",
      rows[k].operation, rows[k].of, rows[k].operation, rows[k].of);
    snprintf(expected, sizeof expected, "%.3s%u %.3s%u ", rows[k].operation, rows[k].one, rows[k].operation,
             rows[k].again);
    expect_of(body, true, expected);
  }
}

// ---- operations -----------------------------------------------------------------------------------------------------

// Sequences with a rare way out are longer in the code than as they run, and subroutines are not in it. Whether a value is where the next
// operation wants it is one more or less.
enum { LONGEST_IN_LINE = 8 };

static const char *register_of(const char *kind) {
  if (!strcmp(kind, "pred")) return "%p";
  if (strstr(kind, "16")) return "%h";
  if (strstr(kind, "64")) return *kind == 'f' ? "%d" : "%rd";
  return *kind == 'f' ? "%f" : "%r";
}

// Of a kernel with so many of it.
static unsigned machine_of_operations(const char *operation, const char *result, const char *kinds, unsigned times) {
  char text[4096], operands[60], *to = text, name[5][12] = {"", "", "", "", ""}, *rest;
  static const char *const loads[][2] = {{"%r", "u32"}, {"%f", "f32"}, {"%rd", "u64"}, {"%d", "f64"}, {"%h", "u16"}};
  unsigned n = 1;
  to += sprintf(
    to,
    ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a) {\n"
    ".reg .b32 %%r<9>; .reg .f32 %%f<9>; .reg .b64 %%rd<9>; .reg .f64 %%d<9>; .reg .b16 %%h<9>; .reg .pred %%p<9>;\n"
    "ld.param.u64 %%rd8, [a];\n");
  strcpy(operands, kinds);
  sprintf(name[0], "%s0", register_of(result));
  for (char *kind = strtok_r(operands, " ", &rest); kind; kind = strtok_r(NULL, " ", &rest), n++) {
    sprintf(name[n], "%s%u", register_of(kind), n);
    for (unsigned k = 0; k < 5; k++)
      if (!strcmp(loads[k][0], register_of(kind)))
        to += sprintf(to, "ld.volatile.global.%s %s, [%%rd8+%u];\n", loads[k][1], name[n], 8 * n);
  }
  for (unsigned i = 0; i < times; i++) {
    for (const char *c = operation; *c; c++) {
      if (*c == '$')
        to += sprintf(to, "%s", name[*++c - '0']);
      else
        *to++ = *c;
    }
    if (!strcmp(result, "pred"))
      to += sprintf(to, "selp.u32 %%r0, 1, 0, %s;\nst.volatile.global.u32 [%%rd8], %%r0;\n", name[0]);
    for (unsigned k = 0; k < 5; k++)
      if (!strcmp(loads[k][0], register_of(result)))
        to += sprintf(to, "\nst.volatile.global.%s [%%rd8], %s;\n", loads[k][1], name[0]);
  }
  sprintf(to, "ret;\n}\n");
  struct weir_sink sink = {0};
  struct weir_module *m = weir_ptx_parse("test.ptx", text, strlen(text), &sink);
  if (!m) fail_msg("%s", text);
  struct weir_module *a = assembled(m, WEIR_ASSEMBLER_SM_70);
  // All but the entry, the loads, the stores, what makes numbers of predicates, and the return.
  const unsigned count = count_of(a->functions[0]) - 1 - (n - 1) - times * (1 + (unsigned)!strcmp(result, "pred")) - 1;
  weir_module_free(a);
  weir_module_free(m);
  weir_sink_free(&sink);
  return count;
}

// The rows are of what more of an operation adds, where all divide by one literal.
static unsigned machine_of_operation(const char *operation, const char *result, const char *kinds) {
  const bool by_literal = (!strncmp(operation, "div", 3) || !strncmp(operation, "rem", 3)) && !strstr(operation, "$2");
  const unsigned one = machine_of_operations(operation, result, kinds, 1);
  return by_literal ? machine_of_operations(operation, result, kinds, 2) - one : one;
}

static void operations(void **state) {
  (void)state;
  char line[300], operation[100], result[20], operands[60];
  unsigned rows = 0, others = 0;
  FILE *f = fopen(WEIR_SOURCE_DIR "/tests/300-exec/machine/operations.csv", "r");
  assert_non_null(f);
  while (fgets(line, sizeof line, f)) {
    double counted;
    if (*line == '#') continue;
    *operands = 0;
    const int read = sscanf(line, "%99[^|]|%19[^|]|%59[^|]|%lf", operation, result, operands, &counted);
    if (read < 4) continue; // it has no operands
    const unsigned here = machine_of_operation(operation, result, operands);
    const bool in_line = counted <= LONGEST_IN_LINE;
    rows++;
    if (!strncmp(operation, "div.u64", 7) || !strncmp(operation, "rem.u64", 7) || !strncmp(operation, "div.s64", 7) ||
        !strncmp(operation, "rem.s64", 7))
      continue;
    if (in_line ? fabs(here - counted) <= 1 : here <= counted && here >= counted * 0.4) continue;
    print_message("%s: %u, and ptxas makes %g\n", operation, here, counted);
    others++;
  }
  fclose(f);
  assert_true(rows >= 180);
  assert_int_equal(others, 0);
}

// ---- kernels --------------------------------------------------------------------------------------------------------

static void hold(const char *file, enum weir_assembler assembler, double median, double as_ptx) {
  double here[128], ptx[128];
  unsigned n = 0, machine;
  struct machine_rows r =
    machine_rows(file, (struct weir_code){.assembler = assembler, .assembled = true, .machine = true});
  while (machine_next(&r)) {
    assert_int_equal(sscanf(r.numbers, "%u", &machine), 1);
    here[n] = fabs(log((double)count_of(r.assembled) / machine));
    ptx[n++] = fabs(log((double)instructions_of(r.assembled) / machine));
  }
  assert_true(n >= 90);
  qsort(here, n, sizeof *here, ascending);
  qsort(ptx, n, sizeof *ptx, ascending);
  print_message("%s: %u kernels, median |ln| %.3f, of PTX instructions %.3f\n", file, n, here[n / 2], ptx[n / 2]);
  assert_true(here[n / 2] <= median + 0.0005);
  assert_true(fabs(ptx[n / 2] - as_ptx) <= 0.0005);
}

// What docs/VALIDATION.md says: a change that is worse must say so there.
static void as_the_machine_code(void **state) {
  (void)state;
  hold("machine/sm_75.csv", WEIR_ASSEMBLER_SM_75, 0.088, 0.147);
  hold("machine/sm_80.csv", WEIR_ASSEMBLER_SM_70, 0.092, 0.116);
  hold("machine/sm_90.csv", WEIR_ASSEMBLER_SM_90, 0.105, 0.118);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_others_swallow), cmocka_unit_test(wide_sums),         cmocka_unit_test(a_moving_base),
    cmocka_unit_test(three_operands),      cmocka_unit_test(a_shared_variable), cmocka_unit_test(numbers),
    cmocka_unit_test(divisions),           cmocka_unit_test(operations),        cmocka_unit_test(as_the_machine_code),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
