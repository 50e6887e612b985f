// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "ptx/parser.h"

#include <stdlib.h>
#include <string.h>

struct weir_statement *weir_parse_statement(struct weir_parser *p, enum weir_statement_kind kind, uint32_t line) {
  struct weir_statement *s = weir_push(p->statements, p->statement_count, p->statement_capacity);
  *s = (struct weir_statement){.kind = kind, .line = line};
  return s;
}

static void add_text(struct weir_parser *p, enum weir_statement_kind kind, uint32_t line, const char *text) {
  weir_parse_statement(p, kind, line)->text = text;
}

// ---- statements -----------------------------------------------------------------------------------------------------

static bool parse_number(struct weir_parser *p, uint32_t *value) {
  const struct weir_token at = p->token;
  uint64_t wide;
  if (!weir_parse_integer(p, &wide)) return false;
  *value = (uint32_t)wide;
  return wide <= UINT32_MAX || weir_parse_error(p, &at, "expected a number of at most 32 bits");
}

static bool parse_source(struct weir_parser *p, struct weir_source *s) {
  return parse_number(p, &s->file) && parse_number(p, &s->line) && parse_number(p, &s->column);
}

// , function_name label {+ n}, inlined_at file line column
static bool parse_inlined(struct weir_parser *p, struct weir_source *caller) {
  uint32_t ignored;
  if (!weir_token_is(&p->token, "function_name")) return weir_parse_unexpected(p, "function_name");
  weir_parse_take(p);
  if (p->token.kind != WEIR_TOKEN_NAME && p->token.kind != WEIR_TOKEN_DIRECTIVE)
    return weir_parse_unexpected(p, "a label or a section");
  weir_parse_take(p);
  if (p->token.kind == '+' && !parse_number(p, &ignored)) return false;
  if (!weir_parse_expect(p, ',', "','")) return false;
  if (!weir_token_is(&p->token, "inlined_at")) return weir_parse_unexpected(p, "inlined_at");
  weir_parse_take(p);
  return parse_source(p, caller);
}

static bool parse_loc(struct weir_parser *p) {
  struct weir_token at = weir_parse_take(p);
  const char *from = p->token.start;
  struct weir_source source, caller;
  if (!parse_source(p, &source)) return false;
  bool inlined = weir_parse_accept(p, ',');
  if (inlined && !parse_inlined(p, &caller)) return false;
  weir_source_loc(p, source, inlined ? &caller : NULL);
  add_text(p, WEIR_STMT_LOC, at.line, weir_parse_written(p, from));
  return true;
}

// .pragma "a", "b";
static bool parse_pragma(struct weir_parser *p) {
  struct weir_token at = weir_parse_take(p);
  do {
    if (!weir_parse_expect(p, WEIR_TOKEN_STRING, "a string")) return false;
  } while (weir_parse_accept(p, ','));
  if (!weir_parse_expect(p, ';', "';'")) return false;
  add_text(p, WEIR_STMT_PRAGMA, at.line, weir_parse_written(p, at.start));
  return true;
}

// Behind `name: .branchtargets` or `.calltargets`: names, mostly of labels that follow.
static bool parse_targets(struct weir_parser *p, struct weir_symbol *s) {
  struct weir_token *names = NULL;
  uint32_t count = 0, capacity = 0;
  bool ok = true;
  do {
    if (p->token.kind == WEIR_TOKEN_NAME) *weir_push(names, count, capacity) = p->token;
    ok = weir_parse_expect(p, WEIR_TOKEN_NAME, "a name");
  } while (ok && weir_parse_accept(p, ','));
  s->targets = weir_arena_array(p->arena, const struct weir_symbol *, count);
  s->target_count = ok ? count : 0;
  for (uint32_t i = 0; i < s->target_count; i++) weir_scope_defer(p, &s->targets[i], &names[i]);
  weir_free(names);
  return ok;
}

static bool skip_to_semicolon(struct weir_parser *p) {
  while (p->token.kind != ';') {
    int kind = p->token.kind;
    if (kind == WEIR_TOKEN_END || kind == '{' || kind == '}') return weir_parse_unexpected(p, "';'");
    weir_parse_take(p);
  }
  return true;
}

