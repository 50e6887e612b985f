// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The computation slice's accesses (sections 3.2.3 and 3.4). Invariant: a byte that a dirty line may hold is in no other
// line of the thread. So an access that finds its own line need not look further; a miss looks at the others before it
// fills: for lines with bytes that memory lacks, and, if its own may become dirty, for all. Lines that are only read may
// have copies of the same bytes, and structures read by ld.global.nc are written by nobody. What an access finds in the
// line of another structure it reads there; what it stores goes there and to memory.
//
// Where a structure is not cached the access is as it was, out of line: the loop's own path then has no load that would
// wait for another one's register.
#include "sl1/write.h"

#include "ptx/print.h"

bool weir_sl1_is_wide(const struct weir_sl1_analysis *a, uint32_t i) {
  const uint32_t bytes = a->access[i].bytes, line = a->o->line_bytes;
  const bool whole = a->o->layout == WEIR_SL1_INTERLEAVED && weir_type_bytes(a->cfg.instructions[i]->form.type) > 8;
  return bytes > line || bytes > WEIR_SL1_WIDEST || (line == 24 && bytes > 8) || whole;
}

// The candidates of the loop whose lines an access may find bytes in, its own left out.
static uint64_t others(const struct weir_sl1_writer *w, const struct weir_sl1_main *main, uint32_t i) {
  const struct weir_sl1_analysis *a = w->a;
  const struct weir_sl1_access *x = &a->access[i];
  uint64_t set = 0;
  for (uint32_t c = 0; c < a->candidate_count; c++) {
    const struct weir_sl1_candidate *candidate = &a->candidates[c];
    const bool may = a->o->alias != WEIR_SL1_ALIAS_NONE || !x->set || x->set >> candidate->structure & 1;
    if (may && main->used >> c & 1 && !candidate->non_coherent) set |= UINT64_C(1) << c;
  }
  if (x->candidate < 0) return set;
  return a->candidates[x->candidate].non_coherent ? 0 : set & ~(UINT64_C(1) << x->candidate);
}

static void put_heading(struct weir_sl1_writer *w, const char *what, int candidate) {
  weir_sl1_put(w, "\t// S-L1: %s", what);
  if (candidate >= 0) weir_sl1_put_name(w, (uint32_t)candidate);
  fputs("\n", w->to);
}

static void put_original(struct weir_sl1_writer *w, const struct weir_instruction *in) {
  weir_ptx_print_instruction(in, false, w->to);
}

static void count(struct weir_sl1_writer *w, const char *what, uint32_t s) {
  if (w->a->o->counters) weir_sl1_put(w, "\tadd.u32 \t~%s%u, ~%s%u, 1;\n", what, s, what, s);
}

// ---- loads ----------------------------------------------------------------------------------------------------------

// Looks for the bytes in other lines. Found: on to a<n>_serve with the place in s.
static void put_search(struct weir_sl1_writer *w, uint64_t set, uint32_t n, uint32_t bytes) {
  for (; set; set &= set - 1) {
    const uint32_t s = (uint32_t)__builtin_ctzll(set), m = w->fresh++;
    weir_sl1_put_test(w, s, true);
    weir_sl1_put(w, "\t@!~p bra \t^a%u_other;\n", m);
    weir_sl1_put_place(w, s, bytes);
    count(w, "served", s);
    weir_sl1_put(w, "\tbra \t^a%u_serve;\n^a%u_other:\n", n, m);
  }
}

static void put_load_aside(struct weir_sl1_writer *w, const struct weir_instruction *in, uint64_t dirty, uint32_t n,
                           uint32_t bytes) {
  weir_sl1_begin_aside(w);
  weir_sl1_put(w, "^a%u_direct:\n", n);
  put_search(w, dirty, n, bytes);
  put_original(w, in);
  weir_sl1_put(w, "\tbra \t^a%u_next;\n", n);
  weir_sl1_end_aside(w);
}

// A miss: on to a<n>_direct if the structure has no line, or the address is outside of the window of the thread's lines.
static void put_unless_cached(struct weir_sl1_writer *w, uint32_t s, uint32_t n) {
  weir_sl1_put(w, "\tsetp.ne.and.u32 \t~p, ~line%u, -1, ~in;\n\t@!~p bra \t^a%u_direct;\n", s, n);
}

