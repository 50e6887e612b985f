// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Natural loops of graphs drawn by hand, and which main loops can be copied.
#include "harness.h"
#include "ptx/loops.h"
#include "ptx/print.h"

struct graph {
  struct weir_module *m;
  struct weir_cfg cfg;
  struct weir_loops loops;
};

static void open_graph(struct graph *g, const char *body) {
  struct weir_sink sink = {0};
  char *text = weir_text_format(SL1_HEADER ".visible .entry k()\n{\n.reg .pred %%p<4>;\n%s}\n", body);
  g->m = weir_ptx_parse("test.ptx", text, strlen(text), &sink);
  weir_sink_print(&sink, stderr);
  assert_non_null(g->m);
  weir_cfg_build(&g->cfg, g->m->functions[0]);
  weir_loops_find(&g->loops, &g->cfg);
  weir_sink_free(&sink);
  weir_free(text);
}

static void close_graph(struct graph *g) {
  weir_loops_free(&g->loops);
  weir_cfg_free(&g->cfg);
  weir_module_free(g->m);
}

// Blocks 0: entry, 1: A, outer header, 2: B, inner header and latch, 3: outer latch, 4: behind.
static void loops_nest(void **state) {
  (void)state;
  struct graph g;
  open_graph(&g, "membar.cta;\n$A:\nmembar.cta;\n$B:\nmembar.cta;\n@%p1 bra $B;\n@%p2 bra $A;\nret;\n");
  assert_int_equal(g.cfg.block_count, 5);
  assert_int_equal(g.loops.loop_count, 2);
  assert_int_equal(g.loops.loops[0].header, 2);
  assert_int_equal(g.loops.loops[0].parent, 1);
  assert_int_equal(g.loops.loops[1].header, 1);
  assert_int_equal(g.loops.loops[1].parent, WEIR_NO_LOOP);
  static const uint32_t loop_of[] = {WEIR_NO_LOOP, 1, 0, 1, WEIR_NO_LOOP}, dominator[] = {0, 0, 1, 2, 3};
  assert_memory_equal(g.loops.loop_of, loop_of, sizeof loop_of);
  assert_memory_equal(g.loops.dominator, dominator, sizeof dominator);
  assert_true(weir_loops_dominates(&g.loops, 1, 3));
  assert_false(weir_loops_dominates(&g.loops, 3, 1));
  close_graph(&g);
}

// Two edges back to one header are one loop; what lies between its blocks in the text and leaves is not of it; and a block
// that nothing leads to is in none.
static void blocks_of_a_loop_need_not_be_neighbours(void **state) {
  (void)state;
  struct graph g;
  open_graph(&g, "$A:\n@%p1 bra $C;\n@%p2 bra $D;\nbra $A;\n$C:\nret;\n$D:\n@%p3 bra $A;\nret;\n$E:\nbra $E;\n");
  // 0: A, 1: to D, 2: back, 3: C, 4: D, 5: ret, 6: E
  static const uint32_t loop_of[] = {0, 0, 0, WEIR_NO_LOOP, 0, WEIR_NO_LOOP, WEIR_NO_LOOP};
  assert_int_equal(g.loops.loop_count, 1);
  assert_memory_equal(g.loops.loop_of, loop_of, sizeof loop_of);
  assert_int_equal(g.loops.dominator[6], WEIR_CFG_EXIT);
  close_graph(&g);
}

// A cycle of B and C that is entered at both is no natural loop.
static void cycles_with_two_entries_are_none(void **state) {
  (void)state;
  struct graph g;
  open_graph(&g, "@%p1 bra $C;\n$B:\nmembar.cta;\n$C:\n@%p2 bra $B;\nret;\n");
  assert_int_equal(g.loops.loop_count, 0);
  assert_int_equal(g.loops.irreducible_count, 1);
  close_graph(&g);
}

static void chains_and_nests_take_linear_time(void **state) {
  (void)state;
  enum { DEEP = 20000 };
  char *body = weir_alloc(64 * DEEP), *at = body;
  for (unsigned k = 0; k < DEEP; k++) at += sprintf(at, "$L%u:\nmembar.cta;\n", k);
  for (unsigned k = DEEP; k--;) at += sprintf(at, "@%%p1 bra $L%u;\n", k);
  struct graph g;
  sprintf(at, "ret;\n");
  open_graph(&g, body);
  assert_int_equal(g.loops.loop_count, DEEP);
  unsigned outermost = 0;
  for (unsigned k = 0; k < DEEP; k++) outermost += g.loops.loops[k].parent == WEIR_NO_LOOP;
  assert_int_equal(outermost, 1);
  close_graph(&g);
  weir_free(body);
}

