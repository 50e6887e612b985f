// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "ptx/parser.h"

#include <string.h>

enum { CANDIDATES = 4096, INDEX_DIGITS = 9 };

bool weir_scope_open(struct weir_parser *p) {
  if (p->depth == WEIR_PTX_MAX_NESTING) return false;
  p->scopes[++p->depth] = (struct weir_block_scope){p->names->count, p->pending_count};
  return true;
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static uint32_t decimal(const char *text, uint32_t length) {
  uint32_t value = 0;
  for (uint32_t i = 0; i < length; i++) value = value * 10 + (uint32_t)(text[i] - '0');
  return value;
}

// A parameterised register: `%r17` is number 17 of `%r<30>`. The longest index is tried first; one without leading
// zeros, as %r01 is not %r1.
static struct weir_symbol *find_parameterised(const struct weir_parser *p, const struct weir_token *name,
                                              uint32_t *index) {
  uint32_t prefix = name->length;
  while (prefix > 1 && name->length - prefix < INDEX_DIGITS && is_digit(name->start[prefix - 1])) prefix--;
  for (; prefix < name->length; prefix++) {
    if (name->start[prefix] == '0' && prefix + 1 < name->length) continue;
    struct weir_name *e = weir_names_find(p->names, name->start, prefix, 0);
    struct weir_symbol *s = e ? e->value : NULL;
    if (!s || !s->parameterised) continue;
    *index = decimal(name->start + prefix, name->length - prefix);
    return s;
  }
  return NULL;
}

struct weir_symbol *weir_scope_find(struct weir_parser *p, const struct weir_token *name, uint32_t *index) {
  *index = 0;
  bool indexed = is_digit(name->start[name->length - 1]);
  struct weir_symbol *s = indexed && *name->start == '%' ? find_parameterised(p, name, index) : NULL;
  if (s && *index < s->count) return s;
  struct weir_name *e = weir_names_find(p->names, name->start, name->length, 0);
  s = e ? e->value : NULL;
  if (s && !s->parameterised) {
    *index = 0;
    return s;
  }
  s = indexed ? find_parameterised(p, name, index) : NULL;
  return s && *index < s->count ? s : NULL;
}

void weir_scope_defer(struct weir_parser *p, const struct weir_symbol **slot, const struct weir_token *name) {
  struct weir_pending *pending = weir_push(p->pending, p->pending_count, p->pending_capacity);
  *pending = (struct weir_pending){slot, *name};
}

static const char *nearest_name(const struct weir_parser *p, const char *word) {
  const char *candidates[CANDIDATES];
  size_t count = 0;
  for (uint32_t i = p->names->count; i-- && count < CANDIDATES;)
    candidates[count++] = ((struct weir_symbol *)p->names->entries[i].value)->name;
  return weir_nearest(word, candidates, count);
}

bool weir_scope_undeclared(struct weir_parser *p, const struct weir_token *name) {
  uint32_t index = 0;
  struct weir_symbol *s = is_digit(name->start[name->length - 1]) ? find_parameterised(p, name, &index) : NULL;
  int length = name->length > 100 ? 100 : (int)name->length;
  if (s) return weir_parse_error(p, name, "'%.*s' is outside %s<%u>", length, name->start, s->name, s->count);
  const char *near = weir_parse_suggests(p) ? nearest_name(p, weir_parse_text(p, name)) : NULL;
  if (near) return weir_parse_error(p, name, "'%.*s' is not declared; did you mean '%s'?", length, name->start, near);
  return weir_parse_error(p, name, "'%.*s' is not declared", length, name->start);
}

// Binds a use in the scope about to close, or in the function's outermost one to anything.
static bool bind(struct weir_parser *p, const struct weir_pending *pending) {
  uint32_t depth = p->depth > 1 ? p->depth : 0;
  struct weir_name *e = weir_names_find(p->names, pending->token.start, pending->token.length, depth);
  if (e) *pending->slot = e->value;
  else if (p->depth <= 1) weir_scope_undeclared(p, &pending->token);
  return e || p->depth <= 1;
}

void weir_scope_close(struct weir_parser *p) {
  struct weir_block_scope *scope = &p->scopes[p->depth];
  uint32_t kept = scope->pending;
  for (uint32_t i = scope->pending; i < p->pending_count; i++)
    if (!bind(p, &p->pending[i])) p->pending[kept++] = p->pending[i];
  p->pending_count = kept;
  weir_names_pop(p->names, scope->names);
  p->depth--;
}

// A function may be declared many times, and a variable again after an extern declaration.
static bool may_redeclare(const struct weir_symbol *old, const struct weir_symbol *s) {
  if (old->kind != s->kind) return false;
  if (s->kind == WEIR_SYM_FUNCTION) return true;
  return s->kind == WEIR_SYM_VARIABLE && (old->linkage == WEIR_LINK_EXTERN || s->linkage == WEIR_LINK_EXTERN);
}

bool weir_scope_declare(struct weir_parser *p, struct weir_symbol *s, const struct weir_token *at) {
  size_t length = strlen(s->name);
  struct weir_name *e = weir_names_find(p->names, s->name, length, p->depth);
  if (!e) {
    weir_names_add(p->names, s->name, length, p->depth, s);
    return true;
  }
  struct weir_symbol *old = e->value;
  if (p->depth || !may_redeclare(old, s))
    return weir_parse_error(p, at, "'%s' is declared again; first at line %u", s->name, old->line);
  if (s->linkage != WEIR_LINK_EXTERN) e->value = s;
  return true;
}
