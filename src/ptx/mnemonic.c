// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "ptx/mnemonic.h"

#include <string.h>

enum { MAX_MODIFIERS = 32, MAX_LENGTH = 512 };

static bool is(const char *a, const char *b) {
  return strcmp(a, b) == 0;
}

// The meanings that hold whatever the opcode.
static bool decode_general(struct weir_form *f, const char *m) {
#define X(spelling, field, value)                                                                                      \
  if (is(m, spelling)) {                                                                                               \
    f->field = value;                                                                                                  \
    return true;                                                                                                       \
  }
#include "ptx/modifiers.def"
#undef X
  return false;
}

static bool decode_comparison(struct weir_form *f, const char *m) {
  if (is(m, "lo"))
    f->compare = WEIR_CMP_LO;
  else if (is(m, "hi"))
    f->compare = WEIR_CMP_HI;
  else if (is(m, "nan"))
    f->compare = WEIR_CMP_NAN;
  else if (is(m, "and"))
    f->boolean = WEIR_SUB_AND;
  else if (is(m, "or"))
    f->boolean = WEIR_SUB_OR;
  else if (is(m, "xor"))
    f->boolean = WEIR_SUB_XOR;
  else
    return false;
  return true;
}

static bool decode_barrier(struct weir_form *f, const char *m) {
  if (is(m, "sync"))
    f->sub = f->sub == WEIR_SUB_WARP_SYNC ? f->sub : WEIR_SUB_SYNC;
  else if (is(m, "warp"))
    f->sub = WEIR_SUB_WARP_SYNC;
  else if (is(m, "and") || is(m, "or") || is(m, "popc")) {
    f->boolean = is(m, "and") ? WEIR_SUB_AND : is(m, "or") ? WEIR_SUB_OR : WEIR_SUB_POPC;
  } else
    return false;
  return true;
}

static bool decode_membar(struct weir_form *f, const char *m) {
  if (is(m, "cta"))
    f->sub = WEIR_SUB_CTA;
  else if (is(m, "sys"))
    f->sub = WEIR_SUB_SYS;
  else
    return false;
  return true;
}

static bool decode_component(struct weir_form *f, const char *m) {
  static const char components[] = "rgba";
  const char *component = strlen(m) == 1 ? strchr(components, *m) : NULL;
  if (component) f->query = (uint8_t)(component - components);
  return component != NULL;
}

// What a modifier means to one opcode only.
static bool decode_special(enum weir_opcode op, struct weir_form *f, const char *m) {
  switch (op) {
  case WEIR_OP_SETP:
  case WEIR_OP_SET: return decode_comparison(f, m);
  case WEIR_OP_BAR:
  case WEIR_OP_BARRIER: return decode_barrier(f, m);
  case WEIR_OP_MEMBAR: return decode_membar(f, m);
  case WEIR_OP_TLD4: return decode_component(f, m);
  case WEIR_OP_VOTE:
    if (!is(m, "uni")) return false;
    f->sub = WEIR_SUB_UNI;
    return true;
  default: return false;
  }
}

static void decode_type(struct weir_form *f, enum weir_type type) {
  for (unsigned k = 0; k < WEIR_FORM_TYPES; k++) {
    if (f->types[k]) continue;
    f->types[k] = (uint8_t)type;
    return;
  }
}

// Where two spaces are written, the first is the destination's (cp.async.shared.global).
static void decode(enum weir_opcode op, struct weir_form *f, const char *m) {
  uint8_t space = f->space;
  enum weir_type type = weir_type_named(m, strlen(m));
  if (type)
    decode_type(f, type);
  else if (!decode_special(op, f, m))
    decode_general(f, m);
  if (space && f->space != space)
    f->to_space = space;
  else if (!space && f->space)
    f->to_space = f->space;
}

static bool find_opcode(const char *text, size_t length, uint16_t *opcode) {
  for (enum weir_opcode op = 0; op < WEIR_OPCODE_COUNT; op++) {
    const char *name = weir_opcode_name(op);
    if (strlen(name) != length || memcmp(name, text, length) != 0) continue;
    *opcode = (uint16_t)op;
    return true;
  }
  return false;
}

static bool unknown_opcode(struct weir_parser *p, const struct weir_token *at, const char *name) {
  const char *names[WEIR_OPCODE_COUNT];
  for (enum weir_opcode op = 0; op < WEIR_OPCODE_COUNT; op++) names[op] = weir_opcode_name(op);
  const char *near = weir_parse_suggests(p) ? weir_nearest(name, names, WEIR_OPCODE_COUNT) : NULL;
  if (near) return weir_parse_error(p, at, "unknown instruction '%.60s'; did you mean '%s'?", name, near);
  return weir_parse_error(p, at, "unknown instruction '%.60s'", name);
}

// `text` is "opcode.modifier.modifier"; it is cut apart in place.
static struct weir_mnemonic *decode_all(struct weir_parser *p, char *text, const struct weir_token *at) {
  const char *modifiers[MAX_MODIFIERS];
  struct weir_mnemonic *n = weir_arena_new(p->arena, struct weir_mnemonic);
  size_t length = strcspn(text, ".");
  char *rest = text + length;
  bool found = find_opcode(text, length, &n->opcode);
  n->form.vector = 1;
  while (*rest) {
    *rest++ = 0;
    char *modifier = rest;
    rest += strcspn(rest, ".");
    if (n->modifier_count == MAX_MODIFIERS) return weir_parse_error(p, at, "too many modifiers"), NULL;
    modifiers[n->modifier_count++] = modifier;
  }
  if (!found) return unknown_opcode(p, at, text), NULL;
  const char **kept = weir_arena_array(p->arena, const char *, n->modifier_count);
  memcpy(kept, modifiers, n->modifier_count * sizeof *kept);
  n->modifiers = kept;
  return n;
}

static struct weir_mnemonic *decode_new(struct weir_parser *p, const struct weir_token *at) {
  struct weir_mnemonic *n = decode_all(p, weir_parse_text(p, at), at);
  for (unsigned i = 0; n && i < n->modifier_count; i++) decode(n->opcode, &n->form, n->modifiers[i]);
  return n && weir_find_form(p, n, at) ? n : NULL;
}

// Modifiers apart from their opcode (`ld .global .u32`) are put together.
static bool join(struct weir_parser *p, struct weir_token *at) {
  char text[MAX_LENGTH];
  size_t length = at->length;
  if (length >= MAX_LENGTH) return weir_parse_error(p, at, "too many modifiers");
  memcpy(text, at->start, length);
  while (p->token.kind == WEIR_TOKEN_DIRECTIVE) {
    struct weir_token modifier = weir_parse_take(p);
    if (length + modifier.length >= MAX_LENGTH) return weir_parse_error(p, at, "too many modifiers");
    memcpy(text + length, modifier.start, modifier.length);
    length += modifier.length;
  }
  at->start = weir_arena_text(p->arena, text, length);
  at->length = (uint32_t)length;
  return true;
}

const struct weir_mnemonic *weir_parse_mnemonic(struct weir_parser *p, struct weir_token *at) {
  weir_lex_mnemonic(&p->lexer, &p->token);
  *at = weir_parse_take(p);
  if (p->token.kind == WEIR_TOKEN_DIRECTIVE && !join(p, at)) return NULL;
  struct weir_name *known = weir_names_find(&p->mnemonics, at->start, at->length, 0);
  if (known) return known->value;
  struct weir_mnemonic *n = decode_new(p, at);
  if (n) weir_names_add(&p->mnemonics, at->start, at->length, 0, n);
  return n;
}
