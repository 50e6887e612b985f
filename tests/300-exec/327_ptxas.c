// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The estimate of registers per thread beside what ptxas reports of the bundled kernels (ptxas/*.csv): the error that
// docs/VALIDATION.md states, of the kernels that its constants were fitted to and of those that were held out.
#include "harness.h"

#include "exec/program.h"

enum { MOST_ROWS = 500 };

static int by_size(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}

static int error_of(const char *workload, const char *kernel, enum weir_assembler assembler, int counted) {
  char path[4096];
  struct bench b;
  memset(&b, 0, sizeof b);
  snprintf(path, sizeof path, WEIR_SOURCE_DIR "/workloads/%s/%s.ptx", workload, workload);
  b.module = weir_ptx_read(path, &b.sink);
  bench_build_for(&b, 32, assembler);
  const struct weir_kernel *k = weir_program_kernel(b.program, kernel);
  if (!k) fail_msg("%s has no kernel %s", path, kernel);
  const int error = (int)k->registers - counted;
  bench_close(&b);
  return error < 0 ? -error : error;
}

struct reference {
  const char *name;
  enum weir_assembler assembler;
  int median;      // error, at most
  unsigned within; // 4: percent, at least
};

// What docs/VALIDATION.md says of them: a change that is worse must say so there.
static const struct reference references[] = {
  {"sm_35", WEIR_ASSEMBLER_SM_35, 2, 70},  {"sm_70", WEIR_ASSEMBLER_SM_70, 2, 70},
  {"sm_75", WEIR_ASSEMBLER_SM_75, 3, 65},  {"sm_80", WEIR_ASSEMBLER_SM_70, 3, 70},
  {"sm_86", WEIR_ASSEMBLER_SM_86, 3, 70},  {"sm_90", WEIR_ASSEMBLER_SM_90, 2, 75},
  {"sm_100", WEIR_ASSEMBLER_SM_90, 2, 75}, {"sm_120", WEIR_ASSEMBLER_SM_110, 3, 75}};

static void half(const struct reference *r, char which) {
  char path[4096];
  snprintf(path, sizeof path, WEIR_SOURCE_DIR "/tests/300-exec/ptxas/%s.csv", r->name);
  FILE *f = fopen(path, "r");
  char line[300], workload[100], kernel[100], of;
  int errors[MOST_ROWS], counted;
  unsigned n = 0, near = 0;
  assert_non_null(f);
  while (fgets(line, sizeof line, f)) {
    if (*line == '#') continue;
    assert_int_equal(sscanf(line, "%99[^,],%99[^,],%d,%c", workload, kernel, &counted, &of), 4);
    if (of != which) continue;
    assert_true(n < MOST_ROWS);
    errors[n++] = error_of(workload, kernel, r->assembler, counted);
  }
  fclose(f);
  assert_true(n >= 30);
  qsort(errors, n, sizeof *errors, by_size);
  while (near < n && errors[near] <= 4) near++;
  print_message("%s: %u kernels: median error %d, %u within 4\n", r->name, n, errors[n / 2], near);
  assert_true(errors[n / 2] <= r->median);
  assert_true(100 * near >= r->within * n);
}

static void fitted(void **state) {
  (void)state;
  for (unsigned i = 0; i < sizeof references / sizeof *references; i++) half(&references[i], '0');
}

static void held_out(void **state) {
  (void)state;
  for (unsigned i = 0; i < sizeof references / sizeof *references; i++) half(&references[i], '1');
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(fitted), cmocka_unit_test(held_out)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
