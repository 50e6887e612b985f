// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The monitoring slice's accesses (section 3.2.1): one simulated line per structure, that keeps no data. Accesses wider
// than a line always miss.
#include "sl1/write.h"

static void put_simulation(struct weir_sl1_writer *w, const struct weir_instruction *in, uint32_t s, uint32_t n) {
  char address[WEIR_SL1_NAME];
  weir_sl1_put_address(w, in, address);
  weir_sl1_put_split(w, address);
  weir_sl1_put_test(w, s, false);
  weir_sl1_put(w, "\t@~p add.u32 \t~hits%u, ~hits%u, 1;\n", s, s);
  weir_sl1_put(w, "\t%smov.u32 \t~high, ~hi;\n", w->a->o->scope == WEIR_SL1_PER_BLOCK ? "" : "@~p ");
  if (w->a->o->line_bytes == 24) weir_sl1_put(w, "\t@~p bra \t^a%u_next;\n", n);
  weir_sl1_put_tag(w, s);
}

void weir_sl1_put_monitored(struct weir_sl1_writer *w, uint32_t i) {
  const struct weir_instruction *in = w->a->cfg.instructions[i];
  const uint32_t s = (uint32_t)w->a->access[i].candidate, n = w->fresh++;
  weir_sl1_put(w, "\t// S-L1: simulate the line of ");
  weir_sl1_put_name(w, s);
  fputs("\n", w->to);
  weir_sl1_put_skip(w, in, n);
  weir_sl1_put(w, "\tadd.u32 \t~seen%u, ~seen%u, 1;\n", s, s);
  if (weir_sl1_is_wide(w->a, i))
    weir_sl1_put_empty(w, s);
  else
    put_simulation(w, in, s, n);
  if (in->guard || w->a->o->line_bytes == 24) weir_sl1_put(w, "^a%u_next:\n", n);
}
