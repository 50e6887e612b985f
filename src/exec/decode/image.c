// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Textures and surfaces. An image has one level, so tex.level and tex.grad read what tex reads.
#include "exec/decode/decode.h"
#include "exec/image/image.h"

static struct weir_ref reference(struct weir_decoder *d, const struct weir_symbol *s) {
  const struct weir_location at = weir_locations_get(&d->locations, s);
  if (at.where != WEIR_AT_ABSOLUTE && at.where != WEIR_AT_KERNEL_PARAM)
    weir_cannot(d, "a texture, sampler or surface is a variable of the module or a parameter of the kernel");
  return weir_in_constants(weir_constant(&d->constants, at.value, 8));
}

static void set_sampler(struct weir_decoder *d, struct weir_insn *i, const struct weir_operand *o) {
  weir_set_b(i, o->kind == WEIR_OPERAND_SYMBOL ? reference(d, o->symbol) : weir_source(d, o, 8));
}

static struct weir_insn *emit_image(struct weir_decoder *d, unsigned body, const struct weir_operand *where,
                                    struct weir_image_op *op) {
  struct weir_insn *i = weir_emit_memory(d, body);
  weir_set_a(i, where->base_is_register ? d->place[weir_operand_register(where)] : reference(d, where->symbol));
  op->has_sampler = where->part_count == 2;
  if (op->has_sampler) set_sampler(d, i, &where->parts[0]);
  i->image = op;
  return i;
}

// {x}, {x, y}, {x, y, z, –}, {layer, x}, {layer, x, y, –}, or x alone.
static void set_coordinates(struct weir_decoder *d, const struct weir_operand *where, struct weir_image_op *op) {
  static const uint8_t dimensions[] = {[WEIR_GEOMETRY_1D] = 1,
                                       [WEIR_GEOMETRY_2D] = 2,
                                       [WEIR_GEOMETRY_3D] = 3,
                                       [WEIR_GEOMETRY_A1D] = 1,
                                       [WEIR_GEOMETRY_A2D] = 2};
  const unsigned geometry = d->in->form.geometry;
  const struct weir_operand *o = &where->parts[where->part_count - 1];
  const struct weir_operand *parts = o->kind == WEIR_OPERAND_VECTOR ? o->parts : o;
  op->dimensions = dimensions[geometry];
  op->layered = geometry == WEIR_GEOMETRY_A1D || geometry == WEIR_GEOMETRY_A2D;
  op->integer = d->in->form.source_type != WEIR_T_F32;
  if (op->layered) op->layer = weir_source(d, parts++, 4);
  for (unsigned k = 0; k < op->dimensions; k++) op->at[k] = weir_source_float(d, &parts[k], 4);
}

static void set_data(struct weir_decoder *d, const struct weir_operand *o, bool writes, struct weir_image_op *op) {
  const struct weir_form *f = &d->in->form;
  op->elements = f->vector;
  op->type = f->type;
  for (unsigned k = 0; k < f->vector; k++) {
    const struct weir_operand *part = o->kind == WEIR_OPERAND_VECTOR ? &o->parts[k] : o;
    unsigned width = weir_operand_width(part);
    if (width != 4 && width != 8) width = weir_width(f->type);
    op->wide[k] = width == 8;
    op->data[k] = writes ? weir_in_frame(weir_result(d, part, width)) : weir_source_float(d, part, width);
  }
}

static struct weir_image_op *new_op(struct weir_decoder *d) {
  struct weir_image_op *op = weir_arena_new(&d->program->arena, struct weir_image_op);
  op->query = d->in->form.query;
  op->outside = d->in->form.outside;
  return op;
}

static void fetch(struct weir_decoder *d, unsigned body) {
  const struct weir_operand *o = d->in->operands;
  struct weir_image_op *op = new_op(d);
  set_data(d, &o[0], true, op);
  set_coordinates(d, &o[1], op);
  emit_image(d, body, &o[1], op);
}

void weir_decode_texture(struct weir_decoder *d) {
  fetch(d, WEIR_M_texture);
}

void weir_decode_gather(struct weir_decoder *d) {
  fetch(d, WEIR_M_gather);
}

void weir_decode_surface_load(struct weir_decoder *d) {
  const struct weir_operand *o = d->in->operands;
  struct weir_image_op *op = new_op(d);
  op->element_bytes = (uint8_t)weir_type_bytes((enum weir_type)d->in->form.type);
  set_data(d, &o[0], true, op);
  set_coordinates(d, &o[1], op);
  emit_image(d, WEIR_M_surface_load, &o[1], op);
}

void weir_decode_surface_store(struct weir_decoder *d) {
  const struct weir_form *f = &d->in->form;
  const struct weir_operand *o = d->in->operands;
  struct weir_image_op *op = new_op(d);
  op->element_bytes = (uint8_t)(f->formatted ? 0 : weir_type_bytes((enum weir_type)f->type));
  set_data(d, &o[1], false, op);
  set_coordinates(d, &o[0], op);
  emit_image(d, f->formatted ? WEIR_M_surface_format : WEIR_M_surface_store, &o[0], op)->publishes = WEIR_TO_ALL;
}

void weir_decode_image_query(struct weir_decoder *d) {
  const struct weir_operand *o = d->in->operands;
  struct weir_image_op *op = new_op(d);
  op->data[0] = weir_in_frame(weir_result(d, &o[0], 4));
  emit_image(d, WEIR_M_query, &o[1], op);
}

uint64_t weir_sampler_initial(const struct weir_opaque_initial *o) {
  static const uint8_t mode[] = {[WEIR_PTX_WRAP] = WEIR_ADDRESS_WRAP,
                                 [WEIR_PTX_MIRROR] = WEIR_ADDRESS_MIRROR,
                                 [WEIR_PTX_CLAMP_OGL] = WEIR_ADDRESS_CLAMP,
                                 [WEIR_PTX_CLAMP_TO_EDGE] = WEIR_ADDRESS_CLAMP,
                                 [WEIR_PTX_CLAMP_TO_BORDER] = WEIR_ADDRESS_BORDER};
  struct weir_sampler s = {.filter = o->filter == WEIR_PTX_LINEAR ? WEIR_FILTER_LINEAR : WEIR_FILTER_POINT,
                           .normalized = !o->unnormalized};
  for (unsigned k = 0; k < 3; k++) s.address[k] = mode[o->address[k]];
  return weir_sampler_pack(&s);
}
