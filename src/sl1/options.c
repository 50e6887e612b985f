// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "sl1/options.h"

#include "base/alloc.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { COUNT, RANGE, CHOICE, SWITCH };

struct option {
  const char *key;
  enum kind kind;
  size_t offset;             // of the field in weir_sl1_options
  const char *value;         // the default
  const char *values, *help; // as in options.def
};

static const struct option options[] = {
#define SL1_OPTION(key, kind, value, values, help)                                                                     \
  {#key, kind, offsetof(struct weir_sl1_options, key), value, values, help},
#include "sl1/options.def"
#undef SL1_OPTION
};

enum { OPTIONS = sizeof options / sizeof *options, WORD_SIZE = 24 };

_Static_assert(sizeof(enum weir_sl1_alias) == sizeof(uint32_t), "a choice is stored as a number is");

static const struct option *find(const char *key, size_t length) {
  for (unsigned i = 0; i < OPTIONS; i++)
    if (strlen(options[i].key) == length && !memcmp(options[i].key, key, length)) return &options[i];
  return NULL;
}

bool weir_sl1_has(const char *key) {
  return find(key, strlen(key)) != NULL;
}

// ---- values ----------------------------------------------------------------------------------------------------------

static void store(const struct option *o, struct weir_sl1_options *to, uint32_t value) {
  char *field = (char *)to + o->offset;
  if (o->kind == SWITCH)
    *(bool *)field = value;
  else
    memcpy(field, &value, sizeof value);
}

static uint32_t load(const struct option *o, const struct weir_sl1_options *from) {
  const char *field = (const char *)from + o->offset;
  uint32_t value;
  if (o->kind == SWITCH) return *(const bool *)field;
  memcpy(&value, field, sizeof value);
  return value;
}

// The n-th of "a|b|c"; its length is 0 behind the last.
static const char *word(const char *values, unsigned n, size_t *length) {
  for (; n && *values; n--) {
    values += strcspn(values, "|");
    values += *values == '|';
  }
  *length = strcspn(values, "|");
  return values;
}

static bool read_number(const char *text, uint64_t *value) {
  if (!*text || strlen(text) > 10 || text[strspn(text, "0123456789")]) return false;
  *value = strtoull(text, NULL, 10);
  return true;
}

static bool read_range(const struct option *o, const char *text, uint32_t *value) {
  char *dots;
  uint64_t given, low = strtoull(o->values, &dots, 10), high = strtoull(dots + 2, NULL, 10);
  if (!read_number(text, &given) || given < low || given > high) return false;
  *value = (uint32_t)given;
  return true;
}

static bool read_value(const struct option *o, const char *text, uint32_t *value) {
  if (o->kind == RANGE) return read_range(o, text, value);
  size_t length;
  const char *at;
  for (unsigned n = 0; at = word(o->values, n, &length), length; n++)
    if (strlen(text) == length && !memcmp(at, text, length)) {
      *value = o->kind == COUNT ? (uint32_t)strtoul(text, NULL, 10) : n;
      return true;
    }
  return false;
}

// "8, 16, 24 or 32", "1 to 1000".
static void describe(const struct option *o, char *text, size_t size) {
  size_t length, next, used = 0;
  const char *at;
  if (o->kind == RANGE) {
    const char *dots = strstr(o->values, "..");
    snprintf(text, size, "%.*s to %s", (int)(dots - o->values), o->values, dots + 2);
    return;
  }
  for (unsigned n = 0; at = word(o->values, n, &length), length; n++) {
    (void)word(o->values, n + 1, &next);
    used += (size_t)snprintf(text + used, size - used, "%s%.*s", !n ? "" : next ? ", " : " or ", (int)length, at);
  }
}

static void put_value(const struct option *o, const struct weir_sl1_options *from, char *text, size_t size) {
  uint32_t value = load(o, from);
  size_t length;
  if (o->kind == COUNT || o->kind == RANGE) {
    snprintf(text, size, "%u", value);
  } else {
    const char *at = word(o->values, value, &length);
    snprintf(text, size, "%.*s", (int)length, at);
  }
}

// ---- the options ------------------------------------------------------------------------------------------------------

struct weir_sl1_options weir_sl1_defaults(void) {
  struct weir_sl1_options all = {0};
  uint32_t value;
  for (unsigned i = 0; i < OPTIONS; i++) {
    if (!read_value(&options[i], options[i].value, &value)) abort();
    store(&options[i], &all, value);
  }
  return all;
}

static bool fail_unknown(const char *key, size_t length, const char *where, struct weir_sink *sink) {
  const char *keys[OPTIONS];
  for (unsigned i = 0; i < OPTIONS; i++) keys[i] = options[i].key;
  char *name = weir_text_format("%.*s", (int)length, key);
  const char *nearest = weir_nearest(name, keys, OPTIONS);
  if (nearest)
    weir_fail_plain(sink, "%s: S-L1 has no option '%s'; did you mean '%s'?", where, name, nearest);
  else
    weir_fail_plain(sink, "%s: S-L1 has no option '%s'; weir sl1 --help lists them", where, name);
  weir_free(name);
  return false;
}

bool weir_sl1_set(struct weir_sl1_options *to, const char *assignment, const char *where, struct weir_sink *sink) {
  size_t length = strcspn(assignment, "=");
  if (!assignment[length] || !length)
    return weir_fail_plain(sink, "%s: '%s' is not of the form key=value", where, assignment);
  const struct option *o = find(assignment, length);
  if (!o) return fail_unknown(assignment, length, where, sink);
  uint32_t value;
  char values[160];
  if (read_value(o, assignment + length + 1, &value)) {
    store(o, to, value);
    return true;
  }
  describe(o, values, sizeof values);
  return weir_fail_plain(sink, "%s: S-L1 option '%s' takes %s, not '%s'", where, o->key, values,
                         assignment + length + 1);
}

bool weir_sl1_set_all(struct weir_sl1_options *o, const char *list, const char *where, struct weir_sink *sink) {
  bool ok = true;
  if (!*list) return true;
  for (size_t length;; list += length + 1) {
    length = strcspn(list, ",");
    char *one = weir_text_format("%.*s", (int)length, list);
    ok &= weir_sl1_set(o, one, where, sink);
    weir_free(one);
    if (!list[length]) return ok;
  }
}

char *weir_sl1_text(const struct weir_sl1_options *o) {
  char *text = NULL, value[WORD_SIZE];
  size_t size;
  FILE *to = open_memstream(&text, &size);
  if (!to) abort();
  for (unsigned i = 0; i < OPTIONS; i++) {
    put_value(&options[i], o, value, sizeof value);
    if (strcmp(value, options[i].value)) fprintf(to, "%s%s=%s", ftell(to) ? "," : "", options[i].key, value);
  }
  fclose(to);
  char *copy = weir_text_copy(text);
  free(text);
  return copy;
}

void weir_sl1_each_option(void (*each)(void *context, const char *key, const char *value, const char *values,
                                       const char *help),
                          void *context) {
  char values[160];
  for (unsigned i = 0; i < OPTIONS; i++) {
    describe(&options[i], values, sizeof values);
    each(context, options[i].key, options[i].value, values, options[i].help);
  }
}
