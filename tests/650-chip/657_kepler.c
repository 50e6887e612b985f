// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// kepler-titan-black against what Mokhtari and Stumm (MEMSYS 2015) state of the board: section 2.1 (geometry, latencies
// of isolated accesses), section 2.3 and figures 5 and 6 (throughput of 4-way coalesced accesses), measured by kernels.
#include "device.h"

#include <math.h>

#define CHIP "kepler-titan-black"
#define HEAD ".version 7.0\n.target sm_35\n.address_size 64\n"

// ---- geometry -------------------------------------------------------------------------------------------------------

static void has_the_geometry_of_the_paper(void **state) {
  (void)state;
  struct weir_chip_config *c = read_good(CHIP);
  assert_int_equal(c->core.count, 15);
  assert_int_equal(c->core.max_warps * c->core.warp_lanes, 2048);
  assert_int_equal(c->core.main_units * c->core.lanes_per_cycle, 192);
  assert_int_equal(c->core.registers, 65536);
  assert_int_equal(c->core.shared_bytes + c->caches[0].size_kib * 1024, 65536);
  assert_true(c->core.skip_l1_global);
  assert_int_equal(c->caches[0].line_bytes, 128);
  assert_int_equal(c->caches[1].size_kib, 1536);
  assert_int_equal(c->caches[1].sector_bytes, 32);
  // 7 Gbit/s on 384 pins are 336 GB/s.
  double bytes_per_cycle = (double)c->dram.channels * c->dram.atom_bytes / c->dram.burst_cycles;
  assert_true(fabs(bytes_per_cycle * c->clocks.dram_mhz / 1000 - 336) < 1e-9);
  assert_true(fabs(c->device.compute_capability - 3.5) < 1e-9);
  assert_int_equal(c->device.memory_mib, 6144);
  weir_chip_config_free(c);
}

static void divides_64_kib_in_three_ways(void **state) {
  (void)state;
  static const char *const splits[][3] = {{"l1.size_kib=16", "l1.ways=4", "core.shared_bytes=49152"},
                                          {"l1.size_kib=32", "l1.ways=4", "core.shared_bytes=32768"},
                                          {"l1.size_kib=48", "l1.ways=6", "core.shared_bytes=16384"}};
  for (unsigned i = 0; i < 3; i++) {
    struct weir_chip_config *c = read_good(CHIP);
    struct weir_sink sink = {0};
    for (unsigned k = 0; k < 3; k++) assert_true(weir_chip_set(c, splits[i][k], "--set", &sink));
    assert_true(weir_chip_validate(c, &sink));
    assert_int_equal(weir_chip_sets(c, 0), i ? 64 : 32);
    weir_chip_config_free(c);
  }
}

static void holds_2048_threads(void **state) {
  (void)state;
  struct weir_chip_config *c = read_good(CHIP);
  struct weir_kernel k = {.registers = 32};
  assert_int_equal(weir_chip_occupancy(c, &k, 1024, 0, 0), 2); // two full-sized blocks; 65536 registers are 32 of each
  assert_int_equal(weir_chip_occupancy(c, &k, 128, 0, 0), 16); // 64 warps
  assert_int_equal(weir_chip_occupancy(c, &k, 32, 0, 0), 16);  // blocks
  k.registers = 64;
  assert_int_equal(weir_chip_occupancy(c, &k, 1024, 0, 0), 1);
  k.registers = 32;
  assert_int_equal(weir_chip_occupancy(c, &k, 1024, 24576, 0), 2);
  assert_int_equal(weir_chip_occupancy(c, &k, 1024, 24577, 0), 1);
  weir_chip_config_free(c);
}

// ---- latencies of isolated accesses ---------------------------------------------------------------------------------

// One thread follows pointers, four loads per round; what the loop itself does fits into a load's time.
#define CHASE(NAME, LOAD)                                                                                              \
  ".visible .entry " NAME "(.param .u64 from, .param .u32 rounds) {\n"                                                 \
  ".reg .b64 %p; .reg .b32 %n; .reg .pred %q;\n"                                                                       \
  "ld.param.u64 %p, [from]; ld.param.u32 %n, [rounds];\n"                                                              \
  "L: " LOAD LOAD LOAD LOAD "sub.u32 %n, %n, 1; setp.ne.u32 %q, %n, 0; @%q bra L; exit; }\n"

