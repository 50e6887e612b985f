// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// cvt, cvta and mov.
#include "base/bits.h"
#include "exec/convert.h"
#include "exec/decode/decode.h"
#include "exec/special.h"

// Conversions that have a vector body, and those under .ftz where `ftz` is set; the others go lane by lane.
static const struct {
  uint8_t to, from, rounding;
  bool ftz, sat;
  uint16_t body;
} fast[] = {
#define NEAREST(to, from, name)                                                                                        \
  { WEIR_T_##to, WEIR_T_##from, WEIR_ROUND_RN, false, false, WEIR_X_cvt_##name }
  NEAREST(F32, S32, f32_s32),
  NEAREST(F32, U32, f32_u32),
  NEAREST(F32, S64, f32_s64),
  NEAREST(F32, U64, f32_u64),
  NEAREST(F64, S32, f64_s32),
  NEAREST(F64, U32, f64_u32),
  NEAREST(F64, S64, f64_s64),
  NEAREST(F64, U64, f64_u64),
  NEAREST(F32, U8, f32_u8),
  NEAREST(F32, S8, f32_s8),
  NEAREST(F32, U16, f32_u16),
  NEAREST(F32, S16, f32_s16),
  NEAREST(F64, U8, f64_u8),
  NEAREST(F64, S8, f64_s8),
  NEAREST(F64, U16, f64_u16),
  NEAREST(F64, S16, f64_s16),
  NEAREST(F64, F32, f64_f32),
  NEAREST(F32, F64, f32_f64),
  NEAREST(F32, F16, f32_f16),
  NEAREST(F32, BF16, f32_bf16),
  NEAREST(F16, F32, f16_f32),
  NEAREST(BF16, F32, bf16_f32),
  NEAREST(F16, S32, f16_s32),
  NEAREST(F16, U32, f16_u32),
  NEAREST(F16, S16, f16_s16),
  NEAREST(F16, U16, f16_u16),
#undef NEAREST
  {WEIR_T_F64, WEIR_T_F32, WEIR_ROUND_RN, true, false, WEIR_X_cvt_f64_z32},
  {WEIR_T_F32, WEIR_T_F64, WEIR_ROUND_RN, true, false, WEIR_X_cvt_z32_f64},
  {WEIR_T_F32, WEIR_T_F32, WEIR_ROUND_RN, false, true, WEIR_X_sat_f32},
  {WEIR_T_F32, WEIR_T_F32, WEIR_ROUND_RN, true, true, WEIR_X_sat_z32},
  {WEIR_T_S64, WEIR_T_F32, WEIR_ROUND_RZI, false, false, WEIR_X_cvt_s64_z_f32},
  {WEIR_T_U64, WEIR_T_F32, WEIR_ROUND_RZI, false, false, WEIR_X_cvt_u64_z_f32},
#define WHOLE(R, r)                                                                                                    \
  {WEIR_T_S32, WEIR_T_F32, WEIR_ROUND_##R, false, false, WEIR_X_cvt_s32_##r##_f32},                                    \
    {WEIR_T_S32, WEIR_T_F32, WEIR_ROUND_##R, true, false, WEIR_X_cvt_s32_##r##_z32},                                   \
    {WEIR_T_U32, WEIR_T_F32, WEIR_ROUND_##R, false, false, WEIR_X_cvt_u32_##r##_f32},                                  \
    {WEIR_T_U32, WEIR_T_F32, WEIR_ROUND_##R, true, false, WEIR_X_cvt_u32_##r##_z32},                                   \
    {WEIR_T_F32, WEIR_T_F32, WEIR_ROUND_##R, false, false, WEIR_X_cvt_f32_##r##_f32},                                  \
    {WEIR_T_F32, WEIR_T_F32, WEIR_ROUND_##R, true, false, WEIR_X_cvt_z32_##r##_z32},                                   \
    {WEIR_T_S32, WEIR_T_F64, WEIR_ROUND_##R, false, false, WEIR_X_cvt_s32_##r##_f64},                                  \
    {WEIR_T_U32, WEIR_T_F64, WEIR_ROUND_##R, false, false, WEIR_X_cvt_u32_##r##_f64},                                  \
    {WEIR_T_S64, WEIR_T_F64, WEIR_ROUND_##R, false, false, WEIR_X_cvt_s64_##r##_f64},                                  \
    {WEIR_T_U64, WEIR_T_F64, WEIR_ROUND_##R, false, false, WEIR_X_cvt_u64_##r##_f64}, {                                \
    WEIR_T_F64, WEIR_T_F64, WEIR_ROUND_##R, false, false, WEIR_X_cvt_f64_##r##_f64                                     \
  }
  WHOLE(RZI, z),
  WHOLE(RNI, n),
  WHOLE(RMI, m),
  WHOLE(RPI, p),
#undef WHOLE
};

static bool is_integer(unsigned type) {
  const char c = weir_type_class((enum weir_type)type);
  return c == 'u' || c == 's' || c == 'b';
}

// Integer to integer: the source type's sign decides how it is extended; a narrower destination cuts it off. Bodies
// are named by the source's bytes and sign; where it is not narrower a move will do.
static unsigned integer_body(unsigned to, unsigned from) {
  static const uint16_t extend32[2][3] = {{0, WEIR_X_cvt_u32_u8, WEIR_X_cvt_u32_u16},
                                          {0, WEIR_X_cvt_s32_s8, WEIR_X_cvt_s32_s16}};
  static const uint16_t extend64[2][3] = {{0, WEIR_X_cvt_u64_u8, WEIR_X_cvt_u64_u16},
                                          {0, WEIR_X_cvt_s64_s8, WEIR_X_cvt_s64_s16}};
  const unsigned have = weir_type_bytes((enum weir_type)from), want = weir_type_bytes((enum weir_type)to);
  const bool is_signed = weir_type_class((enum weir_type)from) == 's';
  if (have == 8) return want == 8 ? WEIR_X_mov_b64 : WEIR_X_low_b64;
  if (want == 8) return have == 4 ? (is_signed ? WEIR_X_widen_s32 : WEIR_X_widen_u32) : extend64[is_signed][have];
  return have < want ? extend32[is_signed][have] : WEIR_X_mov_b32;
}

// Are there subnormals that .ftz may flush and the conversion would not? Integers and f16 are none in single precision.
static bool flushes(const struct weir_conversion *c) {
  return c->ftz && !is_integer(c->from) && c->from != WEIR_T_F16 && c->to != WEIR_T_F16 &&
    !(is_integer(c->to) && c->rounding == WEIR_ROUND_RZI && weir_type_bytes((enum weir_type)c->to) == 8);
}

// The vector body of a conversion, or 0 if it goes lane by lane. What is not rounded may be rounded to nearest.
static unsigned fast_body(const struct weir_conversion *c) {
  const unsigned rounding = c->rounding == WEIR_ROUND_NONE ? WEIR_ROUND_RN : c->rounding;
  const bool ftz = flushes(c);
  if (c->relu) return 0;
  if (is_integer(c->to) && is_integer(c->from)) return c->sat ? 0 : integer_body(c->to, c->from);
  for (unsigned k = 0; k < sizeof fast / sizeof *fast; k++)
    if (fast[k].to == c->to && fast[k].from == c->from && fast[k].rounding == rounding && fast[k].ftz == ftz &&
        fast[k].sat == c->sat)
      return fast[k].body;
  return 0;
}

struct weir_insn *weir_emit_conversion(struct weir_decoder *d, const struct weir_conversion *c, struct weir_ref from) {
  const unsigned body = fast_body(c);
  struct weir_insn *i = weir_emit(d, body ? body : WEIR_X_convert);
  weir_set_a(i, from);
  if (!body)
    i->imm = c->to | (uint64_t)c->from << 8 | (uint64_t)c->rounding << 16 | (uint64_t)c->sat << 24 |
      (uint64_t)c->ftz << 25 | (uint64_t)c->relu << 26;
  return i;
}

// A narrow result in a wider register is extended by the destination type's sign.
// cvt.pack.sat d, a, b, c: b lowest, a above it, and of bytes the lower half of c above both.
static void pack_integers(struct weir_decoder *d) {
  const struct weir_form *f = &d->in->form;
  const struct weir_operand *o = d->in->operands;
  const bool bytes = weir_type_bytes((enum weir_type)f->type) == 1;
  const struct weir_conversion c = {.to = f->type, .from = WEIR_T_S32, .sat = true};
  struct weir_ref part[2];
  for (unsigned k = 0; k < 2; k++) part[k] = weir_source(d, &o[2 - k], 4);
  const struct weir_ref above = bytes ? weir_source(d, &o[3], 4) : part[1];
  for (unsigned k = 0; k < 2; k++) {
    struct weir_insn *i = weir_emit_conversion(d, &c, part[k]);
    part[k] = weir_in_frame(i->d = weir_temporary(d));
  }
  struct weir_insn *i = weir_emit(d, bytes ? WEIR_X_pack_b16 : WEIR_X_pack_b32);
  weir_set_a(i, part[0]);
  weir_set_b(i, part[1]);
  if (bytes) {
    part[0] = weir_in_frame(i->d = weir_temporary(d));
    i = weir_emit(d, WEIR_X_pack_b32);
    weir_set_a(i, part[0]);
    weir_set_b(i, above);
  }
  i->d = weir_result(d, &o[0], 4);
}

void weir_decode_convert(struct weir_decoder *d) {
  const struct weir_form *f = &d->in->form;
  const struct weir_operand *o = d->in->operands;
  const unsigned want = weir_width(f->type), bytes = weir_type_bytes((enum weir_type)f->type);
  const bool is_signed = weir_type_class((enum weir_type)f->type) == 's';
  if (weir_is_byte_pair(f->type) || weir_is_byte_pair(f->source_type)) {
    weir_convert_byte_pair(d);
    return;
  }
  if (weir_has_modifier(d->in, "pack")) {
    pack_integers(d);
    return;
  }
  if (d->in->operand_count > 2) {
    weir_convert_packed(d);
    return;
  }
  const struct weir_ref a = weir_source_float(d, &o[1], weir_width(f->source_type));
  const struct weir_conversion c = {(uint8_t)f->type, (uint8_t)f->source_type, (uint8_t)f->rounding, f->sat, f->ftz,
                                    f->relu};
  struct weir_insn *i = weir_emit_conversion(d, &c, a);
  const bool narrow = is_integer(f->type) && bytes < 4 && o[0].kind == WEIR_OPERAND_REGISTER &&
    weir_type_bytes(o[0].symbol->type) > bytes;
  if (!narrow) {
    const uint32_t to = i->d = weir_result(d, &o[0], want);
    weir_widen_result(d, &o[0], want, to, is_signed);
    return;
  }
  const uint32_t t = i->d = weir_temporary(d);
  const unsigned register_type = weir_operand_width(&o[0]) == 8 ? WEIR_T_U64 : WEIR_T_U32;
  struct weir_insn *extend = weir_emit(d, integer_body(register_type, f->type));
  weir_set_a(extend, weir_in_frame(t));
  extend->d = weir_result(d, &o[0], weir_operand_width(&o[0]));
}

// Shared, local and parameter addresses become generic ones by adding their window's base, and generic ones theirs by
// subtracting it (.to); the others are the same.
void weir_decode_address(struct weir_decoder *d) {
  const struct weir_form *f = &d->in->form;
  const struct weir_operand *o = d->in->operands;
  uint64_t base = 0;
  if (f->space == WEIR_SPACE_SHARED) base = WEIR_SHARED_BASE;
  if (f->space == WEIR_SPACE_LOCAL || (f->space == WEIR_SPACE_PARAM && !d->code->is_kernel)) base = WEIR_LOCAL_BASE;
  const unsigned width = weir_width(f->type);
  const struct weir_ref a = weir_source(d, &o[1], width);
  struct weir_insn *i;
  if (base) {
    const uint64_t by = f->sub == WEIR_SUB_TO ? 0u - base : base;
    const struct weir_ref b = weir_in_constants(weir_constant(&d->constants, by, width));
    i = weir_emit(d, width == 8 ? WEIR_X_add_u64 : WEIR_X_add_u32);
    weir_set_b(i, b);
  } else {
    i = weir_emit(d, width == 8 ? WEIR_X_mov_b64 : WEIR_X_mov_b32);
  }
  weir_set_a(i, a);
  const uint32_t to = i->d = weir_result(d, &o[0], width);
  weir_widen_result(d, &o[0], width, to, false);
}

static struct weir_ref rank_of_block(const struct weir_decoder *d) {
  return (struct weir_ref){weir_slot_offset(d->program, WEIR_SLOT_CLUSTER_CTARANK), WEIR_BANK_BLOCK};
}

// A generic address as one of the window, or the other way: with so much added.
static void add(struct weir_decoder *d, struct weir_ref a, uint64_t by, unsigned width, uint32_t to) {
  const struct weir_ref b = weir_in_constants(weir_constant(&d->constants, by, width));
  struct weir_insn *i = weir_emit(d, width == 8 ? WEIR_X_add_u64 : WEIR_X_add_u32);
  weir_set_a(i, a);
  weir_set_b(i, b);
  i->d = to;
}

// Without .shared::cluster, mapa and getctarank take a generic address, which a variable's name is not.
static bool takes_generic(struct weir_decoder *d) {
  const bool generic = d->in->form.space != WEIR_SPACE_SHARED;
  if (generic && d->in->operands[1].kind != WEIR_OPERAND_REGISTER)
    weir_cannot(d, "its address should be a generic one");
  return generic;
}

// mapa d, a, b: the address in the block of rank b that a is in its own (PTX ISA, "mapa").
void weir_decode_map_to_block(struct weir_decoder *d) {
  const struct weir_operand *o = d->in->operands;
  const unsigned width = weir_width(d->in->form.type);
  const bool generic = takes_generic(d);
  const struct weir_ref a = weir_source(d, &o[1], width), b = weir_source(d, &o[2], 4);
  struct weir_insn *i = weir_emit(d, width == 8 ? WEIR_X_mapa_u64 : WEIR_X_mapa_u32);
  weir_set_a(i, a);
  weir_set_b(i, b);
  const uint32_t to = weir_result(d, &o[0], width), mapped = i->d = generic ? weir_temporary(d) : to;
  if (generic) add(d, weir_in_frame(mapped), WEIR_SHARED_BASE, width, to);
}

// getctarank d, a: the rank of the block whose shared memory the address is in.
void weir_decode_block_rank(struct weir_decoder *d) {
  const struct weir_operand *o = d->in->operands;
  const unsigned width = weir_width(d->in->form.type);
  struct weir_ref a = weir_source(d, &o[1], width);
  if (takes_generic(d)) {
    const uint32_t in_window = weir_temporary(d);
    add(d, a, 0u - WEIR_SHARED_BASE, width, in_window);
    a = weir_in_frame(in_window);
  }
  struct weir_insn *i = weir_emit(d, width == 8 ? WEIR_X_getctarank_u64 : WEIR_X_getctarank_u32);
  weir_set_a(i, a);
  weir_set_b(i, rank_of_block(d));
  i->d = weir_result(d, &o[0], 4);
}

static struct weir_insn *within(struct weir_decoder *d, struct weir_ref a, struct weir_ref base, uint64_t bytes,
                                uint32_t to) {
  struct weir_setp_tail *tail = weir_arena_new(&d->program->arena, struct weir_setp_tail);
  struct weir_insn *i = weir_emit(d, WEIR_X_within_u64);
  weir_set_a(i, a);
  weir_set_b(i, base);
  i->imm = bytes;
  i->d = to;
  tail->complement = WEIR_PC_NONE;
  i->tail = tail;
  return i;
}

// … in the block's own part of the cluster's window, by either of its addresses?
static void within_block(struct weir_decoder *d, struct weir_ref a, uint32_t to) {
  const struct weir_ref base = weir_in_constants(weir_constant(&d->constants, WEIR_SHARED_BASE, 8)),
                        own = {weir_slot_offset(d->program, WEIR_SLOT_OWN_WINDOW), WEIR_BANK_BLOCK};
  const uint64_t bytes = 1u << WEIR_CLUSTER_SHIFT;
  within(d, a, base, bytes, WEIR_PRED_SCRATCH);
  struct weir_setp_tail *tail = weir_arena_new(&d->program->arena, struct weir_setp_tail);
  *tail = (struct weir_setp_tail){.complement = WEIR_PC_NONE, .with = WEIR_PRED_SCRATCH, .boolean = WEIR_SUB_OR};
  within(d, a, own, bytes, to)->tail = tail;
}

// isspacep: is the generic address inside the space's window?
void weir_decode_space(struct weir_decoder *d) {
  static const struct {
    uint64_t base, bytes;
  } window[] = {
    [WEIR_SPACE_GLOBAL] = {WEIR_STATIC_BASE, 0u - WEIR_STATIC_BASE},
    [WEIR_SPACE_CONST] = {WEIR_STATIC_BASE, WEIR_HEAP_BASE - WEIR_STATIC_BASE},
    [WEIR_SPACE_SHARED] = {WEIR_SHARED_BASE, WEIR_LOCAL_BASE - WEIR_SHARED_BASE},
    [WEIR_SPACE_LOCAL] = {WEIR_LOCAL_BASE, WEIR_STATIC_BASE - WEIR_LOCAL_BASE},
    [WEIR_SPACE_PARAM] = {WEIR_PARAM_BASE, WEIR_SHARED_BASE - WEIR_PARAM_BASE},
  };
  const struct weir_operand *o = d->in->operands;
  const unsigned space = d->in->form.space;
  const struct weir_ref a = weir_source(d, &o[1], 8);
  const uint32_t to = weir_result(d, &o[0], 1);
  if (space == WEIR_SPACE_SHARED && !weir_has_modifier(d->in, "shared::cluster"))
    within_block(d, a, to);
  else
    within(d, a, weir_in_constants(weir_constant(&d->constants, window[space].base, 8)), window[space].bytes, to);
}

static void simple_move(struct weir_decoder *d, const struct weir_operand *to, struct weir_ref from, unsigned width) {
  struct weir_insn *i = weir_emit(d, width == 8 ? WEIR_X_mov_b64 : WEIR_X_mov_b32);
  weir_set_a(i, from);
  i->d = weir_result(d, to, width);
}

// The parts of a vector operand side by side in one scalar of `width`; width 8 from 2 × 32, 4 × 16; 4 from 2 × 16, 4 × 8.
// A part of 8 or 16 bits lies in the frame as 32.
static struct weir_ref pack(struct weir_decoder *d, const struct weir_operand *parts, unsigned count, unsigned width) {
  if (count == 1) return weir_source_float(d, parts, width < 4 ? 4 : width);
  const struct weir_ref low = pack(d, parts, count / 2, width / 2),
                        high = pack(d, parts + count / 2, count / 2, width / 2);
  struct weir_insn *i = weir_emit(d, width == 8 ? WEIR_X_pack_b64 : width == 4 ? WEIR_X_pack_b32 : WEIR_X_pack_b16);
  weir_set_a(i, low);
  weir_set_b(i, high);
  i->d = weir_temporary(d);
  return weir_in_frame(i->d);
}

// Destinations must not be written before every part has been taken from the source: they may share its slot.
static void unpack(struct weir_decoder *d, const struct weir_operand *parts, unsigned count, struct weir_ref from,
                   unsigned width) {
  const unsigned bits = width * 8 / count;
  struct weir_ref part[8];
  for (unsigned k = 0; k < count; k++) {
    struct weir_ref word = from;
    if (width == 8) {
      struct weir_insn *half = weir_emit(d, k * bits < 32 ? WEIR_X_low_b64 : WEIR_X_high_b64);
      weir_set_a(half, from);
      word = weir_in_frame(half->d = weir_temporary(d));
    }
    part[k] = word;
    if (bits == 32) continue;
    struct weir_insn *i = weir_emit(d, WEIR_X_part_b32);
    weir_set_a(i, word);
    i->imm = k * bits % 32;
    part[k] = weir_in_frame(i->d = width == 8 ? word.offset : weir_temporary(d));
  }
  for (unsigned k = 0; k < count; k++)
    if (parts[k].kind != WEIR_OPERAND_SINK) simple_move(d, &parts[k], part[k], 4);
}

void weir_decode_move(struct weir_decoder *d) {
  if (d->in->form.type == WEIR_T_PRED) {
    weir_decode_predicates(d);
    return;
  }
  const struct weir_operand *o = d->in->operands;
  const unsigned width = weir_width(d->in->form.type);
  const unsigned bytes = weir_type_bytes((enum weir_type)d->in->form.type);
  if (o[0].kind == WEIR_OPERAND_VECTOR)
    unpack(d, o[0].parts, o[0].part_count, weir_source(d, &o[1], width), bytes);
  else if (o[1].kind == WEIR_OPERAND_VECTOR)
    simple_move(d, &o[0], pack(d, o[1].parts, o[1].part_count, bytes), width);
  else
    simple_move(d, &o[0], weir_source_float(d, &o[1], width), width);
}
