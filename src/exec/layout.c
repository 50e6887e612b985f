// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Where variables lie. Shared variables are laid out so that no two that one kernel may touch overlap, and those of
// different kernels do: each kernel needs only its own.
#include "base/alloc.h"
#include "base/bits.h"
#include "exec/decode.h"
#include "exec/ops/types.h"
#include "ptx/builtin.h"

#include <string.h>

static uint32_t alignment(const struct weir_symbol *s) {
  const uint32_t natural = weir_type_bytes(s->type) ? weir_type_bytes(s->type) : 1;
  return s->align ? s->align : natural;
}

static bool in_space(const struct weir_symbol *s, enum weir_space space) {
  return s->kind == WEIR_SYM_VARIABLE && s->space == space;
}

static uint64_t narrow(uint64_t bits, enum weir_type type) {
  return type == WEIR_T_F32 ? bits32((float)float64(bits)) : bits;
}

static uint64_t address_of(struct weir_decoder *d, const struct weir_initial *v) {
  const struct weir_location at = weir_locations_get(&d->locations, v->symbol);
  if (at.where == WEIR_AT_FUNCTION) return weir_take_address(d, at.value);
  return at.value + (v->generic && at.where == WEIR_AT_SHARED ? WEIR_SHARED_BASE : 0);
}

// Values of the initialiser; addresses of other variables are known once all have been placed.
static void initialise(struct weir_decoder *d, const struct weir_symbol *s, uint8_t *to) {
  if (s->opaque && s->type == WEIR_T_SAMPLERREF) {
    const uint64_t handle = weir_sampler_initial(s->opaque);
    memcpy(to, &handle, sizeof handle);
  }
  const unsigned bytes = weir_type_bytes(s->type);
  for (uint32_t k = 0; k < s->initial_count && (k + 1) * (uint64_t)bytes <= s->bytes; k++) {
    const struct weir_initial *v = &s->initial[k];
    uint64_t bits = v->is_float ? narrow(v->bits, s->type) : v->bits;
    if (v->symbol) bits += address_of(d, v);
    if (v->mask) bits = (bits & v->mask) >> weir_lowest(v->mask);
    memcpy(to + (size_t)k * bytes, &bits, bytes < 8 ? bytes : 8);
  }
}

static void place_globals(struct weir_decoder *d) {
  for (uint32_t k = 0; k < d->module->item_count; k++) {
    const struct weir_item *item = &d->module->items[k];
    if (item->kind != WEIR_ITEM_VARIABLE) continue;
    const struct weir_symbol *s = item->variable;
    const bool constant = in_space(s, WEIR_SPACE_CONST);
    if (!constant && !in_space(s, WEIR_SPACE_GLOBAL)) continue;
    const uint64_t base = weir_memory_alloc_static(d->program->memory, s->name, s->bytes, alignment(s), constant);
    weir_locations_put(&d->locations, s, WEIR_AT_ABSOLUTE, base);
  }
}

static void initialise_globals(struct weir_decoder *d) {
  for (uint32_t k = 0; k < d->module->item_count; k++) {
    const struct weir_item *item = &d->module->items[k];
    if (item->kind != WEIR_ITEM_VARIABLE || !(item->variable->initial || item->variable->opaque)) continue;
    const struct weir_location at = weir_locations_get(&d->locations, item->variable);
    if (at.where == WEIR_AT_ABSOLUTE)
      initialise(d, item->variable, weir_memory_at(d->program->memory, at.value, item->variable->bytes));
  }
}

// ---- shared variables -----------------------------------------------------------------------------------------------

// For every function, the variables and functions its instructions name, as a bit set over both.
struct uses {
  const struct weir_symbol **shared;
  uint32_t shared_count, shared_capacity, function_count, words;
  uint64_t *bits; // [function][word]: shared variables, then functions
};

