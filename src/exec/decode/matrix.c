// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// mma, wmma, wgmma, ldmatrix, stmatrix and movmatrix.
#include "exec/decode/decode.h"
#include "exec/matrix/matrix.h"

static void set_registers(struct weir_decoder *d, struct weir_fragment *f, const struct weir_operand *o, bool writes) {
  const unsigned width = f->bits == 64 ? 8 : 4;
  for (unsigned k = 0; k < o->part_count; k++)
    f->data[k] =
      writes ? weir_in_frame(weir_result(d, &o->parts[k], width)) : weir_source_float(d, &o->parts[k], width);
}

static void set_part(struct weir_decoder *d, struct weir_matrix_op *op, enum weir_matrix_part part,
                     const struct weir_operand *o) {
  const struct weir_matrix m = weir_matrix_of(d->in, part);
  op->part[part] = weir_fragment_of(&m, false);
  set_registers(d, &op->part[part], o, part == WEIR_MATRIX_D);
  if (part <= WEIR_MATRIX_B) op->by_columns[part] = m.by_columns;
}

void weir_decode_matrix(struct weir_decoder *d) {
  const struct weir_operand *o = d->in->operands;
  struct weir_matrix_op *op = weir_arena_new(&d->program->arena, struct weir_matrix_op);
  const struct weir_matrix a = weir_matrix_of(d->in, WEIR_MATRIX_A);
  op->m = a.shape.m;
  op->n = a.shape.n;
  op->k = a.shape.k;
  op->quad = weir_matrix_is_quad(&a, d->in);
  op->saturates = weir_has_modifier(d->in, "satfinite");
  op->ands = weir_has_modifier(d->in, "and");
  d->code->multiplies = true;
  set_part(d, op, WEIR_MATRIX_A, &o[1]);
  set_part(d, op, WEIR_MATRIX_B, &o[2]);
  set_part(d, op, WEIR_MATRIX_C, &o[3]);
  set_part(d, op, WEIR_MATRIX_D, &o[0]);
  weir_emit(d, WEIR_X_multiply_matrix)->matrix = op;
}

// Of what wmma.load and wmma.store move, how it lies in memory.
static void set_lines(struct weir_decoder *d, struct weir_matrix_op *op, const struct weir_matrix *m,
                      const struct weir_operand *stride) {
  const struct weir_fragment *f = &op->part[WEIR_MATRIX_D];
  op->along_rows = m->part == WEIR_MATRIX_B ? m->by_columns : !m->by_columns;
  const unsigned lines = op->along_rows ? f->rows : f->columns;
  op->line_bytes = (uint16_t)((op->along_rows ? f->columns : f->rows) * f->bits / 8);
  op->chunk_bytes = (uint8_t)(lines * op->line_bytes / 32);
  op->element_bits = m->bits;
  // Without one, lines follow each other.
  op->stride = stride ? weir_source(d, stride, 4)
                      : weir_in_constants(weir_constant(&d->constants, op->line_bytes * 8u / m->bits, 4));
}

static void move(struct weir_decoder *d, bool stores) {
  const struct weir_operand *o = d->in->operands;
  const struct weir_matrix m = weir_matrix_of(d->in, weir_matrix_moved(d->in));
  struct weir_matrix_op *op = weir_arena_new(&d->program->arena, struct weir_matrix_op);
  op->part[WEIR_MATRIX_D] = weir_fragment_of(&m, true);
  if (m.bits < 8 && m.by_columns != (m.part == WEIR_MATRIX_B))
    weir_cannot(d, "elements narrower than a byte lie in rows of A and in columns of B");
  set_registers(d, &op->part[WEIR_MATRIX_D], &o[stores], !stores);
  set_lines(d, op, &m, d->in->operand_count > 2 ? &o[2] : NULL);
  struct weir_insn *i = weir_emit_address(d, stores ? WEIR_M_matrix_store : WEIR_M_matrix_load, &o[!stores]);
  i->bytes = op->chunk_bytes;
  i->publishes = stores ? WEIR_TO_ALL : WEIR_TO_NOBODY;
  i->matrix = op;
}

void weir_decode_wmma(struct weir_decoder *d) {
  if (weir_wmma_does(d->in, "mma"))
    weir_decode_matrix(d);
  else
    move(d, weir_wmma_does(d->in, "store"));
}

static void move_rows(struct weir_decoder *d, bool stores) {
  const struct weir_operand *o = d->in->operands;
  struct weir_matrix_op *op = weir_arena_new(&d->program->arena, struct weir_matrix_op);
  op->matrices = (uint8_t)weir_matrix_rows_of(d->in);
  op->transposes = weir_has_modifier(d->in, "trans");
  set_registers(d, &op->part[WEIR_MATRIX_D], &o[stores], !stores);
  struct weir_insn *i = weir_emit_address(d, stores ? WEIR_M_store_rows : WEIR_M_load_rows, &o[!stores]);
  i->bytes = 16;
  i->publishes = stores ? WEIR_TO_ALL : WEIR_TO_NOBODY;
  i->matrix = op;
}