// name: .callprototype … ; and its kin
static bool parse_labelled_directive(struct weir_parser *p, struct weir_symbol *s) {
  struct weir_token at = weir_parse_take(p);
  bool targets = weir_token_is(&at, ".branchtargets") || weir_token_is(&at, ".calltargets");
  s->kind = targets ? WEIR_SYM_TARGETS : WEIR_SYM_PROTOTYPE;
  bool ok = targets ? parse_targets(p, s) : skip_to_semicolon(p);
  if (!ok || !weir_parse_expect(p, ';', "';'")) return false;
  s->text = weir_parse_written(p, at.start);
  weir_parse_statement(p, WEIR_STMT_DECLARATION, at.line)->symbol = s;
  return true;
}

static bool is_labelled_directive(const struct weir_token *t) {
  return t->kind == WEIR_TOKEN_DIRECTIVE &&
    (weir_token_is(t, ".callprototype") || weir_token_is(t, ".branchtargets") || weir_token_is(t, ".calltargets"));
}

static bool parse_label(struct weir_parser *p) {
  struct weir_token name = weir_parse_take(p);
  weir_parse_take(p); // the colon
  struct weir_symbol *s = weir_arena_new(p->arena, struct weir_symbol);
  s->name = weir_parse_text(p, &name);
  s->line = name.line, s->column = name.column;
  s->kind = WEIR_SYM_LABEL;
  if (is_labelled_directive(&p->token) && !parse_labelled_directive(p, s)) return false;
  if (!weir_scope_declare(p, s, &name)) return true;
  if (s->kind != WEIR_SYM_LABEL) return true;
  s->statement = p->statement_count;
  weir_parse_statement(p, WEIR_STMT_LABEL, name.line)->symbol = s;
  return true;
}

static bool parse_directive(struct weir_parser *p) {
  struct weir_token at = p->token;
  if (weir_token_is(&at, ".loc")) return parse_loc(p);
  if (weir_token_is(&at, ".pragma")) return parse_pragma(p);
  if (weir_parse_is_declaration(&at)) return weir_parse_declaration(p, WEIR_LINK_NONE, at.start);
  return weir_parse_error(p, &at, "unexpected directive '%.*s' in a function", (int)at.length, at.start);
}

static bool open_block(struct weir_parser *p) {
  struct weir_token at = weir_parse_take(p);
  if (!weir_scope_open(p)) return weir_parse_error(p, &at, "blocks nested more than %d deep", WEIR_PTX_MAX_NESTING);
  weir_parse_statement(p, WEIR_STMT_OPEN, at.line);
  return true;
}

static bool parse_one(struct weir_parser *p) {
  struct weir_token at = p->token;
  switch (at.kind) {
  case '{': return open_block(p);
  case '}':
    weir_parse_take(p);
    weir_scope_close(p);
    weir_parse_statement(p, WEIR_STMT_CLOSE, at.line);
    return true;
  case ';':
    weir_parse_take(p);
    add_text(p, WEIR_STMT_TEXT, at.line, ";");
    return true;
  case WEIR_TOKEN_DIRECTIVE: return parse_directive(p);
  case WEIR_TOKEN_NAME:
    if (weir_lex_peek(&p->lexer) == ':') return parse_label(p);
    return weir_parse_instruction(p);
  default: return weir_parse_instruction(p);
  }
}

// Behind the opening brace, to the closing one.
static bool parse_statements(struct weir_parser *p) {
  uint32_t outer = p->depth;
  weir_source_begin(p);
  for (;;) {
    if (p->token.kind == '}' && p->depth == outer) break;
    if (p->token.kind == WEIR_TOKEN_END) return weir_parse_unexpected(p, "'}'");
    if (!parse_one(p)) weir_parse_recover(p);
  }
  weir_parse_take(p);
  return true;
}

// ---- heads ----------------------------------------------------------------------------------------------------------

