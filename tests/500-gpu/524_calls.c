// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Parameters and results of device functions: moves where they lie in registers, thread-local memory where the chip says so;
// and never the constant cache, which holds the kernel's parameters alone.
#include "gpu_test.h"

enum { CALLS = 3 };

// f(x) = x + 1, a word each way: st.param and ld.param before and after the call, ld.param and st.param within.
#define BY_PARAM                                                                                                       \
  ".func (.param .b32 y) f(.param .b32 x)\n{\n.reg .b32 %r<4>;\nld.param.b32 %r1, [x];\nadd.u32 %r2, %r1, 1;\n"        \
  "st.param.b32 [y], %r2;\nret;\n}\n"
#define CALL_BY_PARAM                                                                                                  \
  "{ .param .b32 p; .param .b32 q; st.param.b32 [p], %r1; call.uni (q), f, (p); ld.param.b32 %r1, [q]; }\n"

// The same instructions and dependences with moves. What they move is of no interest, so the function takes nothing.
#define BY_MOVE ".func f()\n{\n.reg .b32 %r<4>;\nmov.b32 %r1, 5;\nadd.u32 %r2, %r1, 1;\nmov.b32 %r3, %r2;\nret;\n}\n"
#define CALL_BY_MOVE "mov.b32 %r2, %r1; call.uni f, (); mov.b32 %r1, 7;\n"

static struct rig *rig_of(const char *parameters) {
  struct rig *rig = rig_new();
  rig_set(rig, "core.call_parameters=%s", parameters);
  return rig;
}

static void calls(char *body, const char *call) {
  strcpy(body, "mov.u32 %r1, %tid.x;");
  for (int i = 0; i < CALLS; i++) strcat(body, call);
}

static struct weir_run_stats counts_of(struct rig *rig, const char *globals, const char *call, uint32_t threads) {
  char body[2048];
  struct sight s;
  calls(body, call);
  strcat(body, "ld.param.u64 %d1, [a]; mul.wide.u32 %d2, %r1, 0; add.u64 %d2, %d2, %d1; st.global.u32 [%d2], %r1;");
  observe(rig, &(struct run){.body = body, .globals = globals, .threads = threads}, 0, &s);
  return s.cold;
}

// As many cycles as with moves in their place, and no cache is asked: the constant cache misses the kernel's own parameter
// once, and the first level sees the store at the end.
static void in_registers(void **state) {
  (void)state;
  struct rig *rig = rig_of("registers");
  for (uint32_t threads = 32; threads <= 128; threads *= 2) {
    const uint64_t warps = threads / 32;
    struct weir_run_stats call = counts_of(rig, BY_PARAM, CALL_BY_PARAM, threads),
                          move = counts_of(rig, BY_MOVE, CALL_BY_MOVE, threads);
    // mov; of each call st.param, call and ld.param, and the function's four; four at the end, and ret
    assert_int_equal(call.warp_instructions, warps * (1 + 7 * CALLS + 4 + 1));
    assert_int_equal(move.warp_instructions, call.warp_instructions);
    assert_int_equal(call.cycles, move.cycles);
    assert_int_equal(call.constant_cache_misses, 1);
    assert_int_equal(call.levels[0].loads.accesses, 0);
    assert_int_equal(call.levels[0].stores.accesses, warps);
    assert_int_equal(call.replays, 0);
  }
  rig_free(rig);
}

// The first-level cache takes a store of 32 words, a line, before each call and at its end, and a load within and behind it.
static void in_local_memory(void **state) {
  (void)state;
  struct rig *rig = rig_of("local");
  for (uint32_t threads = 32; threads <= 128; threads *= 2) {
    const uint64_t warps = threads / 32;
    struct weir_run_stats n = counts_of(rig, BY_PARAM, CALL_BY_PARAM, threads);
    assert_int_equal(n.warp_instructions, warps * (1 + 7 * CALLS + 4 + 1));
    assert_int_equal(n.constant_cache_misses, 1);
    assert_int_equal(n.levels[0].loads.accesses, warps * 2 * CALLS);
    assert_int_equal(n.levels[0].stores.accesses, warps * (2 * CALLS + 1));
    assert_int_equal(n.replays, 0);
  }
  rig_free(rig);
}

// Eight bytes are two accesses, as local memory is interleaved by words of four.
static void eight_bytes(void **state) {
  (void)state;
  static const char function[] =
    ".func (.param .b64 y) g(.param .b64 x)\n{\n.reg .b64 %d<4>;\nld.param.b64 %d1, [x];\nst.param.b64 [y], %d1;\nret;\n}\n";
  static const char call[] =
    "{ .param .b64 p; .param .b64 q; st.param.b64 [p], %d3; call.uni (q), g, (p); ld.param.b64 %d3, [q]; }\n";
  struct rig *rig = rig_of("local");
  struct weir_run_stats n = counts_of(rig, function, call, 32);
  assert_int_equal(n.levels[0].loads.accesses, 2 * 2 * CALLS);
  assert_int_equal(n.levels[0].stores.accesses, 2 * 2 * CALLS + 1);
  rig_set(rig, "core.call_parameters=registers");
  n = counts_of(rig, function, call, 32);
  assert_int_equal(n.levels[0].loads.accesses, 0);
  assert_int_equal(n.levels[0].stores.accesses, 1);
  rig_free(rig);
}

// A move's latency: a result that the next instruction needs is there after that of an integer move, whatever the L1's.
static void a_move_has_its_latency(void **state) {
  (void)state;
  struct rig *rig = lone_rig();
  rig_set(rig, "core.call_parameters=registers");
  const char *one = READ(0) "{ .param .b32 p; st.param.b32 [p], 3; ld.param.b32 %r1, [p]; add.u32 %r2, %r1, %r1;"
                            "cvt.u64.u32 %d9, %r2; }" READ(1);
  const char *other =
    READ(0) "{ mov.b32 %r3, 3; mov.b32 %r1, %r4; add.u32 %r2, %r1, %r1; cvt.u64.u32 %d9, %r2; }" READ(1);
  for (uint32_t latency = 1; latency <= 41; latency += 20) {
    rig_set(rig, "core.latency.int_logic.latency_cycles=%u", latency);
    assert_int_equal(between(rig, one), between(rig, other));
  }
  rig_free(rig);
}

// The bundled chips: GPGPU-Sim's keep them in local memory, the others in registers.
static void of_the_chips(void **state) {
  (void)state;
  static const struct {
    const char *name;
    enum weir_call_parameters where;
  } chips[] = {{"fermi-gtx480", WEIR_PARAMETERS_LOCAL},
               {"fermi-bucl", WEIR_PARAMETERS_LOCAL},
               {"kepler-titan-black", WEIR_PARAMETERS_REGISTERS},
               {"gcn-apu", WEIR_PARAMETERS_REGISTERS}};
  for (size_t i = 0; i < sizeof chips / sizeof *chips; i++) {
    struct weir_sink sink = {0};
    struct weir_chip_config *c = weir_chip_read(chips[i].name, &sink);
    assert_non_null(c);
    assert_int_equal(c->core.call_parameters, chips[i].where);
    weir_chip_config_free(c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(in_registers),           cmocka_unit_test(in_local_memory), cmocka_unit_test(eight_bytes),
    cmocka_unit_test(a_move_has_its_latency), cmocka_unit_test(of_the_chips),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
