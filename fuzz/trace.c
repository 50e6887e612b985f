// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// CPU traces of any bytes. The first byte chooses: 0, a file as it is (weir's or ChampSim's, packed or not); else a
// directory and a chunk as they are unpacked, beyond the checksums that guard them in a file: two bytes of the
// directory's length, the directory, the chunk.
#define _GNU_SOURCE // memfd_create
#include "bytes.h"
#include "trace/decode.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BATCH = 64, MOST = 100000 };

static uint64_t looked_at; // so that nothing is left out

static void look_at(const struct weir_trace_inst *inst) {
  if (inst->what->access_count > WEIR_TRACE_ACCESSES || inst->what->kind >= WEIR_TRACE_KINDS) abort();
  for (unsigned k = 0; k < inst->what->access_count; k++) looked_at += inst->addresses[k] + inst->next_pc;
}

static void read_file(const uint8_t *data, size_t size) {
  struct weir_sink sink = {0};
  struct weir_trace_inst batch[BATCH];
  const struct bytes_file file = bytes_open(data, size);
  struct weir_trace_reader *r = weir_trace_open(file.path, &sink);
  if (!r != (sink.errors > 0)) abort(); // says why exactly when it fails
  uint64_t count = 0;
  for (size_t n; r && count < MOST && (n = weir_trace_read(r, batch, BATCH)); count += n)
    for (size_t i = 0; i < n; i++) look_at(&batch[i]);
  weir_trace_close(r);
  weir_sink_free(&sink);
  bytes_close(&file);
}

static void decode(const struct weir_trace_directory *d, const uint8_t *chunk, size_t size) {
  static uint64_t addresses[BATCH * WEIR_TRACE_ACCESSES];
  struct weir_trace_decoder decoder = {0};
  struct weir_trace_inst batch[BATCH];
  uint64_t count = 0;
  if (weir_trace_decode_start(&decoder, d, chunk, size, d->chunks[0].instructions))
    for (size_t n; count < MOST && (n = weir_trace_decode(&decoder, batch, addresses, BATCH)); count += n)
      for (size_t i = 0; i < n; i++) look_at(&batch[i]);
  if (count > d->chunks[0].instructions) abort();
  weir_trace_decode_free(&decoder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 3) return 0;
  if (!data[0]) {
    read_file(data + 1, size - 1);
    return 0;
  }
  const size_t directory = (size_t)data[1] | (size_t)data[2] << 8;
  if (directory > size - 3) return 0;
  struct weir_sink sink = {0};
  struct weir_trace_directory d;
  const bool ok = weir_trace_directory_parse(&d, data + 3, directory, (struct weir_place){.file = "fuzz"}, &sink);
  if (!ok != (sink.errors > 0)) abort();
  if (ok) decode(&d, data + 3 + directory, size - 3 - directory);
  weir_trace_directory_free(&d);
  weir_sink_free(&sink);
  return 0;
}
