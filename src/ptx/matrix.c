// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "ptx/matrix.h"

#include <stdio.h>
#include <string.h>

enum { WARP = 32 };

bool weir_wmma_does(const struct weir_instruction *in, const char *word) {
  return in->opcode == WEIR_OP_WMMA && weir_has_modifier(in, word);
}

static struct weir_matrix_shape shape_of(const struct weir_instruction *in) {
  unsigned m, n, k;
  for (unsigned i = 0; i < in->modifier_count; i++)
    if (sscanf(in->modifiers[i], "m%un%uk%u", &m, &n, &k) == 3)
      return (struct weir_matrix_shape){(uint16_t)(in->opcode == WEIR_OP_WGMMA ? m / 4 : m), (uint16_t)n, (uint16_t)k};
  return (struct weir_matrix_shape){0};
}

// Of A the first row or col, of B the second; of what wmma moves the only one.
static bool by_columns(const struct weir_instruction *in, enum weir_matrix_part part) {
  bool col = false;
  unsigned seen = 0;
  const bool moves = !weir_wmma_does(in, "mma") && in->opcode == WEIR_OP_WMMA;
  const unsigned want = !moves && part == WEIR_MATRIX_B ? 2 : 1;
  for (unsigned k = 0; k < in->modifier_count && seen < want; k++)
    if (!strcmp(in->modifiers[k], "row") || !strcmp(in->modifiers[k], "col")) {
      col = in->modifiers[k][0] == 'c';
      seen++;
    }
  return col;
}

static unsigned bits_of(enum weir_type type) {
  if (type == WEIR_T_B1) return 1;
  return type == WEIR_T_U4 || type == WEIR_T_S4 ? 4 : 8 * weir_type_bytes(type);
}

static enum weir_type type_of(const struct weir_instruction *in, enum weir_matrix_part part) {
  static const uint8_t at[] = {[WEIR_MATRIX_A] = 1, [WEIR_MATRIX_B] = 2, [WEIR_MATRIX_C] = 3, [WEIR_MATRIX_D] = 0};
  const uint8_t *types = in->form.types;
  if (in->opcode == WEIR_OP_WGMMA && part == WEIR_MATRIX_C) return types[0]; // which is D
  if (in->opcode == WEIR_OP_MMA || types[2]) return types[at[part]];
  if (!weir_wmma_does(in, "mma")) return types[0];
  // wmma.mma.….f32.f16: types of D and C alone
  return part == WEIR_MATRIX_D ? types[0] : part == WEIR_MATRIX_C ? types[1] : WEIR_T_F16;
}

bool weir_matrix_is_quad(const struct weir_matrix *m, const struct weir_instruction *in) {
  return in->opcode == WEIR_OP_MMA && m->shape.k == 4 && m->shape.m == 8 && in->form.types[1] == WEIR_T_F16;
}

struct weir_matrix weir_matrix_of(const struct weir_instruction *in, enum weir_matrix_part part) {
  const enum weir_type type = type_of(in, part);
  struct weir_matrix m = {.shape = shape_of(in),
                          .part = (uint8_t)part,
                          .type = (uint8_t)type,
                          .bits = (uint8_t)bits_of(type),
                          .by_columns = by_columns(in, part)};
  const struct weir_matrix_shape s = m.shape;
  const unsigned elements = part == WEIR_MATRIX_A ? s.m * s.k : part == WEIR_MATRIX_B ? s.k * s.n : s.m * s.n;
  const unsigned register_bits = m.bits == 64 ? 64 : 32, matrices = weir_matrix_is_quad(&m, in) ? 4 : 1;
  m.distinct = (uint8_t)(elements * matrices * m.bits / register_bits / WARP);
  const bool again = in->opcode == WEIR_OP_WMMA && type == WEIR_T_F16 && part <= WEIR_MATRIX_B;
  m.registers = again ? 8 : m.distinct; // PTX ISA, "Matrix Fragments for WMMA"
  return m;
}

enum weir_matrix_part weir_matrix_moved(const struct weir_instruction *in) {
  if (weir_has_modifier(in, "a")) return WEIR_MATRIX_A;
  if (weir_has_modifier(in, "b")) return WEIR_MATRIX_B;
  return weir_has_modifier(in, "c") ? WEIR_MATRIX_C : WEIR_MATRIX_D;
}

unsigned weir_matrix_rows_of(const struct weir_instruction *in) {
  return weir_has_modifier(in, "x4") ? 4 : weir_has_modifier(in, "x2") ? 2 : 1;
}

unsigned weir_matrix_registers(const struct weir_instruction *in, unsigned number, enum weir_type *type) {
  static const uint8_t parts[] = {WEIR_MATRIX_D, WEIR_MATRIX_A, WEIR_MATRIX_B, WEIR_MATRIX_C};
  *type = WEIR_T_B32;
  if (in->opcode == WEIR_OP_LDMATRIX || in->opcode == WEIR_OP_STMATRIX) return weir_matrix_rows_of(in);
  const bool multiplies = in->opcode == WEIR_OP_MMA || in->opcode == WEIR_OP_WGMMA || weir_wmma_does(in, "mma");
  const struct weir_matrix m = weir_matrix_of(in, multiplies ? parts[number & 3] : weir_matrix_moved(in));
  if (m.type == WEIR_T_F32 || m.type == WEIR_T_F64 || m.type == WEIR_T_S32) *type = m.type;
  return m.registers;
}
