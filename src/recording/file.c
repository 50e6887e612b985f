// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "recording/file.h"

#include "base/alloc.h"
#include "recording/columns.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

// Head: magic, version, length of `about`, `about`. Then the blocks, a zstd frame each; the table of their offsets and of their end;
// `ends`; and the trailer: where the table is, how many blocks, records and bytes of `ends` there are, magic.
static const char head_magic[8] = "weirstrm", end_magic[8] = "weirsend";
enum { LEVEL = 3, MOST_TEXT = 1 << 28, TRAILER = 4 * 8 + 8 };

static bool fail(struct weir_sink *sink, const char *path, const char *why) {
  return weir_fail(sink, (struct weir_place){.file = path}, "%s", why);
}

static void put_low(uint8_t *to, uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; i++) to[i] = (uint8_t)(value >> 8 * i);
}

static uint64_t get_low(const uint8_t *from, unsigned bytes) {
  uint64_t value = 0;
  for (unsigned i = 0; i < bytes; i++) value |= (uint64_t)from[i] << 8 * i;
  return value;
}

// ---- writing ------------------------------------------------------------------------------------------------------------

struct weir_recording_writer {
  char *path, *beside;
  FILE *file;
  int error; // errno of what went wrong first
  uint64_t at, records, *offsets;
  size_t blocks, capacity;
  uint32_t count;
  struct weir_recorded block[WEIR_RECORDING_BLOCK];
  uint8_t columns[WEIR_RECORDING_BLOCK * WEIR_RECORDING_ROW];
  ZSTD_CCtx *zstd;
  size_t packed_room;
  uint8_t *packed;
};

static void put(struct weir_recording_writer *w, const void *bytes, size_t count) {
  if (!w->error && fwrite(bytes, 1, count, w->file) != count) w->error = errno ? errno : EIO;
  w->at += count;
}

static void put_number(struct weir_recording_writer *w, uint64_t value, unsigned bytes) {
  uint8_t low[8];
  put_low(low, value, bytes);
  put(w, low, bytes);
}

struct weir_recording_writer *weir_recording_create(const char *path, json_t *about, struct weir_sink *sink) {
  char *beside = weir_text_format("%s.part", path);
  FILE *file = fopen(beside, "wb");
  if (!file) {
    weir_fail(sink, (struct weir_place){.file = path}, "cannot be written: %s", strerror(errno));
    weir_free(beside);
    return NULL;
  }
  struct weir_recording_writer *w = weir_new(struct weir_recording_writer);
  w->path = weir_text_copy(path);
  w->beside = beside;
  w->file = file;
  w->zstd = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, LEVEL);
  ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_checksumFlag, 1);
  w->packed_room = ZSTD_compressBound(sizeof w->columns);
  w->packed = weir_alloc(w->packed_room);
  char *text = json_dumps(about, JSON_COMPACT);
  put(w, head_magic, sizeof head_magic);
  put_number(w, WEIR_RECORDING_VERSION, 4);
  put_number(w, strlen(text), 4);
  put(w, text, strlen(text));
  free(text);
  return w;
}

static void end_block(struct weir_recording_writer *w) {
  if (!w->count) return;
  weir_recording_to_columns(w->block, w->count, w->columns);
  const size_t bytes =
    ZSTD_compress2(w->zstd, w->packed, w->packed_room, w->columns, (size_t)w->count * WEIR_RECORDING_ROW);
  if (ZSTD_isError(bytes)) {
    w->error = w->error ? w->error : ENOMEM;
    return;
  }
  *weir_push(w->offsets, w->blocks, w->capacity) = w->at;
  put(w, w->packed, bytes);
  w->records += w->count;
  w->count = 0;
}

void weir_recording_add(struct weir_recording_writer *w, const struct weir_recorded *r) {
  w->block[w->count++] = *r;
  if (w->count == WEIR_RECORDING_BLOCK) end_block(w);
}

static void put_end(struct weir_recording_writer *w, json_t *ends) {
  end_block(w);
  const uint64_t table = w->at;
  for (size_t i = 0; i < w->blocks; i++) put_number(w, w->offsets[i], 8);
  put_number(w, table, 8);
  char *text = json_dumps(ends, JSON_COMPACT);
  put(w, text, strlen(text));
  put_number(w, table, 8);
  put_number(w, w->blocks, 8);
  put_number(w, w->records, 8);
  put_number(w, strlen(text), 8);
  put(w, end_magic, sizeof end_magic);
  free(text);
}

bool weir_recording_close(struct weir_recording_writer *w, json_t *ends, struct weir_sink *sink) {
  if (ends) put_end(w, ends);
  if (fclose(w->file) && !w->error) w->error = errno;
  if (ends && !w->error && rename(w->beside, w->path)) w->error = errno;
  const bool ok =
    !w->error || weir_fail(sink, (struct weir_place){.file = w->path}, "cannot be written: %s", strerror(w->error));
  if (!ends || w->error) remove(w->beside);
  ZSTD_freeCCtx(w->zstd);
  weir_free(w->packed);
  weir_free(w->offsets);
  weir_free(w->path);
  weir_free(w->beside);
  weir_free(w);
  return ok;
}

// ---- reading ------------------------------------------------------------------------------------------------------------

static bool read_at(int file, void *to, size_t bytes, uint64_t at) {
  uint8_t *p = to;
  while (bytes) {
    const ssize_t n = pread(file, p, bytes, (off_t)at);
    if (n <= 0) return false;
    p += n;
    at += (uint64_t)n;
    bytes -= (size_t)n;
  }
  return true;
}

