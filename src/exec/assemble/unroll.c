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
// and one whose runs are known
//
//   body …                       as many as are left over
//   LOOP:  body …, branch to LOOP
//
// or as body after body alone. In each copy but the last, results are new registers, so that copies may overlap; an immediate that a copy adds to an
// address moves into what it accesses, and what nobody reads is dropped.
#include "base/alloc.h"
#include "base/bits.h"
#include "exec/assemble/private.h"
#include "exec/decode/decode.h"
#include "exec/estimate/estimate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

// narrow: an address of 32 bits takes offsets, too: that of shared memory, where all of it is as wide.
static void source(const struct copying *c, struct weir_operand *o, bool narrow) {
  for (uint32_t k = 0; k < o->part_count; k++) source(c, &o->parts[k], narrow);
  const bool address = o->kind == WEIR_OPERAND_ADDRESS && o->base_is_register;
  if (o->kind != WEIR_OPERAND_REGISTER && !address) return;
  const struct name *n = &c->names[weir_operand_register(o)];
  const bool takes = address && n->is_sum && (narrow || weir_type_bytes(o->symbol->type) == 8);
  weir_assembly_name(c->a, o, takes ? n->base : n->now);
  if (!takes) return;
  o->offset = weir_wrapped_sum(o->offset, n->offset);
  o->text = number(c->a, "+%" PRId64, o->offset);
}

static bool is_sum(const struct weir_instruction *in) {
  const struct weir_operand *o = in->operands;
  const enum weir_type type = (enum weir_type)in->form.type;
  const char class = weir_type_class(type);
  const unsigned bytes = weir_type_bytes(type);
  if (in->opcode == WEIR_OP_MOV)
    return !in->guard && in->operand_count == 2 && o[0].kind == WEIR_OPERAND_REGISTER &&
      o[1].kind == WEIR_OPERAND_REGISTER && !o[0].component && !o[1].component &&
      o[0].symbol->type == o[1].symbol->type && weir_type_class((enum weir_type)o[0].symbol->type) != 'p';
  return in->opcode == WEIR_OP_ADD && !in->guard && in->operand_count == 3 && !in->form.sat && !in->form.carry_out &&
    (class == 'u' || class == 's') && (bytes == 4 || bytes == 8) && o[0].kind == WEIR_OPERAND_REGISTER &&
    o[1].kind == WEIR_OPERAND_REGISTER && o[2].kind == WEIR_OPERAND_INTEGER &&
    weir_type_bytes(o[0].symbol->type) == bytes && weir_type_bytes(o[1].symbol->type) == bytes;
}

