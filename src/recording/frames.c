// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "recording/frames.h"

#include "base/alloc.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

// Head: magic, version, length of `about`, `about`. Then the frames; the table of their offsets and of their end; `ends`; and the
// trailer: where the table is, how many frames, records and bytes of `ends` there are, magic.
static const struct {
  char magic[9];
  uint32_t version;
  const char *name, *command;
} kinds[WEIR_RECORDS_KINDS] = {
  [WEIR_RECORDS_ACCESSES] = {"weirstrm", 1, "memory accesses", "weir replay"},
  [WEIR_RECORDS_INSTRUCTIONS] = {"weirwarp", 1, "instructions", "weir run"},
};
static const char end_magic[8] = "weirsend";
enum { MAGIC = 8, LEVEL = 3, MOST_TEXT = 1 << 28, TRAILER = 4 * 8 + MAGIC };

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

struct weir_frames_writer {
  struct weir_draft draft;
  uint64_t at, records, *offsets;
  size_t count, capacity;
  ZSTD_CCtx *zstd;
  bool failed;
  size_t room;
  uint8_t *packed;
};

static void put(struct weir_frames_writer *w, const void *bytes, size_t count) {
  fwrite(bytes, 1, count, w->draft.to);
  w->at += count;
}

static void put_number(struct weir_frames_writer *w, uint64_t value, unsigned bytes) {
  uint8_t low[8];
  put_low(low, value, bytes);
  put(w, low, bytes);
}

struct weir_frames_writer *weir_frames_create(const char *path, enum weir_recorded_what what, const json_t *about,
                                              struct weir_sink *sink) {
  struct weir_draft draft;
  if (!weir_draft_open(&draft, path, sink)) return NULL;
  struct weir_frames_writer *w = weir_new(struct weir_frames_writer);
  *w = (struct weir_frames_writer){.draft = draft, .zstd = ZSTD_createCCtx()};
  ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, LEVEL);
  ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_checksumFlag, 1);
  char *text = json_dumps(about, JSON_COMPACT);
  put(w, kinds[what].magic, MAGIC);
  put_number(w, kinds[what].version, 4);
  put_number(w, strlen(text), 4);
  put(w, text, strlen(text));
  free(text);
  return w;
}

uint64_t weir_frames_add(struct weir_frames_writer *w, const void *bytes, size_t size, uint64_t records) {
  if (ZSTD_compressBound(size) > w->room) {
    w->room = ZSTD_compressBound(size);
    weir_free(w->packed);
    w->packed = weir_alloc(w->room);
  }
  const size_t packed = ZSTD_compress2(w->zstd, w->packed, w->room, bytes, size);
  *weir_push(w->offsets, w->count, w->capacity) = w->at;
  if (ZSTD_isError(packed))
    w->failed = true;
  else
    put(w, w->packed, packed);
  w->records += records;
  return w->count - 1;
}

static void put_end(struct weir_frames_writer *w, const json_t *ends) {
  const uint64_t table = w->at;
  for (size_t i = 0; i < w->count; i++) put_number(w, w->offsets[i], 8);
  put_number(w, table, 8);
  char *text = json_dumps(ends, JSON_COMPACT);
  put(w, text, strlen(text));
  put_number(w, table, 8);
  put_number(w, w->count, 8);
  put_number(w, w->records, 8);
  put_number(w, strlen(text), 8);
  put(w, end_magic, MAGIC);
  free(text);
}

