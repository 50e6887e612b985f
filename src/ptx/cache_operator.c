// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "ptx/cache_operator.h"

#include <string.h>

static const char *const spellings[] = {[WEIR_CACHE_CA] = "ca",
                                        [WEIR_CACHE_CG] = "cg",
                                        [WEIR_CACHE_CS] = "cs",
                                        [WEIR_CACHE_LU] = "lu",
                                        [WEIR_CACHE_CV] = "cv"};

static bool is_open(const struct weir_instruction *in) {
  const struct weir_form *f = &in->form;
  return in->opcode == WEIR_OP_LD && (f->space == WEIR_SPACE_GLOBAL || f->space == WEIR_SPACE_GENERIC) &&
    f->order == WEIR_ORDER_WEAK && f->cache == WEIR_CACHE_NONE && f->l1_evict == WEIR_EVICT_NONE;
}

static bool is_before_operator(const char *modifier) {
  return !strcmp(modifier, "weak") || !strcmp(modifier, "global");
}

// ld{.weak}{.space}{.cop}{.nc}…: the operator follows the space (PTX ISA, "ld", "ld.global.nc").
static void set_operator(struct weir_arena *arena, struct weir_instruction *in, enum weir_cache_op op) {
  const char **modifiers = weir_arena_array(arena, const char *, in->modifier_count + 1);
  uint8_t count = 0, k = 0;
  while (k < in->modifier_count && is_before_operator(in->modifiers[k])) modifiers[count++] = in->modifiers[k++];
  modifiers[count++] = spellings[op];
  for (; k < in->modifier_count; k++)
    if (strcmp(in->modifiers[k], "nc")) modifiers[count++] = in->modifiers[k];
  in->modifiers = modifiers;
  in->modifier_count = count;
  in->form.cache = (uint8_t)op;
  in->form.non_coherent = false;
}

uint32_t weir_ptx_set_load_operator(struct weir_module *m, enum weir_cache_op op) {
  uint32_t changed = 0;
  for (uint32_t f = 0; f < m->function_count; f++) {
    const struct weir_function *function = m->functions[f];
    for (uint32_t k = 0; k < function->statement_count; k++) {
      const struct weir_statement *s = &function->statements[k];
      if (s->kind != WEIR_STMT_INSTRUCTION || !is_open(s->instruction)) continue;
      set_operator(&m->arena, s->instruction, op);
      changed++;
    }
  }
  return changed;
}