static const char chases[] =
  HEAD CHASE("by_default", "ld.global.u64 %p, [%p];\n") CHASE("ca", "ld.global.ca.u64 %p, [%p];\n") CHASE(
    "cg",
    "ld.global.cg.u64 %p, [%p];\n") ".visible .entry in_shared(.param .u64 from, .param .u32 rounds) { .reg .b32 %p, %n; .reg .pred %q;\n"
                                    ".shared .align 4 .u32 self; ld.param.u32 %n, [rounds]; mov.u32 %p, self; st.shared.u32 [%p], %p;\n"
                                    "L: ld.shared.u32 %p, [%p]; ld.shared.u32 %p, [%p]; ld.shared.u32 %p, [%p]; ld.shared.u32 %p, [%p];\n"
                                    "sub.u32 %n, %n, 1; setp.ne.u32 %q, %n, 0; @%q bra L; exit; }\n";

struct chase_params {
  uint64_t from;
  uint32_t rounds;
};

// A ring of `count` pointers `step` bytes apart; each is to the one `stride` further (odd, so that all are met).
static uint64_t make_ring(struct device *d, uint64_t count, uint64_t step, uint64_t stride) {
  uint64_t ring = weir_memory_alloc(d->memory, "ring", count * step);
  for (uint64_t i = 0; i < count; i++)
    *(uint64_t *)weir_memory_at(d->memory, ring + i * step, 8) = ring + (i + stride) % count * step;
  return ring;
}

// Cycles per load: what twice as many take longer. What is read again is in the caches by then.
static double measure(struct device *d, const struct code *c, const char *kernel, uint64_t from, uint64_t again,
                      uint32_t rounds) {
  if (again == from) launch(d, c, kernel, 1, 1, &(struct chase_params){from, rounds});
  uint64_t once = launch(d, c, kernel, 1, 1, &(struct chase_params){from, rounds});
  uint64_t twice = launch(d, c, kernel, 1, 1, &(struct chase_params){again, 2 * rounds});
  return (double)(twice - once) / (4.0 * rounds);
}

static void assert_takes(const char *what, double cycles, double stated) {
  if (fabs(cycles - stated) > 0.02 * stated) fail_msg("%s takes %.2f cycles, not %g", what, cycles, stated);
}

static void isolated_accesses_take_the_stated_cycles(void **state) {
  (void)state;
  enum { LINES = 48, LINE = 128, ROUNDS = 100 };
  struct device d;
  open_device(&d, CHIP, NULL);
  struct code c = load(&d, chases);
  uint64_t ring = make_ring(&d, LINES, LINE, 1); // over all slices: 6 KiB in blocks of 256 bytes
  assert_takes("shared memory", measure(&d, &c, "in_shared", ring, ring, ROUNDS), 80);
  assert_takes("L1", measure(&d, &c, "ca", ring, ring, ROUNDS), 80);
  assert_takes("L2", measure(&d, &c, "by_default", ring, ring, ROUNDS), 240);
  // 64 MiB, each sector once: about every access finds its bank at another row.
  enum { FAR = 4096, STEP = 16384, STRIDE = 1237 };
  uint64_t far = make_ring(&d, FAR, STEP, STRIDE), further = far + UINT64_C(4) * ROUNDS * STRIDE % FAR * STEP;
  assert_takes("DRAM", measure(&d, &c, "by_default", far, further, ROUNDS), 350);
  unload(&c);
  close_device(&d);
}

// A loop of twice as many dependent additions.
static void a_dependent_operation_takes_ten_cycles(void **state) {
  (void)state;
  enum { ADDS = 32, ROUNDS = 50 };
  struct device d;
  open_device(&d, CHIP, NULL);
  double cycles[2];
  for (unsigned i = 0; i < 2; i++) {
    char text[8192];
    int length = snprintf(text, sizeof text,
                          HEAD ".visible .entry adds(.param .u64 from, .param .u32 rounds) {\n"
                               ".reg .b32 %%a, %%n; .reg .pred %%q; ld.param.u32 %%n, [rounds]; mov.u32 %%a, 1;\nL:\n");
    for (unsigned k = 0; k < ADDS * (i + 1); k++)
      length += snprintf(text + length, sizeof text - (size_t)length, "add.u32 %%a, %%a, 1;\n");
    snprintf(text + length, sizeof text - (size_t)length,
             "sub.u32 %%n, %%n, 1; setp.ne.u32 %%q, %%n, 0; @%%q bra L; exit; }\n");
    struct code c = load(&d, text);
    cycles[i] = 4 * measure(&d, &c, "adds", 0, 0, ROUNDS);
    unload(&c);
  }
  assert_true(fabs((cycles[1] - cycles[0]) / ADDS - 10) < 1e-9);
  close_device(&d);
}

