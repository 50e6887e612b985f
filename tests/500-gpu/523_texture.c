// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Texture fetches: micro-kernels whose hits and misses have a closed form, through a texture cache and through the
// first-level cache; and the texture cache's timing, by the rules of GPGPU-Sim (gpu-cache.cc, tex_cache; shader.cc,
// ldst_unit::cycle): the tags in the cycle of the access, the data array in the next, then the register file's turn, and a
// cycle to write it.
#include "gpu_test.h"

enum { BEHIND = 3 }; // from the tags to the dependents of a hit

// The words of the buffer, in one row.
static const struct weir_texture words = {.width = 16384,
                                          .height = 1,
                                          .depth = 1,
                                          .pitch_bytes = 65536,
                                          .slice_bytes = 65536,
                                          .dimensions = 1,
                                          .linear_memory = true,
                                          .channels = 1,
                                          .channel_bytes = 4,
                                          .kind = WEIR_TEXEL_UNSIGNED,
                                          .swizzle = {WEIR_FROM_0, WEIR_FROM_1, WEIR_FROM_2, WEIR_FROM_3}};

// 32 × 32 words, rows `pitch` bytes apart.
static struct weir_texture square(uint32_t pitch) {
  struct weir_texture t = words;
  t.width = t.height = 32;
  t.pitch_bytes = pitch;
  t.slice_bytes = 32 * pitch;
  t.dimensions = 2;
  t.linear_memory = false;
  return t;
}

#define HANDLE "ld.param.u64 %d1, [a]; mov.u32 %r1, %tid.x;"
#define FETCH_1D "tex.1d.v4.u32.s32 {%r11, %r12, %r13, %r14}, [%d1, {%r2}];"
#define FETCH_2D "tex.2d.v4.u32.s32 {%r11, %r12, %r13, %r14}, [%d1, {%r2, %r3}];"

static struct weir_run_stats counts_of(struct rig *rig, const char *body, const struct weir_texture *t,
                                       uint32_t threads) {
  struct sight s;
  observe(rig, &(struct run){.body = body, .texture = t, .threads = threads}, UINT64_C(0x1000000), &s);
  return s.cold;
}

static void through_the_cache(const struct weir_run_stats *n, uint64_t hits, uint64_t misses) {
  assert_int_equal(n->texture_cache_accesses, hits + misses);
  assert_int_equal(n->texture_cache_hits, hits);
  assert_int_equal(n->texture_cache_misses, misses);
  assert_int_equal(n->levels[0].loads.accesses, 0);
}

static void through_the_first_level(const struct weir_run_stats *n, uint64_t hits, uint64_t misses) {
  assert_int_equal(n->texture_cache_accesses + n->texture_cache_hits + n->texture_cache_misses, 0);
  assert_int_equal(n->levels[0].loads.accesses, hits + misses);
  assert_int_equal(n->levels[0].loads.hits + n->levels[0].loads.hits_on_miss, hits);
  assert_int_equal(n->levels[0].loads.misses, misses);
}

static struct rig *without_texture_cache(void) {
  struct rig *rig = rig_new();
  rig_set(rig, "texture_cache.size_bytes=0");
  rig_set(rig, "l1.index=linear");
  return rig;
}

// ---- hits and misses --------------------------------------------------------------------------------------------------------

// `lines` lines of 32 words, a line per fetch of the warp, `passes` times from the first to the last.
static void sweep(char *body, unsigned lines, unsigned passes) {
  strcpy(body,
         HANDLE "mov.u32 %r5, 0; PASS: mov.u32 %r2, %r1; mov.u32 %r6, 0; LINE:" FETCH_1D
                "add.u32 %r2, %r2, 32; add.u32 %r6, %r6, 1;");
  sprintf(body + strlen(body),
          "setp.lt.u32 %%p1, %%r6, %u; @%%p1 bra LINE; add.u32 %%r5, %%r5, 1; setp.lt.u32 %%p2, %%r5, %u; @%%p2 bra "
          "PASS;",
          lines, passes);
}

// 12 KiB are 96 lines, in 4 sets of 24. What fits misses once; one line more in a set, and a sweep finds none of that set's
// lines, as the least recently used is the one wanted next: 100 lines are 25 in each set.
static void a_sweep_fits_or_does_not(void **state) {
  (void)state;
  static const struct {
    unsigned lines, passes;
    uint64_t hits, misses;
  } cases[] = {{1, 8, 7, 1}, {64, 3, 128, 64}, {96, 3, 192, 96}, {97, 3, 72 * 2, 72 + 25 * 3}, {100, 3, 0, 300}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char body[2048];
    struct rig *rig = rig_new();
    sweep(body, cases[i].lines, cases[i].passes);
    struct weir_run_stats n = counts_of(rig, body, &words, 32);
    through_the_cache(&n, cases[i].hits, cases[i].misses);
    rig_free(rig);
  }
}

