// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Values of parameters: from text, in words, as text.
#include "base/alloc.h"
#include "base/bits.h"
#include "base/param.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// ---- in words ----------------------------------------------------------------------------------------------------------

// "", or "cycles".
static const char *unit_of(const struct weir_param *p) {
  static const char *const ends[][2] = {{"_kib", "KiB"},   {"_mib", "MiB"},    {"_bytes", "bytes"},
                                        {"_bits", "bits"}, {"_mhz", "MHz"},    {"_cycles", "cycles"},
                                        {"_pj", "pJ"},     {"_mw", "mW"},      {"_pj_per_bit", "pJ/bit"},
                                        {"_percent", "%"}, {"_flits", "flits"}};
  const bool number = p->type == WEIR_PARAM_UINT || p->type == WEIR_PARAM_INT || p->type == WEIR_PARAM_REAL;
  if (p->unit) return p->unit;
  const size_t length = strlen(p->name);
  for (unsigned i = 0; number && i < sizeof ends / sizeof *ends; i++) {
    const size_t end = strlen(ends[i][0]);
    if (length >= end && !strcmp(p->name + length - end, ends[i][0])) return ends[i][1];
  }
  return "";
}

static void describe_choices(const struct weir_param *p, char *text, size_t size) {
  size_t used = (size_t)snprintf(text, size, "one of");
  for (unsigned i = 0; p->choices[i] && used < size; i++)
    used += (size_t)snprintf(text + used, size - used, "%s %s", i ? "," : "", p->choices[i]);
}

static void describe_integer(const struct weir_param *p, char *text, size_t size) {
  const char *what = p->power_of_two ? "a power of two" : "an integer", *unit = unit_of(p);
  const char *space = *unit ? " " : "";
  if (p->as_real)
    snprintf(text, size, "%s from %.0f to %.0f%s%s", what, p->lowest, p->highest, space, unit);
  else
    snprintf(text, size, "%s from %" PRId64 " to %" PRIu64 "%s%s", what, p->low, p->high, space, unit);
}

static void describe_real(const struct weir_param *p, char *text, size_t size) {
  const char *unit = unit_of(p);
  if (isinf(p->highest))
    snprintf(text, size, "a number in %s precision's range", p->bytes == sizeof(float) ? "single" : "double");
  else
    snprintf(text, size, "a number from %g to %g%s%s", p->lowest, p->highest, *unit ? " " : "", unit);
}

void weir_param_describe(const struct weir_param *p, char *text, size_t size) {
  switch (p->type) {
  case WEIR_PARAM_BOOL: snprintf(text, size, "true or false"); break;
  case WEIR_PARAM_UINT:
  case WEIR_PARAM_INT: p->choices ? describe_choices(p, text, size) : describe_integer(p, text, size); break;
  case WEIR_PARAM_REAL: describe_real(p, text, size); break;
  case WEIR_PARAM_CHOICE: describe_choices(p, text, size); break;
  default: snprintf(text, size, "a text"); break;
  }
}

void weir_param_refuse(const struct weir_param_table *t, const struct weir_param *p, const char *path, const char *text,
                       char *message, size_t size) {
  char expected[300], called[WEIR_MAX_PATH + 80];
  unsigned count = 0;
  while (p->type == WEIR_PARAM_CHOICE && p->choices[count]) count++;
  const char *nearest = count ? weir_nearest(text, p->choices, count) : NULL;
  weir_param_describe(p, expected, sizeof expected);
  if (t->item && *t->item)
    snprintf(called, sizeof called, "%s '%s' of %s", t->item, path, t->what);
  else
    snprintf(called, sizeof called, "%s", path);
  snprintf(message, size, "%s must be %s, not '%s'%s%s%s", called, expected, text, nearest ? "; did you mean '" : "",
           nearest ? nearest : "", nearest ? "'?" : "");
}

// ---- as text -----------------------------------------------------------------------------------------------------------

static uint64_t load_bytes(const struct weir_param *p, const void *at) { // weir's hosts are little-endian
  uint64_t value = 0;
  memcpy(&value, at, p->bytes);
  return value;
}

static int64_t load_signed(const struct weir_param *p, const void *at) {
  const unsigned unused = 64 - 8u * p->bytes;
  return (int64_t)(load_bytes(p, at) << unused) >> unused;
}

static double load_real(const struct weir_param *p, const void *at) {
  float single;
  double value;
  if (p->bytes != sizeof single) return memcpy(&value, at, sizeof value), value;
  memcpy(&single, at, sizeof single);
  return (double)single;
}

static unsigned load_index(const struct weir_param *p, const void *at) { // of a choice, or a bool
  if (p->as_real) return (unsigned)load_real(p, at);
  return p->type == WEIR_PARAM_BOOL ? *(const bool *)at : *(const unsigned *)at;
}

void weir_param_show(const struct weir_param *p, const void *at, char *text, size_t size) {
  switch (p->type) {
  case WEIR_PARAM_BOOL: snprintf(text, size, "%s", load_index(p, at) ? "true" : "false"); break;
  case WEIR_PARAM_UINT: snprintf(text, size, "%" PRIu64, load_bytes(p, at)); break;
  case WEIR_PARAM_INT:
    p->as_real ? snprintf(text, size, "%.0f", load_real(p, at)) : snprintf(text, size, "%" PRId64, load_signed(p, at));
    break;
  case WEIR_PARAM_REAL: snprintf(text, size, "%g", load_real(p, at)); break;
  case WEIR_PARAM_CHOICE: snprintf(text, size, "%s", p->choices[load_index(p, at)]); break;
  default: snprintf(text, size, "%s", *(char *const *)at); break;
  }
}

