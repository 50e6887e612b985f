// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The monitoring slice's accesses (section 3.2.1): one simulated line per structure, that keeps no data. Accesses wider
// than a line always miss.
#include "sl1/write.h"

void weir_sl1_put_monitored(struct weir_sl1_writer *w, const struct weir_sl1_main *main, uint32_t i) {
  const struct weir_instruction *in = w->a->cfg.instructions[i];
  const uint32_t s = (uint32_t)w->a->access[i].candidate, n = w->fresh++;
  const bool calls = w->a->o->count == WEIR_SL1_COUNT_CALLS && !main->convergent;
  char address[WEIR_SL1_NAME];
  weir_sl1_put(w, "\t// S-L1: simulate the line of ");
  weir_sl1_put_name(w, s);
  fputs("\n", w->to);
  weir_sl1_put_skip(w, in, n);
  if (calls) weir_sl1_put(w, "\tadd.u32 \t~calls, ~calls, 1;\n");
  if (weir_sl1_is_wide(w->a, i)) {
    weir_sl1_put(w, "\tadd.u32 \t~misses%u, ~misses%u, 1;\n\tmov.u64 \t~tag%u, " WEIR_SL1_INVALID ";\n", s, s, s);
  } else {
    weir_sl1_put_address(w, in, address);
    weir_sl1_put_test(w, address, s, "~d", "~p");
    weir_sl1_put(w, "\t@~p add.u32 \t~hits%u, ~hits%u, 1;\n\t@~p bra \t^a%u_next;\n", s, s, n);
    weir_sl1_put(w, "\tadd.u32 \t~misses%u, ~misses%u, 1;\n", s, s);
    weir_sl1_put_tag(w, address, s);
  }
  weir_sl1_put(w, "^a%u_next:\n", n);
}
