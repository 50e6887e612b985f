// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Programs that share their work out among any number of threads: the result is the same bytes, and the rest refuse.
#include "all.h"
#include "host_test.h"

#include "host/app.h"
#include "host/launch_file.h"

static struct weir_app *open_with(const char *name, uint32_t blocks, uint32_t block, struct weir_sink *sink) {
  const struct weir_app_options o = {.seed = 1, .lanes = 32, .program = {.shape = {.blocks = blocks, .block = block}}};
  return weir_app_open(name, &o, sink);
}

// Runs and checks it; a hash of its results' bytes (FNV-1a).
static uint64_t outcome(const char *name, uint32_t blocks, uint32_t block) {
  struct weir_sink sink = {0};
  struct weir_app *a = open_with(name, blocks, block, &sink);
  assert_clean(&sink);
  assert_true(weir_app_run(a, weir_functional_backend(NULL)));
  assert_int_equal(weir_app_check(a), WEIR_CHECK_PASSED);
  unsigned count;
  const struct weir_result *r = weir_host_results(weir_app_host(a), &count);
  uint64_t hash = UINT64_C(0xCBF29CE484222325);
  for (unsigned i = 0; i < count; i++) {
    const uint8_t *bytes = weir_host_bytes(weir_app_host(a), r[i].address, r[i].bytes);
    for (uint64_t k = 0; k < r[i].bytes; k++) hash = (hash ^ bytes[k]) * UINT64_C(0x100000001B3);
  }
  weir_app_free(a);
  return hash;
}

// Numbers that divide nothing, more threads than some inputs have lines; and, in `make test-all`, only blocks and only threads.
static void results_do_not_depend_on_threads(void **state) {
  (void)state;
  static const struct { uint32_t blocks, block; } cases[] = {{7, 97}, {40, 256}, {3, 0}, {0, 32}};
  static const char *const programs[] = {"upper",    "wc",  "matmul",        "grep",   "pageview", "affinity",
                                         "invindex", "dna", "kmeans-stream", "opinion"}; // Mokhtari and Stumm, Table 1
  for (unsigned i = 0; i < sizeof programs / sizeof *programs; i++) {
    const uint64_t own = outcome(programs[i], 0, 0);
    for (unsigned k = 0; k < (test_all() ? 4 : 2); k++)
      if (outcome(programs[i], cases[k].blocks, cases[k].block) != own)
        fail_msg("%s has another result with %u × %u threads", programs[i], cases[k].blocks, cases[k].block);
  }
}

struct counted {
  uint32_t blocks, block;
};

static bool count(void *context, const struct weir_launch *l, struct weir_fault *fault) {
  (void)fault;
  *(struct counted *)context = (struct counted){l->grid[0], l->block[0]};
  return true;
}

static void launches_have_the_threads_asked_for(void **state) {
  (void)state;
  static const struct {
    struct counted asked;
    struct counted got;
  } cases[] = {{{0, 0}, {15, 128}}, {{30, 0}, {30, 128}}, {{0, 64}, {15, 64}}, {{9, 33}, {9, 33}}};
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct weir_sink sink = {0};
    struct weir_app *a = open_with("matmul", cases[i].asked.blocks, cases[i].asked.block, &sink);
    struct counted c;
    assert_true(weir_app_run(a, (struct weir_backend){.context = &c, .launch = count}));
    assert_int_equal(c.blocks, cases[i].got.blocks);
    assert_int_equal(c.block, cases[i].got.block);
    weir_app_free(a);
  }
}

static void others_refuse(void **state) {
  (void)state;
  char *path = write_test_file("f.yaml", "module: m.ptx\nbuffers: {}\nlaunches: []\n");
  const char *const names[] = {"nn", path};
  for (unsigned i = 0; i < 2; i++) {
    struct weir_sink sink = {0};
    assert_null(open_with(names[i], 30, 0, &sink));
    assert_message(&sink, 0,
                   "cannot be given blocks and threads (launch.blocks, launch.threads): that is for upper, wc, matmul");
    assert_null(open_with(names[i], 0, 64, &sink));
    assert_int_equal(sink.errors, 2);
    weir_sink_free(&sink);
  }
  weir_free(path);
}

// ---- a launch file's promise -----------------------------------------------------------------------------------------------

#define FILE_TEXT                                                                                                      \
  "module: m.ptx\nbuffers: {b: {bytes: 4, fill: zero}}\nlaunches: [{kernel: k, grid: [1], block: [1], args: [b]}]\n"

static void restrict_is_true_or_false(void **state) {
  (void)state;
  static const struct {
    const char *text, *says; // says: NULL: it is read
    bool promised;
  } cases[] = {
    {FILE_TEXT, NULL, false},
    {FILE_TEXT "restrict: true\n", NULL, true},
    {FILE_TEXT "restrict: false\n", NULL, false},
    {FILE_TEXT "restrict: maybe\n", "f.yaml:4:11: error: restrict must be true or false, not 'maybe'", false},
    {FILE_TEXT "restrict: [b]\n", "restrict", false},
  };
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct weir_sink sink = {0};
    struct weir_launch_file *f = weir_launch_file_parse("f.yaml", cases[i].text, strlen(cases[i].text), &sink);
    if (cases[i].says) {
      assert_null(f);
      assert_message(&sink, 0, cases[i].says);
    } else {
      assert_clean(&sink);
      assert_int_equal(f->restrict_pointers, cases[i].promised);
      weir_launch_file_free(f);
    }
    weir_sink_free(&sink);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(results_do_not_depend_on_threads),
    cmocka_unit_test(launches_have_the_threads_asked_for),
    cmocka_unit_test(others_refuse),
    cmocka_unit_test(restrict_is_true_or_false),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