// ---- the L1 is for loads that ask for it ----------------------------------------------------------------------------

static uint64_t l1_hits(struct device *d, const struct code *c, const char *kernel, uint64_t from) {
  uint64_t before = weir_chip_total(d->chip)->levels[0].loads.hits;
  launch(d, c, kernel, 1, 1, &(struct chase_params){from, 10});
  return weir_chip_total(d->chip)->levels[0].loads.hits - before;
}

static void only_loads_that_ask_use_the_l1(void **state) {
  (void)state;
  for (unsigned all = 0; all < 2; all++) {
    struct device d;
    open_device(&d, CHIP, all ? "core.skip_l1_global=false" : NULL);
    struct code c = load(&d, chases);
    uint64_t self = make_ring(&d, 1, 8, 0);
    assert_int_equal(l1_hits(&d, &c, "by_default", self), all ? 39 : 0); // of 40, all but the first
    assert_int_equal(l1_hits(&d, &c, "ca", self), 39);
    assert_int_equal(l1_hits(&d, &c, "cg", self), 0);
    unload(&c);
    close_device(&d);
  }
}

// ---- throughput -----------------------------------------------------------------------------------------------------

// Four lanes read 16 bytes that lie together, groups of four 128 bytes apart; every thread has three loads in flight
// (the paper does not say how many; with three, figure 5's curves flatten where they do), and goes on for `cycles`. All
// threads together read a window of 128 bytes per group, then the next.
static const char reads[] =
  HEAD ".visible .entry global(.param .u64 from, .param .u32 mask, .param .u32 window, .param .u32 cycles) {\n"
       ".reg .b64 %a, %b, %d, %now, %end; .reg .b32 %r<8>; .reg .pred %q;\n"
       "ld.param.u64 %a, [from]; ld.param.u32 %r1, [mask]; ld.param.u32 %r2, [window]; ld.param.u32 %r3, [cycles];\n"
       "mov.u64 %end, %clock64; cvt.u64.u32 %d, %r3; add.u64 %end, %end, %d; bar.sync 0;\n"
       "mov.u32 %r4, %tid.x; mov.u32 %r5, %ctaid.x; mov.u32 %r6, %ntid.x; mad.lo.u32 %r4, %r5, %r6, %r4;\n"
       "shr.u32 %r5, %r4, 2; shl.b32 %r5, %r5, 7; and.b32 %r4, %r4, 3; shl.b32 %r4, %r4, 2; add.u32 %r5, %r5, %r4;\n"
       "L: and.b32 %r6, %r5, %r1; cvt.u64.u32 %d, %r6; add.u64 %b, %a, %d; add.u32 %r5, %r5, %r2;\n"
       "ld.global.u32 %r4, [%b]; ld.global.u32 %r6, [%b+32]; ld.global.u32 %r7, [%b+64];\n"
       "add.u32 %r4, %r4, %r6; add.u32 %r4, %r4, %r7;\n"
       "mov.u64 %now, %clock64; setp.lt.u64 %q, %now, %end; @%q bra L; exit; }\n"
       ".visible .entry shared(.param .u64 from, .param .u32 mask, .param .u32 window, .param .u32 cycles) {\n"
       ".reg .b64 %d, %now, %end; .reg .b32 %r<8>; .reg .pred %q; .shared .align 4 .b8 data[4096];\n"
       "ld.param.u32 %r3, [cycles]; mov.u64 %end, %clock64; cvt.u64.u32 %d, %r3; add.u64 %end, %end, %d; bar.sync 0;\n"
       "mov.u32 %r1, %tid.x; shl.b32 %r1, %r1, 2; mov.u32 %r2, data; add.u32 %r1, %r1, %r2;\n"
       "L: ld.shared.u32 %r4, [%r1]; mov.u64 %now, %clock64; setp.lt.u64 %q, %now, %end; add.u32 %r5, %r4, 1;\n"
       "@%q bra L; exit; }\n";

struct read_params {
  uint64_t from;
  uint32_t mask, window, cycles;
};

struct reading {
  uint64_t bytes, cycles;
};

static struct reading read_for(struct device *d, const struct code *c, uint32_t blocks, uint32_t threads,
                               const struct read_params *p) {
  const struct weir_access_counts *l1 = &weir_chip_total(d->chip)->levels[0].loads;
  uint64_t before = l1->bypasses, cycles = launch(d, c, "global", blocks, threads, p);
  return (struct reading){(l1->bypasses - before) * 32, cycles};
}

