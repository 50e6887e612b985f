// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Launch files under S-L1: the same results, and a promise of restrict that is kept.
#include "host_test.h"

#include "host/app.h"
#include "sl1/launch.h"

enum { THREADS = 32, CHUNK = 500 };

// out[i] = in[i] + 1, each thread a chunk of bytes. Neither is .nc, so that either may be the other's memory.
static const char module[] =
  ".version 7.0\n.target sm_70\n.address_size 64\n"
  ".visible .entry next(.param .u64 in, .param .u64 out) {\n"
  "  .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
  "  ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, 500;\n"
  "  mul.wide.u32 %rd3, %r1, 500; add.u64 %rd1, %rd1, %rd3; add.u64 %rd2, %rd2, %rd3;\n"
  "again:\n"
  "  ld.global.u8 %r3, [%rd1]; add.u32 %r3, %r3, 1; st.global.u8 [%rd2], %r3;\n"
  "  add.u64 %rd1, %rd1, 1; add.u64 %rd2, %rd2, 1; sub.u32 %r2, %r2, 1;\n"
  "  setp.ne.u32 %p, %r2, 0; @%p bra again; ret; }\n";

static struct weir_backend functional;
static uint64_t steps;

static bool count(void *context, const struct weir_launch *l, struct weir_fault *fault) {
  (void)context;
  bool ok = functional.launch(functional.context, l, fault);
  steps += *l->steps;
  return ok;
}

struct outcome {
  uint64_t steps, hits;
  uint32_t lines;
};

// `promise`: a line of the launch file. The output is checked, in place (out = in) or not.
static struct outcome run(const char *promise, const char *options, bool in_place) {
  struct weir_sink sink = {0};
  struct weir_app_options o = {.seed = 1, .lanes = 32, .program = weir_program_defaults()};
  struct outcome found = {0};
  char text[512];
  snprintf(
    text, sizeof text,
    "module: next.ptx\nbuffers: {in: {bytes: 16000, fill: {constant: 0x04030201}}, out: {bytes: 16000, fill: zero}}\n"
    "launches: [{kernel: next, grid: [1], block: [32], args: [in, %s]}]\nchecksum: [%s]\n%s",
    in_place ? "in" : "out", in_place ? "in" : "out", promise);
  weir_free(write_test_file("next.ptx", module));
  char *path = write_test_file("next.yaml", text);
  o.program.sl1 = options;
  assert_true(weir_param_set_list(&weir_sl1_table, &o.program.sl1_options, options ? options : "",
                                  weir_option_place("test"), &sink));
  struct weir_app *a = weir_app_open(path, &o, &sink);
  assert_clean(&sink);
  const struct weir_program *program = weir_app_program(a);
  functional = weir_functional_backend(NULL);
  steps = 0;
  assert_true(weir_app_run(a, (struct weir_backend){.launch = count}));
  found.steps = steps;
  unsigned results;
  const struct weir_result *r = weir_host_results(weir_app_host(a), &results);
  const uint8_t *bytes = weir_host_bytes(weir_app_host(a), r->address, r->bytes);
  for (unsigned i = 0; i < THREADS * CHUNK; i++) assert_int_equal(bytes[i], i % 4 + 2);
  struct weir_sl1_need need;
  assert_int_equal(weir_app_sl1(a) != NULL, options != NULL);
  assert_int_equal(weir_sl1_need(program, "next", weir_app_memory(a), &need), options != NULL);
  if (options) {
    uint32_t structures;
    const uint64_t *counts = weir_sl1_counts(program, "next", weir_app_memory(a), &structures);
    assert_int_equal(structures, 2);
    found.hits = counts[WEIR_SL1_HITS] + counts[WEIR_SL1_COUNTERS + WEIR_SL1_HITS];
    found.lines = weir_sl1_given(&need, weir_app_memory(a));
  }
  weir_app_free(a);
  weir_free(path);
  return found;
}

// A block alone on a core of 48 KiB has room for 96 lines of 16 bytes for each of 32 threads; there are two structures.
static void results_stay(void **state) {
  (void)state;
  run("", NULL, false);
  run("", NULL, true);
  struct outcome apart = run("", "counters=on", false), same = run("", "counters=on", true);
  assert_int_equal(apart.lines, 2);
  assert_true(apart.hits > 0);
  assert_int_equal(same.lines, 2);
  assert_true(same.hits > 0);
}

// alias=auto: with the promise an access looks at the line of its structure alone, which takes fewer instructions.
static void the_promise_decides(void **state) {
  (void)state;
  uint64_t plain = run("", "counters=on", false).steps, promised = run("restrict: true\n", "counters=on", false).steps;
  assert_true(promised < plain);
  assert_int_equal(run("restrict: false\n", "counters=on", false).steps, plain);
  assert_int_equal(run("restrict: true\n", "counters=on,alias=search", false).steps, plain);
  assert_int_equal(run("", "counters=on,alias=none", false).steps, promised);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(results_stay),
    cmocka_unit_test(the_promise_decides),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
