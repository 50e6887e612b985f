// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What is known of the low bits of registers, wherever in the function they are read: where shared variables lie, numbers, and what
// sums, products and shifts make of them.
#include "base/alloc.h"
#include "base/bits.h"
#include "exec/assemble/private.h"
#include "exec/decode/decode.h"

enum {
  MOST_BITS = 16,   // more are not told
  DYNAMIC_BITS = 4, // shared memory that a launch asks for begins at a multiple of 16 or more
};

#define UNWRITTEN UINT8_MAX // by any instruction that has been looked at

static const struct weir_residue nothing = {0, 0};

static struct weir_residue residue(unsigned bits, uint64_t value) {
  if (bits > MOST_BITS) bits = MOST_BITS;
  return (struct weir_residue){(uint8_t)bits, (uint32_t)(value & ((UINT64_C(1) << bits) - 1))};
}

static unsigned fewer(unsigned a, unsigned b) {
  return a < b ? a : b;
}

// How many of the low bits are known to be zero.
static unsigned zeros(struct weir_residue r) {
  return r.value ? fewer(weir_lowest(r.value), r.bits) : r.bits;
}

// Of values that differ ptxas keeps no more than how many zeros they end in: it joins no loads from 92 - 28 + 64·n, for whatever n.
static struct weir_residue either(struct weir_residue a, struct weir_residue b) {
  if (a.bits == UNWRITTEN || (a.bits == b.bits && a.value == b.value)) return b;
  return b.bits == UNWRITTEN ? a : residue(fewer(zeros(a), zeros(b)), 0);
}

// a = x + i·2^m and b = y + k·2^n: of a·b what i and k do not reach.
static struct weir_residue product(struct weir_residue a, struct weir_residue b) {
  return residue(fewer(a.bits + zeros(b), b.bits + zeros(a)), (uint64_t)a.value * b.value);
}

// What an immediate adds is part of the addresses that are made of it; of what else is added, and is no constant, ptxas keeps the zeros alone.
static struct weir_residue sum(const struct weir_instruction *in, struct weir_residue a, struct weir_residue b,
                               uint64_t addend) {
  const bool constant = a.bits == MOST_BITS && b.bits == MOST_BITS;
  if (constant || in->operands[1].kind == WEIR_OPERAND_INTEGER ||
      in->operands[in->operand_count - 1].kind == WEIR_OPERAND_INTEGER)
    return residue(fewer(a.bits, b.bits), a.value + addend);
  return residue(fewer(zeros(a), zeros(b)), 0);
}

static struct weir_residue both(struct weir_residue a, struct weir_residue b) {
  unsigned bits = fewer(a.bits, b.bits);
  if (zeros(a) > bits) bits = zeros(a);
  if (zeros(b) > bits) bits = zeros(b);
  return residue(bits, a.value & b.value);
}

struct weir_residue weir_residue_of(const struct weir_residues *r, const struct weir_operand *o) {
  const bool is_address = o->kind == WEIR_OPERAND_ADDRESS;
  if (o->kind == WEIR_OPERAND_INTEGER) return residue(MOST_BITS, o->bits);
  struct weir_residue base = nothing;
  if (o->kind == WEIR_OPERAND_REGISTER || (is_address && o->base_is_register)) {
    if (o->component || o->negated || o->symbol->vector > 1) return nothing;
    const uint32_t reg = weir_operand_register(o);
    base = r->block_of[reg] == r->block ? r->here[reg] : r->of[reg];
  } else if ((o->kind == WEIR_OPERAND_SYMBOL || is_address) && o->symbol) {
    const struct weir_location at = weir_locations_get(r->shared, o->symbol);
    if (at.where == WEIR_AT_SHARED) base = residue(MOST_BITS, at.value);
    if (at.where == WEIR_AT_EXTERN_SHARED) base = residue(DYNAMIC_BITS, 0);
  }
  if (base.bits == UNWRITTEN || o->kind == WEIR_OPERAND_REGISTER) return base;
  return residue(base.bits, base.value + (uint64_t)o->offset);
}

