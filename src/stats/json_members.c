// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Some members of an object in JSON text. A sweep looks at 3 kB of a run object's 40: parsing the rest costs it more than
// anything else that it does with a run that is kept.
#include "stats/json.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char *past_space(const char *c) {
  return c + strspn(c, " \t\r\n");
}

static const char *past_string(const char *c) { // which begins here; NULL: it has no end
  for (c++; *(c += strcspn(c, "\"\\")) != '"'; c += 2)
    if (!c[0] || !c[1]) return NULL;
  return c + 1;
}

static const char *past_nested(const char *c) {
  size_t depth = 0;
  do {
    if (*c == '"') {
      if (!(c = past_string(c))) return NULL;
      continue;
    }
    if (!*c) return NULL;
    depth += *c == '{' || *c == '[';
    depth -= *c == '}' || *c == ']';
    c++;
  } while (depth);
  return c;
}

static const char *past_value(const char *c) {
  if (*c == '"') return past_string(c);
  if (*c == '{' || *c == '[') return past_nested(c);
  return c + strcspn(c, ",} \t\r\n");
}

struct member {
  const char *name, *value, *end; // the name begins with its quote
};

// The member that begins here; false: there is none.
static bool read_member(const char *c, struct member *m) {
  m->name = past_space(c);
  const char *after = *m->name == '"' ? past_string(m->name) : NULL;
  after = after ? past_space(after) : "";
  if (*after != ':') return false;
  m->value = past_space(after + 1);
  m->end = past_value(m->value);
  return m->end && m->end > m->value;
}

static bool is_among(const struct member *m, const char *const *names) {
  const size_t length = strcspn(m->name + 1, "\"");
  while (*names && (strncmp(*names, m->name + 1, length) != 0 || (*names)[length])) names++;
  return *names;
}

enum { MOST_MEMBERS = 64 }; // that are asked for

// The members that are among `names`, and how long all of them are. False: `text` is no object, or has too many of them.
static bool select_members(const char *text, const char *const *names, struct member *some, size_t *count,
                           size_t *length) {
  const char *c = past_space(text);
  if (*c != '{') return false;
  bool more = *past_space(c + 1) != '}';
  struct member m;
  for (*count = *length = 0; more && read_member(c + 1, &m); more = *c == ',') {
    c = past_space(m.end);
    if (*c != ',' && *c != '}') return false;
    if (!is_among(&m, names)) continue;
    if (*count == MOST_MEMBERS) return false;
    some[(*count)++] = m;
    *length += (size_t)(m.end - m.name) + 1;
  }
  return !more;
}

json_t *weir_json_members(const char *text, const char *const *names) {
  struct member some[MOST_MEMBERS];
  size_t count, length;
  if (!select_members(text, names, some, &count, &length)) return NULL;
  char *object = malloc(length + 2), *to = object; // a byte before each, and one behind all
  if (!object) abort();
  *to++ = '{';
  for (size_t i = 0; i < count; i++) {
    if (i) *to++ = ',';
    const size_t own = (size_t)(some[i].end - some[i].name);
    memcpy(to, some[i].name, own);
    to += own;
  }
  *to++ = '}';
  json_t *read = json_loadb(object, (size_t)(to - object), 0, NULL);
  free(object);
  return read;
}
