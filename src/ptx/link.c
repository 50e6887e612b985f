// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "ptx/link.h"

#include "base/alloc.h"
#include "ptx/names.h"

#include <string.h>

// A name seen by all modules, and the symbol that it stands for.
struct global {
  struct weir_symbol *symbol;
  const struct weir_module *home;
  bool undefined_told;
};

struct linker {
  struct weir_module *out;
  struct weir_names *names;
  struct global *globals; // the value of each name
  uint32_t global_count, global_capacity;
  const struct weir_module *home; // being read
  struct weir_sink *sink;
};

static struct weir_place place_of(const struct weir_module *home, uint32_t line, uint32_t column) {
  return (struct weir_place){home->path, home->text, line, column};
}

static bool refuse(struct linker *l, const struct weir_symbol *s, const struct global *other, const char *what) {
  weir_fail(l->sink, place_of(l->home, s->line, s->column), "'%s' %s", s->name, what);
  weir_report(l->sink, WEIR_NOTE, place_of(other->home, other->symbol->line, other->symbol->column), "the other one");
  return false;
}

// ---- which symbol a name stands for ---------------------------------------------------------------------------------

// A kernel is started by its name, so that there is one of each.
static bool is_global(const struct weir_symbol *s) {
  if (s->kind == WEIR_SYM_FUNCTION) return s->linkage != WEIR_LINK_NONE || s->function->entry;
  return s->kind == WEIR_SYM_VARIABLE && s->linkage != WEIR_LINK_NONE;
}

enum strength { UNDEFINED, WEAK, STRONG };

static enum strength strength_of(const struct weir_symbol *s) {
  const bool defined = s->kind == WEIR_SYM_FUNCTION ? s->function->has_body : s->linkage != WEIR_LINK_EXTERN;
  if (!defined) return UNDEFINED;
  return s->linkage == WEIR_LINK_WEAK || s->linkage == WEIR_LINK_COMMON ? WEAK : STRONG;
}

static struct global *find(const struct linker *l, const char *name) {
  const struct weir_name *e = weir_names_find(l->names, name, strlen(name), 0);
  return e ? &l->globals[(uintptr_t)e->value] : NULL;
}

static bool same_parameters(struct weir_symbol *const *a, uint32_t a_count, struct weir_symbol *const *b,
                            uint32_t b_count) {
  if (a_count != b_count) return false;
  for (uint32_t k = 0; k < a_count; k++)
    if (a[k]->bytes != b[k]->bytes || a[k]->align != b[k]->align || a[k]->space != b[k]->space) return false;
  return true;
}

static bool agree(struct linker *l, const struct weir_symbol *s, const struct global *g) {
  const struct weir_symbol *old = g->symbol;
  if (s->kind != old->kind) return refuse(l, s, g, "is a function in one module and a variable in another");
  if (s->kind == WEIR_SYM_FUNCTION) {
    const struct weir_function *f = s->function, *h = old->function;
    const bool same = f->entry == h->entry && same_parameters(f->params, f->param_count, h->params, h->param_count) &&
      same_parameters(f->returns, f->return_count, h->returns, h->return_count);
    return same || refuse(l, s, g, "has other parameters in another module");
  }
  if (s->space != old->space) return refuse(l, s, g, "is in another state space in another module");
  // Dynamic shared memory has a name but no size of its own.
  const bool sized = s->bytes && old->bytes && s->linkage != WEIR_LINK_COMMON && old->linkage != WEIR_LINK_COMMON;
  return !sized || s->bytes == old->bytes || refuse(l, s, g, "is of another size in another module");
}

static void add_global(struct linker *l, struct weir_symbol *s) {
  weir_names_add(l->names, s->name, strlen(s->name), 0, (void *)(uintptr_t)l->global_count);
  *weir_push(l->globals, l->global_count, l->global_capacity) = (struct global){.symbol = s, .home = l->home};
}