// GB/s that 4-way coalesced loads move to the SMXs once under way: what they move in 20000 cycles more. `warm`: from a
// MiB that the L2 has; otherwise from memory that nothing has read before.
static double throughput(uint32_t blocks, uint32_t threads, bool warm) {
  enum { RAMP = 5000, CYCLES = 20000 };
  const uint32_t bytes = warm ? 1 << 20 : 1 << 25;
  struct device d;
  open_device(&d, CHIP, NULL);
  struct code c = load(&d, reads);
  uint64_t a = weir_memory_alloc(d.memory, "a", 3 * bytes), next = warm ? 0 : bytes;
  struct weir_backend backend = weir_chip_backend(d.chip);
  if (warm) backend.copied_in(backend.context, a, bytes);
  struct read_params p = {a, bytes - 1, blocks * threads / 4 * 128, 1};
  read_for(&d, &c, blocks, threads, &p); // the instructions are in their caches from here on
  p.from += next, p.cycles = RAMP;
  struct reading first = read_for(&d, &c, blocks, threads, &p);
  p.from += next, p.cycles = RAMP + CYCLES;
  struct reading second = read_for(&d, &c, blocks, threads, &p);
  const struct weir_access_counts *l2 = &weir_chip_total(d.chip)->levels[1].loads;
  if (warm)
    assert_true(l2->misses * 100 < l2->hits);
  else
    assert_true(l2->hits * 100 < l2->misses);
  unload(&c);
  close_device(&d);
  return (double)(second.bytes - first.bytes) / (double)(second.cycles - first.cycles) * 0.98;
}

static void assert_rate(const char *what, double rate, double low, double high) {
  if (rate < low || rate > high) fail_msg("%s: %.1f GB/s, not %g to %g", what, rate, low, high);
}

static void l2_throughput_grows_as_in_figures_5_and_6(void **state) {
  (void)state;
  const double most = 32 * 0.98; // a sector per cycle: "slightly less than 32 GB/s"
  double few = throughput(1, 128, true);
  assert_rate("two times as many threads", throughput(1, 256, true), 1.9 * few, 2.1 * few);
  assert_rate("one block of 512 threads", throughput(1, 512, true), 0.95 * most, 1.01 * most);
  double one = throughput(1, 1024, true);
  assert_rate("one block", one, 0.99 * most, 1.01 * most);
  assert_rate("8 blocks", throughput(8, 1024, true), 7.9 * one, 8.1 * one);
  assert_rate("15 blocks", throughput(15, 1024, true), 456, 480); // "close to 480 GB/s"
}

static void dram_throughput_ends_as_in_figure_6(void **state) {
  (void)state;
  double one = throughput(1, 1024, false);
  assert_rate("one block", one, 29, 32);
  assert_rate("6 blocks", throughput(6, 1024, false), 5.8 * one, 6.1 * one);
  if (WEIR_SANITIZED) return;                                      // for its time
  assert_rate("10 blocks", throughput(10, 1024, false), 285, 315); // "around 300 GB/s"
  assert_rate("15 blocks", throughput(15, 1024, false), 285, 315); // "a peak bandwidth of 307 GB/s"
}

// "In contrast to L2 and DRAM throughput, shared memory throughput within an SMX does not flatten out."
static void shared_memory_does_not_flatten_out(void **state) {
  (void)state;
  enum { CYCLES = 10000 };
  uint64_t accesses[2];
  for (uint32_t i = 0; i < 2; i++) {
    struct device d;
    open_device(&d, CHIP, NULL);
    struct code c = load(&d, reads);
    launch(&d, &c, "shared", 1, 512 * (i + 1), &(struct read_params){0, 0, 0, CYCLES});
    accesses[i] = weir_chip_total(d.chip)->shared_accesses;
    assert_int_equal(weir_chip_total(d.chip)->shared_bank_conflicts, 0);
    unload(&c);
    close_device(&d);
  }
  assert_true(accesses[1] * 10 > accesses[0] * 19);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(has_the_geometry_of_the_paper),
    cmocka_unit_test(divides_64_kib_in_three_ways),
    cmocka_unit_test(holds_2048_threads),
    cmocka_unit_test(isolated_accesses_take_the_stated_cycles),
    cmocka_unit_test(a_dependent_operation_takes_ten_cycles),
    cmocka_unit_test(only_loads_that_ask_use_the_l1),
    cmocka_unit_test(l2_throughput_grows_as_in_figures_5_and_6),
    cmocka_unit_test(dram_throughput_ends_as_in_figure_6),
    cmocka_unit_test(shared_memory_does_not_flatten_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
