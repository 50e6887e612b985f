// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Chip files of any shape. What is accepted can be copied, listed, and overridden; and it is consistent.
#define _GNU_SOURCE // memfd_create
#include "bytes.h"
#include "config/chip_file.h"
#include "config/config.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void count_setting(void *context, const struct weir_chip_setting *s) {
  if (!*s->path || !*s->value || !*s->type || !*s->help || !s->file != !s->line) abort();
  ++*(unsigned *)context;
}

static void check(struct weir_chip_config *c, struct weir_sink *sink) {
  unsigned paths = 0;
  weir_chip_settings(c, count_setting, &paths);
  if (!paths || !weir_chip_validate(c, sink)) abort();
  for (unsigned i = 0; i < weir_chip_levels(c); i++)
    if (!weir_chip_sets(c, i) || !*weir_chip_level_name(c, i)) abort();
  if (!weir_chip_set(c, "core.max_blocks=1", "fuzz", sink)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const struct bytes_file file = bytes_open(data, size);
  struct weir_sink sink = {0};
  struct weir_chip_config *c = weir_chip_read(file.path, &sink);
  if (!c != (sink.errors > 0)) abort(); // says why exactly when it fails
  if (c) {
    struct weir_chip_config *copy = weir_chip_copy(c);
    weir_chip_config_free(c);
    check(copy, &sink);
    weir_chip_config_free(copy);
  }
  weir_sink_free(&sink);
  bytes_close(&file);
  return 0;
}
