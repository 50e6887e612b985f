// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The operand collector, alone and in a core. Register r of warp w lies in bank (r + w) mod banks; the first operand is read
// two cycles after issue if nothing is in the way.
#include "gpu_test.h"

#include "gpu/collect.h"

enum { FREE = 2 }; // issue to the first read
#define NOW ((weir_cycle)0xFFFFFFF0)

struct bench {
  struct weir_core_config config;
  struct weir_sm_shared shared;
  struct weir_sm *m;
  struct weir_places collectors;
  uint32_t count; // of collectors
};

static struct bench *bench_new(uint32_t banks, uint32_t reads, uint32_t collectors) {
  struct bench *b = calloc(1, sizeof *b);
  assert_non_null(b);
  b->m = weir_alloc_aligned(_Alignof(struct weir_sm), sizeof *b->m);
  b->config = (struct weir_core_config){.register_banks = banks, .collector_reads = reads};
  b->shared.config = &b->config;
  b->m->shared = &b->shared;
  b->count = collectors;
  return b;
}

static void bench_free(struct bench *b) {
  weir_free(b->m);
  free(b);
}

static struct weir_decoded reads(unsigned n, const uint32_t *registers) {
  struct weir_decoded d = {.count = (uint8_t)n, .operands = (uint8_t)n};
  memcpy(d.registers, registers, n * sizeof *registers);
  return d;
}

// Cycles from NOW to the last read of an instruction of warp w, issued `after` cycles after NOW.
static uint64_t collect(struct bench *b, uint32_t w, weir_cycle after, unsigned n, const uint32_t *registers) {
  const struct weir_decoded d = reads(n, registers);
  const weir_cycle last = weir_sm_collect(b->m, w, &d, NOW + after, b->count ? weir_places_free(&b->collectors) : 0);
  if (b->count) weir_places_take(&b->collectors, b->count, last + 1);
  return last - NOW;
}

#define REGISTERS(...) (sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)), ((const uint32_t[]){__VA_ARGS__})

static void write_at(struct bench *b, uint32_t w, uint32_t reg, weir_cycle after) {
  const struct weir_decoded d = {.writes = 1, .count = 1, .registers = {reg}};
  weir_sm_write_registers(b->m, w, &d, NOW + after);
}

// k operands in one bank are read in k cycles, and the same k in banks of their own in one.
static void operands_of_one_bank(void **state) {
  (void)state;
  for (unsigned k = 1; k <= WEIR_STATIC_MAX_SRC && k <= 16; k++) {
    uint32_t one[16], own[16];
    for (unsigned i = 0; i < k; i++) one[i] = 5 + 16 * i, own[i] = 5 + i;
    struct bench *b = bench_new(16, 16, 0);
    assert_int_equal(collect(b, 0, 0, k, one), FREE + k - 1);
    bench_free(b);
    b = bench_new(16, 16, 0);
    assert_int_equal(collect(b, 0, 0, k, own), FREE);
    bench_free(b);
    b = bench_new(0, 16, 0); // no banks: never in the way
    assert_int_equal(collect(b, 0, 0, k, one), FREE);
    bench_free(b);
  }
}

// A collector that takes p registers per cycle takes n in ⌈n / p⌉ cycles.
static void reads_per_cycle(void **state) {
  (void)state;
  for (unsigned p = 1; p <= 4; p++)
    for (unsigned n = 1; n <= 9; n++) {
      uint32_t own[9];
      for (unsigned i = 0; i < n; i++) own[i] = i;
      struct bench *b = bench_new(16, p, 0);
      assert_int_equal(collect(b, 0, 0, n, own), FREE + (n + p - 1) / p - 1);
      bench_free(b);
    }
}

// The bank is that of register and warp together.
static void warps_shift_the_banks(void **state) {
  (void)state;
  for (uint32_t w = 0; w < 10; w++) {
    struct bench *b = bench_new(4, 1, 0);
    assert_int_equal(collect(b, 0, 0, REGISTERS(3)), FREE);
    assert_int_equal(collect(b, w, 0, REGISTERS(3)), FREE + (w % 4 == 0)); // behind the first if in its bank
    assert_int_equal(collect(b, w, 0, REGISTERS(7 - w % 4)), FREE + (w % 4 == 0 ? 2 : 1));
    bench_free(b);
  }
}

// Reads wait at their bank in the order in which they came. The first instruction reads bank 1 a cycle later than bank 0; the
// second, which wants bank 1 alone, is behind it all the same, and the third, which came a cycle later, behind both.
static void a_bank_serves_in_order(void **state) {
  (void)state;
  struct bench *b = bench_new(4, 1, 0);
  assert_int_equal(collect(b, 0, 0, REGISTERS(0, 1)), FREE + 1);
  assert_int_equal(collect(b, 0, 0, REGISTERS(5)), FREE + 2);
  assert_int_equal(collect(b, 0, 1, REGISTERS(1)), FREE + 3);
  assert_int_equal(collect(b, 0, 1, REGISTERS(2)), FREE + 1); // a bank that nobody else wants: 1 + FREE
  assert_int_equal(collect(b, 0, 9, REGISTERS(1)), FREE + 9); // all of them have gone
  bench_free(b);
}