// The same by a first level of 32 sets of 4: 128 lines fit, of 160 five come to each set.
static void a_sweep_through_the_first_level(void **state) {
  (void)state;
  static const struct {
    unsigned lines;
    uint64_t hits, misses;
  } cases[] = {{100, 200, 100}, {128, 256, 128}, {160, 0, 480}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char body[2048];
    struct rig *rig = without_texture_cache();
    sweep(body, cases[i].lines, 3);
    struct weir_run_stats n = counts_of(rig, body, &words, 32);
    through_the_first_level(&n, cases[i].hits, cases[i].misses);
    rig_free(rig);
  }
}

// A warp reads a column of 32 × 32 words, then the next column: 32 lines each time, the same ones. Rows four lines apart all
// lie in set 0, whose 24 ways lose each line before it is wanted again; rows five lines apart lie in all four, 8 in each. In
// the first level, lines that are multiples of four lie in 8 sets of 4 ways, and fit.
static void columns(void **state) {
  (void)state;
  const char *body =
    HANDLE "mov.u32 %r3, %r1; mov.u32 %r2, 0;" FETCH_2D "add.u32 %r2, %r11, 0; mov.u32 %r2, 1;" FETCH_2D;
  struct weir_texture apart = square(512), spread = square(640);
  struct rig *rig = rig_new();
  struct weir_run_stats n = counts_of(rig, body, &apart, 32);
  through_the_cache(&n, 0, 64);
  n = counts_of(rig, body, &spread, 32);
  through_the_cache(&n, 32, 32);
  rig_free(rig);
  rig = without_texture_cache();
  n = counts_of(rig, body, &apart, 32);
  through_the_first_level(&n, 32, 32);
  rig_free(rig);
}

// Rows of 128 bytes, one after the other: each of 32 warps reads its row, a line, forwards and then backwards: one access each.
static void rows(void **state) {
  (void)state;
  const char *body = HANDLE "shr.u32 %r3, %r1, 5; and.b32 %r2, %r1, 31;" FETCH_2D "sub.u32 %r2, 31, %r2;" FETCH_2D;
  struct weir_texture t = square(128);
  struct rig *rig = rig_new();
  struct weir_run_stats n = counts_of(rig, body, &t, 1024);
  through_the_cache(&n, 32, 32);
  assert_int_equal(n.replays, 0);
  rig_free(rig);
}

static void sweep_twice(const char *cold_launches, struct sight *s) {
  char body[2048];
  struct rig *rig = rig_new();
  rig_set(rig, "cold_launches=%s", cold_launches);
  sweep(body, 64, 1);
  observe(rig, &(struct run){.body = body, .texture = &words}, 0, s);
  rig_free(rig);
}

// What another kernel has brought is still there: nothing flushes the cache. And a line is fetched from the L2 in its sectors.
static void lines_stay(void **state) {
  (void)state;
  struct sight s;
  sweep_twice("false", &s);
  through_the_cache(&s.cold, 0, 64);
  through_the_cache(&s.counts, 64, 0);
  assert_int_equal(s.cold.levels[1].loads.accesses,
                   4 * (64 + s.cold.instruction_cache_misses) + 2 * s.cold.constant_cache_misses);
  assert_int_equal(s.counts.levels[1].loads.accesses, 0);
}

static void a_cold_launch_has_none(void **state) {
  (void)state;
  struct sight s;
  sweep_twice("true", &s);
  through_the_cache(&s.cold, 0, 64);
  through_the_cache(&s.counts, 0, 64);
}

// ---- time ---------------------------------------------------------------------------------------------------------------------

#define CHAIN HANDLE "mov.u32 %r2, 0;"
#define LINK FETCH_1D "and.b32 %r2, %r11, 0;"

static uint64_t cost_of_link(struct rig *rig, const char *before, const char *line) {
  return cost_of_twelve(rig, (struct run){.texture = &words}, before, line);
}

// A fetch needs the handle's register and the coordinate, both at once.
static struct rig *timed_rig(void) {
  struct rig *rig = rig_new();
  rig_set(rig, "core.collector_reads=4");
  return rig;
}

static uint64_t logic(const struct rig *rig) { // issue to the issue of what needs it
  const struct weir_core_config *k = &rig->config->core;
  return k->operand_cycles + k->latency[WEIR_CLASS_INT_LOGIC].latency_cycles + k->writeback_cycles;
}

static void a_hit(void **state) {
  (void)state;
  for (uint32_t operand = 3; operand <= 9; operand += 3) {
    struct rig *rig = timed_rig();
    rig_set(rig, "core.operand_cycles=%u", operand);
    assert_int_equal(cost_of_link(rig, CHAIN, LINK), 12 * (operand + BEHIND + logic(rig)));
    rig_free(rig);
  }
}

// Lanes in n lines of so many words, and a fetch of each its own that needs the one before.
static void apart(char before[256], unsigned lines, unsigned words_apart) {
  snprintf(before, 256, "%sand.b32 %%r3, %%r1, %u; mul.lo.u32 %%r3, %%r3, %u; mov.u32 %%r2, %%r3;", HANDLE, lines - 1,
           words_apart);
}
#define LINK_APART FETCH_1D "and.b32 %r2, %r11, 0; or.b32 %r2, %r2, %r3;"

