// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What policies of a shared cache see on chips of CPU and GPU cores, by a policy that only writes it down, and what
// HeLM and TAP make of programs whose nature is known.
#include "cpu_program.h"
#include "device.h"

#include "chip/mix.h"

enum { LLC = 1, REQUESTERS = 4, CORES = 4, LANES = 64, BLOCK_WARPS = 8, PERIOD = 20000 };

// Of apu-1c4g: four tiles of 256 sets, of which eight lead for either threshold.
enum { LEADER_STRIDE = 256 / 8 };

// ---- the policy that writes down ------------------------------------------------------------------------------------

static struct notes {
  uint64_t first[REQUESTERS], last[REQUESTERS]; // lines seen
  uint64_t accesses[REQUESTERS], wrong_port[REQUESTERS], ready_of_cpus;
  uint64_t loads, ready, most_ready; // the GPU's: requests, the sum and the most of ready warps
  uint64_t low_misses, high_misses;  // program 1's, in HeLM's leader sets
  uint64_t periods, differing_cores, instructions[CORES];
  uint64_t told, counted; // ends of periods, in any tile; accesses that they were told of
} notes;

static uint32_t gpu_cores;
static enum weir_scope_kind spy_scope = WEIR_SCOPE_LEVEL;

static void look(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  ++*(uint64_t *)c->state;
  assert_in_range(a->requester, 0, REQUESTERS - 1);
  const uint64_t o = a->requester;
  notes.first[o] = notes.accesses[o] && notes.first[o] < a->line ? notes.first[o] : a->line;
  notes.last[o] = a->line > notes.last[o] ? a->line : notes.last[o];
  notes.accesses[o]++;
  notes.wrong_port[o] += o ? a->core != gpu_cores + o - 1 : a->core >= gpu_cores;
  if (o) notes.ready_of_cpus += a->ready_warps;
  if (o == 1 && way == WEIR_NO_WAY && a->kind != WEIR_ACCESS_WRITEBACK) {
    notes.low_misses += a->set % LEADER_STRIDE == 0;
    notes.high_misses += a->set % LEADER_STRIDE == 1;
  }
  if (o || a->transactions != LANES * 4 / LINE) return; // what cores fetch of their programs is one transaction
  notes.loads++;
  notes.ready += a->ready_warps;
  notes.most_ready = a->ready_warps > notes.most_ready ? a->ready_warps : notes.most_ready;
}

static size_t one_number(const struct weir_geometry *g) {
  (void)g;
  return sizeof(uint64_t);
}

static void forget(struct weir_cache_view *c) {
  *(uint64_t *)c->state = 0;
}

static void epoch(struct weir_cache_view *c, const struct weir_sensors *s) {
  notes.told++;
  for (uint32_t i = 0; i < c->scope->count; i++) {
    assert_int_equal(c->scope->caches[i]->instance, c->scope->count > 1 ? i : c->instance);
    notes.counted += *(uint64_t *)c->scope->caches[i]->state;
    forget(c->scope->caches[i]);
  }
  if (c->instance) return;
  assert_int_equal(s->cores, CORES); // the GPU's; CPU cores are not sampled
  notes.periods++;
  for (uint32_t i = 0; i < s->cores; i++) notes.instructions[i] += s->core[i].instructions;
}

static uint32_t period(const struct weir_geometry *g) {
  (void)g;
  return PERIOD;
}

static uint64_t no_bits(const struct weir_geometry *g) {
  (void)g;
  return 0;
}

static const struct weir_knob spy_knobs[] = {WEIR_SCOPE_KNOB(WEIR_SCOPE_LEVEL, "h"), {0}};

static const struct weir_policy spy = {.abi = WEIR_POLICY_ABI,
                                       .kind = WEIR_POLICY_BYPASS,
                                       .name = "spy",
                                       .summary = "s",
                                       .citation = "c",
                                       .cost_bits = no_bits,
                                       .look = look,
                                       .knobs = spy_knobs,
                                       .cache_bytes = one_number,
                                       .warmed_up = forget,
                                       .epoch_cycles = period,
                                       .epoch = epoch};

// ---- a chip with programs -------------------------------------------------------------------------------------------

struct mix {
  struct device d;
  struct programs programs;
};