// A write takes its bank's cycle; a read then waits for the next cycle without one.
static void writes_come_first(void **state) {
  (void)state;
  struct bench *b = bench_new(4, 1, 0);
  assert_int_equal(collect(b, 0, 0, REGISTERS(3)), FREE); // the window begins here
  write_at(b, 0, 0, 10);
  write_at(b, 0, 4, 11);
  write_at(b, 1, 7, 12); // warp 1: bank 0 as well
  write_at(b, 0, 0, 14);
  assert_int_equal(collect(b, 0, 10 - FREE, REGISTERS(1)), 10); // another bank
  assert_int_equal(collect(b, 0, 10 - FREE, REGISTERS(0)), 13); // after three writes
  assert_int_equal(collect(b, 0, 10 - FREE, REGISTERS(8)), 15); // after that read and the fourth write
  assert_int_equal(collect(b, 0, 100, REGISTERS(0)), 100 + FREE);
  write_at(b, 0, 0, 100 + 63); // the last cycle of the window
  assert_int_equal(collect(b, 0, 163 - FREE, REGISTERS(0)), 164);
  bench_free(b);
}

// n collectors, each held from the cycle after issue to the last read: an instruction of k operands holds one for k + 1 cycles
// if it takes one a cycle, and the others wait.
static void collectors_limit(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 4; n++)
    for (unsigned k = 1; k <= 3; k++) {
      struct bench *b = bench_new(32, 1, n);
      for (uint32_t i = 0; i < 12; i++) { // 12 instructions at once, in banks of their own for a while
        uint32_t registers[3] = {3 * i, 3 * i + 1, 3 * i + 2};
        assert_int_equal(collect(b, 0, 0, k, registers), (i / n) * (k + 1) + k + 1);
      }
      bench_free(b);
    }
}

// Of three places the one that is free first is taken, whatever the order in which they are set free.
static void the_soonest_place_is_taken(void **state) {
  (void)state;
  struct weir_places p = {{0}, 0};
  for (uint32_t turn = 0; turn < 7; turn++) { // around the array
    const weir_cycle t = NOW + 100 * turn;
    weir_places_take(&p, 3, t + 9);
    weir_places_take(&p, 3, t + 2);
    weir_places_take(&p, 3, t + 5);
    assert_int_equal(weir_places_free(&p), t + 2);
    weir_places_take(&p, 3, t + 3);
    assert_int_equal(weir_places_free(&p), t + 3);
    weir_places_take(&p, 3, t + 20);
    assert_int_equal(weir_places_free(&p), t + 5);
    weir_places_take(&p, 3, t + 5);
    assert_int_equal(weir_places_free(&p), t + 5);
  }
  for (uint32_t i = 0; i < 40; i++) { // as many as there is room for
    struct weir_places all = {{0}, 0};
    for (uint32_t n = 0; n < WEIR_MAX_PLACES + i; n++) weir_places_take(&all, WEIR_MAX_PLACES, NOW + n);
    assert_int_equal(weir_places_free(&all), NOW + i);
  }
}

// ---- in a core --------------------------------------------------------------------------------------------------------

// A chain of three operands: all in one bank, two cycles more each; in banks of their own but one per cycle, too.
static void a_chain_waits_for_its_operands(void **state) {
  (void)state;
  static const struct {
    uint32_t banks, reads, more;
  } cases[] = {{0, 1, 0}, {1, 16, 2}, {1, 1, 2}, {32, 16, 0}, {32, 1, 2}, {32, 2, 1}};
  const char *before = "mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f3F800000; mov.f32 %f3, 0f3F800000;";
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct rig *rig = rig_new();
    rig_set(rig, "core.register_banks=%u", cases[i].banks);
    rig_set(rig, "core.collector_reads=%u", cases[i].reads);
    const struct weir_core_config *k = &rig->config->core;
    uint64_t each = k->operand_cycles + k->latency[WEIR_CLASS_F32_FMA].latency_cycles + k->writeback_cycles;
    assert_int_equal(cost_of_twelve(rig, (struct run){0}, before, "fma.rn.f32 %f1, %f1, %f2, %f3;"),
                     12 * (each + cases[i].more));
    rig_free(rig);
  }
}

// Which of the kernel's registers share a bank, by their scoreboard numbers.
static unsigned in_one_bank(struct rig *rig, const char *body, const char *mark, uint32_t banks) {
  struct run run = {.body = body};
  char *text = program_of(&run);
  struct weir_memory *memory = weir_memory_create();
  struct weir_module *module;
  struct weir_program *program = program_for(rig, text, memory, &module);
  uint32_t line = 1, count;
  for (const char *at = text; at < strstr(text, mark); at++) line += *at == '\n';
  const struct weir_static *s = weir_program_statics(program, &count);
  while (s->line != line) assert_true(--count && s++);
  unsigned most = 0, use[32] = {0};
  for (unsigned i = 0; i < s->src_count; i++)
    if (++use[s->src[i] % banks] > most) most = use[s->src[i] % banks];
  weir_program_free(program);
  weir_memory_free(memory);
  weir_module_free(module);
  free(text);
  return most;
}

