// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What divisions and roots become: sequences in place, or subroutines.
#include "exec/estimate/private.h"

// Registers that a sequence takes besides its operands and result, of 4 and of 8 bytes. The numbers are from ptxas's counts of kernels
// in which one such operation stands between loads and stores of 0 to 24 values (docs/VALIDATION.md).
struct sequences {
  uint8_t division[2], root[2], reciprocal;
};
static const struct sequences of_kepler = {{6, 10}, {3, 13}, 7}, of_volta = {{10, 15}, {5, 15}, 9};

static uint8_t of_float(const struct sequences *s, enum weir_opcode opcode, bool wide) {
  switch (opcode) {
  case WEIR_OP_DIV: return s->division[wide];
  case WEIR_OP_SQRT: return s->root[wide];
  case WEIR_OP_RCP: return s->reciprocal;
  default: return 0;
  }
}

// Of a division or remainder of integers.
static uint8_t of_integer(bool volta, const struct weir_instruction *in, bool wide, bool is_signed) {
  if (!volta) return !wide ? 2 : is_signed ? 13 : 8;
  if (in->operands[2].kind == WEIR_OPERAND_INTEGER) return wide ? 4 : 2; // a multiplication
  if (wide) return is_signed ? 13 : 9;
  return is_signed ? 7 : 5;
}

uint8_t weir_sass_scratch(const struct weir_sass *s, const struct weir_instruction *in) {
  const struct weir_form *f = &in->form;
  const char class = weir_type_class((enum weir_type)f->type);
  const bool wide = weir_type_bytes((enum weir_type)f->type) == 8, volta = weir_sass_is_volta(s);
  if (f->approx || f->full) return 0;
  if (class == 'f') return of_float(volta ? &of_volta : &of_kepler, (enum weir_opcode)in->opcode, wide);
  if (in->opcode != WEIR_OP_DIV && in->opcode != WEIR_OP_REM) return 0;
  return of_integer(volta, in, wide, class == 's');
}

enum { LEAST_SUBROUTINE = 3 }; // what takes fewer is expanded in place

bool weir_sass_is_subroutine(const struct weir_sass *s, const struct weir_instruction *in) {
  const enum weir_type type = (enum weir_type)in->form.type;
  const bool in_place = weir_sass_is_volta(s) && weir_type_bytes(type) == 4 && weir_type_class(type) != 'f';
  return !in_place && weir_sass_scratch(s, in) >= LEAST_SUBROUTINE;
}
