// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Rows of what ptxas makes of the bundled kernels (scripts/machine-code.py), each with the kernel as it is written and as it is assembled.
#ifndef WEIR_TESTS_MACHINE_ROWS_H
#define WEIR_TESTS_MACHINE_ROWS_H

#include "harness.h"

#include "exec/assemble/assemble.h"

struct machine_rows {
  struct weir_code code;
  FILE *file;
  char line[300], module[100];
  struct weir_module *written_module, *assembled_module;
  const struct weir_function *written, *assembled; // of the row
  const char *numbers;                             // behind its kernel
};

// name: of a file of this folder.
static inline struct machine_rows machine_rows(const char *name, struct weir_code code) {
  char path[4096];
  snprintf(path, sizeof path, WEIR_SOURCE_DIR "/tests/300-exec/%s", name);
  struct machine_rows r = {.code = code, .file = fopen(path, "r")};
  assert_non_null(r.file);
  return r;
}

static inline const struct weir_function *machine_function(const struct weir_module *m, const char *name) {
  for (uint32_t k = 0; k < m->function_count; k++)
    if (!strcmp(m->functions[k]->symbol->name, name)) return m->functions[k];
  fail_msg("no function %s", name);
  return NULL;
}

static inline void machine_read(struct machine_rows *r, const char *workload) {
  char path[4096];
  struct weir_sink sink = {0};
  weir_module_free(r->assembled_module);
  weir_module_free(r->written_module);
  snprintf(r->module, sizeof r->module, "%s", workload);
  snprintf(path, sizeof path, WEIR_SOURCE_DIR "/workloads/%s/%s.ptx", workload, workload);
  r->written_module = weir_ptx_read(path, &sink);
  assert_non_null(r->written_module);
  r->assembled_module = weir_assemble(r->written_module, r->code);
  weir_sink_free(&sink);
}

// False: there are no more, and all is freed.
static inline bool machine_next(struct machine_rows *r) {
  char workload[100], kernel[100];
  int read;
  while (fgets(r->line, sizeof r->line, r->file)) {
    if (*r->line == '#') continue;
    assert_int_equal(sscanf(r->line, "%99[^,],%99[^,],%n", workload, kernel, &read), 2);
    if (strcmp(workload, r->module)) machine_read(r, workload);
    r->written = machine_function(r->written_module, kernel);
    r->assembled = machine_function(r->assembled_module, kernel);
    r->numbers = r->line + read;
    return true;
  }
  fclose(r->file);
  weir_module_free(r->assembled_module);
  weir_module_free(r->written_module);
  return false;
}

#endif
