// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "base/bits.h"
#include "ptx/parser.h"

#include <string.h>

enum { MAX_ALIGN = 1 << 20 };
static const uint64_t MAX_BYTES = UINT64_C(1) << 40; // of one variable

static const struct {
  const char *name;
  enum weir_space space;
} spaces[] = {
  {".reg", WEIR_SPACE_REG},     {".sreg", WEIR_SPACE_SREG},   {".global", WEIR_SPACE_GLOBAL},
  {".param", WEIR_SPACE_PARAM}, {".local", WEIR_SPACE_LOCAL}, {".shared", WEIR_SPACE_SHARED},
  {".const", WEIR_SPACE_CONST}, {".tex", WEIR_SPACE_TEX},     {".shared::cta", WEIR_SPACE_SHARED},
};

static enum weir_space space_named(const struct weir_token *t) {
  for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
    if (weir_token_is(t, spaces[i].name)) return spaces[i].space;
  return WEIR_SPACE_NONE;
}

bool weir_parse_is_declaration(const struct weir_token *directive) {
  return space_named(directive) != WEIR_SPACE_NONE;
}

static bool parse_align(struct weir_parser *p, uint32_t *align) {
  struct weir_token at = p->token;
  uint64_t value;
  if (!weir_parse_integer(p, &value)) return false;
  if (!weir_is_pow2(value) || value > MAX_ALIGN)
    return weir_parse_error(p, &at, "an alignment is a power of two, at most %d", MAX_ALIGN);
  *align = (uint32_t)value;
  return true;
}

static bool is_space_of_pointer(enum weir_space s) {
  return s == WEIR_SPACE_GLOBAL || s == WEIR_SPACE_SHARED || s == WEIR_SPACE_LOCAL || s == WEIR_SPACE_CONST;
}

static bool is_opaque(const struct weir_token *t) {
  return weir_token_is(t, ".texref") || weir_token_is(t, ".samplerref") || weir_token_is(t, ".surfref");
}

// .ptr[.space][.align N] of a kernel parameter; .ptr .texref is a handle
static bool parse_pointer(struct weir_parser *p, struct weir_symbol *s) {
  if (is_opaque(&p->token)) {
    weir_parse_take(p);
    return true;
  }
  s->ptr_written = true;
  if (p->token.kind == WEIR_TOKEN_DIRECTIVE && is_space_of_pointer(space_named(&p->token))) {
    struct weir_token space = weir_parse_take(p);
    s->ptr_space = space_named(&space);
  }
  if (!weir_token_is(&p->token, ".align")) return true;
  weir_parse_take(p);
  return parse_align(p, &s->ptr_align);
}

// .attribute(.managed), .attribute(.unified(1, 2))
static bool parse_attribute(struct weir_parser *p, struct weir_symbol *s) {
  unsigned open = 0;
  do {
    s->managed |= weir_token_is(&p->token, ".managed");
    if (p->token.kind == '(')
      open++;
    else if (p->token.kind == ')')
      open--;
    else if (p->token.kind == WEIR_TOKEN_END || p->token.kind == ';')
      return weir_parse_unexpected(p, "')'");
    weir_parse_take(p);
  } while (open);
  return true;
}

static bool parse_qualifier(struct weir_parser *p, struct weir_symbol *s) {
  struct weir_token t = weir_parse_take(p);
  if (weir_token_is(&t, ".align")) {
    s->align_written = true;
    return parse_align(p, &s->align);
  }
  if (weir_token_is(&t, ".ptr")) return parse_pointer(p, s);
  if (weir_token_is(&t, ".attribute"))
    return p->token.kind == '(' ? parse_attribute(p, s) : weir_parse_unexpected(p, "'('");
  if (t.length == 3 && t.start[1] == 'v' && strchr("248", t.start[2])) {
    s->vector = (uint8_t)(t.start[2] - '0');
    return true;
  }
  enum weir_type type = weir_type_named(t.start + 1, t.length - 1);
  if (type == WEIR_T_NONE || weir_type_is_element(type))
    return weir_parse_error(p, &t, "unknown type or qualifier '%.*s'", (int)t.length, t.start);
  if (s->type != WEIR_T_NONE) return weir_parse_error(p, &t, "a second type");
  s->type = type;
  return true;
}

// Everything before the name: .space, .align, .v4, .type, .ptr …
static bool parse_prefix(struct weir_parser *p, struct weir_symbol *s) {
  struct weir_token space = weir_parse_take(p);
  s->space = space_named(&space);
  s->vector = 1;
  while (p->token.kind == WEIR_TOKEN_DIRECTIVE)
    if (!parse_qualifier(p, s)) return false;
  if (s->type == WEIR_T_NONE) return weir_parse_unexpected(p, "a type");
  return true;
}

static bool parse_dimensions(struct weir_parser *p, struct weir_symbol *s) {
  while (p->token.kind == '[') {
    struct weir_token at = weir_parse_take(p);
    if (s->dimensions == 4) return weir_parse_error(p, &at, "more than four dimensions");
    uint64_t extent = 0;
    if (p->token.kind == ']') {
      if (s->dimensions) return weir_parse_error(p, &at, "only the first dimension may be left open");
    } else if (!weir_parse_integer(p, &extent))
      return false;
    else if (extent > MAX_BYTES)
      return weir_parse_error(p, &at, "the array is too large");
    s->extent[s->dimensions++] = extent;
    if (!weir_parse_expect(p, ']', "']'")) return false;
  }
  return true;
}

