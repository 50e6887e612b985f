// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What each port of a chip is counted with at its shared cache: it adds up, at every moment at which a program's counts are
// frozen, to what the cache counts of itself; and a program that keeps its lines holds just these, all the time.
#include "cpu_program.h"
#include "device.h"
#include "requesters.h"

#include "chip/mix.h"
#include "mem/network.h"

enum { LLC = 1, WARM_LINES = 8192, LLC_LINES = 2048 * 1024 / LINE };

struct mix {
  struct device d;
  struct programs programs;
};

static void add_cpu(struct mix *m, uint64_t lines, uint64_t warmup, uint64_t instructions) {
  add_program(&m->programs, m->d.chip, lines, warmup, instructions);
}

static void close_mix(struct mix *m) {
  close_device(&m->d);
  free_programs(&m->programs);
}

// A program goes round 8192 lines, twice what its L2 holds and a quarter of the shared cache, after a round that filled that: there
// it holds them and the line of its code from the first cycle to the last, and nothing ever leaves.
static void what_stays_is_held(void **state) {
  (void)state;
  struct mix m = {0};
  open_device(&m.d, "apu-1c4g", NULL);
  assert_int_equal(m.d.config->caches[LLC].size_kib * 1024 / LINE, LLC_LINES);
  add_cpu(&m, WARM_LINES, WARM_LINES, 2 * WARM_LINES);
  struct weir_fault fault = {0};
  assert_true(weir_chip_run_cpus(m.d.chip, &fault));
  const struct weir_chip_program *a;
  assert_int_equal(weir_chip_programs(m.d.chip, &a), 1);
  const struct weir_requester_counts n = weir_chip_requester_counts(m.d.chip, a, LLC, 1);
  const uint64_t period = 769; // ps of 1300 MHz
  assert_int_equal(n.line_cycles, (WARM_LINES + 1) * (a->time_ps / period));
  assert_int_equal(n.at.misses, 0);
  assert_int_equal(n.evictions, 0);
  assert_true(n.at.accesses > WARM_LINES);
  assert_int_equal(a->traffic.dram_reads, 0);
  assert_true(n.never_hit_cycles >= a->time_ps / period); // its code's: the core has it
  assert_true(n.never_hit_cycles < n.line_cycles / 100);
  assert_int_equal(a->traffic.network_bytes, a->total.network_bytes); // there is nobody else
  assert_int_equal(a->traffic.network_flits, a->total.network_flits);
  close_mix(&m);
}

// Each thread adds 1 to a word, then to the next of its own, 1 MiB further on, so many times.
static const char touch[] =
  ".version 7.0\n.target sm_35\n.address_size 64\n"
  ".visible .entry touch(.param .u64 data, .param .u32 rounds) {\n"
  ".reg .b64 %d<4>; .reg .b32 %r<6>; .reg .pred %p<2>;\n"
  "ld.param.u64 %d0, [data]; ld.param.u32 %r4, [rounds];\n"
  "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r3, %r1, %r2, %r3;\n"
  "mul.wide.u32 %d1, %r3, 4; add.u64 %d0, %d0, %d1;\n"
  "L: ld.global.u32 %r5, [%d0]; add.u32 %r5, %r5, 1; st.global.u32 [%d0], %r5; add.u64 %d0, %d0, 1048576;\n"
  "sub.u32 %r4, %r4, 1; setp.ne.u32 %p1, %r4, 0; @%p1 bra L;\nexit;\n}\n";

enum { ROUNDS = 8, BLOCKS = 1024, THREADS = 256 };

static void run_touch(struct mix *m) {
  struct code c = load_lanes(&m->d, touch, 64);
  struct {
    uint64_t data;
    uint32_t rounds;
  } p = {weir_memory_alloc(m->d.memory, "data", (uint64_t)ROUNDS << 20), ROUNDS};
  launch(&m->d, &c, "touch", BLOCKS, THREADS, &p);
  weir_chip_gpu_ended(m->d.chip);
  unload(&c);
}

// The GPU goes through 8 MiB and two CPU programs through 512 KiB and 2 MiB, in a cache of 4 MiB: all of them lose lines, to others
// too. Whenever one has reached its count, what all ports were counted with is what the cache has counted.
static void ports_add_up(void **state) {
  (void)state;
  struct mix m = {0};
  open_device(&m.d, "apu-2c4g", NULL);
  add_cpu(&m, 8192, 5000, 20000);
  add_cpu(&m, 32768, 5000, 6000);
  weir_chip_add_gpu(m.d.chip, "touch", 0);
  run_touch(&m);
  struct weir_fault fault = {0};
  if (!weir_chip_mix_done(m.d.chip)) assert_true(weir_chip_run_cpus(m.d.chip, &fault));
  const struct weir_chip_program *a;
  assert_int_equal(weir_chip_programs(m.d.chip, &a), 3);
  const uint64_t lines = 2 * LLC_LINES;
  for (unsigned i = 0; i < 3; i++) {
    assert_true(a[i].counted);
    const struct weir_requester_counts n = sum_of(a[i].by_port[LLC], a[i].port_count);
    assert_adds_up(&n, &a[i].total.levels[LLC]);
    assert_true(n.line_cycles <= lines * (a[i].time_ps / 769));
    const struct weir_requester_counts own = weir_chip_requester_counts(m.d.chip, &a[i], LLC, a[i].requester);
    assert_true(own.at.accesses && own.at.accesses < n.at.accesses && own.line_cycles &&
                own.line_cycles < n.line_cycles);
    assert_true(own.evicted_by_others <= own.evictions);
    assert_true(a[i].traffic.dram_reads <= a[i].total.dram.reads &&
                a[i].traffic.network_bytes < a[i].total.network_bytes);
  }
  struct weir_requester_counts *ports = weir_chip_by_port(m.d.chip, LLC, true);
  const struct weir_requester_counts end = sum_of(ports, a[0].port_count);
  assert_adds_up(&end, &weir_chip_total(m.d.chip)->levels[LLC]);
  assert_true(end.evicted_by_others && end.evicted_by_others < end.evictions);
  weir_free(ports);
  close_mix(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_stays_is_held), cmocka_unit_test(ports_add_up)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
