// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Periods: when policies are told that one has ended, and what they are then shown, by a policy that only writes it down.
// Kernels are timed by their own reads of the clock, or wait for it, so that what falls into which period is known by hand.
#include "../500-gpu/gpu_test.h"

enum { MAX_SEEN = 16384, MAX_SLICES = 16, MAX_LAUNCHES = 4 };

// ---- the policy that writes down ------------------------------------------------------------------------------------------

struct seen {
  struct weir_sensors all;
  struct weir_core_sensors core[2];
  struct weir_slice_sensors slice[MAX_SLICES];
  uint64_t launch; // begun so far, less one
};

static struct spy {
  uint32_t period;
  struct seen seen[MAX_SEEN];
  unsigned count, others; // others: calls at other caches than the first
  uint64_t launch;
  uint8_t skip_transactions; // loads of so many transactions skip the first level
  bool skip_stalled;
} run_on, restarting;

static struct spy *spy_of(bool restarts) {
  return restarts ? &restarting : &run_on;
}

static void note(struct spy *spy, const struct weir_cache_view *c, const struct weir_sensors *s) {
  if (c->instance) {
    spy->others++;
    return;
  }
  assert_in_range(spy->count, 0, MAX_SEEN - 1);
  assert_in_range(s->cores, 1, 2);
  assert_in_range(s->slices, 1, MAX_SLICES);
  struct seen *seen = &spy->seen[spy->count++];
  seen->all = *s;
  seen->launch = spy->launch;
  memcpy(seen->core, s->core, s->cores * sizeof *s->core);
  memcpy(seen->slice, s->slice, s->slices * sizeof *s->slice);
}

static void epoch_run_on(struct weir_cache_view *c, const struct weir_sensors *s) {
  note(&run_on, c, s);
}

static void epoch_restarting(struct weir_cache_view *c, const struct weir_sensors *s) {
  note(&restarting, c, s);
}

static uint32_t cycles_run_on(const struct weir_geometry *g) {
  (void)g;
  return run_on.period;
}

static uint32_t cycles_restarting(const struct weir_geometry *g) {
  (void)g;
  return restarting.period;
}

static void launched(struct weir_cache_view *c, uint64_t number) {
  if (c->instance) return;
  run_on.launch = restarting.launch = number;
}

static bool skips(struct weir_cache_view *c, struct weir_access *a) {
  (void)c;
  return a->transactions == run_on.skip_transactions;
}

static bool skips_stalled(struct weir_cache_view *c, struct weir_access *a, enum weir_stall why) {
  (void)c, (void)a, (void)why;
  return run_on.skip_stalled;
}

static uint64_t no_bits(const struct weir_geometry *g) {
  (void)g;
  return 0;
}

#define SPY .abi = WEIR_POLICY_ABI, .kind = WEIR_POLICY_BYPASS, .summary = "s", .citation = "c", .cost_bits = no_bits
static const struct weir_policy spies[] = {
  {SPY, .name = "spy", .epoch_cycles = cycles_run_on, .epoch = epoch_run_on, .launch = launched, .load = skips,
   .stall = skips_stalled},
  {SPY, .name = "spy2", .epoch_cycles = cycles_restarting, .epoch = epoch_restarting, .epochs_restart = true},
};

// ---- a chip with it -------------------------------------------------------------------------------------------------------

struct stage {
  struct rig *rig;
  struct weir_memory *memory;
  struct weir_module *module;
  struct weir_program *program;
  struct weir_host *host;
  struct weir_chip *chip;
  uint64_t buffer, starts[MAX_LAUNCHES];
  unsigned launches;
};

static void add_spies(struct weir_scheme *scheme) {
  struct weir_level_policies *first = (struct weir_level_policies *)(uintptr_t)weir_scheme_level(scheme, 0);
  first->companion_count = 2;
  for (unsigned i = 0; i < 2; i++) {
    assert_null(weir_policy_flaw(&spies[i]));
    first->companions[i] = (struct weir_policy_choice){.policy = &spies[i]};
  }
}

