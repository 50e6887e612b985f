// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Operands to vectors.
#include "base/bits.h"
#include "exec/decode/decode.h"
#include "exec/ops/types.h"

#include <string.h>

unsigned weir_width(unsigned type) {
  const unsigned bytes = weir_type_bytes((enum weir_type)type);
  return bytes > 8 ? 16 : bytes > 4 ? 8 : 4;
}

unsigned weir_operand_width(const struct weir_operand *o) {
  if (o->kind != WEIR_OPERAND_REGISTER) return 0;
  return o->symbol->type == WEIR_T_PRED ? 1 : weir_width(o->symbol->type);
}

struct weir_ref weir_in_frame(uint32_t offset) {
  return (struct weir_ref){offset, WEIR_BANK_FRAME};
}

struct weir_ref weir_in_constants(uint32_t offset) {
  return (struct weir_ref){offset, WEIR_BANK_CONST};
}

void weir_set_a(struct weir_insn *i, struct weir_ref r) {
  i->a = r.offset;
  i->a_bank = r.bank;
}

void weir_set_b(struct weir_insn *i, struct weir_ref r) {
  i->b = r.offset;
  i->b_bank = r.bank;
}

void weir_set_c(struct weir_insn *i, struct weir_ref r) {
  i->c = r.offset;
  i->c_bank = r.bank;
}

uint32_t weir_temporary(struct weir_decoder *d) {
  const unsigned k = d->temporary++;
  if (d->temporary > WEIR_TEMPORARIES) {
    weir_cannot(d, "it has too many operands of unusual width");
    d->temporary = 1;
    return d->temporaries;
  }
  if (d->temporary > d->temporaries_used) d->temporaries_used = d->temporary;
  return d->temporaries + k * 8 * d->program->lanes;
}

// A vector of one width as the other: upper bits zero, or cut off.
static struct weir_ref resize(struct weir_decoder *d, struct weir_ref from, unsigned have, unsigned want) {
  if (have == want) return from;
  struct weir_insn *i = weir_emit(d, want == 8 ? WEIR_X_widen_u32 : WEIR_X_low_b64);
  weir_set_a(i, from);
  i->d = weir_temporary(d);
  return weir_in_frame(i->d);
}

static struct weir_ref slot_of(const struct weir_decoder *d, enum weir_bank bank, unsigned slot) {
  return (struct weir_ref){weir_slot_offset(d->program, slot), (uint8_t)bank};
}

// Registers that change while a warp runs are read into a temporary.
static struct weir_ref changing(struct weir_decoder *d, unsigned op) {
  struct weir_insn *i = weir_emit(d, op);
  d->code->clocked = true;
  i->d = weir_temporary(d);
  return weir_in_frame(i->d);
}

