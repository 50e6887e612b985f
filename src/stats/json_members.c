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

json_t *weir_json_members(const char *text, const char *const *names) {
  const char *c = past_space(text);
  struct member m;
  char *some = *c == '{' ? malloc(strlen(text) + 3) : NULL, *to = some;
  bool more = some, ok = false;
  if (more) *to++ = '{';
  if (more && *past_space(c + 1) == '}') ok = true, more = false;
  while (more && read_member(c + 1, &m)) {
    if (is_among(&m, names)) {
      if (to > some + 1) *to++ = ',';
      memcpy(to, m.name, (size_t)(m.end - m.name));
      to += m.end - m.name;
    }
    c = past_space(m.end);
    ok = *c == '}';
    more = *c == ',';
  }
  if (some) memcpy(to, "}", 2);
  json_t *object = ok ? json_loads(some, 0, NULL) : NULL;
  free(some);
  return object;
}