static struct stage stage_new(struct rig *rig, const struct run *run, uint32_t period) {
  struct stage s = {.rig = rig, .memory = weir_memory_create()};
  memset(&run_on, 0, sizeof run_on);
  memset(&restarting, 0, sizeof restarting);
  run_on.period = restarting.period = period;
  rig_set(rig, "l1.flush_at_kernel_end=true");
  add_spies(rig->scheme);
  char *text = program_of(run);
  s.program = program_for(rig, text, s.memory, &s.module);
  free(text);
  s.host = weir_host_create(s.program, s.memory, &rig->sink);
  s.chip = weir_chip_create(rig->config, rig->scheme, 1, &rig->sink);
  assert_non_null(s.chip);
  weir_host_attach(s.host, weir_chip_backend(s.chip));
  s.buffer = weir_host_alloc(s.host, "chase", 65536);
  fill_chase(s.host, s.buffer);
  return s;
}

// A launch, begun `gap` core cycles after the last one ended (0: in the next). The first begins in cycle 1.
static uint64_t run_once(struct stage *s, const struct run *run, uint64_t gap) {
  s->chip->now += gap * s->chip->clocks.cores.period;
  s->starts[s->launches] = s->launches ? s->chip->now / s->chip->clocks.cores.period + 1 : 1;
  launch(s->rig, s->host, run, s->buffer);
  return s->chip->kernels.kernels[s->launches++].counts.cycles;
}

static void stage_free(struct stage *s) {
  weir_host_free(s->host);
  weir_chip_free(s->chip);
  weir_program_free(s->program);
  weir_memory_free(s->memory);
  weir_module_free(s->module);
  rig_free(s->rig);
}

// ---- when -----------------------------------------------------------------------------------------------------------------

// What must have been seen of launches of those lengths: an end at every whole number of periods, of cycles in which some
// launch ran, or since each began.
static void assert_ends(const struct stage *s, const uint64_t *lengths, bool restarts) {
  const struct spy *spy = spy_of(restarts);
  unsigned n = 0;
  uint64_t ran = 0;
  for (unsigned i = 0; i < s->launches; i++) {
    if (restarts) ran = 0;
    uint64_t first =
      ran + lengths[i] >= spy->period * (ran / spy->period + 1) ? spy->period - ran % spy->period : UINT64_MAX;
    for (uint64_t at = first; at <= lengths[i] && first != UINT64_MAX; at += spy->period, n++) {
      assert_in_range(n, 0, spy->count - 1);
      const struct seen *seen = &spy->seen[n];
      assert_int_equal(seen->launch, i);
      assert_int_equal(seen->all.now, s->starts[i] + at);
      assert_int_equal(seen->all.launch_cycles, at);
      assert_int_equal(seen->all.epoch_cycles, spy->period);
    }
    ran += lengths[i];
  }
  assert_int_equal(spy->count, n);
}

static const struct run counting = {
  .body = "mov.u32 %r1, %tid.x; mov.u32 %r2, 0; L: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 30; @%p1 bra L;",
};

// Three launches: the second soon after the first, the third, of several blocks, much later. Returns the first one's cycles.
static uint64_t three_launches(uint32_t period) {
  struct run wide = counting;
  wide.blocks = 5;
  struct stage s = stage_new(rig_new(), &counting, period);
  uint64_t lengths[3] = {run_once(&s, &counting, 0), run_once(&s, &counting, 0), run_once(&s, &wide, 12345)};
  assert_ends(&s, lengths, false);
  assert_ends(&s, lengths, true);
  stage_free(&s);
  return lengths[0];
}

