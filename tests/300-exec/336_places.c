// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Loads and stores that an instruction makes again, to where it was before or beside it: any lanes, in rows, in half rows, all at one
// word or scattered, up to both ends of a buffer and past them. A model on the host says what each moves, or which lane is wrong.
#include "base/rng.h"
#include "harness.h"

enum { LANES = 32, TURNS = 3, BYTES = 4096, CASES = 60 };

// Turn by turn: lanes of the turn's mask access the address of their own, %rd5 or %a, and keep what they load in %rd6; those that do not
// keep 0xEEEEEEEE. (Less 64, which the access adds.) All but the accesses in question are on either side of the turns: the block's own copy of the data, and back.
#define KERNEL_WITH(access, back)                                                                                         \
  PTX_HEADER                                                                                                              \
  ".visible .entry k(.param .u64 addresses, .param .u64 masks, .param .u64 kept, .param .u64 data) { .reg .pred %p<4>;\n" \
  " .reg .b32 %r<12>, %a, %w, %v<3>; .reg .b64 %rd<12>; .shared .align 16 .b8 own[4096];\n"                               \
  " ld.param.u64 %rd1, [addresses]; ld.param.u64 %rd2, [masks]; ld.param.u64 %rd3, [kept]; ld.param.u64 %rd9, [data];\n"  \
  " mov.u32 %r1, %tid.x; mov.u32 %r2, 1; shl.b32 %r2, %r2, %r1; mov.u32 %r3, 0; mul.wide.u32 %rd4, %r1, 8;\n"             \
  " add.u64 %rd1, %rd1, %rd4; add.u64 %rd3, %rd3, %rd4; shl.b32 %r6, %r1, 2; cvt.u64.u32 %rd4, %r6;\n"                    \
  " add.u64 %rd9, %rd9, %rd4; mov.u32 %r10, own; add.u32 %r6, %r6, %r10; mov.u32 %r7, 0;\n"                               \
  "$A: ld.global.u32 %r8, [%rd9]; st.shared.u32 [%r6], %r8; add.u32 %r6, %r6, 128; add.u64 %rd9, %rd9, 128;\n"            \
  " add.u32 %r7, %r7, 1; setp.lt.u32 %p3, %r7, 32; @%p3 bra $A;\n"                                                        \
  "$L: ld.global.u64 %rd5, [%rd1]; ld.global.u32 %r4, [%rd2]; and.b32 %r4, %r4, %r2; setp.ne.u32 %p1, %r4, 0;\n"          \
  " add.u64 %rd5, %rd5, -64; cvt.u32.u64 %a, %rd5; mov.u64 %rd6, 0xEEEEEEEE; mov.u32 %v1, 0xEEEEEEEE; mov.u32 %v2, 0;\n"  \
  " mad.lo.u32 %w, %r1, 0x01010101, %r3; mov.b64 %rd7, {%w, %w};\n @%p1 " access "\n"                                     \
  " st.global.u64 [%rd3], %rd6; add.u64 %rd1, %rd1, 256; add.u64 %rd2, %rd2, 4; add.u64 %rd3, %rd3, 256;\n"               \
  " add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 3; @%p2 bra $L;\n"                                                         \
  "$B: add.u32 %r6, %r6, -128; add.u64 %rd9, %rd9, -128; ld.shared.u32 %r8, [%r6]; " back "\n"                            \
  " add.u32 %r7, %r7, -1; setp.gt.u32 %p3, %r7, 0; @%p3 bra $B; ret; }\n"
#define KERNEL(access) KERNEL_WITH(access, "")
#define SHARED(access) KERNEL_WITH(access, "st.global.u32 [%rd9], %r8;")
#define FOUR "mov.b64 %rd6, {%v1, 0};"

static const struct access {
  const char *ptx;
  unsigned bytes; // that a lane moves
  bool stores, sign, shared;
} accesses[] = {
  {KERNEL("ld.global.u32 %v1, [%rd5+64]; " FOUR), 4, false, false, false},
  {KERNEL("ld.global.u8 %v1, [%rd5+64]; " FOUR), 1, false, false, false},
  {KERNEL("ld.global.s16 %rd6, [%rd5+64];"), 2, false, true, false},
  {KERNEL("ld.global.u64 %rd6, [%rd5+64];"), 8, false, false, false},
  {KERNEL("ld.global.v2.u32 {%v1, %v2}, [%rd5+64]; mov.b64 %rd6, {%v1, %v2};"), 8, false, false, false},
  {KERNEL("ld.u32 %v1, [%rd5+64]; " FOUR), 4, false, false, false},
  {SHARED("ld.shared.u32 %v1, [%a+64]; " FOUR), 4, false, false, true},
  {SHARED("ld.shared.u32 %v1, [%rd5+64]; " FOUR), 4, false, false, true},
  {SHARED("ld.shared.u64 %rd6, [%a+64];"), 8, false, false, true},
  {KERNEL("st.global.u32 [%rd5+64], %w;"), 4, true, false, false},
  {KERNEL("st.global.u8 [%rd5+64], %w;"), 1, true, false, false},
  {KERNEL("st.global.u64 [%rd5+64], %rd7;"), 8, true, false, false},
  {KERNEL("st.global.v2.u32 [%rd5+64], {%w, %w};"), 8, true, false, false},
  {SHARED("st.shared.u32 [%a+64], %w;"), 4, true, false, true},
};

static uint32_t below(struct weir_rng *r, uint32_t n) {
  return (uint32_t)weir_rng_below(r, n);
}