static int64_t addend(const struct weir_instruction *in) {
  if (in->opcode == WEIR_OP_MOV) return 0;
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

static void guard_by(const struct weir_assembly *a, struct weir_instruction *in, uint32_t number) {
  in->guard = a->to->registers[number];
  in->guard_index = number - in->guard->first;
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
  const bool narrow = (in->opcode == WEIR_OP_LD || in->opcode == WEIR_OP_ST) && in->form.space == WEIR_SPACE_SHARED;
  for (uint32_t k = writes; k < in->operand_count; k++) source(c, &in->operands[k], narrow);
  if (in->guard) guard_by(c->a, in, c->names[weir_guard_register(in)].now);
  if (sum && from.is_sum && in->opcode == WEIR_OP_ADD) {
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
  const char **own = weir_arena_array(a->arena, const char *, modifier_count + 1);
  memcpy(own, modifiers, modifier_count * sizeof *own);
  struct weir_instruction *in = weir_arena_new(a->arena, struct weir_instruction);
  *in = (struct weir_instruction){.opcode = (uint16_t)opcode,
                                  .modifier_count = (uint8_t)modifier_count,
                                  .operand_count = (uint8_t)operands,
                                  .modifiers = own,
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

static const char *const plain[] = {NULL};

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
  const bool wide = weir_type_bytes(loop->type) == 8;
  const enum weir_type is_signed = wide ? WEIR_T_S64 : WEIR_T_S32, is_unsigned = wide ? WEIR_T_U64 : WEIR_T_U32;
  const char *sum[2] = {weir_type_name(is_signed), NULL};
  struct weir_instruction *in = put_new(a, loop->comparison, WEIR_OP_ADD, is_signed, 3, sum);
  in->operands[0] = register_operand(a, e->tested);
  in->operands[1] = register_operand(a, loop->counter);
  in->operands[2] = immediate(a, loop->tested);
  in = put_new(a, loop->comparison, WEIR_OP_SUB, is_signed, 3, sum);
  in->operands[0] = register_operand(a, e->left);
  in->operands[up ? 1 : 2] = loop->bound;
  in->operands[up ? 2 : 1] = register_operand(a, e->tested);
  const char *comparison[4] = {included ? "ge" : "gt", again ? "and" : weir_type_name(is_unsigned),
                               again ? weir_type_name(is_unsigned) : NULL, NULL};
  in = put_new(a, loop->comparison, WEIR_OP_SETP, is_unsigned, again ? 4 : 3, comparison);
  in->form.compare = included ? WEIR_CMP_GE : WEIR_CMP_GT;
  in->operands[0] = register_operand(a, e->more);
  in->operands[1] = register_operand(a, e->left);
  in->operands[2] = immediate(a, (up ? loop->step : -loop->step) * (copies - 2));
  if (again) {
    in->form.boolean = WEIR_SUB_AND;
    in->operands[3] = register_operand(a, weir_guard_register(loop->branch));
    in->operands[3].negated = loop->negated;
  }
  if (loop->compare == WEIR_CMP_NE) return;
  const char *as_written[4] = {compare_name(loop->compare), "and", weir_type_name(loop->type), NULL};
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
  guard_by(a, in, guard);
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

static void open(struct copying *c, struct weir_assembly *a, uint32_t b) {
  uint32_t *registers = weir_new_array(uint32_t, a->from->register_count + 1);
  *c =
    (struct copying){.a = a, .block = &a->cfg.blocks[b], .names = weir_new_array(struct name, a->from->register_count)};
  find_names(c, registers);
}

static void close(struct copying *c) {
  weir_free(c->out);
  weir_free(c->names);
  weir_free((void *)c->registers);
}

// A loop that is left of one: it is not copied again.
static void put_loop(struct weir_assembly *a, struct weir_symbol *label) {
  weir_assembly_put_label(a, label);
  weir_assembly_put_rolled(a);
}

// Where the branch left the loop, what stands behind leads back into it.
static void put_way_out(struct weir_assembly *a, const struct weir_counted *loop) {
  if (!loop->leaves) return;
  put_new(a, loop->branch, WEIR_OP_BRA, WEIR_T_NONE, 1, plain)->operands[0] =
    (struct weir_operand){.kind = WEIR_OPERAND_SYMBOL, .symbol = a->label[loop->branch->operands[0].symbol->statement]};
}

void weir_assembly_unroll_known(struct weir_assembly *a, uint32_t b, const struct weir_counted *loop, uint32_t copies,
                                uint32_t before) {
  struct copying c;
  open(&c, a, b);
  if (before) put_copies(&c, before);
  struct weir_symbol *again = copies < loop->runs ? weir_assembly_new_label(a) : NULL;
  if (again) put_loop(a, again);
  put_copies(&c, copies);
  if (again) put_branch(a, loop, again, weir_guard_register(loop->branch), loop->negated);
  put_way_out(a, loop);
  close(&c);
}

void weir_assembly_unroll(struct weir_assembly *a, uint32_t b, const struct weir_counted *loop) {
  struct weir_symbol *four = weir_assembly_new_label(a), *two = weir_assembly_new_label(a),
                     *one = weir_assembly_new_label(a), *exit = weir_assembly_new_label(a);
  const uint32_t guard = weir_guard_register(loop->branch);
  const struct weir_symbol *out = loop->leaves ? a->label[loop->branch->operands[0].symbol->statement] : exit;
  struct enough e = {.loop = loop, .more = weir_assembly_new_register(a, guard)};
  e.tested = weir_assembly_new_register(a, loop->counter);
  e.left = weir_assembly_new_register(a, loop->counter);
  struct copying c;
  open(&c, a, b);
  put_enough(a, &e, WEIR_UNROLLED, false);
  put_branch(a, loop, two, e.more, true);
  put_loop(a, four);
  put_copies(&c, WEIR_UNROLLED);
  put_enough(a, &e, WEIR_UNROLLED, true);
  put_branch(a, loop, four, e.more, false);
  put_branch(a, loop, out, guard, !loop->negated);
  weir_assembly_put_label(a, two);
  put_enough(a, &e, 2, false);
  put_branch(a, loop, one, e.more, true);
  put_copies(&c, 2);
  put_branch(a, loop, out, guard, !loop->negated);
  put_loop(a, one);
  put_copies(&c, 1);
  put_branch(a, loop, one, guard, loop->negated);
  put_way_out(a, loop);
  weir_assembly_put_label(a, exit);
  close(&c);
}
