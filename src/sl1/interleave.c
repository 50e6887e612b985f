// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "sl1/interleave.h"

#include "base/alloc.h"
#include "ptx/parse.h"
#include "ptx/print.h"
#include "sl1/write.h"

#include <stdlib.h>
#include <string.h>

// ---- what a kernel does with its text -------------------------------------------------------------------------------------

// The bit of the structure that the first parameter points to; 0: it points to none.
static uint64_t text_of(const struct weir_sl1_analysis *a) {
  for (uint32_t s = 0; s < a->structure_count && s < WEIR_SL1_OTHERS; s++)
    if (!a->structures[s].index && !a->structures[s].offset) return UINT64_C(1) << s;
  return 0;
}

static bool reads_text(const struct weir_sl1_analysis *a, uint32_t i) {
  return a->access[i].set & text_of(a);
}

static const char *flaw_of(const struct weir_sl1_analysis *a, uint32_t i, uint32_t unit) {
  const struct weir_sl1_access *access = &a->access[i];
  if (access->effect == WEIR_SL1_NONE || !reads_text(a, i)) return NULL;
  if (access->effect != WEIR_SL1_LOAD) return "it does not only load from it";
  if (access->set != text_of(a)) return "an address may be in it or elsewhere";
  return access->bytes > unit ? "a load is wider than the unit" : NULL;
}

static bool is_fit(const struct weir_sl1_analysis *a, uint32_t unit, struct weir_sink *sink) {
  for (uint32_t i = 0; i < a->cfg.instruction_count; i++) {
    const char *flaw = flaw_of(a, i, unit);
    if (flaw)
      return weir_fail(sink, (struct weir_place){a->m->path, NULL, a->cfg.instructions[i]->line, 0},
                       "kernel '%s' cannot read its text interleaved: %s", a->f->symbol->name, flaw);
  }
  return true;
}

// ---- writing ----------------------------------------------------------------------------------------------------------------

// own: of the text, where the thread's chunk begins; mine: where its first unit is. Distances are to the parameter's own value, so that S-L1
// sees that they are numbers.
static void put_entry(struct weir_sl1_writer *w, uint32_t unit) {
  weir_sl1_put(w, "\t.reg .b64 ~a, ~q, ~x, ~base, ~mine;\n");
  weir_sl1_put(w, "\t.reg .b32 ~at, ~own, ~off, ~in, ~chunk, ~size, ~row, ~magic;\n\t.reg .pred ~p;\n");
  weir_sl1_put(w, "\tld.param.u64 \t~base, [%s];\n", w->a->f->params[0]->name);
  weir_sl1_put(w, "\tld.const.u32 \t~size, [" WEIR_INTERLEAVE_NAME "];\n");
  weir_sl1_put(w, "\tld.const.u32 \t~row, [" WEIR_INTERLEAVE_NAME "+4];\n");
  weir_sl1_put(w, "\tld.const.u32 \t~magic, [" WEIR_INTERLEAVE_NAME "+8];\n");
  weir_sl1_put(w, "\tmov.u32 \t~chunk, %%ctaid.x;\n\tmov.u32 \t~in, %%ntid.x;\n\tmov.u32 \t~off, %%tid.x;\n");
  weir_sl1_put(w, "\tmad.lo.u32 \t~chunk, ~chunk, ~in, ~off;\n");
  weir_sl1_put(w, "\tmul.lo.u32 \t~own, ~chunk, ~size;\n\tmad.wide.u32 \t~mine, ~chunk, %u, ~base;\n", unit);
}

// The address in x, of offset `off` in the chunk whose first unit is at `first`.
static void put_place(struct weir_sl1_writer *w, uint32_t unit, const char *first) {
  if (unit == 1) {
    weir_sl1_put(w, "\tmad.wide.u32 \t~x, ~off, ~row, %s;\n", first);
    return;
  }
  weir_sl1_put(w, "\tand.b32 \t~in, ~off, %u;\n\tand.b32 \t~off, ~off, -%u;\n", unit - 1, unit);
  weir_sl1_put(w, "\tmad.wide.u32 \t~x, ~off, ~row, %s;\n\tcvt.u64.u32 \t~q, ~in;\n\tadd.s64 \t~x, ~x, ~q;\n", first);
}