static void put_cached_load(struct weir_sl1_writer *w, const struct weir_sl1_main *main, uint32_t i) {
  const struct weir_instruction *in = w->a->cfg.instructions[i];
  const struct weir_sl1_access *x = &w->a->access[i];
  const uint32_t s = (uint32_t)x->candidate, n = w->fresh++;
  const uint64_t near = others(w, main, i);
  const bool dirty = main->dirty >> s & 1;
  char address[WEIR_SL1_NAME];
  put_heading(w, "load through the line of ", x->candidate);
  weir_sl1_put_skip(w, in, n);
  weir_sl1_put_address(w, in, address);
  weir_sl1_put_split(w, address);
  weir_sl1_put_window(w);
  weir_sl1_put_test(w, s, true);
  weir_sl1_put(w, "\t@~p bra \t^a%u_hit;\n", n);
  put_unless_cached(w, s, n);
  put_search(w, dirty ? near : near & main->dirty, n, x->bytes);
  if (dirty) weir_sl1_put_write_back(w, s);
  weir_sl1_put_tag(w, s);
  weir_sl1_put_fill(w, s, in);
  count(w, "fills", s);
  weir_sl1_put(w, "^a%u_hit:\n", n);
  count(w, "served", s);
  weir_sl1_put_place(w, s, x->bytes);
  weir_sl1_put(w, "^a%u_serve:\n", n);
  weir_sl1_put_shared(w, in);
  weir_sl1_put(w, "^a%u_next:\n", n);
  put_load_aside(w, in, near & main->dirty, n, x->bytes);
}

static void put_untraced_load(struct weir_sl1_writer *w, const struct weir_sl1_main *main, uint32_t i) {
  const struct weir_instruction *in = w->a->cfg.instructions[i];
  const uint64_t near = others(w, main, i) & main->dirty;
  if (!near) {
    weir_ptx_print_instruction(in, true, w->to);
    return;
  }
  const uint32_t n = w->fresh++;
  char address[WEIR_SL1_NAME];
  put_heading(w, "load that may find its bytes in a dirty line", -1);
  weir_sl1_put_skip(w, in, n);
  weir_sl1_put_address(w, in, address);
  weir_sl1_put_split(w, address);
  weir_sl1_put_window(w);
  put_search(w, near, n, w->a->access[i].bytes);
  put_original(w, in);
  weir_sl1_put(w, "^a%u_next:\n", n);
  weir_sl1_begin_aside(w);
  weir_sl1_put(w, "^a%u_serve:\n", n);
  weir_sl1_put_shared(w, in);
  weir_sl1_put(w, "\tbra \t^a%u_next;\n", n);
  weir_sl1_end_aside(w);
}

// ---- stores ---------------------------------------------------------------------------------------------------------

// Stores to every line that has the bytes, and then to memory.
static void put_store_everywhere(struct weir_sl1_writer *w, const struct weir_instruction *in, uint64_t set,
                                 uint32_t bytes) {
  for (; set; set &= set - 1) {
    const uint32_t s = (uint32_t)__builtin_ctzll(set), m = w->fresh++;
    weir_sl1_put_test(w, s, true);
    weir_sl1_put(w, "\t@!~p bra \t^a%u_other;\n", m);
    weir_sl1_put_place(w, s, bytes);
    weir_sl1_put_shared(w, in);
    weir_sl1_put(w, "^a%u_other:\n", m);
  }
  put_original(w, in);
}

// A store that misses, if it is to fill its line: first no other line may have the bytes.
static void put_store_miss(struct weir_sl1_writer *w, uint64_t near, uint32_t s, uint32_t n, uint32_t bytes) {
  for (; near; near &= near - 1) {
    weir_sl1_put_test(w, (uint32_t)__builtin_ctzll(near), true);
    weir_sl1_put(w, "\t@~p bra \t^a%u_direct;\n", n);
  }
  weir_sl1_put_write_back(w, s);
  weir_sl1_put_tag(w, s);
  if (bytes < w->a->o->line_bytes) weir_sl1_put_fill(w, s, NULL);
  count(w, "fills", s);
}

