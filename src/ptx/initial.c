// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Initialisers of variables, flattened row-major. A nested list begins at the next multiple of its own extent, as in C.
#include "base/alloc.h"
#include "ptx/parser.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_ELEMENTS = 1 << 24 };

struct elements {
  struct weir_initial *items;
  uint32_t count, capacity;
  uint64_t next;  // where the next element goes; between count and next all are zero
  uint64_t limit; // of the declared array; UINT64_MAX if open
};

static bool put(struct weir_parser *p, struct elements *e, struct weir_initial i, const struct weir_token *at) {
  if (e->next >= e->limit) return weir_parse_error(p, at, "more elements than the array has");
  if (e->next >= MAX_ELEMENTS) return weir_parse_error(p, at, "more than %d elements", MAX_ELEMENTS);
  while (e->count < e->next) *weir_push(e->items, e->count, e->capacity) = (struct weir_initial){0};
  *weir_push(e->items, e->count, e->capacity) = i;
  e->next++;
  return true;
}

// A single-precision pattern stays as it is for an f32 element; else every float is kept as f64.
static void set_float(struct weir_initial *i, const struct weir_constant *c, enum weir_type type) {
  i->bits = c->bits;
  if (c->type == WEIR_T_F32 && type == WEIR_T_F32) return;
  i->is_float = true;
  if (c->type != WEIR_T_F32) return;
  float single;
  uint32_t pattern = (uint32_t)c->bits;
  memcpy(&single, &pattern, sizeof single);
  double wide = single;
  memcpy(&i->bits, &wide, sizeof wide);
}

static bool set_number(struct weir_parser *p, struct weir_initial *i, enum weir_type type) {
  struct weir_token at = p->token;
  struct weir_constant c;
  if (!weir_parse_constant(p, &c)) return false;
  bool float_element = weir_type_class(type) == 'f';
  if (c.is_float && !float_element)
    return weir_parse_error(p, &at, "a float for an element of type .%s", weir_type_name(type));
  if (c.is_float) {
    set_float(i, &c, type);
    return true;
  }
  i->bits = c.bits;
  i->is_float = float_element; // an integer for a float element is its value
  double value = (double)(int64_t)c.bits;
  if (float_element) memcpy(&i->bits, &value, sizeof value);
  return true;
}

static bool set_symbol(struct weir_parser *p, struct weir_initial *i) {
  struct weir_token name = p->token;
  if (!weir_parse_expect(p, WEIR_TOKEN_NAME, "a name")) return false;
  uint32_t index;
  i->symbol = weir_scope_find(p, &name, &index);
  if (!i->symbol) return weir_scope_undeclared(p, &name);
  if (p->token.kind != '+' && p->token.kind != '-') return true;
  return weir_parse_integer(p, &i->bits);
}

static bool set_generic(struct weir_parser *p, struct weir_initial *i) {
  i->generic = true;
  weir_parse_take(p);
  if (!weir_parse_expect(p, '(', "'('") || !set_symbol(p, i) || !weir_parse_expect(p, ')', "')'")) return false;
  uint64_t more = 0;
  if ((p->token.kind == '+' || p->token.kind == '-') && !weir_parse_integer(p, &more)) return false;
  i->bits += more;
  return true;
}

static bool set_address(struct weir_parser *p, struct weir_initial *i) {
  return weir_token_is(&p->token, "generic") ? set_generic(p, i) : set_symbol(p, i);
}

static bool is_mask(const struct weir_parser *p) { // 0xff00(symbol)
  return p->token.kind == WEIR_TOKEN_NUMBER && *p->lexer.at == '(';
}

static bool set_masked(struct weir_parser *p, struct weir_initial *i) {
  struct weir_token mask = weir_parse_take(p);
  char *end;
  i->mask = strtoull(mask.start, &end, 0);
  if (end != mask.start + mask.length || !i->mask) return weir_parse_error(p, &mask, "expected a mask such as 0xff00");
  return weir_parse_expect(p, '(', "'('") && set_address(p, i) && weir_parse_expect(p, ')', "')'");
}

static bool parse_element(struct weir_parser *p, struct elements *e, enum weir_type type) {
  struct weir_token at = p->token;
  struct weir_initial i = {0};
  bool ok = is_mask(p) ? set_masked(p, &i) : at.kind == WEIR_TOKEN_NAME ? set_address(p, &i) : set_number(p, &i, type);
  return ok && put(p, e, i, &at);
}

// Elements under one entry of a list at `level`.
static uint64_t stride(const struct weir_symbol *s, unsigned level) {
  uint64_t n = s->vector;
  if (level >= s->dimensions) return s->vector > 1 && level == s->dimensions ? n : 1;
  for (unsigned i = level + 1; i < s->dimensions; i++) n *= s->extent[i];
  return n;
}

static bool parse_list(struct weir_parser *p, const struct weir_symbol *s, struct elements *e, unsigned level);