static void open_mix(struct mix *m, const char *chip, const char *scheme) {
  notes = (struct notes){0};
  *m = (struct mix){.d = {.memory = weir_memory_create(), .config = read_good(chip)}};
  m->d.scheme = weir_scheme_read(scheme, m->d.config, &m->d.sink);
  assert_clean(&m->d.sink);
  struct weir_level_policies *llc = (struct weir_level_policies *)(uintptr_t)weir_scheme_level(m->d.scheme, LLC);
  assert_null(weir_policy_flaw(&spy));
  weir_policy_defaults(&llc->companions[llc->companion_count], &spy);
  llc->companions[llc->companion_count++].knobs[0] = spy_scope;
  m->d.chip = weir_chip_create(m->d.config, m->d.scheme, 1, &m->d.sink);
  assert_clean(&m->d.sink);
  gpu_cores = m->d.config->core.count;
}

static void add_cpu(struct mix *m, uint64_t lines, uint64_t warmup, uint64_t instructions) {
  add_program(&m->programs, m->d.chip, lines, warmup, instructions);
}

static void close_mix(struct mix *m) {
  close_device(&m->d);
  free_programs(&m->programs);
}

static uint64_t counter(const struct mix *m, const char *policy, const char *name) {
  struct weir_policy_report reports[32];
  const unsigned count = weir_chip_policies(m->d.chip, reports, 32);
  for (unsigned i = 0; i < count; i++)
    for (unsigned k = 0; !strcmp(reports[i].policy->name, policy) && reports[i].policy->counters[k].name; k++)
      if (!strcmp(reports[i].policy->counters[k].name, name)) return reports[i].counters[k];
  fail_msg("%s has no counter %s", policy, name);
  return 0;
}

struct parameters {
  uint64_t data;
  uint32_t rounds, step; // loads of each thread; bytes from one to the next
  uint32_t work;         // loops between two
  uint32_t pairs;        // 1: the first two cores go round 64 KiB of their own each, and wait for each load
};

enum { PAIR_BYTES = 1 << 16 };

// Each thread loads, and works on; nothing waits for what was loaded but on paired cores.
static const char kernel_text[] =
  ".version 7.0\n.target sm_35\n.address_size 64\n"
  ".visible .entry stream(.param .u64 data, .param .u32 rounds, .param .u32 step, .param .u32 work, .param .u32 "
  "pairs) {\n"
  ".reg .b64 %d<6>; .reg .b32 %r<16>; .reg .pred %p<4>;\n"
  "ld.param.u64 %d0, [data]; ld.param.u32 %r4, [rounds]; ld.param.u32 %r5, [step]; ld.param.u32 %r6, [work];\n"
  "ld.param.u32 %r10, [pairs]; mov.u32 %r9, 0;\n"
  "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mul.lo.u32 %r12, %r3, 4; mad.lo.u32 %r3, %r1, "
  "%r2, %r3;\n"
  "mul.lo.u32 %r3, %r3, 4; mov.u32 %r11, %smid; shl.b32 %r10, %r10, 1; setp.lt.u32 %p3, %r11, %r10;\n"
  "mul.lo.u32 %r13, %r2, 4; @%p3 mov.u32 %r5, %r13; shl.b32 %r14, %r11, 16; @%p3 mov.u32 %r3, %r12; @!%p3 shl.b32 "
  "%r14, %r10, 16;\n"
  "cvt.u64.u32 %d1, %r14; add.u64 %d0, %d0, %d1;\n"
  "L: cvt.u64.u32 %d1, %r3; add.u64 %d2, %d0, %d1; ld.global.u32 %r7, [%d2];\n"
  "add.u32 %r3, %r3, %r5; @%p3 and.b32 %r3, %r3, 65535; @%p3 add.u32 %r9, %r9, %r7;\n"
  "mov.u32 %r8, %r6;\n"
  "W: add.u32 %r9, %r9, %r8; sub.u32 %r8, %r8, 1; setp.ne.u32 %p1, %r8, 0; @%p1 bra W;\n"
  "sub.u32 %r4, %r4, 1; setp.ne.u32 %p1, %r4, 0; @%p1 bra L;\nexit;\n}\n";

