// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Control-flow graphs and reconvergence points: derived by hand for small kernels, and against the definition (removing
// a node cuts every way to the exit) on random ones.
#include "base/rng.h"
#include "ptx_test.h"

static struct weir_module *build(const char *statements, struct weir_cfg *cfg) {
  struct weir_module *m = parse_kernel(statements);
  weir_cfg_build(cfg, m->functions[0]);
  return m;
}

// The reconvergence points of the instructions named, for a kernel whose last instruction is ret.
static void expect(const char *statements, unsigned count, const uint32_t (*points)[2]) {
  struct weir_cfg cfg;
  struct weir_module *m = build(statements, &cfg);
  for (unsigned i = 0; i < count; i++) assert_int_equal(weir_cfg_reconvergence(&cfg, points[i][0]), points[i][1]);
  weir_cfg_free(&cfg);
  weir_module_free(m);
}

#define EXPECT(statements, ...)                                                                                        \
  do {                                                                                                                 \
    static const uint32_t points[][2] = __VA_ARGS__;                                                                   \
    expect(statements, sizeof points / sizeof *points, points);                                                        \
  } while (0)

static void test_shapes(void **state) {
  (void)state;
  // 0 branch, 1 then, 2 join
  EXPECT("@%p1 bra A; mov.u32 %r1, 1; A: mov.u32 %r2, 1;", {{0, 2}});
  // 0 branch, 1 then, 2 over, 3 else, 4 join
  EXPECT("@%p1 bra B; mov.u32 %r1, 1; bra C; B: mov.u32 %r1, 2; C: mov.u32 %r2, 1;", {{0, 4}, {2, 4}});
  // 0 body, 1 back to it, 2 behind the loop
  EXPECT("A: mov.u32 %r1, 1; @%p1 bra A; mov.u32 %r2, 1;", {{1, 2}});
  // loop with a break: 0 head, 1 break to 4, 2 body, 3 back, 4 behind
  EXPECT("A: mov.u32 %r1, 1; @%p1 bra B; mov.u32 %r2, 1; bra A; B: mov.u32 %r3, 1;", {{1, 4}, {3, 0}});
  // nested: 0 outer branch to 5, 1 inner branch to 3, 2 then, 3 inner join, 4 over, 5 else, 6 join
  EXPECT("@%p1 bra E; @%p2 bra I; mov.u32 %r1, 1; I: mov.u32 %r1, 2; bra J; E: mov.u32 %r1, 3; J: mov.u32 %r2, 1;",
         {{0, 6}, {1, 3}});
}

static void test_exits(void **state) {
  (void)state;
  // A predicated ret leaves some threads to go on: they meet only at the end.
  EXPECT("@%p1 ret; mov.u32 %r1, 1;", {{0, WEIR_CFG_EXIT}});
  // One side leaves: 0 branch, 1 exit, 2 join
  EXPECT("@%p1 bra A; exit; A: mov.u32 %r1, 1;", {{0, WEIR_CFG_EXIT}});
  // What follows an unconditional branch is unreachable, and has its graph all the same.
  EXPECT("bra A; mov.u32 %r1, 1; A: mov.u32 %r2, 1;", {{0, 2}, {1, 2}});
  // A branch to the next instruction, and one to the end.
  EXPECT("@%p1 bra A; A: @%p2 bra B; mov.u32 %r1, 1; B:", {{0, 1}, {1, 3}});
  // Indexed: 0 brx to 1, 3, 5 (the list has one twice); all meet at 5
  EXPECT("T: .branchtargets A, B, C, A; brx.idx %r1, T; A: mov.u32 %r1, 1; bra C; B: mov.u32 %r1, 2; bra C;"
         " C: mov.u32 %r2, 1;",
         {{0, 5}});
}

