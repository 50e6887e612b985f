// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// An opcode with its modifiers, decoded once however often it is written.
#ifndef WEIR_PTX_MNEMONIC_H
#define WEIR_PTX_MNEMONIC_H

#include "ptx/parser.h"

struct weir_mnemonic {
  uint16_t opcode;
  uint8_t modifier_count;
  const char *const *modifiers;
  struct weir_form form;
  const char *operands; // as in ptx/opcodes.def
  const char *reason;   // NULL, or why weir cannot run it
};

// The mnemonic that begins at the current token, a name, which is taken; NULL if there is no such opcode.
const struct weir_mnemonic *weir_parse_mnemonic(struct weir_parser *p, struct weir_token *at);

// Looks the form up (ptx/opcodes.def); false, and a diagnostic, if it is not legal.
bool weir_find_form(struct weir_parser *p, struct weir_mnemonic *n, const struct weir_token *at);

// Whether an instruction has the operands that its form asks for.
bool weir_check_operands(struct weir_parser *p, const struct weir_mnemonic *n, const struct weir_instruction *i);

#endif
