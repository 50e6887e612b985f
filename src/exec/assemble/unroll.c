// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A counted loop as NVIDIA's assembler writes it:
//
//   BODY:  branch to TWO unless four are to run
//   FOUR:  body body body body, branch to FOUR if four more are to run, to EXIT if none is
//   TWO:   branch to ONE unless two are to run
//          body body, branch to EXIT if none is to run
//   ONE:   body, branch to ONE if one more is to run
//   EXIT:
//
// In each copy but the last, results are new registers, so that copies may overlap; an immediate that a copy adds to an
// address moves into what it accesses, and what nobody reads is dropped.
#include "base/alloc.h"
#include "base/bits.h"
#include "exec/assemble/private.h"
#include "exec/decode/decode.h"
#include "exec/estimate/estimate.h"

#include <inttypes.h>
#include <stdio.h>

static const char *number(struct weir_assembly *a, const char *format, int64_t value) {
  char text[32];
  return weir_arena_text(a->arena, text, (size_t)snprintf(text, sizeof text, format, value));
}

// ---- copies ---------------------------------------------------------------------------------------------------------

struct name {   // of a register of PTX, where the copying has come to
  uint32_t now; // the register that holds it
  bool is_sum;  // of `base`, which holds it still, and `offset`
  uint32_t base;
  int64_t offset;
  uint32_t last_write; // the instruction of the block that writes it last, or NEVER
  bool kept;           // a guarded instruction writes it: it stays where it is
};

#define NEVER UINT32_MAX

struct copying {
  struct weir_assembly *a;
  const struct weir_block *block;
  struct name *names;        // [register number]
  const uint32_t *registers; // of the block
  uint32_t register_count;
  struct weir_instruction **out;
  uint32_t out_count, out_capacity;
};

static void source(const struct copying *c, struct weir_operand *o) {
  for (uint32_t k = 0; k < o->part_count; k++) source(c, &o->parts[k]);
  const bool address = o->kind == WEIR_OPERAND_ADDRESS && o->base_is_register;
  if (o->kind != WEIR_OPERAND_REGISTER && !address) return;
  const struct name *n = &c->names[weir_operand_register(o)];
  const bool wide = weir_type_bytes(o->symbol->type) == 8;
  weir_assembly_name(c->a, o, address && wide && n->is_sum ? n->base : n->now);
  if (!address || !wide || !n->is_sum) return;
  o->offset = weir_wrapped_sum(o->offset, n->offset);
  o->text = number(c->a, "+%" PRId64, o->offset);
}

static bool is_sum(const struct weir_instruction *in) {
  const struct weir_operand *o = in->operands;
  const enum weir_type type = (enum weir_type)in->form.type;
  const char class = weir_type_class(type);
  const unsigned bytes = weir_type_bytes(type);
  return in->opcode == WEIR_OP_ADD && !in->guard && in->operand_count == 3 && !in->form.sat && !in->form.carry_out &&
    (class == 'u' || class == 's') && (bytes == 4 || bytes == 8) && o[0].kind == WEIR_OPERAND_REGISTER &&
    o[1].kind == WEIR_OPERAND_REGISTER && o[2].kind == WEIR_OPERAND_INTEGER &&
    weir_type_bytes(o[0].symbol->type) == bytes && weir_type_bytes(o[1].symbol->type) == bytes;
}

static int64_t addend(const struct weir_instruction *in) {
  const uint64_t bits = in->operands[2].bits;
  return weir_type_bytes((enum weir_type)in->form.type) == 4 ? (int32_t)bits : (int64_t)bits;
}

// Register `number` is about to be written: what was a sum of it holds its own value.
static void overwrite(struct copying *c, uint32_t number) {
  for (uint32_t k = 0; k < c->register_count; k++) {
    struct name *n = &c->names[c->registers[k]];
    if (n->is_sum && n->base == number) n->is_sum = false;
  }
}

