// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// ptxas takes what the pass makes of every second bundled workload and of kernels drawn at random, each with one choice of options
// in turn, and in `make test-all` of every workload with both. Skipped where there is none.
#include "all.h"
#include "base/alloc.h"
#include "ptx/parse.h"
#include "run.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { KERNELS = 10, ALL_KERNELS = 40, FIRST = 7001 };

static const char ptxas[] = "/usr/local/cuda/bin/ptxas";

// Two ways to write every part of the pass that options choose.
static const char *const choices[] = {
  "threshold=16,counters=on,alias=search,remonitor=on",
  "line_bytes=32,alias=none,layout=interleaved,write_miss=around,scope=block,original_slice=off",
};

static struct weir_sl1_options chosen(unsigned i) {
  struct weir_sl1_options o = weir_sl1_defaults();
  struct weir_sink sink = {0};
  assert_true(weir_param_set_list(&weir_sl1_table, &o, choices[i], weir_option_place("test"), &sink));
  return o;
}

// Line by line, but with a header that the newest ptxas still takes: no debug sections, and no chip before `arch`.
static void write_for(const char *text, const char *arch, FILE *to) {
  while (*text) {
    const int length = (int)strcspn(text, "\n");
    if (!strncmp(text, ".version", 8))
      fputs(".version 8.5", to);
    else if (!strncmp(text, ".target", 7))
      fprintf(to, ".target %s, texmode_independent", arch);
    else
      fprintf(to, "%.*s", length, text);
    fputc('\n', to);
    text += length + (text[length] != '\0');
  }
}

static void assert_taken(const char *name, const char *text, const char *arch, const char *options) {
  char path[] = "/tmp/weir-XXXXXX", command[256];
  const int fd = mkstemp(path);
  assert_true(fd >= 0);
  FILE *f = fdopen(fd, "w");
  write_for(text, arch, f);
  fclose(f);
  snprintf(command, sizeof command, "%s -w -arch=%s %s -o /dev/null", ptxas, arch, path);
  if (system(command) != 0) fail_msg("ptxas refuses %s with %s; it is in %s", name, options, path);
  unlink(path);
}

static void take_workload(const char *path, const struct weir_module *m, unsigned choice) {
  const struct weir_sl1_options o = chosen(choice);
  char *text = weir_sl1_transform(m, &o, NULL);
  assert_taken(path, text, "sm_75", choices[choice]);
  weir_free(text);
}

static void takes_workloads(void **state) {
  (void)state;
  if (access(ptxas, X_OK) != 0) skip();
  DIR *d = opendir(WEIR_SOURCE_DIR "/workloads");
  assert_non_null(d);
  unsigned count = 0;
  for (struct dirent *e; (e = readdir(d));) {
    char path[4096];
    snprintf(path, sizeof path, "%s/workloads/%s/%s.ptx", WEIR_SOURCE_DIR, e->d_name, e->d_name);
    if (access(path, R_OK) != 0) continue;
    struct weir_sink sink = {0};
    struct weir_module *m = weir_ptx_read(path, &sink);
    assert_non_null(m);
    if (test_all() || count % 2) take_workload(path, m, count / 2 % 2);
    if (test_all()) take_workload(path, m, 1 - count / 2 % 2);
    weir_module_free(m);
    count++;
  }
  closedir(d);
  assert_true(count >= 30);
}

static void takes_random_kernels(void **state) {
  (void)state;
  if (access(ptxas, X_OK) != 0) skip();
  for (unsigned i = 0; i < (test_all() ? ALL_KERNELS : KERNELS); i++) {
    const struct weir_sl1_options o = chosen(i % 2);
    char message[512], name[40];
    struct sl1_kernel k;
    sl1_kernel_draw(&k, FIRST + i);
    snprintf(name, sizeof name, "seed %u", FIRST + i);
    struct weir_module *m = sl1_parse(k.text, message, sizeof message);
    assert_non_null(m);
    char *text = weir_sl1_transform(m, &o, NULL);
    assert_taken(name, text, "sm_80", choices[i % 2]);
    weir_free(text);
    weir_module_free(m);
    sl1_kernel_free(&k);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(takes_workloads), cmocka_unit_test(takes_random_kernels)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
