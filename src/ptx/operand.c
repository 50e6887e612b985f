// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "ptx/parser.h"

#include <string.h>

enum { MAX_PARTS = 256, MAX_NESTING = 4 };

static const struct {
  const char *name;
  enum weir_special special;
} specials[] = {
#define X(name, spelling) {spelling, WEIR_SR_##name},
  WEIR_PTX_SPECIALS(X)
#undef X
};

// %envreg<n> and %pm<n> carry their number; %pm0_64 is none of weir's.
static bool indexed_special(const struct weir_token *t, const char *name, uint8_t *index) {
  size_t length = strlen(name);
  if (t->length <= length || t->length > length + 2 || memcmp(t->start, name, length) != 0) return false;
  *index = 0;
  for (size_t i = length; i < t->length; i++) {
    if (t->start[i] < '0' || t->start[i] > '9') return false;
    *index = (uint8_t)(*index * 10 + (t->start[i] - '0'));
  }
  return true;
}

static bool find_special(const struct weir_token *t, struct weir_operand *o) {
  o->kind = WEIR_OPERAND_SPECIAL;
  for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
    if (weir_token_is(t, specials[i].name)) {
      o->special = specials[i].special;
      return true;
    }
  o->special = *t->start == '%' && t->length > 1 && t->start[1] == 'p' ? WEIR_SR_PM : WEIR_SR_ENVREG;
  const bool counter = o->special == WEIR_SR_PM; // %pm0 to %pm7, %envreg0 to %envreg31
  return indexed_special(t, counter ? "%pm" : "%envreg", &o->special_index) && o->special_index < (counter ? 8 : 32);
}

