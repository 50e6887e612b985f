// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Branches and calls, when all names are bound: that they lead to labels and functions, and with what operands.
#include "ptx/builtin.h"
#include "ptx/parser.h"

#include <string.h>

static bool fail(struct weir_parser *p, const struct weir_operand *o, const char *expected) {
  struct weir_token at = {.line = o->line, .column = o->column};
  return weir_parse_error(p, &at, "expected %s", expected);
}

// A name that nothing declares has been reported, and may be of any kind.
static bool is_symbol(const struct weir_operand *o, enum weir_symbol_kind kind) {
  return o->kind == WEIR_OPERAND_SYMBOL && (!o->symbol || o->symbol->kind == kind);
}

// Labels may follow their branch, lists and prototypes may not: ptxas does not look ahead for these.
static bool check_before(struct weir_parser *p, const struct weir_operand *o) {
  const struct weir_symbol *s = o->symbol;
  struct weir_token at = {.line = o->line, .column = o->column};
  if (!s || s->line < o->line || (s->line == o->line && s->column < o->column)) return true;
  return weir_parse_error(p, &at, "'%s' is declared behind its use, in line %u: it must come before", s->name, s->line);
}

static bool check_targets(struct weir_parser *p, const struct weir_operand *o) {
  if (!is_symbol(o, WEIR_SYM_TARGETS)) return fail(p, o, "the name of a .branchtargets list");
  if (!check_before(p, o)) return false;
  for (uint32_t i = 0; o->symbol && i < o->symbol->target_count; i++)
    if (o->symbol->targets[i] && o->symbol->targets[i]->kind != WEIR_SYM_LABEL)
      return fail(p, o, "a list of labels of this function");
  return true;
}

// The parts of a call: its lists may be missing.
struct call {
  const struct weir_operand *returns, *callee, *arguments, *prototype;
};

static bool take_parts(const struct weir_instruction *i, struct call *c) {
  const struct weir_operand *o = i->operands, *end = o + i->operand_count;
  if (o < end && o->kind == WEIR_OPERAND_LIST) c->returns = o++;
  if (o < end) c->callee = o++;
  if (o < end && o->kind == WEIR_OPERAND_LIST) c->arguments = o++;
  if (o < end) c->prototype = o++;
  return o == end && c->callee;
}

static bool check_count(struct weir_parser *p, const struct weir_operand *at, const struct weir_operand *list,
                        uint32_t expected, const char *what) {
  uint32_t got = list ? list->part_count : 0;
  struct weir_token place = {.line = at->line, .column = at->column};
  return got == expected ||
    weir_parse_error(p, &place, "'%s' has %u %s, the call %u", at->symbol->name, expected, what, got);
}

static const char *missing_body(struct weir_parser *p, const struct weir_function *f) {
  char text[200];
  int length = snprintf(text, sizeof text, "'%.150s' is declared but has no body here", f->symbol->name);
  return weir_arena_text(p->arena, text, (size_t)length);
}

static bool check_direct(struct weir_parser *p, struct weir_instruction *i, const struct call *c) {
  const struct weir_function *f = c->callee->symbol->function->symbol->function; // behind an alias
  if (!f->has_body && !weir_builtin_of(f)) i->runnable = missing_body(p, f);
  return check_count(p, c->callee, c->returns, f->return_count, "return values") &&
    check_count(p, c->callee, c->arguments, f->param_count, "parameters");
}

static bool check_indirect(struct weir_parser *p, const struct call *c) {
  char class = weir_type_class(c->callee->symbol->type);
  if (class == 'f' || class == 'p' || weir_type_bytes(c->callee->symbol->type) != 8)
    return fail(p, c->callee, "a function's address in a 64-bit register");
  const struct weir_operand *o = c->prototype;
  bool known = o && (is_symbol(o, WEIR_SYM_PROTOTYPE) || is_symbol(o, WEIR_SYM_TARGETS));
  if (!known) return fail(p, o ? o : c->callee, "the name of a .callprototype or .calltargets behind");
  return check_before(p, o);
}

static bool check_call(struct weir_parser *p, struct weir_instruction *i) {
  struct call c = {0};
  struct weir_token at = {.line = i->line, .column = i->column};
  if (!take_parts(i, &c)) return weir_parse_error(p, &at, "expected call (returns), function, (arguments)");
  if (c.callee->kind == WEIR_OPERAND_REGISTER) return check_indirect(p, &c);
  if (!is_symbol(c.callee, WEIR_SYM_FUNCTION)) return fail(p, c.callee, "a function or a register");
  return !c.callee->symbol || check_direct(p, i, &c);
}

void weir_check_controls(struct weir_parser *p) {
  for (uint32_t k = 0; k < p->control_count; k++) {
    struct weir_instruction *i = p->controls[k];
    if (i->opcode == WEIR_OP_CALL)
      check_call(p, i);
    else if (i->opcode == WEIR_OP_BRX)
      check_targets(p, &i->operands[1]);
    else if (!is_symbol(&i->operands[0], WEIR_SYM_LABEL))
      fail(p, &i->operands[0], "a label of this function");
  }
}
