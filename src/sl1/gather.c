// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The computation stage: each load of the text takes what the thread's next entry has brought.
#include "sl1/gather.h"

#include "ptx/print.h"
#include "sl1/text.h"

// Rows of more than a byte are for S-L1: it is to see that they are the text's, from which the first is as far as a number says. n: bytes read so far.
static void put_entry(struct weir_sl1_writer *w, uint32_t row) {
  weir_gather_put_entry(w, WEIR_GATHER_BYTES * 8, row);
  if (row == 1) return;
  weir_sl1_put(w, "\tmov.u32 \t~n, 0;\n\tsub.s64 \t~step, ~step, %u;\n", row - 1);
  weir_sl1_put(w, "\tld.param.u64 \t~base, [%s];\n", w->a->f->params[0]->name);
  weir_sl1_put(w, "\tsub.s64 \t~at, ~at, ~base;\n\tadd.s64 \t~at, ~base, ~at;\n");
}

static void put_step(struct weir_sl1_writer *w, uint32_t row) {
  if (row == 1) {
    weir_sl1_put(w, "\tadd.s64 \t~at, ~at, ~step;\n");
    return;
  }
  weir_sl1_put(w, "\tadd.u32 \t~n, ~n, 1;\n\tand.b32 \t~x, ~n, %u;\n\tsetp.eq.u32 \t~p, ~x, 0;\n", row - 1);
  weir_sl1_put(w, "\tselp.b64 \t~q, ~step, 1, ~p;\n\tadd.s64 \t~at, ~at, ~q;\n");
}

static void put_load(struct weir_sl1_writer *w, const struct weir_instruction *in, uint32_t row) {
  const uint32_t n = w->fresh++;
  weir_sl1_put_skip(w, in, n);
  weir_sl1_put(w, "\t");
  weir_text_put_load(w, in, "~at");
  put_step(w, row);
  if (in->guard) weir_sl1_put(w, "^a%u_next:\n", n);
}

static bool put_stages(const struct weir_sl1_analysis *a, const struct weir_text_pass *pass, FILE *to,
                       struct weir_sink *sink) {
  if (!weir_gather_put_addresses(a, pass, to, sink)) return false;
  struct weir_sl1_writer w = {.a = a, .to = to, .body = to, .prefix = "gather", .kernel = a->f->symbol->name};
  weir_ptx_print_head(a->f, to);
  fputs("\n{\n", to);
  put_entry(&w, pass->row);
  for (uint32_t s = 0; s < a->f->statement_count; s++) {
    const uint32_t i = a->cfg.at_statement[s];
    if (a->f->statements[s].kind == WEIR_STMT_INSTRUCTION && weir_text_is_loaded(a, i))
      put_load(&w, a->cfg.instructions[i], pass->row);
    else
      weir_ptx_print_statement(a->f, s, to);
  }
  fputs("}\n\n", to);
  return true;
}

struct weir_module *weir_gather_apply(const struct weir_module *m, uint32_t row_bytes, struct weir_sink *sink) {
  static const char variable[] = ".visible .const .align 8 .u64 " WEIR_GATHER_NAME "[5];\n";
  const struct weir_text_pass pass = {
    .what = "gathered", .variable = variable, .unit = 1, .row = row_bytes, .put = put_stages};
  return weir_text_rewrite(m, &pass, sink);
}
