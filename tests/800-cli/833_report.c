// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// weir report: what it reads, and what it refuses. report_page.sh opens a page.
#include "weir_process.h"

#include <stdio.h>
#include <string.h>

static char folder[] = "/tmp/weir-report-XXXXXX";

static int make_folder(void **state) {
  (void)state;
  assert_non_null(mkdtemp(folder));
  return 0;
}

static int remove_folder(void **state) {
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command);
}

static const char *file(const char *name) {
  static char path[8][128];
  static unsigned next;
  snprintf(path[++next % 8], sizeof *path, "%s/%s", folder, name);
  return path[next % 8];
}

#define REPORT(...) process_run_all((const char *const[]){"report", __VA_ARGS__, NULL})

static void gives(struct process p, int status, const char *text) {
  if (p.status != status || !strstr(p.err, text)) print_error("%d\n%s%s", p.status, p.out, p.err);
  assert_int_equal(p.status, status);
  assert_non_null(strstr(p.err, text));
  process_free(&p);
}

#define RUN(schema, program)                                                                                           \
  "{\"schema_version\": " schema ", \"program\": \"" program "\", \"total\": {\"cycles\": 7}}"

static const char *text_file(const char *name, const char *text) {
  const char *path = file(name);
  write_text_file(path, text);
  return path;
}

static void refused(void **state) {
  (void)state;
  char page[128];
  snprintf(page, sizeof page, "%s/none.html", folder);
  gives(REPORT(file("missing.json"), "-o", page), 2, "missing.json");
  gives(REPORT(text_file("empty.json", " \n"), "-o", page), 2, "holds no run");
  gives(REPORT(text_file("list.json", "[]"), "-o", page), 2, "holds no run");
  gives(REPORT(text_file("other.json", "{\"a\": 1}"), "-o", page), 2, "no run object");
  gives(REPORT(text_file("broken.json", RUN("3", "nn") "\n{\"program\": }\n"), "-o", page), 2, "broken.json:2");
  gives(REPORT(text_file("mixed.json", "[" RUN("3", "nn") ", " RUN("2", "nn") "]"), "-o", page), 2, "schema 2");
  gives(REPORT(text_file("one.json", RUN("3", "nn"))), 2, "-o FILE is missing");
  gives(REPORT(text_file("two.json", RUN("3", "nn")), "-o", file("no/such/folder.html")), 2, "folder.html");
  assert_int_not_equal(access(page, F_OK), 0); // nothing was written
}

// Run objects one after the other; and a program whose name is markup is a text of the page.
static void read_and_escaped(void **state) {
  (void)state;
  const char *page = file("page.html");
  gives(REPORT(text_file("lines.json", RUN("3", "nn") "\n" RUN("3", "</script><b>") "\n"), "-o", page), 0, "2 runs");
  char command[300];
  snprintf(command, sizeof command, "grep -q 'program\":\"\\\\u003c/script>\\\\u003cb>\"' %s", page);
  assert_int_equal(system(command), 0);
  snprintf(command, sizeof command, "grep -qE '<(script|link|img)[^>]* (src|href)=\"?(http|//)' %s", page);
  assert_int_not_equal(system(command), 0); // it asks for nothing from elsewhere
}

// A run object as short as can be of a process and of a selection: its command line is its name, and how to reproduce it has both.
static void names_and_commands(void **state) {
  (void)state;
  const char *page = file("named.html");
  gives(REPORT(
          text_file(
            "named.json",
            "{\"schema_version\": 3, \"program\": \"/bin/pr\", \"chip\": \"gcn-apu\", \"scheme\": \"lru\", \"seed\": 1,"
            " \"total\": {\"cycles\": 7}, \"process\": {\"command\": [\"./pr\", \"-n\", \"9\"]},"
            " \"selection\": {\"kernels\": \"f\", \"launches\": null, \"max_launches\": 2, \"warm\": true}}"),
          "-o", page),
        0, "1 run");
  char command[300];
  snprintf(command, sizeof command, "grep -q 'program\":\"./pr -n 9\"' %s", page);
  assert_int_equal(system(command), 0);
  snprintf(command, sizeof command, "grep -qe '--kernels f --max-launches 2 --warm --seed 1 -- ./pr -n 9' %s", page);
  assert_int_equal(system(command), 0);
}

// Of a store, the runs that are asked for.
static void of_a_store(void **state) {
  (void)state;
  char store[128], page[128];
  snprintf(store, sizeof store, "%s/runs.sqlite", folder);
  snprintf(page, sizeof page, "%s/store.html", folder);
  gives(process_run("compare", "backprop", "nn", "--schemes", "lru,plru", "--store", store), 0, "");
  gives(REPORT(store, "-o", page), 0, "4 runs");
  gives(REPORT(store, "-o", page, "--program", "n*", "--scheme", "plru"), 0, ": 1 run\n");
  gives(REPORT(store, "-o", page, "--where", "cycles > 0 AND program = 'nn'"), 0, "2 runs");
  gives(REPORT(store, "-o", page, "--where", "cycles <"), 2, "cycles <");
  gives(REPORT(store, "-o", page, "--chip", "none"), 2, "holds no run that is asked for");
  gives(REPORT(store, text_file("more.json", RUN("3", "nn")), "-o", page), 0, "5 runs");
  gives(REPORT(store, text_file("former.json", RUN("2", "nn")), "-o", page), 2, "schema 2");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(refused), cmocka_unit_test(read_and_escaped),
                                     cmocka_unit_test(names_and_commands), cmocka_unit_test(of_a_store)};
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
