// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Main loops: outermost natural loops with accesses to structures (section 3.2), and whether their text can be copied.
#include "base/alloc.h"
#include "sl1/kernel.h"

uint32_t weir_sl1_targets(const struct weir_instruction *in, const struct weir_symbol *const **targets) {
  if (weir_opcode_flow(in->opcode) != WEIR_FLOW_JUMP) return 0;
  const struct weir_operand *o = &in->operands[in->opcode == WEIR_OP_BRX];
  *targets = in->opcode == WEIR_OP_BRX ? o->symbol->targets : &o->symbol;
  return in->opcode == WEIR_OP_BRX ? o->symbol->target_count : 1;
}

uint32_t weir_sl1_block_at(const struct weir_sl1_analysis *a, const struct weir_symbol *label) {
  const uint32_t i = weir_cfg_label(&a->cfg, label);
  return i < a->cfg.instruction_count ? a->cfg.block_of[i] : a->cfg.block_count;
}

bool weir_sl1_leaves(const struct weir_instruction *in) {
  const enum weir_flow flow = weir_opcode_flow(in->opcode);
  return !in->guard && (flow == WEIR_FLOW_JUMP || flow == WEIR_FLOW_END);
}

// ---- statements -----------------------------------------------------------------------------------------------------

// A } belongs to the instruction before it, with what stands between the two; everything else to the one that follows.
static void place_statements(struct weir_sl1_analysis *a) {
  const struct weir_function *f = a->f;
  uint32_t scope = 0, behind = 0, before = a->cfg.block_count,
           *around = weir_new_array(uint32_t, f->statement_count + 1);
  for (uint32_t s = 0; s < f->statement_count; s++) {
    const enum weir_statement_kind kind = f->statements[s].kind;
    const uint32_t next = a->cfg.at_statement[s];
    if (kind == WEIR_STMT_CLOSE) scope = around[scope];
    a->scope[s] = scope;
    if (kind == WEIR_STMT_OPEN) around[s + 1] = scope, scope = s + 1;
    if (kind == WEIR_STMT_INSTRUCTION) a->statement_of[next] = s;
    a->owner[s] = next < a->cfg.instruction_count ? a->cfg.block_of[next] : a->cfg.block_count;
    for (; kind == WEIR_STMT_CLOSE && behind <= s; behind++) a->owner[behind] = before;
    if (kind == WEIR_STMT_INSTRUCTION) before = a->owner[s], behind = s + 1;
  }
  weir_free(around);
}

static bool is_inside(const struct weir_sl1_analysis *a, uint32_t scope, uint32_t outer) {
  while (scope > outer) scope = a->scope[scope - 1];
  return scope == outer;
}

bool weir_sl1_is_around(const struct weir_sl1_analysis *a, const struct weir_sl1_main *main, uint32_t s) {
  const enum weir_statement_kind kind = a->f->statements[s].kind;
  if (kind == WEIR_STMT_INSTRUCTION) return false;
  if (!is_inside(a, a->scope[s], main->scope)) return true;
  const bool header = a->owner[s] == a->loops.loops[main->loop].header;
  return kind == WEIR_STMT_DECLARATION && header && s < main->start;
}

// The scope around `scope` that is next within `outer`, which is around both.
static uint32_t outermost_below(const struct weir_sl1_analysis *a, uint32_t scope, uint32_t outer) {
  while (a->scope[scope - 1] != outer) scope = a->scope[scope - 1];
  return scope;
}

// ---- can it be copied? ----------------------------------------------------------------------------------------------

static bool in_main(const struct weir_sl1_analysis *a, uint32_t block, uint32_t main) {
  return block < a->cfg.block_count && a->main_of[block] == main;
}

static const char *check_branch(const struct weir_sl1_analysis *a, uint32_t index, const struct weir_symbol *label) {
  const uint32_t block = weir_sl1_block_at(a, label), at = a->scope[label->statement];
  if (!in_main(a, block, index))
    return is_inside(a, a->mains[index].scope, at) ? NULL : "it is left for the inside of a { } scope";
  return a->owner[label->statement] == block ? NULL : "a { } scope ends between a label and its instruction";
}

