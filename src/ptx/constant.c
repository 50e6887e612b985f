// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Constant expressions (PTX ISA, "Constant Expressions"): 64-bit integers, signed unless marked U or too large;
// floats stand alone or behind a sign.
#include "ptx/parser.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct value {
  uint64_t bits;
  bool is_unsigned;
};

static bool ternary(struct weir_parser *p, struct value *v, unsigned nesting);

static int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

static bool integer_literal(const struct weir_token *t, struct value *v) {
  const char *at = t->start, *end = at + t->length;
  unsigned base = 10;
  if (end > at && end[-1] == 'U') v->is_unsigned = true, end--;
  if (end - at > 1 && *at == '0') {
    bool hex = at[1] == 'x' || at[1] == 'X', binary = at[1] == 'b' || at[1] == 'B';
    base = hex ? 16 : binary ? 2 : 8;
    at += hex || binary ? 2 : 1;
  }
  uint64_t bits = 0;
  for (const char *digit = at; digit < end; digit++) {
    unsigned d = (unsigned)digit_value(*digit);
    if (d >= base || __builtin_mul_overflow(bits, base, &bits) || __builtin_add_overflow(bits, d, &bits)) return false;
  }
  v->bits = bits;
  if (bits >> 63) v->is_unsigned = true;
  return end > at;
}

static bool exact_float(const struct weir_token *t, struct weir_constant *c) {
  bool single = t->start[1] == 'f' || t->start[1] == 'F';
  if (t->length != (single ? 10u : 18u)) return false;
  c->bits = 0;
  for (uint32_t i = 2; i < t->length; i++) {
    int d = digit_value(t->start[i]);
    if (d > 15) return false;
    c->bits = c->bits << 4 | (unsigned)d;
  }
  c->type = single ? WEIR_T_F32 : WEIR_T_F64;
  return true;
}

static bool decimal_float(const struct weir_token *t, struct weir_constant *c, bool *infinite) {
  char text[64], *end;
  if (t->length >= sizeof text) return false;
  memcpy(text, t->start, t->length);
  text[t->length] = 0;
  double value = strtod(text, &end);
  memcpy(&c->bits, &value, sizeof value);
  c->type = WEIR_T_F64;
  *infinite = isinf(value);
  return !*end;
}

static bool is_exact_float(const struct weir_token *t) {
  return t->length > 2 && t->start[0] == '0' && strchr("fFdD", t->start[1]);
}

static bool is_float(const struct weir_token *t) {
  if (t->kind != WEIR_TOKEN_NUMBER) return false;
  if (is_exact_float(t)) return true;
  if (t->length > 1 && t->start[0] == '0' && strchr("xXbB", t->start[1])) return false;
  return memchr(t->start, '.', t->length) || memchr(t->start, 'e', t->length) || memchr(t->start, 'E', t->length);
}

static bool float_literal(struct weir_parser *p, struct weir_constant *c, bool negative) {
  struct weir_token t = p->token;
  c->is_float = true;
  bool infinite = false;
  if (!(is_exact_float(&t) ? exact_float(&t, c) : decimal_float(&t, c, &infinite)))
    return weir_parse_error(p, &t, "'%.*s' is not a number", t.length > 60 ? 60 : (int)t.length, t.start);
  if (infinite) return weir_parse_error(p, &t, "'%.*s' is outside of double precision's range", (int)t.length, t.start);
  if (negative) c->bits ^= c->type == WEIR_T_F32 ? UINT64_C(1) << 31 : UINT64_C(1) << 63;
  weir_parse_take(p);
  return true;
}

static bool parenthesised(struct weir_parser *p, struct value *v, unsigned nesting) {
  if (p->token.kind == WEIR_TOKEN_DIRECTIVE) { // a cast
    struct weir_token type = weir_parse_take(p);
    bool to_unsigned = weir_token_is(&type, ".u64");
    if (!to_unsigned && !weir_token_is(&type, ".s64")) return weir_parse_error(p, &type, "expected .s64 or .u64");
    if (!weir_parse_expect(p, ')', "')'") || !ternary(p, v, nesting + 1)) return false;
    v->is_unsigned = to_unsigned;
    return true;
  }
  return ternary(p, v, nesting + 1) && weir_parse_expect(p, ')', "')'");
}

static bool unary(struct weir_parser *p, struct value *v, unsigned nesting) {
  struct weir_token t = p->token;
  if (nesting > WEIR_PTX_MAX_NESTING) return weir_parse_error(p, &t, "expression nested too deeply");
  switch (t.kind) {
  case WEIR_TOKEN_NUMBER:
    weir_parse_take(p);
    return integer_literal(&t, v) ||
      weir_parse_error(p, &t, "'%.*s' is not a 64-bit integer", t.length > 60 ? 60 : (int)t.length, t.start);
  case '(': weir_parse_take(p); return parenthesised(p, v, nesting);
  case '+':
  case '-':
  case '~':
  case '!':
    weir_parse_take(p);
    if (!unary(p, v, nesting + 1)) return false;
    if (t.kind == '-')
      v->bits = -v->bits;
    else if (t.kind == '~')
      v->bits = ~v->bits;
    else if (t.kind == '!')
      *v = (struct value){.bits = !v->bits};
    return true;
  default: return weir_parse_unexpected(p, "a constant");
  }
}