// ---- which can be copied --------------------------------------------------------------------------------------------

#define KERNEL(body)                                                                                                   \
  SL1_HEADER ".visible .entry k(.param .u64 .ptr .global .align 4 a)\n{\n.reg .b64 %rd<4>;\n.reg .b32 %r<4>;\n"        \
             ".reg .pred %p<4>;\nld.param.u64 %rd1, [a];\n" body "\nret;\n}\n"
#define LOAD "ld.global.u8 %r1, [%rd1];\nadd.s64 %rd1, %rd1, 1;\n"

static void loops_are_left_alone_for_a_reason(void **state) {
  (void)state;
  static const struct {
    const char *text, *why;
  } cases[] = {
    {KERNEL("$L:\n" LOAD "@%p1 bra $L;"), NULL},
    {KERNEL("{\n$L:\n" LOAD "@%p1 bra $L;\n}"), NULL},
    {KERNEL("$L:\n{\n.reg .b32 %x;\n" LOAD "mov.u32 %x, 1;\n}\n@%p1 bra $L;"), NULL},
    {KERNEL("$L:\n" LOAD "{\n@%p1 bra $L;\nmov.u32 %r2, 1;\n}"), "it is left in the middle of a { } scope"},
    {KERNEL("$L:\n" LOAD "{\n@!%p1 bra $X;\nbra $L;\n}\n$X:"), NULL},
    {KERNEL("$L:\n.reg .b32 %x;\n" LOAD "@%p1 bra $L;"), NULL},
    {KERNEL("$L:\n" LOAD ".reg .b32 %x;\n@%p1 bra $L;"), "it declares something that another copy would declare again"},
    {KERNEL("@%p2 bra $M;\n$L:\n" LOAD "$M:\n" LOAD "@%p1 bra $L;"), "it is entered at more than one place"},
    {KERNEL("$L:\nmov.u32 %r3, %dynamic_smem_size;\n" LOAD "@%p1 bra $L;"),
     "the kernel asks how much shared memory it has"},
    {KERNEL("$L:\natom.global.add.u32 %r2, [%rd1], 1;\n" LOAD "@%p1 bra $L;"), "it has no access that may be cached"},
  };
  for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
    struct weir_sink sink = {0};
    struct weir_sl1_report r;
    const struct weir_sl1_options o = weir_sl1_defaults();
    struct weir_module *m = weir_ptx_parse("test.ptx", cases[k].text, strlen(cases[k].text), &sink);
    weir_sink_print(&sink, stderr);
    assert_non_null(m);
    char *text = weir_sl1_transform(m, &o, &r);
    assert_int_equal(r.kernels[0].loop_count, 1);
    const char *why = r.kernels[0].loops[0].left_alone;
    if (why != cases[k].why && (!why || !cases[k].why || strcmp(why, cases[k].why)))
      fail_msg("%s\n%s", cases[k].text, why ? why : "transformed");
    struct weir_module *again = weir_ptx_parse("again.ptx", text, strlen(text), &sink);
    weir_sink_print(&sink, stderr);
    assert_non_null(again);
    // What has been transformed is not transformed again.
    struct weir_sl1_report second;
    char *twice = weir_sl1_transform(again, &o, &second);
    char *printed = NULL;
    size_t bytes = 0;
    FILE *to = open_memstream(&printed, &bytes);
    weir_ptx_print(again, to);
    fclose(to);
    assert_string_equal(twice, printed);
    free(printed);
    weir_free(twice);
    weir_sl1_report_free(&second);
    weir_module_free(again);
    weir_free(text);
    weir_sl1_report_free(&r);
    weir_module_free(m);
    weir_sink_free(&sink);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(loops_nest),
    cmocka_unit_test(blocks_of_a_loop_need_not_be_neighbours),
    cmocka_unit_test(cycles_with_two_entries_are_none),
    cmocka_unit_test(chains_and_nests_take_linear_time),
    cmocka_unit_test(loops_are_left_alone_for_a_reason),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
