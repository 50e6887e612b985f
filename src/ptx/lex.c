// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "ptx/lex.h"

#include <string.h>

enum { SPACE = 1, NAME_START = 2, DIGIT = 4, NAME = NAME_START | DIGIT };

static const uint8_t class_of[256] = {
  [' '] = SPACE,
  ['\t'] = SPACE,
  ['\r'] = SPACE,
  ['\v'] = SPACE,
  ['\f'] = SPACE,
  ['0' ... '9'] = DIGIT,
  ['a' ... 'z'] = NAME_START,
  ['A' ... 'Z'] = NAME_START,
  ['_'] = NAME_START,
  ['$'] = NAME_START,
  ['%'] = NAME_START,
};

static uint8_t class(char c) {
  return class_of[(unsigned char)c];
}

static void new_line(struct weir_lexer *l, const char *newline) {
  l->line++;
  l->line_start = newline + 1;
}

static const char *skip_line(const char *at) {
  const char *newline = strchr(at, '\n');
  return newline ? newline : at + strlen(at);
}

static const char *skip_block_comment(struct weir_lexer *l, const char *at) {
  const uint32_t line = l->line, column = (uint32_t)(at - l->line_start) + 1;
  for (at += 2; *at && !(at[0] == '*' && at[1] == '/'); at++)
    if (*at == '\n') new_line(l, at);
  if (!*at) l->open_line = line, l->open_column = column;
  return *at ? at + 2 : at;
}

static void skip_space(struct weir_lexer *l) {
  for (const char *at = l->at;;) {
    if (class(*at) == SPACE)
      at++;
    else if (*at == '\n')
      new_line(l, at), at++;
    else if (at[0] == '/' && at[1] == '/')
      at = skip_line(at);
    else if (at[0] == '/' && at[1] == '*')
      at = skip_block_comment(l, at);
    else if (*at == '#' && at == l->line_start)
      at = skip_line(at);
    else {
      l->at = at;
      return;
    }
  }
}

static const char *skip_name(const char *at) {
  while (class(*at) & NAME && *at != '%') at++;
  return at;
}

// Behind ".global" or ".L1::evict_last" or ".2d".
static const char *skip_modifier(const char *at) {
  at = skip_name(at + 1);
  while (at[0] == ':' && at[1] == ':') at = skip_name(at + 2);
  return at;
}

static const char *skip_number(const char *at) {
  bool prefixed = at[0] == '0' && strchr("xXbBfFdD", at[1]) && at[1];
  for (;; at++) {
    bool exponent = !prefixed && (*at == 'e' || *at == 'E') && (at[1] == '+' || at[1] == '-');
    if (exponent)
      at++;
    else if (!(class(*at) & NAME) && (prefixed || *at != '.'))
      return at;
    else if (*at == '%')
      return at;
  }
}

static const char *skip_string(const char *at, int *kind) {
  for (at++; *at && *at != '"' && *at != '\n'; at++)
    if (*at == '\\' && at[1] && at[1] != '\n') at++;
  *kind = *at == '"' ? WEIR_TOKEN_STRING : WEIR_TOKEN_BAD_STRING;
  return *at == '"' ? at + 1 : at;
}

struct weir_token weir_lex(struct weir_lexer *l) {
  skip_space(l);
  const char *start = l->at, *at = start;
  int kind = (unsigned char)*start;
  bool named = class(*start) & NAME_START && (*start != '%' || class(start[1]) & NAME_START); // 5%3 has no name
  if (named)
    kind = WEIR_TOKEN_NAME, at = skip_name(start + 1);
  else if (class(*start) & DIGIT)
    kind = WEIR_TOKEN_NUMBER, at = skip_number(start);
  else if (*start == '.' && class(start[1]) & NAME)
    kind = WEIR_TOKEN_DIRECTIVE, at = skip_modifier(start);
  else if (*start == '"')
    at = skip_string(start, &kind);
  else if (start[0] == '<' && start[1] == '<')
    kind = WEIR_TOKEN_SHIFT_LEFT, at = start + 2;
  else if (start[0] == '>' && start[1] == '>')
    kind = WEIR_TOKEN_SHIFT_RIGHT, at = start + 2;
  else if (kind)
    at = start + 1;
  l->at = at;
  return (struct weir_token){.kind = kind,
                             .length = (uint32_t)(at - start),
                             .line = l->line,
                             .column = (uint32_t)(start - l->line_start) + 1,
                             .start = start};
}

char weir_lex_peek(struct weir_lexer *l) {
  skip_space(l);
  return *l->at;
}

void weir_lex_mnemonic(struct weir_lexer *l, struct weir_token *token) {
  const char *at = token->start + token->length; // what was looked at behind it may be blanks
  while (at[0] == '.' && class(at[1]) & NAME) at = skip_modifier(at);
  l->at = at;
  token->length = (uint32_t)(at - token->start);
}

bool weir_token_is(const struct weir_token *token, const char *text) {
  return strlen(text) == token->length && memcmp(token->start, text, token->length) == 0;
}