static const char *check_instruction(const struct weir_sl1_analysis *a, uint32_t index, uint32_t i) {
  const struct weir_instruction *in = a->cfg.instructions[i];
  const struct weir_symbol *const *targets = NULL;
  const uint32_t block = a->cfg.block_of[i], count = weir_sl1_targets(in, &targets);
  const char *why = NULL;
  for (uint32_t t = 0; t < count && !why; t++) why = check_branch(a, index, targets[t]);
  const bool last = i + 1 == a->cfg.blocks[block].first + a->cfg.blocks[block].count;
  if (why || !last || weir_sl1_leaves(in)) return why;
  const uint32_t next = i + 1 < a->cfg.instruction_count ? a->cfg.block_of[i + 1] : a->cfg.block_count;
  return in_main(a, next, index) || a->scope[a->statement_of[i]] == a->mains[index].scope
    ? NULL
    : "it is left in the middle of a { } scope";
}

static const char *check_statement(const struct weir_sl1_analysis *a, uint32_t index, uint32_t s) {
  const struct weir_sl1_main *main = &a->mains[index];
  const struct weir_statement *statement = &a->f->statements[s];
  if (weir_sl1_is_around(a, main, s)) return NULL;
  if (!is_inside(a, a->scope[s], main->scope)) return "its text is in several { } scopes";
  if (statement->kind == WEIR_STMT_DECLARATION && a->scope[s] == main->scope &&
      statement->symbol->kind != WEIR_SYM_TARGETS)
    return "it declares something that another copy would declare again";
  return statement->kind == WEIR_STMT_INSTRUCTION ? check_instruction(a, index, a->cfg.at_statement[s]) : NULL;
}

// Every scope within is wholly of the loop, or has nothing of it: of its statements, `marks` says whether some are.
static const char *check_scopes(const struct weir_sl1_analysis *a, uint32_t index, uint8_t *marks) {
  const struct weir_sl1_main *main = &a->mains[index];
  for (uint32_t s = main->first; s < a->f->statement_count; s++) {
    const bool within = is_inside(a, a->scope[s], main->scope) && a->scope[s] != main->scope;
    if (s > main->last && !within) break; // the last one's scope has ended
    if (!within) continue;
    uint8_t *mark = &marks[outermost_below(a, a->scope[s], main->scope)];
    *mark |= in_main(a, a->owner[s], index) ? 1 : 2;
    if (*mark == 3) return "its text has part of a { } scope";
  }
  return NULL;
}

static void check_main(struct weir_sl1_analysis *a, uint32_t index, uint8_t *marks) {
  struct weir_sl1_main *main = &a->mains[index];
  for (uint32_t s = main->first; s <= main->last && !main->left_alone; s++)
    if (in_main(a, a->owner[s], index)) main->left_alone = check_statement(a, index, s);
  if (!main->left_alone) main->left_alone = check_scopes(a, index, marks);
}

// ---- which are they? ------------------------------------------------------------------------------------------------

static bool is_plain(const struct weir_sl1_access *x) {
  return (x->effect == WEIR_SL1_LOAD || x->effect == WEIR_SL1_STORE) && x->set;
}

// [loop] → whether it is outermost and has accesses to structures; and the loop's number among such.
static void number_mains(struct weir_sl1_analysis *a, const uint32_t *outer, uint32_t *number) {
  for (uint32_t k = 0; k < a->loops.loop_count; k++) number[k] = WEIR_NO_LOOP;
  for (uint32_t i = 0; i < a->cfg.instruction_count; i++) {
    const uint32_t loop = a->loops.loop_of[a->cfg.block_of[i]];
    if (loop == WEIR_NO_LOOP || !is_plain(&a->access[i])) continue;
    uint32_t *n = &number[outer[loop]];
    if (*n != WEIR_NO_LOOP) continue;
    *n = a->main_count;
    a->mains[a->main_count++] = (struct weir_sl1_main){.loop = outer[loop], .first = UINT32_MAX, .scope = UINT32_MAX};
  }
}

// The innermost scope around both.
static uint32_t common_scope(const struct weir_sl1_analysis *a, uint32_t x, uint32_t y) {
  while (x != y) {
    if (x > y)
      x = a->scope[x - 1];
    else
      y = a->scope[y - 1];
  }
  return x;
}

