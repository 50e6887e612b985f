// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// How many machine instructions each instruction of a function becomes: in the code, and as far as cores go by it, where what has none runs with
// the next one of its block that has some.
#include "base/alloc.h"
#include "exec/assemble/private.h"
#include "exec/estimate/estimate.h"

#include <string.h>

// Accesses are counted where they are made, but for parameters of a kernel, which are operands.
static bool may_vanish(const struct weir_instruction *in) {
  const enum weir_effect effect = weir_opcode_effect(in->opcode);
  if (weir_opcode_flow(in->opcode) != WEIR_FLOW_NEXT) return false;
  return effect == WEIR_EFFECT_NONE || (effect == WEIR_EFFECT_LOAD && in->form.space == WEIR_SPACE_PARAM);
}

// A table of targets is read again for lanes that go elsewhere: nothing runs with it.
static bool takes_others(const struct weir_instruction *in) {
  return in->opcode != WEIR_OP_BRX;
}

static void keep_what_must_be(const struct weir_cfg *cfg, const struct weir_block *block, uint8_t *machine) {
  bool taken = false; // an instruction behind it in the block that is there takes it
  for (uint32_t k = block->first + block->count; k-- > block->first;) {
    const struct weir_instruction *in = cfg->instructions[k];
    if (!machine[k] && (!taken || !may_vanish(in))) machine[k] = 1;
    if (machine[k]) taken = takes_others(in);
  }
}

void weir_assembly_count(struct weir_assembly *a, bool executed) {
  struct weir_cfg cfg;
  weir_cfg_build(&cfg, a->to);
  uint8_t *machine = weir_new_array(uint8_t, 2 * (size_t)cfg.instruction_count + 1),
          *slots = machine + cfg.instruction_count;
  weir_estimate_machine(a->to, &cfg, a->assembler, machine, NULL);
  memcpy(slots, machine, cfg.instruction_count);
  for (uint32_t b = 0; executed && b < cfg.block_count; b++) keep_what_must_be(&cfg, &cfg.blocks[b], machine);
  for (uint32_t s = 0, k = 0; s < a->to->statement_count; s++) {
    if (a->to->statements[s].kind != WEIR_STMT_INSTRUCTION) continue;
    struct weir_instruction *in = weir_assembly_own(a, s);
    in->code_slots = (uint8_t)(slots[k] + 1);
    if (executed) in->machine = (uint8_t)(machine[k] + 1);
    k++;
  }
  weir_free(machine);
  weir_cfg_free(&cfg);
}
