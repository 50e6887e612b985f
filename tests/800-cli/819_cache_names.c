// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a chip calls its caches is nobody's business: a copy of a bundled chip with the first and the last of them renamed
// gives the same reports and tables, but for these names.
#include "weir_process.h"

#include <stdbool.h>

#define SUBJECT WEIR_BINARY_DIR "/tests/820-device/device_subject"
#define TRACE WEIR_SOURCE_DIR "/tests/450-trace/data/mcf.wtrace"

struct name {
  const char *old, *new;
};

static char *whole(const char *path) {
  FILE *f = fopen(path, "r");
  assert_non_null(f);
  char *text = calloc(1, 1 << 20);
  assert_in_range(fread(text, 1, (1 << 20) - 1, f), 1, (1 << 20) - 2);
  fclose(f);
  return text;
}

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

// Writes `text` with the name, where it is a word of its own, replaced; `before` what must stand before it.
static char *replaced(char *text, const char *before, const char *old, const char *new) {
  char *out = calloc(2, strlen(text) + 1), *to = out;
  const size_t length = strlen(old), lead = strlen(before);
  for (const char *from = text; *from;) {
    const bool here = !strncmp(from, old, length) && !is_word(from[length]) && (from == text || !is_word(from[-1])) &&
      (size_t)(from - text) >= lead && !strncmp(from - lead, before, lead);
    if (here)
      to = stpcpy(to, new), from += length;
    else
      *to++ = *from++;
  }
  free(text);
  return out;
}

// Columns are as wide as what is in them, and no two runs take the same time.
static char *normalised(char *text) {
  char *to = text, *end = strstr(text, "\nsimulated in ");
  if (end) *end = '\0';
  for (const char *from = text; *from; from++) {
    const bool line = !strncmp(from, "─", 3);
    if (line && to >= text + 3 && !strncmp(to - 3, "─", 3)) {
      from += 2;
      continue;
    }
    if (*from == ' ' && (to == text || to[-1] == ' ' || from[1] == '\n' || from[1] == '\0')) continue;
    *to++ = *from;
  }
  *to = '\0';
  return text;
}

static char *output_of(const char *const *argv) {
  struct process p = process_run_all(argv);
  if (p.status) fail_msg("status %d: %s", p.status, p.err);
  free(p.err);
  return p.out;
}

// Runs the command on the bundled chip, and on its copy.
static void same_but_for_names(const char *chip, const struct name *names, const char *const *arguments) {
  char bundled[128], copy[] = "/tmp/weir-chip-XXXXXX.yaml";
  snprintf(bundled, sizeof bundled, WEIR_SOURCE_DIR "/chips/%s.yaml", chip);
  char *text = whole(bundled);
  for (const struct name *n = names; n->old; n++) text = replaced(text, "- name: ", n->old, n->new);
  FILE *f = fdopen(mkstemps(copy, 5), "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
  free(text);

  const char *argv[16] = {arguments[0], "--chip", chip};
  for (unsigned i = 1; arguments[i]; i++) argv[i + 2] = arguments[i];
  char *expected = output_of(argv);
  argv[2] = copy;
  char *got = output_of(argv);
  unlink(copy);
  for (const struct name *n = names; n->old; n++) {
    if (strcmp(arguments[0], "run") == 0) assert_holds(got, n->new); // the reader is told what they are called
    got = replaced(got, "", n->new, n->old);
  }
  expected = normalised(expected);
  got = normalised(got);
  assert_string_equal(got, expected);
  free(expected);
  free(got);
}
#define SAME(chip, names, ...) same_but_for_names(chip, names, (const char *const[]){__VA_ARGS__, NULL})

static const struct name of_gcn[] = {{"l1", "vl1"}, {"l3", "system"}, {0}};
static const struct name of_fermi[] = {{"l1", "vl1"}, {"l2", "shared_cache"}, {0}};
static const struct name of_apu[] = {{"l1", "vl1"}, {"llc", "system"}, {0}};

static void report(void **state) {
  (void)state;
  SAME("gcn-apu", of_gcn, "run", "nn", "--scheme", "pcbp");
}

static void report_of_a_process(void **state) {
  (void)state;
  SAME("fermi-gtx480", of_fermi, "run", "--", "sh", "-c", SUBJECT " exit; true"); // which ends with 3
}

static void comparison(void **state) {
  (void)state;
  SAME("gcn-apu", of_gcn, "compare", "nn", "--schemes", "none,pcbp");
}

#define MIX TRACE "+nn"
#define COUNTS "--cpu-instructions", "50K", "--gpu-instructions", "5K", "--warmup", "20K"

static void mixes(void **state) {
  (void)state;
  SAME("apu-1c4g", of_apu, "run", MIX, COUNTS);
  SAME("apu-1c4g", of_apu, "compare", MIX, "--schemes", "lru,helm", COUNTS);
}

// No column of the table is empty, as those were of a cache that is not called l1.
static void full_columns(void **state) {
  (void)state;
  struct process p = process_run("compare", "--chip", "gcn-apu", "nn", "--schemes", "none,pcbp", "--csv");
  assert_int_equal(p.status, 0);
  assert_null(strstr(p.out, ",,"));
  process_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(report), cmocka_unit_test(report_of_a_process),
                                     cmocka_unit_test(comparison), cmocka_unit_test(mixes),
                                     cmocka_unit_test(full_columns)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
