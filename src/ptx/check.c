// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "ptx/check.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

enum detail { NO_INSTRUCTIONS, BY_FORM, EACH_INSTRUCTION };

static bool refuse(const struct weir_module *m, uint32_t line, uint32_t column, const char *what, const char *reason,
                   struct weir_sink *sink) {
  return weir_fail(sink, (struct weir_place){m->path, m->text, line, column}, "cannot run '%s': %s", what, reason);
}

// Its grid would count clusters, not blocks (PTX ISA, "Cluster Dimension Directives: .blocksareclusters").
static bool counts_clusters(const struct weir_function *f) {
  for (uint32_t i = 0; i < f->directive_count; i++)
    if (strcmp(f->directives[i], ".blocksareclusters") == 0) return true;
  return false;
}

static bool check_head(const struct weir_function *f, struct weir_sink *sink) {
  const struct weir_symbol *name = f->symbol;
  return !counts_clusters(f) ||
    refuse(f->home, name->line, name->column, name->name, "grids that count clusters (.blocksareclusters)", sink);
}

// Instructions of a function that are written alike and cannot be run for the same reason.
struct group {
  const struct weir_instruction *first;
  uint32_t count;
};

static bool is_alike(const struct weir_instruction *a, const struct weir_instruction *b) {
  if (a->opcode != b->opcode || a->modifier_count != b->modifier_count || strcmp(a->runnable, b->runnable) != 0)
    return false;
  for (unsigned k = 0; k < a->modifier_count; k++)
    if (strcmp(a->modifiers[k], b->modifiers[k]) != 0) return false;
  return true;
}

// Number of its groups; *groups, in the order of the text, is freed by weir_free.
static uint32_t group(const struct weir_function *f, enum detail detail, struct group **groups) {
  uint32_t count = 0, capacity = 0;
  for (uint32_t s = 0; s < f->statement_count; s++) {
    if (f->statements[s].kind != WEIR_STMT_INSTRUCTION) continue;
    const struct weir_instruction *i = f->statements[s].instruction;
    if (!i->runnable) continue;
    uint32_t k = detail == BY_FORM ? 0 : count;
    while (k < count && !is_alike((*groups)[k].first, i)) k++;
    if (k == count) *weir_push(*groups, count, capacity) = (struct group){.first = i};
    (*groups)[k].count++;
  }
  return count;
}

// "mma.sync.aligned.m16n8k16", freed by free().
static char *form_text(const struct weir_instruction *i) {
  char *text = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&text, &size);
  if (!f) abort();
  fputs(weir_opcode_name(i->opcode), f);
  for (unsigned m = 0; m < i->modifier_count; m++) fprintf(f, ".%s", i->modifiers[m]);
  fclose(f);
  return text;
}

static bool refuse_group(const struct weir_function *f, const struct group *g, struct weir_sink *sink) {
  const struct weir_instruction *i = g->first;
  if (g->count == 1) return refuse(f->home, i->line, i->column, weir_opcode_name(i->opcode), i->runnable, sink);
  char *form = form_text(i);
  weir_fail(sink, (struct weir_place){f->home->path, f->home->text, i->line, i->column},
            "cannot run '%s', the first of %u in '%s': %s", form, g->count, f->symbol->name, i->runnable);
  free(form);
  return false;
}

static bool check_instructions(const struct weir_function *f, enum detail detail, struct weir_sink *sink) {
  if (detail == NO_INSTRUCTIONS) return true;
  struct group *groups = NULL;
  const uint32_t count = group(f, detail, &groups);
  for (uint32_t k = 0; k < count; k++) refuse_group(f, &groups[k], sink);
  weir_free(groups);
  return count == 0;
}

// An external variable that nothing in the module defines; dynamic shared memory is given at the launch.
static bool is_undefined(const struct weir_module *m, const struct weir_symbol *v) {
  if (v->linkage != WEIR_LINK_EXTERN || v->space == WEIR_SPACE_SHARED) return false;
  return weir_module_find(m, v->name)->linkage == WEIR_LINK_EXTERN;
}

static bool check_variable(const struct weir_module *m, const struct weir_symbol *v, struct weir_sink *sink) {
  const bool misplaced = weir_type_class(v->type) == 'o' && (v->space != WEIR_SPACE_GLOBAL || v->dimensions);
  const char *reason = misplaced ? "textures, samplers and surfaces that are no .global scalars"
    : v->space == WEIR_SPACE_TEX ? "the .tex state space"
    : is_undefined(m, v)         ? "it is declared but not defined here"
                                 : NULL;
  return !reason || refuse(m, v->line, v->column, v->name, reason, sink);
}

static bool check(const struct weir_module *m, enum detail detail, struct weir_sink *sink) {
  bool ok = true;
  for (uint32_t i = 0; i < m->item_count; i++) {
    const struct weir_item *item = &m->items[i];
    if (item->kind == WEIR_ITEM_FUNCTION) {
      weir_sink_follow(sink, item->function->home->text);
      ok &= check_head(item->function, sink);
      ok &= check_instructions(item->function, detail, sink);
    } else if (item->kind == WEIR_ITEM_VARIABLE) {
      ok &= check_variable(m, item->variable, sink);
    }
  }
  weir_sink_follow(sink, NULL);
  return ok;
}

bool weir_ptx_check(const struct weir_module *m, struct weir_sink *sink) {
  return check(m, BY_FORM, sink);
}

bool weir_ptx_check_each(const struct weir_module *m, struct weir_sink *sink) {
  return check(m, EACH_INSTRUCTION, sink);
}

bool weir_ptx_check_frame(const struct weir_module *m, struct weir_sink *sink) {
  return check(m, NO_INSTRUCTIONS, sink);
}
