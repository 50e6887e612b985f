// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// upper, wc and grep against the system's own tr, wc and grep.
#include "from_text.h"

#include <stdio.h>

// Lines without words, words at both ends of the text, all the spaces, an overlong line, no newline at the end.
static char *awkward_text(void) {
  enum { LONG = 6000, ROUNDS = 400 };
  static const char *const lines[] = {"modern nation",
                                      " \t lead\v and\fmode.tion\r",
                                      "",
                                      "moderati",
                                      "a mode of caution",
                                      "MODERATION",
                                      "modeon",
                                      "the mode: on",
                                      "premodetiiion2"};
  char *text = calloc(1, LONG + ROUNDS * 200), *at = text;
  at = stpcpy(at, "first");
  for (int i = 0; i < ROUNDS; i++)
    for (size_t l = 0; l < sizeof lines / sizeof lines[0]; l++)
      at += sprintf(at, "%s%s", lines[l], i % 7 == 6 ? " " : "\n");
  for (int i = 0; i < LONG; i++) *at++ = (char)('a' + i % 23);
  strcpy(at, " modetion");
  return text;
}

// What `command` prints of the text on its standard input; freed by the caller.
static char *output_of(const char *command, const char *text, size_t *bytes) {
  char in[] = "/tmp/weir-text-XXXXXX", line[200];
  int fd = mkstemp(in);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, text, strlen(text)), strlen(text));
  close(fd);
  snprintf(line, sizeof line, "LC_ALL=C %s <%s", command, in);
  FILE *pipe = popen(line, "r");
  assert_non_null(pipe);
  char *out = calloc(1, 2 * strlen(text) + 4096);
  *bytes = fread(out, 1, 2 * strlen(text) + 4000, pipe);
  pclose(pipe);
  unlink(in);
  return out;
}

static struct weir_app *ran(const char *name, const char *text, struct weir_sink *sink) {
  struct weir_app *a = open_text(name, text, sink);
  assert_non_null(a);
  assert_true(weir_app_run(a, weir_functional_backend(NULL)));
  assert_int_equal(weir_app_check(a), WEIR_CHECK_PASSED);
  return a;
}

static const void *result_of(struct weir_app *a) {
  unsigned count;
  const struct weir_result *r = weir_host_results(weir_app_host(a), &count);
  assert_int_equal(count, 1);
  return weir_host_bytes(weir_app_host(a), r->address, r->bytes);
}

static void upper_does_what_tr_does(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  char *text = awkward_text();
  size_t bytes;
  char *want = output_of("tr a-z A-Z", text, &bytes);
  struct weir_app *a = ran("upper", text, &sink);
  assert_int_equal(bytes, strlen(text));
  assert_memory_equal(result_of(a), want, bytes);
  weir_app_free(a);
  free(want);
  free(text);
}

static void wc_counts_what_wc_counts(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  char *text = awkward_text();
  size_t bytes;
  char *want = output_of("wc -lw", text, &bytes), *end;
  struct weir_app *a = ran("wc", text, &sink);
  const uint32_t *totals = result_of(a);
  assert_int_equal(totals[0], strtoul(want, &end, 10));
  assert_int_equal(totals[1], strtoul(end, NULL, 10));
  weir_app_free(a);
  free(want);
  free(text);
}

static void grep_finds_what_grep_finds(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  char *text = awkward_text();
  size_t bytes;
  char *want = output_of("grep -n 'mode.*ti*on'", text, &bytes), *at = want;
  struct weir_app *a = ran("grep", text, &sink);
  const uint8_t *selected = result_of(a);
  unsigned line = 1, found = 0;
  for (const char *c = text; c; c = strchr(c, '\n') ? strchr(c, '\n') + 1 : NULL, line++)
    if (selected[line - 1]) {
      assert_int_equal(strtoul(at, NULL, 10), line);
      at = strchr(at, '\n') + 1;
      found++;
    }
  assert_int_equal(*at, 0);
  assert_in_range(found, 1, line - 2);
  weir_app_free(a);
  free(want);
  free(text);
}

static void texts_that_are_none_are_refused(void **state) {
  (void)state;
  static const char *const names[] = {"upper", "wc", "grep"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) assert_refused(names[i], "", "empty");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(upper_does_what_tr_does),
    cmocka_unit_test(wc_counts_what_wc_counts),
    cmocka_unit_test(grep_finds_what_grep_finds),
    cmocka_unit_test(texts_that_are_none_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
