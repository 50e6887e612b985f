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
};

// The mnemonic that begins at the current token, a name, which is taken; NULL if there is no such opcode.
const struct weir_mnemonic *weir_parse_mnemonic(struct weir_parser *p, struct weir_token *at);

#endif