static void result(struct copying *c, struct weir_operand *o, uint32_t index, bool last) {
  for (uint32_t k = 0; k < o->part_count; k++) result(c, &o->parts[k], index, last);
  if (o->kind != WEIR_OPERAND_REGISTER) return;
  const uint32_t reg = weir_operand_register(o);
  struct name *n = &c->names[reg];
  n->now = n->kept || (last && n->last_write == index) ? reg : weir_assembly_new_register(c->a, reg);
  n->is_sum = false;
  overwrite(c, n->now);
  weir_assembly_name(c->a, o, n->now);
}

static void copy_instruction(struct copying *c, uint32_t index, bool last) {
  struct weir_instruction *in = weir_assembly_copy(c->a, c->a->cfg.instructions[c->block->first + index]);
  const bool writes = weir_writes_first(in), sum = is_sum(in);
  struct name from = {0};
  int64_t offset = 0;
  if (sum) {
    from = c->names[weir_operand_register(&in->operands[1])];
    offset = weir_wrapped_sum(addend(in), from.is_sum ? from.offset : 0);
  }
  for (uint32_t k = writes; k < in->operand_count; k++) source(c, &in->operands[k]);
  if (in->guard) {
    const uint32_t number = c->names[in->guard->first + in->guard_index].now;
    in->guard = c->a->to->registers[number];
    in->guard_index = number - in->guard->first;
  }
  if (sum && from.is_sum) {
    weir_assembly_name(c->a, &in->operands[1], from.base);
    in->operands[2].bits = (uint64_t)offset;
    in->operands[2].text = number(c->a, "%" PRId64, offset);
  }
  const uint32_t base = from.is_sum ? from.base : from.now;
  struct name *to =
    writes && in->operands[0].kind == WEIR_OPERAND_REGISTER ? &c->names[weir_operand_register(&in->operands[0])] : NULL;
  if (writes) result(c, &in->operands[0], index, last);
  if (sum && to && !to->kept && to->now != base) {
    to->is_sum = true;
    to->base = base;
    to->offset = offset;
  }
  *weir_push(c->out, c->out_count, c->out_capacity) = in;
}

static bool is_pure(const struct weir_instruction *in) {
  return weir_opcode_effect(in->opcode) == WEIR_EFFECT_NONE && weir_opcode_flow(in->opcode) == WEIR_FLOW_NEXT &&
    weir_opcode_convergence(in->opcode) == WEIR_CONVERGENCE_LANE;
}

// Puts what was copied, but for what makes new registers that nobody reads.
static void put_needed(struct copying *c) {
  bool *read = weir_new_array(bool, c->a->to->register_count + 1), *needed = weir_new_array(bool, c->out_count + 1);
  struct weir_registers r;
  for (uint32_t k = c->out_count; k-- > 0;) {
    weir_registers_of(c->out[k], &r);
    needed[k] = !is_pure(c->out[k]);
    for (unsigned q = 0; q < r.dst_count; q++) needed[k] |= r.dst[q] < c->a->from->register_count || read[r.dst[q]];
    for (unsigned q = 0; q < r.src_count && needed[k]; q++) read[r.src[q]] = true;
  }
  for (uint32_t k = 0; k < c->out_count; k++)
    if (needed[k]) weir_assembly_put(c->a, c->out[k]);
  c->out_count = 0;
  weir_free(read);
  weir_free(needed);
}

static void put_copies(struct copying *c, unsigned copies) {
  for (uint32_t k = 0; k < c->register_count; k++) {
    struct name *n = &c->names[c->registers[k]];
    n->now = c->registers[k];
    n->is_sum = false;
  }
  for (unsigned n = 1; n <= copies; n++)
    for (uint32_t k = 0; k + 1 < c->block->count; k++) copy_instruction(c, k, n == copies);
  put_needed(c);
}

// ---- how many are to run --------------------------------------------------------------------------------------------

static struct weir_operand register_operand(const struct weir_assembly *a, uint32_t number) {
  struct weir_operand o = {.kind = WEIR_OPERAND_REGISTER};
  weir_assembly_name(a, &o, number);
  return o;
}

