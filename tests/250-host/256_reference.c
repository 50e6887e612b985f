// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The checksums that an independent simulator gives for its micro-kernels (../shared/reference), one launch file per
// row.
#include "host_test.h"

#include "host/app.h"

#include <inttypes.h>

static const char table[] = WEIR_SOURCE_DIR "/../shared/reference/gpgpusim-gtx480.csv";

static uint64_t run_case(const char *path, unsigned lanes) {
  struct weir_sink sink = {0};
  const struct weir_app_options options = {.lanes = lanes};
  struct weir_app *a = weir_app_open(path, &options, &sink);
  assert_clean(&sink);
  bool ran = weir_app_run(a, weir_functional_backend(NULL));
  assert_clean(&sink);
  assert_true(ran);
  unsigned count;
  const struct weir_result *r = weir_host_results(weir_app_host(a), &count);
  assert_int_equal(count, 1);
  uint64_t sum = weir_host_checksum(weir_app_host(a), r);
  weir_app_free(a);
  return sum;
}

// "chase,8192,512,…,checksum" is cases/chase-8192-512.yaml; an argument that a case lacks is "-".
static void check_row(char *row, unsigned lanes) {
  char path[512];
  const char *name = strtok(row, ","), *a = strtok(NULL, ","), *b = strtok(NULL, ",");
  const char *last = strrchr(b + strlen(b) + 1, ',') + 1;
  bool both = strcmp(b, "-") != 0;
  snprintf(path, sizeof path, WEIR_SOURCE_DIR "/../shared/reference/cases/%s-%s%s%s.yaml", name, a, both ? "-" : "",
           both ? b : "");
  uint64_t sum = run_case(path, lanes), want = strtoull(last, NULL, 10);
  if (sum != want) fprintf(stderr, "%s: %" PRIu64 " instead of %" PRIu64 "\n", path, sum, want);
  assert_true(sum == want);
}

static void check_all(unsigned lanes) {
  char line[512];
  unsigned rows = 0;
  FILE *f = fopen(table, "r");
  assert_non_null(fgets(line, sizeof line, f)); // names of the columns
  for (; fgets(line, sizeof line, f); rows++) check_row(line, lanes);
  fclose(f);
  assert_int_equal(rows, 28);
}

static void checksums_with_32_lanes(void **state) {
  (void)state;
  check_all(32);
}

static void checksums_with_64_lanes(void **state) {
  (void)state;
  check_all(64);
}

int main(void) {
  if (access(table, R_OK)) {
    fprintf(stderr, "%s is not here: skipped\n", table);
    return 77;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(checksums_with_32_lanes),
                                     cmocka_unit_test(checksums_with_64_lanes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
