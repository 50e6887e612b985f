// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "trace/reader_private.h"

bool weir_trace_reader_fail(struct weir_trace_reader *r, const char *message) {
  if (!r->failed) weir_fail(r->sink, (struct weir_place){.file = r->path}, "%s", message);
  r->failed = true;
  return false;
}