static void collect(struct uses *u, const struct weir_symbol *s) {
  if (!in_space(s, WEIR_SPACE_SHARED)) return;
  for (uint32_t k = 0; k < u->shared_count; k++)
    if (u->shared[k] == s) return;
  *weir_push(u->shared, u->shared_count, u->shared_capacity) = s;
}

static void mark_operand(struct weir_decoder *d, struct uses *u, uint64_t *row, const struct weir_operand *o) {
  const struct weir_symbol *s = o->symbol;
  if (s && in_space(s, WEIR_SPACE_SHARED))
    for (uint32_t k = 0; k < u->shared_count; k++)
      if (u->shared[k] == s) row[k / 64] |= UINT64_C(1) << (k % 64);
  if (s && s->kind == WEIR_SYM_FUNCTION) {
    const struct weir_location at = weir_locations_get(&d->locations, s);
    const uint64_t f = u->shared_count + at.value;
    if (at.where == WEIR_AT_FUNCTION) row[f / 64] |= UINT64_C(1) << (f % 64);
  }
  for (uint32_t k = 0; k < o->part_count; k++) mark_operand(d, u, row, &o->parts[k]);
}

static bool test(const uint64_t *row, uint64_t k) {
  return row[k / 64] >> (k % 64) & 1;
}

static bool is_indirect_call(const struct weir_instruction *in) {
  if (in->opcode != WEIR_OP_CALL) return false;
  const unsigned callee = in->operand_count > 1 && in->operands[0].kind == WEIR_OPERAND_LIST;
  return in->operands[callee].kind == WEIR_OPERAND_REGISTER;
}

static void mark_all_functions(struct weir_decoder *d, struct uses *u, uint64_t *row) {
  for (uint32_t k = 0; k < u->function_count; k++) {
    const uint64_t f = u->shared_count + k;
    if (!d->module->functions[k]->entry) row[f / 64] |= UINT64_C(1) << (f % 64);
  }
}

// A call by pointer may reach any function: pointers come from tables and from other kernels' objects.
static void mark_function(struct weir_decoder *d, struct uses *u, uint32_t index) {
  const struct weir_function *f = d->module->functions[index];
  uint64_t *row = u->bits + (size_t)index * u->words;
  for (uint32_t k = 0; k < f->statement_count; k++) {
    if (f->statements[k].kind != WEIR_STMT_INSTRUCTION) continue;
    const struct weir_instruction *in = f->statements[k].instruction;
    if (is_indirect_call(in)) mark_all_functions(d, u, row);
    for (unsigned o = 0; o < in->operand_count; o++) mark_operand(d, u, row, &in->operands[o]);
  }
}

// What a function reaches through those it names, to a fixed point.
static void close_over(struct uses *u) {
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t f = 0; f < u->function_count; f++)
      for (uint32_t g = 0; g < u->function_count; g++) {
        uint64_t *row = u->bits + (size_t)f * u->words, *other = u->bits + (size_t)g * u->words;
        if (!test(row, u->shared_count + g)) continue;
        for (uint32_t k = 0; k < u->words; k++) {
          changed |= (row[k] | other[k]) != row[k];
          row[k] |= other[k];
        }
      }
  }
}

static void find_uses(struct weir_decoder *d, struct uses *u) {
  const struct weir_module *m = d->module;
  u->function_count = m->function_count;
  for (uint32_t k = 0; k < m->item_count; k++)
    if (m->items[k].kind == WEIR_ITEM_VARIABLE) collect(u, m->items[k].variable);
  for (uint32_t f = 0; f < m->function_count; f++)
    for (uint32_t k = 0; k < m->functions[f]->statement_count; k++)
      if (m->functions[f]->statements[k].kind == WEIR_STMT_DECLARATION)
        collect(u, m->functions[f]->statements[k].symbol);
  u->words = (u->shared_count + u->function_count + 63) / 64;
  u->bits = weir_new_array(uint64_t, (size_t)u->words * u->function_count + 1);
  for (uint32_t f = 0; f < m->function_count; f++) mark_function(d, u, f);
  close_over(u);
}