static json_t *read_json(int file, uint64_t at, uint64_t bytes) {
  if (bytes > MOST_TEXT) return NULL;
  char *text = weir_alloc(bytes + 1);
  json_t *j = read_at(file, text, bytes, at) ? json_loadb(text, bytes, 0, NULL) : NULL;
  weir_free(text);
  if (json_is_object(j)) return j;
  json_decref(j);
  return NULL;
}

static bool read_head(struct weir_recording *s, uint64_t size, uint64_t *blocks_at, struct weir_sink *sink) {
  uint8_t head[16];
  if (size < sizeof head || !read_at(s->file, head, sizeof head, 0) || memcmp(head, head_magic, sizeof head_magic))
    return fail(sink, s->path, "is no recording");
  if (get_low(head + 8, 4) != WEIR_RECORDING_VERSION)
    return weir_fail(sink, (struct weir_place){.file = s->path},
                     "is a recording of version %u; this weir reads version %d", (unsigned)get_low(head + 8, 4),
                     WEIR_RECORDING_VERSION);
  const uint64_t bytes = get_low(head + 12, 4);
  s->about = read_json(s->file, sizeof head, bytes);
  *blocks_at = sizeof head + bytes;
  return s->about || fail(sink, s->path, "is damaged: what it says of itself cannot be read");
}

// The offsets rise from the head to the table, which the last of them is.
static bool read_table(struct weir_recording *s, uint64_t first, uint64_t table) {
  const size_t bytes = (s->blocks + 1) * 8;
  uint8_t *raw = weir_alloc(bytes);
  s->offsets = weir_new_array(uint64_t, s->blocks + 1);
  bool ok = read_at(s->file, raw, bytes, table);
  for (uint64_t i = 0; ok && i <= s->blocks; i++) {
    s->offsets[i] = get_low(raw + 8 * i, 8);
    ok = s->offsets[i] >= (i ? s->offsets[i - 1] : first) && s->offsets[i] <= table;
  }
  weir_free(raw);
  return ok && s->offsets[s->blocks] == table;
}

static bool read_end(struct weir_recording *s, uint64_t size, uint64_t first, struct weir_sink *sink) {
  uint8_t trailer[TRAILER];
  if (size < first + TRAILER || !read_at(s->file, trailer, TRAILER, size - TRAILER) ||
      memcmp(trailer + 32, end_magic, sizeof end_magic))
    return fail(sink, s->path, "is not whole: its end is missing");
  const uint64_t table = get_low(trailer, 8), text = get_low(trailer + 24, 8), room = size - TRAILER - first;
  s->blocks = get_low(trailer + 8, 8);
  s->records = get_low(trailer + 16, 8);
  const bool fits = s->blocks <= room / 8 && text <= room && table >= first && table <= size &&
    table + 8 * (s->blocks + 1) + text + TRAILER == size &&
    s->blocks == s->records / WEIR_RECORDING_BLOCK + (s->records % WEIR_RECORDING_BLOCK != 0);
  if (!fits || !read_table(s, first, table)) return fail(sink, s->path, "is damaged: its table of blocks is wrong");
  s->ends = read_json(s->file, size - TRAILER - text, text);
  return s->ends || fail(sink, s->path, "is damaged: what it says of its launches cannot be read");
}

struct weir_recording *weir_recording_open(const char *path, struct weir_sink *sink) {
  struct weir_recording *s = weir_new(struct weir_recording);
  struct stat about;
  uint64_t first = 0;
  s->path = weir_text_copy(path);
  s->file = open(path, O_RDONLY | O_CLOEXEC);
  const bool there = s->file >= 0 && !fstat(s->file, &about);
  if (!there)
    weir_fail(sink, (struct weir_place){.file = path}, "cannot be read: %s", strerror(errno));
  else if (!S_ISREG(about.st_mode))
    fail(sink, path, "is no regular file, and blocks are read in any order");
  const uint64_t size = there ? (uint64_t)about.st_size : 0;
  if (there && S_ISREG(about.st_mode) && read_head(s, size, &first, sink) && read_end(s, size, first, sink)) {
    s->block = weir_new_array(struct weir_recorded, WEIR_RECORDING_BLOCK);
    s->planes = weir_alloc(WEIR_RECORDING_BLOCK * WEIR_RECORDING_ROW);
    s->packed = weir_alloc(ZSTD_compressBound(WEIR_RECORDING_BLOCK * WEIR_RECORDING_ROW));
    return s;
  }
  weir_recording_free(s);
  return NULL;
}

void weir_recording_free(struct weir_recording *s) {
  if (!s) return;
  if (s->file >= 0) close(s->file);
  json_decref(s->about);
  json_decref(s->ends);
  weir_free(s->path);
  weir_free(s->offsets);
  weir_free(s->block);
  weir_free(s->packed);
  weir_free(s->planes);
  weir_free(s);
}

uint32_t weir_recording_read(struct weir_recording *s, uint64_t n, const struct weir_recorded **records,
                             struct weir_sink *sink) {
  const uint64_t left = s->records - n * WEIR_RECORDING_BLOCK, bytes = s->offsets[n + 1] - s->offsets[n];
  const uint32_t count = (uint32_t)(left < WEIR_RECORDING_BLOCK ? left : WEIR_RECORDING_BLOCK);
  const size_t whole = (size_t)count * WEIR_RECORDING_ROW;
  const bool ok = bytes <= ZSTD_compressBound(WEIR_RECORDING_BLOCK * WEIR_RECORDING_ROW) &&
    read_at(s->file, s->packed, bytes, s->offsets[n]) && ZSTD_decompress(s->planes, whole, s->packed, bytes) == whole;
  if (!ok) {
    weir_fail(sink, (struct weir_place){.file = s->path}, "is damaged: block %llu cannot be read",
              (unsigned long long)n);
    return 0;
  }
  weir_recording_from_columns(s->planes, count, s->block);
  *records = s->block;
  return count;
}
