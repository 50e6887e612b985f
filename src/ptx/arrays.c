// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "ptx/arrays.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <string.h>

enum { POINTER_BYTES = 8 };

// What a register may point into. Invariant: values only rise, so that the passes over a function end.
struct origin {
  struct weir_array array; // NULL symbol: nothing
  bool sure;               // it is an address: it was converted between spaces, or declared one
  bool several;
};

struct weir_arrays {
  const struct weir_function *function;
  struct origin *registers;
};

static bool is_parameter(const struct weir_function *f, const struct weir_symbol *s) {
  for (uint32_t i = 0; i < f->param_count; i++)
    if (f->params[i] == s) return true;
  return false;
}

static bool same_array(struct weir_array a, struct weir_array b) {
  return a.symbol == b.symbol && a.offset == b.offset;
}

// Of two that meet in one register or sum, an address goes before a number.
static struct origin join(struct origin a, struct origin b) {
  if (!a.array.symbol) return b;
  if (!b.array.symbol || (a.sure && !b.sure)) return a;
  if (b.sure && !a.sure) return b;
  a.several |= b.several || !same_array(a.array, b.array);
  return a;
}

static struct origin of_operand(const struct weir_arrays *a, const struct weir_operand *o) {
  if (o->kind == WEIR_OPERAND_REGISTER) return a->registers[weir_operand_register(o)];
  if (o->kind == WEIR_OPERAND_SYMBOL && o->symbol && o->symbol->space == WEIR_SPACE_GLOBAL)
    return (struct origin){.array.symbol = o->symbol, .sure = true};
  return (struct origin){0};
}

// Eight bytes of a parameter: all of it, or a member of a structure. `part`: of what is loaded as a vector.
static struct origin of_parameter(const struct weir_arrays *a, const struct weir_instruction *i, uint32_t part) {
  const struct weir_operand *o = &i->operands[1];
  if (o->base_is_register || !o->symbol || o->offset < 0 || !is_parameter(a->function, o->symbol))
    return (struct origin){0};
  if (weir_type_bytes((enum weir_type)i->form.type) != POINTER_BYTES || o->symbol->bytes < POINTER_BYTES)
    return (struct origin){0};
  return (struct origin){.array = {o->symbol, (uint64_t)o->offset + part * POINTER_BYTES},
                         .sure = o->symbol->ptr_written};
}

// What the instruction's result points into.
static struct origin of_result(const struct weir_arrays *a, const struct weir_instruction *i, uint32_t part) {
  const struct weir_operand *o = i->operands;
  struct origin result = {0};
  switch (i->opcode) {
  case WEIR_OP_LD: return i->form.space == WEIR_SPACE_PARAM ? of_parameter(a, i, part) : result;
  case WEIR_OP_MOV: return of_operand(a, &o[1]);
  case WEIR_OP_CVTA:
    result = of_operand(a, &o[1]);
    result.sure = result.array.symbol != NULL;
    return result;
  case WEIR_OP_ADD:
  case WEIR_OP_SUB: return join(of_operand(a, &o[1]), of_operand(a, &o[2]));
  case WEIR_OP_SELP: return join(of_operand(a, &o[1]), of_operand(a, &o[2]));
  case WEIR_OP_MAD: return of_operand(a, &o[3]);
  default: return result;
  }
}

static bool same(struct origin a, struct origin b) {
  return same_array(a.array, b.array) && a.sure == b.sure && a.several == b.several;
}

// What `part` of the result may point into, in the register that takes it.
static bool rise(struct weir_arrays *a, const struct weir_instruction *i, const struct weir_operand *d, uint32_t part) {
  if (d->kind != WEIR_OPERAND_REGISTER) return false;
  struct origin *r = &a->registers[weir_operand_register(d)];
  const struct origin risen = join(*r, of_result(a, i, part));
  const bool changed = !same(*r, risen);
  *r = risen;
  return changed;
}

static bool pass(struct weir_arrays *a) {
  bool changed = false;
  for (uint32_t k = 0; k < a->function->statement_count; k++) {
    const struct weir_statement *s = &a->function->statements[k];
    if (s->kind != WEIR_STMT_INSTRUCTION || !weir_writes_first(s->instruction)) continue;
    const struct weir_operand *d = &s->instruction->operands[0];
    if (d->kind == WEIR_OPERAND_VECTOR && s->instruction->opcode == WEIR_OP_LD)
      for (uint32_t p = 0; p < d->part_count; p++) changed |= rise(a, s->instruction, &d->parts[p], p);
    else
      changed |= rise(a, s->instruction, d, 0);
  }
  return changed;
}

// A register rises at most from nothing to a number, an address, and several.
struct weir_arrays *weir_arrays_of(const struct weir_function *f) {
  struct weir_arrays *a = weir_new(struct weir_arrays);
  a->function = f;
  a->registers = weir_new_array(struct origin, f->register_count + 1);
  while (pass(a)) continue;
  return a;
}

void weir_arrays_free(struct weir_arrays *a) {
  if (!a) return;
  weir_free(a->registers);
  weir_free(a);
}

bool weir_is_async_load(const struct weir_instruction *i) {
  return i->opcode == WEIR_OP_CP && i->form.cache != WEIR_CACHE_NONE;
}

const struct weir_operand *weir_access_address(const struct weir_instruction *i) {
  if (weir_is_async_load(i)) return &i->operands[1];
  const bool global = i->form.space == WEIR_SPACE_GLOBAL || i->form.space == WEIR_SPACE_NONE;
  if (!global || (i->opcode != WEIR_OP_LD && i->opcode != WEIR_OP_ST)) return NULL;
  return &i->operands[i->opcode == WEIR_OP_LD ? 1 : 0];
}

// The memory side of a bulk copy that has its bytes by address: its source, or the target of one out of shared memory.
static const struct weir_operand *bulk_address(const struct weir_instruction *i) {
  if (weir_has_modifier(i, "tensor") || i->operand_count < 2) return NULL;
  const bool first = weir_has_modifier(i, "bulk_group") || weir_has_modifier(i, "prefetch");
  return weir_has_modifier(i, "global") ? &i->operands[first ? 0 : 1] : NULL;
}

static const struct weir_operand *address_of(const struct weir_instruction *i) {
  if (i->opcode == WEIR_OP_CP && !weir_is_async_load(i)) return bulk_address(i);
  const bool global = i->form.space == WEIR_SPACE_GLOBAL || i->form.space == WEIR_SPACE_NONE;
  if (!global) return NULL;
  if (i->opcode == WEIR_OP_ATOM) return &i->operands[1];
  return i->opcode == WEIR_OP_RED ? &i->operands[0] : weir_access_address(i);
}

struct weir_array weir_array_of(const struct weir_arrays *a, const struct weir_instruction *i) {
  const struct weir_operand *o = address_of(i);
  struct weir_array array = {0};
  if (o && !o->base_is_register && o->symbol && o->symbol->space == WEIR_SPACE_GLOBAL) array.symbol = o->symbol;
  if (!o || !o->base_is_register) return array;
  const struct origin *from = &a->registers[weir_operand_register(o)];
  return from->several ? array : from->array;
}

char *weir_array_name(const struct weir_function *f, struct weir_array array) {
  if (!array.symbol) return NULL;
  const char *name = array.symbol->name;
  const size_t length = strlen(f->symbol->name);
  if (!strncmp(name, f->symbol->name, length) && name[length] == '_') name += length + 1;
  if (is_parameter(f, array.symbol) && array.symbol->bytes != POINTER_BYTES)
    return weir_text_format("%s+%" PRIu64, name, array.offset);
  return weir_text_copy(name);
}
