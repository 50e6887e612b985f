// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "warptrace/known.h"

#include "base/alloc.h"

#include <string.h>

// Functions and files have numbers within their program: how many there are is told by its instructions.
static void count_texts(const struct weir_program *p, uint32_t *functions, uint32_t *files) {
  uint32_t count;
  const struct weir_static *s = weir_program_statics(p, &count);
  *functions = *files = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (s[i].function >= *functions) *functions = s[i].function + 1;
    if (s[i].source_file >= *files) *files = s[i].source_file + 1;
  }
}

static void make_room(struct weir_known_program *k, const struct weir_program *const *programs, size_t count) {
  struct weir_streamed_program *all = &k->program;
  all->file_count = 1; // files[0] is none
  for (size_t i = 0; i < count; i++) {
    uint32_t instructions, kernels, functions, files;
    weir_program_statics(programs[i], &instructions);
    weir_program_kernels(programs[i], &kernels);
    count_texts(programs[i], &functions, &files);
    const uint32_t end = weir_program_first_pc(programs[i]) + instructions;
    if (end > all->instruction_count) all->instruction_count = end;
    if (weir_program_registers(programs[i]) > all->registers) all->registers = weir_program_registers(programs[i]);
    all->kernel_count += kernels;
    all->function_count += functions;
    all->file_count += files;
  }
  k->statics = weir_new_array(struct weir_static, all->instruction_count + 1);
  k->arrays = weir_new_array(char *, all->instruction_count + 1);
  k->kernels = weir_new_array(struct weir_kernel, all->kernel_count + 1);
  k->functions = weir_new_array(struct weir_streamed_function, all->function_count + 1);
  k->files = weir_new_array(const char *, all->file_count);
}

struct base { // what the programs before have
  uint32_t kernel, function, file;
};

static void add(struct weir_known_program *k, const struct weir_program *p, struct base *base) {
  uint32_t instructions, kernels, functions, files;
  const struct weir_static *s = weir_program_statics(p, &instructions);
  const struct weir_kernel *all = weir_program_kernels(p, &kernels);
  count_texts(p, &functions, &files);
  for (uint32_t i = 0; i < instructions; i++) {
    struct weir_static *own = &k->statics[weir_program_first_pc(p) + i];
    *own = s[i];
    own->function += base->function;
    if (own->source_file) own->source_file += base->file;
  }
  for (uint32_t i = 0; i < kernels; i++) {
    k->kernels[base->kernel + i] = all[i];
    k->kernels[base->kernel + i].function += base->function;
  }
  for (uint32_t f = 0; f < functions; f++)
    k->functions[base->function + f] =
      (struct weir_streamed_function){weir_program_function_name(p, f), weir_program_function_path(p, f)};
  for (uint32_t f = 1; f < files; f++) k->files[base->file + f] = weir_program_file(p, f);
  base->kernel += kernels;
  base->function += functions;
  base->file += files;
}

void weir_know_programs(struct weir_known_program *k, const struct weir_program *const *programs, size_t count) {
  *k = (struct weir_known_program){.program = {.path = count ? weir_program_path(programs[0]) : ""}};
  make_room(k, programs, count);
  struct base base = {0};
  for (size_t i = 0; i < count; i++) add(k, programs[i], &base);
  k->program.statics = k->statics;
  k->program.kernels = k->kernels;
  k->program.functions = k->functions;
  k->program.files = k->files;
  k->program.arrays = (const char *const *)k->arrays;
}

void weir_known_free(struct weir_known_program *k) {
  for (uint32_t i = 0; i < k->program.instruction_count; i++) weir_free(k->arrays[i]);
  weir_free(k->arrays);
  weir_free(k->statics);
  weir_free(k->kernels);
  weir_free(k->functions);
  weir_free(k->files);
}