// One launch of `warps` warps on each core. It is stopped where all programs have had their counts.
static void run_stream(struct mix *m, uint32_t warps, const struct parameters *given) {
  struct code c = load_lanes(&m->d, kernel_text, LANES);
  struct parameters p = *given;
  p.data = weir_memory_alloc(m->d.memory, "data", (uint64_t)p.rounds * p.step + 2 * PAIR_BYTES);
  uint64_t steps = 0;
  struct weir_launch l = {.program = c.program,
                          .kernel = weir_program_kernel(c.program, "stream"),
                          .memory = m->d.memory,
                          .grid = {CORES * warps / BLOCK_WARPS, 1, 1},
                          .block = {BLOCK_WARPS * LANES, 1, 1},
                          .params = &p,
                          .steps = &steps};
  struct weir_fault fault = {0};
  struct weir_backend backend = weir_chip_backend(m->d.chip);
  if (!backend.launch(backend.context, &l, &fault)) assert_true(weir_chip_mix_done(m->d.chip));
  weir_chip_finish(m->d.chip);
  unload(&c);
}

// What all threads load in a round, and nothing of it again.
static struct parameters streaming(uint32_t warps, uint32_t rounds, uint32_t work) {
  return (struct parameters){.rounds = rounds, .step = CORES * warps * LANES * 4, .work = work};
}

// ---- who asks -------------------------------------------------------------------------------------------------------

// No line is two programs', each comes by the ports of its own cores, and only the GPU's requests have ready warps.
static void programs_are_told_apart(void **state) {
  (void)state;
  struct mix m;
  open_mix(&m, "apu-2c4g", "lru");
  add_cpu(&m, 8192, 0, 200);
  add_cpu(&m, 8192, 0, 200);
  const struct parameters p = streaming(16, 400, 10);
  run_stream(&m, 16, &p);
  for (unsigned o = 0; o < 3; o++) {
    assert_true(notes.accesses[o] >= 200);
    assert_int_equal(notes.wrong_port[o], 0);
    for (unsigned other = 0; other < 3; other++)
      assert_true(o == other || notes.last[o] < notes.first[other] || notes.first[o] > notes.last[other]);
  }
  assert_int_equal(notes.ready_of_cpus, 0);
  close_mix(&m);
}

// No more warps are ready than there are; and the more there are, the more are.
static void requests_carry_ready_warps(void **state) {
  (void)state;
  double before = 0;
  for (uint32_t warps = 8; warps <= 64; warps *= 2) {
    struct mix m;
    open_mix(&m, "apu-1c4g", "lru");
    const struct parameters p = streaming(warps, 60, 64);
    run_stream(&m, warps, &p);
    const double mean = (double)notes.ready / (double)notes.loads;
    assert_int_equal(notes.loads, CORES * warps * 60 * LANES * 4 / LINE);
    assert_in_range(notes.most_ready, 1, warps);
    assert_true(mean > before);
    before = mean;
    close_mix(&m);
  }
}

// What a program does before the run begins is in no period: of its 20,000 misses then, none.
static void warming_up_is_in_no_period(void **state) {
  (void)state;
  struct mix m;
  open_mix(&m, "apu-1c4g", "lru");
  add_cpu(&m, 65536, 20000, 1000);
  const struct parameters p = streaming(8, 60, 64);
  run_stream(&m, 8, &p);
  assert_true(notes.periods > 0);
  assert_true(notes.accesses[1] > 20000);
  assert_true(notes.counted > 0 && notes.counted <= notes.accesses[0] + notes.accesses[1] - 20000);
  close_mix(&m);
}

// The same periods end, and the same accesses were in them, whether the level is told or each of its four tiles.
static void scopes_are_told(void **state) {
  (void)state;
  uint64_t counted = 0, periods = 0;
  for (unsigned level = 0; level < 2; level++) {
    struct mix m;
    spy_scope = level ? WEIR_SCOPE_LEVEL : WEIR_SCOPE_PART;
    open_mix(&m, "apu-1c4g", "lru");
    const struct parameters p = streaming(8, 60, 64);
    run_stream(&m, 8, &p);
    assert_int_equal(notes.told, notes.periods * (level ? 1 : 4));
    assert_true(notes.periods > 0 && notes.counted > 0);
    if (level) assert_true(notes.periods == periods && notes.counted == counted);
    periods = notes.periods;
    counted = notes.counted;
    close_mix(&m);
  }
}

