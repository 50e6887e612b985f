// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "sl1/interleave.h"

#include "ptx/print.h"
#include "sl1/text.h"

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
  weir_text_put_load(w, in, "~x");
  put_far(w, unit, n);
}

static bool put_kernel(const struct weir_sl1_analysis *a, const struct weir_text_pass *pass, FILE *to,
                       struct weir_sink *sink) {
  struct weir_sl1_writer w = {.a = a, .to = to, .body = to, .prefix = "big", .kernel = a->f->symbol->name};
  bool entered = false;
  (void)sink;
  weir_ptx_print_head(a->f, to);
  fputs("\n{\n", to);
  for (uint32_t s = 0; s < a->f->statement_count; s++) {
    const struct weir_statement *statement = &a->f->statements[s];
    const bool instruction = statement->kind == WEIR_STMT_INSTRUCTION;
    if (!entered && (instruction || statement->kind == WEIR_STMT_OPEN)) {
      put_entry(&w, pass->unit);
      entered = true;
    }
    const uint32_t i = instruction ? a->cfg.at_statement[s] : 0;
    if (instruction && weir_text_is_loaded(a, i))
      put_load(&w, a->cfg.instructions[i], pass->unit);
    else
      weir_ptx_print_statement(a->f, s, to);
  }
  weir_sl1_flush_aside(&w);
  fputs("}\n\n", to);
  return true;
}

struct weir_module *weir_interleave_apply(const struct weir_module *m, uint32_t unit_bytes, struct weir_sink *sink) {
  const struct weir_text_pass pass = {.what = "interleaved",
                                      .variable = ".visible .const .align 4 .u32 " WEIR_INTERLEAVE_NAME "[4];\n",
                                      .unit = unit_bytes,
                                      .put = put_kernel};
  return weir_text_rewrite(m, &pass, sink);
}