static struct weir_operand immediate(struct weir_assembly *a, int64_t value) {
  return (struct weir_operand){
    .kind = WEIR_OPERAND_INTEGER, .bits = (uint64_t)value, .text = number(a, "%" PRId64, value)};
}

// An instruction of the loop's comparison: it has its line.
static struct weir_instruction *put_new(struct weir_assembly *a, const struct weir_instruction *like,
                                        enum weir_opcode opcode, enum weir_type type, unsigned operands,
                                        const char *const *modifiers) {
  unsigned modifier_count = 0;
  while (modifiers[modifier_count]) modifier_count++;
  struct weir_instruction *in = weir_arena_new(a->arena, struct weir_instruction);
  *in = (struct weir_instruction){.opcode = (uint16_t)opcode,
                                  .modifier_count = (uint8_t)modifier_count,
                                  .operand_count = (uint8_t)operands,
                                  .modifiers = modifiers,
                                  .form = {.type = (uint8_t)type},
                                  .operands = weir_arena_array(a->arena, struct weir_operand, operands + 1),
                                  .line = like->line,
                                  .column = like->column,
                                  .source_file = like->source_file,
                                  .source_line = like->source_line,
                                  .source_column = like->source_column,
                                  .written = like};
  weir_assembly_put(a, in);
  return in;
}

static const char *const plain[] = {NULL}, *const of_word[] = {"s32", NULL}, *const above[] = {"gt", "u32", NULL},
                         *const at_least[] = {"ge", "u32", NULL}, *const and_above[] = {"gt", "and", "u32", NULL},
                         *const and_at_least[] = {"ge", "and", "u32", NULL};

static const char *compare_name(enum weir_compare c) {
  switch (c) {
  case WEIR_CMP_LT: return "lt";
  case WEIR_CMP_LE: return "le";
  case WEIR_CMP_GT: return "gt";
  default: return "ge";
  }
}

struct enough {
  const struct weir_counted *loop;
  uint32_t tested, left,
    more; // new registers: what is compared, how far it is from the bound, whether `copies` are to run
};

// `copies` run from here on if the comparison holds in all but the last of them: it holds in the first, and the bound lies more
// than the next ones' steps away, or, where the bound is included, no less. Within the loop (`again`) it must have held before, too.
static void put_enough(struct weir_assembly *a, const struct enough *e, unsigned copies, bool again) {
  const struct weir_counted *loop = e->loop;
  const bool up = loop->step > 0, included = loop->compare == WEIR_CMP_LE || loop->compare == WEIR_CMP_GE;
  struct weir_instruction *in = put_new(a, loop->comparison, WEIR_OP_ADD, WEIR_T_S32, 3, of_word);
  in->operands[0] = register_operand(a, e->tested);
  in->operands[1] = register_operand(a, loop->counter);
  in->operands[2] = immediate(a, loop->tested);
  in = put_new(a, loop->comparison, WEIR_OP_SUB, WEIR_T_S32, 3, of_word);
  in->operands[0] = register_operand(a, e->left);
  in->operands[up ? 1 : 2] = loop->bound;
  in->operands[up ? 2 : 1] = register_operand(a, e->tested);
  in = put_new(a, loop->comparison, WEIR_OP_SETP, WEIR_T_U32, again ? 4 : 3,
               again        ? included ? and_at_least : and_above
                 : included ? at_least
                            : above);
  in->form.compare = included ? WEIR_CMP_GE : WEIR_CMP_GT;
  in->operands[0] = register_operand(a, e->more);
  in->operands[1] = register_operand(a, e->left);
  in->operands[2] = immediate(a, (up ? loop->step : -loop->step) * (copies - 2));
  if (again) {
    in->form.boolean = WEIR_SUB_AND;
    in->operands[3] = register_operand(a, loop->branch->guard->first + loop->branch->guard_index);
    in->operands[3].negated = loop->branch->guard_negated != loop->leaves;
  }
  if (loop->compare == WEIR_CMP_NE) return;
  const char **as_written = weir_arena_array(a->arena, const char *, 4);
  as_written[0] = compare_name(loop->compare);
  as_written[1] = "and";
  as_written[2] = weir_type_name(loop->type);
  as_written[3] = NULL;
  in = put_new(a, loop->comparison, WEIR_OP_SETP, loop->type, 4, as_written);
  in->form.compare = (uint8_t)loop->compare;
  in->form.boolean = WEIR_SUB_AND;
  in->operands[0] = register_operand(a, e->more);
  in->operands[1] = register_operand(a, e->tested);
  in->operands[2] = loop->bound;
  in->operands[3] = register_operand(a, e->more);
}

