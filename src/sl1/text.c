// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "sl1/text.h"

#include "base/alloc.h"
#include "ptx/parse.h"
#include "ptx/print.h"

#include <stdlib.h>
#include <string.h>

// ---- what a kernel does with its text -------------------------------------------------------------------------------------

// The bit of the structure that the first parameter points to; 0: it points to none.
static uint64_t text_of(const struct weir_sl1_analysis *a) {
  for (uint32_t s = 0; s < a->structure_count && s < WEIR_SL1_OTHERS; s++)
    if (!a->structures[s].index && !a->structures[s].offset) return UINT64_C(1) << s;
  return 0;
}

bool weir_text_is_loaded(const struct weir_sl1_analysis *a, uint32_t i) {
  return a->access[i].effect == WEIR_SL1_LOAD && a->access[i].set & text_of(a);
}

static const char *flaw_of(const struct weir_sl1_analysis *a, uint32_t i, uint32_t unit) {
  const struct weir_sl1_access *access = &a->access[i];
  if (access->effect == WEIR_SL1_NONE || !(access->set & text_of(a))) return NULL;
  if (access->effect != WEIR_SL1_LOAD) return "it does not only load from it";
  if (access->set != text_of(a)) return "an address may be in it or elsewhere";
  return access->bytes > unit ? "a load is wider than the unit" : NULL;
}

bool weir_text_refuse(const struct weir_sl1_analysis *a, const struct weir_text_pass *pass, uint32_t i,
                      const char *flaw, struct weir_sink *sink) {
  return weir_fail(sink, (struct weir_place){a->m->path, NULL, a->cfg.instructions[i]->line, 0},
                   "kernel '%s' cannot read its text %s: %s", a->f->symbol->name, pass->what, flaw);
}

static bool is_fit(const struct weir_sl1_analysis *a, const struct weir_text_pass *pass, struct weir_sink *sink) {
  for (uint32_t i = 0; i < a->cfg.instruction_count; i++) {
    const char *flaw = flaw_of(a, i, pass->unit);
    if (flaw) return weir_text_refuse(a, pass, i, flaw, sink);
  }
  return true;
}

// ---- writing ----------------------------------------------------------------------------------------------------------------

void weir_text_put_load(struct weir_sl1_writer *w, const struct weir_instruction *in, const char *address) {
  const char *vector = in->form.vector == 4 ? ".v4" : in->form.vector == 2 ? ".v2" : "";
  weir_sl1_put(w, "ld.global%s.%s \t", vector, weir_type_name(in->form.type));
  weir_ptx_print_operand(&in->operands[0], w->to);
  weir_sl1_put(w, ", [%s];\n", address);
}

static bool put_item(const struct weir_module *m, uint32_t item, const struct weir_text_pass *pass, FILE *to,
                     struct weir_sink *sink) {
  static const struct weir_sl1_options options = {.line_bytes = 16};
  const struct weir_function *f = m->items[item].kind == WEIR_ITEM_FUNCTION ? m->items[item].function : NULL;
  if (!f || !f->entry || !f->has_body) {
    weir_ptx_print_item(m, item, to);
    if (m->items[item].kind == WEIR_ITEM_TEXT && !strncmp(m->items[item].text, ".address_size", 13))
      fputs(pass->variable, to);
    return true;
  }
  struct weir_sl1_analysis a;
  weir_sl1_analyse(&a, m, f, &options);
  bool ok = is_fit(&a, pass, sink);
  if (ok && text_of(&a))
    ok = pass->put(&a, pass, to, sink);
  else
    weir_ptx_print_item(m, item, to);
  weir_sl1_analysis_free(&a);
  return ok;
}

struct weir_module *weir_text_rewrite(const struct weir_module *m, const struct weir_text_pass *pass,
                                      struct weir_sink *sink) {
  char *text = NULL, *path = weir_text_format("%s (%s)", m->path, pass->what);
  size_t bytes = 0;
  FILE *to = open_memstream(&text, &bytes);
  bool ok = true;
  for (uint32_t i = 0; ok && i < m->item_count; i++) ok = put_item(m, i, pass, to, sink);
  fclose(to);
  struct weir_module *made = ok ? weir_ptx_parse(path, text, bytes, sink) : NULL;
  if (ok && !made) weir_fail_plain(sink, "%s cannot be read back: a mistake of weir's", path);
  weir_free(path);
  free(text);
  return made;
}
