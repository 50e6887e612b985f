// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "exec/assemble/assemble.h"

#include "base/alloc.h"
#include "exec/assemble/private.h"
#include "exec/decode/decode.h"
#include "exec/estimate/estimate.h"

#include <stdio.h>
#include <string.h>

// ---- pieces ---------------------------------------------------------------------------------------------------------

static void put(struct weir_assembly *a, struct weir_statement s) {
  *weir_push(a->to->statements, a->to->statement_count, a->statement_capacity) = s;
}

void weir_assembly_put(struct weir_assembly *a, struct weir_instruction *in) {
  put(a, (struct weir_statement){.kind = WEIR_STMT_INSTRUCTION, .instruction = in, .line = in->line});
}

void weir_assembly_put_label(struct weir_assembly *a, struct weir_symbol *label) {
  label->statement = a->to->statement_count;
  put(a, (struct weir_statement){.kind = WEIR_STMT_LABEL, .symbol = label, .line = label->line});
}

void weir_assembly_put_rolled(struct weir_assembly *a) {
  put(a, (struct weir_statement){.kind = WEIR_STMT_PRAGMA, .text = ".pragma \"nounroll\";"});
}

// No PTX that compilers write has such names.
static const char *new_name(struct weir_assembly *a, const char *format, uint32_t number) {
  char name[32];
  return weir_arena_text(a->arena, name, (size_t)snprintf(name, sizeof name, format, number));
}

struct weir_symbol *weir_assembly_new_label(struct weir_assembly *a) {
  struct weir_symbol *label = weir_arena_new(a->arena, struct weir_symbol);
  *label = (struct weir_symbol){.name = new_name(a, "$assembled_%u", a->labels++), .kind = WEIR_SYM_LABEL};
  return label;
}

uint32_t weir_assembly_new_register(struct weir_assembly *a, uint32_t like) {
  struct weir_symbol *r = weir_arena_new(a->arena, struct weir_symbol);
  *r = *a->to->registers[like];
  r->name = new_name(a, "%%assembled_%u", a->to->register_count);
  r->first = a->to->register_count;
  r->count = 1;
  r->parameterised = false;
  char text[64];
  const int length = snprintf(text, sizeof text, ".reg .%s %s", weir_type_name(r->type), r->name);
  r->written = weir_arena_text(a->arena, text, (size_t)length);
  put(a, (struct weir_statement){.kind = WEIR_STMT_DECLARATION, .symbol = r});
  *weir_push(a->to->registers, a->to->register_count, a->register_capacity) = r;
  return r->first;
}

void weir_assembly_name(const struct weir_assembly *a, struct weir_operand *o, uint32_t number) {
  o->symbol = a->to->registers[number];
  o->index = number - o->symbol->first;
}

void weir_assembly_drop(struct weir_assembly *a, const bool *gone) {
  struct weir_function *f = a->to;
  uint32_t n = 0;
  for (uint32_t s = 0; s < f->statement_count; s++) {
    if (gone[s]) continue;
    f->statements[n] = f->statements[s];
    if (f->statements[n].kind == WEIR_STMT_LABEL) f->statements[n].symbol->statement = n;
    n++;
  }
  f->statement_count = n;
}

static struct weir_symbol *label_of(const struct weir_assembly *a, const struct weir_symbol *label) {
  return a->label[label->statement];
}

static struct weir_symbol *targets_of(struct weir_assembly *a, const struct weir_symbol *list) {
  struct weir_symbol *copy = weir_arena_new(a->arena, struct weir_symbol);
  *copy = *list;
  copy->targets = weir_arena_array(a->arena, const struct weir_symbol *, list->target_count);
  for (uint32_t k = 0; k < list->target_count; k++) copy->targets[k] = label_of(a, list->targets[k]);
  return copy;
}

static struct weir_operand *copy_operands(struct weir_assembly *a, const struct weir_operand *from, uint32_t count) {
  struct weir_operand *to = weir_arena_array(a->arena, struct weir_operand, count);
  for (uint32_t k = 0; k < count; k++) {
    to[k] = from[k];
    if (from[k].part_count) to[k].parts = copy_operands(a, from[k].parts, from[k].part_count);
  }
  return to;
}

struct weir_instruction *weir_assembly_copy(struct weir_assembly *a, const struct weir_instruction *in) {
  struct weir_instruction *copy = weir_arena_new(a->arena, struct weir_instruction);
  *copy = *in;
  copy->written = in->written ? in->written : in;
  copy->operands = copy_operands(a, in->operands, in->operand_count);
  for (uint32_t k = 0; k < copy->operand_count && weir_opcode_flow(in->opcode) == WEIR_FLOW_JUMP; k++) {
    struct weir_operand *o = &copy->operands[k];
    if (o->kind != WEIR_OPERAND_SYMBOL || !o->symbol) continue;
    if (o->symbol->kind == WEIR_SYM_LABEL)
      o->symbol = label_of(a, o->symbol);
    else if (o->symbol->kind == WEIR_SYM_TARGETS)
      o->symbol = targets_of(a, o->symbol);
  }
  return copy;
}

struct weir_instruction *weir_assembly_own(struct weir_assembly *a, uint32_t statement) {
  struct weir_statement *s = &a->to->statements[statement];
  if (!s->instruction->written) s->instruction = weir_assembly_copy(a, s->instruction);
  return s->instruction;
}

// ---- a function -----------------------------------------------------------------------------------------------------