static void offer(struct linker *l, struct weir_symbol *s) {
  struct global *g = find(l, s->name);
  if (!g) {
    add_global(l, s);
    return;
  }
  if (g->symbol == s || !agree(l, s, g)) return;
  const enum strength new = strength_of(s), old = strength_of(g->symbol);
  if (new == STRONG && old == STRONG) {
    refuse(l, s, g, "is defined in two modules");
    return;
  }
  const uint32_t align = s->align > g->symbol->align ? s->align : g->symbol->align;
  const bool larger =
    s->linkage == WEIR_LINK_COMMON && g->symbol->linkage == WEIR_LINK_COMMON && s->bytes > g->symbol->bytes;
  if (new > old || larger) g->symbol = s, g->home = l->home;
  g->symbol->align = align;
}

static struct weir_symbol *symbol_of(const struct weir_item *item) {
  if (item->kind == WEIR_ITEM_FUNCTION) return item->function->symbol;
  return item->kind == WEIR_ITEM_VARIABLE ? item->variable : NULL;
}

static void offer_all(struct linker *l, const struct weir_module *m) {
  l->home = m;
  for (uint32_t k = 0; k < m->item_count; k++) {
    struct weir_symbol *s = symbol_of(&m->items[k]);
    if (s && is_global(s)) offer(l, s);
  }
}

// ---- what is kept ---------------------------------------------------------------------------------------------------

static bool stands(const struct linker *l, const struct weir_symbol *s) {
  return !is_global(s) || find(l, s->name)->symbol == s;
}

static bool keeps(const struct linker *l, const struct weir_item *item) {
  const struct weir_symbol *s = symbol_of(item);
  if (!s || !stands(l, s)) return false;
  if (item->kind == WEIR_ITEM_FUNCTION) {
    const struct weir_function *body = s->function; // of another symbol for an .alias
    return item->function->has_body || !body->has_body || body->symbol != s;
  }
  return s->linkage != WEIR_LINK_EXTERN || s->space == WEIR_SPACE_SHARED;
}

static void keep_all(struct linker *l, const struct weir_module *m) {
  for (uint32_t k = 0; k < m->item_count; k++) {
    if (!keeps(l, &m->items[k])) continue;
    l->out->items[l->out->item_count++] = m->items[k];
    if (m->items[k].kind != WEIR_ITEM_FUNCTION) continue;
    m->items[k].function->index = l->out->function_count;
    l->out->functions[l->out->function_count++] = m->items[k].function;
  }
}

// ---- uses -----------------------------------------------------------------------------------------------------------

static void tell_undefined(struct linker *l, struct global *g, uint32_t line, uint32_t column) {
  if (g->undefined_told) return;
  g->undefined_told = true;
  weir_fail(l->sink, place_of(l->home, line, column), "'%s' is used here and defined in no module", g->symbol->name);
  weir_report(l->sink, WEIR_NOTE, place_of(g->home, g->symbol->line, g->symbol->column), "it is declared here");
}

static const struct weir_symbol *use(struct linker *l, const struct weir_symbol *s, uint32_t line, uint32_t column) {
  if (!s || !is_global(s)) return s;
  struct global *g = find(l, s->name);
  const bool given = g->symbol->kind == WEIR_SYM_FUNCTION || g->symbol->space == WEIR_SPACE_SHARED;
  if (!given && strength_of(g->symbol) == UNDEFINED) tell_undefined(l, g, line, column);
  return g->symbol;
}

static void use_in_operand(struct linker *l, struct weir_operand *o) {
  o->symbol = use(l, o->symbol, o->line, o->column);
  for (uint32_t k = 0; k < o->part_count; k++) use_in_operand(l, &o->parts[k]);
}

// A call of a function that had no body in its own module may be run when another has it.
static void use_in_call(struct weir_instruction *i) {
  for (unsigned k = 0; k < i->operand_count; k++) {
    const struct weir_symbol *callee = i->operands[k].symbol;
    if (callee && callee->kind == WEIR_SYM_FUNCTION && callee->function->has_body) i->runnable = NULL;
  }
}

static void use_in_function(struct linker *l, struct weir_function *f, uint32_t files) {
  for (uint32_t k = 0; k < f->statement_count; k++) {
    struct weir_statement *s = &f->statements[k];
    if (s->kind == WEIR_STMT_DECLARATION)
      for (uint32_t t = 0; t < s->symbol->target_count; t++)
        s->symbol->targets[t] = use(l, s->symbol->targets[t], s->line, 0);
    if (s->kind != WEIR_STMT_INSTRUCTION) continue;
    struct weir_instruction *i = s->instruction;
    for (unsigned o = 0; o < i->operand_count; o++) use_in_operand(l, &i->operands[o]);
    if (i->opcode == WEIR_OP_CALL) use_in_call(i);
    if (i->source_file) i->source_file += files;
  }
}