// A line per cycle passes tags and data array.
static void a_line_per_cycle(void **state) {
  (void)state;
  struct rig *rig = timed_rig();
  for (unsigned lines = 1; lines <= 32; lines *= 2) {
    char before[256];
    apart(before, lines, 32);
    assert_int_equal(cost_of_link(rig, before, LINK_APART),
                     12 * (rig->config->core.operand_cycles + lines - 1 + BEHIND + 2 * logic(rig)));
  }
  rig_free(rig);
}

// A texture cache and a constant cache of one line each; no packet longer than a flit.
static struct rig *one_line_rig(void) {
  struct rig *rig = timed_rig();
  static const char *const settings[] = {"texture_cache.size_bytes=64", "texture_cache.ways=1",
                                         "texture_cache.line_bytes=64", "constant_cache.size_bytes=64",
                                         "constant_cache.ways=1",       "network.flit_bytes=256",
                                         "l2.sector_bytes=64"};
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) rig_set(rig, "%s", settings[i]);
  return rig;
}

// Two lines in turn drive each other out.
static uint64_t cost_of_miss(struct rig *rig) {
  uint64_t twice = cost_of_link(rig, CHAIN, FETCH_1D "and.b32 %r2, %r11, 0; add.u32 %r2, %r2, 16;" LINK);
  const uint32_t add = rig->config->core.latency[WEIR_CLASS_INT_ADD].latency_cycles + rig->config->core.operand_cycles +
    rig->config->core.writeback_cycles;
  assert_int_equal(twice % 12, 0);
  twice = twice / 12 - 2 * logic(rig) - add;
  assert_int_equal(twice % 2, 0);
  return twice / 2;
}

// As a miss of the constant cache, whose data goes from the answer to the register file without a turn in the data array.
static void a_miss(void **state) {
  (void)state;
  struct rig *rig = one_line_rig();
  uint64_t constant = cost_of_twelve(rig, (struct run){.globals = ".const .align 64 .b64 c[256];"}, "",
                                     "ld.const.u64 %d1, [c]; ld.const.u64 %d1, [c+64];");
  assert_int_equal(constant % 24, 0);
  assert_int_equal(cost_of_miss(rig), constant / 24 + 1);
  rig_set(rig, "l2.input_delay_cycles=%u", rig->config->caches[1].input_delay_cycles + 30);
  assert_int_equal(cost_of_miss(rig), constant / 24 + 31);
  rig_free(rig);
}

// Where one line may be fetched at a time, lanes in n lines take n times a miss's way from the tags to the data array, in which
// the next access may begin; where n may be, they follow one another a cycle apart.
static void the_reorder_buffer(void **state) {
  (void)state;
  struct rig *rig = one_line_rig();
  const uint64_t operand = rig->config->core.operand_cycles, fetch = cost_of_miss(rig) - operand - (BEHIND - 1);
  for (unsigned lanes = 2; lanes <= 8; lanes *= 2) {
    char before[256];
    apart(before, lanes, 16);
    rig_set(rig, "texture_cache.reorder_buffer=1");
    assert_int_equal(cost_of_link(rig, before, LINK_APART),
                     12 * (operand + lanes * fetch + (BEHIND - 1) + 2 * logic(rig)));
    rig_set(rig, "texture_cache.reorder_buffer=128");
    rig_set(rig, "texture_cache.request_fifo=8");
    assert_int_equal(cost_of_link(rig, before, LINK_APART),
                     12 * (operand + fetch + lanes - 1 + (BEHIND - 1) + 2 * logic(rig)));
  }
  rig_free(rig);
}

// Results come in the order of the accesses: a hit behind a miss comes a cycle after it.
static void a_hit_waits_for_the_miss_before(void **state) {
  (void)state;
  struct rig *rig = one_line_rig();
  const char *miss = FETCH_1D "and.b32 %r2, %r11, 0; add.u32 %r2, %r2, 16;" LINK;
  const char *with_hit = FETCH_1D "tex.1d.v4.u32.s32 {%r15, %r16, %r17, %r18}, [%d1, {%r2}]; and.b32 %r2, %r15, 0;"
                                  "add.u32 %r2, %r2, 16;" LINK;
  assert_int_equal(cost_of_link(rig, CHAIN, with_hit), cost_of_link(rig, CHAIN, miss) + 12);
  rig_free(rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_sweep_fits_or_does_not),
    cmocka_unit_test(a_sweep_through_the_first_level),
    cmocka_unit_test(columns),
    cmocka_unit_test(rows),
    cmocka_unit_test(lines_stay),
    cmocka_unit_test(a_cold_launch_has_none),
    cmocka_unit_test(a_hit),
    cmocka_unit_test(a_line_per_cycle),
    cmocka_unit_test(a_miss),
    cmocka_unit_test(the_reorder_buffer),
    cmocka_unit_test(a_hit_waits_for_the_miss_before),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
