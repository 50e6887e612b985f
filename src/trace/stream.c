// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "trace/stream.h"

#include "base/alloc.h"
#include "base/file.h"

#include <errno.h>
#include <lzma.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

enum { BUFFER = 1 << 17, XZ_PRESET = 6, ZSTD_LEVEL = 9, XZ_MEMORY = 1 << 30 };

struct weir_stream {
  FILE *file;
  const char *path;
  struct weir_sink *sink;
  enum weir_packing packing;
  bool writes, failed;
  bool ended;  // what was packed is read to its end, or the file has ended
  bool within; // a packed part has begun, and not ended
  z_stream gzip;
  lzma_stream xz;
  ZSTD_DCtx *unpack;
  ZSTD_CCtx *pack;
  size_t at, count; // of `packed`, when reading
  uint8_t packed[BUFFER];
};

static enum weir_packing packing_by_content(const void *start, size_t bytes) {
  static const struct {
    const char *magic;
    size_t bytes;
    enum weir_packing packing;
  } known[] = {{"\x1f\x8b", 2, WEIR_GZIP},
               {"\xfd"
                "7zXZ",
                6, WEIR_XZ},
               {"\x28\xb5\x2f\xfd", 4, WEIR_ZSTD}};
  for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
    if (bytes >= known[i].bytes && !memcmp(start, known[i].magic, known[i].bytes)) return known[i].packing;
  return WEIR_PLAIN;
}

enum weir_packing weir_packing_by_name(const char *path) {
  const char *end = strrchr(path, '.');
  if (end && !strcmp(end, ".gz")) return WEIR_GZIP;
  if (end && !strcmp(end, ".xz")) return WEIR_XZ;
  return end && !strcmp(end, ".zst") ? WEIR_ZSTD : WEIR_PLAIN;
}

static bool fail(struct weir_stream *s, const char *message) {
  if (!s->failed) weir_fail(s->sink, (struct weir_place){.file = s->path}, "%s", message);
  s->failed = s->ended = true;
  return false;
}

static struct weir_stream *open_file(const char *path, bool writes, struct weir_sink *sink) {
  if (!writes && weir_file_is_endless(path)) {
    weir_fail(sink, (struct weir_place){.file = path}, "cannot be read: it has no end");
    return NULL;
  }
  FILE *file = fopen(path, writes ? "wbe" : "rbe");
  if (!file) {
    weir_fail(sink, (struct weir_place){.file = path}, "cannot be %s: %s", writes ? "written" : "read",
              strerror(errno));
    return NULL;
  }
  struct weir_stream *s = weir_new(struct weir_stream);
  *s = (struct weir_stream){.file = file, .path = path, .sink = sink, .writes = writes, .xz = LZMA_STREAM_INIT};
  return s;
}

// ---- reading --------------------------------------------------------------------------------------------------------

static bool fill(struct weir_stream *s) {
  if (s->at < s->count) return true;
  s->at = 0;
  s->count = fread(s->packed, 1, sizeof s->packed, s->file);
  if (ferror(s->file)) return fail(s, "cannot be read");
  return s->count > 0;
}

struct weir_stream *weir_stream_read_open(const char *path, struct weir_sink *sink) {
  struct weir_stream *s = open_file(path, false, sink);
  if (!s) return NULL;
  fill(s);
  s->packing = packing_by_content(s->packed, s->count);
  if (s->packing == WEIR_GZIP) inflateInit2(&s->gzip, 15 + 32);
  if (s->packing == WEIR_XZ && lzma_stream_decoder(&s->xz, XZ_MEMORY, LZMA_CONCATENATED) != LZMA_OK)
    fail(s, "cannot be unpacked: no memory");
  if (s->packing == WEIR_ZSTD) s->unpack = ZSTD_createDCtx();
  return s;
}

static size_t read_plain(struct weir_stream *s, uint8_t *to, size_t bytes) {
  const size_t n = bytes < s->count - s->at ? bytes : s->count - s->at;
  memcpy(to, s->packed + s->at, n);
  s->at += n;
  return n;
}

static size_t read_gzip(struct weir_stream *s, uint8_t *to, size_t bytes) {
  s->gzip.next_in = s->packed + s->at;
  s->gzip.avail_in = (unsigned)(s->count - s->at);
  s->gzip.next_out = to;
  s->gzip.avail_out = (unsigned)bytes;
  const int status = inflate(&s->gzip, Z_NO_FLUSH);
  s->at = s->count - s->gzip.avail_in;
  s->within = status != Z_STREAM_END;
  if (status == Z_STREAM_END)
    inflateReset(&s->gzip); // files of several members are usual
  else if (status != Z_OK && status != Z_BUF_ERROR)
    fail(s, "is damaged: gzip cannot unpack it");
  return bytes - s->gzip.avail_out;
}

static size_t read_xz(struct weir_stream *s, uint8_t *to, size_t bytes, bool at_end) {
  s->xz.next_in = s->packed + s->at;
  s->xz.avail_in = s->count - s->at;
  s->xz.next_out = to;
  s->xz.avail_out = bytes;
  const lzma_ret status = lzma_code(&s->xz, at_end ? LZMA_FINISH : LZMA_RUN);
  s->at = s->count - s->xz.avail_in;
  s->within = status != LZMA_STREAM_END;
  if (status == LZMA_STREAM_END)
    s->ended = true;
  else if (status != LZMA_OK && status != LZMA_BUF_ERROR)
    fail(s, "is damaged: xz cannot unpack it");
  return bytes - s->xz.avail_out;
}