// Of one turn; most are right.
static void choose(struct weir_rng *r, unsigned bytes, uint64_t base, uint64_t address[LANES], uint32_t *mask) {
  static const uint32_t masks[] = {UINT32_MAX, 0x0000FFFF, 1, 0x80000001, 0};
  const uint32_t words = BYTES / bytes, kind = below(r, 5);
  uint64_t start = below(r, words - LANES + 1);
  const uint64_t other = below(r, words - LANES + 1);
  if (!below(r, 12)) start = below(r, 2) ? words - 1 - below(r, LANES) : 0 - UINT64_C(1) - below(r, LANES);
  *mask = below(r, 3) ? UINT32_MAX : below(r, 2) ? masks[below(r, 5)] : (uint32_t)weir_rng_next(r);
  if (!below(r, 3)) *mask &= (uint32_t)(weir_rng_next(r) & weir_rng_next(r) & weir_rng_next(r)); // few
  for (unsigned l = 0; l < LANES; l++) {
    uint64_t word = below(r, words); // scattered
    if (kind == 0) word = start + l;
    if (kind == 1) word = start;
    if (kind == 2) word = l < 16 ? start + l : other + l - 16;
    if (kind == 3) word = l < 16 ? start : other + (l - 16) * (start & 1);
    address[l] = base + word * bytes;
  }
  unsigned l = below(r, LANES);
  while (*mask && !(*mask >> l & 1)) l = (l + 1) % LANES;
  const unsigned edge = below(r, 12);
  if (edge == 0) address[l] = base + BYTES - bytes;
  if (edge == 1) address[l] = base + BYTES;
  if (edge == 2) address[l] = base - bytes;
  if (edge == 3 && bytes > 1) address[l] += 1;
  if (edge == 4) address[l] = UINT64_MAX - bytes + 1;
  if (edge == 5) address[l] = base;
}

// The first lane whose access is wrong; LANES: none is.
static unsigned wrong_lane(const uint64_t *address, uint32_t mask, unsigned bytes, uint64_t base) {
  for (unsigned l = 0; l < LANES; l++)
    if (mask >> l & 1 && (address[l] < base || address[l] - base > BYTES - bytes || address[l] % bytes)) return l;
  return LANES;
}

static uint64_t loaded(const struct access *a, const uint8_t *from) {
  uint64_t value = 0;
  memcpy(&value, from, a->bytes);
  return a->sign ? (uint64_t)(int64_t)(int16_t)value : value;
}

// What the turns keep, and what is in `data` then; the first that fails, and its lane.
static unsigned model(const struct access *a, uint64_t base, const uint64_t (*address)[LANES], const uint32_t *mask,
                      uint8_t *data, uint64_t (*kept)[LANES], unsigned *wrong) {
  for (unsigned t = 0; t < TURNS; t++) {
    *wrong = wrong_lane(address[t], mask[t], a->bytes, base);
    if (*wrong < LANES) return t;
    for (unsigned l = 0; l < LANES; l++) {
      const uint64_t half = 0x01010101 * l + t, value = half << 32 | half;
      kept[t][l] = 0xEEEEEEEE;
      if (!(mask[t] >> l & 1)) continue;
      uint8_t *at = data + (address[t][l] - base);
      if (a->stores)
        memcpy(at, &value, a->bytes);
      else
        kept[t][l] = loaded(a, at);
    }
  }
  return TURNS;
}

static void run_case(const struct access *a, struct weir_rng *r, unsigned *faults) {
  struct bench b;
  bench_open(&b, a->ptx, 32);
  const uint64_t data = weir_memory_alloc(b.memory, "data", BYTES), base = a->shared ? 0 : data;
  const uint64_t params[4] = {weir_memory_alloc(b.memory, "addresses", TURNS * LANES * 8),
                              weir_memory_alloc(b.memory, "masks", TURNS * 4),
                              weir_memory_alloc(b.memory, "kept", TURNS * LANES * 8), data};
  uint8_t *got = bench_at(&b, data, BYTES), want[BYTES];
  uint64_t(*address)[LANES] = bench_at(&b, params[0], TURNS * LANES * 8), kept[TURNS][LANES];
  uint32_t *mask = bench_at(&b, params[1], TURNS * 4);
  for (unsigned i = 0; i < BYTES; i++) want[i] = got[i] = (uint8_t)weir_rng_next(r);
  for (unsigned t = 0; t < TURNS; t++) choose(r, a->bytes, base, address[t], &mask[t]);
  unsigned wrong;
  const unsigned turns = model(a, base, address, mask, want, kept, &wrong);
  struct weir_fault fault = {0};
  const struct weir_launch launch = bench_launch(&b, "k", 1, LANES, params);
  if (weir_run_functional(&launch, &fault) != (turns == TURNS))
    fail_msg("%u turns are right, but: %s", turns, fault.raised ? fault.message : "no fault");
  if (turns < TURNS) {
    ++*faults;
    assert_int_equal(fault.thread[0], wrong);
    assert_int_equal(fault.kind, address[turns][wrong] % a->bytes ? WEIR_FAULT_MISALIGNED : WEIR_FAULT_ACCESS);
  }
  if (!a->shared || turns == TURNS) assert_memory_equal(got, want, BYTES);
  assert_memory_equal(bench_at(&b, params[2], TURNS * LANES * 8), kept, turns * sizeof *kept);
  bench_close(&b);
}

static void accesses_are_as_the_model_has_them(void **state) {
  (void)state;
  struct weir_rng r = weir_rng_seed(7, 0);
  for (unsigned i = 0; i < sizeof accesses / sizeof *accesses; i++) {
    unsigned faults = 0;
    for (unsigned k = 0; k < CASES; k++) run_case(&accesses[i], &r, &faults);
    assert_in_range(faults, CASES / 10, CASES - CASES / 10); // neither is rare
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(accesses_are_as_the_model_has_them)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
