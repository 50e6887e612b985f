// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Programs on inputs that a test writes down.
#ifndef WEIR_TESTS_FROM_TEXT_H
#define WEIR_TESTS_FROM_TEXT_H

#include "host/app.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

// `name` on a file that holds `text`; NULL if that is refused.
static inline struct weir_app *open_text(const char *name, const char *text, struct weir_sink *sink) {
  char path[] = "/tmp/weir-input-XXXXXX";
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, text, strlen(text)), strlen(text));
  close(fd);
  const struct weir_app_options options = {.input = path, .seed = 1, .lanes = 32};
  struct weir_app *a = weir_app_open(name, &options, sink);
  unlink(path);
  return a;
}

// One diagnostic, which says `why`.
static inline void assert_refused(const char *name, const char *text, const char *why) {
  struct weir_sink sink = {0};
  assert_null(open_text(name, text, &sink));
  assert_int_equal(sink.errors, 1);
  assert_non_null(strstr(sink.diags[0].message, why));
  weir_sink_free(&sink);
}

#endif