static void periods_end_on_the_cycle(void **state) {
  (void)state;
  uint64_t length = three_launches(97);
  assert_true(length > 2 * 97);
  three_launches((uint32_t)length); // ends as the first launch does
  assert_int_equal(restarting.seen[0].launch, 0);
  three_launches((uint32_t)length + 1); // one cycle into the second
  assert_int_equal(run_on.seen[0].launch, 1);
  assert_int_equal(run_on.seen[0].all.launch_cycles, 1);
  three_launches(1);
  three_launches(1000000); // never
  assert_int_equal(run_on.count + restarting.count, 0);
}

// Every first-level cache's policies are told.
static void all_caches_are_told(void **state) {
  (void)state;
  struct rig *rig = rig_new();
  rig_set(rig, "core.count=2");
  struct stage s = stage_new(rig, &counting, 50);
  run_once(&s, &counting, 0);
  assert_true(run_on.count > 0);
  assert_int_equal(run_on.others, run_on.count);
  assert_true(run_on.seen[0].core[0].occupied); // the only block
  assert_false(run_on.seen[0].core[1].occupied);
  stage_free(&s);
}

// ---- what: instructions -----------------------------------------------------------------------------------------------------

enum { READS = 30 };

static unsigned reads_within(const uint64_t *clock, uint64_t from, uint64_t to) {
  unsigned n = 0;
  for (unsigned i = 0; i < READS; i++) n += clock[i] >= from && clock[i] < to;
  return n;
}

// One warp reads the clock again and again, and nothing else issues meanwhile: a period [from, to) has as many instructions
// as there are readings in it. Its second launch, which finds its instructions in the cache.
static void instructions_of_a_period(void **state) {
  (void)state;
  char body[4096] = RECORD_PLACE;
  for (unsigned i = 0; i < READS; i++) sprintf(body + strlen(body), "mov.u64 %%d%u, %%clock64;", i);
  record(body, READS);
  struct run run = {.body = body};
  struct stage s = stage_new(rig_new(), &run, 7);
  run_once(&s, &run, 0);
  unsigned before = restarting.count, checked = 0;
  run_once(&s, &run, 1000);
  uint64_t clock[READS], since_launch = 0;
  memcpy(clock, weir_host_bytes(s.host, s.buffer, sizeof clock), sizeof clock);
  for (unsigned i = before; i < restarting.count; i++) {
    const struct seen *seen = &restarting.seen[i];
    uint64_t to = seen->all.now, from = to - 7;
    since_launch += seen->core[0].instructions;
    assert_int_equal(seen->core[0].launch_instructions, since_launch);
    if (from < clock[0] || to > clock[READS - 1]) continue;
    assert_int_equal(seen->core[0].instructions, reads_within(clock, from, to));
    checked++;
  }
  assert_true(checked > 5);
  stage_free(&s);
}

// ---- what: loads ----------------------------------------------------------------------------------------------------------

enum { PERIOD = 4000, PHASE = 1000 }; // a phase begins so long after its period, and takes less than the rest of it

// Waits until PHASE cycles of period `n` have passed since %d40, a first look at the clock soon after the launch began.
#define WAIT(n, label)                                                                                                 \
  "add.u64 %d41, %d40, " #n "*4000+1000; " label                                                                       \
  ": mov.u64 %d42, %clock64; setp.lt.u64 %p1, %d42, %d41; @%p1 bra " label ";"

#define FIRST_LOOK "mov.u64 %d40, %clock64; ld.param.u64 %d1, [a]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 128;"

// The sensors of period n of the second launch.
static const struct seen *of_period(const struct stage *s, unsigned n) {
  for (unsigned i = 0; i < restarting.count; i++)
    if (restarting.seen[i].launch == 1 && restarting.seen[i].all.now == s->starts[1] + (n + 1) * PERIOD)
      return &restarting.seen[i];
  fail_msg("period %u was not seen", n);
  return NULL;
}

