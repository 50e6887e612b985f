// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// weir check: everything in PTX files that weir cannot run.
#include "cli/options.h"
#include "ptx/check.h"
#include "ptx/parse.h"

#include <limits.h>

static void check_file(const char *path, struct weir_sink *sink) {
  struct weir_module *m = weir_ptx_read(path, sink);
  if (!m) return;
  weir_ptx_check(m, sink);
  weir_module_free(m);
}

static int run(const struct options *o) {
  struct weir_sink sink = {.limit = SIZE_MAX};
  for (unsigned i = 0; i < o->argument_count; i++) check_file(o->arguments[i], &sink);
  size_t errors = sink.errors;
  int status = weir_conclude(&sink);
  if (errors)
    fprintf(stderr, "weir: %zu problem%s in %u file%s\n", errors, errors == 1 ? "" : "s", o->argument_count,
            o->argument_count == 1 ? "" : "s");
  else
    printf("ok: weir can run everything in %u file%s\n", o->argument_count, o->argument_count == 1 ? "" : "s");
  return status;
}

static const struct argp_option options[] = {{0}};

const struct command command_check = {
  .name = "check",
  .arguments = "FILE.ptx...",
  .summary = "name everything in PTX files that weir cannot run",
  .description = "Reports all problems of all files, each with file, line and caret, and exits with 2 if there is any.",
  .options = options,
  .least = 1,
  .most = UINT_MAX,
  .run = run,
};
