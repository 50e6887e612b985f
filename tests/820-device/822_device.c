// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The device as front doors see it: facts, memory, modules, and launches that cannot be.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "device/device.h"

#include <stdlib.h>
#include <string.h>

static struct weir_device *device;

static const struct weir_program *load(const char *text, struct weir_sink *sink) {
  return weir_device_load(device, &(struct weir_device_text){"test.ptx", text, strlen(text)}, 1, sink);
}

static const struct weir_program *load_vector(void) {
  struct weir_sink sink = {0};
  size_t bytes;
  char *text = weir_file_read(WEIR_SOURCE_DIR "/tests/820-device/vector.ptx", 0, &bytes, &sink);
  const struct weir_program *p = load(text, &sink);
  assert_non_null(p);
  free(text);
  return p;
}

static enum weir_device_outcome launch(const struct weir_program *p, uint32_t blocks, uint32_t threads, uint32_t shared,
                                       bool cooperative) {
  static uint64_t numbers;
  if (!numbers) numbers = weir_device_alloc(device, "numbers", 1 << 20);
  return weir_device_launch(device,
                            &(struct weir_device_launch){.program = p,
                                                         .kernel = weir_program_kernel(p, "ramp"),
                                                         .grid = {blocks, 1, 1},
                                                         .block = {threads, 1, 1},
                                                         .dynamic_shared_bytes = shared,
                                                         .params = &numbers,
                                                         .cooperative = cooperative})
    .outcome;
}

// chips/fermi-gtx480.yaml: 15 cores of 48 warps of 32 lanes, 48 KiB of shared memory, 8 blocks; 1.5 GiB of memory.
static void facts(void **state) {
  (void)state;
  struct weir_device_facts f = weir_device_facts(device);
  assert_int_equal(f.cores, 15);
  assert_int_equal(f.lanes, 32);
  assert_int_equal(f.max_warps, 48);
  assert_int_equal(f.max_blocks, 8);
  assert_int_equal(f.shared_bytes, 48 << 10);
  assert_int_equal(f.max_block_threads, 1024);
  assert_int_equal(f.compute_major, 2);
  assert_int_equal(f.compute_minor, 0);
  assert_int_equal(f.memory_bytes, (uint64_t)1536 << 20);
}

static void memory(void **state) {
  (void)state;
  uint64_t before = weir_device_facts(device).memory_used_bytes, most = weir_device_facts(device).memory_bytes;
  assert_int_equal(weir_device_alloc(device, "all and one more", most - before + 1), 0);
  assert_int_equal(weir_device_alloc(device, "more than there is", UINT64_MAX), 0);
  uint64_t a = weir_device_alloc(device, "a", 100), b = weir_device_alloc(device, "b", 100);
  assert_true(a && b && a != b);
  assert_int_equal(weir_device_facts(device).memory_used_bytes, before + 200);
  assert_non_null(weir_device_at(device, a, 100));
  assert_null(weir_device_at(device, a, 101));
  assert_false(weir_device_release(device, a + 1));
  assert_true(weir_device_release(device, a));
  assert_false(weir_device_release(device, a));
  assert_null(weir_device_at(device, a, 1));
  assert_false(weir_device_release(device, 0));
  weir_device_reset(device);
  assert_null(weir_device_at(device, b, 1));
  assert_false(weir_device_release(device, b));
}

static void modules(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  assert_null(load(".version 7.0\n.target sm_20\n.address_size 64\n.entry k() { frobnicate; }\n", &sink));
  assert_int_equal(sink.errors, 1);
  assert_non_null(strstr(sink.diags[0].message, "test.ptx:4"));
  weir_sink_free(&sink);
  sink = (struct weir_sink){0};
  assert_null(load("", &sink));
  assert_true(sink.errors);
  weir_sink_free(&sink);
  const struct weir_program *a = load_vector(), *b = load_vector();
  assert_ptr_not_equal(a, b);
  assert_true(weir_program_first_pc(b) > weir_program_first_pc(a));
  weir_device_unload(device, a);
  assert_int_equal(launch(b, 1, 32, 0, false), WEIR_LAUNCH_DONE);
  weir_device_unload(device, b);
}

// A core has 48 warps and 8 blocks: of 128 threads 8 blocks are resident, of 256 threads 6, of 1024 one; with 20 KiB of
// shared memory, two. So 15 cores hold 120 blocks of 128 threads together.
static void launches(void **state) {
  (void)state;
  const struct weir_program *p = load_vector();
  const struct weir_kernel *k = weir_program_kernel(p, "ramp");
  assert_int_equal(weir_device_occupancy(device, k, 128, 0, 0), 8);
  assert_int_equal(weir_device_occupancy(device, k, 256, 0, 0), 6);
  assert_int_equal(weir_device_occupancy(device, k, 1024, 0, 0), 1);
  assert_int_equal(weir_device_occupancy(device, k, 128, 20 << 10, 0), 2);
  assert_int_equal(weir_device_occupancy(device, k, 128, 49 << 10, 0), 0);
  weir_time before = weir_device_now_ps(device);
  assert_int_equal(launch(p, 1, 1025, 0, false), WEIR_LAUNCH_INVALID);
  assert_int_equal(launch(p, UINT32_MAX, 32, 0, false), WEIR_LAUNCH_INVALID);
  assert_int_equal(launch(p, 1, 32, 49 << 10, false), WEIR_LAUNCH_INVALID);
  assert_int_equal(launch(p, 121, 128, 0, true), WEIR_LAUNCH_TOO_LARGE);
  assert_int_equal(weir_device_now_ps(device), before);
  assert_int_equal(launch(p, 120, 128, 0, true), WEIR_LAUNCH_DONE);
  assert_true(weir_device_now_ps(device) > before);
}

static int open_device(void **state) {
  (void)state;
  enum weir_device_state now;
  setenv("WEIR_REPORT", "none", 1);
  assert_false(weir_device_is_open());
  device = weir_device_get(&now);
  weir_device_lock();
  return !device || now != WEIR_DEVICE_READY || !weir_device_is_open();
}

static int let_go(void **state) {
  (void)state;
  weir_device_unlock();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(facts),
    cmocka_unit_test(memory),
    cmocka_unit_test(modules),
    cmocka_unit_test(launches),
  };
  return cmocka_run_group_tests(tests, open_device, let_go);
}
