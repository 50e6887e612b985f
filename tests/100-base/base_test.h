// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What the tests of this folder share.
#ifndef WEIR_TESTS_BASE_TEST_H
#define WEIR_TESTS_BASE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/diag.h"

// All that a sink prints; freed by free. Frees the sink.
static inline char *printed(struct weir_sink *sink) {
  char *text = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&text, &size);
  assert_non_null(f);
  weir_sink_print(sink, f);
  fclose(f);
  weir_sink_free(sink);
  return text;
}

static inline void assert_prints(struct weir_sink *sink, const char *expected) {
  char *text = printed(sink);
  assert_string_equal(text, expected);
  free(text);
}

#endif
