// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// From PTX to the operations that an assembler would make of it, as far as registers are concerned: copies vanish,
// kernel parameters and sizes are operands from the constant bank, immediates are immediate, an address takes base plus
// offset, and a widening multiply is part of the addition behind it.
#include "base/alloc.h"
#include "exec/decode/decode.h"
#include "exec/estimate/private.h"

#include <string.h>

// When results are there. Fitted to the training half of the kernels of docs/VALIDATION.md, where 4 to 20 and 20 to 200 do
// as well.
enum { ALU_CYCLES = 9, LOAD_CYCLES = 200 };
// Longer blocks are scheduled in pieces, and chains of facts are followed so far: bounds on work alone.
enum { PIECE = 2048, MOST_FACTS = 64 };
enum { SPACE_GLOBAL = 1, SPACE_SHARED = 2, SPACE_LOCAL = 4, SPACE_PARAM = 8, SPACE_READ_ONLY = 16, SPACES = 31 };

uint32_t weir_sass_width(const struct weir_sass *s, uint32_t reg) {
  if (reg >= s->function->register_count) return reg - s->function->register_count + 1;
  const struct weir_symbol *r = s->function->registers[reg];
  if (r->type == WEIR_T_PRED) return 0;
  const uint32_t bytes = weir_type_bytes(r->type) * (r->vector ? r->vector : 1);
  return bytes == 8 && !s->registers[reg].high && weir_type_class(r->type) != 'f' ? 1 : (bytes + 3) / 4;
}

static bool is_wide(const struct weir_sass *s, uint32_t reg) {
  return weir_type_bytes(s->function->registers[reg]->type) == 8;
}

// ---- facts ----------------------------------------------------------------------------------------------------------

static bool is_literal(const struct weir_operand *o) {
  return o->kind == WEIR_OPERAND_INTEGER || o->kind == WEIR_OPERAND_FLOAT || o->kind == WEIR_OPERAND_SYMBOL;
}

static enum weir_fact of_special(enum weir_special r) {
  switch (r) {
  case WEIR_SR_NTID_X:
  case WEIR_SR_NTID_Y:
  case WEIR_SR_NTID_Z:
  case WEIR_SR_NCTAID_X:
  case WEIR_SR_NCTAID_Y:
  case WEIR_SR_NCTAID_Z:
  case WEIR_SR_ENVREG:
  case WEIR_SR_DYNAMIC_SMEM_SIZE: return WEIR_FACT_BANK;
  case WEIR_SR_WARP_SZ: return WEIR_FACT_LITERAL;
  default: return WEIR_FACT_NONE;
  }
}

static enum weir_fact of_move(const struct weir_operand *source) {
  if (source->kind == WEIR_OPERAND_SPECIAL) return of_special(source->special);
  if (source->kind == WEIR_OPERAND_REGISTER) return source->component ? WEIR_FACT_NONE : WEIR_FACT_COPY;
  return is_literal(source) ? WEIR_FACT_LITERAL : WEIR_FACT_NONE;
}

static enum weir_fact of_conversion(const struct weir_form *f) {
  if (!weir_sass_is_integer(f->type) || !weir_sass_is_integer(f->source_type) || f->sat) return WEIR_FACT_NONE;
  const unsigned to = weir_type_bytes((enum weir_type)f->type), from = weir_type_bytes((enum weir_type)f->source_type);
  if (from < 4) return to == from ? WEIR_FACT_COPY : WEIR_FACT_NONE;
  if (to <= 4) return to == 4 ? WEIR_FACT_COPY : WEIR_FACT_NONE;
  return weir_type_class((enum weir_type)f->source_type) == 's' && from < to ? WEIR_FACT_SCALED : WEIR_FACT_COPY;
}

static bool is_literal_register(const struct weir_sass *s, const struct weir_operand *o) {
  return o->kind == WEIR_OPERAND_REGISTER && s->registers[weir_operand_register(o)].fact == WEIR_FACT_LITERAL;
}