// ---- from text ---------------------------------------------------------------------------------------------------------

// YAML's names for what decimal digits cannot write.
static bool read_special(const char *text, double *value) {
  const bool negative = *text == '-';
  if (!strcmp(text + negative, ".inf"))
    *value = negative ? -INFINITY : INFINITY;
  else if (!strcmp(text, ".nan"))
    *value = NAN;
  else
    return false;
  return true;
}

// Neither hexadecimal nor "nan" nor "inf". One rounding, from the text to the type.
static bool read_decimal(const char *text, bool single, double *value) {
  char *end;
  if (!*text || text[strspn(text, "0123456789.eE+-")]) return false;
  *value = single ? (double)strtof(text, &end) : strtod(text, &end);
  return !*end && end != text && !isinf(*value);
}

struct integer {
  uint64_t size;
  bool negative;
};

static bool read_digits(const char *text, struct integer *i) {
  const bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  const char *digits = hex ? text + 2 : text;
  if (!*digits || digits[strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789")]) return false;
  errno = 0;
  i->size = strtoull(digits, NULL, hex ? 16 : 10);
  return !errno;
}

// "1200K"
static bool read_suffixed(const char *text, struct integer *i) {
  static const char suffixes[] = "KMG";
  const size_t length = strlen(text);
  const char *suffix = length > 1 ? strchr(suffixes, text[length - 1]) : NULL;
  char digits[32];
  if (!suffix || length > sizeof digits) return false;
  snprintf(digits, sizeof digits, "%.*s", (int)length - 1, text);
  if (!read_digits(digits, i)) return false;
  for (const char *s = suffixes; s <= suffix; s++)
    if (__builtin_mul_overflow(i->size, UINT64_C(1000), &i->size)) return false;
  return true;
}

// "1e6", "64.0"
static bool read_whole(const char *text, struct integer *i) {
  double value;
  if (!read_decimal(text, false, &value) || value != floor(value) || fabs(value) > 0x1p53) return false;
  *i = (struct integer){(uint64_t)fabs(value), value < 0};
  return true;
}

static bool read_integer(const struct weir_param *p, const char *text, struct integer *i) {
  const bool sign = *text == '-' || *text == '+';
  i->negative = *text == '-';
  return read_digits(text + sign, i) || (p->suffixes && read_suffixed(text, i)) || read_whole(text, i);
}

static bool within(const struct weir_param *p, struct integer i) {
  if (p->as_real) {
    const double value = i.negative ? -(double)i.size : (double)i.size;
    return value >= p->lowest && value <= p->highest;
  }
  if (i.negative && i.size) return p->low < 0 && i.size <= 0 - (uint64_t)p->low;
  return (p->low <= 0 || i.size >= (uint64_t)p->low) && i.size <= p->high;
}

static void store_real(const struct weir_param *p, double value, void *at) {
  const float single = (float)value;
  memcpy(at, p->bytes == sizeof single ? (const void *)&single : &value, p->bytes == sizeof single ? 4 : 8);
}

static bool parse_integer(const struct weir_param *p, const char *text, void *at) {
  struct integer i;
  bool among = !p->choices;
  for (unsigned k = 0; !among && p->choices[k]; k++) among = !strcmp(p->choices[k], text);
  if (!among || !read_integer(p, text, &i) || (!p->choices && !within(p, i))) return false;
  if (p->power_of_two && (i.negative || !weir_is_pow2(i.size))) return false;
  const uint64_t value = i.negative ? 0 - i.size : i.size;
  if (p->as_real)
    store_real(p, (double)(int64_t)value, at);
  else
    memcpy(at, &value, p->bytes);
  return true;
}

static bool parse_real(const struct weir_param *p, const char *text, void *at) {
  double value;
  const bool special = !p->as_real && isinf(p->highest) && read_special(text, &value);
  if (!special && !read_decimal(text, p->bytes == sizeof(float), &value)) return false;
  if (!special && !(value >= p->lowest && value <= p->highest)) return false;
  store_real(p, value, at);
  return true;
}

static bool store_index(const struct weir_param *p, unsigned index, void *at) {
  if (p->as_real)
    store_real(p, index, at);
  else if (p->type == WEIR_PARAM_BOOL)
    *(bool *)at = index;
  else
    memcpy(at, &index, sizeof index);
  return true;
}

static bool parse_bool(const struct weir_param *p, const char *text, void *at) {
  static const char *const words[] = {"false", "true", "off", "on", "no", "yes", "0", "1"};
  for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
    if (!strcasecmp(text, words[i])) return store_index(p, i & 1, at);
  return false;
}

static bool parse_choice(const struct weir_param *p, const char *text, void *at) {
  for (unsigned i = 0; p->choices[i]; i++)
    if (!strcmp(p->choices[i], text)) return store_index(p, i, at);
  return false;
}

static bool parse_text(const char *text, void *at) {
  if (!*text) return false;
  weir_free(*(char **)at);
  *(char **)at = weir_text_copy(text);
  return true;
}

bool weir_param_parse(const struct weir_param *p, const char *text, void *at) {
  switch (p->type) {
  case WEIR_PARAM_BOOL: return parse_bool(p, text, at);
  case WEIR_PARAM_UINT:
  case WEIR_PARAM_INT: return parse_integer(p, text, at);
  case WEIR_PARAM_REAL: return parse_real(p, text, at);
  case WEIR_PARAM_CHOICE: return parse_choice(p, text, at);
  default: return parse_text(text, at);
  }
}
