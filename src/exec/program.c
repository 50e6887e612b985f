// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "exec/program.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "exec/assemble/assemble.h"
#include "exec/decode/decode.h"
#include "ptx/check.h"

#include <string.h>

// PCs: the functions one after the other, each with one more for the return past its end.
static void number_instructions(struct weir_decoder *d) {
  struct weir_program *p = d->program;
  for (uint32_t f = 0; f < p->function_count; f++) {
    const struct weir_function *function = d->module->functions[f];
    struct weir_function_code *code = &p->functions[f];
    code->name = function->symbol->name;
    code->is_kernel = function->entry;
    code->entry = p->pc_count;
    if (!function->has_body) continue;
    for (uint32_t k = 0; k < function->statement_count; k++) code->pcs += weir_has_pc(&function->statements[k]);
    p->pc_count += ++code->pcs;
  }
  p->code = weir_alloc_aligned(64, weir_align_up(sizeof *p->code * (p->pc_count + 1), 64));
  p->statics = weir_new_array(struct weir_static, p->pc_count + 1);
  p->columns = weir_new_array(uint32_t, p->pc_count + 1);
}

// Places of machine code: functions one after the other, each with one more for what stands behind its last instruction.
static uint32_t lay_out_code(struct weir_program *p, const struct weir_module *m, uint32_t align, uint32_t padding) {
  uint32_t at = 0;
  p->places = weir_new_array(uint32_t, p->pc_count + 1);
  for (uint32_t f = 0; f < p->function_count; f++) {
    const struct weir_function *function = m->functions[f];
    if (!function->has_body) continue;
    uint32_t pc = p->functions[f].entry;
    for (uint32_t k = 0; k < function->statement_count; k++) {
      const struct weir_statement *s = &function->statements[k];
      if (s->kind != WEIR_STMT_INSTRUCTION) continue;
      if (weir_has_pc(s)) p->places[pc++] = at;
      at += s->instruction->code_slots ? s->instruction->code_slots - 1u : 1u;
    }
    p->places[pc] = at++;
    at = (uint32_t)weir_align_up(at, align) + padding;
  }
  p->places[p->pc_count] = at;
  return at;
}

static void place_code(struct weir_program *p, const struct weir_module *m, struct weir_code code) {
  const uint32_t align = code.assembled ? WEIR_CODE_ALIGN : 1;
  const uint32_t count = lay_out_code(p, m, align, code.assembled && code.padded ? WEIR_CODE_ALIGN : 0);
  const uint32_t first = weir_memory_alloc_places(p->memory, count, align);
  for (uint32_t pc = 0; pc <= p->pc_count; pc++) p->places[pc] += first;
  for (uint32_t k = 0; k < p->kernel_count; k++) {
    const struct weir_function_code *function = &p->functions[p->kernels[k].function];
    p->kernels[k].place = p->places[function->entry];
    p->kernels[k].places = p->places[function->entry + function->pcs] - p->kernels[k].place;
  }
}

static void decode_all(struct weir_decoder *d) {
  struct weir_program *p = d->program;
  for (uint32_t f = 0; f < p->function_count; f++) {
    if (!d->module->functions[f]->has_body) continue;
    d->code = &p->functions[f];
    weir_sink_follow(d->sink, d->module->functions[f]->home->text);
    weir_layout_frame(d, f);
    weir_decode_function(d, f);
  }
  weir_sink_follow(d->sink, NULL);
  p->constant_bytes = weir_align_up(d->constants.size + 64, 64);
  p->constants = weir_alloc_aligned(64, p->constant_bytes);
  if (d->constants.size) memcpy(p->constants, d->constants.bytes, d->constants.size);
}

static struct weir_program *build(const struct weir_module *m, unsigned lanes, struct weir_code code,
                                  struct weir_memory *memory, bool partly, struct weir_sink *sink) {
  const size_t errors = sink->errors;
  struct weir_program *p = weir_new(struct weir_program);
  if (code.assembled) m = p->assembled = weir_assemble(m, code);
  p->module = m;
  p->memory = memory;
  p->lanes = lanes;
  p->function_count = m->function_count;
  p->functions = weir_arena_array(&p->arena, struct weir_function_code, m->function_count + 1);
  struct weir_decoder d = {.program = p,
                           .module = m,
                           .ops = weir_ops(),
                           .assembler = code.assembler,
                           .sink = sink,
                           .partly = partly,
                           .constants = {.lanes = lanes}};
  number_instructions(&d);
  p->first_pc = weir_memory_alloc_code(memory, p->pc_count);
  p->first_function = weir_memory_alloc_functions(memory, p->function_count);
  weir_layout_module(&d);
  decode_all(&d);
  weir_finish_kernels(&d);
  place_code(p, m, code);
  weir_keep_variables(&d);
  weir_locations_free(&d.locations);
  weir_constants_free(&d.constants);
  if (sink->errors == errors) return p;
  weir_program_free(p);
  return NULL;
}

