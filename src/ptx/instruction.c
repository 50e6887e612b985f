// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "ptx/mnemonic.h"
#include "ptx/parser.h"

enum { MAX_OPERANDS = 24 };

static bool parse_guard(struct weir_parser *p, struct weir_instruction *i) {
  weir_parse_take(p);
  i->guard_negated = weir_parse_accept(p, '!');
  struct weir_token name = p->token;
  if (!weir_parse_expect(p, WEIR_TOKEN_NAME, "a predicate register")) return false;
  i->guard = weir_scope_find(p, &name, &i->guard_index);
  if (!i->guard) return weir_scope_undeclared(p, &name);
  if (i->guard->kind == WEIR_SYM_REGISTER && i->guard->type == WEIR_T_PRED) return true;
  return weir_parse_error(p, &name, "'%s' is not a predicate register", i->guard->name);
}

// An operand of a call: a list in parentheses, or a name.
static bool parse_call_operand(struct weir_parser *p, struct weir_operand *o) {
  struct weir_token at = p->token;
  if (!weir_parse_accept(p, '(')) return weir_parse_operand(p, o);
  *o = (struct weir_operand){.kind = WEIR_OPERAND_LIST, .line = at.line, .column = at.column};
  return weir_parse_list(p, o, ')');
}

static bool parse_operands(struct weir_parser *p, struct weir_instruction *i, uint32_t pending) {
  struct weir_operand operands[MAX_OPERANDS];
  bool call = i->opcode == WEIR_OP_CALL;
  p->nesting = 0;
  p->deferral = i->opcode == WEIR_OP_BRA ? WEIR_DEFER_ALL
    : call || i->opcode == WEIR_OP_BRX   ? WEIR_DEFER_UNKNOWN
                                         : WEIR_DEFER_NONE;
  if (p->token.kind != ';') {
    do {
      if (i->operand_count == MAX_OPERANDS)
        return weir_parse_error(p, &p->token, "more than %d operands", MAX_OPERANDS);
      struct weir_operand *o = &operands[i->operand_count++];
      if (!(call ? parse_call_operand(p, o) : weir_parse_operand(p, o))) return false;
    } while (weir_parse_accept(p, ','));
  }
  i->operands = weir_parse_settle(p, operands, i->operand_count, pending);
  return weir_parse_expect(p, ';', "',' or ';'");
}

bool weir_parse_instruction(struct weir_parser *p) {
  struct weir_instruction *i = weir_arena_new(p->arena, struct weir_instruction);
  if (p->token.kind == '@' && !parse_guard(p, i)) return false;
  if (p->token.kind != WEIR_TOKEN_NAME) return weir_parse_unexpected(p, "an instruction");
  struct weir_token at;
  const struct weir_mnemonic *n = weir_parse_mnemonic(p, &at);
  if (!n) return false;
  i->line = at.line, i->column = at.column;
  i->opcode = n->opcode, i->form = n->form;
  i->modifiers = n->modifiers, i->modifier_count = n->modifier_count;
  weir_source_take(p, i);
  p->obstacle = n->reason;
  uint32_t pending = p->pending_count;
  if (!parse_operands(p, i, pending)) {
    p->pending_count = pending; // what waits for its name is gone
    return false;
  }
  if (!weir_check_operands(p, n, i)) return true; // reported; what follows is in order
  i->runnable = p->obstacle;
  if (p->deferral) *weir_push(p->controls, p->control_count, p->control_capacity) = i;
  weir_parse_statement(p, WEIR_STMT_INSTRUCTION, i->line)->instruction = i;
  return true;
}
