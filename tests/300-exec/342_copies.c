// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Asynchronous copies: cp.async of lanes that take a part or nothing, bulk copies into shared memory and barriers that count their bytes, bulk copies
// and reductions from there, and what is refused. Atomics on vectors. Against the same done by the host.
#include "base/rng.h"
#include "harness.h"

// ---- cp.async ---------------------------------------------------------------------------------------------------------------

// Lane l takes l bytes of 16, and the rest is 0; a lane that takes none names no buffer, nor does one that ignores its source.
static void parts(void **state) {
  static const char text[] = PTX_HEADER
    ".visible .entry k(.param .u64 data) {\n .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred %p<3>; .shared .align 16 .b8 s[1024];\n"
    " ld.param.u64 %rd1, [data]; mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 15; mov.u32 %r3, s; shl.b32 %r4, %r1, 4;\n"
    " add.u32 %r5, %r3, %r4; mul.wide.u32 %rd2, %r1, 16; add.u64 %rd3, %rd1, %rd2; setp.eq.u32 %p1, %r2, 0;\n"
    " selp.b64 %rd4, 64, %rd3, %p1; setp.lt.u32 %p2, %r1, 16; @!%p2 bra $I;\n"
    " cp.async.cg.shared.global [%r5], [%rd4], 16, %r2; bra.uni $E;\n"
    "$I: and.b32 %r6, %r1, 1; setp.ne.u32 %p1, %r6, 0; selp.b64 %rd4, 80, %rd3, %p1; cp.async.cg.shared.global [%r5], [%rd4], 16, %p1;\n"
    "$E: cp.async.wait_all; ld.shared.v2.u64 {%rd5, %rd6}, [%r5]; st.global.v2.u64 [%rd3+1024], {%rd5, %rd6}; ret; }\n";
  struct bench b;
  (void)state;
  bench_open(&b, text, 32);
  const uint64_t address = weir_memory_alloc(b.memory, "data", 2048);
  uint8_t *data = bench_at(&b, address, 2048);
  for (unsigned k = 0; k < 1024; k++) data[k] = (uint8_t)(k + 1);
  bench_run(&b, "k", 1, 32, &address);
  for (unsigned l = 0; l < 32; l++)
    for (unsigned k = 0; k < 16; k++) {
      const bool taken = l < 16 ? k < l : !(l & 1);
      assert_int_equal(data[1024 + 16 * l + k], taken ? data[16 * l + k] : 0);
    }
  bench_close(&b);
}

// ---- in bulk, to shared memory ------------------------------------------------------------------------------------------

enum { LANES = 32, ROW = 256 };

// Each lane copies so many bytes from its place to its row; the first expects all of them, before or behind the copies; everybody waits for the phase,
// and copies its row out. Twice, so that both parities are there.
static const char bulk_text[] =
  ".version 8.0\n.target sm_90\n.address_size 64\n"
  ".visible .entry k(.param .u64 data, .param .u32 late) {\n .reg .b64 %rd<9>; .reg .b32 %r<20>;\n"
  " .reg .pred %p<5>; .shared .align 128 .b8 s[8192]; .shared .align 8 .b64 bar;\n"
  " ld.param.u64 %rd1, [data]; ld.param.u32 %r10, [late]; mov.u32 %r1, %tid.x; mov.u32 %r2, s; mov.u32 %r3, bar;\n"
  " shl.b32 %r4, %r1, 8; add.u32 %r4, %r4, %r2; setp.ne.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r10, 0;\n"
  " @!%p1 mbarrier.init.shared.b64 [%r3], 1; fence.mbarrier_init.release.cluster; bar.warp.sync -1;\n"
  " mul.wide.u32 %rd2, %r1, 8; add.u64 %rd2, %rd2, %rd1; mov.u32 %r9, 0;\n"
  "$L: ld.global.v2.u32 {%r5, %r6}, [%rd2]; cvt.u64.u32 %rd3, %r5; add.u64 %rd3, %rd3, %rd1; redux.sync.add.u32 %r7, %r6, -1;\n"
  " @%p1 bra $A; @!%p2 bra $A; mbarrier.arrive.expect_tx.shared.b64 %rd4, [%r3], %r7;\n"
  "$A: bar.warp.sync -1; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r4], [%rd3], %r6, [%r3];\n"
  " @%p1 bra $B; @%p2 bra $B; mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r3], %r7; mbarrier.arrive.shared.b64 %rd4, [%r3];\n"
  "$B: mbarrier.try_wait.parity.shared.b64 %p3, [%r3], %r9; @!%p3 bra $B; fence.proxy.async;\n"
  " shl.b32 %r8, %r1, 8; add.u32 %r8, %r8, 16384; mad.lo.u32 %r8, %r9, 8192, %r8; cvt.u64.u32 %rd5, %r8; add.u64 %rd5, %rd5, %rd1;\n"
  " cp.async.bulk.global.shared::cta.bulk_group [%rd5], [%r4], %r6; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"
  " add.u64 %rd2, %rd2, 256; add.u32 %r9, %r9, 1; setp.lt.u32 %p4, %r9, 2; @%p4 bra $L; ret; }\n";

