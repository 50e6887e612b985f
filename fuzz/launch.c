// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Launch files of any shape.
#include "host/launch_file.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct weir_sink sink = {0};
  struct weir_launch_file *f = weir_launch_file_parse("fuzz.yaml", (const char *)data, size, &sink);
  if (!f != (sink.errors > 0)) abort(); // says why exactly when it fails
  if (f) weir_launch_file_free(f);
  weir_sink_free(&sink);
  return 0;
}
