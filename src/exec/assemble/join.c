// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Loads from shared memory side by side become one, as NVIDIA's assembler makes them, where they surely lie within 16 aligned bytes:
//
//   ld.shared.f32 %f1, [%r1]          →   ld.shared.v4.f32 {%f1, %f2, _, %f3}, [%r1]
//   ld.shared.f32 %f2, [%r1+4]
//   ld.shared.f32 %f3, [%r1+12]
//
// and two of 8 aligned bytes, or two of 8 bytes each. The load stands where the first of them stood; what is between must not write what
// they read, nor touch what they write. Global memory's are never joined (docs/VALIDATION.md, "Order of instructions").
#include "base/alloc.h"
#include "base/bits.h"
#include "exec/assemble/private.h"
#include "exec/decode/decode.h"
#include "exec/estimate/estimate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { WIDEST = 16, MOST_PARTS = 4, WORD = 4 };

#define NONE UINT32_MAX

struct group {                      // of loads within WIDEST, or 8, aligned bytes
  const struct weir_symbol *symbol; // the base, or the register's
  uint32_t index, written;          // of a register: its index, and the instruction that wrote it last, plus 1
  uint8_t type;
  unsigned width;          // of these bytes, as far as the base's residue tells
  int64_t begin;           // from the base
  uint32_t at[MOST_PARTS]; // the instructions, or NONE
  uint32_t first;          // of them
};

struct joining {
  struct weir_assembly *a;
  struct weir_cfg cfg;
  struct weir_residues residues;
  uint32_t *written, *touched; // [register] the instruction that wrote, that wrote or read it last, plus 1
  uint32_t *statement;         // [instruction]
  bool *gone;                  // [statement]
  struct group *groups;        // that may grow
  uint32_t group_count, group_capacity;
};

static bool is_load(const struct weir_instruction *in) {
  const unsigned bytes = weir_type_bytes((enum weir_type)in->form.type);
  const struct weir_operand *o = in->operands;
  return in->opcode == WEIR_OP_LD && in->form.space == WEIR_SPACE_SHARED && in->form.order == WEIR_ORDER_WEAK &&
    in->form.vector <= 1 && !in->guard && (bytes == WORD || bytes == 2 * WORD) && in->operand_count == 2 &&
    o[0].kind == WEIR_OPERAND_REGISTER && !o[0].component && weir_type_bytes(o[0].symbol->type) == bytes &&
    o[1].kind == WEIR_OPERAND_ADDRESS && o[1].symbol;
}

// The group that the load would be in, alone.
static bool begin(const struct joining *j, const struct weir_instruction *in, uint32_t i, struct group *g) {
  const struct weir_operand *address = &in->operands[1];
  const struct weir_residue at = weir_residue_of(&j->residues, address);
  const unsigned bytes = weir_type_bytes((enum weir_type)in->form.type);
  *g = (struct group){.symbol = address->symbol,
                      .index = address->index,
                      .type = in->form.type,
                      .width = at.bits >= 4 ? WIDEST
                        : at.bits == 3      ? WIDEST / 2
                                            : 0,
                      .at = {NONE, NONE, NONE, NONE},
                      .first = i};
  if (g->width <= bytes || at.value % bytes) return false;
  if (address->base_is_register) g->written = j->written[weir_operand_register(address)];
  g->begin = weir_wrapped_sum(address->offset, -(int64_t)(at.value % g->width));
  g->at[at.value % g->width / bytes] = i;
  return true;
}

static bool is_same(const struct group *a, const struct group *b) {
  return a->symbol == b->symbol && a->index == b->index && a->written == b->written && a->type == b->type &&
    a->begin == b->begin && a->width == b->width;
}

// Takes the load of `with` into a group, if there is one that it may go to.
static bool grow(struct joining *j, const struct group *with, uint32_t reg) {
  for (uint32_t k = 0; k < j->group_count; k++) {
    struct group *g = &j->groups[k];
    if (!is_same(g, with) || j->touched[reg] > g->first) continue;
    for (unsigned p = 0; p < MOST_PARTS; p++) {
      if (with->at[p] == NONE || g->at[p] != NONE) continue;
      g->at[p] = with->first;
      return true;
    }
  }
  return false;
}

// ---- one load -------------------------------------------------------------------------------------------------------

// Puts parts p to p + count of the group into one load, in the first one's place.
static void join(struct joining *j, const struct group *g, unsigned p, unsigned count) {
  struct weir_assembly *a = j->a;
  const unsigned bytes = weir_type_bytes((enum weir_type)g->type);
  uint32_t first = NONE;
  for (unsigned k = p; k < p + count; k++)
    if (g->at[k] < first) first = g->at[k];
  struct weir_instruction *in = weir_assembly_copy(a, j->cfg.instructions[first]);
  in->form.vector = (uint8_t)count;
  const char **modifiers = weir_arena_array(a->arena, const char *, in->modifier_count + 2);
  memcpy(modifiers, in->modifiers, (in->modifier_count - 1u) * sizeof *modifiers);
  modifiers[in->modifier_count - 1] = count == 4 ? "v4" : "v2"; // the type stands last
  modifiers[in->modifier_count] = in->modifiers[in->modifier_count - 1];
  in->modifiers = modifiers;
  in->modifier_count++;
  struct weir_operand *parts = weir_arena_array(a->arena, struct weir_operand, count);
  for (unsigned k = 0; k < count; k++) {
    const uint32_t i = g->at[p + k];
    parts[k] = i == NONE ? (struct weir_operand){.kind = WEIR_OPERAND_SINK} : j->cfg.instructions[i]->operands[0];
    if (i != NONE) j->gone[j->statement[i]] = i != first;
  }
  in->operands[0] = (struct weir_operand){.kind = WEIR_OPERAND_VECTOR, .parts = parts, .part_count = count};
  in->operands[1].offset = weir_wrapped_sum(g->begin, p * bytes);
  char text[32];
  const int length = snprintf(text, sizeof text, "%+" PRId64, in->operands[1].offset);
  in->operands[1].text = in->operands[1].offset ? weir_arena_text(a->arena, text, (size_t)length) : NULL;
  a->to->statements[j->statement[first]].instruction = in;
}