// Where the header begins: at its first instruction, or at the { of a scope that this is in.
static void find_starts(struct weir_sl1_analysis *a) {
  for (uint32_t k = 0; k < a->main_count; k++) {
    struct weir_sl1_main *m = &a->mains[k];
    const uint32_t header = a->loops.loops[m->loop].header;
    uint32_t s = a->statement_of[a->cfg.blocks[header].first];
    while (a->scope[s] != m->scope) s = a->scope[s] - 1;
    m->start = s;
  }
}

static bool leaves_main(const struct weir_sl1_analysis *a, uint32_t block, uint32_t main) {
  for (uint32_t n = 0; n < a->cfg.blocks[block].next_count; n++)
    if (!in_main(a, a->cfg.blocks[block].next[n], main)) return true;
  return false;
}

// One more way out of a block that has one anyway changes no branch's post-dominator; another way out of a header that lanes
// come back to, as of two loops in one, may keep the lanes of a warp apart that would have met again. The header if it has
// one, else the next of the blocks that all its ways lead over; else one of the outer loop's own.
static uint32_t find_test(const struct weir_sl1_analysis *a, uint32_t index) {
  const struct weir_sl1_main *m = &a->mains[index];
  const uint32_t header = a->loops.loops[m->loop].header;
  for (uint32_t b = header; in_main(a, b, index); b = a->cfg.blocks[b].post_dominator)
    if (leaves_main(a, b, index) && (b == header || a->scope[a->statement_of[a->cfg.blocks[b].first]] == m->scope))
      return b;
  for (uint32_t b = a->cfg.block_count; b-- && !m->convergent;)
    if (a->loops.loop_of[b] == m->loop && leaves_main(a, b, index) &&
        a->scope[a->statement_of[a->cfg.blocks[b].first]] == m->scope)
      return b;
  return header;
}

static void gather(struct weir_sl1_analysis *a) {
  for (uint32_t s = 0; s < a->f->statement_count; s++) {
    const uint32_t block = a->owner[s], main = block < a->cfg.block_count ? a->main_of[block] : WEIR_NO_LOOP;
    if (main == WEIR_NO_LOOP) continue;
    struct weir_sl1_main *m = &a->mains[main];
    const bool instruction = a->f->statements[s].kind == WEIR_STMT_INSTRUCTION;
    if (instruction) m->scope = m->scope == UINT32_MAX ? a->scope[s] : common_scope(a, m->scope, a->scope[s]);
    if (m->first == UINT32_MAX) m->first = s;
    m->last = s;
    if (instruction) m->convergent |= weir_sl1_is_convergent(a->cfg.instructions[a->cfg.at_statement[s]]);
  }
  find_starts(a);
  for (uint32_t k = 0; k < a->main_count; k++) a->mains[k].test = find_test(a, k);
}

void weir_sl1_find_mains(struct weir_sl1_analysis *a) {
  const uint32_t blocks = a->cfg.block_count, loops = a->loops.loop_count, statements = a->f->statement_count;
  a->mains = weir_arena_array(&a->arena, struct weir_sl1_main, loops + 1);
  a->main_of = weir_arena_array(&a->arena, uint32_t, blocks + 1);
  a->scope = weir_arena_array(&a->arena, uint32_t, statements + 1);
  a->owner = weir_arena_array(&a->arena, uint32_t, statements + 1);
  a->statement_of = weir_arena_array(&a->arena, uint32_t, a->cfg.instruction_count + 1);
  place_statements(a);
  uint32_t *outer = weir_new_array(uint32_t, loops + 1), *number = weir_new_array(uint32_t, loops + 1);
  for (uint32_t k = loops; k--;) // those around a loop come behind it
    outer[k] = a->loops.loops[k].parent == WEIR_NO_LOOP ? k : outer[a->loops.loops[k].parent];
  number_mains(a, outer, number);
  for (uint32_t b = 0; b < blocks; b++) {
    const uint32_t loop = a->loops.loop_of[b];
    a->main_of[b] = loop == WEIR_NO_LOOP ? WEIR_NO_LOOP : number[outer[loop]];
  }
  gather(a);
  uint8_t *marks = weir_new_array(uint8_t, statements + 2);
  for (uint32_t k = 0; k < a->main_count; k++) check_main(a, k, marks);
  weir_free(marks);
  weir_free(number);
  weir_free(outer);
}
