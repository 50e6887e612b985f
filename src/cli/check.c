// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// weir check: everything in PTX files and in programs that weir cannot run; what policies of plugins break of their contract.
#include "base/alloc.h"
#include "binary/calls.h"
#include "binary/elf.h"
#include "binary/fatbin.h"
#include "cli/check.h"
#include "cli/options.h"
#include "config/chip_file.h"
#include "exec/assemble/assemble.h"
#include "exec/program.h"
#include "ptx/check.h"
#include "ptx/link.h"
#include "ptx/parse.h"
#include "ptx/print.h"
#include "run/ignored.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

struct checking {
  const struct options *options;
  struct weir_chip_config *chip; // whose caches are asked about hints; NULL: none
  struct weir_sink sink;
};

// The kernels of a program, and those of its modules that are still to be linked.
struct found {
  const char **kernels;
  unsigned kernel_count, kernel_capacity;
  struct weir_module **modules; // checked, kept for the kernels' names
  unsigned module_count, module_capacity;
  struct weir_module **parts;
  unsigned part_count, part_capacity;
  bool each; // instruction is a problem of its own
  const struct weir_chip_config *chip;
};

// Where nothing keeps weir from running it, which of its hints the chip ignores.
static void tell_hints(const struct weir_module *m, const struct weir_chip_config *chip, struct weir_sink *sink) {
  if (!chip || sink->errors) return;
  struct weir_sink unheard = {0};
  struct weir_memory *memory = weir_memory_create();
  struct weir_program *p = weir_program_build_partly(
    m, weir_chip_lanes(chip), weir_code_written(weir_chip_code(chip).assembler), memory, &unheard);
  if (p) weir_tell_ignored_hints(p, chip, sink);
  weir_program_free(p);
  weir_memory_free(memory);
  weir_sink_free(&unheard);
}

// Where nothing that it says keeps weir from running it, what the decoder refuses.
static void check_ptx_module(const struct weir_module *m, bool each, struct weir_sink *sink) {
  if (each ? weir_ptx_check_each(m, sink) : weir_ptx_check(m, sink)) weir_program_check(m, sink);
}

static void check_module(struct weir_module *m, struct found *f, struct weir_sink *sink) {
  check_ptx_module(m, f->each, sink);
  tell_hints(m, f->chip, sink);
  for (uint32_t k = 0; k < m->function_count; k++)
    if (m->functions[k]->entry && m->functions[k]->has_body)
      *weir_push(f->kernels, f->kernel_count, f->kernel_capacity) = m->functions[k]->symbol->name;
  *weir_push(f->modules, f->module_count, f->module_capacity) = m;
}

static void check_text(const char *path, const char *text, size_t bytes, bool relocatable, struct found *f,
                       struct weir_sink *sink) {
  if (relocatable && weir_ptx_is_device_runtime(text)) return;
  struct weir_module *m = weir_ptx_parse(path, text, bytes, sink);
  if (m && relocatable)
    *weir_push(f->parts, f->part_count, f->part_capacity) = m;
  else if (m)
    check_module(m, f, sink);
}

// The PTX that would be run of one container; some hold machine code only.
static void check_image(const char *path, const struct weir_binary_image *image, unsigned number, struct found *f,
                        struct weir_sink *sink) {
  const struct weir_place place = {.file = path};
  unsigned count;
  struct weir_fatbin_entry *entries = weir_fatbin_entries(image->data, image->bytes, place, &count, sink);
  const unsigned capability = f->chip ? weir_chip_capability(f->chip) : 0;
  const struct weir_fatbin_entry *best = entries ? weir_fatbin_best(entries, count, capability) : NULL;
  size_t bytes;
  char *text = best ? weir_fatbin_text(best, place, &bytes, sink) : NULL;
  if (text) {
    char *name = weir_text_format("%s (fat binary %u, sm_%u)", path, number, best->arch);
    check_text(name, text, bytes, image->relocatable, f, sink);
    weir_free(name);
  }
  weir_free(text);
  weir_free(entries);
}

