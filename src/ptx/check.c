// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "ptx/check.h"

#include <string.h>

static bool refuse(const struct weir_module *m, uint32_t line, uint32_t column, const char *what, const char *reason,
                   struct weir_sink *sink) {
  return weir_fail(sink, (struct weir_place){m->path, m->text, line, column}, "cannot run '%s': %s", what, reason);
}

static bool asks_for_cluster(const struct weir_function *f) {
  for (uint32_t i = 0; i < f->directive_count; i++)
    if (strncmp(f->directives[i], ".reqnctapercluster", 18) == 0 || strcmp(f->directives[i], ".explicitcluster") == 0)
      return true;
  return false;
}

static bool check_head(const struct weir_function *f, struct weir_sink *sink) {
  const struct weir_symbol *name = f->symbol;
  return !asks_for_cluster(f) || refuse(f->home, name->line, name->column, name->name, "clusters of thread blocks", sink);
}

static bool check_instructions(const struct weir_function *f, struct weir_sink *sink) {
  bool ok = true;
  for (uint32_t s = 0; s < f->statement_count; s++) {
    if (f->statements[s].kind != WEIR_STMT_INSTRUCTION) continue;
    const struct weir_instruction *i = f->statements[s].instruction;
    if (i->runnable) ok = refuse(f->home, i->line, i->column, weir_opcode_name(i->opcode), i->runnable, sink);
  }
  return ok;
}

// An external variable that nothing in the module defines; dynamic shared memory is given at the launch.
static bool is_undefined(const struct weir_module *m, const struct weir_symbol *v) {
  if (v->linkage != WEIR_LINK_EXTERN || v->space == WEIR_SPACE_SHARED) return false;
  return weir_module_find(m, v->name)->linkage == WEIR_LINK_EXTERN;
}

static bool check_variable(const struct weir_module *m, const struct weir_symbol *v, struct weir_sink *sink) {
  const bool misplaced = weir_type_class(v->type) == 'o' && (v->space != WEIR_SPACE_GLOBAL || v->dimensions);
  const char *reason = misplaced                     ? "textures, samplers and surfaces that are no .global scalars"
                       : v->space == WEIR_SPACE_TEX ? "the .tex state space"
                       : is_undefined(m, v)         ? "it is declared but not defined here"
                                                    : NULL;
  return !reason || refuse(m, v->line, v->column, v->name, reason, sink);
}

static bool check(const struct weir_module *m, bool instructions, struct weir_sink *sink) {
  bool ok = true;
  for (uint32_t i = 0; i < m->item_count; i++) {
    const struct weir_item *item = &m->items[i];
    if (item->kind == WEIR_ITEM_FUNCTION) {
      weir_sink_follow(sink, item->function->home->text);
      ok &= check_head(item->function, sink);
      if (instructions) ok &= check_instructions(item->function, sink);
    } else if (item->kind == WEIR_ITEM_VARIABLE) {
      ok &= check_variable(m, item->variable, sink);
    }
  }
  weir_sink_follow(sink, NULL);
  return ok;
}

bool weir_ptx_check(const struct weir_module *m, struct weir_sink *sink) {
  return check(m, true, sink);
}

bool weir_ptx_check_frame(const struct weir_module *m, struct weir_sink *sink) {
  return check(m, false, sink);
}
