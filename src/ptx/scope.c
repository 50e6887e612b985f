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

// The innermost entry under a prefix that is parameterised and, unless any count will do, has a register of that
// index.
static struct weir_name *find_prefix(const struct weir_parser *p, const char *text, uint32_t length, uint32_t index,
                                     bool any_count) {
  struct weir_name *e = weir_names_find(p->names, text, length, 0);
  for (; e; e = weir_names_hidden(p->names, e)) {
    const struct weir_symbol *s = e->value;
    if (s->parameterised && (any_count || index < s->count)) return e;
  }
  return NULL;
}

// A parameterised register: `%r17` is number 17 of `%r<30>`, or number 7 of `%r1<10>`; of what can be meant, the
// innermost declaration, then the longest index. An index has no leading zeros: %r01 is not %r1.
static struct weir_name *find_parameterised(const struct weir_parser *p, const struct weir_token *name, bool any_count,
                                            uint32_t *index) {
  struct weir_name *best = NULL;
  uint32_t prefix = name->length;
  while (prefix > 1 && name->length - prefix < INDEX_DIGITS && is_digit(name->start[prefix - 1])) prefix--;
  for (; prefix < name->length && !(best && best->depth == p->depth); prefix++) {
    if (name->start[prefix] == '0' && prefix + 1 < name->length) continue;
    uint32_t value = decimal(name->start + prefix, name->length - prefix);
    struct weir_name *e = find_prefix(p, name->start, prefix, value, any_count);
    if (!e || (best && best->depth >= e->depth)) continue;
    best = e;
    *index = value;
  }
  return best;
}

// A name as it stands hides a parameterised one of an outer scope, and is hidden by one further in.
struct weir_symbol *weir_scope_find(struct weir_parser *p, const struct weir_token *name, uint32_t *index) {
  *index = 0;
  bool indexed = is_digit(name->start[name->length - 1]);
  struct weir_name *part = indexed ? find_parameterised(p, name, false, index) : NULL;
  if (part && part->depth == p->depth) return part->value;
  struct weir_name *whole = weir_names_find(p->names, name->start, name->length, 0);
  while (whole && ((struct weir_symbol *)whole->value)->parameterised) whole = weir_names_hidden(p->names, whole);
  if (part && (!whole || whole->depth < part->depth)) return part->value;
  *index = 0;
  return whole ? whole->value : NULL;
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
  struct weir_name *part = is_digit(name->start[name->length - 1]) ? find_parameterised(p, name, true, &index) : NULL;
  struct weir_symbol *s = part ? part->value : NULL;
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
  if (e)
    *pending->slot = e->value;
  else if (p->depth <= 1)
    weir_scope_undeclared(p, &pending->token);
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
