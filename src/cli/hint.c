// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// weir hint: cache hints written into PTX.
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

static int run(const struct options *o) {
  struct weir_sink sink = {0};
  if (!o->hints) return weir_usage_error("hint", "--hint or --hints is missing");
  struct weir_hints *h = weir_hints_read(o->hints, &sink);
  struct weir_module *m = weir_ptx_read(o->arguments[0], &sink);
  if (h && m && weir_hints_apply(h, m, &sink) && weir_hints_all_found(h, &sink)) write_module(o, m, &sink);
  if (m) weir_module_free(m);
  weir_hints_free(h);
  return weir_conclude(&sink);
}

static const struct argp_option options[] = {
  {"output", KEY_OUT, "FILE", 0, "write the PTX to FILE, not to standard output", 0}, ROW_HINT, ROW_HINTS, {0}};

const struct command command_hint = {
  .name = "hint",
  .arguments = "FILE.ptx",
  .summary = "write cache hints into a PTX file",
  .description =
    "What weir run --hint puts on loads and stores as it loads a program, written into its text for an assembler. A "
    "hint that the file's .target or .version lacks is refused.",
  .options = options,
  .least = 1,
  .most = 1,
  .run = run,
};