static void put_branch(struct weir_assembly *a, const struct weir_counted *loop, const struct weir_symbol *label,
                       uint32_t guard, bool negated) {
  struct weir_instruction *in = put_new(a, loop->branch, WEIR_OP_BRA, WEIR_T_NONE, 1, plain);
  in->operands[0] = (struct weir_operand){.kind = WEIR_OPERAND_SYMBOL, .symbol = label};
  in->guard = a->to->registers[guard];
  in->guard_index = guard - in->guard->first;
  in->guard_negated = negated;
}

// ---- the loop -------------------------------------------------------------------------------------------------------

static void find_names(struct copying *c, uint32_t *registers) {
  struct weir_registers r;
  for (uint32_t k = 0; k < c->a->from->register_count; k++) c->names[k] = (struct name){.now = k, .last_write = NEVER};
  for (uint32_t k = 0; k < c->block->count; k++) {
    weir_registers_of(c->a->cfg.instructions[c->block->first + k], &r);
    for (unsigned q = 0; q < r.dst_count; q++) {
      struct name *n = &c->names[r.dst[q]];
      if (n->last_write == NEVER) registers[c->register_count++] = r.dst[q];
      n->last_write = k;
      n->kept |= r.keeps;
    }
  }
  c->registers = registers;
}

void weir_assembly_unroll(struct weir_assembly *a, uint32_t b, const struct weir_counted *loop) {
  struct weir_symbol *four = weir_assembly_new_label(a), *two = weir_assembly_new_label(a),
                     *one = weir_assembly_new_label(a), *exit = weir_assembly_new_label(a);
  const uint32_t guard = loop->branch->guard->first + loop->branch->guard_index;
  const bool go_on = loop->branch->guard_negated != loop->leaves; // the guard is negated where the loop goes on
  const struct weir_symbol *out = loop->leaves ? a->label[loop->branch->operands[0].symbol->statement] : exit;
  struct enough e = {.loop = loop, .more = weir_assembly_new_register(a, guard)};
  e.tested = weir_assembly_new_register(a, loop->counter);
  e.left = weir_assembly_new_register(a, loop->counter);
  struct copying c = {
    .a = a, .block = &a->cfg.blocks[b], .names = weir_new_array(struct name, a->from->register_count)};
  uint32_t *registers = weir_new_array(uint32_t, a->from->register_count + 1);
  find_names(&c, registers);
  put_enough(a, &e, WEIR_UNROLLED, false);
  put_branch(a, loop, two, e.more, true);
  weir_assembly_put_label(a, four);
  put_copies(&c, WEIR_UNROLLED);
  put_enough(a, &e, WEIR_UNROLLED, true);
  put_branch(a, loop, four, e.more, false);
  put_branch(a, loop, out, guard, !go_on);
  weir_assembly_put_label(a, two);
  put_enough(a, &e, 2, false);
  put_branch(a, loop, one, e.more, true);
  put_copies(&c, 2);
  put_branch(a, loop, out, guard, !go_on);
  weir_assembly_put_label(a, one);
  put_copies(&c, 1);
  put_branch(a, loop, one, guard, go_on);
  // Where the branch left the loop, what stands behind leads back into it.
  if (loop->leaves)
    put_new(a, loop->branch, WEIR_OP_BRA, WEIR_T_NONE, 1, plain)->operands[0] =
      (struct weir_operand){.kind = WEIR_OPERAND_SYMBOL, .symbol = out};
  weir_assembly_put_label(a, exit);
  weir_free(c.out);
  weir_free(c.names);
  weir_free(registers);
}
