// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The chip's clock jumps over the cycles in which nothing can happen. Here is one that does not: every part in every cycle
// of its domain. All counts of a launch must be the same, stalls and idle slots included.
#include "all.h"
#include "gpu_test.h"

static struct naive {
  struct weir_chip *chip;
  struct weir_run_stats counts;
} naive;

static bool deliver(void *context, struct weir_mreq *r) {
  struct weir_chip *c = context;
  return weir_slice_answer(&c->slices[r->slice], r);
}

static void tick_dram(struct weir_chip *c, uint32_t channel, weir_cycle now) {
  uint32_t per = c->config->dram.slices_per_channel;
  struct weir_dram *d = &c->drams[channel];
  weir_dram_tick(d, now, deliver, c);
  for (uint32_t k = 0; k < per && weir_dram_accepts(d); k++) {
    uint32_t s = (c->next_slice[channel] + k) % per;
    struct weir_mreq_queue *q = &c->slices[channel * per + s].to_dram;
    if (!q->head) continue;
    weir_dram_send(d, weir_queue_pop(q), now);
    c->next_slice[channel] = (s + 1) % per;
    return;
  }
}

static void nobody(void *context, uint32_t output, weir_cycle when) {
  (void)context, (void)output, (void)when;
}

// Everything behind the cores that has a cycle at time t.
static void tick_memory(struct weir_chip *c, weir_time t) {
  struct weir_fabric *f = &c->fabric;
  weir_time network = c->clocks.network.period;
  if (t % c->clocks.drams.period == 0)
    for (uint32_t i = 0; i < c->clocks.drams.parts; i++) tick_dram(c, i, t / c->clocks.drams.period);
  if (t % c->clocks.slices.period == 0)
    for (uint32_t i = 0; i < c->clocks.slices.parts; i++)
      weir_slice_tick(&c->slices[i], t / c->clocks.slices.period, t / network, &f->requests, i, &f->replies, i);
  if (t % network == 0) {
    weir_network_tick(&f->requests, t / network, nobody, NULL);
    weir_network_tick(&f->replies, t / network, nobody, NULL);
  }
}

// At most one block per core and cycle, the cores in turn.
static void dispatch(struct weir_chip *c, weir_cycle now) {
  uint32_t n = c->config->core.count, start = c->last_turn;
  for (uint32_t k = 0; k < n && c->next_block < c->blocks; k++) {
    const uint32_t turn = (start + 1 + k) % n, i = c->turns[turn], index[3] = {(uint32_t)c->next_block, 0, 0};
    if (!weir_sm_has_room(&c->sms[i])) continue;
    c->next_block++;
    weir_sm_start_block(&c->sms[i], NULL, index, now);
    c->last_turn = turn;
  }
}

static bool busy(const struct weir_chip *c) {
  bool any = c->next_block < c->blocks;
  for (uint32_t i = 0; i < c->config->core.count; i++) any |= !weir_sm_idle(&c->sms[i]);
  return any;
}

static weir_time next_multiple(weir_time t, weir_time period) {
  return (t / period + 1) * period;
}

static weir_time next_time(const struct weir_chip *c, weir_time t) {
  weir_time next = next_multiple(t, c->clocks.cores.period), u = next_multiple(t, c->clocks.drams.period);
  if (u < next) next = u;
  if ((u = next_multiple(t, c->clocks.slices.period)) < next) next = u;
  if ((u = next_multiple(t, c->clocks.network.period)) < next) next = u;
  return next;
}

static bool launch_naively(void *context, const struct weir_launch *launch, struct weir_fault *fault) {
  struct naive *n = context;
  struct weir_chip *c = n->chip;
  weir_time period;
  weir_chip_build(c);
  weir_chip_learn(c, launch->program);
  period = c->clocks.cores.period;
  c->launch = c->members.all[0].shared.launch = launch;
  c->blocks = launch->grid[0];
  c->last_turn = c->config->core.count - 1;
  for (uint32_t i = 0; i < c->config->core.count; i++) {
    assert_true(weir_sm_prepare(&c->sms[i]) > 0);
    c->sms[i].last_tick = 1;
  }
  dispatch(c, 1); // at cycle 1, as the chip does from reset
  weir_time t = period;
  while (busy(c)) {
    t = next_time(c, t);
    tick_memory(c, t);
    if (t % period) continue;
    for (uint32_t i = 0; i < c->config->core.count; i++) {
      weir_sm_tick(&c->sms[i], t / period, t / c->clocks.network.period);
      if (c->sms[i].fault.raised) *fault = c->sms[i].fault;
    }
    if (busy(c)) dispatch(c, t / period);
  }
  for (uint32_t i = 0; i < c->config->core.count; i++) {
    if (c->config->caches[0].flush_at_kernel_end) weir_sm_flush(&c->sms[i]);
    weir_sm_finish(&c->sms[i]);
  }
  n->counts = c->stats;
  n->counts.cycles = t / period - 1;
  n->counts.time_ps = n->counts.cycles * period;
  n->counts.network_flits = c->fabric.requests.flits_moved + c->fabric.replies.flits_moved;
  n->counts.network_bytes = c->fabric.requests.bytes_moved + c->fabric.replies.bytes_moved;
  return !fault->raised;
}