// ---- HeLM -----------------------------------------------------------------------------------------------------------

// The share of the GPU's loads that bypass with so many warps; within the first period, in which followers have the
// high threshold.
static double bypassed(uint32_t warps) {
  struct mix m;
  open_mix(&m, "apu-1c4g", "helm");
  const struct parameters p = streaming(warps, 40, 64);
  run_stream(&m, warps, &p);
  const double share = (double)counter(&m, "helm", "bypassed_loads") / (double)notes.loads;
  close_mix(&m);
  return share;
}

// Up to eight ready: below both thresholds (15 and 47), nothing bypasses. Some 20 of 24: below the high one; that is
// what holds but for core 0, a quarter of the requests, and one set in 32: 1/4 of 30/32, and 1/32. Most of 64: above
// both.
static void more_ready_warps_bypass_more(void **state) {
  (void)state;
  const double few = bypassed(8), some = bypassed(24), many = bypassed(64);
  assert_true(few <= 0);
  assert_true(some > 0.1 && some <= 0.25 * 30 / 32 + 1.0 / 32 + 0.01);
  assert_true(many > 0.7);
}

static const char over_lru[] =
  "name: test\nsummary: s\ncitation: c\npolicies:\n  - cache: shared\n    replace: lru\n    bypass: [helm]\n";

// Beside a stream of 40 warps, which are fewer than the high threshold and mostly more than the low one, a program that
// lives in the LLC (1 MiB of 2) misses less in the sets where the stream bypasses. One that goes round 4 MiB misses
// everywhere alike.
static void misses_tell_sensitive_programs(void **state) {
  (void)state;
  for (unsigned sensitive = 0; sensitive < 2; sensitive++) {
    struct mix m;
    open_mix(&m, "apu-1c4g", write_yaml(over_lru));
    const uint64_t lines = sensitive ? 16384 : 65536;
    add_cpu(&m, lines, lines, 32768);
    weir_chip_add_gpu(m.d.chip, "stream", 1);
    const struct parameters p = streaming(40, 12000, 16);
    run_stream(&m, 40, &p);
    const double low = (double)notes.low_misses, high = (double)notes.high_misses;
    assert_true(high > 500);
    assert_true(sensitive ? low < 0.8 * high : low > 0.9 * high && low < 1.1 * high);
    close_mix(&m);
  }
}

// ---- TAP ------------------------------------------------------------------------------------------------------------

// Cores that only stream lose nothing where their lines leave soon. Two that go round 64 KiB each, too much for their
// L1s, beside two that stream: where lines leave soon, each load waits for memory, and where they stay, for the LLC.
static void sampled_cores_tell_sensitivity(void **state) {
  (void)state;
  for (uint32_t pairs = 0; pairs < 2; pairs++) {
    struct mix m;
    open_mix(&m, "apu-1c4g", "tap-rrip,tap_period=20000,llc.size_kib=256");
    add_cpu(&m, 1u << 20, 0, 2000);
    struct parameters p = streaming(8, 12000, 1);
    p.pairs = pairs;
    run_stream(&m, 8, &p);
    uint64_t all = 0;
    for (unsigned i = 0; i < CORES; i++) all += notes.instructions[i];
    assert_true(notes.periods > 3 && all > 0 && all <= weir_chip_total(m.d.chip)->warp_instructions);
    const uint64_t matters = counter(&m, "tap-rrip", "mild_periods") + counter(&m, "tap-rrip", "strong_periods");
    assert_true(pairs ? matters > 0 : matters == 0 && counter(&m, "tap-rrip", "insensitive_periods") > 0);
    assert_true(!pairs || (double)notes.instructions[0] < 0.97 * (double)notes.instructions[1]);
    close_mix(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(programs_are_told_apart),        cmocka_unit_test(requests_carry_ready_warps),
    cmocka_unit_test(warming_up_is_in_no_period),     cmocka_unit_test(scopes_are_told),
    cmocka_unit_test(more_ready_warps_bypass_more),   cmocka_unit_test(misses_tell_sensitive_programs),
    cmocka_unit_test(sampled_cores_tell_sensitivity),
  };
  return cmocka_run_group_tests(tests, NULL, remove_yaml);
}
