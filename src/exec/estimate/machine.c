// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// How many machine instructions an operation becomes from Volta on. ptxas was asked, with kernels that hold one operation some
// times more than others (docs/VALIDATION.md, "Machine instructions"); where it differs between architectures, sm_80 is taken. Sequences with a rare way out
// (divisions and roots that round) count as they are run through, without it.
#include "base/alloc.h"
#include "exec/estimate/private.h"

// By bytes of the type: up to 4, and 8.
struct counts {
  uint8_t narrow, wide;
};

// Of 64 bits: a subroutine, of which ptxas's own code says no more than that it is called.
enum { DIVISION = 70 };

// Divisors of a block so far: what ptxas makes of one is there for the next division by it.
enum { MOST_DIVISORS = 16 };
struct divisors {
  uint32_t count;
  const struct weir_operand *known[MOST_DIVISORS];
};

static bool same_divisor(const struct weir_sass *s, const struct weir_operand *a, const struct weir_operand *b) {
  if (a->kind != b->kind) return false;
  if (a->kind == WEIR_OPERAND_INTEGER) return a->bits == b->bits;
  const uint32_t reg = weir_operand_register(a);
  return reg == weir_operand_register(b) && s->registers[reg].writes == 1;
}

static bool is_known(const struct weir_sass *s, struct divisors *d, const struct weir_operand *o) {
  for (uint32_t k = 0; k < d->count; k++)
    if (same_divisor(s, d->known[k], o)) return true;
  if (d->count < MOST_DIVISORS) d->known[d->count++] = o;
  return false;
}

// Of 32 bits, by ptxas 13.0 for sm_75 to sm_90.
static uint8_t of_division(const struct weir_sass *s, const struct weir_instruction *in, bool is_signed,
                           struct divisors *d) {
  static const uint8_t table[2][2][2][2] = {
    // [signed][remainder][by a number][by what another one was by]
    {{{18, 10}, {14, 7}}, {{17, 9}, {13, 6}}},
    {{{25, 13}, {18, 11}}, {{22, 12}, {16, 9}}},
  };
  const struct weir_operand *by = &in->operands[2];
  return table[is_signed][in->opcode == WEIR_OP_REM][weir_sass_is_number(s, by)][is_known(s, d, by)];
}

static struct counts of_integer(const struct weir_sass *s, const struct weir_instruction *in, struct divisors *d) {
  const struct weir_form *f = &in->form;
  const bool is_signed = weir_type_class((enum weir_type)f->type) == 's';
  const bool by_immediate = in->operand_count > 2 && in->operands[2].kind == WEIR_OPERAND_INTEGER;
  switch (in->opcode) {
  case WEIR_OP_MUL:
    if (f->sub == WEIR_SUB_HI) return (struct counts){1, is_signed ? 17 : 7};
    return (struct counts){1, 4};
  case WEIR_OP_MAD: return f->sub == WEIR_SUB_WIDE ? (struct counts){3, 3} : (struct counts){1, 5};
  case WEIR_OP_MUL24:
  case WEIR_OP_MAD24: return (struct counts){3, 3};
  case WEIR_OP_MIN:
  case WEIR_OP_MAX: return (struct counts){1, 4};
  case WEIR_OP_ABS: return (struct counts){1, 5};
  case WEIR_OP_DIV:
  case WEIR_OP_REM: return (struct counts){of_division(s, in, is_signed, d), DIVISION};
  case WEIR_OP_POPC: return (struct counts){1, 3};
  case WEIR_OP_CLZ: return (struct counts){2, 6};
  case WEIR_OP_BFE: return (struct counts){by_immediate ? 2 : 5, 6};
  case WEIR_OP_BFI: return (struct counts){2, 6};
  case WEIR_OP_SLCT:
  case WEIR_OP_SET: return (struct counts){2, 4};
  case WEIR_OP_BFIND: return (struct counts){1, 3};
  default: return (struct counts){1, 2};
  }
}

static struct counts of_float(const struct weir_instruction *in) {
  const struct weir_form *f = &in->form;
  switch (in->opcode) {
  case WEIR_OP_DIV:
    return f->approx ? (struct counts){f->ftz ? 2 : 5, 0}
      : f->full      ? (struct counts){f->ftz ? 5 : 8, 0}
                     : (struct counts){10, 16};
  case WEIR_OP_RCP: return f->approx ? (struct counts){f->ftz ? 1 : 7, 12} : (struct counts){9, 12};
  case WEIR_OP_SQRT: return f->approx ? (struct counts){f->ftz ? 1 : 4, 0} : (struct counts){10, 18};
  case WEIR_OP_RSQRT: return (struct counts){f->ftz ? 1 : 4, 12};
  case WEIR_OP_EX2:
  case WEIR_OP_LG2: return (struct counts){f->ftz ? 1 : 4, 0};
  case WEIR_OP_SIN:
  case WEIR_OP_COS: return (struct counts){2, 0};
  case WEIR_OP_MIN:
  case WEIR_OP_MAX: return (struct counts){1, 7};
  case WEIR_OP_COPYSIGN:
  case WEIR_OP_TESTP:
  case WEIR_OP_SLCT:
  case WEIR_OP_SET: return (struct counts){2, 2};
  case WEIR_OP_SELP:
  case WEIR_OP_MOV: return (struct counts){1, 2};
  default: return (struct counts){1, 1};
  }
}