// Runs the kernel once on a new chip, by the chip's own clock or by the naive one.
static struct weir_run_stats run_once(struct rig *rig, const struct run *run, bool naively) {
  char *text = program_of(run);
  struct weir_module *module = weir_ptx_parse("test.ptx", text, strlen(text), &rig->sink);
  struct weir_memory *memory = weir_memory_create();
  struct weir_program *program = weir_program_build(module, weir_chip_lanes(rig->config),
                                                    weir_code_written(WEIR_ASSEMBLER_SM_35), memory, &rig->sink);
  assert_non_null(program);
  struct weir_host *host = weir_host_create(program, memory, &rig->sink);
  struct weir_chip *chip = weir_chip_create(rig->config, rig->scheme, 1, &rig->sink);
  if (!chip) {
    weir_sink_print(&rig->sink, stderr);
    fail_msg("the chip cannot be built");
  }
  struct weir_backend own = weir_chip_backend(chip), backend = {.context = &naive, .launch = launch_naively};
  naive.chip = chip;
  weir_host_attach(host, naively ? backend : own);
  uint64_t buffer = weir_host_alloc(host, "buffer", 1 << 20); // zeros
  launch(rig, host, run, buffer);
  struct weir_run_stats counts = naively ? naive.counts : chip->kernels.kernels[0].counts;
  weir_host_free(host);
  weir_chip_free(chip);
  weir_program_free(program);
  weir_memory_free(memory);
  weir_module_free(module);
  free(text);
  return counts;
}

static struct weir_run_stats assert_same(struct rig *rig, const char *what, const struct run *run) {
  struct weir_run_stats a = run_once(rig, run, false), b = run_once(rig, run, true);
  const uint64_t *x = (const uint64_t *)&a, *y = (const uint64_t *)&b;
  assert_true(a.cycles > 100);
  for (size_t i = 0; i < sizeof a / sizeof *x; i++)
    if (x[i] != y[i])
      fail_msg("%s: counter %u of weir_run_stats is %llu, tick by tick %llu (cycles %llu, %llu)", what, (unsigned)i,
               (unsigned long long)x[i], (unsigned long long)y[i], (unsigned long long)a.cycles,
               (unsigned long long)b.cycles);
  return a;
}

#define THREAD                                                                                                         \
  "ld.param.u64 %d1, [a]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;"                           \
  "mad.lo.u32 %r4, %r2, %r3, %r1; mov.u32 %r9, 0; "
#define LOOP(count, body) "again: " body " add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, " #count "; @%p1 bra again; "

static const struct {
  const char *what;
  struct run run;
} kernels[] = {
  {"arithmetic",
   {.blocks = 12,
    .threads = 96,
    .body = THREAD LOOP(8,
                        "div.u32 %r5, %r4, 3; mul.lo.u32 %r6, %r5, %r4;"
                        "cvt.rn.f32.u32 %f1, %r6; sqrt.rn.f32 %f2, %f1;")}},
  {"one line per lane",
   {.blocks = 10,
    .threads = 128,
    .body = THREAD LOOP(6,
                        "mad.lo.u32 %r5, %r9, 77, %r4; and.b32 %r5, %r5, 4095; mul.wide.u32 %d2, %r5, 128;"
                        "add.u64 %d3, %d1, %d2; ld.global.u32 %r6, [%d3]; add.u32 %r7, %r7, %r6;")}},
  {"loads and stores",
   {.blocks = 20,
    .threads = 64,
    .body = THREAD LOOP(6,
                        "mad.lo.u32 %r5, %r9, 640, %r4; mul.wide.u32 %d2, %r5, 4; add.u64 %d3, %d1, %d2;"
                        "ld.global.u32 %r6, [%d3]; st.global.u32 [%d3+65536], %r6; membar.gl;")}},
  {"atomics",
   {.blocks = 6,
    .threads = 64,
    .body = THREAD LOOP(
      4, "and.b32 %r5, %r4, 63; mul.wide.u32 %d2, %r5, 4; add.u64 %d3, %d1, %d2; atom.global.add.u32 %r6, [%d3], 1;")}},
  {"scattered loads, stores and atomics",
   {.blocks = 10,
    .threads = 128,
    .body = THREAD LOOP(
      4,
      "mad.lo.u32 %r5, %r9, 77, %r4; and.b32 %r5, %r5, 1023; mul.wide.u32 %d2, %r5, 160; add.u64 %d3, %d1, %d2;"
      "ld.global.u32 %r6, [%d3]; st.global.u32 [%d3], %r9; ld.global.u32 %r7, [%d3+131072];"
      "red.global.add.u32 [%d3+262144], 1; ld.global.u32 %r8, [%d3+128];")}},
  {"lines read again",
   {.blocks = 24,
    .threads = 128,
    .body = THREAD "shr.u32 %r10, %r4, 5; and.b32 %r11, %r4, 7;"
                   "mad.lo.u32 %r5, %r10, 8, %r11; mul.wide.u32 %d2, %r5, 128; add.u64 %d3, %d1, %d2;" LOOP(
                     6, "ld.global.u32 %r6, [%d3]; add.u32 %r7, %r7, %r6;")}},
  {"shared memory and barriers",
   {.blocks = 9,
    .threads = 160,
    .shared_bytes = 8192,
    .body = THREAD "mov.u32 %r8, s; " LOOP(
      5, "mad.lo.u32 %r5, %r1, 36, %r8; st.shared.u32 [%r5], %r9; bar.sync 0; ld.shared.u32 %r6, [%r5]; bar.sync 0;")}},
};