static size_t read_zstd(struct weir_stream *s, uint8_t *to, size_t bytes) {
  ZSTD_inBuffer in = {s->packed, s->count, s->at};
  ZSTD_outBuffer out = {to, bytes, 0};
  const size_t status = ZSTD_decompressStream(s->unpack, &out, &in);
  s->at = in.pos;
  s->within = status != 0;
  if (ZSTD_isError(status)) fail(s, "is damaged: zstd cannot unpack it");
  return out.pos;
}

static size_t read_some(struct weir_stream *s, uint8_t *to, size_t bytes, bool at_end) {
  switch (s->packing) {
  case WEIR_GZIP: return read_gzip(s, to, bytes);
  case WEIR_XZ: return read_xz(s, to, bytes, at_end);
  case WEIR_ZSTD: return read_zstd(s, to, bytes);
  default: return read_plain(s, to, bytes);
  }
}

size_t weir_stream_read(struct weir_stream *s, void *to, size_t bytes) {
  size_t done = 0;
  while (done < bytes && !s->ended) {
    const bool at_end = !fill(s);
    if (s->failed) break;
    if (at_end && !s->within) break;
    const size_t n = read_some(s, (uint8_t *)to + done, bytes - done, at_end);
    done += n;
    if (at_end && !n && s->within && !s->ended) fail(s, "is cut off: the end of what is packed is missing");
  }
  return done;
}

bool weir_stream_failed(const struct weir_stream *s) {
  return s->failed;
}

// ---- writing --------------------------------------------------------------------------------------------------------

static bool start_packing(struct weir_stream *s) {
  switch (s->packing) {
  case WEIR_GZIP:
    return deflateInit2(&s->gzip, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK;
  case WEIR_XZ: return lzma_easy_encoder(&s->xz, XZ_PRESET, LZMA_CHECK_CRC64) == LZMA_OK;
  case WEIR_ZSTD:
    s->pack = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(s->pack, ZSTD_c_compressionLevel, ZSTD_LEVEL);
    ZSTD_CCtx_setParameter(s->pack, ZSTD_c_checksumFlag, 1);
    return true;
  default: return true;
  }
}

struct weir_stream *weir_stream_write_open(const char *path, enum weir_packing packing, struct weir_sink *sink) {
  struct weir_stream *s = open_file(path, true, sink);
  if (!s) return NULL;
  s->packing = packing;
  if (!start_packing(s)) fail(s, "cannot be packed: no memory");
  return s;
}

static void write_file(struct weir_stream *s, const void *from, size_t bytes) {
  if (!s->failed && fwrite(from, 1, bytes, s->file) != bytes) fail(s, strerror(errno));
}

// Packs some of what is there and writes it; true when all is packed, or with `last` when the end is written too.
static bool pack_some(struct weir_stream *s, const uint8_t *from, size_t bytes, size_t *taken, bool last) {
  bool done;
  size_t made;
  if (s->packing == WEIR_GZIP) {
    s->gzip.next_in = (uint8_t *)(uintptr_t)from + *taken;
    s->gzip.avail_in = (unsigned)(bytes - *taken);
    s->gzip.next_out = s->packed;
    s->gzip.avail_out = BUFFER;
    const int status = deflate(&s->gzip, last ? Z_FINISH : Z_NO_FLUSH);
    *taken = bytes - s->gzip.avail_in;
    made = BUFFER - s->gzip.avail_out;
    done = last ? status == Z_STREAM_END : *taken == bytes;
  } else if (s->packing == WEIR_XZ) {
    s->xz.next_in = from + *taken;
    s->xz.avail_in = bytes - *taken;
    s->xz.next_out = s->packed;
    s->xz.avail_out = BUFFER;
    const lzma_ret status = lzma_code(&s->xz, last ? LZMA_FINISH : LZMA_RUN);
    *taken = bytes - s->xz.avail_in;
    made = BUFFER - s->xz.avail_out;
    done = last ? status != LZMA_OK : *taken == bytes;
  } else {
    ZSTD_inBuffer in = {from, bytes, *taken};
    ZSTD_outBuffer out = {s->packed, BUFFER, 0};
    const size_t left = ZSTD_compressStream2(s->pack, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
    *taken = in.pos;
    made = out.pos;
    done = last ? !left || ZSTD_isError(left) : *taken == bytes;
  }
  write_file(s, s->packed, made);
  return done;
}

static void pack(struct weir_stream *s, const void *from, size_t bytes, bool last) {
  static const uint8_t nothing[1];
  size_t taken = 0;
  while (!s->failed && !pack_some(s, from ? from : nothing, bytes, &taken, last)) continue;
}

void weir_stream_write(struct weir_stream *s, const void *from, size_t bytes) {
  if (s->packing == WEIR_PLAIN)
    write_file(s, from, bytes);
  else if (bytes)
    pack(s, from, bytes, false);
}

bool weir_stream_finish(struct weir_stream *s) {
  if (s->writes && s->packing != WEIR_PLAIN) pack(s, NULL, 0, true);
  if (fclose(s->file) && s->writes) fail(s, strerror(errno));
  if (s->packing == WEIR_GZIP) s->writes ? deflateEnd(&s->gzip) : inflateEnd(&s->gzip);
  lzma_end(&s->xz);
  ZSTD_freeDCtx(s->unpack);
  ZSTD_freeCCtx(s->pack);
  const bool ok = !s->failed;
  weir_free(s);
  return ok;
}
