// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "run/access.h"

#include "base/alloc.h"
#include "exec/streamed.h"
#include "ptx/hint_forms.h"

#include <assert.h>

void weir_access_finder_free(struct weir_access_finder *f) {
  weir_arrays_free(f->arrays);
  *f = (struct weir_access_finder){0};
}

// PCs: the functions one after the other, each with one more for the return past its end (exec/program.c).
static uint32_t instructions_of(const struct weir_function *f) {
  uint32_t count = 0;
  if (!f->has_body) return 0;
  for (uint32_t k = 0; k < f->statement_count; k++) count += weir_has_pc(&f->statements[k]);
  return count + 1;
}

// Accesses are counted, and have the names, of the function that the assembler put in order.
static const struct weir_function *written_of(const struct weir_function *f) {
  return f->written ? f->written : f;
}

static void enter(struct weir_access_finder *f, const struct weir_program *p, uint32_t function) {
  const struct weir_module *m = weir_program_module(p);
  if (f->program == p && f->function == m->functions[function]) return;
  weir_access_finder_free(f);
  f->program = p;
  f->function = m->functions[function];
  f->arrays = weir_arrays_of(written_of(f->function));
  for (uint32_t k = 0; k < function; k++) f->first += instructions_of(m->functions[k]);
}

static bool same_line(const struct weir_instruction *a, const struct weir_instruction *b) {
  if (b->source_line) return a->source_line == b->source_line && a->source_file == b->source_file;
  return a->line == b->line;
}

// As ptx/hints.c counts them.
static uint32_t number_of(const struct weir_function *f, const struct weir_instruction *i) {
  uint32_t number = 0;
  if (!weir_access_address(i)) return 0;
  for (uint32_t k = 0; k < f->statement_count; k++) {
    const struct weir_instruction *other = f->statements[k].instruction;
    if (f->statements[k].kind != WEIR_STMT_INSTRUCTION || !weir_access_address(other)) continue;
    number += same_line(other, i);
    if (other == i) break;
  }
  return number;
}

static const struct weir_instruction *instruction_at(const struct weir_function *f, uint32_t index) {
  for (uint32_t k = 0; k < f->statement_count; k++)
    if (weir_has_pc(&f->statements[k]) && !index--) return f->statements[k].instruction;
  return NULL;
}

struct weir_found_access weir_access_find(struct weir_access_finder *f, const struct weir_program *p, uint32_t pc) {
  uint32_t count;
  const uint32_t index = pc - weir_program_first_pc(p);
  if (!weir_program_module(p)) {
    const char *array = weir_program_array(p, index);
    return (struct weir_found_access){.array = array ? weir_text_copy(array) : NULL};
  }
  enter(f, p, weir_program_statics(p, &count)[index].function);
  struct weir_found_access a = {.instruction = instruction_at(f->function, index - f->first)};
  assert(a.instruction);
  if (a.instruction->written) a.instruction = a.instruction->written;
  const struct weir_function *written = written_of(f->function);
  a.array = weir_array_name(written, weir_array_of(f->arrays, a.instruction));
  a.number = number_of(written, a.instruction);
  return a;
}

void weir_found_access_free(struct weir_found_access *a) {
  weir_free(a->array);
}

json_t *weir_access_takes(const struct weir_access_finder *f, const struct weir_found_access *a) {
  json_t *list = json_array();
  const char *name;
  for (unsigned n = 0; a->number && (name = weir_hint_form_name(n)); n++)
    if (weir_hint_form_possible(f->function->home, a->instruction, name))
      json_array_append_new(list, json_string(name));
  return list;
}
