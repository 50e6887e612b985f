// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Which latency, interval and unit an instruction has on fermi-gtx480, by the rules of GPGPU-Sim 4.2 for SM2_GTX480
// (cuda-sim.cc, ptx_instruction::set_opcode_and_latency; gpgpusim.config: ptx_opcode_latency_int 4,13,4,5,145,32, _fp
// 4,13,4,5,39, _dp 8,19,8,8,330, intervals 1,2,2,1,8,4 and 1,2,1,1,4 and 8,16,8,8,130; special functions 8 and 8; all others 1
// and 1 on the ordinary units). The numbers here are those, not the chip file's.
#include "gpu/occupancy.h"
#include "gpu_test.h"

// Issue to the function unit, and result to issue: ID_OC, collector, register read, OC_EX and dispatch; EX_WB.
enum { AROUND = 5 + 1 };

#define BEFORE                                                                                                         \
  "mov.u32 %r1, 1; mov.u32 %r2, 3; mov.u32 %r3, 5; mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f3F800000;"                  \
  "mov.f32 %f3, 0f3F800000; mov.f64 %d1, 0d3FF0000000000000; mov.f64 %d2, 0d3FF0000000000000;"                         \
  "mov.f64 %d3, 0d3FF0000000000000; setp.eq.u32 %p1, %r1, 1;"

// Each line needs what the one before it made. `links` instructions of it depend on each other, of `latencies` in sum.
static const struct {
  const char *line;
  uint32_t links, latencies;
} chains[] = {
  {"add.u32 %r1, %r1, %r2;", 1, 4},
  {"max.s32 %r1, %r1, %r2;", 1, 13},
  {"mul.lo.u32 %r1, %r1, %r2;", 1, 4},
  {"mad.lo.u32 %r1, %r1, %r2, %r3;", 1, 5},
  {"mul24.lo.u32 %r1, %r1, %r2;", 1, 5},
  {"mad24.lo.u32 %r1, %r1, %r2, %r3;", 1, 6},
  {"rem.u32 %r1, %r1, %r2;", 1, 145},
  {"shfl.sync.bfly.b32 %r1, %r1, 1, 31, -1;", 1, 32},
  {"and.b32 %r1, %r1, %r2;", 1, 1},
  {"abs.s32 %r1, %r1;", 1, 1},
  {"neg.s32 %r1, %r1;", 1, 1},
  {"popc.b32 %r1, %r1;", 1, 1},
  {"sad.s32 %r1, %r1, %r2, %r3;", 1, 1},
  {"vote.sync.ballot.b32 %r1, %p1, -1; setp.ne.u32 %p1, %r1, 0;", 2, 1 + 1},
  {"add.f32 %f1, %f1, %f2;", 1, 4},
  {"min.f32 %f1, %f1, %f2;", 1, 13},
  {"mul.f32 %f1, %f1, %f2;", 1, 4},
  {"fma.rn.f32 %f1, %f1, %f2, %f3;", 1, 5},
  {"mad.rn.f32 %f1, %f1, %f2, %f3;", 1, 5},
  {"div.rn.f32 %f1, %f1, %f2;", 1, 39},
  {"abs.f32 %f1, %f1;", 1, 1},
  {"neg.f32 %f1, %f1;", 1, 1},
  {"cvt.rzi.s32.f32 %r1, %f1; cvt.rn.f32.s32 %f1, %r1;", 2, 1 + 1},
  {"setp.gt.f32 %p1, %f1, %f2; selp.f32 %f1, %f2, %f3, %p1;", 2, 1 + 1},
  {"set.gt.f32.f32 %f1, %f1, %f2;", 1, 1},
  {"ex2.approx.f32 %f1, %f1;", 1, 8},
  {"sqrt.rn.f32 %f1, %f1;", 1, 8},
  {"rcp.rn.f32 %f1, %f1;", 1, 8},
  {"add.f64 %d1, %d1, %d2;", 1, 8},
  {"max.f64 %d1, %d1, %d2;", 1, 19},
  {"mul.f64 %d1, %d1, %d2;", 1, 8},
  {"fma.rn.f64 %d1, %d1, %d2, %d3;", 1, 8},
  {"div.rn.f64 %d1, %d1, %d2;", 1, 330},
  {"sqrt.rn.f64 %d1, %d1;", 1, 8},
  {"rcp.rn.f64 %d1, %d1;", 1, 8},
  {"rsqrt.approx.f64 %d1, %d1;", 1, 8},
  {"abs.f64 %d1, %d1;", 1, 1},
  {"neg.f64 %d1, %d1;", 1, 1},
  {"cvt.rn.f32.f64 %f1, %d1; cvt.f64.f32 %d1, %f1;", 2, 1 + 1},
  {"cvt.rzi.s32.f64 %r1, %d1; cvt.rn.f64.s32 %d1, %r1;", 2, 1 + 1},
  {"setp.gt.f64 %p1, %d1, %d2; selp.f64 %d1, %d2, %d3, %p1;", 2, 1 + 1},
};

