// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// How many blocks a core holds and what limits them, by hand, for the bundled chips.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "chip/chip.h"
#include "config/chip_file.h"
#include "scheme/scheme.h"
#include "config/config.h"
#include "gpu/occupancy.h"

struct cores {
  struct weir_chip_config *fermi, *kepler, *gcn;
};

static struct weir_chip_config *read_chip(const char *name) {
  char path[4096];
  struct weir_sink sink = {0};
  snprintf(path, sizeof path, WEIR_SOURCE_DIR "/chips/%s.yaml", name);
  struct weir_chip_config *c = weir_chip_read(path, &sink);
  assert_non_null(c);
  return c;
}

static int set_up(void **state) {
  static struct cores c;
  c = (struct cores){read_chip("fermi-gtx480"), read_chip("kepler-titan-black"), read_chip("gcn-apu")};
  *state = &c;
  return 0;
}

static int tear_down(void **state) {
  struct cores *c = *state;
  weir_chip_config_free(c->fermi);
  weir_chip_config_free(c->kepler);
  weir_chip_config_free(c->gcn);
  return 0;
}

static void assert_holds(const struct weir_chip_config *c, const struct weir_kernel *k, uint64_t threads,
                         uint32_t blocks, enum weir_occupancy_limit limit) {
  const struct weir_occupancy o = weir_occupancy(&c->core, k, 0, threads, 0, 0);
  assert_int_equal(o.blocks, blocks);
  assert_int_equal(o.limit, limit);
}

// 48 warps, 8 blocks, 32768 registers, 48 KiB. A thread's registers in fours: GPGPU-Sim's shader_core_config::max_cta.
static void fermi(void **state) {
  const struct weir_chip_config *c = ((struct cores *)*state)->fermi;
  struct weir_kernel k = {.name = "k", .registers = 20};
  assert_holds(c, &k, 64, 8, WEIR_LIMITED_BY_BLOCKS);
  assert_holds(c, &k, 256, 6, WEIR_LIMITED_BY_WARPS);     // 48 / 8; 32768 / (20 × 256) is 6 too
  k.registers = 21;                                       // counts as 24
  assert_holds(c, &k, 256, 5, WEIR_LIMITED_BY_REGISTERS); // 32768 / 6144
  k.registers = 32;
  assert_holds(c, &k, 256, 4, WEIR_LIMITED_BY_REGISTERS);
  assert_holds(c, &k, 225, 4, WEIR_LIMITED_BY_REGISTERS); // a block of 225 has eight warps as well
  k = (struct weir_kernel){.name = "k", .registers = 20, .shared_bytes = 16380, .shared_align = 8};
  assert_holds(c, &k, 256, 3, WEIR_LIMITED_BY_SHARED); // 49152 / 16384
}

// 64 warps, 16 blocks, 65536 registers, a warp's in 256: the CUDA occupancy calculator, compute capability 3.5.
static void kepler(void **state) {
  const struct weir_chip_config *c = ((struct cores *)*state)->kepler;
  struct weir_kernel k = {.name = "k", .registers = 32};
  assert_holds(c, &k, 256, 8, WEIR_LIMITED_BY_WARPS);
  k.registers = 33;                                       // 1056 of a warp count as 1280
  assert_holds(c, &k, 256, 6, WEIR_LIMITED_BY_REGISTERS); // 65536 / 10240
  k.registers = 37;                                       // the same, as would 40
  assert_holds(c, &k, 256, 6, WEIR_LIMITED_BY_REGISTERS);
  k.registers = 41;                                       // 1312 count as 1536
  assert_holds(c, &k, 256, 5, WEIR_LIMITED_BY_REGISTERS); // 65536 / 12288
}

// 40 wavefronts of 64, 16 groups, 65536 registers in fours.
static void gcn(void **state) {
  const struct weir_chip_config *c = ((struct cores *)*state)->gcn;
  struct weir_kernel k = {.name = "k", .registers = 24};
  assert_holds(c, &k, 256, 10, WEIR_LIMITED_BY_WARPS);
  k.registers = 25;                                       // 28
  assert_holds(c, &k, 256, 9, WEIR_LIMITED_BY_REGISTERS); // 65536 / 7168
}

