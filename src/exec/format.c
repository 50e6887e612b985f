// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "exec/format.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "exec/half.h"
#include "exec/ops/types.h"

#include <stdio.h>
#include <string.h>

enum { MAX_STRING = 1 << 20, MAX_FIELD = 4096, NUMBER_BYTES = 2 * MAX_FIELD };

enum size { SIZE_NONE, SIZE_HH, SIZE_H, SIZE_HL, SIZE_L };

struct conversion {
  char flags[6];
  bool width_given, width_argument, precision_given, precision_argument;
  int width, precision;
  unsigned vector; // elements; 0: no vector
  enum size size;
  char type;
};

// What is being printed, and how far in the arguments.
struct printer {
  const struct weir_format_source *source;
  struct weir_text *to;
  uint64_t base, offset;
  unsigned taken;
};

void weir_text_append(struct weir_text *to, const char *bytes, size_t count) {
  if (to->capacity - to->count < count) {
    to->capacity = to->capacity * 2 + count + 64;
    to->bytes = weir_realloc(to->bytes, to->capacity);
  }
  if (count) memcpy(to->bytes + to->count, bytes, count);
  to->count += count;
}

bool weir_format_string(const struct weir_format_source *source, uint64_t address, uint64_t limit, unsigned width,
                        struct weir_text *to) {
  if (limit > MAX_STRING) limit = MAX_STRING;
  for (uint64_t k = 0; k < limit; k++) {
    char c;
    if (!source->read(source->context, address + k * width, &c, 1)) return false;
    if (!c) break;
    weir_text_append(to, &c, 1);
  }
  return true;
}

// ---- what a conversion says -----------------------------------------------------------------------------------------

// Digits up to MAX_FIELD; more make the conversion none.
static const char *number(const char *at, int *value) {
  *value = 0;
  for (; *at >= '0' && *at <= '9'; at++) {
    *value = *value * 10 + (*at - '0');
    if (*value > MAX_FIELD) return NULL;
  }
  return at;
}

static const char *flags(const char *at, char *to) {
  for (; *at && strchr("-+ #0", *at); at++)
    if (!strchr(to, *at)) to[strlen(to)] = *at;
  return at;
}

static const char *field(const char *at, bool *given, bool *argument, int *value) {
  *given = true;
  if (*at != '*') return number(at, value);
  *argument = true;
  return at + 1;
}

static const char *vector(const char *at, unsigned *elements) {
  int n;
  at = number(at + 1, &n);
  *elements = (unsigned)n;
  return n == 2 || n == 3 || n == 4 || n == 8 || n == 16 ? at : NULL;
}

static const char *size(const char *at, enum size *s) {
  static const struct {
    char text[3];
    enum size size;
  } sizes[] = {{"hh", SIZE_HH}, {"hl", SIZE_HL}, {"h", SIZE_H}, {"ll", SIZE_L},
               {"l", SIZE_L},   {"j", SIZE_L},   {"z", SIZE_L}, {"t", SIZE_L}};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
    if (!strncmp(at, sizes[k].text, strlen(sizes[k].text))) {
      *s = sizes[k].size;
      return at + strlen(sizes[k].text);
    }
  return at;
}

// Behind the percent sign: where the conversion ends, or NULL if it is none.
static const char *read_conversion(const char *at, struct conversion *c) {
  *c = (struct conversion){.precision = -1};
  at = flags(at, c->flags);
  if (*at == '*' || (*at >= '1' && *at <= '9')) at = field(at, &c->width_given, &c->width_argument, &c->width);
  if (at && *at == '.') at = field(at + 1, &c->precision_given, &c->precision_argument, &c->precision);
  if (at && *at == 'v') at = vector(at, &c->vector);
  if (!at) return NULL;
  at = size(at, &c->size);
  c->type = *at;
  const char *types = c->vector ? "diouxXeEfFgGaA" : "diouxXeEfFgGaAcsp";
  return *at && strchr(types, *at) ? at + 1 : NULL;
}

// ---- arguments ------------------------------------------------------------------------------------------------------

static bool take(struct printer *p, unsigned bytes, uint64_t *bits) {
  p->offset = weir_align_up(p->offset, bytes);
  *bits = 0;
  if (!p->source->read(p->source->context, p->base + p->offset, bits, bytes)) return false;
  p->offset += bytes;
  return true;
}

static bool take_int(struct printer *p, int *value) {
  uint64_t bits;
  if (!take(p, 4, &bits)) return false;
  const int32_t n = (int32_t)bits;
  *value = n > MAX_FIELD ? MAX_FIELD : n < -MAX_FIELD ? -MAX_FIELD : n;
  p->taken++;
  return true;
}

// A negative width is the flag - and a width; a negative precision is none.
static bool take_fields(struct printer *p, struct conversion *c) {
  if (c->width_argument && !take_int(p, &c->width)) return false;
  if (c->precision_argument && !take_int(p, &c->precision)) return false;
  if (c->width < 0) {
    if (!strchr(c->flags, '-')) c->flags[strlen(c->flags)] = '-';
    c->width = -c->width;
  }
  if (c->precision < 0) c->precision_given = false;
  return true;
}

