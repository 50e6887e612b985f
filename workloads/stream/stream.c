// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "stream/stream.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "base/file.h"
#include "sl1/interleave.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

void weir_text_add(struct weir_text *t, const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  size_t room = t->capacity - t->bytes;
  size_t length = (size_t)vsnprintf(t->at ? t->at + t->bytes : NULL, room, format, args);
  if (length >= room) {
    t->capacity = 2 * (t->bytes + length) + 64;
    t->at = weir_realloc(t->at, t->capacity);
    vsnprintf(t->at + t->bytes, length + 1, format, again);
  }
  t->bytes += length;
  va_end(again);
  va_end(args);
}

// The fewest threads that the paper tries, and as many as its GPU holds at once.
uint32_t weir_stream_threads(const struct weir_host *h, enum weir_size size, uint32_t *blocks, uint32_t *block) {
  const bool small = size == WEIR_SIZE_SMALL;
  const struct weir_shape own = {.blocks = small ? 15 : 120, .block = small ? 128 : 256};
  const struct weir_shape asked = weir_host_shape(h);
  *blocks = asked.blocks ? asked.blocks : own.blocks;
  *block = asked.block ? asked.block : own.block;
  return own.blocks * own.block;
}

bool weir_stream_open(struct weir_stream *s, enum weir_size size, const char *input, uint32_t chunk,
                      weir_stream_maker *make, struct weir_rng *rng, void *context, struct weir_host *h) {
  struct weir_sink *sink = weir_host_sink(h);
  const uint32_t threads = weir_stream_threads(h, size, &s->blocks, &s->block);
  const size_t asked = (size_t)weir_host_shape(h).footprint_kib * 1024;
  const size_t bytes = !chunk ? 1 : asked ? asked : (size_t)threads * chunk;
  s->threads = s->blocks * s->block;
  s->start = weir_new_array(uint32_t, s->threads + 1);
  s->path = input ? input : "generated input";
  s->interleave = weir_host_shape(h).gather ? 0 : weir_host_shape(h).interleave;
  if (!input) {
    while (s->text.bytes < bytes) make(&s->text, rng, context);
    return true;
  }
  s->text.at = weir_file_read(input, WEIR_STREAM_MOST_BYTES, &s->text.bytes, sink);
  if (!s->text.at) return false;
  if (!s->text.bytes) return weir_fail(sink, (struct weir_place){input, NULL, 0, 0}, "the file is empty");
  return true;
}

void weir_stream_free(struct weir_stream *s) {
  weir_free(s->text.at);
  weir_free(s->before);
  weir_free(s->own);
  weir_free(s->start);
}

bool weir_line_begins(const struct weir_text *t, size_t at) {
  return t->at[at - 1] == '\n';
}

enum { VECTOR = 16 };                       // bytes: the widest that a thread loads at once
enum { LEAST_CHUNK = 512, ROW_UNITS = 32 }; // a row of units is as many longer than threads, and begins at a sector

// With an interleaved text. What was read of it before points into what it was.
static void even_out(struct weir_stream *s) {
  size_t longest = LEAST_CHUNK - 1;
  s->own = weir_new_array(uint32_t, s->threads);
  for (uint32_t t = 0; t < s->threads; t++) {
    s->own[t] = s->start[t + 1] - s->start[t];
    if (s->own[t] > longest) longest = s->own[t];
  }
  s->chunk = (uint32_t)weir_align_up(longest + 1, VECTOR); // one byte at least is between chunks
  struct weir_text even = {.bytes = (size_t)s->chunk * s->threads};
  even.at = weir_alloc(even.bytes + 1);
  memset(even.at, '\n', even.bytes);
  for (uint32_t t = 0; t < s->threads; t++) memcpy(even.at + (size_t)t * s->chunk, s->text.at + s->start[t], s->own[t]);
  for (uint32_t t = 0; t <= s->threads; t++) s->start[t] = t * s->chunk;
  s->before = s->text.at;
  s->text = even;
}

void weir_stream_cut(struct weir_stream *s, bool (*begins)(const struct weir_text *t, size_t at)) {
  size_t at = 0;
  for (uint32_t t = 1; t <= s->threads; t++) {
    size_t even = (size_t)((uint64_t)s->text.bytes * t / s->threads);
    if (!begins && t < s->threads) even &= ~(size_t)(VECTOR - 1);
    if (even > at) {
      at = even;
      while (begins && at < s->text.bytes && !begins(&s->text, at)) at++;
    }
    s->start[t] = (uint32_t)at;
  }
  if (s->interleave) even_out(s);
}

