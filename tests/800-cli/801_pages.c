// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The committed pages are what the tables print now.
#include "weir_process.h"

static char *read_source(const char *name) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", WEIR_SOURCE_DIR, name);
  FILE *f = fopen(path, "rb");
  if (!f) fail_msg("%s is not there", path);
  char *text = calloc(1, 1 << 20);
  assert_true(fread(text, 1, (1 << 20) - 1, f) > 0);
  fclose(f);
  return text;
}

static void is_current(const char *file, const char *option) {
  struct process p = process_run("help", option);
  char *committed = read_source(file);
  assert_int_equal(p.status, 0);
  if (strcmp(committed, p.out)) fail_msg("%s is out of date: weir help %s > %s", file, option, file);
  free(committed);
  process_free(&p);
}

static void output_page(void **state) {
  (void)state;
  is_current("docs/OUTPUT.md", "--output-doc");
}

static void schema(void **state) {
  (void)state;
  is_current("docs/run.schema.json", "--schema");
}

static void man_page(void **state) {
  (void)state;
  is_current("man/weir.1", "--man");
  is_current("man/weir.bash", "--completion");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(output_page), cmocka_unit_test(schema),
                                     cmocka_unit_test(man_page)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