// A sum of 32 bits with what is written once, as an address of shared memory and the variable that it lies in.
static enum weir_fact of_sum(const struct weir_sass *s, const struct weir_instruction *in,
                             const struct weir_operand **from) {
  const struct weir_operand *o = in->operands;
  if (!weir_sass_is_volta(s) || in->operand_count != 3 || in->form.carry_out || in->form.sat ||
      weir_sass_width(s, weir_operand_register(&o[0])) != 1 || o[1].kind != WEIR_OPERAND_REGISTER ||
      o[2].kind != WEIR_OPERAND_REGISTER)
    return WEIR_FACT_NONE;
  const bool first = is_literal_register(s, &o[1]);
  if (first == is_literal_register(s, &o[2])) return WEIR_FACT_NONE;
  *from = &o[first ? 2 : 1];
  return WEIR_FACT_OFFSET;
}

// What ptxas knows: a number, or what it computes of numbers.
static bool is_known(const struct weir_sass *s, const struct weir_instruction *in) {
  if (in->guard || in->operand_count < 2 || in->operands[0].kind != WEIR_OPERAND_REGISTER) return false;
  switch (in->opcode) {
  case WEIR_OP_MOV:
  case WEIR_OP_CVT:
  case WEIR_OP_ADD:
  case WEIR_OP_SUB:
  case WEIR_OP_MUL:
  case WEIR_OP_MAD:
  case WEIR_OP_SHL:
  case WEIR_OP_SHR:
  case WEIR_OP_AND:
  case WEIR_OP_OR:
  case WEIR_OP_XOR: break;
  default: return false;
  }
  for (unsigned k = 1; k < in->operand_count; k++)
    if (!weir_sass_is_number(s, &in->operands[k])) return false;
  return true;
}

// What the one register that instruction `in` writes is, seen from the second operand, which *from gets.
static enum weir_fact fact_of(const struct weir_sass *s, const struct weir_instruction *in,
                              const struct weir_operand **from) {
  if (in->guard || in->operand_count < 2 || in->operands[0].kind != WEIR_OPERAND_REGISTER) return WEIR_FACT_NONE;
  const struct weir_operand *a = *from = &in->operands[1], *b = in->operand_count > 2 ? &in->operands[2] : NULL;
  const struct weir_form *f = &in->form;
  const bool with_immediate = b && a->kind == WEIR_OPERAND_REGISTER && b->kind == WEIR_OPERAND_INTEGER;
  switch (in->opcode) {
  case WEIR_OP_MOV: return of_move(a);
  case WEIR_OP_CVTA: return of_move(a);
  case WEIR_OP_CVT: return a->kind == WEIR_OPERAND_REGISTER ? of_conversion(f) : WEIR_FACT_NONE;
  case WEIR_OP_LD:
    if (weir_sass_is_volta(s) && f->space == WEIR_SPACE_CONST && !a->base_is_register && f->vector <= 1)
      return WEIR_FACT_BANK;
    return f->space == WEIR_SPACE_PARAM && s->function->entry && !a->base_is_register && f->vector <= 1
      ? WEIR_FACT_BANK
      : WEIR_FACT_NONE;
  case WEIR_OP_AND:
    return with_immediate && b->bits == UINT32_MAX && f->type == WEIR_T_B64 ? WEIR_FACT_COPY : WEIR_FACT_NONE;
  case WEIR_OP_ADD:
    if (!weir_sass_is_integer(f->type)) return WEIR_FACT_NONE;
    return with_immediate ? WEIR_FACT_OFFSET : of_sum(s, in, from);
  case WEIR_OP_MUL:
    return with_immediate && weir_sass_is_integer(f->type) && f->sub != WEIR_SUB_HI &&
        weir_sass_width(s, weir_operand_register(&in->operands[0])) == 2
      ? WEIR_FACT_SCALED
      : WEIR_FACT_NONE;
  case WEIR_OP_SHL: return with_immediate ? WEIR_FACT_SCALED : WEIR_FACT_NONE;
  default: return WEIR_FACT_NONE;
  }
}

static void count_writes(struct weir_sass *s) {
  struct weir_registers r;
  for (uint32_t i = 0; i < s->cfg->instruction_count; i++) {
    weir_registers_of(s->cfg->instructions[i], &r);
    for (unsigned k = 0; k < r.dst_count; k++) {
      struct weir_sass_register *to = &s->registers[r.dst[k]];
      to->writes += r.keeps && !to->writes ? 2 : 1; // a guarded write is one of two
      to->written_at = i;
    }
  }
}