static bool is_whole(unsigned type) {
  const char class = weir_type_class((enum weir_type)type);
  return (class == 'u' || class == 's' || class == 'b') && weir_type_bytes((enum weir_type)type) >= 2;
}

static struct weir_residue result(const struct weir_residues *r, const struct weir_instruction *in) {
  const struct weir_form *f = &in->form;
  struct weir_residue x[3] = {nothing, nothing, nothing};
  if (!is_whole(f->type) || (in->opcode == WEIR_OP_CVT && !is_whole(f->source_type)) || f->sat || f->carry_out ||
      f->vector > 1 || in->operand_count < 2 || in->operand_count > 4)
    return nothing;
  for (uint32_t k = 1; k < in->operand_count; k++) {
    x[k - 1] = weir_residue_of(r, &in->operands[k]);
    if (x[k - 1].bits == UNWRITTEN) return x[k - 1];
  }
  switch (in->opcode) {
  case WEIR_OP_MOV:
  case WEIR_OP_CVTA:
  case WEIR_OP_CVT: return x[0];
  case WEIR_OP_ADD: return sum(in, x[0], x[1], x[1].value);
  case WEIR_OP_SUB: return sum(in, x[0], x[1], 0 - (uint64_t)x[1].value);
  case WEIR_OP_MUL: return f->sub == WEIR_SUB_HI ? nothing : product(x[0], x[1]);
  case WEIR_OP_MAD:
    if (f->sub == WEIR_SUB_HI) return nothing;
    return sum(in, product(x[0], x[1]), x[2], x[2].value);
  case WEIR_OP_SHL:
    if (in->operands[2].kind != WEIR_OPERAND_INTEGER || in->operands[2].bits > MOST_BITS) return nothing;
    return residue(x[0].bits + (unsigned)in->operands[2].bits, (uint64_t)x[0].value << in->operands[2].bits);
  case WEIR_OP_AND: return both(x[0], x[1]);
  case WEIR_OP_OR: return residue(fewer(x[0].bits, x[1].bits), x[0].value | x[1].value);
  case WEIR_OP_SELP: return either(x[0], x[1]);
  default: return nothing;
  }
}

static bool lower(struct weir_residue *of, struct weir_residue now) {
  const struct weir_residue before = *of;
  *of = either(before, now);
  return before.bits != of->bits || before.value != of->value;
}

void weir_residues_begin(struct weir_residues *r) {
  r->block++;
}

bool weir_residues_pass(struct weir_residues *r, const struct weir_instruction *in) {
  struct weir_registers of;
  bool changed = false;
  weir_registers_of(in, &of);
  if (!of.dst_count) return false;
  const bool one = of.dst_count == 1 && in->operands[0].kind == WEIR_OPERAND_REGISTER && !in->operands[0].component;
  const struct weir_residue now = one ? result(r, in) : nothing;
  for (unsigned d = 0; d < of.dst_count; d++) {
    const uint32_t reg = of.dst[d];
    changed |= lower(&r->of[reg], now);
    r->here[reg] = of.keeps ? r->of[reg] : now;
    r->block_of[reg] = r->block;
  }
  return changed;
}

void weir_residues_find(struct weir_residues *r, const struct weir_cfg *cfg, uint32_t register_count) {
  r->of = weir_new_array(struct weir_residue, register_count + 1);
  r->here = weir_new_array(struct weir_residue, register_count + 1);
  r->block_of = weir_new_array(uint32_t, register_count + 1);
  for (uint32_t k = 0; k < register_count; k++) r->of[k].bits = UNWRITTEN;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t b = 0; b < cfg->block_count; b++) {
      weir_residues_begin(r);
      for (uint32_t i = 0; i < cfg->blocks[b].count; i++)
        changed |= weir_residues_pass(r, cfg->instructions[cfg->blocks[b].first + i]);
    }
  }
  for (uint32_t k = 0; k < register_count; k++)
    if (r->of[k].bits == UNWRITTEN) r->of[k] = nothing;
}

void weir_residues_free(struct weir_residues *r) {
  weir_free(r->of);
  weir_free(r->here);
  weir_free(r->block_of);
}