struct weir_program *weir_program_build(const struct weir_module *m, unsigned lanes, struct weir_code code,
                                        struct weir_memory *memory, struct weir_sink *sink) {
  return weir_ptx_check(m, sink) ? build(m, lanes, code, memory, false, sink) : NULL;
}

struct weir_program *weir_program_build_partly(const struct weir_module *m, unsigned lanes, struct weir_code code,
                                               struct weir_memory *memory, struct weir_sink *sink) {
  return weir_ptx_check_frame(m, sink) ? build(m, lanes, code, memory, true, sink) : NULL;
}

// What the decoder refuses, it refuses for warps of 32 lanes and of 64. It also reports what ptx/check.h says of instructions.
bool weir_program_check(const struct weir_module *m, struct weir_sink *sink) {
  const size_t errors = sink->errors;
  struct weir_sink frame = {0};
  const bool whole = weir_ptx_check_frame(m, &frame);
  weir_sink_free(&frame);
  if (!whole) return weir_ptx_check(m, sink);
  struct weir_memory *memory = weir_memory_create();
  weir_program_free(build(m, 32, weir_code_written(WEIR_ASSEMBLER_SM_35), memory, false, sink));
  weir_memory_free(memory);
  return sink->errors == errors;
}

void weir_program_free(struct weir_program *p) {
  if (!p) return;
  weir_free(p->code);
  weir_free(p->statics);
  weir_free(p->columns);
  weir_free(p->places);
  weir_free(p->constants);
  weir_free(p->variables);
  weir_arena_free(&p->arena);
  weir_module_free(p->assembled);
  weir_free(p);
}

static struct weir_kernel *find_kernel(const struct weir_program *p, const char *name) {
  const struct weir_symbol *s = p->module ? weir_module_find(p->module, name) : NULL;
  if (s && s->kind == WEIR_SYM_FUNCTION && s->function->index < p->function_count) {
    const uint32_t k = p->functions[s->function->index].kernel;
    if (k && !strcmp(p->kernels[k - 1].name, name)) return &p->kernels[k - 1];
  }
  for (uint32_t k = 0; k < p->kernel_count; k++) // one of several that are not visible outside of their modules
    if (!strcmp(p->kernels[k].name, name)) return &p->kernels[k];
  return NULL;
}

const struct weir_kernel *weir_program_kernel(const struct weir_program *p, const char *name) {
  return find_kernel(p, name);
}

bool weir_program_count_registers(struct weir_program *p, const char *name, uint32_t registers) {
  struct weir_kernel *k = find_kernel(p, name);
  if (!k) return false;
  k->registers = registers;
  k->registers_counted = true;
  return true;
}

uint64_t weir_dynamic_shared_base(const struct weir_kernel *k) {
  return weir_align_up(k->shared_bytes, k->shared_align ? k->shared_align : 1);
}

const struct weir_kernel *weir_program_kernels(const struct weir_program *p, uint32_t *count) {
  *count = p->kernel_count;
  return p->kernels;
}

uint32_t weir_program_first_pc(const struct weir_program *p) {
  return p->first_pc;
}

const struct weir_static *weir_program_statics(const struct weir_program *p, uint32_t *count) {
  *count = p->pc_count;
  return p->statics;
}

const uint32_t *weir_program_places(const struct weir_program *p) {
  return p->places;
}

const char *weir_program_function_name(const struct weir_program *p, uint32_t function) {
  return p->functions[function].name;
}

const char *weir_program_function_path(const struct weir_program *p, uint32_t function) {
  return p->module ? p->module->functions[function]->home->path : p->streamed->functions[function].path;
}

const char *weir_program_file(const struct weir_program *p, uint32_t source_file) {
  const uint32_t count = p->module ? p->module->file_count : p->streamed->file_count;
  if (!source_file || source_file >= count) return NULL;
  return p->module ? p->module->files[source_file] : p->streamed->files[source_file];
}

const char *weir_program_path(const struct weir_program *p) {
  return p->module ? p->module->path : p->streamed->path;
}

const struct weir_module *weir_program_module(const struct weir_program *p) {
  return p->module;
}

unsigned weir_program_lanes(const struct weir_program *p) {
  return p->lanes;
}

uint32_t weir_program_registers(const struct weir_program *p) {
  return p->register_count;
}

uint64_t weir_program_variable(const struct weir_program *p, const char *name, uint64_t *bytes) {
  for (uint32_t k = 0; p->module && k < p->module->item_count; k++) {
    const struct weir_item *item = &p->module->items[k];
    if (item->kind != WEIR_ITEM_VARIABLE || strcmp(item->variable->name, name)) continue;
    if (bytes) *bytes = item->variable->bytes;
    return p->variables[k];
  }
  return 0;
}