static bool parse_entry(struct weir_parser *p, const struct weir_symbol *s, struct elements *e, unsigned level) {
  if (p->token.kind != '{') return parse_element(p, e, s->type);
  uint64_t extent = stride(s, level), begin = extent ? (e->next + extent - 1) / extent * extent : e->next;
  e->next = begin;
  if (!parse_list(p, s, e, level + 1)) return false;
  if (e->next > begin + extent) return weir_parse_error(p, &p->token, "more elements than this part of the array has");
  e->next = begin + extent;
  return true;
}

static bool parse_list(struct weir_parser *p, const struct weir_symbol *s, struct elements *e, unsigned level) {
  struct weir_token at = weir_parse_take(p);
  if (level && level >= s->dimensions + (s->vector > 1 ? 1u : 0u))
    return weir_parse_error(p, &at, "a list nested deeper than the array");
  if (p->token.kind == '}') return weir_parse_expect(p, '}', "'}'");
  do {
    if (!parse_entry(p, s, e, level)) return false;
  } while (weir_parse_accept(p, ','));
  return weir_parse_expect(p, '}', "'}' or ','");
}

// The first extent of an array declared open, from its initialiser.
static void close_array(struct weir_symbol *s, uint64_t elements) {
  uint64_t row = stride(s, 0);
  uint64_t rows = row ? (elements + row - 1) / row : 0;
  s->bytes = rows * row * weir_type_bytes(s->type);
}

static bool choose_word(struct weir_parser *p, const char *const *words, unsigned count, uint8_t *choice) {
  const struct weir_token at = p->token;
  for (unsigned k = 0; k < count; k++)
    if (weir_token_is(&at, words[k])) {
      *choice = (uint8_t)k;
      weir_parse_take(p);
      return true;
    }
  return weir_parse_error(p, &at, "'%.*s' is no value of this field", (int)(at.length > 60 ? 60 : at.length), at.start);
}

// One field of a texture's or sampler's reference. What describes the image itself is the host's to say.
static bool set_field(struct weir_parser *p, struct weir_opaque_initial *o) {
  static const char *const filters[] = {"nearest", "linear"};
  static const char *const modes[] = {"wrap", "mirror", "clamp_ogl", "clamp_to_edge", "clamp_to_border"};
  static const char *const ignored[] = {"width", "height", "depth", "channel_data_type", "channel_order"};
  const struct weir_token name = p->token;
  uint64_t value;
  if (!weir_parse_expect(p, WEIR_TOKEN_NAME, "a field's name") || !weir_parse_expect(p, '=', "'='")) return false;
  if (weir_token_is(&name, "filter_mode")) return choose_word(p, filters, 2, &o->filter);
  if (weir_token_is(&name, "addr_mode_0")) return choose_word(p, modes, 5, &o->address[0]);
  if (weir_token_is(&name, "addr_mode_1")) return choose_word(p, modes, 5, &o->address[1]);
  if (weir_token_is(&name, "addr_mode_2")) return choose_word(p, modes, 5, &o->address[2]);
  const bool unnormalized = weir_token_is(&name, "force_unnormalized_coords");
  const bool normalized = weir_token_is(&name, "normalized_coords");
  bool known = unnormalized || normalized;
  for (unsigned k = 0; k < sizeof ignored / sizeof *ignored; k++) known |= weir_token_is(&name, ignored[k]);
  if (!known)
    return weir_parse_error(p, &name, "unknown field '%.*s'", (int)(name.length > 60 ? 60 : name.length), name.start);
  if (!weir_parse_integer(p, &value)) return false;
  if (unnormalized || normalized) o->unnormalized = unnormalized == (value != 0);
  return true;
}

// { filter_mode = nearest, … } of a texture or a sampler.
static bool parse_opaque(struct weir_parser *p, struct weir_symbol *s) {
  const char *from = p->token.start;
  struct weir_opaque_initial *o = weir_arena_new(p->arena, struct weir_opaque_initial);
  if (!weir_parse_expect(p, '{', "'{'")) return false;
  if (p->token.kind != '}') {
    do {
      if (!set_field(p, o)) return false;
    } while (weir_parse_accept(p, ','));
  }
  if (!weir_parse_expect(p, '}', "'}' or ','")) return false;
  s->opaque = o;
  s->initial_text = weir_parse_written(p, from);
  return true;
}

bool weir_parse_initialiser(struct weir_parser *p, struct weir_symbol *s) {
  struct weir_token at = weir_parse_take(p);
  if (weir_type_class(s->type) == 'o') return parse_opaque(p, s);
  if (s->space == WEIR_SPACE_REG || s->space == WEIR_SPACE_PARAM)
    return weir_parse_error(p, &at, "'%s' cannot be initialised", s->name);
  const char *from = p->token.start;
  bool open = s->dimensions && !s->extent[0];
  struct elements e = {.limit = open ? UINT64_MAX : s->bytes / weir_type_bytes(s->type)};
  bool ok = p->token.kind == '{' ? parse_list(p, s, &e, 0) : parse_element(p, &e, s->type);
  if (ok) {
    s->initial_text = weir_parse_written(p, from);
    s->initial = weir_arena_array(p->arena, struct weir_initial, e.count);
    if (e.count) memcpy(s->initial, e.items, e.count * sizeof *e.items);
    s->initial_count = e.count;
    if (open) close_array(s, e.next);
  }
  weir_free(e.items);
  return ok;
}