struct params {
  uint64_t data;
  uint32_t late;
};

static void copies_arrive(void **state) {
  enum { SOURCE = 1024, OUT = 16384, ALL = OUT + 2 * LANES * ROW };
  struct weir_rng r = weir_rng_seed(342, 1);
  (void)state;
  for (uint32_t late = 0; late < 2; late++)
    for (unsigned s = 0; s < 20; s++) {
      struct bench b;
      bench_open(&b, bulk_text, 32);
      const uint64_t address = weir_memory_alloc(b.memory, "data", ALL);
      uint8_t *data = bench_at(&b, address, ALL);
      uint32_t *rows = (uint32_t *)(void *)data, from[2 * LANES], bytes[2 * LANES];
      for (unsigned k = SOURCE; k < OUT; k++) data[k] = (uint8_t)weir_rng_below(&r, 256);
      for (unsigned k = 0; k < 2 * LANES; k++) {
        bytes[k] = rows[2 * k + 1] = 16 * (uint32_t)weir_rng_below(&r, ROW / 16 + 1);
        from[k] = rows[2 * k] = SOURCE + 16 * (uint32_t)weir_rng_below(&r, (OUT - SOURCE - bytes[k]) / 16);
      }
      const struct params params = {address, late};
      bench_run(&b, "k", 1, LANES, &params);
      for (unsigned k = 0; k < 2 * LANES; k++) {
        assert_memory_equal(data + OUT + k * ROW, data + from[k], bytes[k]);
        for (unsigned i = bytes[k]; i < ROW; i++) assert_int_equal(data[OUT + k * ROW + i], 0);
      }
      bench_close(&b);
    }
}

// ---- reductions ---------------------------------------------------------------------------------------------------------

static const char reduce_format[] =
  ".version 8.0\n.target sm_90\n.address_size 64\n"
  ".visible .entry k(.param .u64 data) {\n .reg .b64 %%rd<9>; .reg .b32 %%r<9>; .reg .pred %%p;\n"
  " .shared .align 128 .b8 s[256]; ld.param.u64 %%rd1, [data]; mov.u32 %%r1, %%tid.x; mov.u32 %%r2, s;\n"
  " mul.wide.u32 %%rd2, %%r1, 8; add.u64 %%rd3, %%rd2, %%rd1; ld.global.u64 %%rd4, [%%rd3+256];\n"
  " shl.b32 %%r3, %%r1, 3; add.u32 %%r3, %%r3, %%r2; st.shared.u64 [%%r3], %%rd4; bar.sync 0; setp.eq.u32 %%p, %%r1, 0;\n"
  " @%%p cp.reduce.async.bulk.global.shared::cta.bulk_group.%s [%%rd1], [%%r2], 256; cp.async.bulk.commit_group;\n"
  " cp.async.bulk.wait_group.read 0; cp.async.bulk.wait_group 0; ret; }\n";

#define MAKE(type)                                                                                                     \
  static type type##_of(uint64_t word, unsigned k) {                                                                   \
    type v;                                                                                                            \
    memcpy(&v, (const char *)&word + k * sizeof v, sizeof v);                                                          \
    return v;                                                                                                          \
  }                                                                                                                    \
  _Static_assert(8 % sizeof(type) == 0, "a word has whole ones")
MAKE(uint32_t);
MAKE(int32_t);
MAKE(uint64_t);
MAKE(int64_t);
MAKE(float);
MAKE(double);

#define EACH(type, expression)                                                                                         \
  {                                                                                                                    \
    type out[8 / sizeof(type)];                                                                                        \
    for (unsigned k = 0; k < 8 / sizeof(type); k++) {                                                                  \
      const type a = type##_of(old, k), b = type##_of(with, k);                                                        \
      out[k] = (type)(expression);                                                                                     \
    }                                                                                                                  \
    memcpy(&result, out, 8);                                                                                           \
  }

