// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "exec/decode/decode.h"

#include "base/alloc.h"
#include "base/bits.h"

#include <string.h>

static struct weir_insn *append(struct weir_decoder *d) {
  if (d->count == WEIR_SEQUENCE_MAX) {
    weir_cannot(d, "it needs too many steps");
    d->count = 0;
  }
  struct weir_insn *i = &d->bodies[d->count++];
  memset(i, 0, sizeof *i);
  return i;
}

struct weir_insn *weir_emit(struct weir_decoder *d, unsigned op) {
  struct weir_insn *i = append(d);
  i->alu = d->ops->alu[op];
  if (!i->alu) weir_cannot(d, "this form has no body");
  return i;
}

struct weir_insn *weir_emit_memory(struct weir_decoder *d, unsigned op) {
  struct weir_insn *i = append(d);
  i->kind = WEIR_KIND_MEMORY;
  i->memory = d->ops->memory[op];
  if (!i->memory) weir_cannot(d, "this form has no body");
  return i;
}

struct weir_insn *weir_emit_kind(struct weir_decoder *d, enum weir_kind kind) {
  struct weir_insn *i = append(d);
  i->kind = (uint8_t)kind;
  return i;
}

void weir_cannot(struct weir_decoder *d, const char *why) {
  if (d->failed) return;
  d->failed = true;
  if (d->partly) {
    d->obstacle = why;
    return;
  }
  const struct weir_module *home = d->function->home;
  const struct weir_place at = {home->path, home->text, d->in->line, d->in->column};
  weir_fail(d->sink, at, "cannot run '%s': %s", weir_opcode_name(d->in->opcode), why);
}

void weir_unknown_form(struct weir_decoder *d) {
  weir_cannot(d, "this form is not known");
}

