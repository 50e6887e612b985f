// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// S-L1 in a program's own process, as the environment asks for it: texts that refer to each other, memory of the host, and
// lines that are used.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/device.h"
#include "sl1/launch.h"

#include <stdlib.h>
#include <string.h>

static struct weir_device *device;

// out[i] = twice the sum of a chunk of bytes of `in`, from chunk × i on; the other text has the function that doubles. Lines
// do not outlive a call, so it stands behind the loop.
#define HEADER ".version 7.0\n.target sm_70\n.address_size 64\n"
#define SUMS(linkage, behind)                                                                                          \
  linkage " .entry sums(.param .u64 in, .param .u64 out, .param .u32 chunk) {\n"                                       \
          "  .reg .pred %p; .reg .b32 %r<6>; .reg .b64 %rd<6>;\n"                                                      \
          "  ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; ld.param.u32 %r1, [chunk];\n"                          \
          "  mov.u32 %r2, %tid.x; mul.wide.u32 %rd3, %r2, %r1; add.u64 %rd1, %rd1, %rd3;\n"                            \
          "  mul.wide.u32 %rd3, %r2, 4; add.u64 %rd2, %rd2, %rd3; mov.u32 %r3, 0;\n"                                   \
          "again:\n"                                                                                                   \
          "  ld.global.u8 %r4, [%rd1];\n"                                                                              \
          "  add.u32 %r3, %r3, %r4; add.u64 %rd1, %rd1, 1; sub.u32 %r1, %r1, 1;\n"                                     \
          "  setp.ne.u32 %p, %r1, 0; @%p bra again;\n" behind "  st.global.u32 [%rd2], %r3; ret; }\n"

static const char sums[] = HEADER ".extern .func (.param .b32 r) doubled(.param .b32 sum);\n" SUMS(
  ".visible",
  "  { .param .b32 s; .param .b32 r; st.param.b32 [s], %r3; call.uni (r), doubled, (s); ld.param.b32 %r3, [r]; }\n");
static const char doubled[] = HEADER ".visible .func (.param .b32 r) doubled(.param .b32 sum) { .reg .b32 %x;\n"
                                     "  ld.param.b32 %x, [sum]; add.u32 %x, %x, %x; st.param.b32 [r], %x; ret; }\n";
static const char weak[] = HEADER SUMS(".weak", "  add.u32 %r3, %r3, %r3;\n");

enum { THREADS = 32, CHUNK = 100, MONITORED = 8 };

static const struct weir_program *load(const char *one, const char *other) {
  struct weir_sink sink = {0};
  const struct weir_device_text texts[] = {{"one.ptx", one, strlen(one)}, {"other.ptx", other, strlen(other)}};
  const struct weir_program *p = weir_device_load(device, texts, 2, &sink);
  weir_sink_print(&sink, stderr);
  assert_non_null(p);
  return p;
}

static void run(const struct weir_program *p, uint64_t in, const uint8_t *bytes) {
  struct {
    uint64_t in, out;
    uint32_t chunk;
  } params = {in, weir_device_alloc(device, "out", THREADS * sizeof(uint32_t)), CHUNK};
  const struct weir_device_launch l = {.program = p,
                                       .kernel = weir_program_kernel(p, "sums"),
                                       .grid = {1, 1, 1},
                                       .block = {THREADS, 1, 1},
                                       .params = &params};
  assert_int_equal(weir_device_launch(device, &l).outcome, WEIR_LAUNCH_DONE);
  const uint32_t *out = weir_device_at(device, params.out, THREADS * sizeof *out);
  for (unsigned t = 0; t < THREADS; t++) {
    uint32_t want = 0;
    for (unsigned i = 0; i < CHUNK; i++) want += 2u * bytes[t * CHUNK + i];
    assert_int_equal(out[t], want);
  }
  weir_device_release(device, params.out);
}

static void fill(uint8_t *bytes) {
  for (unsigned i = 0; i < THREADS * CHUNK; i++) bytes[i] = (uint8_t)(i * 37 + 11);
}

static uint64_t counter(const struct weir_program *p, enum weir_sl1_counter which) {
  uint32_t structures;
  const uint64_t *counts = weir_sl1_counts(p, "sums", weir_device_memory(device), &structures);
  assert_non_null(counts);
  assert_int_equal(structures, 1); // `out` is used in no loop
  return counts[which];
}

// A thread's first 8 accesses are monitored. Its chunk begins at a multiple of 4, so that the 92 bytes behind those lie in 6
// or 7 lines of 16.
static void lines_are_used(void **state) {
  (void)state;
  const struct weir_program *p = load(sums, doubled);
  uint64_t in = weir_device_alloc(device, "in", THREADS * CHUNK);
  uint8_t *bytes = weir_device_at(device, in, THREADS * CHUNK);
  struct weir_sl1_need need;
  fill(bytes);
  run(p, in, bytes);
  assert_true(weir_sl1_need(p, "sums", weir_device_memory(device), &need));
  assert_int_equal(weir_sl1_given(&need, weir_device_memory(device)), 1);
  assert_int_equal(counter(p, WEIR_SL1_MONITORED), THREADS * MONITORED);
  assert_int_equal(counter(p, WEIR_SL1_ACCESSES), THREADS * (CHUNK - MONITORED));
  assert_in_range(counter(p, WEIR_SL1_FILLS), THREADS * 6, THREADS * 7);
  assert_int_equal(counter(p, WEIR_SL1_HITS), counter(p, WEIR_SL1_ACCESSES) - counter(p, WEIR_SL1_FILLS));
}

// Memory of the host that ends in the middle of a line, behind which is nothing that may be touched.
static void lines_of_host_memory(void **state) {
  (void)state;
  const struct weir_program *p = load(sums, doubled);
  uint8_t *bytes = malloc(THREADS * CHUNK);    // 3200 bytes: 200 lines
  const uint64_t at = (UINT64_C(1) << 44) + 8; // so that the first and the last line are only half there
  fill(bytes);
  assert_true(weir_memory_map(weir_device_memory(device), "pinned", at, bytes, THREADS * CHUNK));
  run(p, at, bytes);
  assert_true(counter(p, WEIR_SL1_HITS) > 0);
  weir_memory_release(weir_device_memory(device), at);
  free(bytes);
}

// The instance of a template, which two translation units have.
static void weak_kernels_are_one(void **state) {
  (void)state;
  const struct weir_program *p = load(weak, weak);
  uint64_t in = weir_device_alloc(device, "in", THREADS * CHUNK);
  uint8_t *bytes = weir_device_at(device, in, THREADS * CHUNK);
  fill(bytes);
  run(p, in, bytes);
  assert_true(counter(p, WEIR_SL1_HITS) > 0);
}

int main(void) {
  setenv("WEIR_REPORT", "none", 1);
  setenv("WEIR_CHIP", "fermi-gtx480", 1);
  setenv("WEIR_SL1", "threshold=8,floor_percent=20,counters=on", 1);
  device = weir_device_get(NULL);
  if (!device) return 1;
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(lines_are_used),
    cmocka_unit_test(lines_of_host_memory),
    cmocka_unit_test(weak_kernels_are_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
