// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "binary/fatbin.h"

#include "base/alloc.h"

#include <lz4.h>
#include <string.h>
#include <zstd.h>

// Container: u32 magic, u16 version, u16 bytes of this header, u64 bytes of the entries behind it.
enum { HEADER_BYTES = 16, HEADER_OWN_BYTES = 6, HEADER_SIZE = 8 };
static const uint32_t MAGIC = 0xba55ed50;

// Entry: a header of ENTRY_HEADER bytes or more, then its payload.
enum {
  ENTRY_BYTES = 0x40,
  ENTRY_HEADER = 0x04,
  ENTRY_PAYLOAD = 0x08,
  ENTRY_COMPRESSED = 0x10,
  ENTRY_MINOR = 0x18,
  ENTRY_MAJOR = 0x1a,
  ENTRY_ARCH = 0x1c,
  ENTRY_FLAGS = 0x28,
  ENTRY_TEXT = 0x38
};
enum { FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000 };

static const size_t MAX_TEXT = (size_t)1 << 30;

// The most that one stored byte can become: LZ4 lengths grow by 255 a byte; a zstd block of 4 bytes repeats one byte
// 128 KiB times. What claims more is lying, and no memory is taken for it.
enum { LZ4_MOST = 255, ZSTD_MOST = (128 << 10) / 4, SLACK = 128 << 10 };

static uint64_t field(const uint8_t *bytes, size_t count) {
  uint64_t value = 0;
  for (size_t k = 0; k < count; k++) value |= (uint64_t)bytes[k] << (8 * k);
  return value;
}

size_t weir_fatbin_size(const void *data) {
  const uint8_t *bytes = data;
  const uint64_t header = field(bytes + HEADER_OWN_BYTES, 2), size = field(bytes + HEADER_SIZE, 8);
  if (field(bytes, 4) != MAGIC || header < HEADER_BYTES || size > SIZE_MAX - header) return 0;
  return (size_t)(header + size);
}

// The entry at `at`, of which `left` bytes are there; its whole size, 0 if it is malformed.
static size_t read_entry(const uint8_t *at, size_t left, struct weir_fatbin_entry *e, struct weir_place place,
                         struct weir_sink *sink) {
  if (left < ENTRY_BYTES) return weir_fail(sink, place, "the fat binary ends within an entry's header"), 0;
  const uint64_t header = field(at + ENTRY_HEADER, 4), padded = field(at + ENTRY_PAYLOAD, 8);
  if (header < ENTRY_BYTES || header > left)
    return weir_fail(sink, place, "an entry of the fat binary has a header of %llu bytes", (unsigned long long)header),
           0;
  if (padded > left - header) return weir_fail(sink, place, "the fat binary ends within an entry's payload"), 0;
  const uint64_t compressed = field(at + ENTRY_COMPRESSED, 4);
  if (compressed > padded)
    return weir_fail(sink, place, "an entry of the fat binary is larger compressed than stored"), 0;
  *e = (struct weir_fatbin_entry){
    .kind = (uint16_t)field(at, 2),
    .arch = (uint32_t)field(at + ENTRY_ARCH, 4),
    .major = (uint16_t)field(at + ENTRY_MAJOR, 2),
    .minor = (uint16_t)field(at + ENTRY_MINOR, 2),
    .flags = field(at + ENTRY_FLAGS, 8),
    .payload = at + header,
    .payload_bytes = (size_t)(compressed ? compressed : padded),
    .text_bytes = (size_t)(compressed ? field(at + ENTRY_TEXT, 8) : padded),
  };
  return (size_t)(header + padded);
}

struct weir_fatbin_entry *weir_fatbin_entries(const void *data, size_t size, struct weir_place place, unsigned *count,
                                              struct weir_sink *sink) {
  const uint8_t *bytes = data;
  const size_t whole = size < HEADER_BYTES ? 0 : weir_fatbin_size(data);
  *count = 0;
  if (!whole) return weir_fail(sink, place, "not a fat binary"), NULL;
  if (whole > size) return weir_fail(sink, place, "the fat binary is cut off: %zu of %zu bytes", size, whole), NULL;
  unsigned capacity = 8;
  struct weir_fatbin_entry *entries = weir_new_array(struct weir_fatbin_entry, capacity);
  for (size_t at = (size_t)field(bytes + HEADER_OWN_BYTES, 2); at < whole;) {
    struct weir_fatbin_entry e;
    const size_t step = read_entry(bytes + at, whole - at, &e, place, sink);
    if (!step) return weir_free(entries), NULL;
    *weir_push(entries, *count, capacity) = e;
    at += step;
  }
  return entries;
}

