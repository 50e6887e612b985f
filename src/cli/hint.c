// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// weir hint: cache hints written into PTX, or into the CUDA source that it was compiled from.
#include "advise/patch.h"
#include "base/alloc.h"
#include "base/file.h"
#include "cli/options.h"
#include "ptx/hints.h"
#include "ptx/parse.h"
#include "ptx/print.h"

#include <stdlib.h>
#include <string.h>

static void write_module(const struct options *o, const struct weir_module *m, struct weir_sink *sink) {
  char *text = NULL;
  size_t bytes;
  FILE *to = open_memstream(&text, &bytes);
  weir_ptx_print(m, to);
  fclose(to);
  if (o->output_path)
    weir_file_write(o->output_path, text, bytes, sink);
  else
    fwrite(text, 1, bytes, stdout);
  free(text);
}

struct patching {
  struct weir_patch patch;
  struct weir_sink *sink;
};

static void patch_access(void *context, const struct weir_hint_match *is) {
  struct patching *p = context;
  const struct weir_module *m = is->function->home;
  const struct weir_instruction *i = is->instruction;
  const struct weir_patch_wish w = {.file =
                                      i->source_line && i->source_file < m->file_count ? m->files[i->source_file] : "",
                                    .function = is->function->symbol->name,
                                    .line = i->source_line,
                                    .array = is->array ? is->array : "",
                                    .store = i->opcode == WEIR_OP_ST,
                                    .hint = is->hint};
  weir_patch_add(&p->patch, &w, p->sink);
}

static void write_patch(const struct options *o, const struct patching *p) {
  char *text = weir_patch_text(&p->patch);
  if (*text)
    weir_file_write(o->patch_path, text, strlen(text), p->sink);
  else
    weir_fail(p->sink, weir_option_place("--patch"), "none of the hints can be written into CUDA source");
  weir_free(text);
}

static int run(const struct options *o) {
  struct weir_sink sink = {0};
  if (!o->hints) return weir_usage_error("hint", "--hint or --hints is missing");
  struct weir_hints *h = weir_hints_read(o->hints, &sink);
  struct weir_module *m = weir_ptx_read(o->arguments[0], &sink);
  struct patching p = {.patch = {.program = o->arguments[0]}, .sink = &sink};
  if (h && o->patch_path) weir_hints_listen(h, patch_access, &p);
  if (h && m && weir_hints_apply(h, m, &sink) && weir_hints_all_found(h, &sink)) {
    if (o->patch_path) write_patch(o, &p);
    if (o->output_path || !o->patch_path) write_module(o, m, &sink);
  }
  weir_patch_free(&p.patch);
  if (m) weir_module_free(m);
  weir_hints_free(h);
  return weir_conclude(&sink);
}

static const struct argp_option options[] = {
  {"output", KEY_OUT, "FILE", 0, "write the PTX to FILE, not to standard output", 0},
  {"patch", KEY_PATCH, "FILE", 0,
   "write them into the CUDA source as well: a unified diff to FILE; PTX then goes to --output alone", 0},
  ROW_HINT,
  ROW_HINTS,
  {0}};

const struct command command_hint = {
  .name = "hint",
  .arguments = "FILE.ptx",
  .summary = "write cache hints into a PTX file",
  .description =
    "What weir run --hint puts on loads and stores as it loads a program, written into its text for an assembler. A "
    "hint that the file's .target or .version lacks is refused. With --patch also into the CUDA source that it was compiled "
    "from with -lineinfo, as volatile loads, __ldcs, __stcg and so on (docs/HINTS.md).",
  .options = options,
  .least = 1,
  .most = 1,
  .run = run,
};