static uint64_t reduced(const char *how, uint64_t old, uint64_t with) {
  uint64_t result = 0;
  if (!strcmp(how, "add.u32")) EACH(uint32_t, a + b)
  if (!strcmp(how, "add.u64")) EACH(uint64_t, a + b)
  if (!strcmp(how, "inc.u32")) EACH(uint32_t, a >= b ? 0 : a + 1)
  if (!strcmp(how, "dec.u32")) EACH(uint32_t, a == 0 || a > b ? b : a - 1)
  if (!strcmp(how, "min.s32")) EACH(int32_t, a < b ? a : b)
  if (!strcmp(how, "max.u32")) EACH(uint32_t, a > b ? a : b)
  if (!strcmp(how, "max.s64")) EACH(int64_t, a > b ? a : b)
  if (!strcmp(how, "min.u64")) EACH(uint64_t, a < b ? a : b)
  if (!strcmp(how, "and.b32")) EACH(uint32_t, a & b)
  if (!strcmp(how, "or.b64")) EACH(uint64_t, a | b)
  if (!strcmp(how, "xor.b64")) EACH(uint64_t, a ^ b)
  if (!strcmp(how, "add.f32")) EACH(float, a + b)
  if (!strcmp(how, "add.f64")) EACH(double, a + b)
  return result;
}

// Random bits; of floating-point numbers whole ones, whose sums are exact.
static uint64_t random_word(struct weir_rng *r, const char *how) {
  uint64_t word = weir_rng_next(r);
  const float f[2] = {(float)(word % 1000), (float)(word >> 32 & 1023)};
  const double d = (double)(word % 100000);
  if (strstr(how, "f32")) memcpy(&word, f, 8);
  if (strstr(how, "f64")) memcpy(&word, &d, 8);
  return word;
}

static void reductions(void **state) {
  static const char *const hows[] = {"add.u32", "add.u64", "inc.u32", "dec.u32", "min.s32", "max.u32", "max.s64",
                                     "min.u64", "and.b32", "or.b64",  "xor.b64", "add.f32", "add.f64"};
  struct weir_rng r = weir_rng_seed(342, 2);
  (void)state;
  for (unsigned h = 0; h < sizeof hows / sizeof *hows; h++) {
    char text[2048];
    struct bench b;
    uint64_t old[LANES];
    snprintf(text, sizeof text, reduce_format, hows[h]);
    bench_open(&b, text, 32);
    const uint64_t address = weir_memory_alloc(b.memory, "data", 512);
    uint64_t *data = bench_at(&b, address, 512);
    for (unsigned k = 0; k < 2 * LANES; k++) data[k] = random_word(&r, hows[h]);
    memcpy(old, data, sizeof old);
    bench_run(&b, "k", 1, LANES, &address);
    for (unsigned k = 0; k < LANES; k++) assert_true(data[k] == reduced(hows[h], old[k], data[LANES + k]));
    bench_close(&b);
  }
}

// ---- atomics on vectors -----------------------------------------------------------------------------------------------------

// Lanes of a pair meet in one vector, the lower first: what each finds, and what they leave. Elements are the lane's number + 1 … + 4, as bits of the
// type: 1.0 to 35.0 are exact in all of them.
static uint32_t bits_of(unsigned type, uint32_t whole) {
  float f = (float)whole;
  uint32_t bits;
  memcpy(&bits, &f, 4);
  if (type == 0) return bits;
  if (type == 1) return whole ? ((bits >> 23) - 112) << 10 | (bits >> 13 & 0x3ff) : 0; // f16
  return bits >> 16;                                                                   // bf16
}

