// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What the tests of this folder share: a folder of their own, and streams of instructions.
#ifndef WEIR_TESTS_TRACE_TEST_H
#define WEIR_TESTS_TRACE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/rng.h"
#include "trace/trace.h"
#include "trace/writer.h"

static char folder[64];

static inline int make_folder(void **state) {
  (void)state;
  strcpy(folder, "/tmp/weir-trace-test-XXXXXX");
  return !mkdtemp(folder);
}

static inline int remove_folder(void **state) {
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  return system(command);
}

// Valid until the call after the next.
static inline const char *path_of(const char *name) {
  static char paths[2][256];
  static unsigned turn;
  char *path = paths[turn++ & 1];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

// What the sink prints holds `part`. Frees the sink.
static inline void assert_says(struct weir_sink *sink, const char *part) {
  char text[4096] = "";
  FILE *f = fmemopen(text, sizeof text - 1, "w");
  assert_non_null(f);
  weir_sink_print(sink, f);
  fclose(f);
  weir_sink_free(sink);
  if (!strstr(text, part)) fail_msg("no '%s' in: %s", part, text);
}

static inline void assert_no_errors(struct weir_sink *sink) {
  if (sink->errors) weir_sink_print(sink, stderr);
  assert_int_equal(sink->errors, 0);
  weir_sink_free(sink);
}

static inline void write_file(const char *path, const void *bytes, size_t size) {
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(bytes, 1, size, f), size);
  fclose(f);
}

// Reads all of what the reader has selected; `each` sees the instructions one by one.
static inline uint64_t read_all(struct weir_trace_reader *r, void (*each)(const struct weir_trace_inst *, void *),
                                void *with) {
  struct weir_trace_inst batch[100];
  uint64_t count = 0;
  for (size_t n; (n = weir_trace_read(r, batch, 100)); count += n)
    for (size_t i = 0; each && i < n; i++) each(&batch[i], with);
  return count;
}

#endif