// --registers goes before the launch, that before ptxas, that before machine code, and that before the estimate: .maxnreg caps only this.
static void who_says_registers(void **state) {
  const struct cores *c = *state;
  struct weir_core_config core = c->fermi->core;
  struct weir_kernel k = {.name = "k", .registers = 50, .maxnreg = 40};
  struct weir_occupancy o = weir_occupancy(&core, &k, 0, 32, 0, 0);
  assert_int_equal(o.by, WEIR_REGISTERS_BY_ESTIMATE);
  k.registers_counted = true;
  o = weir_occupancy(&core, &k, 0, 32, 0, 0);
  assert_int_equal(o.by, WEIR_REGISTERS_BY_MACHINE_CODE);
  assert_int_equal(o.registers, 50);
  assert_int_equal(o.spilled, 0);
  core.ptxas_registers = "j=16,k=28";
  o = weir_occupancy(&core, &k, 0, 32, 0, 0);
  assert_int_equal(o.by, WEIR_REGISTERS_BY_PTXAS);
  assert_int_equal(o.registers, 28);
  o = weir_occupancy(&core, &k, 24, 32, 0, 0);
  assert_int_equal(o.by, WEIR_REGISTERS_BY_LAUNCH);
  assert_int_equal(o.registers, 24);
  core.kernel_registers = (char *)(uintptr_t) "k=20";
  o = weir_occupancy(&core, &k, 24, 32, 0, 0);
  assert_int_equal(o.by, WEIR_REGISTERS_BY_CHIP);
  assert_int_equal(o.registers, 20);
}

static void assert_registers(const struct weir_chip_config *c, const struct weir_kernel *k, uint32_t said,
                             uint32_t registers, uint32_t spilled) {
  const struct weir_occupancy o = weir_occupancy(&c->core, k, said, 256, 0, 0);
  assert_int_equal(o.registers, registers);
  assert_int_equal(o.spilled, spilled);
}

// .maxnreg; .minnctapersm with .maxntid; the most of a chip. What the launch says stands above them.
static void directives(void **state) {
  const struct cores *c = *state;
  struct weir_kernel k = {.name = "k", .registers = 50, .maxnreg = 40};
  assert_registers(c->fermi, &k, 0, 40, 10);
  assert_registers(c->fermi, &k, 45, 45, 0);
  k = (struct weir_kernel){.name = "k", .registers = 50, .maxntid = {256, 1, 1}, .minnctapersm = 3};
  assert_registers(c->fermi, &k, 0, 40, 10); // 32768 / (3 × 256) = 42.7, in fours
  assert_holds(c->fermi, &k, 256, 3, WEIR_LIMITED_BY_REGISTERS);
  assert_registers(c->kepler, &k, 0, 50, 0); // 65536 / 768 = 85
  k.minnctapersm = 6;
  assert_registers(c->kepler, &k, 0, 40, 10); // a warp has 65536 / 48 = 1365 at most, in 256: 1280
  k = (struct weir_kernel){.name = "k", .registers = 50, .maxntid = {1024, 1, 1}};
  assert_registers(c->fermi, &k, 0, 32, 18); // that one block fits
  k = (struct weir_kernel){.name = "k", .registers = 90};
  assert_registers(c->fermi, &k, 0, 63, 27);
  assert_registers(c->kepler, &k, 0, 90, 0);
}

// 1024 threads of 70 registers fit no core of 65536, but a program that launches them is assembled for them: 64. What is said, and
// what machine code has, is no estimate.
static void an_estimate_gives_way_to_the_block(void **state) {
  const struct cores *c = *state;
  struct weir_kernel k = {.name = "k", .registers = 70};
  struct weir_occupancy o = weir_occupancy(&c->kepler->core, &k, 0, 1024, 0, 0);
  assert_int_equal(o.registers, 64);
  assert_int_equal(o.blocks, 1);
  assert_int_equal(weir_occupancy(&c->kepler->core, &k, 0, 512, 0, 0).registers, 70);
  assert_int_equal(weir_occupancy(&c->kepler->core, &k, 70, 1024, 0, 0).blocks, 0);
  k.registers_counted = true;
  assert_int_equal(weir_occupancy(&c->kepler->core, &k, 0, 1024, 0, 0).blocks, 0);
}

static void what_the_user_says(void **state) {
  (void)state;
  assert_int_equal(weir_registers_said("32", "k"), 32);
  assert_int_equal(weir_registers_said("k=20,32,kk=24", "k"), 20);
  assert_int_equal(weir_registers_said("32,kk=24", "kk"), 24);
  assert_int_equal(weir_registers_said("kk=24", "k"), 0);
  assert_int_equal(weir_registers_said("estimated", "k"), 0);
  assert_null(weir_registers_wrong("k=20,32"));
  assert_null(weir_registers_wrong("estimated"));
  static const char *const bad[] = {"0",     "k=",  "=5", "k=x",    "x",
                                    "65536", "12 ", "-3", "k=5,,3", "99999999999999999999"};
  for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) assert_non_null(weir_registers_wrong(bad[i]));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(fermi),
                                     cmocka_unit_test(kepler),
                                     cmocka_unit_test(gcn),
                                     cmocka_unit_test(who_says_registers),
                                     cmocka_unit_test(an_estimate_gives_way_to_the_block),
                                     cmocka_unit_test(directives),
                                     cmocka_unit_test(what_the_user_says)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
