// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "host/scan.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct weir_scan weir_scan_begin(const char *path, const char *text, size_t size, struct weir_sink *sink) {
  return (struct weir_scan){.path = path,
                            .text = text,
                            .end = text + size,
                            .next = text,
                            .start = text,
                            .at = text,
                            .stop = text,
                            .sink = sink};
}

bool weir_scan_line(struct weir_scan *s) {
  if (s->next >= s->end) return false;
  const char *newline = memchr(s->next, '\n', (size_t)(s->end - s->next));
  s->start = s->at = s->next;
  s->stop = newline ? newline : s->end;
  s->next = newline ? newline + 1 : s->end;
  s->line++;
  return true;
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == ',';
}

bool weir_scan_blank(struct weir_scan *s) {
  while (s->at < s->stop && is_blank(*s->at)) s->at++;
  return s->at == s->stop;
}

struct weir_place weir_scan_place(const struct weir_scan *s) {
  return (struct weir_place){s->path, s->text, s->line, (unsigned)(s->at - s->start) + 1};
}

static bool fail_u32(struct weir_scan *s, const char *what, uint32_t low, uint32_t high) {
  return weir_fail(s->sink, weir_scan_place(s), "%s must be an integer from %" PRIu32 " to %" PRIu32, what, low, high);
}

bool weir_scan_u32(struct weir_scan *s, const char *what, uint32_t low, uint32_t high, uint32_t *out) {
  if (weir_scan_blank(s)) return weir_fail(s->sink, weir_scan_place(s), "%s is missing", what);
  const char *p = s->at;
  uint64_t n = 0;
  for (; p < s->stop && *p >= '0' && *p <= '9'; p++)
    if (n <= UINT32_MAX) n = n * 10 + (uint64_t)(*p - '0');
  if (p == s->at || (p < s->stop && !is_blank(*p)) || n < low || n > high) return fail_u32(s, what, low, high);
  s->at = p;
  *out = (uint32_t)n;
  return true;
}

// strtof itself skips more kinds of white space than separate fields here, line ends among them: a number that begins
// after one is none.
bool weir_scan_f32(struct weir_scan *s, const char *what, float *out) {
  if (weir_scan_blank(s)) return weir_fail(s->sink, weir_scan_place(s), "%s is missing", what);
  char *p;
  *out = strtof(s->at, &p);
  if (p == s->at || isspace((unsigned char)*s->at) || (p < s->stop && !is_blank(*p)) || !isfinite(*out))
    return weir_fail(s->sink, weir_scan_place(s), "%s must be a number in single precision's range", what);
  s->at = p;
  return true;
}

bool weir_scan_word(struct weir_scan *s, const char *what, char *out, size_t size) {
  size_t n = 0;
  if (weir_scan_blank(s)) return weir_fail(s->sink, weir_scan_place(s), "%s is missing", what);
  for (; s->at < s->stop && !is_blank(*s->at); s->at++) {
    char c = *s->at;
    if (n + 1 < size) out[n++] = (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
  }
  out[n] = 0;
  return true;
}

bool weir_scan_done(struct weir_scan *s) {
  return weir_scan_blank(s) || weir_fail(s->sink, weir_scan_place(s), "nothing more is expected on this line");
}
