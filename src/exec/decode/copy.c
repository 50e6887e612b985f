// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Asynchronous copies.
#include "exec/copy.h"
#include "exec/decode/decode.h"

static struct weir_shared_address shared_address(struct weir_decoder *d, const struct weir_operand *o) {
  struct weir_shared_address a = {.wide = true, .offset = (uint64_t)o->offset};
  if (o->base_is_register) {
    a.wide = weir_width(o->symbol->type) == 8;
    a.from = d->place[weir_operand_register(o)];
    return a;
  }
  const struct weir_location at = o->symbol ? weir_locations_get(&d->locations, o->symbol) : (struct weir_location){0};
  a.offset += at.value;
  a.from = at.where == WEIR_AT_EXTERN_SHARED
    ? (struct weir_ref){weir_slot_offset(d->program, WEIR_SLOT_EXTERN_SHARED), WEIR_BANK_LAUNCH}
    : weir_in_constants(weir_constant(&d->constants, 0, 8));
  return a;
}

// Of a copy, all but its address of global memory.
static struct weir_insn *emit(struct weir_decoder *d, unsigned body, const struct weir_operand *global,
                              const struct weir_copy_op *what, bool has_size) {
  struct weir_copy_op *op = weir_arena_new(&d->program->arena, struct weir_copy_op);
  *op = *what;
  if (d->in->form.cache_hint) op->policy = weir_source(d, &d->in->operands[d->in->operand_count - 1], 8);
  if (!has_size && d->in->form.cache_hint) op->size = op->policy; // comes behind what there is
  struct weir_insn *i = weir_emit_address(d, body, global);
  i->reach = WEIR_REACH_GLOBAL;
  i->list = &op->size;
  i->count = has_size;
  return i;
}

// ---- cp.async.bulk ----------------------------------------------------------------------------------------------------------

// [map, {coordinates}]
static void set_coordinates(struct weir_decoder *d, const struct weir_operand *o, struct weir_copy_op *op) {
  const struct weir_operand *at = &o->parts[0];
  const bool one = at->kind != WEIR_OPERAND_VECTOR;
  op->dimensions = (uint8_t)(one ? 1 : at->part_count);
  for (unsigned k = 0; k < op->dimensions; k++) op->at[k] = weir_source(d, one ? at : &at->parts[k], 4);
}

static void decode_bulk(struct weir_decoder *d) {
  const struct weir_operand *o = d->in->operands;
  if (weir_has_modifier(d->in, "commit_group") || weir_has_modifier(d->in, "wait_group")) {
    weir_emit_kind(d, WEIR_KIND_NOTHING);
    return;
  }
  struct weir_copy_op op = {.stores = weir_has_modifier(d->in, "bulk_group"),
                            .prefetches = weir_has_modifier(d->in, "prefetch"),
                            .reduces = weir_has_modifier(d->in, "reduce")};
  op.arrives = !op.stores && !op.prefetches;
  op.multicasts = weir_has_modifier(d->in, "multicast::cluster");
  op.from_shared = weir_has_modifier(d->in, "shared::cta") && !weir_has_modifier(d->in, "global");
  const struct weir_operand *global = &o[op.arrives ? 1 : 0];
  const bool tensor = global->part_count;
  if (tensor)
    set_coordinates(d, global, &op);
  else
    op.size = weir_source(d, &o[op.prefetches ? 1 : 2], 4);
  if (!op.prefetches) op.shared = shared_address(d, &o[op.stores ? 1 : 0]);
  if (op.arrives) op.barrier = shared_address(d, &o[tensor ? 2 : 3]);
  if (op.multicasts) op.blocks = weir_source(d, &o[tensor ? 3 : 4], 4);
  struct weir_insn *i = emit(d, WEIR_M_bulk, global, &op, true);
  i->publishes = op.prefetches ? WEIR_TO_NOBODY : WEIR_TO_ALL;
  i->sub = d->in->form.sub;
  i->type = d->in->form.type;
}

// ---- st.async, red.async ----------------------------------------------------------------------------------------------------

void weir_decode_async(struct weir_decoder *d) {
  const struct weir_operand *o = d->in->operands;
  const unsigned width = weir_width(d->in->form.type);
  const bool vector = o[1].kind == WEIR_OPERAND_VECTOR;
  struct weir_async_op *op = weir_arena_new(&d->program->arena, struct weir_async_op);
  const unsigned count = vector ? o[1].part_count : 1;
  for (unsigned k = 0; k < count; k++) op->values[k] = weir_source_float(d, vector ? &o[1].parts[k] : &o[1], width);
  op->barrier = shared_address(d, &o[2]);
  struct weir_insn *i = weir_emit_address(d, WEIR_M_async, &o[0]);
  i->list = op->values;
  i->count = (uint8_t)count;
  i->sub = d->in->opcode == WEIR_OP_RED ? d->in->form.sub : WEIR_SUB_NONE;
  i->type = d->in->form.type;
  i->publishes = WEIR_TO_ALL;
}

// ---- cp.async ---------------------------------------------------------------------------------------------------------------

// How many bytes it takes, or whether it takes any.
static void set_taken(struct weir_decoder *d, const struct weir_operand *o, struct weir_copy_op *op) {
  bool negated = false;
  op->ignores = weir_operand_width(o) == 1;
  op->size = op->ignores ? weir_source_predicate(d, o, &negated) : weir_source(d, o, 4);
  op->unless_ignores = negated;
}

// cp.async dst, src, size{, taken}.
void weir_decode_copy(struct weir_decoder *d) {
  const struct weir_operand *o = d->in->operands;
  if (weir_has_modifier(d->in, "bulk")) {
    decode_bulk(d);
    return;
  }
  if (d->in->form.type == WEIR_T_B64) {
    weir_decode_copies_arrive(d);
    return;
  }
  if (d->in->operand_count < 3) {
    weir_emit_kind(d, WEIR_KIND_NOTHING);
    return;
  }
  const bool partial = d->in->operand_count > 3 && o[3].kind != WEIR_OPERAND_SINK && weir_operand_width(&o[3]) != 8;
  struct weir_copy_op op = {.shared = shared_address(d, &o[0])};
  if (partial) set_taken(d, &o[3], &op);
  struct weir_insn *i = emit(d, WEIR_M_copy, &o[1], &op, partial);
  i->bytes = (uint8_t)o[2].bits;
}
