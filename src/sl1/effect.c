// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What each instruction does to global memory, as far as lines are concerned.
#include "sl1/kernel.h"

static bool is_global(const struct weir_form *f) {
  return f->space == WEIR_SPACE_GLOBAL || f->space == WEIR_SPACE_GENERIC;
}

const struct weir_operand *weir_sl1_address(const struct weir_instruction *in) {
  const enum weir_effect effect = weir_opcode_effect(in->opcode);
  if (effect != WEIR_EFFECT_LOAD && effect != WEIR_EFFECT_UNIFORM && effect != WEIR_EFFECT_STORE &&
      effect != WEIR_EFFECT_ATOMIC)
    return NULL;
  for (uint32_t k = 0; k < in->operand_count; k++)
    if (in->operands[k].kind == WEIR_OPERAND_ADDRESS) return &in->operands[k];
  return NULL;
}

// A variable in another space may be named in a generic address that is not one.
static bool names_other_space(const struct weir_instruction *in) {
  const struct weir_operand *o = weir_sl1_address(in);
  return o && o->symbol && !o->base_is_register && o->symbol->space != WEIR_SPACE_GLOBAL;
}

static enum weir_sl1_effect of_access(const struct weir_instruction *in) {
  const struct weir_form *f = &in->form;
  if (!is_global(f) || names_other_space(in)) return WEIR_SL1_NONE;
  const enum weir_effect effect = weir_opcode_effect(in->opcode);
  if (effect == WEIR_EFFECT_ATOMIC)
    return f->order == WEIR_ORDER_WEAK || f->order == WEIR_ORDER_RELAXED ? WEIR_SL1_ATOM : WEIR_SL1_ORDERED;
  if (f->order != WEIR_ORDER_WEAK || f->cache == WEIR_CACHE_CV || f->cache == WEIR_CACHE_WT) return WEIR_SL1_ORDERED;
  return effect == WEIR_EFFECT_STORE ? WEIR_SL1_STORE : WEIR_SL1_LOAD;
}

// Whether calling the function may touch global memory, or needs the warps of a block, or the lanes of one, together.
static bool call_touches(const struct weir_instruction *call);

enum weir_sl1_effect weir_sl1_effect_of(const struct weir_instruction *in) {
  switch (weir_opcode_effect(in->opcode)) {
  case WEIR_EFFECT_LOAD:
  case WEIR_EFFECT_STORE:
  case WEIR_EFFECT_ATOMIC: return of_access(in);
  case WEIR_EFFECT_CALLEE: return call_touches(in) ? WEIR_SL1_TOUCH : WEIR_SL1_NONE;
  case WEIR_EFFECT_BARRIER: return WEIR_SL1_MEET;
  case WEIR_EFFECT_UNIFORM:
  case WEIR_EFFECT_COPY:
  case WEIR_EFFECT_DISCARD:
  case WEIR_EFFECT_TEXTURE:
  case WEIR_EFFECT_SURFACE_LOAD:
  case WEIR_EFFECT_SURFACE_STORE:
  case WEIR_EFFECT_FENCE:
  case WEIR_EFFECT_WAIT:
  case WEIR_EFFECT_ANY: return WEIR_SL1_TOUCH;
  case WEIR_EFFECT_NONE:
  case WEIR_EFFECT_HINT:
  case WEIR_EFFECT_QUERY:
  case WEIR_EFFECT_SHARED: break;
  }
  return WEIR_SL1_NONE;
}

bool weir_sl1_is_convergent(const struct weir_instruction *in) {
  const enum weir_convergence who = weir_opcode_convergence(in->opcode);
  return who == WEIR_CONVERGENCE_CALLEE ? call_touches(in) : who != WEIR_CONVERGENCE_LANE;
}

// ---- functions ------------------------------------------------------------------------------------------------------

static const struct weir_function *callee_of(const struct weir_instruction *call) {
  const uint32_t at = call->operand_count && call->operands[0].kind == WEIR_OPERAND_LIST;
  if (at >= call->operand_count || call->operands[at].kind != WEIR_OPERAND_SYMBOL) return NULL;
  const struct weir_symbol *s = call->operands[at].symbol;
  return s && s->kind == WEIR_SYM_FUNCTION ? s->function : NULL;
}

// Whether a function may touch global memory, or needs warps together. One that does not is short and calls one other at most,
// which calls none: more is not looked into, so that the search is no longer than the text.
static bool function_touches(const struct weir_function *f, bool inner) {
  enum { LONGEST = 4096 };
  if (!f || !f->has_body || f->statement_count > LONGEST) return true;
  uint32_t calls = 0;
  for (uint32_t s = 0; s < f->statement_count; s++) {
    if (f->statements[s].kind != WEIR_STMT_INSTRUCTION) continue;
    const struct weir_instruction *in = f->statements[s].instruction;
    if (in->opcode != WEIR_OP_CALL && (weir_sl1_effect_of(in) != WEIR_SL1_NONE || weir_sl1_is_convergent(in)))
      return true;
    if (in->opcode == WEIR_OP_CALL && (inner || calls++ || function_touches(callee_of(in), true))) return true;
  }
  return false;
}

static bool call_touches(const struct weir_instruction *call) {
  return function_touches(callee_of(call), false);
}

// ---- accesses -------------------------------------------------------------------------------------------------------

static uint64_t address_set(const struct weir_sl1_analysis *a, const struct weir_operand *o) {
  return o && o->base_is_register ? a->origin[weir_operand_register(o)] : 0;
}

static unsigned bytes_of(const struct weir_form *f) {
  return weir_type_bytes(f->type) * (f->vector ? f->vector : 1);
}

void weir_sl1_find_effects(struct weir_sl1_analysis *a) {
  a->access = weir_arena_array(&a->arena, struct weir_sl1_access, a->cfg.instruction_count + 1);
  for (uint32_t i = 0; i < a->cfg.instruction_count; i++) {
    const struct weir_instruction *in = a->cfg.instructions[i];
    a->access[i] = (struct weir_sl1_access){.effect = (uint8_t)weir_sl1_effect_of(in),
                                            .bytes = (uint8_t)bytes_of(&in->form),
                                            .candidate = -1,
                                            .set = address_set(a, weir_sl1_address(in))};
  }
}