// As the kernels find it (sl1/interleave.h).
static void upload_interleaved(struct weir_stream *s, struct weir_host *h) {
  const uint32_t row = s->threads + ROW_UNITS, unit = s->interleave;
  if (!s->chunk) { // threads share the text out among themselves: chunks are of one length, wherever a thread begins
    const uint64_t even = weir_align_up(weir_div_up(s->text.bytes, s->threads), VECTOR);
    s->chunk = even < LEAST_CHUNK ? LEAST_CHUNK : (uint32_t)even;
  }
  const uint64_t bytes = (uint64_t)weir_align_up(s->chunk, unit) * row;
  s->text_at = weir_host_alloc(h, "text", bytes);
  uint8_t *to = weir_host_bytes(h, s->text_at, bytes);
  for (size_t x = 0; x < s->text.bytes; x++) {
    const size_t chunk = x / s->chunk, at = x % s->chunk;
    to[(at - at % unit) * row + chunk * unit + at % unit] = (uint8_t)s->text.at[x];
  }
  weir_host_wrote(h, s->text_at, bytes);
  uint32_t *told = weir_host_variable(h, WEIR_INTERLEAVE_NAME);
  told[0] = s->chunk;
  told[1] = row;
  told[2] = (uint32_t)weir_div_up(UINT64_C(1) << WEIR_INTERLEAVE_SHIFT, s->chunk);
}

static uint32_t row_of(const struct weir_host *h) { // bytes
  const uint32_t asked = weir_host_shape(h).interleave;
  return asked ? asked : 1;
}

// A thread reads each byte of its chunk once, and at most the one before it.
static void make_room(struct weir_stream *s, struct weir_host *h) {
  uint64_t room = 0;
  for (uint32_t t = 0; t < s->threads; t++)
    if (s->start[t + 1] - s->start[t] >= room) room = s->start[t + 1] - s->start[t] + 1;
  uint64_t *told = weir_host_variable(h, WEIR_GATHER_NAME);
  told[WEIR_GATHER_ENTRIES] = weir_host_alloc(h, "entries", room * s->threads * sizeof(uint32_t));
  told[WEIR_GATHER_COUNTS] = weir_host_alloc(h, "counts", s->threads * sizeof(uint32_t));
  told[WEIR_GATHER_ROOM] = room;
  told[WEIR_GATHER_BYTES] = weir_host_alloc(h, "gathered", weir_align_up(room, row_of(h)) * s->threads);
  told[WEIR_GATHER_TEXT] = s->text_at;
}

bool weir_stream_gather(struct weir_host *h, uint32_t threads) {
  const uint64_t *told = weir_host_variable(h, WEIR_GATHER_NAME), entries = told[WEIR_GATHER_ROOM] * threads;
  const uint32_t *offset = weir_host_bytes(h, told[WEIR_GATHER_ENTRIES], entries * sizeof *offset),
                 *count = weir_host_bytes(h, told[WEIR_GATHER_COUNTS], threads * sizeof *count);
  const uint32_t row = row_of(h);
  const uint64_t bytes = weir_align_up(told[WEIR_GATHER_ROOM], row) * threads;
  uint8_t *to = weir_host_bytes(h, told[WEIR_GATHER_BYTES], bytes);
  for (uint32_t t = 0; t < threads; t++) {
    assert(count[t] <= told[WEIR_GATHER_ROOM]);
    for (uint64_t k = 0; k < count[t]; k++)
      to[(k / row * threads + t) * row + k % row] =
        *(const uint8_t *)weir_host_bytes(h, told[WEIR_GATHER_TEXT] + offset[k * threads + t], 1);
  }
  weir_host_wrote(h, told[WEIR_GATHER_BYTES], bytes);
  return true;
}

// A zero ends the text, as some kernels want it.
void weir_stream_upload(struct weir_stream *s, struct weir_host *h) {
  if (s->interleave) {
    upload_interleaved(s, h);
  } else {
    s->text_at = weir_host_alloc(h, "text", weir_align_up(s->text.bytes + 1, sizeof(uint32_t)));
    weir_host_write(h, s->text_at, s->text.at, s->text.bytes);
  }
  if (weir_host_shape(h).gather) make_room(s, h);
  s->starts_at = weir_host_upload(h, "start", s->start, (s->threads + 1) * sizeof *s->start);
}

uint32_t weir_stream_lines(const struct weir_stream *s, size_t from, size_t to) {
  uint32_t lines = 0;
  for (size_t at = from; at < to; lines++) {
    const char *newline = memchr(s->text.at + at, '\n', to - at);
    at = newline ? (size_t)(newline - s->text.at) + 1 : to;
  }
  return lines;
}

uint64_t weir_stream_first_lines(const struct weir_stream *s, struct weir_host *h) {
  uint32_t *first = weir_new_array(uint32_t, s->threads), lines = 0;
  for (uint32_t t = 0; t < s->threads; t++) {
    first[t] = lines;
    lines += weir_stream_lines(s, s->start[t], s->own ? s->start[t] + s->own[t] : s->start[t + 1]);
  }
  uint64_t address = weir_host_upload(h, "first_line", first, s->threads * sizeof *first);
  weir_free(first);
  return address;
}

struct weir_place weir_stream_place(const struct weir_stream *s, size_t at) {
  size_t line = at;
  while (line > 0 && s->text.at[line - 1] != '\n') line--;
  return (struct weir_place){s->path, s->text.at, weir_stream_lines(s, 0, line) + 1, (unsigned)(at - line) + 1};
}