static struct stage second_launch(struct rig *rig, const struct run *run, uint8_t skip_transactions,
                                  bool skip_stalled) {
  struct stage s = stage_new(rig, run, PERIOD);
  run_on.skip_transactions = skip_transactions;
  run_on.skip_stalled = skip_stalled;
  run_once(&s, run, 0);
  run_once(&s, run, 100);
  return s;
}

static void assert_loads(const struct seen *seen, unsigned hits, unsigned pending, unsigned misses, unsigned bypasses,
                         unsigned stall_bypasses) {
  assert_int_equal(seen->core[0].loads.hits, hits);
  assert_int_equal(seen->core[0].loads.hits_on_miss, pending);
  assert_int_equal(seen->core[0].loads.misses, misses + bypasses + stall_bypasses);
  assert_int_equal(seen->core[0].loads.bypasses, bypasses + stall_bypasses);
  assert_int_equal(seen->core[0].stall_bypasses, stall_bypasses);
}

// Period 0: a miss, then two loads that depend on it and on each other: hits. 1: one line twice at once, a miss and a pending
// hit. 2: nothing. 3: a load of 32 lines, four of which are there. 4: stores, which are no loads. 5: all 32 again.
static const char loads_by_period[] =
  FIRST_LOOK WAIT(0, "A") "ld.global.u64 %d5, [%d1]; ld.global.u64 %d5, [%d5]; ld.global.u64 %d5, [%d5];" WAIT(
    1, "B") "ld.global.u64 %d6, [%d1+128]; ld.global.u64 %d7, [%d1+128];" WAIT(2, "C")
    WAIT(
      3,
      "D") "ld.global.u64 %d8, [%d1+256]; ld.global.u64 %d8, [%d8+128]; add.u64 %d9, %d1, %d2;"
           "add.u64 %d9, %d9, %d8; sub.u64 %d9, %d9, %d8; ld.global.u64 %d9, [%d9];" WAIT(4, "E") "add.u64 %d10, %d1, 32768; st.global.u64 [%d10], %d10;" WAIT(
             5, "F") "add.u64 %d9, %d1, %d2; ld.global.u64 %d9, [%d9];" WAIT(6, "G");

static void loads_of_a_period(void **state) {
  (void)state;
  struct run run = {.body = loads_by_period};
  struct stage s = second_launch(rig_new(), &run, 0, false);
  assert_loads(of_period(&s, 0), 2, 0, 1, 0, 0);
  assert_loads(of_period(&s, 1), 0, 1, 1, 0, 0);
  assert_loads(of_period(&s, 2), 0, 0, 0, 0, 0);
  assert_loads(of_period(&s, 3), 4, 0, 2 + 28, 0, 0);
  assert_loads(of_period(&s, 4), 0, 0, 0, 0, 0);
  assert_loads(of_period(&s, 5), 32, 0, 0, 0, 0);
  stage_free(&s);
}

// A block comes in the cycle in which the launch begins, and works from the next.
static void busy_cycles(void **state) {
  (void)state;
  struct run run = {.body = loads_by_period};
  struct rig *rig = rig_new();
  rig_set(rig, "core.count=2");
  struct stage s = second_launch(rig, &run, 0, false);
  const struct seen *seen = of_period(&s, 3);
  uint32_t core = seen->core[0].busy_cycles ? 0 : 1; // that had the block
  assert_int_equal(of_period(&s, 0)->core[core].busy_cycles, PERIOD - 1);
  assert_int_equal(seen->core[core].busy_cycles, PERIOD);
  assert_int_equal(seen->core[1 - core].busy_cycles, 0);
  // Over the whole run a core is as busy as its launches are long, less the cycle in which each begins.
  uint64_t busy = 0, cycles = 0;
  for (unsigned i = 0; i < run_on.count; i++)
    busy += run_on.seen[i].core[0].busy_cycles + run_on.seen[i].core[1].busy_cycles;
  for (unsigned i = 0; i < s.launches; i++) cycles += s.chip->kernels.kernels[i].counts.cycles;
  assert_in_range(busy, cycles - PERIOD - s.launches, cycles - s.launches);
  stage_free(&s);
  // Three blocks: the third comes a cycle later, to a core that is busy already.
  run.blocks = 3;
  rig = rig_new();
  rig_set(rig, "core.count=2");
  s = second_launch(rig, &run, 0, false);
  for (core = 0; core < 2; core++) assert_int_equal(of_period(&s, 0)->core[core].busy_cycles, PERIOD - 1);
  stage_free(&s);
}

