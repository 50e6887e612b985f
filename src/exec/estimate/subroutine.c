// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What divisions and roots become: sequences in place, or subroutines.
#include "exec/estimate/private.h"

// Both tables are from ptxas's counts of kernels in which one such operation stands between loads and stores of 0 to 24 values
// (docs/VALIDATION.md).
static uint8_t for_kepler(const struct weir_instruction *in) {
  const struct weir_form *f = &in->form;
  const char class = weir_type_class((enum weir_type)f->type);
  const bool wide = weir_type_bytes((enum weir_type)f->type) == 8;
  if (f->approx || f->full) return 0;
  if (class == 'f') {
    switch (in->opcode) {
    case WEIR_OP_DIV: return wide ? 10 : 6;
    case WEIR_OP_SQRT: return wide ? 13 : 3;
    case WEIR_OP_RCP: return 7;
    default: return 0;
    }
  }
  if (in->opcode != WEIR_OP_DIV && in->opcode != WEIR_OP_REM) return 0;
  return !wide ? 2 : class == 's' ? 13 : 8;
}

static uint8_t for_volta(const struct weir_instruction *in) {
  const struct weir_form *f = &in->form;
  const char class = weir_type_class((enum weir_type)f->type);
  const bool wide = weir_type_bytes((enum weir_type)f->type) == 8;
  if (f->approx || f->full) return 0;
  if (class == 'f') {
    switch (in->opcode) {
    case WEIR_OP_DIV: return wide ? 15 : 10;
    case WEIR_OP_SQRT: return wide ? 15 : 5;
    case WEIR_OP_RCP: return 9;
    default: return 0;
    }
  }
  if (in->opcode != WEIR_OP_DIV && in->opcode != WEIR_OP_REM) return 0;
  if (in->operands[2].kind == WEIR_OPERAND_INTEGER) return wide ? 4 : 2; // a multiplication
  if (wide) return class == 's' ? 13 : 9;
  return class == 's' ? 7 : 5;
}

uint8_t weir_sass_scratch(const struct weir_sass *s, const struct weir_instruction *in) {
  return weir_sass_is_volta(s) ? for_volta(in) : for_kepler(in);
}

enum { LEAST_SUBROUTINE = 3 }; // what takes fewer is expanded in place

bool weir_sass_is_subroutine(const struct weir_sass *s, const struct weir_instruction *in) {
  const enum weir_type type = (enum weir_type)in->form.type;
  const bool in_place = weir_sass_is_volta(s) && weir_type_bytes(type) == 4 && weir_type_class(type) != 'f';
  return !in_place && weir_sass_scratch(s, in) >= LEAST_SUBROUTINE;
}