// Behind '(': parameters, or nothing.
static bool parse_parameters(struct weir_parser *p, struct weir_symbol ***list, uint32_t *list_count) {
  struct weir_symbol **params = NULL;
  uint32_t count = 0, capacity = 0;
  bool ok = true;
  if (p->token.kind != ')') {
    do {
      struct weir_symbol *s = weir_parse_parameter(p);
      ok = s != NULL;
      if (ok) *weir_push(params, count, capacity) = s;
    } while (ok && weir_parse_accept(p, ','));
  }
  *list = weir_arena_array(p->arena, struct weir_symbol *, count);
  if (count) memcpy(*list, params, count * sizeof *params);
  *list_count = count;
  weir_free(params);
  return ok && weir_parse_expect(p, ')', "')' or ','");
}

enum { MAX_DIMENSION = INT32_MAX };

// `most` numbers or fewer, of which those that are missing are 1.
static bool parse_dimensions(struct weir_parser *p, const struct weir_token *name, unsigned most,
                             uint32_t *dimensions) {
  uint64_t product = 1;
  for (unsigned i = 0; i < most; i++) dimensions[i] = 1;
  for (unsigned i = 0; i < most && (!i || weir_parse_accept(p, ',')); i++) {
    const struct weir_token at = p->token;
    uint64_t value;
    if (!weir_parse_integer(p, &value)) return false;
    if (!value || value > MAX_DIMENSION || product > MAX_DIMENSION / value)
      return weir_parse_error(p, &at, "%.*s is 1 to %d", (int)name->length, name->start, MAX_DIMENSION);
    dimensions[i] = (uint32_t)value;
    product *= value;
  }
  return true;
}

static bool skip_arguments(struct weir_parser *p) {
  while (p->token.kind == WEIR_TOKEN_NUMBER || p->token.kind == ',' || p->token.kind == WEIR_TOKEN_STRING ||
         p->token.kind == WEIR_TOKEN_NAME)
    weir_parse_take(p);
  return true;
}

static bool parse_arguments(struct weir_parser *p, struct weir_function *f, const struct weir_token *name) {
  uint32_t ignored;
  if (weir_token_is(name, ".maxntid")) return parse_dimensions(p, name, 3, f->maxntid);
  if (weir_token_is(name, ".reqntid")) return parse_dimensions(p, name, 3, f->reqntid);
  if (weir_token_is(name, ".minnctapersm")) return parse_dimensions(p, name, 1, &f->minnctapersm);
  if (weir_token_is(name, ".maxnreg")) return parse_dimensions(p, name, 1, &f->maxnreg);
  if (weir_token_is(name, ".maxnctapersm")) return parse_dimensions(p, name, 1, &ignored);
  if (weir_token_is(name, ".reqnctapercluster")) return parse_dimensions(p, name, 3, f->reqnctapercluster);
  if (weir_token_is(name, ".maxclusterrank")) return parse_dimensions(p, name, 1, &f->maxclusterrank);
  f->explicitcluster |= weir_token_is(name, ".explicitcluster");
  return skip_arguments(p);
}

// .maxntid 256, 1, 1 .noreturn … up to the body or the semicolon
static bool parse_function_directives(struct weir_parser *p, struct weir_function *f) {
  const char **list = NULL;
  uint32_t count = 0, capacity = 0;
  bool ok = true;
  while (ok && p->token.kind == WEIR_TOKEN_DIRECTIVE) {
    struct weir_token name = weir_parse_take(p);
    ok = parse_arguments(p, f, &name);
    if (weir_token_is(&name, ".pragma")) weir_parse_accept(p, ';');
    *weir_push(list, count, capacity) = weir_parse_written(p, name.start);
  }
  f->directives = weir_arena_array(p->arena, const char *, count);
  if (count) memcpy(f->directives, list, count * sizeof *list);
  f->directive_count = count;
  weir_free(list);
  return ok;
}

static bool parse_head(struct weir_parser *p, struct weir_function *f) {
  if (weir_parse_accept(p, '(')) {
    f->returns_written = true;
    if (!parse_parameters(p, &f->returns, &f->return_count)) return false;
  }
  struct weir_token name = p->token;
  if (!weir_parse_expect(p, WEIR_TOKEN_NAME, "a function's name")) return false;
  f->symbol->name = weir_parse_text(p, &name);
  f->symbol->line = name.line, f->symbol->column = name.column;
  if (weir_parse_accept(p, '(')) {
    f->params_written = true;
    if (!parse_parameters(p, &f->params, &f->param_count)) return false;
  }
  return parse_function_directives(p, f);
}