static void put_cached_store(struct weir_sl1_writer *w, const struct weir_sl1_main *main, uint32_t i) {
  const struct weir_instruction *in = w->a->cfg.instructions[i];
  const struct weir_sl1_access *x = &w->a->access[i];
  const uint32_t s = (uint32_t)x->candidate, n = w->fresh++;
  const uint64_t near = others(w, main, i);
  const bool around = w->a->o->write_miss == WEIR_SL1_AROUND;
  char address[WEIR_SL1_NAME];
  put_heading(w, "store through the line of ", x->candidate);
  weir_sl1_put_skip(w, in, n);
  weir_sl1_put_address(w, in, address);
  weir_sl1_put_split(w, address);
  weir_sl1_put_window(w);
  weir_sl1_put_test(w, s, true);
  weir_sl1_put(w, around ? "\t@!~p bra \t^a%u_direct;\n" : "\t@~p bra \t^a%u_hit;\n", n);
  if (!around) put_unless_cached(w, s, n);
  if (!around) put_store_miss(w, near, s, n, x->bytes);
  if (!around) weir_sl1_put(w, "^a%u_hit:\n", n);
  count(w, "served", s);
  weir_sl1_put(w, "\tsub.u32 \t~w0, ~lo, ~tag%u;\n\tbfi.b32 \t~dirty%u, -1, ~dirty%u, ~w0, %u;\n", s, s, s, x->bytes);
  weir_sl1_put_place(w, s, x->bytes);
  weir_sl1_put_shared(w, in);
  weir_sl1_put(w, "^a%u_next:\n", n);
  weir_sl1_begin_aside(w);
  weir_sl1_put(w, "^a%u_direct:\n", n);
  put_store_everywhere(w, in, near, x->bytes);
  weir_sl1_put(w, "\tbra \t^a%u_next;\n", n);
  weir_sl1_end_aside(w);
}

static void put_untraced_store(struct weir_sl1_writer *w, const struct weir_sl1_main *main, uint32_t i) {
  const struct weir_instruction *in = w->a->cfg.instructions[i];
  const uint64_t near = others(w, main, i);
  if (!near) {
    weir_ptx_print_instruction(in, true, w->to);
    return;
  }
  const uint32_t n = w->fresh++;
  char address[WEIR_SL1_NAME];
  put_heading(w, "store that lines may have to learn of", -1);
  weir_sl1_put_skip(w, in, n);
  weir_sl1_put_address(w, in, address);
  weir_sl1_put_split(w, address);
  weir_sl1_put_window(w);
  put_store_everywhere(w, in, near, w->a->access[i].bytes);
  weir_sl1_put(w, "^a%u_next:\n", n);
}

// ---- the rest -------------------------------------------------------------------------------------------------------

// Atomics, and accesses wider than a line: lines with some of the bytes are written back and emptied before.
static void put_past_lines(struct weir_sl1_writer *w, const struct weir_sl1_main *main, uint32_t i) {
  const struct weir_instruction *in = w->a->cfg.instructions[i];
  const struct weir_sl1_access *x = &w->a->access[i];
  uint64_t near = others(w, main, i);
  if (x->candidate >= 0) near |= UINT64_C(1) << x->candidate;
  if (!near || !weir_sl1_address(in)) {
    weir_ptx_print_instruction(in, true, w->to);
    return;
  }
  const uint32_t n = w->fresh++;
  char address[WEIR_SL1_NAME];
  put_heading(w, "lines with these bytes are written back and emptied", -1);
  weir_sl1_put_skip(w, in, n);
  weir_sl1_put_address(w, in, address);
  weir_sl1_put_split(w, address);
  weir_sl1_put_window(w);
  weir_sl1_put_evict(w, near, main->dirty, x->bytes);
  put_original(w, in);
  weir_sl1_put(w, "^a%u_next:\n", n);
}

void weir_sl1_put_computed(struct weir_sl1_writer *w, const struct weir_sl1_main *main, uint32_t i) {
  const struct weir_instruction *in = w->a->cfg.instructions[i];
  const struct weir_sl1_access *x = &w->a->access[i];
  const bool load = x->effect == WEIR_SL1_LOAD, plain = load || x->effect == WEIR_SL1_STORE;
  if (x->effect == WEIR_SL1_ATOM || (plain && weir_sl1_is_wide(w->a, i))) {
    put_past_lines(w, main, i);
  } else if (plain && x->candidate >= 0) {
    (load ? put_cached_load : put_cached_store)(w, main, i);
  } else if (plain) {
    (load ? put_untraced_load : put_untraced_store)(w, main, i);
  } else {
    if (x->effect == WEIR_SL1_ORDERED || x->effect == WEIR_SL1_TOUCH ||
        (x->effect == WEIR_SL1_MEET && w->a->o->barrier_fence)) {
      put_heading(w, "lines are written back and emptied before (section 3.4)", -1);
      weir_sl1_put_flush(w, main->used, main->dirty, true);
    }
    weir_ptx_print_instruction(in, true, w->to);
  }
}
