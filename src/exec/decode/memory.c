// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "exec/decode/decode.h"

// The address operand: register or constant, plus an offset. `reach` is decided by the instruction's space and, for
// parameters, by what the name stands for.
void weir_set_address(struct weir_decoder *d, struct weir_insn *i, const struct weir_operand *o) {
  i->imm = (uint64_t)o->offset;
  i->wide = true;
  if (o->base_is_register) {
    weir_set_a(i, d->place[weir_operand_register(o)]);
    i->wide = weir_width(o->symbol->type) == 8;
    return;
  }
  weir_set_a(i, weir_in_constants(weir_constant(&d->constants, 0, 8)));
  if (!o->symbol) return;
  const struct weir_location at = weir_locations_get(&d->locations, o->symbol);
  i->imm += at.value;
  switch (at.where) {
  case WEIR_AT_NOWHERE: weir_cannot(d, "it names something that has no address"); break;
  case WEIR_AT_EXTERN_SHARED:
    weir_set_a(i, (struct weir_ref){weir_slot_offset(d->program, WEIR_SLOT_EXTERN_SHARED), WEIR_BANK_LAUNCH});
    break;
  case WEIR_AT_FRAME: i->reach = WEIR_REACH_FRAME; // fall through
  case WEIR_AT_LOCAL:
    if (!d->code->is_kernel)
      weir_set_a(i, (struct weir_ref){weir_slot_offset(d->program, WEIR_SLOT_LOCAL), WEIR_BANK_WARP});
    break;
  default: break;
  }
}

static enum weir_reach reach_of(const struct weir_decoder *d, unsigned space) {
  switch (space) {
  case WEIR_SPACE_GLOBAL: return WEIR_REACH_GLOBAL;
  case WEIR_SPACE_SHARED: return weir_has_modifier(d->in, "shared::cluster") ? WEIR_REACH_CLUSTER : WEIR_REACH_SHARED;
  case WEIR_SPACE_LOCAL: return WEIR_REACH_LOCAL;
  case WEIR_SPACE_CONST: return WEIR_REACH_CONST;
  case WEIR_SPACE_PARAM: return d->code->is_kernel ? WEIR_REACH_KERNEL : WEIR_REACH_FRAME;
  default: return WEIR_REACH_GENERIC;
  }
}

// Parts of a vector as slots; `width` of each is that of its register.
static unsigned parts_of(struct weir_decoder *d, const struct weir_operand *o, bool is_store, unsigned width,
                         struct weir_ref **list) {
  const bool vector = o->kind == WEIR_OPERAND_VECTOR;
  const unsigned count = vector ? o->part_count : 1;
  *list = weir_arena_array(&d->program->arena, struct weir_ref, count + 1);
  for (unsigned k = 0; k < count; k++) {
    const struct weir_operand *part = vector ? &o->parts[k] : o;
    (*list)[k] = is_store ? weir_source_float(d, part, width) : weir_in_frame(weir_result(d, part, width));
  }
  return count;
}

// The width of the data's registers: all parts have the same, as PTX demands.
static unsigned data_width(const struct weir_operand *o, unsigned type) {
  const struct weir_operand *first = o;
  if (o->kind == WEIR_OPERAND_VECTOR)
    for (unsigned k = 0; k < o->part_count; k++)
      if ((first = &o->parts[k])->kind == WEIR_OPERAND_REGISTER) break;
  const unsigned width = weir_operand_width(first);
  return width == 4 || width == 8 ? width : weir_width(type) == 4 ? 4 : 8;
}

static unsigned load_body(unsigned type, unsigned width) {
  static const uint16_t body[2][2][9] = {
    {{[1] = WEIR_M_load_u8_32, [2] = WEIR_M_load_u16_32, [4] = WEIR_M_load_u32_32},
     {[1] = WEIR_M_load_s8_32, [2] = WEIR_M_load_s16_32, [4] = WEIR_M_load_u32_32}},
    {{[1] = WEIR_M_load_u8_64, [2] = WEIR_M_load_u16_64, [4] = WEIR_M_load_u32_64, [8] = WEIR_M_load_u64_64},
     {[1] = WEIR_M_load_s8_64, [2] = WEIR_M_load_s16_64, [4] = WEIR_M_load_s32_64, [8] = WEIR_M_load_u64_64}}};
  const unsigned bytes = weir_type_bytes((enum weir_type)type);
  return body[width == 8][weir_type_class((enum weir_type)type) == 's'][bytes];
}

static unsigned store_body(unsigned type, unsigned width) {
  static const uint16_t body[2][9] = {
    {[1] = WEIR_M_store_32_u8, [2] = WEIR_M_store_32_u16, [4] = WEIR_M_store_32_u32},
    {[1] = WEIR_M_store_64_u8, [2] = WEIR_M_store_64_u16, [4] = WEIR_M_store_64_u32, [8] = WEIR_M_store_64_u64}};
  const unsigned bytes = weir_type_bytes((enum weir_type)type);
  return body[width == 8][bytes];
}

struct weir_insn *weir_emit_address(struct weir_decoder *d, unsigned body, const struct weir_operand *where) {
  struct weir_insn *i = weir_emit_memory(d, body);
  const unsigned bytes = weir_type_bytes((enum weir_type)d->in->form.type);
  i->reach = (uint8_t)reach_of(d, d->in->form.space);
  i->bytes = (uint8_t)bytes;
  weir_set_address(d, i, where);
  return i;
}

