// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a module costs grows with its size and not with the square of it: four times the text takes less than nine times the
// processor's time, where a square would take sixteen times. Of a time the least of several is taken, and what is too slow is
// measured again, for others are at work on the machine.
#include "harness.h"

#include <limits.h>
#include <malloc.h>
#include <time.h>

enum { SIZE = 6000, FACTOR = 4, MOST = 9, RUNS = 3, TRIES = 6 };

struct text {
  char *start, *at;
};

#define SAY(t, ...) ((t)->at += sprintf((t)->at, __VA_ARGS__))

static void chain(struct text *t, unsigned n) {
  SAY(t, ".shared .b32 s;\n.func f0() { .reg .b32 r; ld.shared.b32 r, [s]; ret; }\n");
  for (unsigned k = 1; k < n; k++) SAY(t, ".func f%u() { call f%u; ret; }\n", k, k - 1);
  SAY(t, ".visible .entry k() { call f%u; ret; }\n", n - 1);
}

static void kernels(struct text *t, unsigned n) {
  for (unsigned k = 0; k < n; k++)
    SAY(t, ".visible .entry k%u(.param .u64 a) { .shared .b32 s; .reg .b32 r; ld.shared.b32 r, [s]; ret; }\n", k);
}

static void pointers(struct text *t, unsigned n) {
  for (unsigned k = 0; k < n; k++) SAY(t, ".func f%u() { ret; }\n", k);
  SAY(t, ".global .u64 t[%u] = {f0", n);
  for (unsigned k = 1; k < n; k++) SAY(t, ",f%u", k);
  SAY(t, "};\n.visible .entry k() { .reg .b64 a;\n q: .callprototype _ ();\n");
  for (unsigned k = 0; k < n; k++) SAY(t, "call a, q;\n");
  SAY(t, "ret; }\n");
}

static void shared(struct text *t, unsigned n) {
  for (unsigned k = 0; k < n; k++) SAY(t, ".shared .b8 s%u;\n", k);
  SAY(t, ".visible .entry k() { .reg .b32 r;\n");
  for (unsigned k = 0; k < n; k++) SAY(t, "ld.shared.b8 r, [s%u];\n", k);
  SAY(t, "ret; }\n");
}

static void braces(struct text *t, unsigned n) {
  SAY(t, ".entry k() {");
  for (unsigned k = 0; k < 10 * n; k++) SAY(t, "{");
}

static void undeclared(struct text *t, unsigned n) {
  SAY(t, ".entry k() { .reg .b32 r;\n");
  for (unsigned k = 0; k < n; k++) SAY(t, "add.u32 r, q, 1;\n");
  SAY(t, "}\n");
}

static void unsupported(struct text *t, unsigned n) {
  SAY(t, ".entry k() { .reg .b64 r;\n");
  for (unsigned k = 0; k < n; k++) SAY(t, "mov.u64 r, %%current_graph_exec;\n");
  SAY(t, "ret; }\n");
}

static void labels(struct text *t, unsigned n) {
  SAY(t, ".entry k() { .reg .pred p;\n");
  for (unsigned k = 0; k < n; k++) SAY(t, "@p bra L%u;\n", k);
  for (unsigned k = 0; k < n; k++) SAY(t, "L%u:\n", k);
  SAY(t, "ret; }\n");
}

// Processor seconds to check a module of that size, which ends as `good` says, with all its errors recorded.
static double seconds(void (*write)(struct text *, unsigned), unsigned n, bool good) {
  struct text t = {.start = weir_alloc((size_t)n * 128 + 1024)};
  t.at = t.start;
  SAY(&t, PTX_HEADER);
  write(&t, n);
  double least = 1e9;
  for (unsigned run = 0; run < RUNS; run++) {
    struct weir_sink sink = {.limit = SIZE_MAX};
    const clock_t began = clock();
    struct weir_module *m = weir_ptx_parse("test.ptx", t.start, (size_t)(t.at - t.start), &sink);
    const bool ok = m && weir_program_check(m, &sink);
    const double took = (double)(clock() - began) / CLOCKS_PER_SEC;
    if (took < least) least = took;
    if (ok != good) fail_msg("%s", sink.count ? sink.diags[0].message : "accepted");
    weir_module_free(m);
    weir_sink_free(&sink);
  }
  weir_free(t.start);
  return least;
}

static void check(void (*write)(struct text *, unsigned), bool good, const char *name) {
  double ratio = 0;
  for (unsigned k = 0; k < TRIES; k++) {
    ratio = seconds(write, FACTOR * SIZE, good) / seconds(write, SIZE, good);
    if (ratio < MOST) return;
  }
  fail_msg("%s: %d times the size takes %.1f times as long", name, FACTOR, ratio);
}

#define TEST(name, good)                                                                                               \
  static void test_##name(void **state) {                                                                              \
    (void)state;                                                                                                       \
    check(name, good, #name);                                                                                          \
  }
TEST(chain, true)
TEST(kernels, true)
TEST(pointers, true)
TEST(shared, true)
TEST(braces, false)
TEST(undeclared, false)
TEST(unsupported, false)
TEST(labels, true)

int main(void) {
  // What is freed stays with the process, so that the system's pages are taken once and the least time has none of them:
  // given back and taken again they cost more for the larger module, and 4 times its size took up to 12 times as long.
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  mallopt(M_MMAP_MAX, 0);
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_chain),       cmocka_unit_test(test_kernels), cmocka_unit_test(test_pointers),
    cmocka_unit_test(test_shared),      cmocka_unit_test(test_braces),  cmocka_unit_test(test_undeclared),
    cmocka_unit_test(test_unsupported), cmocka_unit_test(test_labels),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
