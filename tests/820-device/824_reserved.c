// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What programs are told of an A100 (CUDA C++ Programming Guide, compute capability 8.0): 108 cores of 64 warps and 32 blocks, 164 KiB
// of shared memory, of which the system takes 1 KiB in each block, so that a block has 163 KiB at most.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/device.h"

#include <stdlib.h>

static void an_a100(void **state) {
  (void)state;
  enum weir_device_state now;
  setenv("WEIR_REPORT", "none", 1);
  setenv("WEIR_CHIP", "ampere-a100", 1);
  struct weir_device *device = weir_device_get(&now);
  assert_non_null(device);
  assert_int_equal(now, WEIR_DEVICE_READY);
  const struct weir_device_facts f = weir_device_facts(device);
  assert_int_equal(f.compute_major, 8);
  assert_int_equal(f.compute_minor, 0);
  assert_int_equal(f.cores, 108);
  assert_int_equal(f.max_warps, 64);
  assert_int_equal(f.max_blocks, 32);
  assert_int_equal(f.shared_bytes, 164 << 10);
  assert_int_equal(f.block_shared_bytes, 163 << 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(an_a100)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