static struct weir_ref special(struct weir_decoder *d, const struct weir_operand *o, unsigned *width) {
  struct weir_constants *c = &d->constants;
  *width = 4;
  switch (o->special) {
  case WEIR_SR_TID_X:
  case WEIR_SR_TID_Y:
  case WEIR_SR_TID_Z: return slot_of(d, WEIR_BANK_THREADS, WEIR_SLOT_TID_X + (o->special - WEIR_SR_TID_X));
  case WEIR_SR_NTID_X:
  case WEIR_SR_NTID_Y:
  case WEIR_SR_NTID_Z: return slot_of(d, WEIR_BANK_LAUNCH, WEIR_SLOT_NTID_X + (o->special - WEIR_SR_NTID_X));
  case WEIR_SR_CTAID_X:
  case WEIR_SR_CTAID_Y:
  case WEIR_SR_CTAID_Z: return slot_of(d, WEIR_BANK_BLOCK, WEIR_SLOT_CTAID_X + (o->special - WEIR_SR_CTAID_X));
  case WEIR_SR_NCTAID_X:
  case WEIR_SR_NCTAID_Y:
  case WEIR_SR_NCTAID_Z: return slot_of(d, WEIR_BANK_LAUNCH, WEIR_SLOT_NCTAID_X + (o->special - WEIR_SR_NCTAID_X));
  case WEIR_SR_WARPID: return slot_of(d, WEIR_BANK_WARP, WEIR_SLOT_WARPID);
  case WEIR_SR_NWARPID: return slot_of(d, WEIR_BANK_LAUNCH, WEIR_SLOT_NWARPID);
  case WEIR_SR_SMID: return slot_of(d, WEIR_BANK_BLOCK, WEIR_SLOT_SMID);
  case WEIR_SR_CLUSTERID_X:
  case WEIR_SR_CLUSTERID_Y:
  case WEIR_SR_CLUSTERID_Z:
    return slot_of(d, WEIR_BANK_BLOCK, WEIR_SLOT_CLUSTERID_X + (o->special - WEIR_SR_CLUSTERID_X));
  case WEIR_SR_NCLUSTERID_X:
  case WEIR_SR_NCLUSTERID_Y:
  case WEIR_SR_NCLUSTERID_Z:
    return slot_of(d, WEIR_BANK_LAUNCH, WEIR_SLOT_NCLUSTERID_X + (o->special - WEIR_SR_NCLUSTERID_X));
  case WEIR_SR_CLUSTER_CTAID_X:
  case WEIR_SR_CLUSTER_CTAID_Y:
  case WEIR_SR_CLUSTER_CTAID_Z:
    return slot_of(d, WEIR_BANK_BLOCK, WEIR_SLOT_CLUSTER_CTAID_X + (o->special - WEIR_SR_CLUSTER_CTAID_X));
  case WEIR_SR_CLUSTER_NCTAID_X:
  case WEIR_SR_CLUSTER_NCTAID_Y:
  case WEIR_SR_CLUSTER_NCTAID_Z:
    return slot_of(d, WEIR_BANK_LAUNCH, WEIR_SLOT_CLUSTER_NCTAID_X + (o->special - WEIR_SR_CLUSTER_NCTAID_X));
  case WEIR_SR_CLUSTER_CTARANK: return slot_of(d, WEIR_BANK_BLOCK, WEIR_SLOT_CLUSTER_CTARANK);
  case WEIR_SR_CLUSTER_NCTARANK: return slot_of(d, WEIR_BANK_LAUNCH, WEIR_SLOT_CLUSTER_NCTARANK);
  case WEIR_SR_DYNAMIC_SMEM_SIZE: return slot_of(d, WEIR_BANK_LAUNCH, WEIR_SLOT_DYNAMIC_SMEM);
  case WEIR_SR_TOTAL_SMEM_SIZE: return slot_of(d, WEIR_BANK_LAUNCH, WEIR_SLOT_TOTAL_SMEM);
  case WEIR_SR_RESERVED_SMEM_OFFSET_BEGIN:
  case WEIR_SR_RESERVED_SMEM_OFFSET_0:
  case WEIR_SR_RESERVED_SMEM_OFFSET_1:
    d->program->reserves_shared = true;
    return slot_of(d, WEIR_BANK_LAUNCH, WEIR_SLOT_RESERVED_SMEM);
  case WEIR_SR_RESERVED_SMEM_OFFSET_END:
  case WEIR_SR_AGGR_SMEM_SIZE:
    d->program->reserves_shared = true;
    return slot_of(d, WEIR_BANK_LAUNCH, WEIR_SLOT_RESERVED_SMEM_END);
  case WEIR_SR_RESERVED_SMEM_OFFSET_CAP: return weir_in_constants(weir_constant(c, WEIR_RESERVED_SHARED_BYTES, 4));
  case WEIR_SR_LANEID: return weir_in_constants(weir_constant_lanes(c, WEIR_LANES_ID));
  case WEIR_SR_LANEMASK_EQ:
  case WEIR_SR_LANEMASK_LE:
  case WEIR_SR_LANEMASK_LT:
  case WEIR_SR_LANEMASK_GE:
  case WEIR_SR_LANEMASK_GT:
    return weir_in_constants(weir_constant_lanes(c, WEIR_LANES_EQ + (o->special - WEIR_SR_LANEMASK_EQ)));
  case WEIR_SR_CLOCK: return changing(d, WEIR_X_clock32);
  case WEIR_SR_CLOCK_HI: return changing(d, WEIR_X_clock_hi);
  case WEIR_SR_GLOBALTIMER_LO: return changing(d, WEIR_X_timer32);
  case WEIR_SR_GLOBALTIMER_HI: return changing(d, WEIR_X_timer_hi);
  case WEIR_SR_CLOCK64: *width = 8; return changing(d, WEIR_X_clock64);
  case WEIR_SR_GLOBALTIMER: *width = 8; return changing(d, WEIR_X_timer64);
  case WEIR_SR_WARP_SZ: return weir_in_constants(weir_constant(c, 32, 4));
  case WEIR_SR_NSMID: return weir_in_constants(weir_constant(c, 1024, 4)); // an upper bound, as PTX allows
  case WEIR_SR_ENVREG:
    if (o->special_index == 1) return slot_of(d, WEIR_BANK_LAUNCH, WEIR_SLOT_ENVREG1);
    if (o->special_index == 2) return slot_of(d, WEIR_BANK_LAUNCH, WEIR_SLOT_ENVREG2);
    return weir_in_constants(weir_constant(c, 0, 4));
  default: return weir_in_constants(weir_constant(c, 0, 4)); // %gridid, %pm, …
  }
}

