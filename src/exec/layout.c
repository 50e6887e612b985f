// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Where variables lie; shared ones: layout_shared.c.
#include "base/alloc.h"
#include "base/bits.h"
#include "exec/decode/decode.h"
#include "exec/limits.h"
#include "exec/ops/types.h"
#include "ptx/builtin.h"

#include <inttypes.h>
#include <string.h>

uint32_t weir_alignment(const struct weir_symbol *s) {
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

struct weir_place weir_place_of(const struct weir_module *home, const struct weir_symbol *s) {
  return (struct weir_place){home->path, home->text, s->line, s->column};
}

// Constants have 64 KiB, whatever memory the device has.
static bool has_room(struct weir_decoder *d, const struct weir_symbol *s, bool constant, uint64_t *constants) {
  if (constant && (s->bytes > WEIR_MAX_CONST_BYTES || (*constants += s->bytes) > WEIR_MAX_CONST_BYTES))
    return weir_fail(d->sink, weir_place_of(d->module, s), "'%s' takes the module's .const variables past %d bytes",
                     s->name, WEIR_MAX_CONST_BYTES);
  return true;
}

static void place_globals(struct weir_decoder *d) {
  uint64_t constants = 0;
  for (uint32_t k = 0; k < d->module->item_count; k++) {
    const struct weir_item *item = &d->module->items[k];
    if (item->kind != WEIR_ITEM_VARIABLE) continue;
    const struct weir_symbol *s = item->variable;
    const bool constant = in_space(s, WEIR_SPACE_CONST);
    if (!constant && !in_space(s, WEIR_SPACE_GLOBAL)) continue;
    if (!has_room(d, s, constant, &constants)) continue;
    const uint64_t base = s->managed
      ? weir_memory_alloc_managed(d->program->memory, s->name, s->bytes, weir_alignment(s))
      : weir_memory_alloc_static(d->program->memory, s->name, s->bytes, weir_alignment(s), constant);
    if (!base)
      weir_fail(d->sink, weir_place_of(d->module, s),
                "'%s' has %" PRIu64 " bytes; %" PRIu64 " of the device's memory are left", s->name, s->bytes,
                weir_memory_left_static(d->program->memory));
    weir_locations_put(&d->locations, s, WEIR_AT_ABSOLUTE, base);
  }
}

static void initialise_globals(struct weir_decoder *d) {
  for (uint32_t k = 0; k < d->module->item_count; k++) {
    const struct weir_item *item = &d->module->items[k];
    if (item->kind != WEIR_ITEM_VARIABLE || !(item->variable->initial || item->variable->opaque)) continue;
    const struct weir_location at = weir_locations_get(&d->locations, item->variable);
    if (at.where == WEIR_AT_ABSOLUTE && at.value)
      initialise(d, item->variable, weir_memory_at(d->program->memory, at.value, item->variable->bytes));
  }
}

// ---- kernels --------------------------------------------------------------------------------------------------------

// The rest of a kernel with too many parameters is laid out as if there were none before.
static void describe_parameter(struct weir_decoder *d, const struct weir_function *f, struct weir_kernel_param *p,
                               const struct weir_symbol *s, uint64_t *offset) {
  const uint32_t align = weir_alignment(s),
                 most = d->module->version_number < 81 ? WEIR_MAX_PARAM_BYTES_BEFORE_81 : WEIR_MAX_PARAM_BYTES;
  *offset = weir_align_up(*offset, align);
  if (s->bytes > most || *offset + s->bytes > most) {
    weir_fail(d->sink, weir_place_of(f->home, s), "'%s' takes the parameters of kernel '%s' past %u bytes", s->name,
              f->symbol->name, most);
    *offset = 0;
  }
  *p = (struct weir_kernel_param){.name = s->name,
                                  .offset = (uint32_t)*offset,
                                  .bytes = (uint32_t)s->bytes,
                                  .align = align,
                                  .type = s->dimensions ? WEIR_T_NONE : s->type};
  p->is_pointer = !s->dimensions && (s->ptr_written || s->type == WEIR_T_U64 || s->type == WEIR_T_B64);
  p->is_shared_pointer = s->ptr_written && s->ptr_space == WEIR_SPACE_SHARED;
  *offset = s->bytes > most ? 0 : *offset + s->bytes;
}

static void describe_kernel(struct weir_decoder *d, struct weir_kernel *kernel, uint32_t index) {
  const struct weir_function *f = d->module->functions[index];
  struct weir_kernel_param *params = weir_arena_array(&d->program->arena, struct weir_kernel_param, f->param_count + 1);
  uint64_t offset = 0;
  for (uint32_t k = 0; k < f->param_count; k++) {
    describe_parameter(d, f, &params[k], f->params[k], &offset);
    weir_locations_put(&d->locations, f->params[k], WEIR_AT_KERNEL_PARAM, WEIR_PARAM_BASE + params[k].offset);
  }
  *kernel = (struct weir_kernel){.name = f->symbol->name,
                                 .function = index,
                                 .param_count = f->param_count,
                                 .param_bytes = (uint32_t)offset,
                                 .params = params};
  d->program->functions[index].param_bytes = kernel->param_bytes;
  d->program->functions[index].kernel = (uint32_t)(kernel - d->program->kernels) + 1;
  memcpy(kernel->maxntid, f->maxntid, sizeof kernel->maxntid);
  memcpy(kernel->reqntid, f->reqntid, sizeof kernel->reqntid);
  memcpy(kernel->reqnctapercluster, f->reqnctapercluster, sizeof kernel->reqnctapercluster);
  kernel->maxclusterrank = f->maxclusterrank;
  kernel->explicitcluster = f->explicitcluster;
  kernel->maxnreg = f->maxnreg;
  kernel->minnctapersm = f->minnctapersm;
}

// A function may be declared several times and have aliases; all its symbols mean the one with a body. One that has none
// has an address nevertheless, for a table of functions may name it: that of the declaration calls are checked against.
static uint32_t definition(const struct weir_module *m, uint32_t index) {
  const struct weir_function *f = m->functions[index]->symbol->function->symbol->function;
  return f->index < m->function_count && m->functions[f->index] == f ? f->index : index;
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

struct weir_locations weir_shared_locations(const struct weir_module *m) {
  struct weir_program p = {.function_count = m->function_count};
  struct weir_sink sink = {0};
  struct weir_decoder d = {.program = &p, .module = m, .sink = &sink};
  p.functions = weir_arena_array(&p.arena, struct weir_function_code, m->function_count + 1);
  p.kernels = weir_arena_array(&p.arena, struct weir_kernel, m->function_count + 1);
  place_functions(&d);
  for (uint32_t f = 0; f < m->function_count; f++)
    if (m->functions[f]->entry && m->functions[f]->has_body)
      p.kernels[p.kernel_count++] = (struct weir_kernel){.name = m->functions[f]->symbol->name, .function = f};
  weir_layout_shared(&d);
  weir_sink_free(&sink);
  weir_arena_free(&p.arena);
  return d.locations;
}

void weir_layout_module(struct weir_decoder *d) {
  const struct weir_module *m = d->module;
  struct weir_program *p = d->program;
  place_functions(d);
  p->kernels = weir_arena_array(&p->arena, struct weir_kernel, m->function_count + 1);
  for (uint32_t f = 0; f < m->function_count; f++)
    if (m->functions[f]->entry && m->functions[f]->has_body) describe_kernel(d, &p->kernels[p->kernel_count++], f);
  weir_layout_shared(d);
  place_globals(d);
  initialise_globals(d);
}

static void place_in_frame(struct weir_decoder *d, const struct weir_function *f, const struct weir_symbol *s,
                           enum weir_where where, uint32_t align, uint64_t *offset) {
  const uint64_t at = weir_place_formal(offset, s->bytes, align);
  weir_locations_put(&d->locations, s, where, at);
  if (*offset <= WEIR_MAX_LOCAL_BYTES) return;
  weir_fail(d->sink, weir_place_of(f->home, s),
            "'%s' takes the .local and .param variables of '%s' past %d bytes, all that "
            "a thread has",
            s->name, f->symbol->name, WEIR_MAX_LOCAL_BYTES);
  *offset = 0;
}

// A function's part of local memory: its formal parameters (weir_place_formal), then its .param and .local variables.
void weir_layout_frame(struct weir_decoder *d, uint32_t index) {
  const struct weir_function *f = d->module->functions[index];
  uint64_t offset = 0;
  if (!f->entry) {
    for (uint32_t k = 0; k < f->return_count; k++)
      place_in_frame(d, f, f->returns[k], WEIR_AT_FRAME, f->returns[k]->align, &offset);
    for (uint32_t k = 0; k < f->param_count; k++)
      place_in_frame(d, f, f->params[k], WEIR_AT_FRAME, f->params[k]->align, &offset);
  }
  d->code->formal_bytes = (uint32_t)offset;
  for (uint32_t k = 0; k < f->statement_count; k++) {
    if (f->statements[k].kind != WEIR_STMT_DECLARATION) continue;
    const struct weir_symbol *s = f->statements[k].symbol;
    const bool local = s->space == WEIR_SPACE_LOCAL, param = s->space == WEIR_SPACE_PARAM;
    if ((local || param) && (s->kind == WEIR_SYM_VARIABLE || s->kind == WEIR_SYM_PARAM))
      place_in_frame(d, f, s, local ? WEIR_AT_LOCAL : WEIR_AT_FRAME, weir_alignment(s), &offset);
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