// Text order keeps facts from leading in a circle, as they might in code that nothing reaches.
static void find_facts(struct weir_sass *s) {
  for (uint32_t i = 0; i < s->cfg->instruction_count; i++) {
    const struct weir_operand *from = NULL;
    const struct weir_instruction *in = s->cfg->instructions[i];
    const enum weir_fact fact = fact_of(s, in, &from);
    const bool known = is_known(s, in);
    if (fact == WEIR_FACT_NONE && !known) continue;
    struct weir_sass_register *to = &s->registers[weir_operand_register(&in->operands[0])];
    if (to->writes != 1) continue;
    to->number = known;
    if (fact == WEIR_FACT_NONE) continue;
    if (fact >= WEIR_FACT_COPY) {
      to->from = weir_operand_register(from);
      const struct weir_sass_register *source = &s->registers[to->from];
      if (source->writes != 1 || source->written_at >= i || source->facts == MOST_FACTS) continue;
      to->facts = (uint8_t)(source->facts + 1);
    }
    to->fact = (uint8_t)fact;
    if (in->opcode == WEIR_OP_MUL) to->factor = in->operands[2].bits;
  }
}

// ---- halves ---------------------------------------------------------------------------------------------------------

static bool fits(const struct weir_operand *o) {
  return o->kind == WEIR_OPERAND_INTEGER && o->bits <= UINT32_MAX;
}

static bool is_masked(const struct weir_instruction *in) {
  return in->opcode == WEIR_OP_AND && in->operand_count == 3 && fits(&in->operands[2]);
}

// Whether an instruction that writes a 64-bit register may set its high half.
static bool sets_high(const struct weir_instruction *in) {
  if (is_masked(in)) return false;
  return in->opcode != WEIR_OP_CVT || in->form.source_type != WEIR_T_U32;
}

// Whether it reads the high halves of its 64-bit operands.
static bool reads_high(const struct weir_sass *s, const struct weir_instruction *in) {
  if (is_masked(in)) return false;
  switch (in->opcode) {
  case WEIR_OP_CVT: return weir_type_bytes((enum weir_type)in->form.type) == 8 || !weir_sass_is_integer(in->form.type);
  case WEIR_OP_ADD:
  case WEIR_OP_SUB:
  case WEIR_OP_SHL:
  case WEIR_OP_AND:
  case WEIR_OP_OR:
  case WEIR_OP_XOR:
  case WEIR_OP_NOT:
  case WEIR_OP_NEG:
  case WEIR_OP_MOV:
  case WEIR_OP_SELP:
  case WEIR_OP_CVTA:
  case WEIR_OP_MAD: break;
  case WEIR_OP_MUL:
    if (in->form.sub != WEIR_SUB_LO) return true;
    break;
  default: return true;
  }
  return in->operands[0].kind != WEIR_OPERAND_REGISTER || s->registers[weir_operand_register(&in->operands[0])].high;
}

static bool demand(struct weir_sass *s, const struct weir_operand *o, unsigned space, bool high) {
  bool changed = false;
  const bool address = o->kind == WEIR_OPERAND_ADDRESS && o->base_is_register;
  if (address) high = space == WEIR_SPACE_GLOBAL || space == WEIR_SPACE_GENERIC;
  if ((address || o->kind == WEIR_OPERAND_REGISTER) && high && is_wide(s, weir_operand_register(o))) {
    struct weir_sass_register *r = &s->registers[weir_operand_register(o)];
    changed = !r->high;
    r->high = true;
  }
  for (uint32_t k = 0; k < o->part_count; k++) changed |= demand(s, &o->parts[k], space, high);
  return changed;
}

// High halves that something reads, backwards from there; of these, those that something sets.
static void find_halves(struct weir_sass *s) {
  struct weir_registers r;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = s->cfg->instruction_count; i-- > 0;) {
      const struct weir_instruction *in = s->cfg->instructions[i];
      weir_registers_of(in, &r);
      const bool high = reads_high(s, in);
      for (uint32_t k = r.dst_count > 0; k < in->operand_count; k++)
        changed |= demand(s, &in->operands[k], in->form.space, high);
    }
  }
  for (uint32_t i = 0; i < s->cfg->instruction_count; i++) {
    weir_registers_of(s->cfg->instructions[i], &r);
    for (unsigned k = 0; k < r.dst_count; k++) s->registers[r.dst[k]].set |= sets_high(s->cfg->instructions[i]);
  }
  for (uint32_t k = 0; k < s->function->register_count; k++) s->registers[k].high &= s->registers[k].set;
}

