// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Recordings of any bytes. The first byte chooses: 0, a file as it is; else a block's columns, beyond the checksum that guards
// them in a file: they come out as they were.
#define _GNU_SOURCE // memfd_create
#include "bytes.h"
#include "recording/columns.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_file(const uint8_t *data, size_t size) {
  struct weir_sink sink = {0};
  const struct bytes_file file = bytes_open(data, size);
  struct weir_recording *s = weir_recording_open(file.path, &sink);
  if (!s != (sink.errors > 0)) abort(); // says why exactly when it fails
  uint64_t read = 0, blocks = 0;
  for (; s && blocks < s->blocks; blocks++) {
    const struct weir_recorded *records;
    const uint32_t count = weir_recording_read(s, blocks, &records, &sink);
    if (!count != (sink.errors > 0)) abort();
    if (!count) break;
    read += count;
  }
  if (s && !sink.errors && read != s->records) abort();
  weir_recording_free(s);
  weir_sink_free(&sink);
  bytes_close(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!size) return 0;
  if (!data[0]) {
    read_file(data + 1, size - 1);
    return 0;
  }
  enum { MOST = 64 };
  static struct weir_recorded records[MOST];
  uint8_t again[MOST * WEIR_RECORDING_ROW];
  const uint32_t count = (uint32_t)((size - 1) / WEIR_RECORDING_ROW);
  if (!count || count > MOST) return 0;
  weir_recording_from_columns(data + 1, count, false, records);
  weir_recording_to_columns(records, count, again);
  static struct weir_recorded
    once_more[MOST]; // an address of another core's 256 is written in another way, and means the same
  weir_recording_from_columns(again, count, false, once_more);
  if (memcmp(records, once_more, count * sizeof *records)) abort();
  return 0;
}