// Returns the scheduler cycles that throttles took.
static uint64_t on_chip(const char *name, const char *scheme, const char *const *overrides) {
  struct rig *rig = calloc(1, sizeof *rig);
  assert_non_null(rig);
  rig->config = weir_chip_read(name, &rig->sink);
  assert_non_null(rig->config);
  rig->scheme = weir_scheme_read(scheme, rig->config, &rig->sink);
  assert_non_null(rig->scheme);
  rig_set(rig, "core.count=3");
  if (!strncmp(name, "fermi",
               5)) { // a third of the memory: what has nothing to do costs the naive clock as much as any part
    rig_set(rig, "dram.channels=2");
    rig_set(rig, "l2.size_kib=256");
  }
  for (; *overrides; overrides++) rig_set(rig, "%s", *overrides);
  uint64_t throttled = 0;
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
    throttled += assert_same(rig, kernels[i].what, &kernels[i].run).issue_slots_throttled;
  rig_free(rig);
  return throttled;
}

static void fermi(void **state) {
  (void)state;
  on_chip("fermi-gtx480", "pcbp", (const char *const[]){NULL});
}

static void gcn(void **state) {
  (void)state;
  on_chip("gcn-apu", "pcbp", (const char *const[]){NULL});
}

// Every queue short, and clocks that share no cycle for long.
#define NARROW                                                                                                         \
  "l1.mshrs=2", "l1.mshr_merges=2", "l1.miss_queue=2", "l2.mshrs=2", "l2.miss_queue=2", "l2.input_queue=8",            \
    "network.input_queue_flits=6", "network.output_queue_packets=2", "dram.queue=2", "dram.return_queue=2",            \
    "dram.request_queue=2", "dram.reply_queue=2", "core.memory_queue=2", "clocks.network_mhz=610",                     \
    "clocks.cache_mhz=530"

static void narrow(void **state) {
  (void)state;
  on_chip("fermi-gtx480", "pcbp", (const char *const[]){NARROW, NULL});
}

// The second level in two partitions: where either clock is the faster one, and with every queue short.
static void partitions(void **state) {
  (void)state;
  on_chip("fermi-gtx480", "lru", (const char *const[]){"l2.partitions=2", "l2.partition_cycles=40", NULL});
  on_chip("fermi-gtx480", "lru",
          (const char *const[]){"clocks.cache_mhz=1530", "l2.partitions=2", "l2.partition_cycles=1", NULL});
  on_chip("fermi-gtx480", "pcbp", (const char *const[]){NARROW, "l2.partitions=2", "l2.partition_cycles=3", NULL});
}

// Loads that wait in queues before the first level; so few and short ones that they are mostly full; and two banks: each
// scheme on one of three chips, on all in `make test-all`.
static void reordered(void **state) {
  (void)state;
  static const char *const schemes[] = {"mrpb", "mrpb-reorder", "mrpb-reorder,drain=round-robin",
                                        "mrpb,queues=3,depth=1", "mrpb-reorder,queues=3,depth=2,drain=longest"};
  for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
    const bool all = test_all();
    if (all || i % 3 == 0) on_chip("fermi-bucl", schemes[i], (const char *const[]){NULL});
    if (all || i % 3 == 1) on_chip("fermi-gtx480", schemes[i], (const char *const[]){NARROW, NULL});
    if (all || i % 3 == 2) on_chip("fermi-bucl", schemes[i], (const char *const[]){NARROW, "l1.banks=2", NULL});
  }
}

// Cores whose throttles hold back warps, and sleep while all that are ready are held back.
static void throttled(void **state) {
  (void)state;
  static const char *const schemes[] = {"swl,warps=1", "swl,warps=3,scope=scheduler,greedy=true",
                                        "swl,warps=2,restrict=loads", "ccws", "ccws,k=1024,base=7,waiting=extend"};
  for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
    if (test_all() || i % 2) assert_true(on_chip("fermi-bucl", schemes[i], (const char *const[]){NULL}) > 0);
    if (test_all() || i % 2 == 0)
      assert_true(on_chip("fermi-gtx480", schemes[i], (const char *const[]){NARROW, NULL}) > 0);
  }
  assert_int_equal(on_chip("fermi-bucl", "swl", (const char *const[]){NULL}), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(fermi),     cmocka_unit_test(gcn),
                                     cmocka_unit_test(narrow),    cmocka_unit_test(partitions),
                                     cmocka_unit_test(reordered), cmocka_unit_test(throttled)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