static void check_images(const char *path, const struct weir_binary *b, struct found *f, struct weir_sink *sink) {
  const size_t errors = sink->errors;
  for (unsigned k = 0; k < b->image_count; k++) check_image(path, &b->images[k], k + 1, f, sink);
  const bool whole = sink->errors == errors; // a part that is missing would be reported by each use of it
  struct weir_module *m = f->part_count && whole ? weir_ptx_link(f->parts, f->part_count, sink) : NULL;
  if (m) check_module(m, f, sink);
  for (unsigned k = 0; !whole && k < f->part_count; k++) weir_module_free(f->parts[k]);
}

static void free_found(struct found *f) {
  for (unsigned k = 0; k < f->module_count; k++) weir_module_free(f->modules[k]);
  weir_free(f->modules);
  weir_free(f->parts);
  weir_free(f->kernels);
}

static const char *kind_of(const struct weir_binary *b) {
  bool cuda = b->has_fatbin, opencl = false;
  for (unsigned k = 0; k < b->import_count; k++) {
    const char *name = b->imports[k];
    cuda |= weir_cuda_call(name) != WEIR_CUDA_NONE;
    opencl |= name[0] == 'c' && name[1] == 'l' && isupper((unsigned char)name[2]);
  }
  return cuda && opencl ? "a CUDA and OpenCL program"
    : cuda              ? "a CUDA program"
    : opencl            ? "an OpenCL program, which brings its kernels when it runs"
                        : "a program that imports neither CUDA nor OpenCL";
}

static void check_symbols(const char *path, const struct weir_binary *b, struct weir_sink *sink) {
  unsigned provided = 0, missing = 0;
  for (unsigned k = 0; k < b->import_count; k++) {
    const enum weir_cuda_call call = weir_cuda_call(b->imports[k]);
    provided += call == WEIR_CUDA_PROVIDED;
    if (call != WEIR_CUDA_MISSING) continue;
    missing++;
    weir_fail(sink, (struct weir_place){.file = path}, "weir does not provide %s", b->imports[k]);
  }
  printf("%s: weir provides %u of the %u CUDA functions that it imports\n", path, provided, provided + missing);
}

static void check_program(const char *path, struct checking *c) {
  struct weir_binary b;
  struct found f = {.each = c->options->all, .chip = c->chip};
  if (!weir_binary_read(&b, path, &c->sink)) return;
  if (b.is_script) {
    weir_fail(&c->sink, (struct weir_place){.file = path}, "a script; name the program that it starts");
  } else {
    weir_binary_check(&b, path, &c->sink);
    weir_binary_report_libraries(&b, path, WEIR_ERROR,
                                 "which carries kernels of its own, as machine code: weir neither sees nor runs them",
                                 &c->sink);
    check_images(path, &b, &f, &c->sink);
    printf("%s: %s", path, kind_of(&b));
    if (b.has_ptx) printf(", with %u kernel%s in PTX", f.kernel_count, f.kernel_count == 1 ? "" : "s");
    puts("");
    for (unsigned k = 0; k < f.kernel_count; k++) printf("  %s\n", f.kernels[k]);
    if (c->options->symbols) check_symbols(path, &b, &c->sink);
  }
  free_found(&f);
  weir_binary_free(&b);
}

// One line per kernel that has a body: its name and the registers that each of its threads would have.
static void print_registers(const struct weir_module *m, enum weir_assembler assembler, struct weir_sink *sink) {
  struct weir_memory *memory = weir_memory_create();
  struct weir_program *p = weir_program_build_partly(m, 32, weir_code_written(assembler), memory, sink);
  uint32_t count = 0;
  const struct weir_kernel *kernels = p ? weir_program_kernels(p, &count) : NULL;
  for (uint32_t k = 0; k < count; k++) printf("%s %u\n", kernels[k].name, kernels[k].registers);
  weir_program_free(p);
  weir_memory_free(memory);
}

// The module as cores of the chip would run it with core.code=assembled, as PTX; with core.code=machine each instruction says what it counts for.
static void print_assembled(const struct weir_module *m, const struct weir_chip_config *chip,
                            enum weir_assembler assembler) {
  struct weir_code code = {.assembler = assembler};
  if (chip) code = weir_chip_code(chip);
  code.assembled = true;
  struct weir_module *assembled = weir_assemble(m, code);
  weir_ptx_print(assembled, stdout);
  weir_module_free(assembled);
}