bool weir_frames_close(struct weir_frames_writer *w, const json_t *ends, struct weir_sink *sink) {
  if (ends) put_end(w, ends);
  const bool packed = !w->failed || fail(sink, w->draft.path, "cannot be written: zstd has no memory");
  const bool ok = weir_draft_close(&w->draft, ends && packed, sink) && packed;
  ZSTD_freeCCtx(w->zstd);
  weir_free(w->packed);
  weir_free(w->offsets);
  weir_free(w);
  return ok || !ends;
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

static bool begins_as(const uint8_t *head, enum weir_recorded_what what) {
  return !memcmp(head, kinds[what].magic, MAGIC);
}

// Of another kind, or of none.
static bool fail_kind(const struct weir_frames *f, const uint8_t *head, enum weir_recorded_what what,
                      struct weir_sink *sink) {
  for (unsigned other = 0; head && other < WEIR_RECORDS_KINDS; other++)
    if (other != what && begins_as(head, other))
      return weir_fail(sink, (struct weir_place){.file = f->path}, "is a recording of %s, not of %s: %s takes it",
                       kinds[other].name, kinds[what].name, kinds[other].command);
  return fail(sink, f->path, "is no recording");
}

static bool read_head(struct weir_frames *f, enum weir_recorded_what what, uint64_t size, uint64_t *frames_at,
                      struct weir_sink *sink) {
  uint8_t head[MAGIC + 8];
  const bool there = size >= sizeof head && read_at(f->file, head, sizeof head, 0);
  if (!there || !begins_as(head, what)) return fail_kind(f, there ? head : NULL, what, sink);
  const uint64_t version = get_low(head + MAGIC, 4);
  if (version != kinds[what].version)
    return weir_fail(sink, (struct weir_place){.file = f->path},
                     "is a recording of version %u; this weir reads version %u", (unsigned)version,
                     kinds[what].version);
  const uint64_t bytes = get_low(head + MAGIC + 4, 4);
  f->about = read_json(f->file, sizeof head, bytes);
  *frames_at = sizeof head + bytes;
  return f->about || fail(sink, f->path, "is damaged: what it says of itself cannot be read");
}

// The offsets rise from the head to the table, which the last of them is.
static bool read_table(struct weir_frames *f, uint64_t first, uint64_t table) {
  const size_t bytes = (f->count + 1) * 8;
  uint8_t *raw = weir_alloc(bytes);
  f->offsets = weir_new_array(uint64_t, f->count + 1);
  bool ok = read_at(f->file, raw, bytes, table);
  for (uint64_t i = 0; ok && i <= f->count; i++) {
    f->offsets[i] = get_low(raw + 8 * i, 8);
    ok = f->offsets[i] >= (i ? f->offsets[i - 1] : first) && f->offsets[i] <= table;
  }
  weir_free(raw);
  return ok && f->offsets[f->count] == table;
}

static bool read_end(struct weir_frames *f, uint64_t size, uint64_t first, struct weir_sink *sink) {
  uint8_t trailer[TRAILER];
  if (size < first + TRAILER || !read_at(f->file, trailer, TRAILER, size - TRAILER) ||
      memcmp(trailer + 32, end_magic, MAGIC))
    return fail(sink, f->path, "is not whole: its end is missing");
  const uint64_t table = get_low(trailer, 8), text = get_low(trailer + 24, 8), room = size - TRAILER - first;
  f->count = get_low(trailer + 8, 8);
  f->records = get_low(trailer + 16, 8);
  const bool fits = f->count <= room / 8 && text <= room && table >= first && table <= size &&
    table + 8 * (f->count + 1) + text + TRAILER == size;
  if (!fits || !read_table(f, first, table)) return fail(sink, f->path, "is damaged: its table of blocks is wrong");
  f->ends = read_json(f->file, size - TRAILER - text, text);
  return f->ends || fail(sink, f->path, "is damaged: what it says of its launches cannot be read");
}

bool weir_frames_are(const char *path, enum weir_recorded_what what) {
  uint8_t head[MAGIC];
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  const bool are = file >= 0 && read_at(file, head, sizeof head, 0) && begins_as(head, what);
  if (file >= 0) close(file);
  return are;
}

struct weir_frames *weir_frames_open(const char *path, enum weir_recorded_what what, struct weir_sink *sink) {
  struct weir_frames *f = weir_new(struct weir_frames);
  struct stat about;
  uint64_t first = 0;
  f->path = weir_text_copy(path);
  f->file = open(path, O_RDONLY | O_CLOEXEC);
  const bool there = f->file >= 0 && !fstat(f->file, &about);
  if (!there)
    weir_fail(sink, (struct weir_place){.file = path}, "cannot be read: %s", strerror(errno));
  else if (!S_ISREG(about.st_mode))
    fail(sink, path, "is no regular file, and blocks are read in any order");
  const uint64_t size = there ? (uint64_t)about.st_size : 0;
  if (there && S_ISREG(about.st_mode) && read_head(f, what, size, &first, sink) && read_end(f, size, first, sink))
    return f;
  weir_frames_free(f);
  return NULL;
}

void weir_frames_free(struct weir_frames *f) {
  if (!f) return;
  if (f->file >= 0) close(f->file);
  json_decref(f->about);
  json_decref(f->ends);
  weir_free(f->path);
  weir_free(f->offsets);
  weir_free(f->packed);
  weir_free(f);
}

static bool fail_frame(const struct weir_frames *f, uint64_t n, struct weir_sink *sink) {
  return weir_fail(sink, (struct weir_place){.file = f->path}, "is damaged: block %llu cannot be read",
                   (unsigned long long)n);
}

// As it is in the file.
static bool load(struct weir_frames *f, uint64_t n, size_t *size) {
  *size = f->offsets[n + 1] - f->offsets[n];
  if (*size > f->room) {
    weir_free(f->packed);
    f->packed = weir_alloc(f->room = *size);
  }
  return read_at(f->file, f->packed, *size, f->offsets[n]);
}

size_t weir_frames_size(struct weir_frames *f, uint64_t n, size_t most, struct weir_sink *sink) {
  size_t packed;
  const unsigned long long size = load(f, n, &packed) ? ZSTD_getFrameContentSize(f->packed, packed) : 0;
  if (size && size <= most) return (size_t)size; // what zstd says of errors is more
  fail_frame(f, n, sink);
  return 0;
}

bool weir_frames_read(struct weir_frames *f, uint64_t n, void *to, size_t size, struct weir_sink *sink) {
  size_t packed;
  return (load(f, n, &packed) && ZSTD_decompress(to, size, f->packed, packed) == size) || fail_frame(f, n, sink);
}