// Two variables may overlap unless some kernel reaches both.
static bool conflict(const struct weir_decoder *d, const struct uses *u, uint32_t a, uint32_t b) {
  for (uint32_t f = 0; f < u->function_count; f++) {
    const uint64_t *row = u->bits + (size_t)f * u->words;
    if (d->module->functions[f]->entry && test(row, a) && test(row, b)) return true;
  }
  return false;
}

static bool is_dynamic(const struct weir_symbol *s) {
  return s->bytes == 0;
}

static void place_shared(struct weir_decoder *d, const struct uses *u) {
  for (uint32_t k = 0; k < u->shared_count; k++) {
    const struct weir_symbol *s = u->shared[k];
    if (is_dynamic(s)) {
      weir_locations_put(&d->locations, s, WEIR_AT_EXTERN_SHARED, 0);
      continue;
    }
    uint64_t offset = 0;
    for (uint32_t other = 0; other < k; other++) {
      const struct weir_symbol *o = u->shared[other];
      if (is_dynamic(o) || !conflict(d, u, k, other)) continue;
      const uint64_t end = weir_locations_get(&d->locations, o).value + o->bytes;
      if (end > offset) offset = end;
    }
    weir_locations_put(&d->locations, s, WEIR_AT_SHARED, weir_align_up(offset, alignment(s)));
  }
}

static void measure_shared(struct weir_decoder *d, const struct uses *u) {
  for (uint32_t n = 0; n < d->program->kernel_count; n++) {
    struct weir_kernel *kernel = &d->program->kernels[n];
    const uint64_t *row = u->bits + (size_t)kernel->function * u->words;
    kernel->shared_align = 1;
    for (uint32_t k = 0; k < u->shared_count; k++) {
      const struct weir_symbol *s = u->shared[k];
      if (!test(row, k)) continue;
      const uint64_t end = weir_locations_get(&d->locations, s).value + s->bytes;
      if (is_dynamic(s)) kernel->shared_align = alignment(s) > 16 ? alignment(s) : 16;
      else if (end > kernel->shared_bytes) kernel->shared_bytes = (uint32_t)end;
    }
  }
}

// ---- kernels --------------------------------------------------------------------------------------------------------

static void describe_parameter(struct weir_kernel_param *p, const struct weir_symbol *s, uint32_t *offset) {
  const uint32_t align = alignment(s);
  *offset = (uint32_t)weir_align_up(*offset, align);
  *p = (struct weir_kernel_param){.name = s->name, .offset = *offset, .bytes = (uint32_t)s->bytes, .align = align,
                                  .type = s->dimensions ? WEIR_T_NONE : s->type};
  p->is_pointer = !s->dimensions && (s->ptr_written || s->type == WEIR_T_U64 || s->type == WEIR_T_B64);
  p->is_shared_pointer = s->ptr_written && s->ptr_space == WEIR_SPACE_SHARED;
  *offset += (uint32_t)s->bytes;
}

static void describe_kernel(struct weir_decoder *d, struct weir_kernel *kernel, uint32_t index) {
  const struct weir_function *f = d->module->functions[index];
  struct weir_kernel_param *params = weir_arena_array(&d->program->arena, struct weir_kernel_param, f->param_count + 1);
  uint32_t offset = 0;
  for (uint32_t k = 0; k < f->param_count; k++) {
    describe_parameter(&params[k], f->params[k], &offset);
    weir_locations_put(&d->locations, f->params[k], WEIR_AT_KERNEL_PARAM, WEIR_PARAM_BASE + params[k].offset);
  }
  *kernel = (struct weir_kernel){.name = f->symbol->name, .function = index, .param_count = f->param_count,
                                 .param_bytes = offset, .params = params};
  memcpy(kernel->maxntid, f->maxntid, sizeof kernel->maxntid);
  memcpy(kernel->reqntid, f->reqntid, sizeof kernel->reqntid);
}