// The same where a policy sends loads of 32 accesses past the cache.
static void bypasses_of_a_period(void **state) {
  (void)state;
  struct run run = {.body = loads_by_period};
  struct stage s = second_launch(rig_new(), &run, 32, false);
  assert_loads(of_period(&s, 0), 2, 0, 1, 0, 0);
  assert_loads(of_period(&s, 3), 0, 0, 2, 32, 0);
  assert_loads(of_period(&s, 5), 0, 0, 0, 32, 0);
  stage_free(&s);
}

// One miss-status register: of two lines asked for at once the second waits for the first one's answer, or goes past.
static void stalls_of_a_period(void **state) {
  (void)state;
  struct run run = {
    .body = FIRST_LOOK WAIT(0, "A") "ld.global.u64 %d6, [%d1+128]; ld.global.u64 %d7, [%d1+256];" WAIT(1, "B")};
  for (int bypass = 0; bypass < 2; bypass++) {
    struct rig *rig = rig_new();
    rig_set(rig, "l1.mshrs=1");
    struct stage s = second_launch(rig, &run, 0, bypass);
    assert_loads(of_period(&s, 0), 0, 0, bypass ? 1 : 2, 0, bypass ? 1 : 0);
    assert_true(bypass ? of_period(&s, 0)->core[0].stall_cycles[WEIR_STALL_MSHR_FULL] == 0
                       : of_period(&s, 0)->core[0].stall_cycles[WEIR_STALL_MSHR_FULL] > 100);
    stage_free(&s);
  }
}

// A request that waits: of each period the cycles that it waited in it, however long that is, and the ends of periods change
// nothing. Returns the cycles, from the launch on, in which it begins and no longer waits; what each period is said to have
// had is added up to that.
struct wait {
  uint64_t from, to, length, first_period;
};

static struct wait wait_seen_by(uint32_t period) {
  struct run run = {
    .body = FIRST_LOOK WAIT(0, "A") "ld.global.u64 %d6, [%d1+128]; ld.global.u64 %d7, [%d1+256];" WAIT(1, "B")};
  struct rig *rig = rig_new();
  rig_set(rig, "l1.mshrs=1");
  struct stage s = stage_new(rig, &run, period);
  struct wait w = {0};
  run_once(&s, &run, 0);
  w.length = run_once(&s, &run, 0);
  for (unsigned i = 0; i < restarting.count; i++) {
    uint64_t waited = restarting.seen[i].core[0].stall_cycles[WEIR_STALL_MSHR_FULL];
    if (restarting.seen[i].launch != 1 || !waited) continue;
    if (!w.from) {
      w.first_period = waited;
      w.from = w.to = restarting.seen[i].all.launch_cycles - waited;
    } else {
      assert_int_equal(w.to, restarting.seen[i].all.launch_cycles - period); // it went on from the last period
    }
    w.to += waited;
  }
  assert_int_equal(w.to - w.from, s.chip->kernels.kernels[1].counts.levels[0].stalls[WEIR_STALL_MSHR_FULL]);
  stage_free(&s);
  return w;
}

