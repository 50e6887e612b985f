// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Points in all three formats.
#include "base/alloc.h"
#include "host/points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct weir_sink sink = {0};
  char *text = weir_alloc(size + 1); // ends in NUL, as weir_file_read returns it
  memcpy(text, data, size);
  struct weir_points *p = weir_points_parse("fuzz.co", text, size, &sink);
  if (!p != (sink.errors > 0)) abort(); // says why exactly when it fails
  if (p) {
    for (uint32_t i = 0; i < p->count; i++)
      if (!isfinite(p->x[i]) || !isfinite(p->y[i])) abort();
    weir_points_free(p);
  }
  weir_sink_free(&sink);
  weir_free(text);
  return 0;
}