static bool inside(uint64_t offset, uint64_t bytes, uint64_t size) {
  return offset <= size && bytes <= size - offset;
}

// A function's parameter by name: what lies beside it in the frame is another's.
static void hold_to_variable(struct weir_decoder *d, const struct weir_operand *o, uint64_t bytes) {
  if (!o->symbol || o->base_is_register || weir_locations_get(&d->locations, o->symbol).where != WEIR_AT_FRAME) return;
  if (!inside((uint64_t)o->offset, bytes, o->symbol->bytes)) weir_cannot(d, "it reaches outside of the parameter");
}

// The cache policy is the last operand.
static void set_policy(struct weir_decoder *d, struct weir_ref *list, unsigned count) {
  if (d->in->form.cache_hint) list[count] = weir_source(d, &d->in->operands[d->in->operand_count - 1], 8);
}

// A kernel's parameter by name needs no address arithmetic: it is one value for the whole launch.
void weir_decode_load(struct weir_decoder *d) {
  const struct weir_form *f = &d->in->form;
  const struct weir_operand *o = d->in->operands;
  const unsigned width = data_width(&o[0], f->type);
  struct weir_ref *list;
  const unsigned count = parts_of(d, &o[0], false, width, &list);
  struct weir_insn *i = weir_emit_address(d, load_body(f->type, width), &o[1]);
  i->d = list[0].offset;
  i->list = list;
  i->count = (uint8_t)(count > 1 ? count : 0);
  set_policy(d, list, i->count);
  const uint64_t offset = i->imm - WEIR_PARAM_BASE, bytes = (uint64_t)i->bytes * count;
  hold_to_variable(d, &o[1], bytes);
  if (i->reach != WEIR_REACH_KERNEL || o[1].base_is_register || !o[1].symbol) return;
  if (!inside(offset, bytes, d->param_bytes)) {
    weir_cannot(d, "it reads outside of the kernel's parameters");
    return;
  }
  i->memory = d->ops->memory[width == 8 ? WEIR_M_load_param_64 : WEIR_M_load_param_32];
  i->imm = offset;
  i->sub = weir_type_class((enum weir_type)f->type) == 's';
}

void weir_decode_store(struct weir_decoder *d) {
  if (weir_has_modifier(d->in, "async")) {
    weir_decode_async(d);
    return;
  }
  const struct weir_form *f = &d->in->form;
  const struct weir_operand *o = d->in->operands;
  const unsigned width = data_width(&o[1], f->type);
  struct weir_ref *list;
  const unsigned count = parts_of(d, &o[1], true, width, &list);
  struct weir_insn *i = weir_emit_address(d, store_body(f->type, width), &o[0]);
  hold_to_variable(d, &o[0], (uint64_t)i->bytes * count);
  weir_set_b(i, list[0]);
  i->list = list;
  i->count = (uint8_t)(count > 1 ? count : 0);
  set_policy(d, list, i->count);
  i->publishes = WEIR_TO_ALL;
}

static void decode_atomic_vector(struct weir_decoder *d) {
  const bool returns = weir_writes_first(d->in);
  const struct weir_operand *o = d->in->operands, *where = &o[returns], *data = where + 1;
  const unsigned count = data->part_count;
  struct weir_ref *list = weir_arena_array(&d->program->arena, struct weir_ref, 2 * count + 1);
  for (unsigned k = 0; k < count; k++) list[k] = weir_source_float(d, &data->parts[k], 4);
  set_policy(d, list, count);
  for (unsigned k = 0; k < count && returns; k++)
    list[count + 1 + k] = weir_in_frame(weir_result(d, &o[0].parts[k], 4));
  struct weir_insn *i = weir_emit_address(d, WEIR_M_atomic_vector, where);
  i->list = list;
  i->count = (uint8_t)count;
  i->sub = d->in->form.sub;
  i->type = d->in->form.type;
  i->publishes = WEIR_TO_ALL;
  i->d = returns ? list[count + 1].offset : WEIR_PC_NONE;
}

// atom d, [a], b{, c} and red [a], b.
void weir_decode_atomic(struct weir_decoder *d) {
  if (weir_has_modifier(d->in, "async")) {
    weir_decode_async(d);
    return;
  }
  if (d->in->form.vector > 1) {
    decode_atomic_vector(d);
    return;
  }
  const struct weir_form *f = &d->in->form;
  const bool returns = weir_writes_first(d->in);
  const struct weir_operand *o = d->in->operands, *where = &o[returns], *data = where + 1;
  const unsigned width = weir_width(f->type);
  const struct weir_ref b = weir_source_float(d, data, width);
  const struct weir_ref c = f->sub == WEIR_SUB_CAS ? weir_source_float(d, data + 1, width) : b;
  struct weir_ref *list = weir_arena_array(&d->program->arena, struct weir_ref, 1);
  set_policy(d, list, 0);
  struct weir_insn *i = weir_emit_address(d, WEIR_M_atomic, where);
  weir_set_b(i, b);
  weir_set_c(i, c);
  i->list = list;
  i->sub = f->sub;
  i->type = f->type;
  i->publishes = WEIR_TO_ALL;
  i->d = returns && o[0].kind != WEIR_OPERAND_SINK ? weir_result(d, &o[0], width) : WEIR_PC_NONE;
}

// prefetch, discard, applypriority: the address is checked, and told to whoever models caches.
void weir_decode_hint(struct weir_decoder *d) {
  weir_emit_address(d, WEIR_M_prefetch, &d->in->operands[0]);
}
