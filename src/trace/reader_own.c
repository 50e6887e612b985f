// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "trace/reader_private.h"

#include <errno.h>
#include <sys/types.h>
#include <unistd.h>
#include <zstd.h>

// ---- opening --------------------------------------------------------------------------------------------------------

// The bytes of one zstd frame, unpacked into `to`; the capacity grows as it must. 0: damaged, which is said.
static size_t read_frame(struct weir_trace_reader *r, uint64_t offset, uint64_t bytes, size_t limit, const char *what) {
  char message[96];
  snprintf(message, sizeof message, "is damaged: %s cannot be unpacked", what);
  const uint64_t file_bytes = r->directory.info.file_bytes;
  if (bytes > file_bytes || offset > file_bytes - bytes) return weir_trace_reader_fail(r, message);
  uint8_t *packed = weir_alloc((size_t)bytes + 1);
  size_t unpacked = 0;
  // By position: forked processes that read the same open file share where they are in it.
  if (pread(fileno(r->file), packed, (size_t)bytes, (off_t)offset) == (ssize_t)bytes) {
    const unsigned long long size = ZSTD_getFrameContentSize(packed, (size_t)bytes); // errors are beyond any limit
    if (size <= limit) {
      if (size > r->unpacked_capacity) r->unpacked = weir_realloc(r->unpacked, r->unpacked_capacity = (size_t)size);
      unpacked = ZSTD_decompress(r->unpacked, r->unpacked_capacity, packed, (size_t)bytes);
    }
  }
  weir_free(packed);
  if (unpacked && !ZSTD_isError(unpacked)) return unpacked;
  return weir_trace_reader_fail(r, message);
}

static bool read_directory(struct weir_trace_reader *r) {
  uint8_t trailer[WEIR_TRACE_TRAILER_BYTES];
  const uint64_t file_bytes = r->directory.info.file_bytes;
  struct weir_cursor c = {trailer, trailer + sizeof trailer, false};
  if (fseeko(r->file, -(off_t)sizeof trailer, SEEK_END) ||
      fread(trailer, 1, sizeof trailer, r->file) != sizeof trailer ||
      memcmp(trailer + 16, WEIR_TRACE_END_MAGIC, WEIR_TRACE_MAGIC_BYTES))
    return weir_trace_reader_fail(r, "is cut off: the end of a weir trace is missing");
  const uint64_t offset = weir_cursor_low(&c, 8), bytes = weir_cursor_low(&c, 8);
  const size_t unpacked = read_frame(r, offset, bytes, WEIR_TRACE_DIRECTORY_LIMIT, "its directory");
  if (!unpacked) return false;
  r->failed =
    !weir_trace_directory_parse(&r->directory, r->unpacked, unpacked, (struct weir_place){.file = r->path}, r->sink);
  r->directory.info.file_bytes = file_bytes;
  return !r->failed;
}

bool weir_trace_own_open(struct weir_trace_reader *r) {
  r->file = fopen(r->path, "rbe");
  if (!r->file || fseeko(r->file, 0, SEEK_END)) return weir_trace_reader_fail(r, strerror(errno));
  r->directory.info.file_bytes = (uint64_t)ftello(r->file);
  if (!read_directory(r)) return false;
  r->selected = weir_new_array(uint32_t, r->directory.chunk_count);
  return true;
}

bool weir_trace_own_select(struct weir_trace_reader *r, bool by_segment, uint32_t which) {
  const struct weir_trace_directory *d = &r->directory;
  r->selected_count = r->next_chunk = r->decoder.left = 0;
  for (unsigned s = 0; s < d->info.segment_count; s++) { // threads write in turns, so chunks of one are not neighbours
    if ((by_segment ? s : d->info.segments[s].thread) != which) continue;
    for (uint32_t i = 0; i < d->chunk_count; i++)
      if (d->chunks[i].segment == s) r->selected[r->selected_count++] = i;
  }
  return r->selected_count > 0;
}

// ---- reading --------------------------------------------------------------------------------------------------------

static bool next_chunk(struct weir_trace_reader *r) {
  const struct weir_trace_chunk *chunk = &r->directory.chunks[r->selected[r->next_chunk++]];
  const size_t bytes = read_frame(r, chunk->offset, chunk->bytes, WEIR_TRACE_CHUNK_LIMIT, "a chunk");
  if (!bytes) return false;
  r->segment = chunk->segment;
  return weir_trace_decode_start(&r->decoder, &r->directory, r->unpacked, bytes, chunk->instructions) ||
    weir_trace_reader_fail(r, "is damaged: a chunk's parts do not fit together");
}

size_t weir_trace_own_read(struct weir_trace_reader *r, struct weir_trace_inst *out, size_t most) {
  if (!r->decoder.left && (r->next_chunk == r->selected_count || !next_chunk(r))) return 0;
  const size_t n = weir_trace_decode(&r->decoder, out, r->addresses, most);
  if (!n) weir_trace_reader_fail(r, "is damaged: a chunk's instructions do not fit its directory");
  return n;
}

bool weir_trace_own_skip(struct weir_trace_reader *r, uint64_t *instructions) {
  r->next_chunk = r->decoder.left = 0;
  while (r->next_chunk < r->selected_count) {
    const uint32_t here = r->directory.chunks[r->selected[r->next_chunk]].instructions;
    if (*instructions < here) return true;
    *instructions -= here;
    r->next_chunk++;
  }
  return !*instructions;
}

void weir_trace_own_close(struct weir_trace_reader *r) {
  if (r->file) fclose(r->file);
  weir_trace_directory_free(&r->directory);
  weir_trace_decode_free(&r->decoder);
  weir_free(r->selected);
  weir_free(r->unpacked);
}