static void (*const decoders[WEIR_OPCODE_COUNT])(struct weir_decoder *) = {
#define OPCODE(name, spelling, kind, effect, convergence, flow, writes, decoder, forms)                                \
  [WEIR_OP_##name] = weir_decode_##decoder,
#include "ptx/opcodes.def"
#undef OPCODE
};

// Several bodies become one instruction; a memory or control instruction may come last, after what prepares it.
static void finish(struct weir_decoder *d, struct weir_insn *to) {
  const struct weir_instruction *in = d->in;
  if (d->count == 1) {
    *to = d->bodies[0];
  } else {
    struct weir_insn *sequence = weir_arena_array(&d->program->arena, struct weir_insn, d->count + 1);
    memcpy(sequence, d->bodies, d->count * sizeof *sequence);
    for (unsigned k = 0; k < d->count; k++)
      if (sequence[k].kind != WEIR_KIND_ALU) weir_cannot(d, "an operand has an unusual form");
    *to = (struct weir_insn){.alu = d->ops->alu[WEIR_X_sequence], .count = (uint8_t)d->count, .sequence = sequence};
  }
  if (!in->guard) return;
  to->guard = d->slot[weir_guard_register(in)];
  to->guard_flip = in->guard_negated;
}

// In place of what was decoded, if anything: executed, it is a fault.
static void refuse(struct weir_decoder *d, struct weir_insn *to) {
  const char *format = "cannot run '%s': %s", *name = weir_opcode_name(d->in->opcode);
  const size_t bytes = strlen(format) + strlen(name) + strlen(d->obstacle);
  char *text = weir_arena_array(&d->program->arena, char, bytes);
  snprintf(text, bytes, format, name, d->obstacle);
  *to = (struct weir_insn){.kind = WEIR_KIND_TRAP, .text = text, .guard = to->guard, .guard_flip = to->guard_flip};
}

// Of the register that it writes.
static enum weir_constancy constancy_of(const struct weir_decoder *d) {
  const struct weir_operand *to = d->in->operands;
  const bool writes = weir_writes_first(d->in) && to->kind == WEIR_OPERAND_REGISTER;
  return writes ? (enum weir_constancy)d->constancy[weir_operand_register(to)] : WEIR_VARIES;
}

static void decode_instruction(struct weir_decoder *d, uint32_t k, struct weir_insn *to) {
  d->in = d->cfg.instructions[k];
  d->index = k;
  d->count = d->temporary = 0;
  d->failed = false;
  if (d->in->runnable) weir_cannot(d, d->in->runnable); // only of a program that is built partly
  const enum weir_constancy constancy = constancy_of(d);
  if (!d->failed) (constancy == WEIR_COPIES ? weir_decode_copy_of_special : decoders[d->in->opcode])(d);
  finish(d, to);
  if (d->failed && d->partly) refuse(d, to);
  if (!d->failed && constancy == WEIR_UNIFORM) weir_make_uniform(d, to);
}

static void number(struct weir_decoder *d) {
  d->pc_of = weir_new_array(uint32_t, d->cfg.instruction_count + 1);
  uint32_t pc = d->entry;
  for (uint32_t k = 0; k < d->cfg.instruction_count; k++) {
    d->pc_of[k] = pc;
    pc += !weir_is_silent(d->cfg.instructions[k]);
  }
  d->pc_of[d->cfg.instruction_count] = pc;
}

static uint8_t weight_of(const struct weir_insn *i) {
  if (i->kind != WEIR_KIND_MEMORY) return 0;
  if (i->reach == WEIR_REACH_SHARED) return WEIR_TURN_WEIGHT / 8;
  const bool far = i->reach == WEIR_REACH_GLOBAL || i->reach == WEIR_REACH_GENERIC || i->reach == WEIR_REACH_CLUSTER;
  return far ? WEIR_TURN_WEIGHT / 2 : 0;
}

// What a turn of a warp asks of each instruction.
static void note_turns(struct weir_decoder *d) {
  for (uint32_t k = 0; k < d->cfg.instruction_count; k++) {
    struct weir_insn *i = &d->program->code[d->pc_of[k]];
    i->weight = weight_of(i);
    if (!i->weight) i->publishes = WEIR_TO_NOBODY;
    if (i->publishes && i->reach == WEIR_REACH_SHARED) i->publishes = WEIR_TO_BLOCK;
    i->plain = i->kind == WEIR_KIND_ALU && !i->guard && !i->guard_flip && !i->before;
  }
}

// Past a function's last instruction stands a return, for code that runs off the end.
static void seal(struct weir_decoder *d) {
  struct weir_insn *i = &d->program->code[d->entry + d->code->pcs - 1];
  *i = (struct weir_insn){.kind = WEIR_KIND_RET};
  struct weir_static *s = &d->program->statics[d->entry + d->code->pcs - 1];
  s->op_class = WEIR_CLASS_BRANCH;
  s->is_exit = d->code->is_kernel;
  s->function = (uint32_t)(d->code - d->program->functions);
}

void weir_decode_function(struct weir_decoder *d, uint32_t index) {
  d->function = d->module->functions[index];
  d->code = &d->program->functions[index];
  d->entry = d->code->entry;
  d->temporaries_used = 0;
  d->param_bytes = d->code->param_bytes;
  weir_cfg_build(&d->cfg, d->function);
  weir_pack_registers(d);
  weir_keep_formals(d);
  number(d);
  weir_begin_silence(d);
  for (uint32_t k = 0; k < d->cfg.instruction_count; k++) {
    struct weir_insn silent, *to = weir_is_silent(d->cfg.instructions[k]) ? &silent : &d->program->code[d->pc_of[k]];
    decode_instruction(d, k, to);
    if (to == &silent)
      weir_pass_silent(d, to);
    else
      weir_fill_static(d, d->pc_of[k], d->program->register_count);
  }
  weir_end_silence(d);
  weir_finish_uniform(d);
  note_turns(d);
  seal(d);
  d->code->frame_bytes = d->temporaries + d->temporaries_used * 8 * d->program->lanes;
  d->program->register_count += d->function->register_count + 1;
  weir_free(d->slot);
  weir_free(d->pc_of);
  weir_cfg_free(&d->cfg);
}