// ---- operations -----------------------------------------------------------------------------------------------------

enum { MOST_NAMELESS = 64, MOST_NEEDED = 8 }; // bounds on work alone: beyond them a value is made again, or not counted

struct folding {
  struct weir_sass *s;
  struct weir_sass_block *b;
  uint32_t op;
  struct nameless {
    enum { IMMEDIATE, REGISTER, PARAMETER, SYMBOL } kind;
    uint64_t is; // bits of an immediate, number of a register of PTX, of the operation that takes a symbol's address
    uint32_t value;
  } nameless[MOST_NAMELESS]; // of this block
  uint32_t nameless_count;
  uint32_t needed[MOST_NEEDED], needed_count; // by the instruction
};

static uint32_t add_value(struct folding *f, uint32_t reg, uint32_t op) {
  struct weir_sass_value *v = weir_push(f->b->values, f->b->value_count, f->b->value_capacity);
  *v = (struct weir_sass_value){.reg = reg,
                                .from = WEIR_NO_OP,
                                .op = op,
                                .before = WEIR_NO_OP,
                                .writer = WEIR_NO_OP,
                                .width = (uint8_t)weir_sass_width(f->s, reg)};
  return f->b->value_count - 1;
}

// A register that is live at the block's begin brings along what is known of it in the whole function.
static uint32_t value_of(struct folding *f, uint32_t reg) {
  if (f->s->registers[reg].now) return f->s->registers[reg].now - 1;
  const uint32_t v = add_value(f, reg, WEIR_NO_OP);
  f->s->registers[reg].now = v + 1;
  const uint8_t fact = f->s->registers[reg].fact;
  const uint32_t from = fact >= WEIR_FACT_COPY ? value_of(f, f->s->registers[reg].from) : WEIR_NO_OP;
  f->b->values[v].fact = fact;
  f->b->values[v].from = from;
  return v;
}

// The value that remains of v where facts of the kinds in `through` (bits) are looked through.
static uint32_t root(const struct folding *f, uint32_t v, unsigned through) {
  while (through >> f->b->values[v].fact & 1 && f->b->values[v].from != WEIR_NO_OP) v = f->b->values[v].from;
  return v;
}

enum {
  COPIES = 1 << WEIR_FACT_COPY,
  OFFSETS = COPIES | 1 << WEIR_FACT_OFFSET,
  SCALES = COPIES | 1 << WEIR_FACT_SCALED
};

static void use(struct folding *f, uint32_t v) {
  struct weir_sass_op *o = &f->b->ops[f->op];
  const struct weir_sass_value *value = &f->b->values[v];
  if (value->fact == WEIR_FACT_LITERAL || value->fact == WEIR_FACT_BANK) return;
  for (uint32_t k = 0; k < o->use_count; k++)
    if (f->b->uses[o->first_use + k] == v) return;
  *weir_push(f->b->uses, f->b->use_count, f->b->use_capacity) = v;
  o->use_count++;
}

static void use_address(struct folding *f, const struct weir_operand *a) {
  struct weir_sass_op *o = &f->b->ops[f->op];
  o->offset = a->offset;
  if (!a->base_is_register) return;
  const uint32_t v = root(f, value_of(f, weir_operand_register(a)), OFFSETS);
  o->base = v;
  if (f->b->values[v].fact == WEIR_FACT_BANK) o->extra = f->b->values[v].width;
  use(f, v);
}

static unsigned sees_through(const struct weir_instruction *in) {
  const struct weir_form *f = &in->form;
  if (!weir_sass_is_integer(f->type)) return COPIES;
  switch (in->opcode) {
  case WEIR_OP_ADD: return in->operand_count > 2 && in->operands[2].kind == WEIR_OPERAND_INTEGER ? OFFSETS : SCALES;
  case WEIR_OP_SUB:
  case WEIR_OP_MUL:
  case WEIR_OP_SHL: return SCALES;
  default: return COPIES;
  }
}