// ---- printing -------------------------------------------------------------------------------------------------------

static bool is_float(char type) {
  return strchr("eEfFgGaA", type) != NULL;
}

static unsigned size_bytes(enum size s) {
  static const unsigned bytes[] = {[SIZE_NONE] = 4, [SIZE_HH] = 1, [SIZE_H] = 2, [SIZE_HL] = 4, [SIZE_L] = 8};
  return bytes[s];
}

// C promotes what is narrower than int, and float; a vector's elements are as they are.
static unsigned stored_bytes(const struct conversion *c) {
  const unsigned bytes = size_bytes(c->size);
  if (c->vector) return bytes;
  if (is_float(c->type) || strchr("sp", c->type)) return 8;
  return bytes < 4 ? 4 : bytes;
}

static double real(uint64_t bits, unsigned bytes) {
  if (bytes == 8) return float64(bits);
  return bytes == 4 ? (double)float32((uint32_t)bits) : weir_half_value(&weir_f16, (uint32_t)bits);
}

static uint64_t integer(uint64_t bits, const struct conversion *c) {
  const unsigned shift = 64 - 8 * size_bytes(c->size);
  bits <<= shift;
  return c->type == 'd' || c->type == 'i' ? (uint64_t)((int64_t)bits >> shift) : bits >> shift;
}

static void print_element(struct printer *p, const struct conversion *c, uint64_t bits) {
  char spec[40], text[NUMBER_BYTES];
  char precision[16] = "";
  if (c->precision_given) snprintf(precision, sizeof precision, ".%d", c->precision);
  const char *longer = strchr("diouxX", c->type) ? "ll" : "";
  snprintf(spec, sizeof spec, "%%%s*%s%s%c", c->flags, precision, longer, c->type);
  int n;
  if (is_float(c->type))
    n = snprintf(text, sizeof text, spec, c->width, real(bits, stored_bytes(c)));
  else if (*longer)
    n = snprintf(text, sizeof text, spec, c->width, (long long)integer(bits, c));
  else if (c->type == 'c')
    n = snprintf(text, sizeof text, spec, c->width, (int)bits);
  else
    n = snprintf(text, sizeof text, spec, c->width, (void *)(uintptr_t)bits);
  if (n > 0) weir_text_append(p->to, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

static void pad(struct weir_text *to, size_t from, size_t width) {
  for (size_t n = to->count - from; n < width; n++) weir_text_append(to, " ", 1);
}

static bool print_string(struct printer *p, const struct conversion *c, uint64_t address) {
  const uint64_t limit = c->precision_given ? (uint64_t)c->precision : MAX_STRING;
  const size_t width = (size_t)c->width;
  struct weir_text text = {0};
  if (!address)
    weir_text_append(&text, "(null)", 6);
  else if (!weir_format_string(p->source, address, limit, 1, &text)) {
    weir_free(text.bytes);
    return false;
  }
  const bool left = strchr(c->flags, '-') != NULL;
  const size_t from = p->to->count;
  if (!left && width > text.count) pad(p->to, from, width - text.count);
  weir_text_append(p->to, text.bytes, text.count);
  if (left) pad(p->to, from, width);
  weir_free(text.bytes);
  return true;
}

// A vector of three lies in the room of four.
static bool print_conversion(struct printer *p, struct conversion *c) {
  const unsigned bytes = stored_bytes(c), room = c->vector == 3 ? 4 : c->vector;
  uint64_t bits;
  if (!take_fields(p, c)) return false;
  p->taken++;
  if (c->type == 's') return take(p, bytes, &bits) && print_string(p, c, bits);
  if (c->vector) p->offset = weir_align_up(p->offset, (uint64_t)bytes * room);
  const uint64_t end = p->offset + (uint64_t)bytes * room;
  for (unsigned k = 0; k < (c->vector ? c->vector : 1); k++) {
    if (!take(p, bytes, &bits)) return false;
    if (k) weir_text_append(p->to, ",", 1);
    print_element(p, c, bits);
  }
  if (c->vector) p->offset = end;
  return true;
}

static bool print_format(struct printer *p, const char *at) {
  while (*at) {
    const size_t plain = strcspn(at, "%");
    weir_text_append(p->to, at, plain);
    at += plain;
    if (!*at) break;
    struct conversion c;
    const char *end = read_conversion(at + 1, &c);
    if (end) {
      if (!print_conversion(p, &c)) return false;
      at = end;
    } else {
      weir_text_append(p->to, "%", 1);
      at += at[1] == '%' ? 2 : 1;
    }
  }
  return true;
}

bool weir_format(const struct weir_format_source *source, uint64_t format, uint64_t arguments, struct weir_text *to,
                 unsigned *taken) {
  struct printer p = {.source = source, .to = to, .base = arguments};
  struct weir_text text = {0};
  bool good = weir_format_string(source, format, MAX_STRING, 1, &text);
  weir_text_append(&text, "", 1);
  good = good && print_format(&p, text.bytes);
  weir_free(text.bytes);
  *taken = p.taken;
  return good;
}
