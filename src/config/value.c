// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Values of keys: from text, in words, and one after the other.
#include "base/alloc.h"
#include "base/bits.h"
#include "config/keys.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void describe_choices(const char *const *choices, char *text, size_t size) {
  size_t used = 0;
  for (unsigned i = 0; choices[i] && used < size; i++)
    used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "one of ", choices[i]);
}

void weir_key_describe(const struct weir_key *key, char *text, size_t size) {
  switch (key->type) {
  case WEIR_KEY_UINT:
    snprintf(text, size, "%s from %.0f to %.0f", key->power_of_two ? "a power of two" : "an integer", key->lowest,
             key->highest);
    break;
  case WEIR_KEY_REAL: snprintf(text, size, "a number from %g to %g", key->lowest, key->highest); break;
  case WEIR_KEY_BOOL: snprintf(text, size, "true or false"); break;
  case WEIR_KEY_ENUM: describe_choices(key->choices, text, size); break;
  default: snprintf(text, size, "a text"); break;
  }
}

void weir_key_show(const struct weir_key *key, const void *at, char *text, size_t size) {
  switch (key->type) {
  case WEIR_KEY_UINT: snprintf(text, size, "%u", *(const uint32_t *)at); break;
  case WEIR_KEY_REAL: snprintf(text, size, "%g", *(const double *)at); break;
  case WEIR_KEY_BOOL: snprintf(text, size, "%s", *(const bool *)at ? "true" : "false"); break;
  case WEIR_KEY_ENUM: snprintf(text, size, "%s", key->choices[*(const uint32_t *)at]); break;
  default: snprintf(text, size, "%s", *(char *const *)at); break;
  }
}

static bool parse_uint(const struct weir_key *key, const char *text, void *at) {
  if (!*text || text[strspn(text, "0123456789")]) return false;
  errno = 0;
  unsigned long long value = strtoull(text, NULL, 10);
  double real = (double)value;
  if (errno || real < key->lowest || real > key->highest) return false;
  if (key->power_of_two && !weir_is_pow2(value)) return false;
  *(uint32_t *)at = (uint32_t)value;
  return true;
}

static bool parse_real(const struct weir_key *key, const char *text, void *at) {
  if (!*text || text[strspn(text, "0123456789.eE+-")]) return false; // nor hexadecimal, nan, inf
  char *end;
  double value = strtod(text, &end);
  if (*end || !(value >= key->lowest && value <= key->highest)) return false;
  *(double *)at = value;
  return true;
}

static bool parse_bool(const char *text, void *at) {
  bool value = !strcmp(text, "true");
  if (!value && strcmp(text, "false")) return false;
  *(bool *)at = value;
  return true;
}

static bool parse_enum(const struct weir_key *key, const char *text, void *at) {
  for (unsigned i = 0; key->choices[i]; i++)
    if (!strcmp(key->choices[i], text)) {
      memcpy(at, &i, sizeof i);
      return true;
    }
  return false;
}

static bool parse_text(const char *text, void *at) {
  if (!*text) return false;
  weir_free(*(char **)at);
  *(char **)at = weir_text_copy(text);
  return true;
}

static bool parse(const struct weir_key *key, const char *text, void *at) {
  switch (key->type) {
  case WEIR_KEY_UINT: return parse_uint(key, text, at);
  case WEIR_KEY_REAL: return parse_real(key, text, at);
  case WEIR_KEY_BOOL: return parse_bool(text, at);
  case WEIR_KEY_ENUM: return parse_enum(key, text, at);
  default: return parse_text(text, at);
  }
}

const char *weir_key_parse(const struct weir_key *key, const char *text, void *at, char *message, size_t size) {
  if (parse(key, text, at)) return NULL;
  weir_key_describe(key, message, size);
  return message;
}

// ---- one after the other ---------------------------------------------------------------------------------------------

struct walk {
  bool (*each)(void *context, const struct weir_leaf *leaf);
  void *context;
  uint32_t index;
};

static bool walk_section(struct walk *w, const struct weir_section *section, char *base, const char *prefix);

// An element without a name (its file is being refused) has no path.
static bool walk_list(struct walk *w, const struct weir_key *key, char *at, const char *prefix) {
  char path[WEIR_MAX_PATH];
  uint32_t count;
  char *items = weir_list_items(at, &count);
  for (uint32_t i = 0; i < count; i++) {
    char *item = items + i * key->section->size, *name = *(char **)(void *)item;
    snprintf(path, sizeof path, "%s%s.", prefix, name ? name : "");
    if (!walk_section(w, key->section, item, path)) return false;
  }
  return true;
}

// A part that the chip does not have has no paths.
static bool is_none(const struct weir_key *key, const char *at) {
  if (key->type != WEIR_KEY_SECTION || !key->absent || strcmp(key->absent, "none")) return false;
  for (size_t i = 0; i < key->section->size; i++)
    if (at[i]) return false;
  return true;
}

static bool walk_key(struct walk *w, const struct weir_key *key, char *at, const char *prefix) {
  if (key->type == WEIR_KEY_LIST) return walk_list(w, key, at, prefix);
  if (is_none(key, at)) return true;
  char path[WEIR_MAX_PATH];
  snprintf(path, sizeof path, "%s%s%s", prefix, key->name, key->type == WEIR_KEY_SECTION ? "." : "");
  if (key->type == WEIR_KEY_SECTION) return walk_section(w, key->section, at, path);
  return w->each(w->context, &(struct weir_leaf){key, at, path, w->index++});
}

static bool walk_section(struct walk *w, const struct weir_section *section, char *base, const char *prefix) {
  for (unsigned i = 0; i < section->count; i++)
    if (!walk_key(w, &section->keys[i], base + section->keys[i].offset, prefix)) return false;
  return true;
}

void weir_chip_leaves(struct weir_chip_config *c, bool (*each)(void *context, const struct weir_leaf *leaf),
                      void *context) {
  walk_section(&(struct walk){each, context, 0}, &weir_chip_section, (char *)c, "");
}