void weir_decode_load_rows(struct weir_decoder *d) {
  move_rows(d, false);
}

void weir_decode_store_rows(struct weir_decoder *d) {
  move_rows(d, true);
}

void weir_decode_transpose(struct weir_decoder *d) {
  const struct weir_operand *o = d->in->operands;
  const struct weir_ref a = weir_source(d, &o[1], 4);
  struct weir_insn *i = weir_emit(d, WEIR_X_transpose);
  weir_set_a(i, a);
  i->d = weir_result(d, &o[0], 4);
}

// ---- wgmma --------------------------------------------------------------------------------------------------------------

// D as fragments of eight columns, each in its tile.
static void set_sums(struct weir_decoder *d, struct weir_warpgroup_op *op, const struct weir_operand *o) {
  const unsigned fragments = op->n / 8u;
  struct weir_matrix m = weir_matrix_of(d->in, WEIR_MATRIX_D);
  m.shape.n = 8;
  m.registers = m.distinct = (uint8_t)(m.registers / fragments);
  op->d = weir_arena_array(&d->program->arena, struct weir_fragment, fragments);
  for (unsigned k = 0; k < fragments; k++) {
    const unsigned column = 8 * k % WEIR_WARPGROUP_TILE, left = op->n - (8 * k - column);
    struct weir_fragment *f = &op->d[k];
    *f = weir_fragment_of(&m, false);
    f->columns = (uint16_t)(left < WEIR_WARPGROUP_TILE ? left : WEIR_WARPGROUP_TILE);
    for (unsigned r = 0; r < m.registers; r++) {
      f->at[r].column = (uint16_t)(f->at[r].column + column);
      f->data[r] = weir_in_frame(weir_result(d, &o->parts[k * m.registers + r], 4));
    }
  }
}

// Behind the four operands that all have: signs of A and B, then which of those in memory are transposed.
static void set_factors(const struct weir_instruction *in, struct weir_warpgroup_op *op) {
  enum { SIGN_A = 4, SIGN_B, TRANSPOSES };
  const struct weir_operand *o = in->operands;
  if (in->operand_count <= SIGN_A) return;
  op->negates = o[SIGN_A].bits != o[SIGN_B].bits;
  if (in->operand_count <= TRANSPOSES) return;
  op->transposed[WEIR_MATRIX_B] = o[in->operand_count - 1].bits;
  op->transposed[WEIR_MATRIX_A] = in->operand_count > TRANSPOSES + 1 && o[TRANSPOSES].bits;
}

static void decode_product(struct weir_decoder *d) {
  const struct weir_operand *o = d->in->operands;
  struct weir_warpgroup_op *op = weir_arena_new(&d->program->arena, struct weir_warpgroup_op);
  const struct weir_matrix a = weir_matrix_of(d->in, WEIR_MATRIX_A);
  const unsigned joined = a.bits == 1 ? 32 : 1;
  op->n = a.shape.n;
  op->k = (uint16_t)(a.shape.k / joined);
  op->element_bits = (uint8_t)(a.bits * joined);
  op->saturates = weir_has_modifier(d->in, "satfinite");
  for (unsigned part = 0; part < 4; part++) op->type[part] = weir_matrix_of(d->in, (enum weir_matrix_part)part).type;
  op->a_in_registers = o[1].kind == WEIR_OPERAND_VECTOR;
  op->a = weir_fragment_of(&a, false);
  if (op->a_in_registers)
    set_registers(d, &op->a, &o[1], false);
  else
    op->descriptor[WEIR_MATRIX_A] = weir_source(d, &o[1], 8);
  op->descriptor[WEIR_MATRIX_B] = weir_source(d, &o[2], 8);
  op->adds = weir_source_predicate(d, &o[3], &op->adds_unless);
  set_sums(d, op, &o[0]);
  set_factors(d->in, op);
  d->code->multiplies = true;
  struct weir_insn *i = weir_emit_memory(d, WEIR_M_warpgroup);
  i->reach = WEIR_REACH_SHARED;
  i->warpgroup = op;
}

// Each warp makes its part of a product for itself; what is about groups of products takes time alone. What they have read may be written over once one of them has waited for it, so they wait for each
// other there, too: a device makes a product for all four at once.
void weir_decode_warpgroup(struct weir_decoder *d) {
  if (d->in->form.type == WEIR_T_NONE)
    weir_emit_kind(d, weir_has_modifier(d->in, "wait_group") ? WEIR_KIND_WARPGROUP : WEIR_KIND_NOTHING);
  else
    decode_product(d);
}
