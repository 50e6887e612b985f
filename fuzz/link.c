// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Modules of any shape, apart by lines of three hyphens: linking reports or succeeds; in what is linked, a name that all
// modules see is one symbol wherever an instruction uses it.
#define _GNU_SOURCE // memmem
#include "mutate.h"

#include "ptx/check.h"
#include "ptx/link.h"
#include "ptx/parse.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 4 };

static void check_operand(const struct weir_module *m, const struct weir_operand *o) {
  const struct weir_symbol *s = o->symbol;
  const bool shared_by_all =
    s && s->linkage != WEIR_LINK_NONE && (s->kind == WEIR_SYM_FUNCTION || s->kind == WEIR_SYM_VARIABLE);
  if (shared_by_all && weir_module_find(m, s->name) != s) abort();
  for (uint32_t k = 0; k < o->part_count; k++) check_operand(m, &o->parts[k]);
}

static void check_function(const struct weir_module *m, const struct weir_function *f) {
  if (!f->home->path || !f->home->text) abort();
  for (uint32_t k = 0; k < f->statement_count; k++) {
    if (f->statements[k].kind != WEIR_STMT_INSTRUCTION) continue;
    const struct weir_instruction *i = f->statements[k].instruction;
    for (unsigned o = 0; o < i->operand_count; o++) check_operand(m, &i->operands[o]);
  }
}

static unsigned parse_all(const char *text, size_t size, struct weir_module **modules, struct weir_sink *sink) {
  unsigned count = 0;
  while (size && count < MOST) {
    const char *cut = memmem(text, size, "\n---\n", 5);
    const size_t bytes = cut ? (size_t)(cut - text) : size, step = cut ? bytes + 5 : bytes;
    struct weir_module *m = weir_ptx_parse("fuzz.ptx", text, bytes, sink);
    if (m) modules[count++] = m;
    text += step, size -= step;
  }
  return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct weir_sink parsing = {0}, sink = {0};
  struct weir_module *modules[MOST];
  const unsigned count = parse_all((const char *)data, size, modules, &parsing);
  struct weir_module *m = count ? weir_ptx_link(modules, count, &sink) : NULL;
  if (count && !m != (sink.errors > 0)) abort(); // says why exactly when it fails
  for (uint32_t k = 0; m && k < m->function_count; k++) check_function(m, m->functions[k]);
  if (m) weir_ptx_check(m, &sink);
  weir_module_free(m);
  weir_sink_free(&parsing);
  weir_sink_free(&sink);
  return 0;
}