// 0 branch to 3; 1 and 2 loop for ever; 3 ret
static void test_endless(void **state) {
  (void)state;
  EXPECT("@%p1 bra B; A: mov.u32 %r1, 1; bra A; B:", {{0, WEIR_CFG_EXIT}, {2, WEIR_CFG_EXIT}});
  // Two ways into the endless loop meet at its head: 0 branch, 1 then, 2 head, 3 back
  EXPECT("@%p1 bra A; mov.u32 %r1, 1; A: mov.u32 %r2, 1; bra A;", {{0, 2}});
}

static void test_blocks(void **state) {
  (void)state;
  struct weir_cfg cfg;
  struct weir_module *m = build("@%p1 bra A; mov.u32 %r1, 1; A: mov.u32 %r2, 1;", &cfg);
  assert_int_equal(cfg.instruction_count, 4);
  assert_int_equal(cfg.block_count, 3); // {0}, {1}, {2, 3}
  assert_int_equal(cfg.blocks[2].first, 2);
  assert_int_equal(cfg.blocks[2].count, 2);
  assert_int_equal(cfg.blocks[0].next_count, 2);
  assert_int_equal(cfg.blocks[2].next[0], 3); // the exit
  assert_int_equal(cfg.block_of[3], 2);
  assert_int_equal(weir_cfg_label(&cfg, instruction(m, 0)->operands[0].symbol), 2);
  weir_cfg_free(&cfg);
  weir_module_free(m);
}

// Whether the exit can be reached from `from` without passing `without`.
static bool reaches_exit(const struct weir_cfg *cfg, uint32_t from, uint32_t without, bool *seen) {
  if (from == without || (from < cfg->block_count && seen[from])) return false;
  if (from == cfg->block_count) return true;
  seen[from] = true;
  for (uint32_t i = 0; i < cfg->blocks[from].next_count; i++)
    if (reaches_exit(cfg, cfg->blocks[from].next[i], without, seen)) return true;
  return false;
}

static bool post_dominates(const struct weir_cfg *cfg, uint32_t d, uint32_t b) {
  bool seen[64] = {0};
  return d != b && !reaches_exit(cfg, b, d, seen);
}

// Of b's strict post-dominators, the immediate one is post-dominated by all others.
static void check_block(const struct weir_cfg *cfg, uint32_t b) {
  uint32_t immediate = cfg->blocks[b].post_dominator;
  bool seen[64] = {0};
  if (!reaches_exit(cfg, b, UINT32_MAX, seen)) return; // an endless loop: no such thing
  if (immediate < cfg->block_count) assert_true(post_dominates(cfg, immediate, b));
  for (uint32_t d = 0; d < cfg->block_count; d++)
    if (d != immediate && post_dominates(cfg, d, b)) {
      assert_true(immediate < cfg->block_count);
      assert_true(post_dominates(cfg, d, immediate));
    }
}

// Random branches among 12 labels; the post-dominators of the graphs without endless loops are checked.
static void test_random(void **state) {
  (void)state;
  struct weir_rng rng = weir_rng_seed(7, 1);
  for (unsigned round = 0; round < 300; round++) {
    char text[2048], *at = text;
    for (unsigned i = 0; i < 12; i++) {
      const char *guard = weir_rng_below(&rng, 3) ? "@%p1 " : "";
      at += sprintf(at, "L%u: mov.u32 %%r1, 1; ", i);
      if (weir_rng_below(&rng, 4))
        at += sprintf(at, "%sbra L%u; ", guard, (unsigned)weir_rng_below(&rng, 12));
      else if (!weir_rng_below(&rng, 3))
        at += sprintf(at, "%sret; ", guard);
    }
    struct weir_cfg cfg;
    struct weir_module *m = build(text, &cfg);
    bool endless = false;
    for (uint32_t b = 0; b < cfg.block_count; b++) {
      bool seen[64] = {0};
      endless |= !reaches_exit(&cfg, b, UINT32_MAX, seen);
    }
    for (uint32_t b = 0; b < cfg.block_count && !endless; b++) check_block(&cfg, b);
    weir_cfg_free(&cfg);
    weir_module_free(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_shapes), cmocka_unit_test(test_exits),  cmocka_unit_test(test_endless),
    cmocka_unit_test(test_blocks), cmocka_unit_test(test_random),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
