// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A folder of a test program's own, there while its tests run.
#ifndef WEIR_TEST_FOLDER_H
#define WEIR_TEST_FOLDER_H

#include "weir_process.h"

static char folder[] = "/tmp/weir-test-XXXXXX";

static inline int make_folder(void **state) {
  (void)state;
  assert_non_null(mkdtemp(folder));
  return 0;
}

static inline int remove_folder(void **state) {
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command);
}

// A path in it; the text lasts for 15 more calls.
static inline const char *file(const char *name) {
  static char path[16][128];
  static unsigned next;
  snprintf(path[++next % 16], sizeof *path, "%s/%s", folder, name);
  return path[next % 16];
}

static inline void gives(struct process p, int status, const char *text) { // on either stream; ends the process' texts
  if (p.status != status) print_error("%s%s", p.out, p.err);
  assert_int_equal(p.status, status);
  if (!strstr(p.out, text) && !strstr(p.err, text)) print_error("%s%s", p.out, p.err);
  assert_true(strstr(p.out, text) || strstr(p.err, text));
  process_free(&p);
}

#endif
