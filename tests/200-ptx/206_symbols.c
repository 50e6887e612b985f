// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Names: registers numbered through a function, scopes that hide, labels bound ahead, initialisers flattened.
#include "ptx_test.h"

static uint64_t f64_bits(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static void test_registers(void **state) {
  (void)state;
  // %p<9> %h<9> %r<9> %rd<9> %f<9> %fd<9> of the kernel are 0..53; then b 54, %r1<5> 55..59, t 60, inner %r<2> 61, 62
  struct weir_module *m = parse_kernel(".reg .b32 b, %r1<5>; mov.u32 %r8, b; mov.u32 %r14, 1; mov.u32 %r1, 1;"
                                       "{ .reg .b32 t, %r<2>; mov.u32 %r1, t; mov.u32 %r5, t; } mov.u32 %r1, b;");
  const struct weir_function *f = m->functions[0];
  assert_int_equal(f->register_count, 63);
  assert_int_equal(weir_operand_register(&instruction(m, 0)->operands[0]), 18 + 8);
  assert_int_equal(weir_operand_register(&instruction(m, 0)->operands[1]), 54);
  assert_int_equal(weir_operand_register(&instruction(m, 1)->operands[0]), 55 + 4); // %r<9> has no 14: %r1<5>'s 4
  assert_int_equal(weir_operand_register(&instruction(m, 2)->operands[0]), 18 + 1);
  assert_int_equal(weir_operand_register(&instruction(m, 3)->operands[0]), 61 + 1); // hidden by the inner %r
  assert_int_equal(weir_operand_register(&instruction(m, 5)->operands[0]), 18 + 1);
  assert_string_equal(f->registers[59]->name, "%r1");
  assert_int_equal(f->registers[9]->type, WEIR_T_B16);
  weir_module_free(m);
}
// An inner declaration hides only what it declares.
static void test_hiding(void **state) {
  (void)state;
  struct weir_module *m = parse_kernel("{ .reg .b32 %r3; mov.u32 %r3, %r4; { .reg .b32 %r<4>; mov.u32 %r3, %r4; } }"
                                       "mov.u32 %r3, 1;");
  assert_int_equal(weir_operand_register(&instruction(m, 0)->operands[0]), 54);     // the block's own
  assert_int_equal(weir_operand_register(&instruction(m, 0)->operands[1]), 18 + 4); // the function's
  assert_int_equal(weir_operand_register(&instruction(m, 1)->operands[0]), 55 + 3); // the inner block's
  assert_int_equal(weir_operand_register(&instruction(m, 1)->operands[1]), 18 + 4); // beyond the inner four
  assert_int_equal(weir_operand_register(&instruction(m, 2)->operands[0]), 18 + 3);
  weir_module_free(m);
}

static const struct weir_symbol *target(const struct weir_module *m, uint32_t n) {
  return instruction(m, n)->operands[0].symbol;
}

static void test_labels(void **state) {
  (void)state;
  struct weir_module *m = parse_kernel("bra L; { bra L; L: mov.u32 %r1, 1; { bra L; } } L: mov.u32 %r2, 2;");
  struct weir_cfg cfg;
  weir_cfg_build(&cfg, m->functions[0]);
  assert_int_equal(weir_cfg_label(&cfg, target(m, 0)), 4); // the outer L
  assert_int_equal(weir_cfg_label(&cfg, target(m, 1)), 2); // the block's L, though it comes later
  assert_int_equal(weir_cfg_label(&cfg, target(m, 3)), 2);
  weir_cfg_free(&cfg);
  weir_module_free(m);
}

static void test_initialisers(void **state) {
  (void)state;
  struct weir_module *m = parse_ok(HEAD ".global .u32 g;\n"
                                        ".global .s32 a[2][3] = {{1, 2}, {-3}};\n"
                                        ".global .f32 f[] = {0f3F800000, 2.5, -4};\n"
                                        ".global .u64 p[3] = {generic(g) + 4, g-8, 7};\n"
                                        ".global .u8 b[2] = {0xff00(g), 3};\n"
                                        ".global .s64 e[4] = {1 + 2 * 3, (7 - 10) / 2, -8 >> 1, 1 ? ~0xF : 2};\n"
                                        ".global .align 16 .v2 .u16 v[2] = {{1}, {2, 3}};\n");
  const struct weir_symbol *a = weir_module_find(m, "a");
  assert_int_equal(a->bytes, 24);
  assert_int_equal(a->initial_count, 4); // what follows is zero
  assert_int_equal(a->initial[1].bits, 2);
  assert_int_equal(a->initial[2].bits, 0);
  assert_true(a->initial[3].bits == (uint64_t)-3);
  const struct weir_symbol *f = weir_module_find(m, "f");
  assert_int_equal(f->bytes, 12);
  assert_int_equal(f->initial[0].bits, 0x3F800000);
  assert_false(f->initial[0].is_float); // a pattern of the element's own type
  assert_true(f->initial[1].is_float && f->initial[1].bits == f64_bits(2.5));
  assert_true(f->initial[2].is_float && f->initial[2].bits == f64_bits(-4));
  const struct weir_symbol *p = weir_module_find(m, "p");
  assert_ptr_equal(p->initial[0].symbol, weir_module_find(m, "g"));
  assert_true(p->initial[0].generic && p->initial[0].bits == 4);
  assert_true(!p->initial[1].generic && p->initial[1].bits == (uint64_t)-8);
  assert_null(p->initial[2].symbol);
  assert_int_equal(weir_module_find(m, "b")->initial[0].mask, 0xff00);
  const struct weir_initial *e = weir_module_find(m, "e")->initial;
  assert_true(e[0].bits == 7 && e[1].bits == (uint64_t)-1 && e[2].bits == (uint64_t)-4 && e[3].bits == ~UINT64_C(15));
  const struct weir_symbol *v = weir_module_find(m, "v");
  assert_int_equal(v->bytes, 8);
  assert_int_equal(v->align, 16);
  assert_int_equal(v->initial[2].bits, 2);
  weir_module_free(m);
}

static void test_parameters(void **state) {
  (void)state;
  struct weir_module *m = parse_ok(HEAD ".entry k(.param .u64 .ptr .global .align 8 a, .param .align 16 .b8 s[20])\n"
                                        ".maxntid 32, 4\n.reqntid 8, 2, 1\n.minnctapersm 3\n{ ret; }\n");
  const struct weir_function *f = m->functions[0];
  assert_int_equal(f->param_count, 2);
  assert_true(f->params[0]->ptr_written && f->params[0]->ptr_space == WEIR_SPACE_GLOBAL);
  assert_int_equal(f->params[0]->ptr_align, 8);
  assert_int_equal(f->params[1]->bytes, 20);
  assert_int_equal(f->params[1]->align, 16);
  assert_int_equal(f->maxntid[0] * 100 + f->maxntid[1] * 10 + f->maxntid[2], 32 * 100 + 4 * 10 + 1);
  assert_int_equal(f->reqntid[1], 2);
  assert_int_equal(f->minnctapersm, 3);
  weir_module_free(m);
}

// An instruction carries the .loc in force, and files are known by number.
static void test_lines(void **state) {
  (void)state;
  struct weir_module *m = parse_ok(HEAD ".file 2 \"b.cl\"\n.entry k() { trap; .loc 2 17 5\n trap; ret; }\n");
  assert_string_equal(m->files[2], "b.cl");
  assert_int_equal(instruction(m, 0)->source_file, 0);
  assert_int_equal(instruction(m, 2)->source_file, 2);
  assert_int_equal(instruction(m, 2)->source_line, 17);
  assert_int_equal(instruction(m, 2)->line, 6);
  weir_module_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_registers),    cmocka_unit_test(test_hiding),     cmocka_unit_test(test_labels),
    cmocka_unit_test(test_initialisers), cmocka_unit_test(test_parameters), cmocka_unit_test(test_lines),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
