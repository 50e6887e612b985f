// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// PTX text to tokens, on demand. Invariant: `at` is the end of the last token given; `line` and `line_start` belong to
// it. Comments and lines that begin with # are white space.
#ifndef WEIR_PTX_LEX_H
#define WEIR_PTX_LEX_H

#include <stdbool.h>
#include <stdint.h>

// A token's kind is its character, or one of these.
enum weir_token_kind {
  WEIR_TOKEN_END = 0,
  WEIR_TOKEN_NAME = 256, // identifiers, registers: [A-Za-z_$%][A-Za-z0-9_$]*
  WEIR_TOKEN_DIRECTIVE,  // .name, .name::name
  WEIR_TOKEN_NUMBER,     // 12 0x1F 0f3F800000 1.5e-3 4U
  WEIR_TOKEN_STRING,     // with its quotes
  WEIR_TOKEN_SHIFT_LEFT,
  WEIR_TOKEN_SHIFT_RIGHT,
  WEIR_TOKEN_BAD_STRING, // no closing quote on its line
};

struct weir_token {
  int kind;
  uint32_t length;
  uint32_t line, column;
  const char *start;
};

struct weir_lexer {
  const char *at, *line_start;
  uint32_t line;
  uint32_t open_line, open_column; // of a comment that the text ends in; 0: none
};

struct weir_token weir_lex(struct weir_lexer *lexer);

// The next character that is not white space, without taking it.
char weir_lex_peek(struct weir_lexer *lexer);

// Goes on behind `token`, a name, over all that belongs to an opcode with its modifiers: ".global.L1::evict_last.u32".
void weir_lex_mnemonic(struct weir_lexer *lexer, struct weir_token *token);

bool weir_token_is(const struct weir_token *token, const char *text);

#endif