static void check_ptx(const char *path, struct checking *c) {
  struct weir_module *m = weir_ptx_read(path, &c->sink);
  if (m) check_ptx_module(m, c->options->all, &c->sink);
  if (m) tell_hints(m, c->chip, &c->sink);
  const enum weir_assembler assembler = c->chip ? weir_chip_code(c->chip).assembler : WEIR_ASSEMBLER_SM_35;
  if (m && !c->sink.errors && c->options->registers_asked) print_registers(m, assembler, &c->sink);
  if (m && !c->sink.errors && c->options->assembled) print_assembled(m, c->chip, assembler);
  weir_module_free(m);
}

// By its first bytes; what cannot be opened is reported as PTX is.
static bool is_program(const char *path) {
  char start[4] = "";
  FILE *f = fopen(path, "rb");
  const bool read = f && fread(start, 1, sizeof start, f) >= 2;
  if (f) fclose(f);
  return read && (memcmp(start, "\177ELF", 4) == 0 || memcmp(start, "#!", 2) == 0);
}

static int run(const struct options *o) {
  struct checking c = {.options = o, .sink = {.limit = SIZE_MAX}};
  if (!o->argument_count && !o->plugin_count) return weir_usage_error("check", "FILE or --plugin FILE.so is missing");
  c.chip = o->chip ? weir_chip_read(o->chip, &c.sink) : NULL;
  if (o->chip && !c.chip) return weir_conclude(&c.sink);
  if (o->plugin_count) check_policies(&c.sink);
  for (unsigned i = 0; i < o->argument_count; i++) {
    if (is_program(o->arguments[i]))
      check_program(o->arguments[i], &c);
    else
      check_ptx(o->arguments[i], &c);
  }
  if (c.chip) weir_chip_config_free(c.chip);
  fflush(stdout);
  const size_t errors = c.sink.errors;
  const int status = weir_conclude(&c.sink);
  const unsigned files = o->argument_count + o->plugin_count;
  if (errors)
    fprintf(stderr, "weir: %zu problem%s in %u file%s\n", errors, errors == 1 ? "" : "s", files, files == 1 ? "" : "s");
  else if (o->argument_count)
    printf("ok: weir can run everything in %u file%s\n", o->argument_count, o->argument_count == 1 ? "" : "s");
  return status;
}

static const struct argp_option options[] = {
  {"all", KEY_ALL, 0, 0, "name each instruction, not only the first of those that are written alike in a kernel", 0},
  {"symbols", KEY_SYMBOLS, 0, 0, "also name the CUDA functions that a program imports and weir does not provide", 0},
  {"assembled", KEY_ASSEMBLED, 0, 0,
   "print PTX in the order in which the cores of --chip run it: loads ahead of their uses, loops unrolled, short branches as guards; and behind an instruction, if not one, how many machine instructions it counts for",
   0},
  {"registers", KEY_REGISTERS_ASKED, 0, 0,
   "also print the registers per thread that weir estimates of each kernel in PTX files, for --chip (default: Kepler)",
   0},
  {"chip", KEY_CHIP, "CHIP", 0,
   "also say which cache hints of the files this chip makes nothing of; --registers are for it", 0},
  {"plugin", KEY_PLUGIN, "FILE.so", 0, "check the policies of a shared object; repeatable", 0},
  {0}};

const struct command command_check = {
  .name = "check",
  .arguments = "[FILE...]",
  .summary = "name everything in PTX files and programs that weir cannot run, or that a policy plugin does wrong",
  .description =
    "Reports all problems of all files, each with file, line and caret, and exits with 2 if there is any. "
    "Instructions that are written alike and stand in one kernel are one problem, with their number. Of a "
    "program it tells how it was built, if that keeps weir out, and what to do about it; its kernels; and the "
    "problems of all PTX that is embedded in it. The policies of a plugin run in many caches with many values of their "
    "knobs, each in a process of its own; a rule of the policy contract that one breaks is a problem.",
  .options = options,
  .least = 0,
  .most = UINT_MAX,
  .run = run,
};
