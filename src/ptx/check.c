// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "ptx/check.h"

static bool check_instruction(const struct weir_module *m, const struct weir_instruction *i, struct weir_sink *sink) {
  if (!i->runnable) return true;
  return weir_fail(sink, (struct weir_place){m->path, m->text, i->line, i->column}, "cannot run '%s': %s",
                   weir_opcode_name(i->opcode), i->runnable);
}

static bool check_function(const struct weir_module *m, const struct weir_function *f, struct weir_sink *sink) {
  bool ok = true;
  for (uint32_t i = 0; i < f->statement_count; i++)
    if (f->statements[i].kind == WEIR_STMT_INSTRUCTION)
      ok &= check_instruction(m, f->statements[i].instruction, sink);
  return ok;
}

bool weir_ptx_check(const struct weir_module *m, struct weir_sink *sink) {
  bool ok = true;
  for (uint32_t i = 0; i < m->function_count; i++) ok &= check_function(m, m->functions[i], sink);
  return ok;
}
