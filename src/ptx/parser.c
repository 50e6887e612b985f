// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "ptx/parser.h"

#include "base/alloc.h"

#include <stdarg.h>
#include <string.h>

enum { SUGGESTING_ERRORS = 20 };

struct weir_token weir_parse_take(struct weir_parser *p) {
  struct weir_token taken = p->token;
  p->behind = taken.start + taken.length;
  p->token = weir_lex(&p->lexer);
  return taken;
}

bool weir_parse_accept(struct weir_parser *p, int kind) {
  if (p->token.kind != kind) return false;
  weir_parse_take(p);
  return true;
}

bool weir_parse_expect(struct weir_parser *p, int kind, const char *what) {
  return weir_parse_accept(p, kind) || weir_parse_unexpected(p, what);
}

bool weir_parse_error(struct weir_parser *p, const struct weir_token *at, const char *format, ...) {
  char message[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  struct weir_place place = {p->m->path, p->m->text, at->line, at->column};
  return weir_fail(p->sink, place, "%s", message);
}

bool weir_parse_open_comment(struct weir_parser *p) {
  const struct weir_token at = {.line = p->lexer.open_line, .column = p->lexer.open_column};
  p->lexer.open_line = 0;
  return at.line && !weir_parse_error(p, &at, "a comment without its closing */");
}

bool weir_parse_unexpected(struct weir_parser *p, const char *expected) {
  const struct weir_token *t = &p->token;
  if (t->kind == WEIR_TOKEN_END && weir_parse_open_comment(p)) return false;
  if (t->kind == WEIR_TOKEN_END) return weir_parse_error(p, t, "expected %s, got the end of the file", expected);
  if (t->kind == WEIR_TOKEN_BAD_STRING) return weir_parse_error(p, t, "string without its closing quote");
  return weir_parse_error(p, t, "expected %s, got '%.*s'", expected, t->length > 60 ? 60 : (int)t->length, t->start);
}

// Whether the current brace belongs to an operand: {%r1, %r2} opens behind a comma or a blank, and goes on.
static bool is_operand_brace(struct weir_parser *p) {
  if (p->token.kind == '}') {
    char next = weir_lex_peek(&p->lexer);
    return next == ',' || next == ';' || next == ']' || next == ')';
  }
  return p->behind && !strchr(";{}:", p->behind[-1]);
}

void weir_parse_recover(struct weir_parser *p) {
  for (;;) {
    int kind = p->token.kind;
    if (kind == WEIR_TOKEN_END) return;
    if ((kind == '{' || kind == '}') && !is_operand_brace(p)) return;
    weir_parse_take(p);
    if (kind == ';') return;
  }
}

bool weir_parse_failed(const struct weir_parser *p) {
  return p->sink->errors > p->errors_before;
}

bool weir_parse_suggests(const struct weir_parser *p) {
  return p->sink->errors - p->errors_before < SUGGESTING_ERRORS;
}

char *weir_parse_text(struct weir_parser *p, const struct weir_token *token) {
  return weir_arena_text(p->arena, token->start, token->length);
}

static const char *skip_comment(const char *at, const char *end) {
  if (at[1] == '/') {
    while (at < end && *at != '\n') at++;
    return at;
  }
  for (at += 2; at < end && !(at[0] == '*' && at[1] == '/');) at++;
  return at < end ? at + 2 : end;
}

static bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

// Behind a string; `at` stands on its opening quote.
static const char *string_end(const char *at, const char *end) {
  for (at++; at < end && *at != '"'; at++)
    if (*at == '\\') at++;
  return at < end ? at + 1 : end;
}

char *weir_parse_written(struct weir_parser *p, const char *from) {
  const char *end = p->behind, *at = from;
  char *text = weir_arena_alloc(p->arena, (size_t)(end - from) + 1), *out = text, gap = 0;
  while (at < end) {
    bool comment = at[0] == '/' && (at[1] == '/' || at[1] == '*');
    if (comment || is_space(*at)) {
      if (*at == '\n')
        gap = '\n';
      else if (!gap)
        gap = ' ';
      at = comment ? skip_comment(at, end) : at + 1;
      continue;
    }
    if (gap && out > text) *out++ = gap;
    gap = 0;
    const char *next = *at == '"' ? string_end(at, end) : at + 1;
    while (at < next) *out++ = *at++;
  }
  return text;
}