// Components of a vector register and, of the video instructions, parts of a register.
static bool parse_component(struct weir_parser *p, struct weir_operand *o) {
  static const char *const names[] = {".x", ".y", ".z", ".w", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"};
  static const char *const colours[] = {".r", ".g", ".b", ".a"};
  struct weir_token t = weir_parse_take(p);
  for (unsigned i = 0; i < 10; i++)
    if (weir_token_is(&t, names[i])) o->component = (uint8_t)(i + 1);
  for (unsigned i = 0; i < 4; i++)
    if (weir_token_is(&t, colours[i])) o->component = (uint8_t)(i + 1);
  if (!o->component) return weir_parse_error(p, &t, "unknown component '%.*s'", (int)t.length, t.start);
  if (o->component <= 4 && o->component > o->symbol->vector)
    return weir_parse_error(p, &t, "'%s' has no component %.*s", o->symbol->name, (int)t.length, t.start);
  o->text = weir_parse_text(p, &t) + 1;
  return true;
}

// A sign and a constant behind a name: "+4", "-4", "+-4".
static bool parse_offset(struct weir_parser *p, struct weir_operand *o) {
  if (p->token.kind != '+' && p->token.kind != '-') return true;
  const char *from = p->token.start;
  uint64_t value;
  if (!weir_parse_integer(p, &value)) return false;
  o->offset = (int64_t)value;
  o->text = weir_parse_written(p, from);
  return true;
}

// A special register with its component: %tid.x is two tokens.
static struct weir_token special_token(struct weir_parser *p, struct weir_token name) {
  if (p->token.kind == WEIR_TOKEN_DIRECTIVE && p->token.start == name.start + name.length && p->token.length == 2)
    name.length += 2;
  return name;
}

static bool parse_name(struct weir_parser *p, struct weir_operand *o) {
  bool branch = p->deferral == WEIR_DEFER_ALL;
  struct weir_token name = weir_parse_take(p);
  if (name.length == 1 && *name.start == '_') {
    o->kind = WEIR_OPERAND_SINK;
    return true;
  }
  o->symbol = branch ? NULL : weir_scope_find(p, &name, &o->index);
  if (o->symbol && o->symbol->kind == WEIR_SYM_REGISTER) {
    o->kind = WEIR_OPERAND_REGISTER;
    return p->token.kind != WEIR_TOKEN_DIRECTIVE || parse_component(p, o);
  }
  struct weir_token whole = special_token(p, name);
  if (!o->symbol && !branch && find_special(&whole, o)) {
    if (whole.length > name.length) weir_parse_take(p);
    if (o->special >= WEIR_SR_CURRENT_GRAPH_EXEC) p->obstacle = "a special register that weir does not model";
    return true;
  }
  o->kind = WEIR_OPERAND_SYMBOL;
  if (!o->symbol) {
    if (p->deferral == WEIR_DEFER_NONE) return weir_scope_undeclared(p, &name);
    weir_scope_defer(p, &o->symbol, &name);
  }
  return branch || parse_offset(p, o);
}

static bool parse_number(struct weir_parser *p, struct weir_operand *o) {
  const char *from = p->token.start;
  struct weir_constant c;
  if (!weir_parse_constant(p, &c)) return false;
  o->kind = c.is_float ? WEIR_OPERAND_FLOAT : WEIR_OPERAND_INTEGER;
  o->type = c.type;
  o->bits = c.bits;
  o->text = weir_parse_written(p, from);
  return true;
}

struct weir_operand *weir_parse_settle(struct weir_parser *p, const struct weir_operand *operands, uint32_t count,
                                       uint32_t pending) {
  struct weir_operand *settled = weir_arena_array(p->arena, struct weir_operand, count);
  if (count) memcpy(settled, operands, count * sizeof *operands);
  for (uint32_t i = pending; i < p->pending_count; i++)
    for (uint32_t k = 0; k < count; k++)
      if (p->pending[i].slot == &operands[k].symbol) p->pending[i].slot = &settled[k].symbol;
  return settled;
}

bool weir_parse_list(struct weir_parser *p, struct weir_operand *o, int close) {
  struct weir_operand parts[MAX_PARTS];
  uint32_t count = 0, pending = p->pending_count;
  if (++p->nesting > MAX_NESTING) return weir_parse_error(p, &p->token, "operands nested too deeply");
  if (p->token.kind != close) {
    do {
      if (count == MAX_PARTS) return weir_parse_error(p, &p->token, "more than %d operands", MAX_PARTS);
      if (!weir_parse_operand(p, &parts[count++])) return false;
    } while (weir_parse_accept(p, ','));
  }
  p->nesting--;
  o->parts = weir_parse_settle(p, parts, count, pending);
  o->part_count = count;
  return weir_parse_expect(p, close, close == ')' ? "')'" : close == ']' ? "']'" : "'}'");
}

// [register + 4], [symbol], [4096]; a texture's or a tensor's address has more parts behind a comma.
static bool parse_address(struct weir_parser *p, struct weir_operand *o) {
  if (p->token.kind != WEIR_TOKEN_NAME) {
    if (!parse_number(p, o)) return false;
    o->offset = (int64_t)o->bits;
    o->bits = 0;
    if (o->kind == WEIR_OPERAND_FLOAT) return weir_parse_error(p, &p->token, "a float is no address");
  } else if (!parse_name(p, o))
    return false;
  if (o->kind == WEIR_OPERAND_REGISTER && !parse_offset(p, o)) return false;
  o->base_is_register = o->kind == WEIR_OPERAND_REGISTER;
  bool address = o->kind != WEIR_OPERAND_SINK && o->kind != WEIR_OPERAND_SPECIAL && !o->component;
  o->kind = WEIR_OPERAND_ADDRESS;
  if (!address) return weir_parse_error(p, &p->token, "no address");
  if (weir_parse_accept(p, ',')) return weir_parse_list(p, o, ']');
  return weir_parse_expect(p, ']', "']'");
}

static bool parse_pair(struct weir_parser *p, struct weir_operand *o) {
  struct weir_operand parts[2] = {*o, {0}};
  uint32_t pending = p->pending_count;
  weir_parse_take(p);
  struct weir_token at = p->token;
  parts[1].line = at.line, parts[1].column = at.column;
  if (at.kind != WEIR_TOKEN_NAME) return weir_parse_unexpected(p, "a register");
  if (!parse_name(p, &parts[1])) return false;
  *o = (struct weir_operand){.kind = WEIR_OPERAND_PAIR, .line = o->line, .column = o->column};
  o->parts = weir_parse_settle(p, parts, 2, pending);
  o->part_count = 2;
  return true;
}

// A register behind ! or -.
static bool parse_negated(struct weir_parser *p, struct weir_operand *o) {
  weir_parse_take(p);
  o->negated = true;
  if (!parse_name(p, o)) return false;
  return o->kind == WEIR_OPERAND_REGISTER || weir_parse_error(p, &p->token, "only a register is negated");
}

static bool is_negated_name(const struct weir_parser *p) {
  struct weir_lexer after = p->lexer;
  return (p->token.kind == '!' || p->token.kind == '-') && weir_lex(&after).kind == WEIR_TOKEN_NAME;
}

bool weir_parse_operand(struct weir_parser *p, struct weir_operand *o) {
  *o = (struct weir_operand){.line = p->token.line, .column = p->token.column};
  switch (p->token.kind) {
  case WEIR_TOKEN_NAME:
    if (!parse_name(p, o)) return false;
    return p->token.kind != '|' || parse_pair(p, o);
  case '[': weir_parse_take(p); return parse_address(p, o);
  case '{':
    weir_parse_take(p);
    o->kind = WEIR_OPERAND_VECTOR;
    return weir_parse_list(p, o, '}') && (p->token.kind != '|' || parse_pair(p, o));
  default:
    if (is_negated_name(p)) return parse_negated(p, o);
    return parse_number(p, o);
  }
}