static bool is_better(uint32_t arch, uint32_t best, uint32_t capability) {
  if (best > capability) return arch < best; // nothing yet that the device takes
  return arch > best && arch <= capability;
}

const struct weir_fatbin_entry *weir_fatbin_best(const struct weir_fatbin_entry *entries, unsigned count,
                                                 unsigned capability) {
  const struct weir_fatbin_entry *best = NULL;
  for (unsigned k = 0; k < count; k++)
    if (entries[k].kind == WEIR_FATBIN_PTX &&
        (!best || is_better(entries[k].arch, best->arch, capability ? capability : UINT32_MAX)))
      best = &entries[k];
  return best;
}

const struct weir_fatbin_entry *weir_fatbin_machine_code(const struct weir_fatbin_entry *entries, unsigned count,
                                                         unsigned major, unsigned minor) {
  const struct weir_fatbin_entry *best = NULL;
  for (unsigned k = 0; k < count; k++)
    if (entries[k].kind == WEIR_FATBIN_ELF && entries[k].arch / 10 == major && entries[k].arch % 10 <= minor &&
        (!best || entries[k].arch > best->arch))
      best = &entries[k];
  return best;
}

// ---- text -----------------------------------------------------------------------------------------------------------

static bool unpack_zstd(const struct weir_fatbin_entry *e, char *text) {
  return ZSTD_decompress(text, e->text_bytes, e->payload, e->payload_bytes) == e->text_bytes;
}

static bool unpack_lz4(const struct weir_fatbin_entry *e, char *text) {
  if (e->payload_bytes > MAX_TEXT) return false; // sizes are ints there
  const int bytes = LZ4_decompress_safe((const char *)e->payload, text, (int)e->payload_bytes, (int)e->text_bytes);
  return bytes >= 0 && (size_t)bytes == e->text_bytes;
}

static bool copy(const struct weir_fatbin_entry *e, char *text) {
  memcpy(text, e->payload, e->text_bytes);
  return true;
}

struct method {
  const char *name;
  size_t most; // bytes of text per byte stored
  bool (*unpack)(const struct weir_fatbin_entry *e, char *text);
};

static struct method method_of(const struct weir_fatbin_entry *e) {
  if (e->flags & FLAG_ZSTD) return (struct method){"zstd", ZSTD_MOST, unpack_zstd};
  if (e->flags & FLAG_LZ4) return (struct method){"LZ4", LZ4_MOST, unpack_lz4};
  return (struct method){"plain", 1, copy};
}

static size_t trim(char *text, size_t bytes) {
  size_t leading = 0;
  while (bytes && !text[bytes - 1]) bytes--;
  while (leading < bytes && text[leading] == '\n') leading++;
  bytes -= leading;
  memmove(text, text + leading, bytes);
  text[bytes] = 0;
  return bytes;
}

// NUL-terminated; NULL and a diagnostic. *bytes: without that NUL.
static char *unpack(const struct weir_fatbin_entry *e, struct weir_place place, size_t *bytes, struct weir_sink *sink) {
  const struct method m = method_of(e);
  const size_t slack = m.most > 1 ? SLACK : 0;
  *bytes = 0;
  if (e->text_bytes > MAX_TEXT)
    return weir_fail(sink, place, "an entry of %zu bytes in the fat binary; the limit is 1 GiB", e->text_bytes), NULL;
  if (e->text_bytes > slack && (e->text_bytes - slack) / m.most > e->payload_bytes)
    return weir_fail(sink, place, "%zu bytes in the fat binary cannot be %zu bytes of text", e->payload_bytes,
                     e->text_bytes),
           NULL;
  char *text = weir_alloc(e->text_bytes + 1);
  text[e->text_bytes] = 0;
  *bytes = e->text_bytes;
  if (m.unpack(e, text)) return text;
  weir_free(text);
  return weir_fail(sink, place, "the fat binary's %s data is damaged", m.name), NULL;
}

char *weir_fatbin_text(const struct weir_fatbin_entry *e, struct weir_place place, size_t *bytes,
                       struct weir_sink *sink) {
  char *text = unpack(e, place, bytes, sink);
  if (text) *bytes = trim(text, *bytes);
  return text;
}

uint8_t *weir_fatbin_bytes(const struct weir_fatbin_entry *e, struct weir_place place, size_t *bytes,
                           struct weir_sink *sink) {
  return (uint8_t *)unpack(e, place, bytes, sink);
}