static bool is_there(const struct group *g, unsigned p) {
  return g->at[p] != NONE;
}

// What lies behind a block's shared memory is not to be read.
static bool is_all_there(const struct group *g) {
  const bool is_variable = g->symbol->kind == WEIR_SYM_VARIABLE;
  return is_there(g, MOST_PARTS - 1) ||
    (is_variable && g->begin >= 0 && (uint64_t)g->begin + WIDEST <= g->symbol->bytes);
}

// Three of four words are one load, and its other word goes nowhere.
static void join_group(struct joining *j, const struct group *g) {
  const unsigned bytes = weir_type_bytes((enum weir_type)g->type), parts = g->width / bytes;
  unsigned count = 0;
  for (unsigned p = 0; p < parts; p++) count += is_there(g, p);
  if (parts == MOST_PARTS && count >= 3 && is_all_there(g)) {
    join(j, g, 0, 4);
    return;
  }
  for (unsigned p = 0; p + 1 < parts; p += 2)
    if (is_there(g, p) && is_there(g, p + 1)) join(j, g, p, 2);
}

// ---- a block --------------------------------------------------------------------------------------------------------

// Groups that may have what `in` writes grow no more, nor does any over what nothing moves over.
static void end_groups(struct joining *j, const struct weir_instruction *in) {
  const bool splits = weir_assembly_reads_clock(in) || weir_estimate_splits(in, j->a->assembler);
  const enum weir_touch touch = splits ? WEIR_TOUCH_FENCE : weir_assembly_touch(in);
  if (touch == WEIR_TOUCH_NOTHING || touch == WEIR_TOUCH_LOAD) return;
  const struct weir_operand *to = in->operand_count ? &in->operands[0] : NULL;
  const bool stores = touch == WEIR_TOUCH_STORE && in->opcode == WEIR_OP_ST;
  if (stores && !(weir_assembly_spaces(in) & WEIR_MAY_BE_SHARED)) return;
  uint32_t n = 0;
  for (uint32_t k = 0; k < j->group_count; k++) {
    const struct group *g = &j->groups[k];
    const unsigned bytes = weir_type_bytes((enum weir_type)in->form.type) * (in->form.vector ? in->form.vector : 1);
    const bool same = stores && in->form.space == WEIR_SPACE_SHARED && to->kind == WEIR_OPERAND_ADDRESS &&
      to->symbol == g->symbol && to->index == g->index &&
      (!to->base_is_register || j->written[weir_operand_register(to)] == g->written);
    if (same && weir_apart(to->offset, bytes, g->begin, g->width))
      j->groups[n++] = *g;
    else
      join_group(j, g);
  }
  j->group_count = n;
}

static void join_block(struct joining *j, const struct weir_block *block) {
  struct weir_registers r;
  struct group g;
  weir_residues_begin(&j->residues);
  for (uint32_t i = block->first; i < block->first + block->count; i++) {
    const struct weir_instruction *in = j->cfg.instructions[i];
    if (is_load(in) && begin(j, in, i, &g)) {
      if (!grow(j, &g, weir_operand_register(&in->operands[0])))
        *weir_push(j->groups, j->group_count, j->group_capacity) = g;
    } else {
      end_groups(j, in);
    }
    weir_residues_pass(&j->residues, in);
    weir_registers_of(in, &r);
    for (unsigned k = 0; k < r.src_count; k++) j->touched[r.src[k]] = i + 1;
    for (unsigned k = 0; k < r.dst_count; k++) j->touched[r.dst[k]] = j->written[r.dst[k]] = i + 1;
  }
  for (uint32_t k = 0; k < j->group_count; k++) join_group(j, &j->groups[k]);
  j->group_count = 0;
}

void weir_assembly_join(struct weir_assembly *a) {
  struct joining j = {.a = a, .residues = {.shared = a->shared}};
  if (!a->shared->count) return;
  weir_cfg_build(&j.cfg, a->to);
  weir_residues_find(&j.residues, &j.cfg, a->to->register_count);
  j.written = weir_new_array(uint32_t, a->to->register_count + 1);
  j.touched = weir_new_array(uint32_t, a->to->register_count + 1);
  j.statement = weir_new_array(uint32_t, j.cfg.instruction_count + 1);
  j.gone = weir_new_array(bool, a->to->statement_count + 1);
  for (uint32_t s = 0, i = 0; s < a->to->statement_count; s++)
    if (a->to->statements[s].kind == WEIR_STMT_INSTRUCTION) j.statement[i++] = s;
  for (uint32_t b = 0; b < j.cfg.block_count; b++) join_block(&j, &j.cfg.blocks[b]);
  weir_assembly_drop(a, j.gone);
  weir_free(j.written);
  weir_free(j.touched);
  weir_free(j.statement);
  weir_free(j.gone);
  weir_free(j.groups);
  weir_residues_free(&j.residues);
  weir_cfg_free(&j.cfg);
}