static void use_operand(struct folding *f, const struct weir_operand *o, unsigned through) {
  switch (o->kind) {
  case WEIR_OPERAND_REGISTER: use(f, root(f, value_of(f, weir_operand_register(o)), through)); break;
  case WEIR_OPERAND_ADDRESS: use_address(f, o); break;
  default: break;
  }
  for (uint32_t k = 0; k < o->part_count; k++) use_operand(f, &o->parts[k], through);
}

// Operations that do something beside their results, and are neither memory's nor barriers.
static bool acts(unsigned opcode) {
  return weir_opcode_flow(opcode) != WEIR_FLOW_NEXT || weir_opcode_convergence(opcode) == WEIR_CONVERGENCE_WARP;
}

static void classify_memory(struct weir_sass_op *o, const struct weir_instruction *in) {
  const struct weir_form *f = &in->form;
  static const uint8_t spaces[] = {[WEIR_SPACE_GENERIC] = SPACE_GLOBAL | SPACE_SHARED | SPACE_LOCAL,
                                   [WEIR_SPACE_GLOBAL] = SPACE_GLOBAL,
                                   [WEIR_SPACE_SHARED] = SPACE_SHARED,
                                   [WEIR_SPACE_LOCAL] = SPACE_LOCAL,
                                   [WEIR_SPACE_CONST] = SPACE_READ_ONLY,
                                   [WEIR_SPACE_PARAM] = SPACE_PARAM,
                                   [WEIR_SPACE_TEX] = SPACE_READ_ONLY};
  o->bytes = weir_type_bytes((enum weir_type)f->type) * (f->vector ? f->vector : 1);
  switch (weir_opcode_effect(in->opcode)) {
  case WEIR_EFFECT_LOAD:
  case WEIR_EFFECT_UNIFORM:
  case WEIR_EFFECT_TEXTURE:
  case WEIR_EFFECT_SURFACE_LOAD:
    o->effect = f->order != WEIR_ORDER_WEAK;
    o->memory = o->effect ? WEIR_SASS_STORE : WEIR_SASS_LOAD;
    o->spaces =
      f->non_coherent || weir_opcode_effect(in->opcode) != WEIR_EFFECT_LOAD ? SPACE_READ_ONLY : spaces[f->space];
    o->latency = LOAD_CYCLES;
    break;
  case WEIR_EFFECT_ATOMIC:
    if (weir_writes_first(in)) o->latency = LOAD_CYCLES; // fall through
  case WEIR_EFFECT_STORE:
  case WEIR_EFFECT_SURFACE_STORE:
    o->memory = WEIR_SASS_STORE;
    o->spaces = spaces[f->space];
    o->effect = true;
    break;
  case WEIR_EFFECT_BARRIER:
  case WEIR_EFFECT_FENCE:
  case WEIR_EFFECT_CALLEE:
    o->memory = WEIR_SASS_FENCE;
    o->spaces = SPACES;
    o->effect = true;
    o->calls = in->opcode == WEIR_OP_CALL;
    break;
  case WEIR_EFFECT_NONE:
  case WEIR_EFFECT_COPY:
  case WEIR_EFFECT_HINT:
  case WEIR_EFFECT_DISCARD:
  case WEIR_EFFECT_QUERY:
  case WEIR_EFFECT_SHARED:
  case WEIR_EFFECT_WAIT:
  case WEIR_EFFECT_ANY: o->effect = acts(in->opcode); break;
  }
}

// What the registers that the instruction writes held before: a guarded write keeps it in some threads.
static void begin_results(struct folding *f, const struct weir_registers *r) {
  for (unsigned k = 0; k < r->dst_count; k++) {
    if (f->s->registers[r->dst[k]].writes <= 1) continue;
    const uint32_t before = value_of(f, r->dst[k]);
    if (r->keeps) use(f, before);
  }
}

static void define(struct folding *f, uint32_t reg) {
  const uint32_t before = f->s->registers[reg].writes > 1 ? value_of(f, reg) : WEIR_NO_OP;
  const uint32_t v = add_value(f, reg, f->op);
  f->b->values[v].before = before;
  f->s->registers[reg].now = v + 1;
  f->b->ops[f->op].def_count++;
}