// All declarations of a function share one symbol; its `function` is the one with the body, if there is one.
static bool declare_function(struct weir_parser *p, struct weir_function *f) {
  struct weir_symbol *s = f->symbol;
  struct weir_token at = {.line = s->line, .column = s->column};
  struct weir_name *known = weir_names_find(p->names, s->name, strlen(s->name), 0);
  struct weir_symbol *old = known ? known->value : NULL;
  if (!old || old->kind != WEIR_SYM_FUNCTION) return weir_scope_declare(p, s, &at);
  if (f->has_body && old->function->has_body)
    return weir_parse_error(p, &at, "'%s' has a body already, at line %u", s->name, old->line);
  f->symbol = old;
  if (f->has_body) {
    old->function = f;
    old->line = s->line, old->column = s->column;
    if (s->linkage != WEIR_LINK_NONE) old->linkage = s->linkage;
  }
  return true;
}

static void declare_parameters(struct weir_parser *p, struct weir_symbol **params, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    struct weir_token at = {.line = params[i]->line, .column = params[i]->column};
    if (strcmp(params[i]->name, "_") != 0) weir_scope_declare(p, params[i], &at);
  }
}

static void list_register(struct weir_function *f, const struct weir_symbol *s) {
  for (uint32_t i = 0; s->kind == WEIR_SYM_REGISTER && i < s->count; i++) f->registers[s->first + i] = s;
}

static void list_registers(struct weir_parser *p, struct weir_function *f) {
  f->registers = weir_arena_array(p->arena, const struct weir_symbol *, f->register_count);
  for (uint32_t i = 0; i < f->return_count; i++) list_register(f, f->returns[i]);
  for (uint32_t i = 0; i < f->param_count; i++) list_register(f, f->params[i]);
  for (uint32_t i = 0; i < f->statement_count; i++)
    if (f->statements[i].kind == WEIR_STMT_DECLARATION) list_register(f, f->statements[i].symbol);
}

static bool parse_body(struct weir_parser *p) {
  struct weir_function *f = p->f;
  weir_parse_take(p);
  weir_scope_open(p);
  declare_parameters(p, f->returns, f->return_count);
  declare_parameters(p, f->params, f->param_count);
  bool ok = parse_statements(p);
  while (p->depth) weir_scope_close(p);
  f->statements = weir_arena_array(p->arena, struct weir_statement, p->statement_count);
  f->statement_count = p->statement_count;
  if (p->statement_count) memcpy(f->statements, p->statements, p->statement_count * sizeof *p->statements);
  p->statement_count = 0;
  if (ok && !weir_parse_failed(p)) list_registers(p, f);
  return ok;
}

static void keep_function(struct weir_parser *p, struct weir_function *f) {
  struct weir_item *item = weir_push(p->items, p->item_count, p->item_capacity);
  *item = (struct weir_item){.kind = WEIR_ITEM_FUNCTION, .function = f, .line = f->symbol->line};
}

bool weir_parse_function(struct weir_parser *p, enum weir_linkage linkage) {
  struct weir_token kind = weir_parse_take(p);
  struct weir_function *f = weir_arena_new(p->arena, struct weir_function);
  f->home = p->m;
  f->symbol = weir_arena_new(p->arena, struct weir_symbol);
  f->symbol->kind = WEIR_SYM_FUNCTION;
  f->symbol->function = f;
  f->symbol->linkage = f->linkage = linkage;
  f->entry = weir_token_is(&kind, ".entry");
  p->f = f;
  bool ok = parse_head(p, f);
  f->has_body = ok && p->token.kind == '{';
  if (ok) declare_function(p, f), keep_function(p, f);
  if (f->has_body)
    ok = parse_body(p);
  else if (ok)
    ok = weir_parse_expect(p, ';', "'{' or ';'");
  p->f = NULL;
  return ok;
}
