// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "warptrace/text.h"

#include "base/alloc.h"
#include "trace/stream.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER = 1 << 16 }; // also the longest line

struct weir_text {
  char *path;
  struct weir_stream *from;
  struct weir_sink *sink;
  unsigned line;
  size_t at, count;
  bool ended, failed;
  char buffer[BUFFER + 1];
};

struct weir_text *weir_text_open(const char *path, struct weir_sink *sink) {
  struct weir_text *t = weir_new(struct weir_text);
  t->path = weir_text_copy(path);
  t->sink = sink;
  t->from = weir_stream_read_open(t->path, sink);
  if (t->from) return t;
  weir_free(t->path);
  weir_free(t);
  return NULL;
}

bool weir_text_fail(const struct weir_text *t, const char *format, ...) {
  va_list arguments;
  char message[512];
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return weir_fail(t->sink, (struct weir_place){.file = t->path, .line = t->line}, "%s", message);
}

static void fill(struct weir_text *t) {
  memmove(t->buffer, t->buffer + t->at, t->count - t->at);
  t->count -= t->at;
  t->at = 0;
  const size_t asked = BUFFER - t->count, got = weir_stream_read(t->from, t->buffer + t->count, asked);
  t->count += got;
  t->ended = got < asked;
}

static char *next_line(struct weir_text *t) {
  char *start = t->buffer + t->at, *end = memchr(start, '\n', t->count - t->at);
  if (!end && !t->ended) {
    fill(t);
    start = t->buffer;
    end = memchr(start, '\n', t->count);
  }
  if (end || t->at < t->count) t->line++;
  if (!end && t->count - t->at == BUFFER) {
    t->failed = true;
    weir_text_fail(t, "is longer than %d characters", BUFFER);
    return NULL;
  }
  if (!end && t->at == t->count) return NULL;
  if (!end) end = t->buffer + t->count;
  t->at = (size_t)(end - t->buffer) + (end < t->buffer + t->count);
  *end = 0;
  return start;
}

char *weir_text_line(struct weir_text *t) {
  char *line;
  while (!t->failed && (line = next_line(t))) {
    line += strspn(line, " \t\r");
    if (*line) return line;
  }
  return NULL;
}

bool weir_text_close(struct weir_text *t) {
  const bool ok = weir_stream_finish(t->from) && !t->failed;
  weir_free(t->path);
  weir_free(t);
  return ok;
}

char *weir_word(char **at) {
  char *word = *at + strspn(*at, " \t\r"), *end = word + strcspn(word, " \t\r");
  *at = end + (*end != 0);
  *end = 0;
  return *word ? word : NULL;
}

bool weir_word_number(const char *word, int base, uint64_t most, uint64_t *value) {
  char *end;
  if (!word || *word == '-' || *word == '+') return false;
  errno = 0;
  *value = strtoull(word, &end, base);
  return end != word && !*end && !errno && *value <= most;
}

bool weir_word_difference(const char *word, int64_t *value) {
  char *end;
  if (!word) return false;
  errno = 0;
  *value = strtoll(word, &end, 10);
  return end != word && !*end && !errno;
}
