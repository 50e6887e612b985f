// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What the tests of this folder share: files written for one test, and looks at a sink's first message.
#ifndef WEIR_TESTS_CHIP_TEST_H
#define WEIR_TESTS_CHIP_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "chip/chip.h"
#include "config/chip_file.h"
#include "scheme/scheme.h"
#include "config/config.h"
#include "config/keys.h"
#include "scheme/policies.h"

static inline void assert_clean(struct weir_sink *sink) {
  if (sink->count) print_error("%s", sink->diags[0].message);
  assert_int_equal(sink->count, 0);
}

// The first message says `part`, and stands at `line` of a file unless that is 0. Frees the sink.
static inline void assert_says(struct weir_sink *sink, unsigned line, const char *part) {
  assert_true(sink->count > 0);
  const char *message = sink->diags[0].message;
  char place[24];
  snprintf(place, sizeof place, ".yaml:%u:", line);
  if (!strstr(message, part) || (line && !strstr(message, place)))
    fail_msg("expected '%s' at line %u, got: %s", part, line, message);
  weir_sink_free(sink);
}

// Writes a file that lives until the next call; returns its path.
static inline const char *write_yaml(const char *text) {
  static char path[128];
  if (!*path) snprintf(path, sizeof path, "/tmp/weir-chip-test-%d.yaml", (int)getpid());
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
  assert_int_equal(fclose(f), 0);
  return path;
}

static inline int remove_yaml(void **state) {
  (void)state;
  unlink(write_yaml(""));
  return 0;
}

static inline struct weir_chip_config *read_good(const char *name) {
  struct weir_sink sink = {0};
  struct weir_chip_config *c = weir_chip_read(name, &sink);
  assert_clean(&sink);
  assert_non_null(c);
  return c;
}

#endif