// Another thread's chunk.
static void put_far(struct weir_sl1_writer *w, uint32_t unit, uint32_t n) {
  weir_sl1_begin_aside(w);
  weir_sl1_put(w, "^i%u_far:\n", n);
  weir_sl1_put(w, "\tmul.wide.u32 \t~q, ~at, ~magic;\n\tshr.u64 \t~q, ~q, %u;\n\tcvt.u32.u64 \t~chunk, ~q;\n",
               WEIR_INTERLEAVE_SHIFT);
  weir_sl1_put(w, "\tmul.lo.u32 \t~in, ~chunk, ~size;\n\tsub.u32 \t~off, ~at, ~in;\n");
  weir_sl1_put(w, "\tmad.wide.u32 \t~a, ~chunk, %u, ~base;\n", unit);
  put_place(w, unit, "~a");
  weir_sl1_put(w, "\tbra \t^i%u_near;\n", n);
  weir_sl1_end_aside(w);
}

static void put_load(struct weir_sl1_writer *w, const struct weir_instruction *in, uint32_t unit) {
  char address[WEIR_SL1_NAME];
  const uint32_t n = w->fresh++;
  weir_sl1_put_address(w, in, address);
  weir_sl1_put(w, "\tsub.s64 \t~q, %s, ~base;\n\tcvt.u32.u64 \t~at, ~q;\n\tsub.u32 \t~off, ~at, ~own;\n", address);
  weir_sl1_put(w, "\tsetp.ge.u32 \t~p, ~off, ~size;\n\t@~p bra \t^i%u_far;\n", n);
  put_place(w, unit, "~mine");
  weir_sl1_put(w, "^i%u_near:\n\t", n);
  weir_ptx_print_guard(in, w->to);
  const char *vector = in->form.vector == 4 ? ".v4" : in->form.vector == 2 ? ".v2" : "";
  weir_sl1_put(w, "ld.global%s.%s \t", vector, weir_type_name(in->form.type));
  weir_ptx_print_operand(&in->operands[0], w->to);
  weir_sl1_put(w, ", [~x];\n");
  put_far(w, unit, n);
}

static void put_kernel(const struct weir_sl1_analysis *a, uint32_t unit, FILE *to) {
  struct weir_sl1_writer w = {.a = a, .to = to, .body = to, .prefix = "big", .kernel = a->f->symbol->name};
  bool entered = false;
  weir_ptx_print_head(a->f, to);
  fputs("\n{\n", to);
  for (uint32_t s = 0; s < a->f->statement_count; s++) {
    const struct weir_statement *statement = &a->f->statements[s];
    const bool instruction = statement->kind == WEIR_STMT_INSTRUCTION;
    if (!entered && (instruction || statement->kind == WEIR_STMT_OPEN)) {
      put_entry(&w, unit);
      entered = true;
    }
    const uint32_t i = instruction ? a->cfg.at_statement[s] : 0;
    if (instruction && a->access[i].effect == WEIR_SL1_LOAD && reads_text(a, i))
      put_load(&w, a->cfg.instructions[i], unit);
    else
      weir_ptx_print_statement(a->f, s, to);
  }
  weir_sl1_flush_aside(&w);
  fputs("}\n\n", to);
}

static bool put_item(const struct weir_module *m, uint32_t item, uint32_t unit, FILE *to, struct weir_sink *sink) {
  static const struct weir_sl1_options options = {.line_bytes = 16};
  const struct weir_function *f = m->items[item].kind == WEIR_ITEM_FUNCTION ? m->items[item].function : NULL;
  if (!f || !f->entry || !f->has_body) {
    weir_ptx_print_item(m, item, to);
    if (m->items[item].kind == WEIR_ITEM_TEXT && !strncmp(m->items[item].text, ".address_size", 13))
      fputs(".visible .const .align 4 .u32 " WEIR_INTERLEAVE_NAME "[4];\n", to);
    return true;
  }
  struct weir_sl1_analysis a;
  weir_sl1_analyse(&a, m, f, &options);
  const bool ok = is_fit(&a, unit, sink);
  if (ok && text_of(&a))
    put_kernel(&a, unit, to);
  else
    weir_ptx_print_item(m, item, to);
  weir_sl1_analysis_free(&a);
  return ok;
}

struct weir_module *weir_interleave_apply(const struct weir_module *m, uint32_t unit_bytes, struct weir_sink *sink) {
  char *text = NULL, *path = weir_text_format("%s (interleaved)", m->path);
  size_t bytes = 0;
  FILE *to = open_memstream(&text, &bytes);
  bool ok = true;
  for (uint32_t i = 0; ok && i < m->item_count; i++) ok = put_item(m, i, unit_bytes, to, sink);
  fclose(to);
  struct weir_module *made = ok ? weir_ptx_parse(path, text, bytes, sink) : NULL;
  if (ok && !made) weir_fail_plain(sink, "%s cannot be read back: a mistake of weir's", path);
  weir_free(path);
  free(text);
  return made;
}
