// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "scheme/values.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char *const list_marks[] = {[WEIR_FEWEST_CYCLES] = "best:", [WEIR_HIGHEST_IPC] = "best-ipc:"};

enum { MAX_DIGITS = 12, MAX_PLACES = 6 };

struct reading {
  struct weir_values *values;
  char *message;
  size_t size;
};

static bool fail(struct reading *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool fail(struct reading *r, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(r->message, r->size, format, arguments);
  va_end(arguments);
  return false;
}

static bool add(struct reading *r, const char *text, size_t length) {
  struct weir_values *v = r->values;
  for (unsigned i = 0; i < v->count; i++)
    if (strlen(v->text[i]) == length && !memcmp(v->text[i], text, length)) return true;
  if (v->count == WEIR_MAX_COMBINATIONS) return fail(r, "the list has more than %d values", WEIR_MAX_COMBINATIONS);
  *weir_push(v->text, v->count, v->capacity) = weir_text_format("%.*s", (int)length, text);
  return true;
}

// ---- ranges, in whole units of the last decimal place that any of their numbers has ------------------------------------

struct decimal {
  int64_t units;
  unsigned places;
};

static bool read_decimal(const char *text, size_t length, struct decimal *d) {
  bool negative = length && *text == '-', point = false;
  size_t digits = 0;
  *d = (struct decimal){0};
  for (size_t i = negative; i < length; i++) {
    if (text[i] == '.' && digits && !point) {
      point = true;
      continue;
    }
    if (text[i] < '0' || text[i] > '9' || ++digits > MAX_DIGITS) return false;
    d->units = 10 * d->units + (text[i] - '0');
    d->places += point;
  }
  if (negative) d->units = -d->units;
  return digits && d->places <= MAX_PLACES && (!point || d->places);
}

static int64_t in_places(struct decimal d, unsigned places) {
  for (; d.places < places; d.places++) d.units *= 10;
  return d.units;
}

static bool add_decimal(struct reading *r, int64_t units, unsigned places) {
  char text[40];
  int64_t one = in_places((struct decimal){1, 0}, places), size = units < 0 ? -units : units;
  int length = snprintf(text, sizeof text, "%s%" PRId64, units < 0 ? "-" : "", size / one);
  if (size % one) {
    length += snprintf(text + length, sizeof text - (size_t)length, ".%0*" PRId64, (int)places, size % one);
    while (text[length - 1] == '0') length--;
  }
  return add(r, text, (size_t)length);
}

// "LOW..HIGH" or "LOW..HIGH/STEP"; `dots` is where its dots are.
static bool add_range(struct reading *r, const char *item, size_t length, const char *dots) {
  const char *high = dots + 2, *end = item + length, *slash = memchr(high, '/', (size_t)(end - high));
  struct decimal low, top, step = {1, 0};
  if (!read_decimal(item, (size_t)(dots - item), &low) ||
      !read_decimal(high, (size_t)((slash ? slash : end) - high), &top) ||
      (slash && !read_decimal(slash + 1, (size_t)(end - slash - 1), &step)))
    return fail(r, "'%.*s' is no range LOW..HIGH or LOW..HIGH/STEP of numbers", (int)length, item);
  unsigned places = low.places > top.places ? low.places : top.places;
  places = step.places > places ? step.places : places;
  int64_t from = in_places(low, places), to = in_places(top, places), by = in_places(step, places);
  if (by <= 0) return fail(r, "the range '%.*s' has a step of %s", (int)length, item, by ? "less than 0" : "0");
  if (from > to) return fail(r, "the range '%.*s' runs backwards", (int)length, item);
  for (; from <= to; from += by)
    if (!add_decimal(r, from, places)) return false;
  return true;
}

// ---- lists ---------------------------------------------------------------------------------------------------------------

static bool add_item(struct reading *r, const char *item, size_t length) {
  if (!length) return fail(r, "the list has an empty value");
  if (memchr(item, ',', length)) return fail(r, "the list has a value with a comma, which separates overrides");
  for (size_t i = 0; i + 1 < length; i++)
    if (item[i] == '.' && item[i + 1] == '.') return add_range(r, item, length, item + i);
  return add(r, item, length);
}

static bool add_list(struct reading *r, const char *list) {
  if (!*list) return fail(r, "the list has no values");
  for (size_t length;; list += length + 1) {
    length = strcspn(list, "|");
    if (!add_item(r, list, length)) return false;
    if (!list[length]) return true;
  }
}

const char *weir_values_read(struct weir_values *v, const char *text, char *message, size_t size) {
  *v = (struct weir_values){0};
  struct reading r = {v, message, size};
  for (unsigned i = 0; i < sizeof list_marks / sizeof *list_marks; i++) {
    size_t mark = strlen(list_marks[i]);
    if (strncmp(text, list_marks[i], mark)) continue;
    v->open = true;
    v->objective = i;
    return add_list(&r, text + mark) ? NULL : message;
  }
  return add(&r, text, strlen(text)) ? NULL : message;
}

void weir_values_free(struct weir_values *v) {
  for (unsigned i = 0; i < v->count; i++) weir_free(v->text[i]);
  weir_free(v->text);
  *v = (struct weir_values){0};
}