// Binding strength of the operator at the current token, 0 if it is none; two-character ones are seen as their first
// character with the second behind it.
static unsigned strength(struct weir_parser *p, int *operator) {
  int kind = p->token.kind, next = *p->lexer.at;
  *operator= kind;
  if (p->in_angles && (kind == '>' || kind == WEIR_TOKEN_SHIFT_RIGHT)) return 0;
  switch (kind) {
  case '*':
  case '/':
  case '%': return 10;
  case '+':
  case '-': return 9;
  case WEIR_TOKEN_SHIFT_LEFT:
  case WEIR_TOKEN_SHIFT_RIGHT: return 8;
  case '<':
  case '>':
    if (next == '=') *operator= kind == '<' ? 'l' : 'g';
    return 7;
  case '=':
  case '!': *operator= kind == '=' ? 'e' : 'n'; return next == '=' ? 6 : 0;
  case '&': *operator= next == '&' ? 'a' : '&'; return next == '&' ? 2 : 5;
  case '^': return 4;
  case '|': *operator= next == '|' ? 'o' : '|'; return next == '|' ? 1 : 3;
  default: return 0;
  }
}

static bool divide(uint64_t a, uint64_t b, bool is_unsigned, bool remainder, uint64_t *result) {
  if (!b) return false;
  if (is_unsigned)
    *result = remainder ? a % b : a / b;
  else if (b == UINT64_MAX)
    *result = remainder ? 0 : -a;
  else
    *result = (uint64_t)(remainder ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
  return true;
}

static bool compare(int operator, uint64_t a, uint64_t b, bool is_unsigned) {
  bool less = is_unsigned ? a < b : (int64_t)a < (int64_t)b;
  switch (operator) {
  case '<': return less;
  case '>': return !less && a != b;
  case 'l': return less || a == b;
  case 'g': return !less;
  case 'e': return a == b;
  default: return a != b;
  }
}

// NULL, or what is wrong with it.
static const char *apply(int operator, struct value * v, struct value w) {
  uint64_t a = v->bits, b = w.bits;
  bool shift = operator== WEIR_TOKEN_SHIFT_LEFT || operator== WEIR_TOKEN_SHIFT_RIGHT;
  if (shift && b > 63) return "a shift by more than 63 bits";
  if (!shift) v->is_unsigned |= w.is_unsigned;
  switch (operator) {
  case '*': v->bits = a * b; break;
  case '/': return divide(a, b, v->is_unsigned, false, &v->bits) ? NULL : "division by zero";
  case '%': return divide(a, b, v->is_unsigned, true, &v->bits) ? NULL : "division by zero";
  case '+': v->bits = a + b; break;
  case '-': v->bits = a - b; break;
  case WEIR_TOKEN_SHIFT_LEFT: v->bits = a << b; break;
  case WEIR_TOKEN_SHIFT_RIGHT: v->bits = v->is_unsigned ? a >> b : (uint64_t)((int64_t)a >> b); break;
  case '&': v->bits = a & b; break;
  case '^': v->bits = a ^ b; break;
  case '|': v->bits = a | b; break;
  case 'a': *v = (struct value){.bits = a && b}; break;
  case 'o': *v = (struct value){.bits = a || b}; break;
  default: *v = (struct value){.bits = compare(operator, a, b, v->is_unsigned)};
  }
  return NULL;
}

static bool binary(struct weir_parser *p, struct value *v, unsigned weakest, unsigned nesting) {
  if (!unary(p, v, nesting)) return false;
  int operator;
  for (unsigned s; (s = strength(p, &operator)) >= weakest;) {
    struct weir_token at = weir_parse_take(p);
    if (operator>= 'a' && operator<= 'o') weir_parse_take(p);
    struct value right = {0};
    if (!binary(p, &right, s + 1, nesting + 1)) return false;
    const char *wrong = apply(operator, v, right);
    if (wrong) return weir_parse_error(p, &at, "%s", wrong);
  }
  return true;
}

static bool ternary(struct weir_parser *p, struct value *v, unsigned nesting) {
  if (!binary(p, v, 1, nesting)) return false;
  if (!weir_parse_accept(p, '?')) return true;
  struct value yes = {0}, no = {0};
  if (!ternary(p, &yes, nesting + 1) || !weir_parse_expect(p, ':', "':'")) return false;
  if (!ternary(p, &no, nesting + 1)) return false;
  *v = v->bits ? yes : no;
  return true;
}

bool weir_parse_constant(struct weir_parser *p, struct weir_constant *c) {
  *c = (struct weir_constant){0};
  if (is_float(&p->token)) return float_literal(p, c, false);
  struct weir_token first = p->token;
  if (first.kind == '-' || first.kind == '+') {
    struct weir_lexer after = p->lexer;
    struct weir_token next = weir_lex(&after);
    if (is_float(&next)) {
      weir_parse_take(p);
      return float_literal(p, c, first.kind == '-');
    }
  }
  struct value v = {0};
  if (!ternary(p, &v, 0)) return false;
  c->bits = v.bits;
  return true;
}

bool weir_parse_integer(struct weir_parser *p, uint64_t *value) {
  struct weir_token at = p->token;
  struct weir_constant c;
  if (!weir_parse_constant(p, &c)) return false;
  *value = c.bits;
  return !c.is_float || weir_parse_error(p, &at, "expected an integer");
}
