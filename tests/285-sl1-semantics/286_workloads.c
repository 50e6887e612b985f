// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Every bundled workload at size small leaves the same results with S-L1 and without, on warps of 32 and of 64 lanes, and
// passes its own check: every second one in either way, all in both in `make test-all`. WEIR_SL1_WORKLOADS=NAME runs that one alone, WEIR_SL1_OPTIONS=LIST with those options alone.
#include "host/app.h"
#include "sl1/launch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "all.h"

// The paper's choices; and all that is different, where the source's word is not taken for anything.
static const char *const choices[] = {
  "threshold=60,counters=on",
  "line_bytes=32,threshold=20,alias=search,layout=interleaved,write_miss=around,floor_percent=20,rw_factor=1,"
  "static_proof=off,original_slice=off,counters=on",
};

// Runs launches, and notices whether any of them filled a line.
static bool filled;

static bool launch(void *context, const struct weir_launch *x, struct weir_fault *fault) {
  uint32_t structures;
  const bool good = ((const struct weir_backend *)context)->launch(NULL, x, fault);
  const uint64_t *counts = weir_sl1_counts(x->program, x->kernel->name, x->memory, &structures);
  for (uint32_t s = 0; counts && s < structures; s++) filled |= counts[s * WEIR_SL1_COUNTERS + WEIR_SL1_FILLS] > 0;
  return good;
}

static struct weir_app *run_app(const char *name, const struct weir_app_options *options) {
  struct weir_sink sink = {0};
  struct weir_backend functional = weir_functional_backend();
  struct weir_app *a = weir_app_open(name, options, &sink);
  if (!a || !weir_app_run(a, (struct weir_backend){.context = &functional, .launch = launch})) {
    weir_sink_print(&sink, stderr);
    fail_msg("%s does not run", name);
  }
  if (weir_app_check(a) != WEIR_CHECK_PASSED) {
    weir_sink_print(&sink, stderr);
    fail_msg("%s: wrong results", name);
  }
  weir_sink_free(&sink);
  return a;
}

static void assert_same_results(const char *name, struct weir_app *a, struct weir_app *b) {
  unsigned count, others;
  const struct weir_result *want = weir_host_results(weir_app_host(a), &count);
  const struct weir_result *got = weir_host_results(weir_app_host(b), &others);
  assert_int_equal(count, others);
  for (unsigned i = 0; i < count; i++)
    if (!strcmp(want[i].name, "rounds"))
      return; // as many as the clock leaves time for, so that nothing else is the same
  for (unsigned i = 0; i < count; i++) {
    const uint8_t *x = weir_host_bytes(weir_app_host(a), want[i].address, want[i].bytes);
    const uint8_t *y = weir_host_bytes(weir_app_host(b), got[i].address, want[i].bytes);
    assert_int_equal(want[i].bytes, got[i].bytes);
    for (uint64_t at = 0; at < want[i].bytes; at++)
      if (x[at] != y[at]) fail_msg("%s: byte %llu of '%s' differs", name, (unsigned long long)at, want[i].name);
  }
}

static void same_with_sl1(const char *name, unsigned lanes, const char *list) {
  struct weir_sink sink = {0};
  struct weir_app_options options = {
    .size = WEIR_SIZE_SMALL, .seed = 1, .lanes = lanes, .program = weir_program_defaults()};
  struct weir_app *plain = run_app(name, &options);
  options.program.sl1 = true;
  assert_true(
    weir_param_set_list(&weir_sl1_table, &options.program.sl1_options, list, weir_option_place("test"), &sink));
  filled = false;
  struct weir_app *cached = run_app(name, &options);
  assert_same_results(name, plain, cached);
  weir_app_free(plain);
  weir_app_free(cached);
}

static void run_all(unsigned parity, unsigned lanes, const char *list) {
  unsigned count, used = 0, ran = 0;
  const char *only = getenv("WEIR_SL1_WORKLOADS"), *chosen = getenv("WEIR_SL1_OPTIONS");
  const struct weir_workload *const *all = weir_workloads(&count);
  for (unsigned i = 0; i < count; i++) {
    if (only ? strcmp(only, all[i]->name) != 0 : i % 2 != parity && !test_all()) continue;
    same_with_sl1(all[i]->name, lanes, chosen ? chosen : list);
    used += filled;
    ran++;
    if (only) printf("%s, %u lanes: lines %s\n", only, lanes, filled ? "filled" : "not used");
  }
  printf("%u of %u workloads filled lines\n", used, ran);
  assert_true(only || used >= (test_all() ? 10 : 5)); // the ten of Mokhtari and Stumm's Table 1, at least
}

static void all_pass_with_32_lanes(void **state) {
  (void)state;
  run_all(0, 32, choices[0]);
}

static void all_pass_with_64_lanes(void **state) {
  (void)state;
  run_all(1, 64, choices[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_pass_with_32_lanes),
                                     cmocka_unit_test(all_pass_with_64_lanes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
