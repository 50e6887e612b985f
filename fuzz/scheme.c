// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Specs and scheme files of any shape: the first line is what follows the scheme's name, the rest is its file.
#define _GNU_SOURCE // memfd_create
#include "bytes.h"
#include "base/alloc.h"
#include "config/chip_file.h"
#include "scheme/scheme.h"
#include "scheme/policies.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct weir_chip_config *chip(void) {
  static struct weir_chip_config *c;
  struct weir_sink sink = {0};
  if (!c) c = weir_chip_read("gcn-apu", &sink);
  if (!c) abort();
  return c;
}

// What holds the first of every list is the first combination, which is an ordinary scheme.
static void combine(const struct weir_scheme *s) {
  struct weir_sink sink = {0};
  struct weir_chip_config *own = weir_chip_copy(chip());
  char *spec = weir_scheme_combination(s, 0);
  struct weir_scheme *first = weir_scheme_read(spec, own, &sink);
  if (!first || weir_scheme_sweep_count(first)) abort();
  for (unsigned i = 0; i < weir_chip_levels(own); i++) {
    const struct weir_level_policies *a = weir_scheme_level(s, i), *b = weir_scheme_level(first, i);
    if (memcmp(&a->replace, &b->replace, sizeof a->replace) || a->companion_count != b->companion_count ||
        memcmp(a->companions, b->companions, a->companion_count * sizeof *a->companions))
      abort();
  }
  weir_scheme_free(first);
  weir_free(spec);
  weir_chip_config_free(own);
}

static void resolve(const char *spec) {
  struct weir_sink sink = {0};
  struct weir_chip_config *own = weir_chip_copy(chip());
  struct weir_scheme *s = weir_scheme_read(spec, own, &sink);
  if (!s != (sink.errors > 0)) abort(); // says why exactly when it fails
  for (unsigned i = 0; s && i < weir_chip_levels(own); i++)
    if (weir_scheme_level(s, i)->replace.policy->kind != WEIR_POLICY_REPLACE) abort();
  if (s) combine(s);
  if (s) weir_scheme_free(s);
  weir_chip_config_free(own);
  weir_sink_free(&sink);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const uint8_t *newline = memchr(data, '\n', size);
  size_t line = newline ? (size_t)(newline - data) : size;
  const uint8_t *rest = data + line;
  const struct bytes_file file = bytes_open(rest, size - line);
  char *spec = weir_text_format("%s%.*s", file.path, (int)line, (const char *)data);
  resolve(spec);
  weir_free(spec);
  bytes_close(&file);
  return 0;
}
