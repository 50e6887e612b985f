// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// weir sl1: a PTX file whose kernels keep a first-level cache in software, from one whose kernels do not.
#include "base/alloc.h"
#include "base/file.h"
#include "cli/options.h"
#include "config/chip_file.h"
#include "exec/program.h"
#include "ptx/parse.h"
#include "sl1/sl1.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// ---- what was done ------------------------------------------------------------------------------------------------------

// "a.ptx:12 (a.cl:8)"
static void put_place(const struct weir_module *m, uint32_t line, uint32_t file, uint32_t source_line) {
  fprintf(stderr, "%s:%u", m->path, line);
  if (source_line && file < m->file_count && m->files[file])
    fprintf(stderr, " (%s:%u)", weir_path_name(m->files[file]), source_line);
}

static void put_structure(const struct weir_module *m, const struct weir_sl1_structure *s) {
  put_place(m, s->line, 0, 0);
  fprintf(stderr, ": structure %s", s->parameter);
  if (s->offset) fprintf(stderr, " + %u", s->offset);
  fprintf(stderr, ", %s, %u load%s and %u store%s in main loops: %s\n", s->written ? "read-write" : "read-only",
          s->loads, s->loads == 1 ? "" : "s", s->stores, s->stores == 1 ? "" : "s", weir_sl1_verdict_name(s->verdict));
}

static void put_loop(const struct weir_module *m, const struct weir_sl1_loop *l) {
  put_place(m, l->line, l->source_file, l->source_line);
  fprintf(stderr, ": main loop %s%s\n", l->left_alone ? "left alone: " : "transformed",
          l->left_alone ? l->left_alone : "");
}

// Registers per thread of a kernel, by the estimate that occupancy takes; 0: the module cannot be run.
static uint32_t registers_of(const struct weir_module *m, enum weir_assembler assembler, const char *kernel) {
  struct weir_sink sink = {0};
  struct weir_memory *memory = weir_memory_create();
  struct weir_program *p = weir_program_build_partly(m, 32, weir_code_written(assembler), memory, &sink);
  const struct weir_kernel *k = p ? weir_program_kernel(p, kernel) : NULL;
  const uint32_t registers = k ? k->registers : 0;
  if (p) weir_program_free(p);
  weir_memory_free(memory);
  weir_sink_free(&sink);
  return registers;
}

static void put_registers(const struct weir_module *m, const struct weir_module *transformed,
                          enum weir_assembler assembler, const char *kernel) {
  const uint32_t before = registers_of(m, assembler, kernel);
  const uint32_t after = transformed ? registers_of(transformed, assembler, kernel) : 0;
  if (before && after)
    fprintf(stderr, "%s: kernel %s: about %u registers per thread, before it was transformed %u\n", m->path, kernel,
            after, before);
}

static void put_kernel(const struct weir_module *m, const struct weir_module *transformed,
                       enum weir_assembler assembler, const struct weir_sl1_kernel *k) {
  fprintf(stderr, "%s: kernel %s %s, %u of %u structures may get a line\n", m->path, k->name,
          k->transformed ? "transformed" : "left as it was", k->candidates, k->structure_count);
  if (k->transformed) put_registers(m, transformed, assembler, k->name);
  for (uint32_t i = 0; i < k->structure_count; i++) put_structure(m, &k->structures[i]);
  for (uint32_t i = 0; i < k->loop_count; i++) put_loop(m, &k->loops[i]);
  if (k->untraced)
    fprintf(stderr, "%s: kernel %s: of %u access%s in main loops no structure is known; left as %s\n", m->path, k->name,
            k->untraced, k->untraced == 1 ? "" : "es", k->untraced == 1 ? "it was" : "they were");
}

// ---- the command ----------------------------------------------------------------------------------------------------------

static bool read_options(const struct options *o, struct weir_sl1_options *sl1, struct weir_sink *sink) {
  bool ok = true;
  *sl1 = weir_sl1_defaults();
  for (unsigned i = 0; i < o->set_count; i++)
    ok &= weir_param_set(&weir_sl1_table, sl1, o->sets[i], weir_option_place("--set"), sink);
  for (unsigned i = 1; i < o->argument_count; i++)
    ok &= weir_param_set(&weir_sl1_table, sl1, o->arguments[i], weir_option_place("weir sl1"), sink);
  return ok;
}

static void put_report(const struct weir_module *m, const char *text, enum weir_assembler assembler,
                       const struct weir_sl1_report *report) {
  struct weir_sink sink = {0};
  struct weir_module *transformed = weir_ptx_parse(m->path, text, strlen(text), &sink);
  for (uint32_t i = 0; i < report->kernel_count; i++) put_kernel(m, transformed, assembler, &report->kernels[i]);
  if (transformed) weir_module_free(transformed);
  weir_sink_free(&sink);
}

static bool transform(const struct options *o, const struct weir_module *m, const struct weir_sl1_options *sl1,
                      enum weir_assembler assembler, struct weir_sink *sink) {
  struct weir_sl1_report report = {0};
  char *text = weir_sl1_transform(m, sl1, &report);
  bool ok = true;
  if (o->output_path)
    ok = weir_file_write(o->output_path, text, strlen(text), sink);
  else
    fputs(text, stdout);
  fflush(stdout);
  if (o->report) put_report(m, text, assembler, &report);
  weir_sl1_report_free(&report);
  weir_free(text);
  return ok;
}

static int run(const struct options *o) {
  struct weir_sink sink = {0};
  struct weir_sl1_options sl1;
  bool known = read_options(o, &sl1, &sink);
  struct weir_chip_config *chip = o->chip ? weir_chip_read(o->chip, &sink) : NULL;
  known &= !o->chip || chip;
  const enum weir_assembler assembler = chip ? weir_chip_code(chip).assembler : WEIR_ASSEMBLER_SM_35;
  if (chip) weir_chip_config_free(chip);
  struct weir_module *m = weir_ptx_read(o->arguments[0], &sink);
  if (known && m) transform(o, m, &sl1, assembler, &sink);
  if (m) weir_module_free(m);
  return weir_conclude(&sink);
}

static const struct argp_option options[] = {
  {"output", KEY_OUT, "FILE", 0, "write the PTX to FILE, not to standard output", 0},
  {"set", KEY_SET, "KEY=VALUE", 0, "set an option; so does KEY=VALUE alone; repeatable", 0},
  {"report", KEY_REPORT, 0, 0, "say on standard error what was done, to which lines, and why not more", 0},
  {"chip", KEY_CHIP, "CHIP", 0, "that --report estimates registers for (default: Kepler)", 0},
  {0}};

const struct command command_sl1 = {
  .name = "sl1",
  .arguments = "FILE.ptx [KEY=VALUE...]",
  .summary = "write a first-level cache in software (S-L1) into the kernels of a PTX file",
  .description =
    "Each thread of a transformed kernel has cache lines of its own in shared memory, of which whoever launches "
    "the kernel must give it more than it uses itself: weir does so by itself, on a modelled chip (weir run --sl1) "
    "and on a real device (weir gpu --sl1). Launched as before, the kernel does what it did, and caches nothing. "
    "What can be chosen, each with its default:",
  .keys = &weir_sl1_table,
  .options = options,
  .least = 1,
  .most = UINT_MAX,
  .run = run,
};