static void make_labels(struct weir_assembly *a) {
  a->label = weir_new_array(struct weir_symbol *, a->from->statement_count + 1);
  for (uint32_t s = 0; s < a->from->statement_count; s++) {
    if (a->from->statements[s].kind != WEIR_STMT_LABEL) continue;
    a->label[s] = weir_arena_new(a->arena, struct weir_symbol);
    *a->label[s] = *a->from->statements[s].symbol;
  }
}

// False: block b stays as it is.
static bool put_unrolled(struct weir_assembly *a, uint32_t b) {
  struct weir_counted loop;
  if (!weir_find_counted(a, b, &loop) || (!loop.runs && weir_loop_stays(a, b, &loop))) return false;
  const struct weir_copies c = weir_loops_copies(a->loops, b, loop.runs);
  if (c.copies == 1 && loop.runs != 1) return false;
  if (loop.runs)
    weir_assembly_unroll_known(a, b, &loop, c.copies, c.before);
  else
    weir_assembly_unroll(a, b, &loop);
  a->whole |= c.copies == loop.runs;
  return true;
}

// Statements that are no code (declarations, scopes, lines) stay where they were.
static void put_all(struct weir_assembly *a) {
  uint32_t until = 0; // instructions before this one are there
  for (uint32_t s = 0; s < a->from->statement_count; s++) {
    const struct weir_statement *t = &a->from->statements[s];
    const uint32_t i = a->cfg.at_statement[s];
    if (t->kind == WEIR_STMT_LABEL) {
      weir_assembly_put_label(a, a->label[s]);
    } else if (t->kind != WEIR_STMT_INSTRUCTION) {
      put(a, *t);
    } else if (i >= until) {
      const uint32_t b = a->cfg.block_of[i];
      if (i == a->cfg.blocks[b].first && put_unrolled(a, b)) {
        until = i + a->cfg.blocks[b].count;
      } else if (weir_opcode_flow(t->instruction->opcode) == WEIR_FLOW_JUMP) {
        weir_assembly_put(a, weir_assembly_copy(a, t->instruction));
      } else {
        put(a, *t);
      }
    }
  }
}

// Puts `from`, of which `to` is a copy without code, with its loops unrolled and short branches as guards. False: nothing has changed, or
// nothing more can.
static bool put_round(struct weir_assembly *a, const struct weir_function *from) {
  a->from = from;
  a->to->statements = NULL;
  a->to->statement_count = a->statement_capacity = 0;
  a->register_capacity = from->register_count + 1;
  a->to->registers = weir_new_array(const struct weir_symbol *, a->register_capacity);
  if (from->register_count) memcpy(a->to->registers, from->registers, from->register_count * sizeof *from->registers);
  a->whole = false;
  weir_cfg_build(&a->cfg, from);
  make_labels(a);
  weir_counted_open(a);
  weir_varying_open(a);
  a->loops = weir_loops_open(from, &a->cfg, a->assembler);
  put_all(a);
  weir_loops_close(a->loops);
  weir_varying_close(a);
  weir_counted_close(a);
  weir_free(a->label);
  weir_cfg_free(&a->cfg);
  const bool placed = weir_assembly_place(a), guarded = weir_assembly_guard(a);
  return a->whole || placed || guarded;
}

enum { MOST_ROUNDS = 4 }; // loops within each other; a bound on work alone

static struct weir_function *assemble(struct weir_arena *arena, const struct weir_function *f, struct weir_code code,
                                      const struct weir_locations *shared) {
  struct weir_function *to = weir_arena_new(arena, struct weir_function);
  *to = *f;
  to->written = f;
  if (!f->has_body) return to;
  struct weir_assembly a = {.arena = arena, .assembler = code.assembler, .shared = shared, .to = to};
  bool more = put_round(&a, f);
  for (unsigned n = 1; n < MOST_ROUNDS && more; n++) {
    const struct weir_function before = *to;
    more = put_round(&a, &before);
    weir_free(before.statements);
    weir_free(before.registers);
  }
  weir_assembly_join(&a);
  weir_assembly_order(&a);
  weir_assembly_count(&a, code.machine);
  struct weir_statement *statements = weir_arena_array(arena, struct weir_statement, to->statement_count + 1);
  if (to->statement_count) memcpy(statements, to->statements, to->statement_count * sizeof *statements);
  weir_free(to->statements);
  to->statements = statements;
  const struct weir_symbol **registers = weir_arena_array(arena, const struct weir_symbol *, to->register_count + 1);
  if (to->register_count) memcpy(registers, to->registers, to->register_count * sizeof *registers);
  weir_free(to->registers);
  to->registers = registers;
  return to;
}

struct weir_module *weir_assemble(const struct weir_module *m, struct weir_code code) {
  struct weir_module *to = weir_new(struct weir_module);
  *to = *m;
  to->arena = (struct weir_arena){0};
  to->written = m;
  to->parts = NULL;
  to->part_count = 0;
  to->functions = weir_arena_array(&to->arena, struct weir_function *, m->function_count + 1);
  struct weir_locations shared = weir_shared_locations(m);
  for (uint32_t k = 0; k < m->function_count; k++)
    to->functions[k] = assemble(&to->arena, m->functions[k], code, &shared);
  weir_locations_free(&shared);
  to->items = weir_arena_array(&to->arena, struct weir_item, m->item_count + 1);
  for (uint32_t k = 0; k < m->item_count; k++) {
    to->items[k] = m->items[k];
    if (m->items[k].kind != WEIR_ITEM_FUNCTION) continue;
    const struct weir_function *f = m->items[k].function;
    if (f->index < m->function_count && m->functions[f->index] == f) to->items[k].function = to->functions[f->index];
  }
  return to;
}