// The high half of base plus product takes the factor and the operand until the low half is written. Volta multiplies and adds
// 64 bits at once; a shift it does not.
static uint8_t of_address(struct folding *f, const struct weir_instruction *in) {
  if (in->opcode != WEIR_OP_ADD || weir_sass_width(f->s, weir_operand_register(&in->operands[0])) != 2) return 0;
  bool scaled = false, bank = false, multiplied = false;
  for (unsigned k = 1; k < 3; k++) {
    if (in->operands[k].kind != WEIR_OPERAND_REGISTER) continue;
    const uint32_t v = root(f, value_of(f, weir_operand_register(&in->operands[k])), COPIES);
    scaled |= f->b->values[v].fact == WEIR_FACT_SCALED;
    multiplied |= f->b->values[v].fact == WEIR_FACT_SCALED && f->s->registers[f->b->values[v].reg].factor;
    bank |= f->b->values[v].fact == WEIR_FACT_BANK;
  }
  f->b->ops[f->op].multiplies = weir_sass_is_volta(f->s) && multiplied;
  if (weir_sass_is_volta(f->s)) return scaled && !multiplied;
  return scaled && bank ? 2 : 1;
}

// ---- what an operation cannot take from where it is -----------------------------------------------------------------

// From Volta on, an operand of an operation that has another one from the constant bank, or stored data, is no immediate: it is
// moved into a register first, once in a block.
static void need(struct folding *f, unsigned kind, uint64_t is, uint32_t width) {
  uint32_t v = WEIR_NO_OP;
  for (uint32_t k = 0; k < f->nameless_count; k++)
    if (f->nameless[k].kind == kind && f->nameless[k].is == is && f->b->values[f->nameless[k].value].width == width)
      v = f->nameless[k].value;
  if (v == WEIR_NO_OP) {
    *weir_push(f->b->ops, f->b->op_count, f->b->op_capacity) = (struct weir_sass_op){.first_use = f->b->use_count,
                                                                                     .first_def = f->b->value_count,
                                                                                     .def_count = 1,
                                                                                     .latency = ALU_CYCLES,
                                                                                     .base = WEIR_NO_OP,
                                                                                     .instruction = WEIR_NO_OP};
    const uint32_t number = (width < WEIR_SASS_NAMELESS ? width : WEIR_SASS_NAMELESS) - 1;
    v = add_value(f, f->s->function->register_count + number, f->b->op_count - 1);
    if (f->nameless_count < MOST_NAMELESS) f->nameless[f->nameless_count++] = (struct nameless){kind, is, v};
  }
  if (f->needed_count < MOST_NEEDED) f->needed[f->needed_count++] = v;
}

static void need_data(struct folding *f, const struct weir_operand *o, uint32_t width) {
  for (uint32_t k = 0; k < o->part_count; k++) need_data(f, &o->parts[k], width);
  if (o->kind == WEIR_OPERAND_INTEGER || o->kind == WEIR_OPERAND_FLOAT) {
    if (o->bits) need(f, IMMEDIATE, o->bits, width); // zero is a register that is always there
  } else if (o->kind == WEIR_OPERAND_SYMBOL) {
    need(f, SYMBOL, f->b->op_count, width);
  } else if (o->kind == WEIR_OPERAND_REGISTER) {
    const uint32_t v = root(f, value_of(f, weir_operand_register(o)), COPIES);
    const struct weir_sass_value is = f->b->values[v];
    if (is.fact == WEIR_FACT_LITERAL || is.fact == WEIR_FACT_BANK) need(f, REGISTER, is.reg, is.width ? is.width : 1);
  }
}

// Base plus index times factor: from Hopper on there is no operand from the constant bank here, before it no factor beside one.
static void need_for_address(struct folding *f, const struct weir_instruction *in) {
  uint32_t bank = WEIR_NO_OP;
  uint64_t factor = 0;
  for (unsigned k = 1; k < 3; k++) {
    if (in->operands[k].kind != WEIR_OPERAND_REGISTER) continue;
    const uint32_t v = root(f, value_of(f, weir_operand_register(&in->operands[k])), COPIES);
    const struct weir_sass_value *value = &f->b->values[v];
    if (value->fact == WEIR_FACT_SCALED) factor = f->s->registers[value->reg].factor;
    if (value->fact == WEIR_FACT_BANK) bank = v;
  }
  if (bank == WEIR_NO_OP) return;
  if (f->s->assembler >= WEIR_ASSEMBLER_SM_90)
    need(f, PARAMETER, f->b->values[bank].reg, f->b->values[bank].width);
  else if (factor)
    need(f, IMMEDIATE, factor, 1);
}