static void vector_atomics(void **state) {
  static const struct {
    const char *how, *reg;
    unsigned type, count, pair;
    bool max;
  } cases[] = {{"v4.f32.add", "%r", 0, 4, 1, false},          {"v2.f32.add", "%r", 0, 2, 1, false},
               {"v4.f16x2.add.noftz", "%r", 1, 4, 2, false},  {"v2.bf16x2.max.noftz", "%r", 2, 2, 2, true},
               {"v4.bf16x2.add.noftz", "%r", 2, 4, 2, false}, {"v2.f16x2.max.noftz", "%r", 1, 2, 2, true}};
  (void)state;
  for (unsigned c = 0; c < sizeof cases / sizeof *cases; c++) {
    char text[4096], found[64] = "", given[64] = "";
    for (unsigned k = 0; k < cases[c].count; k++) {
      sprintf(found + strlen(found), "%s%%r%u", k ? "," : "", 20 + k);
      sprintf(given + strlen(given), "%s%%r%u", k ? "," : "", 10 + k);
    }
    snprintf(
      text, sizeof text,
      ".version 8.1\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 data) {\n"
      " .reg .b64 %%rd<9>; .reg .b32 %%r<32>; ld.param.u64 %%rd1, [data]; mov.u32 %%r1, %%tid.x; shr.u32 %%r2, %%r1, 1;\n"
      " mul.wide.u32 %%rd2, %%r2, 16; add.u64 %%rd2, %%rd2, %%rd1; mul.wide.u32 %%rd3, %%r1, 16; add.u64 %%rd3, %%rd3, %%rd1;\n"
      " ld.global.v4.u32 {%%r10,%%r11,%%r12,%%r13}, [%%rd3+512]; mov.u32 %%r22, 0; mov.u32 %%r23, 0;\n"
      " atom.global.%s {%s}, [%%rd2], {%s}; st.global.v4.u32 [%%rd3+1024], {%%r20,%%r21,%%r22,%%r23};\n"
      " red.global.%s [%%rd2+256], {%s}; ret; }\n",
      cases[c].how, found, given, cases[c].how, given);
    struct bench b;
    bench_open(&b, text, 32);
    const uint64_t address = weir_memory_alloc(b.memory, "data", 1536);
    uint32_t *data = bench_at(&b, address, 1536);
    for (uint32_t k = 0; k < 128; k++) {
      const uint32_t v = bits_of(cases[c].type, k / 4 + k % 4 + 1);
      data[128 + k] = cases[c].pair == 2 ? v | bits_of(cases[c].type, 2) << 16 : v;
    }
    bench_run(&b, "k", 1, LANES, &address);
    for (uint32_t pair = 0; pair < 16; pair++)
      for (uint32_t k = 0; k < cases[c].count; k++) {
        const uint32_t low = 2 * pair + k + 1, high = low + 1, type = cases[c].type;
        const bool halves = cases[c].pair == 2, max = cases[c].max;
        const uint32_t first = bits_of(type, low) | (halves ? bits_of(type, 2) << 16 : 0);
        const uint32_t both = bits_of(type, max ? high : low + high) | (halves ? bits_of(type, max ? 2 : 4) << 16 : 0);
        assert_int_equal(data[256 + 8 * pair + k], 0); // what the lower lane found
        assert_int_equal(data[256 + 8 * pair + 4 + k], first);
        assert_int_equal(data[4 * pair + k], both);
        assert_int_equal(data[64 + 4 * pair + k], both);
      }
    bench_close(&b);
  }
}

// ---- misuse -------------------------------------------------------------------------------------------------------------

static void assert_fault(const char *body, const char *says) {
  char text[2048];
  struct bench b;
  struct weir_fault fault;
  snprintf(
    text, sizeof text,
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 data) {\n .reg .b64 %%s, %%rd<4>; .reg .b32 %%r<4>;\n"
    " .shared .align 128 .b8 s[256]; .shared .align 8 .b64 bar; ld.param.u64 %%rd1, [data]; mov.u32 %%r1, s; mov.u32 %%r2, bar;\n"
    " mov.u32 %%r3, 8; mbarrier.init.shared.b64 [bar], 1; %s ret; }\n",
    body);
  bench_open(&b, text, 32);
  const uint64_t address = weir_memory_alloc(b.memory, "data", 512);
  const struct weir_launch launch = bench_launch(&b, "k", 1, 1, &address);
  assert_false(weir_run_functional(&launch, &fault));
  if (!strstr(fault.message, says)) fail_msg("'%s' says '%s'", body, fault.message);
  bench_close(&b);
}

#define LOAD(to, from, bytes, barrier)                                                                                 \
  "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [" to "], [" from "], " bytes ", [" barrier "];"

static void misuse_is_told(void **state) {
  (void)state;
  assert_fault(LOAD("%r1", "%rd1", "%r3", "%r2"), "a bulk copy of 8 bytes: they must be a multiple of 16");
  assert_fault(LOAD("%r1+128", "%rd1", "256", "%r2"), "data of 256 bytes at shared address");
  assert_fault(LOAD("%r1+8", "%rd1", "16", "%r2"), "it must be a multiple of 16");
  assert_fault(LOAD("%r1", "%rd1+400", "128", "%r2"), "past the end of 'data'");
  assert_fault(LOAD("%r1", "%rd1+8", "16", "%r2"), "misaligned");
  assert_fault(LOAD("%r1", "%rd1", "16", "%r2+4"), "barrier of 8 bytes at shared address");
  assert_fault("st.shared.u64 [bar], 0;" LOAD("%r1", "%rd1", "16", "%r2"), "was it initialised?");
  assert_fault("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 1048576;", "1048575 are the most");
  assert_fault("cp.async.bulk.global.shared::cta.bulk_group [%rd1+512], [%r1], 16;", "'data'");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(parts),          cmocka_unit_test(copies_arrive),  cmocka_unit_test(reductions),
    cmocka_unit_test(vector_atomics), cmocka_unit_test(misuse_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