static void a_chain_has_its_latencies(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
    struct rig *rig = rig_new();
    uint64_t cost = cost_of_twelve(rig, (struct run){0}, BEFORE, chains[i].line);
    if (cost != 12 * (chains[i].links * AROUND + chains[i].latencies))
      fail_msg("%s takes %llu cycles, not %u", chains[i].line, (unsigned long long)cost / 12,
               chains[i].links * AROUND + chains[i].latencies);
    rig_free(rig);
  }
}

// Groups of twelve that need nothing of each other: the interval of one unit, halved where there are two. But each writes the
// register that its twelfth predecessor wrote, and waits for that.
static const struct {
  const char *format;
  uint32_t interval, units, latency;
} streams[] = {
  {"add.f64 %%d%u, %%d1, %%d2;", 8, 1, 8},        {"max.f64 %%d%u, %%d1, %%d2;", 16, 1, 19},
  {"div.rn.f64 %%d%u, %%d1, %%d2;", 130, 1, 330}, {"sqrt.rn.f64 %%d%u, %%d1;", 8, 1, 8},
  {"sin.approx.f32 %%f%u, %%f1;", 8, 1, 8},       {"div.rn.f32 %%f%u, %%f1, %%f2;", 4, 1, 39},
  {"rem.u32 %%r%u, %%r1, %%r2;", 8, 1, 145},      {"shfl.sync.idx.b32 %%r%u, %%r1, 1, 31, -1;", 4, 2, 32},
  {"mul24.lo.u32 %%r%u, %%r1, %%r2;", 3, 2, 5},
};

static void a_stream_has_its_interval(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
    struct rig *rig = rig_new();
    rig_set(rig, "core.fetch_instructions=12"); // so that fetching is not in the way
    rig_set(rig, "core.decode_cycles=1");
    char group[2048] = "";
    for (unsigned k = 0; k < 12; k++) sprintf(group + strlen(group), streams[i].format, 10 + k);
    uint64_t cost =
      cycles_of(rig, (struct run){0}, BEFORE, group, 12) - cycles_of(rig, (struct run){0}, BEFORE, group, 8);
    uint32_t taken = 12 * streams[i].interval / streams[i].units, waits = streams[i].latency + AROUND;
    if (cost != 4 * (taken > waits ? taken : waits))
      fail_msg("48 of %s take %llu cycles, not %u", streams[i].format, (unsigned long long)cost,
               4 * (taken > waits ? taken : waits));
    rig_free(rig);
  }
}

// Conversions do not wait for the special unit, which a stream of f64 additions keeps busy: 8 cycles an addition, whatever
// stands beside it.
static void conversions_leave_the_special_unit_alone(void **state) {
  (void)state;
  struct rig *rig = rig_new();
  rig_set(rig, "core.fetch_instructions=12");
  rig_set(rig, "core.decode_cycles=1");
  char group[2048] = "";
  for (unsigned k = 0; k < 6; k++)
    sprintf(group + strlen(group), "add.f64 %%d%u, %%d1, %%d2; cvt.rn.f32.f64 %%f%u, %%d3;", 10 + k, 10 + k);
  uint64_t cost =
    cycles_of(rig, (struct run){0}, BEFORE, group, 12) - cycles_of(rig, (struct run){0}, BEFORE, group, 8);
  assert_int_equal(cost, 4 * 6 * 8);
  rig_free(rig);
}

// An addition (4 cycles) right behind a multiply-add (5) would end with it: in one unit it begins a cycle later, in two it
// does not. Both need the addition before: 4 + AROUND and the cycle by which the addition issues later.
static void results_of_a_unit_do_not_meet(void **state) {
  (void)state;
  const char *line = "fma.rn.f32 %f3, %f1, %f2, %f2; add.f32 %f1, %f1, %f2;";
  for (uint32_t units = 1; units <= 2; units++)
    for (int conflicts = 0; conflicts < 2; conflicts++) {
      struct rig *rig = rig_new();
      rig_set(rig, "core.main_units=%u", units);
      rig_set(rig, "core.unit_conflicts=%s", conflicts ? "true" : "false");
      assert_int_equal(cost_of_twelve(rig, (struct run){0}, BEFORE, line),
                       12 * (4 + AROUND + 1 + (conflicts && units == 1 ? 1u : 0)));
      rig_free(rig);
    }
}

// A guard is read with the operands, or, as in GPGPU-Sim, is not. One operand a cycle: one more cycle each after the first.
static void guards_are_not_read(void **state) {
  (void)state;
  for (int conflicts = 0; conflicts < 2; conflicts++) {
    struct rig *rig = rig_new();
    rig_set(rig, "core.register_banks=32");
    rig_set(rig, "core.unit_conflicts=%s", conflicts ? "true" : "false");
    assert_int_equal(cost_of_twelve(rig, (struct run){0}, BEFORE, "@%p1 add.u32 %r1, %r1, %r2;"),
                     12 * (4 + AROUND + (conflicts ? 1u : 2u)));
    rig_free(rig);
  }
}

// ---- matrix units -----------------------------------------------------------------------------------------------------------