static void find_needed(struct folding *f, const struct weir_instruction *in) {
  f->needed_count = 0;
  if (!weir_sass_is_volta(f->s)) return;
  if (in->opcode == WEIR_OP_ST && in->form.space != WEIR_SPACE_PARAM && in->operand_count > 1)
    need_data(f, &in->operands[1], weir_type_bytes((enum weir_type)in->form.type) == 8 ? 2 : 1);
  if (in->opcode == WEIR_OP_ADD && weir_sass_width(f->s, weir_operand_register(&in->operands[0])) == 2)
    need_for_address(f, in);
}

// ---- instructions ---------------------------------------------------------------------------------------------------

static void translate(struct folding *f, uint32_t index) {
  const struct weir_instruction *in = f->s->cfg->instructions[index];
  struct weir_registers r;
  find_needed(f, in);
  struct weir_sass_op *o = weir_push(f->b->ops, f->b->op_count, f->b->op_capacity);
  *o = (struct weir_sass_op){.first_use = f->b->use_count,
                             .latency = ALU_CYCLES,
                             .extra = weir_sass_scratch(f->s, in),
                             .base = WEIR_NO_OP,
                             .instruction = index};
  f->op = f->b->op_count - 1;
  classify_memory(o, in);
  o->splits =
    o->calls || weir_waits_for_products(in) || weir_sass_is_subroutine(f->s, in) || f->b->op_count % PIECE == 0;
  if (!weir_sass_is_volta(f->s) && o->memory != WEIR_SASS_PLAIN && o->bytes == 16)
    o->extra = 3; // lost between registers in use and a group of four
  weir_registers_of(in, &r);
  const struct weir_operand *from = NULL;
  const enum weir_fact fact = fact_of(f->s, in, &from);
  const uint32_t source = fact >= WEIR_FACT_COPY ? value_of(f, weir_operand_register(from)) : WEIR_NO_OP;
  const unsigned through = sees_through(in);
  for (uint32_t k = r.dst_count > 0 && !weir_reads_first(in); k < in->operand_count; k++)
    use_operand(f, &in->operands[k], through);
  for (uint32_t k = 0; k < f->needed_count; k++) use(f, f->needed[k]);
  if (in->guard) use(f, root(f, value_of(f, weir_guard_register(in)), COPIES));
  f->b->ops[f->op].extra = (uint8_t)(f->b->ops[f->op].extra + of_address(f, in));
  begin_results(f, &r);
  f->b->ops[f->op].first_def = f->b->value_count;
  for (unsigned k = 0; k < r.dst_count; k++) define(f, r.dst[k]);
  if (fact == WEIR_FACT_NONE) return;
  struct weir_sass_value *v = &f->b->values[f->s->registers[r.dst[0]].now - 1];
  if (f->s->registers[r.dst[0]].writes > 1 && fact <= WEIR_FACT_COPY)
    return; // where paths meet, its value takes a register
  v->fact = (uint8_t)fact;
  v->from = source;
}

void weir_sass_fold(struct weir_sass *s) {
  struct folding f = {.s = s};
  count_writes(s);
  find_halves(s);
  find_facts(s);
  weir_sass_find_loops(s);
  for (uint32_t b = 0; b < s->cfg->block_count; b++) {
    f.b = &s->blocks[b];
    f.nameless_count = 0;
    for (uint32_t n = weir_sass_copies(s, b); n; n--)
      for (uint32_t k = 0; k < s->cfg->blocks[b].count; k++) translate(&f, s->cfg->blocks[b].first + k);
    for (uint32_t v = 0; v < f.b->value_count; v++) f.b->values[v].out = s->registers[f.b->values[v].reg].now == v + 1;
    for (uint32_t v = 0; v < f.b->value_count; v++) s->registers[f.b->values[v].reg].now = 0;
  }
}
