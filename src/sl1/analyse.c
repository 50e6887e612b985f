// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "sl1/kernel.h"

// A kernel that asks how much shared memory it was given would see the room of the lines.
static const char *refusal(const struct weir_sl1_analysis *a) {
  char *name = weir_text_format("%s__sl1", a->f->symbol->name);
  const bool done = weir_module_find(a->m, name);
  weir_free(name);
  if (done) return "the kernel has been transformed before";
  for (uint32_t i = 0; i < a->cfg.instruction_count; i++) {
    const struct weir_instruction *in = a->cfg.instructions[i];
    for (uint32_t k = 0; k < in->operand_count; k++) {
      const struct weir_operand *o = &in->operands[k];
      if (o->kind == WEIR_OPERAND_SPECIAL &&
          (o->special == WEIR_SR_DYNAMIC_SMEM_SIZE || o->special == WEIR_SR_TOTAL_SMEM_SIZE))
        return "the kernel asks how much shared memory it has";
    }
  }
  return NULL;
}

void weir_sl1_analyse(struct weir_sl1_analysis *a, const struct weir_module *m, const struct weir_function *f,
                      const struct weir_sl1_options *o) {
  *a = (struct weir_sl1_analysis){.m = m, .f = f, .o = o};
  weir_cfg_build(&a->cfg, f);
  weir_loops_find(&a->loops, &a->cfg);
  weir_sl1_trace(a);
  weir_sl1_find_effects(a);
  weir_sl1_find_mains(a);
  a->refused = refusal(a);
  for (uint32_t k = 0; k < a->main_count && a->refused; k++) a->mains[k].left_alone = a->refused;
  weir_sl1_judge(a);
}

void weir_sl1_analysis_free(struct weir_sl1_analysis *a) {
  weir_loops_free(&a->loops);
  weir_cfg_free(&a->cfg);
  weir_arena_free(&a->arena);
}