// Whatever numbers the registers have: with few banks some of four share one, with the most of them in one bank setting the
// time.
static void a_chain_by_its_registers_numbers(void **state) {
  (void)state;
  const char *before = "mov.u32 %r1, 1; mov.u32 %r2, 1; mov.u32 %r3, 1; mov.u32 %r4, 1; mov.u32 %r5, 1;";
  const char *lines[] = {"\nmad.lo.u32 %r1, %r1, %r2, %r3;", "\nmad.lo.u32 %r1, %r1, %r2, %r4;",
                         "\nmad.lo.u32 %r1, %r1, %r3, %r5;", "\nmad.lo.u32 %r1, %r1, %r4, %r5;"};
  for (uint32_t banks = 2; banks <= 4; banks++)
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
      struct rig *rig = rig_new();
      rig_set(rig, "core.register_banks=%u", banks);
      rig_set(rig, "core.collector_reads=16");
      const struct weir_core_config *k = &rig->config->core;
      uint64_t each = k->operand_cycles + k->latency[WEIR_CLASS_INT_MAD].latency_cycles + k->writeback_cycles;
      char body[512];
      snprintf(body, sizeof body, "%s%s", before, lines[i]);
      each += in_one_bank(rig, body, "mad.lo", banks) - 1;
      assert_int_equal(cost_of_twelve(rig, (struct run){0}, before, lines[i]), 12 * each);
      rig_free(rig);
    }
}

// Independent instructions: n collectors held k + 1 cycles each (2 without operands) pass n of them in that time, but at most
// one per cycle issues.
static void collectors_bound_throughput(void **state) {
  (void)state;
  static const struct {
    const char *format;
    uint32_t held;
  } kinds[] = {{"mov.f32 %%f%u, 0f3F800000;", 2}, {"fma.rn.f32 %%f%u, %%f1, %%f2, %%f3;", 4}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    for (uint32_t n = 1; n <= 4; n *= 2) {
      struct rig *rig = rig_new();
      rig_set(rig, "core.register_banks=32");
      rig_set(rig, "core.main_collectors=%u", n);
      rig_set(rig, "core.fetch_instructions=12");
      rig_set(rig, "core.decode_cycles=1");
      rig_set(rig, "core.latency.int_logic.latency_cycles=1");
      rig_set(rig, "core.operand_cycles=2");
      char group[2048] = "";
      for (unsigned k = 0; k < 12; k++) sprintf(group + strlen(group), kinds[i].format, 10 + k);
      uint64_t cost = cycles_of(rig, (struct run){0}, "mov.u32 %r1, 1;", group, 12) -
        cycles_of(rig, (struct run){0}, "mov.u32 %r1, 1;", group, 8);
      assert_int_equal(cost, 48 * kinds[i].held / (n < kinds[i].held ? n : kinds[i].held));
      rig_free(rig);
    }
}

// Two instructions may wait between issue and a collector: one issues when a collector will be free in two cycles. With one
// collector, a reading in cycle 0 holds it to 3; a multiply-add issues in 1 and holds it from 3 to 7; the second issues in 5
// and holds it to 11; the next reading issues in 9.
static void issue_runs_ahead_of_collectors(void **state) {
  (void)state;
  struct rig *rig = rig_new();
  rig_set(rig, "core.register_banks=32");
  rig_set(rig, "core.main_collectors=1");
  rig_set(rig, "core.collector_reads=1");
  rig_set(rig, "core.fetch_instructions=16");
  char body[1024] = READ(0) "fma.rn.f32 %f1, %f2, %f3, %f4; fma.rn.f32 %f5, %f2, %f3, %f4;" READ(1) RECORD_PLACE;
  record(body, 2);
  struct run run = {.body = body};
  struct sight s;
  observe(rig, &run, UINT64_C(0xFFFFFFF0), &s);
  assert_int_equal(s.words[0][1] - s.words[0][0], 9);
  rig_free(rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(operands_of_one_bank),
    cmocka_unit_test(reads_per_cycle),
    cmocka_unit_test(warps_shift_the_banks),
    cmocka_unit_test(a_bank_serves_in_order),
    cmocka_unit_test(writes_come_first),
    cmocka_unit_test(collectors_limit),
    cmocka_unit_test(the_soonest_place_is_taken),
    cmocka_unit_test(a_chain_waits_for_its_operands),
    cmocka_unit_test(a_chain_by_its_registers_numbers),
    cmocka_unit_test(collectors_bound_throughput),
    cmocka_unit_test(issue_runs_ahead_of_collectors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
