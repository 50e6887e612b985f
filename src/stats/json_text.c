// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// JSON as text, in a line: what jansson would write, byte for byte, in a fifth of the time. Every run object goes through here.
#include "stats/json.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REAL_DIGITS = 15, LEAST_ROOM = 1 << 12, LONGEST_NUMBER = 32, LONGEST_ESCAPE = 6 };

struct text {
  char *bytes;
  size_t length, room;
};

static char *reserve(struct text *t, size_t more) {
  if (t->room - t->length < more) {
    while (t->room - t->length < more) t->room = t->room ? 2 * t->room : LEAST_ROOM;
    t->bytes = realloc(t->bytes, t->room);
    if (!t->bytes) abort();
  }
  return t->bytes + t->length;
}

static void put(struct text *t, char c) {
  *reserve(t, 1) = c;
  t->length++;
}

static void put_bytes(struct text *t, const char *bytes, size_t length) {
  memcpy(reserve(t, length), bytes, length);
  t->length += length;
}

// ---- numbers -----------------------------------------------------------------------------------------------------------

static void put_integer(struct text *t, json_int_t value) {
  char digits[LONGEST_NUMBER], *end = digits + sizeof digits, *at = end;
  unsigned long long rest = value < 0 ? 0 - (unsigned long long)value : (unsigned long long)value;
  do *--at = (char)('0' + rest % 10);
  while (rest /= 10);
  if (value < 0) *--at = '-';
  put_bytes(t, at, (size_t)(end - at));
}

// As C writes it, but 1e+20 is 1e20, 1e-05 is 1e-5, and what would look like an integer ends with ".0".
static void put_odd_real(struct text *t, double value) {
  char *at = reserve(t, LONGEST_NUMBER);
  int length = snprintf(at, LONGEST_NUMBER, "%.*g", REAL_DIGITS, value);
  for (char *c = at; *c; c++)
    if (*c == ',') *c = '.'; // of the locale
  char *e = strchr(at, 'e');
  if (e) {
    char *to = e + 1 + (e[1] == '-'), *from = e + 2;
    while (*from == '0') from++;
    length -= (int)(from - to);
    memmove(to, from, strlen(from));
  } else if (!memchr(at, '.', (size_t)length)) {
    memcpy(at + length, ".0", 2);
    length += 2;
  }
  t->length += (size_t)length;
}

static void put_real(struct text *t, double value) {
  if (value != floor(value) || fabs(value) >= 1e15 || (value == 0 && signbit(value))) {
    put_odd_real(t, value);
    return;
  }
  put_integer(t, (json_int_t)value);
  put_bytes(t, ".0", 2);
}

// ---- texts -------------------------------------------------------------------------------------------------------------

static bool is_plain(unsigned char c) {
  return c >= ' ' && c != '"' && c != '\\';
}

static void put_escaped(struct text *t, unsigned char c) {
  static const char named[] = "\"\"\\\\\bb\ff\nn\rr\tt"; // a byte, and what stands for it behind the backslash
  for (const char *n = named; *n; n += 2) {
    if (c != (unsigned char)*n) continue;
    put_bytes(t, (const char[]){'\\', n[1]}, 2);
    return;
  }
  char escape[LONGEST_ESCAPE + 1];
  snprintf(escape, sizeof escape, "\\u%04X", c);
  put_bytes(t, escape, LONGEST_ESCAPE);
}

static void put_string(struct text *t, const char *s, size_t length) {
  put(t, '"');
  for (size_t i = 0; i < length;) {
    const size_t from = i;
    while (i < length && is_plain((unsigned char)s[i])) i++;
    put_bytes(t, s + from, i - from);
    if (i < length) put_escaped(t, (unsigned char)s[i++]);
  }
  put(t, '"');
}

// ---- all ---------------------------------------------------------------------------------------------------------------

static void put_value(struct text *t, const json_t *value);

static void put_list(struct text *t, const json_t *list) {
  put(t, '[');
  for (size_t i = 0; i < json_array_size(list); i++) {
    if (i) put(t, ',');
    put_value(t, json_array_get(list, i));
  }
  put(t, ']');
}

static void put_object(struct text *t, const json_t *object) {
  const char *name, *between = "{";
  json_t *value;
  if (!json_object_size(object)) put(t, '{');
  json_object_foreach((json_t *)object, name, value) {
    put(t, *between);
    put_string(t, name, strlen(name));
    put(t, ':');
    put_value(t, value);
    between = ",";
  }
  put(t, '}');
}

static void put_value(struct text *t, const json_t *value) {
  switch (json_typeof(value)) {
  case JSON_OBJECT: put_object(t, value); break;
  case JSON_ARRAY: put_list(t, value); break;
  case JSON_STRING: put_string(t, json_string_value(value), json_string_length(value)); break;
  case JSON_INTEGER: put_integer(t, json_integer_value(value)); break;
  case JSON_REAL: put_real(t, json_real_value(value)); break;
  case JSON_TRUE: put_bytes(t, "true", 4); break;
  case JSON_FALSE: put_bytes(t, "false", 5); break;
  case JSON_NULL: put_bytes(t, "null", 4); break;
  }
}

char *weir_json_text(const json_t *value, bool indented) {
  struct text t = {0};
  if (indented) {
    char *text = json_dumps(value, JSON_REAL_PRECISION(REAL_DIGITS) | JSON_ENCODE_ANY | JSON_INDENT(2));
    assert(text);
    return text;
  }
  put_value(&t, value);
  put(&t, 0);
  return t.bytes;
}