static bool set_size(struct weir_parser *p, struct weir_symbol *s, const struct weir_token *at) {
  uint64_t element = (uint64_t)weir_type_bytes(s->type) * s->vector;
  if (!s->align_written) s->align = (uint32_t)element;
  s->bytes = element;
  for (unsigned i = 0; i < s->dimensions; i++)
    if (__builtin_mul_overflow(s->bytes, s->extent[i], &s->bytes) || s->bytes > MAX_BYTES)
      return weir_parse_error(p, at, "'%s' is too large", s->name);
  return true;
}

static bool parse_count(struct weir_parser *p, struct weir_symbol *s) {
  struct weir_token at = p->token;
  uint64_t count;
  p->in_angles = true;
  bool ok = weir_parse_integer(p, &count);
  p->in_angles = false;
  if (!ok) return false;
  if (s->space != WEIR_SPACE_REG) return weir_parse_error(p, &at, "only registers are declared with <count>");
  if (!count || count > WEIR_PTX_MAX_REGISTERS)
    return weir_parse_error(p, &at, "a count of registers is 1 to %d", WEIR_PTX_MAX_REGISTERS);
  s->parameterised = true;
  s->count = (uint32_t)count;
  return weir_parse_expect(p, '>', "'>'");
}

// Registers are numbered through the function in the order declared.
static bool number_registers(struct weir_parser *p, struct weir_symbol *s, const struct weir_token *at) {
  if (!p->f) return weir_parse_error(p, at, "a register outside a function");
  if (s->dimensions) return weir_parse_error(p, at, "an array of registers");
  s->kind = WEIR_SYM_REGISTER;
  s->first = p->f->register_count;
  p->f->register_count += s->count;
  if (p->f->register_count > WEIR_PTX_MAX_REGISTERS)
    return weir_parse_error(p, at, "more than %d registers in a function", WEIR_PTX_MAX_REGISTERS);
  return true;
}

// name, <count> or dimensions; `from` is where the text of the declaration begins.
static bool parse_declarator(struct weir_parser *p, struct weir_symbol *s, const char *from) {
  struct weir_token name = p->token;
  if (!weir_parse_expect(p, WEIR_TOKEN_NAME, "a name")) return false;
  s->name = weir_parse_text(p, &name);
  s->line = name.line, s->column = name.column;
  s->count = 1;
  s->kind = WEIR_SYM_VARIABLE;
  bool ok = weir_parse_accept(p, '<') ? parse_count(p, s) : parse_dimensions(p, s);
  if (!ok || !set_size(p, s, &name)) return false;
  if (s->space == WEIR_SPACE_REG && !number_registers(p, s, &name)) return false;
  s->written = weir_parse_written(p, from);
  return true;
}

struct weir_symbol *weir_parse_parameter(struct weir_parser *p) {
  struct weir_symbol *s = weir_arena_new(p->arena, struct weir_symbol);
  struct weir_token at = p->token;
  if (at.kind != WEIR_TOKEN_DIRECTIVE || !weir_parse_is_declaration(&at)) {
    weir_parse_unexpected(p, "a parameter (.param or .reg)");
    return NULL;
  }
  if (!parse_prefix(p, s) || !parse_declarator(p, s, at.start)) return NULL;
  const bool plain = s->type != WEIR_T_PRED && s->bytes <= 8 && s->vector == 1 && !s->parameterised;
  if (s->space == WEIR_SPACE_PARAM)
    s->kind = WEIR_SYM_PARAM;
  else if (s->space != WEIR_SPACE_REG)
    return weir_parse_error(p, &at, "a parameter is .param or .reg"), NULL;
  else if (p->f->entry)
    return weir_parse_error(p, &at, "a kernel's parameter is .param"), NULL;
  else if (!plain)
    return weir_parse_error(p, &at, "a parameter that is a register is one of at most 64 bits"), NULL;
  return s;
}

static void keep(struct weir_parser *p, struct weir_symbol *s, bool joined) {
  if (p->f) {
    struct weir_statement *statement = weir_parse_statement(p, WEIR_STMT_DECLARATION, s->line);
    statement->symbol = s;
    statement->joined = joined;
    return;
  }
  struct weir_item *item = weir_push(p->items, p->item_count, p->item_capacity);
  *item = (struct weir_item){.kind = WEIR_ITEM_VARIABLE, .variable = s, .line = s->line, .joined = joined};
}

static bool parse_one(struct weir_parser *p, const struct weir_symbol *prefix, const char *from, bool joined) {
  struct weir_symbol *s = weir_arena_new(p->arena, struct weir_symbol);
  *s = *prefix;
  struct weir_token name = p->token;
  if (!parse_declarator(p, s, from)) return false;
  if (!weir_scope_declare(p, s, &name)) return true; // reported; what follows is in order
  if (p->token.kind == '=' && !weir_parse_initialiser(p, s)) return false;
  keep(p, s, joined);
  return true;
}

bool weir_parse_declaration(struct weir_parser *p, enum weir_linkage linkage, const char *from) {
  struct weir_symbol prefix = {.linkage = linkage};
  if (!parse_prefix(p, &prefix)) return false;
  bool joined = false;
  do {
    if (joined) from = p->token.start;
    if (!parse_one(p, &prefix, from, joined)) return false;
    joined = true;
  } while (weir_parse_accept(p, ','));
  return weir_parse_expect(p, ';', "';'");
}