// The address of a variable; of a part of the running frame it is known only when the frame is.
static struct weir_ref address(struct weir_decoder *d, const struct weir_operand *o, unsigned width) {
  const struct weir_location at = weir_locations_get(&d->locations, o->symbol);
  uint64_t offset = at.value + (uint64_t)o->offset;
  switch (at.where) {
  case WEIR_AT_NOWHERE: weir_cannot(d, "it names something that has no address"); break;
  case WEIR_AT_FUNCTION: offset = weir_take_address(d, at.value); break;
  case WEIR_AT_EXTERN_SHARED:
  case WEIR_AT_LOCAL:
  case WEIR_AT_FRAME: {
    if (d->code->is_kernel && at.where != WEIR_AT_EXTERN_SHARED) break;
    struct weir_insn *i = weir_emit(d, WEIR_X_add_u64);
    weir_set_a(i,
               at.where == WEIR_AT_EXTERN_SHARED ? slot_of(d, WEIR_BANK_LAUNCH, WEIR_SLOT_EXTERN_SHARED)
                                                 : slot_of(d, WEIR_BANK_WARP, WEIR_SLOT_LOCAL));
    weir_set_b(i, weir_in_constants(weir_constant(&d->constants, offset, 8)));
    const uint32_t t = i->d = weir_temporary(d);
    return resize(d, weir_in_frame(t), 8, width);
  }
  default: break;
  }
  return weir_in_constants(weir_constant(&d->constants, offset, width));
}

struct weir_ref weir_source(struct weir_decoder *d, const struct weir_operand *o, unsigned width) {
  unsigned have = width;
  struct weir_ref r;
  switch (o->kind) {
  case WEIR_OPERAND_REGISTER:
    if (o->component) {
      weir_cannot(d, "vector registers have no components here");
      return weir_in_constants(weir_constant(&d->constants, 0, width));
    }
    have = weir_operand_width(o);
    r = d->place[weir_operand_register(o)];
    if (have == 1 || have == 16) {
      weir_cannot(d, "an operand has the wrong type");
      have = width;
    }
    break;
  case WEIR_OPERAND_INTEGER:
  case WEIR_OPERAND_FLOAT: r = weir_in_constants(weir_constant(&d->constants, o->bits, width)); break;
  case WEIR_OPERAND_SPECIAL: r = special(d, o, &have); break;
  case WEIR_OPERAND_SYMBOL: return address(d, o, width);
  default:
    weir_cannot(d, "an operand has a form that this instruction does not take");
    r = weir_in_constants(weir_constant(&d->constants, 0, width));
  }
  return resize(d, r, have, width);
}

struct weir_ref weir_source_float(struct weir_decoder *d, const struct weir_operand *o, unsigned width) {
  if (o->kind != WEIR_OPERAND_FLOAT) return weir_source(d, o, width);
  uint64_t bits = o->bits;
  if (width == 4 && o->type == WEIR_T_F64) bits = bits32((float)float64(bits));
  if (width == 8 && o->type == WEIR_T_F32) bits = bits64((double)float32((uint32_t)bits));
  return weir_in_constants(weir_constant(&d->constants, bits, width));
}

struct weir_ref weir_source_predicate(struct weir_decoder *d, const struct weir_operand *o, bool *negated) {
  *negated = o->negated;
  if (o->kind == WEIR_OPERAND_REGISTER && o->symbol->type == WEIR_T_PRED)
    return weir_in_frame(d->slot[weir_operand_register(o)]);
  if (o->kind == WEIR_OPERAND_INTEGER)
    return weir_in_constants(weir_constant(&d->constants, o->bits ? UINT64_MAX : 0, 1));
  if (o->kind == WEIR_OPERAND_SPECIAL && o->special == WEIR_SR_IS_EXPLICIT_CLUSTER)
    return slot_of(d, WEIR_BANK_LAUNCH, WEIR_SLOT_EXPLICIT_CLUSTER);
  weir_cannot(d, "an operand should be a predicate");
  return weir_in_frame(0);
}

uint32_t weir_result(struct weir_decoder *d, const struct weir_operand *o, unsigned width) {
  if (o->kind == WEIR_OPERAND_SINK) return width == 1 ? WEIR_PRED_SCRATCH : weir_temporary(d);
  const unsigned have = weir_operand_width(o);
  if (have == width) return d->slot[weir_operand_register(o)];
  if (have != 4 && have != 8) weir_cannot(d, "the destination has the wrong type");
  return weir_temporary(d);
}

void weir_widen_result(struct weir_decoder *d, const struct weir_operand *o, unsigned width, uint32_t from,
                       bool is_signed) {
  const unsigned have = weir_operand_width(o);
  if (!have || have == width || have == 1 || have == 16) return;
  struct weir_insn *i = weir_emit(d, have == 4 ? WEIR_X_low_b64 : is_signed ? WEIR_X_widen_s32 : WEIR_X_widen_u32);
  weir_set_a(i, weir_in_frame(from));
  i->d = d->slot[weir_operand_register(o)];
}
