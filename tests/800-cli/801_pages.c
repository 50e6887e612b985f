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

// Every command is on weir's page, and every option that its --help lists is on the command's own.
static void man_pages(void **state) {
  (void)state;
  struct process all = process_run("help"), weir = process_run("help", "--man");
  unsigned commands = 0, options = 0;
  for (char *line = strtok(all.out, "\n"); line; line = strtok(NULL, "\n")) {
    char name[32], text[64];
    if (strncmp(line, "  ", 2) || sscanf(line + 2, "%31[a-z0-9]", name) != 1) continue;
    commands++;
    snprintf(text, sizeof text, ".BR weir\\-%s (1)", name);
    if (!strstr(weir.out, text)) fail_msg("weir.1 does not name %s", name);
    struct process page = process_run("help", "--man", name), help = process_run(name, "--help"),
                   brief = process_run(name, "-h");
    assert_string_equal(brief.out, help.out);
    for (const char *at = strstr(help.out, "\n  "); at; at = strstr(at + 1, "\n  ")) {
      char option[32];
      const char *dashes = strstr(at + 1, "--");
      if (!dashes || dashes > at + 8 || sscanf(dashes, "--%31[a-z0-9-]", option) != 1) continue;
      if (!strcmp(option, "usage") || !strcmp(option, "version")) continue;
      char escaped[80] = "\\-\\-";
      for (const char *p = option; *p; p++)
        snprintf(escaped + strlen(escaped), sizeof escaped - strlen(escaped), "%s%c", *p == '-' ? "\\" : "", *p);
      if (!strstr(page.out, escaped)) fail_msg("the page of weir %s does not have --%s", name, option);
      options++;
    }
    process_free(&page);
    process_free(&help);
    process_free(&brief);
  }
  assert_true(commands >= 10 && options >= 100);
  process_free(&all);
  process_free(&weir);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(output_page), cmocka_unit_test(schema),
                                     cmocka_unit_test(man_pages)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