static void use_in_variable(struct linker *l, struct weir_symbol *v) {
  for (uint32_t k = 0; k < v->initial_count; k++)
    v->initial[k].symbol = use(l, v->initial[k].symbol, v->line, v->column);
}

// `files`: how many files the modules before name.
static void use_all(struct linker *l, const struct weir_module *m, uint32_t files) {
  l->home = m;
  for (uint32_t k = 0; k < m->item_count; k++) {
    const struct weir_item *item = &m->items[k];
    if (!keeps(l, item)) continue;
    if (item->kind == WEIR_ITEM_FUNCTION)
      use_in_function(l, item->function, files);
    else
      use_in_variable(l, item->variable);
  }
}

// ---- the whole ------------------------------------------------------------------------------------------------------

static void make_room(struct weir_module *out) {
  uint32_t items = 0, files = 0;
  for (uint32_t k = 0; k < out->part_count; k++) {
    items += out->parts[k]->item_count;
    files += out->parts[k]->file_count;
  }
  out->items = weir_arena_array(&out->arena, struct weir_item, items);
  out->functions = weir_arena_array(&out->arena, struct weir_function *, items);
  out->files = weir_arena_array(&out->arena, const char *, files);
}

static struct weir_module *new_module(struct weir_module **modules, unsigned count) {
  struct weir_module *out = weir_new(struct weir_module);
  const struct weir_module *first = modules[0];
  out->path = first->path, out->text = first->text;
  out->version = first->version, out->target = first->target, out->address_size = first->address_size;
  out->parts = weir_arena_array(&out->arena, struct weir_module *, count);
  memcpy(out->parts, modules, count * sizeof *modules);
  out->part_count = count;
  for (unsigned k = 0; k < count; k++) {
    if (modules[k]->version_number > out->version_number) out->version_number = modules[k]->version_number;
    if (modules[k]->target_number > out->target_number ||
        (modules[k]->target_number == out->target_number && modules[k]->target_feature))
      out->target_number = modules[k]->target_number, out->target_feature = modules[k]->target_feature;
  }
  out->names = weir_new(struct weir_names);
  make_room(out);
  return out;
}

// For weir_module_find: what each name stands for; then, of the modules' own, the first of each.
static void name_all(const struct linker *l) {
  struct weir_names *names = l->out->names;
  for (uint32_t k = 0; k < l->global_count; k++)
    weir_names_add(names, l->globals[k].symbol->name, strlen(l->globals[k].symbol->name), 0, l->globals[k].symbol);
  for (uint32_t k = 0; k < l->out->item_count; k++) {
    struct weir_symbol *s = symbol_of(&l->out->items[k]);
    const size_t length = strlen(s->name);
    if (!weir_names_find(names, s->name, length, 0)) weir_names_add(names, s->name, length, 0, s);
  }
}

struct weir_module *weir_ptx_link(struct weir_module **modules, unsigned count, struct weir_sink *sink) {
  const size_t errors = sink->errors;
  struct weir_names names = {0};
  struct linker l = {.out = new_module(modules, count), .names = &names, .sink = sink};
  for (unsigned k = 0; k < count; k++) offer_all(&l, modules[k]);
  for (unsigned k = 0; k < count && sink->errors == errors; k++) {
    const struct weir_module *m = modules[k];
    keep_all(&l, m);
    use_all(&l, m, l.out->file_count);
    if (m->file_count) memcpy(l.out->files + l.out->file_count, m->files, m->file_count * sizeof *m->files);
    l.out->file_count += m->file_count;
  }
  name_all(&l);
  weir_names_free(&names);
  weir_free(l.globals);
  if (sink->errors == errors) return l.out;
  weir_module_free(l.out);
  return NULL;
}

bool weir_ptx_is_device_runtime(const char *text) {
  return strstr(text, "_22_cuda_device_runtime_cu_") != NULL;
}