static void a_stall_fills_its_periods(void **state) {
  (void)state;
  struct wait fine = wait_seen_by(1), w = wait_seen_by(20);
  uint64_t middle = (fine.from + fine.to) / 2;
  assert_true(fine.to - fine.from > 100);
  assert_int_equal(w.from, fine.from);
  assert_int_equal(w.to, fine.to);
  assert_int_equal(w.length, fine.length);
  w = wait_seen_by((uint32_t)middle);
  assert_int_equal(w.from, fine.from);
  assert_int_equal(w.first_period, middle - fine.from);
  assert_int_equal(w.to, fine.to);
  assert_int_equal(w.length, fine.length);
}

// ---- what: slices -----------------------------------------------------------------------------------------------------------

// Where nothing else is on its way, a piece of a request spends one cycle of the slices' clock in the input queue: in by the
// end of one, looked up in the next. A line is four sectors, so four pieces.
static void assert_utilisation(double cache_mhz, unsigned cycles) {
  struct run run = {.body = FIRST_LOOK WAIT(0, "A") "ld.global.u64 %d6, [%d1+128];" WAIT(
                      1, "B") "ld.global.u64 %d7, [%d1+4096]; ld.global.u64 %d8, [%d1+8192];" WAIT(2, "C")};
  struct rig *rig = rig_new();
  rig_set(rig, "clocks.core_mhz=1000");
  rig_set(rig, "clocks.cache_mhz=%g", cache_mhz);
  rig_set(rig, "l2.input_queue=10");
  struct stage s = second_launch(rig, &run, 0, false);
  unsigned pieces[2][MAX_SLICES] = {0};
  static const unsigned offsets[3] = {128, 4096, 8192}, periods[3] = {0, 1, 1};
  for (unsigned i = 0; i < 3; i++)
    pieces[periods[i]][weir_slice_of(&s.chip->fabric.map, s.buffer + offsets[i], &(uint64_t){0})] += 4;
  for (unsigned n = 0; n < 2; n++) {
    const struct seen *seen = of_period(&s, n);
    assert_int_equal(seen->all.slices, 12);
    for (unsigned i = 0; i < 12; i++) assert_true(seen->slice[i].input_utilisation == pieces[n][i] / (10.0 * cycles));
  }
  stage_free(&s);
}

static void utilisation_of_a_slice(void **state) {
  (void)state;
  assert_utilisation(1000, PERIOD);
  assert_utilisation(500, PERIOD / 2);
}

// Cycles between two launches belong to no period: the same loads, the same utilisation, however long the pause.
static void pauses_do_not_count(void **state) {
  (void)state;
  struct run run = {.body = "ld.param.u64 %d1, [a]; ld.global.u64 %d2, [%d1]; ld.global.u64 %d2, [%d2+8192];"};
  double seen[2][MAX_SLICES];
  for (unsigned pause = 0; pause < 2; pause++) {
    struct stage s = stage_new(rig_new(), &run, 10000);
    uint64_t ran = run_once(&s, &run, 0);
    stage_free(&s);
    s = stage_new(rig_new(), &run, (uint32_t)ran + 300); // ends in the second launch
    run_once(&s, &run, 0);
    run_once(&s, &run, pause * 100000);
    assert_int_equal(run_on.count, 1);
    assert_int_equal(run_on.seen[0].launch, 1);
    for (unsigned i = 0; i < 12; i++) seen[pause][i] = run_on.seen[0].slice[i].input_utilisation;
    stage_free(&s);
  }
  for (unsigned i = 0; i < 12; i++) assert_true(seen[0][i] == seen[1][i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(periods_end_on_the_cycle), cmocka_unit_test(all_caches_are_told),
    cmocka_unit_test(instructions_of_a_period), cmocka_unit_test(busy_cycles),
    cmocka_unit_test(loads_of_a_period),        cmocka_unit_test(bypasses_of_a_period),
    cmocka_unit_test(stalls_of_a_period),       cmocka_unit_test(a_stall_fills_its_periods),
    cmocka_unit_test(utilisation_of_a_slice),   cmocka_unit_test(pauses_do_not_count),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