// How many of its results' halves anything reads: a 64-bit operation of which only the low half is read is one of 32 bits.
static bool is_wide(const struct weir_sass *s, const struct weir_instruction *in) {
  if (weir_type_bytes((enum weir_type)in->form.type) != 8) return false;
  if (in->opcode == WEIR_OP_POPC || in->opcode == WEIR_OP_CLZ || in->opcode == WEIR_OP_BFIND)
    return true; // their result is narrow
  if (in->operand_count == 0 || in->operands[0].kind != WEIR_OPERAND_REGISTER) return true;
  const uint32_t to = weir_operand_register(&in->operands[0]);
  return s->function->registers[to]->type == WEIR_T_PRED || weir_sass_width(s, to) == 2;
}

static uint32_t count_of(const struct weir_sass *s, const struct weir_sass_op *o, struct divisors *d) {
  const struct weir_instruction *in = s->cfg->instructions[o->instruction];
  const enum weir_type type = (enum weir_type)in->form.type;
  if (o->memory != WEIR_SASS_PLAIN || o->effect || o->multiplies) return 1;
  if (in->opcode != WEIR_OP_MOV && o->def_count == 1 && in->operands[0].kind == WEIR_OPERAND_REGISTER &&
      weir_sass_is_number(s, &in->operands[0]))
    return 0; // an immediate of what uses it
  if (in->opcode == WEIR_OP_CVT || in->opcode == WEIR_OP_CVTA) return 1;
  if (in->opcode == WEIR_OP_MOV && (in->operands[0].part_count || in->operands[1].part_count))
    return 0; // halves are registers
  if (in->opcode == WEIR_OP_MOV && in->operands[1].kind == WEIR_OPERAND_SPECIAL) return 1;
  if (weir_type_class(type) == 'f') {
    const struct counts c = of_float(in);
    return weir_type_bytes(type) == 8 ? c.wide : c.narrow;
  }
  const struct counts c = of_integer(s, in, d);
  return is_wide(s, in) ? c.wide : c.narrow;
}

// ---- three operands -------------------------------------------------------------------------------------------------

// Two sums, or two operations on bits, are one instruction of three operands: IADD3, LOP3.
enum { ALONE, SUM, BITS };
enum { MOST_OPERANDS = 3 };

static unsigned kind_of(const struct weir_sass *s, const struct weir_sass_op *o) {
  if (!o->alive || o->instruction == WEIR_NO_OP || o->memory != WEIR_SASS_PLAIN || o->effect || o->def_count != 1)
    return ALONE;
  const struct weir_instruction *in = s->cfg->instructions[o->instruction];
  if (in->operands[0].kind != WEIR_OPERAND_REGISTER || in->form.sat || in->form.carry_out ||
      !weir_sass_is_integer(in->form.type) || weir_sass_width(s, weir_operand_register(&in->operands[0])) != 1)
    return ALONE;
  switch (in->opcode) {
  case WEIR_OP_ADD:
  case WEIR_OP_SUB: return SUM;
  case WEIR_OP_AND:
  case WEIR_OP_OR:
  case WEIR_OP_XOR:
  case WEIR_OP_NOT: return BITS;
  default: return ALONE;
  }
}

static bool same_guard(const struct weir_instruction *a, const struct weir_instruction *b) {
  return a->guard == b->guard && a->guard_index == b->guard_index && a->guard_negated == b->guard_negated;
}

// operands[op]: of the instruction that it is part of; 0: it is part of the one that uses its result.
static void join(const struct weir_sass *s, uint32_t b, uint8_t *operands) {
  const struct weir_sass_block *block = &s->blocks[b];
  for (uint32_t k = 0; k < block->op_count; k++) {
    const struct weir_sass_op *o = &block->ops[k];
    const unsigned kind = kind_of(s, o);
    if (kind == ALONE) continue;
    const struct weir_instruction *in = s->cfg->instructions[o->instruction];
    operands[k] = (uint8_t)(in->operand_count - 1);
    for (uint32_t u = 0; u < o->use_count; u++) {
      const struct weir_sass_value *v = &block->values[block->uses[o->first_use + u]];
      if (v->op == WEIR_NO_OP || v->uses != 1 || v->fact != WEIR_FACT_NONE || weir_sass_stays(s, b, v) ||
          kind_of(s, &block->ops[v->op]) != kind ||
          !same_guard(in, s->cfg->instructions[block->ops[v->op].instruction]) ||
          operands[k] + operands[v->op] - 1 > MOST_OPERANDS)
        continue;
      operands[k] = (uint8_t)(operands[k] + operands[v->op] - 1);
      operands[v->op] = 0;
    }
  }
}

// ---- a block --------------------------------------------------------------------------------------------------------

void weir_sass_count(const struct weir_sass *s, uint32_t b, uint8_t *machine, uint8_t *moves) {
  const struct weir_sass_block *block = &s->blocks[b];
  uint8_t *operands = weir_new_array(uint8_t, block->op_count + 1);
  struct divisors divisors = {0};
  uint32_t moved = 0; // into registers that no PTX names, for the operation behind them
  for (uint32_t k = 0; k < block->op_count; k++) operands[k] = 1;
  join(s, b, operands);
  for (uint32_t k = 0; k < block->op_count; k++) {
    const struct weir_sass_op *o = &block->ops[k];
    if (!o->alive) continue;
    if (o->instruction == WEIR_NO_OP) {
      moved++;
      continue;
    }
    machine[o->instruction] = (uint8_t)(operands[k] ? count_of(s, o, &divisors) + moved : 0);
    if (!machine[o->instruction]) continue;
    if (moves) moves[o->instruction] = (uint8_t)moved;
    moved = 0;
  }
  weir_free(operands);
}