// A function may be declared several times and have aliases; all its symbols mean the one with a body. One that has none
// has an address nevertheless, for a table of functions may name it: that of the declaration calls are checked against.
static uint32_t definition(const struct weir_module *m, uint32_t index) {
  const struct weir_function *f = m->functions[index]->symbol->function->symbol->function;
  for (uint32_t k = 0; k < m->function_count; k++)
    if (m->functions[k] == f) return k;
  return index;
}

uint64_t weir_take_address(struct weir_decoder *d, uint64_t function) {
  d->program->functions[function].address_taken = true;
  return WEIR_FUNCTION_BASE + 8 * (d->program->first_function + function);
}

static void place_functions(struct weir_decoder *d) {
  const struct weir_module *m = d->module;
  for (uint32_t f = 0; f < m->function_count; f++) {
    weir_locations_put(&d->locations, m->functions[f]->symbol, WEIR_AT_FUNCTION, definition(m, f));
    d->program->functions[f].builtin = (uint8_t)weir_builtin_of(m->functions[f]);
  }
}

bool weir_layout_module(struct weir_decoder *d) {
  const struct weir_module *m = d->module;
  struct weir_program *p = d->program;
  struct uses u = {0};
  place_functions(d);
  p->kernels = weir_arena_array(&p->arena, struct weir_kernel, m->function_count + 1);
  for (uint32_t f = 0; f < m->function_count; f++)
    if (m->functions[f]->entry && m->functions[f]->has_body) describe_kernel(d, &p->kernels[p->kernel_count++], f);
  find_uses(d, &u);
  place_shared(d, &u);
  measure_shared(d, &u);
  place_globals(d);
  initialise_globals(d);
  weir_free(u.shared);
  weir_free(u.bits);
  return true;
}

// A function's part of local memory: its formal parameters (weir_place_formal), then its .param and .local variables.
void weir_layout_frame(struct weir_decoder *d, uint32_t index) {
  const struct weir_function *f = d->module->functions[index];
  uint32_t offset = 0;
  if (!f->entry) {
    for (uint32_t k = 0; k < f->return_count; k++)
      weir_locations_put(&d->locations, f->returns[k], WEIR_AT_FRAME,
                         weir_place_formal(&offset, f->returns[k]->bytes, f->returns[k]->align));
    for (uint32_t k = 0; k < f->param_count; k++)
      weir_locations_put(&d->locations, f->params[k], WEIR_AT_FRAME,
                         weir_place_formal(&offset, f->params[k]->bytes, f->params[k]->align));
  }
  d->code->formal_bytes = offset;
  for (uint32_t k = 0; k < f->statement_count; k++) {
    if (f->statements[k].kind != WEIR_STMT_DECLARATION) continue;
    const struct weir_symbol *s = f->statements[k].symbol;
    const bool local = s->space == WEIR_SPACE_LOCAL, param = s->space == WEIR_SPACE_PARAM;
    if ((local || param) && (s->kind == WEIR_SYM_VARIABLE || s->kind == WEIR_SYM_PARAM))
      weir_locations_put(&d->locations, s, local ? WEIR_AT_LOCAL : WEIR_AT_FRAME,
                         weir_place_formal(&offset, s->bytes, alignment(s)));
  }
  d->code->local_bytes = (uint32_t)weir_align_up(offset, 16);
}

// For the host: addresses by position in the module.
void weir_keep_variables(struct weir_decoder *d) {
  const struct weir_module *m = d->module;
  d->program->variables = weir_new_array(uint64_t, m->item_count + 1);
  for (uint32_t k = 0; k < m->item_count; k++) {
    if (m->items[k].kind != WEIR_ITEM_VARIABLE) continue;
    const struct weir_location at = weir_locations_get(&d->locations, m->items[k].variable);
    d->program->variables[k] = at.where == WEIR_AT_ABSOLUTE ? at.value : 0;
  }
}