enum { MATRIX_LATENCY = 20, MATRIX_INTERVAL = 6 };

static struct rig *with_matrix_units(unsigned units) {
  struct rig *rig = rig_new();
  rig_set(rig, "core.fetch_instructions=12");
  rig_set(rig, "core.decode_cycles=1");
  rig_set(rig, "core.matrix_units=%u", units);
  rig_set(rig, "core.latency.f32_matrix.unit=matrix");
  rig_set(rig, "core.latency.f32_matrix.latency_cycles=%d", MATRIX_LATENCY);
  rig_set(rig, "core.latency.f32_matrix.interval_cycles=%d", MATRIX_INTERVAL);
  return rig;
}

#define SUMS "{%f1,%f2,%f3,%f4}"

// A step is 16 × 8 sums over 128 bits of a row: m16n8k8 of 16-bit elements, and half of m16n8k16's or of m16n8k8's of 32 bits. What needs its sums
// waits for all steps, which follow each other in the unit's interval.
static void a_matrix_takes_its_steps(void **state) {
  static const struct {
    const char *line;
    unsigned steps;
  } cases[] = {
    {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 " SUMS ",{%r1,%r2},{%r3}," SUMS ";", 1},
    {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 " SUMS ",{%r1,%r2,%r3,%r4},{%r5,%r6}," SUMS ";", 2},
    {"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 " SUMS ",{%r1,%r2},{%r3}," SUMS ";", 1},
    {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 " SUMS ",{%r1,%r2,%r3,%r4},{%r5,%r6}," SUMS ";", 2},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 " SUMS ",{%r1,%r2,%r3,%r4},{%r5,%r6}," SUMS ";", 2},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct rig *rig = with_matrix_units(1);
    const uint64_t cost = cost_of_twelve(rig, (struct run){0}, BEFORE, cases[i].line);
    assert_int_equal(cost, 12 * (AROUND + MATRIX_LATENCY + (cases[i].steps - 1) * MATRIX_INTERVAL));
    rig_free(rig);
  }
}

// Groups of six that need nothing of each other, and an addition beside each, which goes another way.
static void a_matrix_unit_has_its_interval(void **state) {
  (void)state;
  for (unsigned units = 1; units <= 2; units++) {
    struct rig *rig = with_matrix_units(units);
    char group[2048] = "";
    for (unsigned k = 0; k < 6; k++)
      sprintf(
        group + strlen(group),
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%%f%u,%%f%u,%%f%u,%%f%u},{%%r1,%%r2,%%r3,%%r4},{%%r5,%%r6},"
        "{%%f1,%%f2,%%f3,%%f4}; add.u32 %%r%u, %%r1, %%r2;",
        10 + 4 * k, 11 + 4 * k, 12 + 4 * k, 13 + 4 * k, 10 + k);
    const uint64_t cost =
      cycles_of(rig, (struct run){0}, BEFORE, group, 12) - cycles_of(rig, (struct run){0}, BEFORE, group, 8);
    assert_int_equal(cost, 4 * 6 * 2 * MATRIX_INTERVAL / units);
    rig_free(rig);
  }
}

static void without_matrix_units_none_runs(void **state) {
  (void)state;
  struct rig *rig = rig_new();
  struct weir_sink sink = {0};
  const struct run run = {.body =
                            "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 " SUMS ",{%r1,%r2},{%r3}," SUMS ";"};
  char *text = program_of(&run);
  struct weir_module *m = weir_ptx_parse("k.ptx", text, strlen(text), &sink);
  struct weir_memory *memory = weir_memory_create();
  struct weir_program *p = weir_program_build(m, 32, rig->code, memory, &sink);
  assert_non_null(p);
  const struct weir_kernel *k = weir_program_kernel(p, "k");
  assert_int_equal(weir_occupancy(&rig->config->core, k, 0, 32, 0, 0).blocks, 0);
  const struct weir_launch l = {.program = p, .kernel = k, .memory = memory, .grid = {1, 1, 1}, .block = {32, 1, 1}};
  char *misfit = weir_chip_misfit(rig->config, &l);
  assert_string_equal(misfit,
                      "multiplies matrices (mma, wmma, wgmma), for which cores of fermi-gtx480 have no units "
                      "(core.matrix_units)");
  weir_free(misfit);
  rig_set(rig, "core.matrix_units=1");
  assert_true(weir_occupancy(&rig->config->core, k, 0, 32, 0, 0).blocks > 0);
  weir_program_free(p);
  weir_module_free(m);
  weir_memory_free(memory);
  weir_sink_free(&sink);
  free(text);
  rig_free(rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_chain_has_its_latencies),
    cmocka_unit_test(a_stream_has_its_interval),
    cmocka_unit_test(conversions_leave_the_special_unit_alone),
    cmocka_unit_test(results_of_a_unit_do_not_meet),
    cmocka_unit_test(guards_are_not_read),
    cmocka_unit_test(a_matrix_takes_its_steps),
    cmocka_unit_test(a_matrix_unit_has_its_interval),
    cmocka_unit_test(without_matrix_units_none_runs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
