// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The reference's launch files as they are: same checksums as another simulator computed from the same PTX.
#include "weir_process.h"

#include "conform.h"

#include <unistd.h>

#define REFERENCE WEIR_SOURCE_DIR "/../shared/reference"

static void one_case(char *line) {
  char *field[16], path[512];
  unsigned n = 0;
  for (char *f; n < 16 && (f = strsep(&line, ",\n"));) field[n++] = f;
  assert_true(n >= 14);
  int length = snprintf(path, sizeof path, REFERENCE "/cases/%s", field[0]);
  for (int i = 1; i <= 2; i++)
    if (strcmp(field[i], "-")) length += snprintf(path + length, sizeof path - (size_t)length, "-%s", field[i]);
  snprintf(path + length, sizeof path - (size_t)length, ".yaml");
  struct process p = process_run("run", "--functional", "--json", path);
  if (p.status) fail_msg("%s: %s", path, p.err);
  json_t *run = json_loads(p.out, 0, NULL), *checksum;
  const char *buffer;
  assert_int_equal(json_object_size(json_object_get(run, "checksums")), 1);
  json_object_foreach(json_object_get(run, "checksums"), buffer, checksum)
    assert_string_equal(json_string_value(checksum), field[13]);
  json_decref(run);
  process_free(&p);
}

static void checksums(void **state) {
  (void)state;
  char line[1024];
  unsigned cases = 0;
  FILE *f = fopen(REFERENCE "/gpgpusim-gtx480.csv", "r");
  assert_non_null(f);
  assert_non_null(fgets(line, sizeof line, f));
  for (; fgets(line, sizeof line, f); cases++) one_case(line);
  fclose(f);
  assert_true(cases > 0);
}

int main(void) {
  if (access(REFERENCE "/gpgpusim-gtx480.csv", R_OK)) {
    puts("skipped: the reference figures are not here");
    return 77;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(checksums)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
