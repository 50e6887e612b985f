// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The two slices of a main loop (section 3.2): copies of its blocks in the order of the text. All ways out of a slice lead
// over one place, so that the lanes of a warp that left by different ways are together again before they decide, flush and
// part: that place is the branches' immediate post-dominator.
//
// In a loop with barriers, or instructions for whole warps, the slices change where all lanes do: after so many visits of
// the block before which monitoring may end, whatever a lane has accessed, and never to the untouched loop.
#include "base/alloc.h"
#include "ptx/print.h"
#include "sl1/write.h"

struct exit_way {
  uint32_t block;                  // that it leads to; block_count: the end of the kernel
  const char *text;                // instead: "ret;" or "exit;"
  const struct weir_symbol *label; // NULL: e<block>
};

struct slice {
  struct weir_sl1_writer *w;
  uint32_t index; // of the main loop
  const struct weir_sl1_main *main;
  char letter;
  struct exit_way *exits;
  uint32_t exit_count, exit_capacity, ret, exit; // 1 + index of those that end the thread
};

// Loops behind the first may be entered with the decision taken before: then at their header, not where monitoring ends.
static bool reuses(const struct weir_sl1_writer *w, const struct weir_sl1_main *main) {
  return weir_sl1_decides_once(w) && !main->convergent;
}

static uint32_t header_of(const struct weir_sl1_writer *w, uint32_t index) {
  return w->a->loops.loops[w->a->mains[index].loop].header;
}

static bool is_within(const struct slice *s, uint32_t block) {
  return block < s->w->a->cfg.block_count && s->w->a->main_of[block] == s->index;
}

static uint32_t add_exit(struct slice *s, uint32_t block, const char *text, const struct weir_symbol *label) {
  *weir_push(s->exits, s->exit_count, s->exit_capacity) = (struct exit_way){block, text, label};
  return s->exit_count;
}

static uint32_t exit_to(struct slice *s, uint32_t block, const struct weir_symbol *label) {
  uint32_t *number = &s->w->exit_of[block];
  const bool end = block == s->w->a->cfg.block_count;
  if (!*number) *number = add_exit(s, block, end ? "ret" : NULL, label);
  return *number;
}

static void put_target(struct slice *s, uint32_t block, const struct weir_symbol *label) {
  if (is_within(s, block))
    weir_sl1_put(s->w, "^%c%u_b%u", s->letter, s->index, block);
  else
    weir_sl1_put(s->w, "^%c%u_x%u", s->letter, s->index, exit_to(s, block, label));
}

// ---- blocks ---------------------------------------------------------------------------------------------------------

static uint32_t block_behind(const struct weir_sl1_analysis *a, uint32_t block) {
  const uint32_t i = a->cfg.blocks[block].first + a->cfg.blocks[block].count;
  return i < a->cfg.instruction_count ? a->cfg.block_of[i] : a->cfg.block_count;
}

static void end_block(struct slice *s, uint32_t block, uint32_t next) {
  const struct weir_sl1_analysis *a = s->w->a;
  const uint32_t behind = block_behind(a, block);
  const struct weir_instruction *last =
    a->cfg.instructions[a->cfg.blocks[block].first + a->cfg.blocks[block].count - 1];
  if (weir_sl1_leaves(last) || behind == next) return;
  weir_sl1_put(s->w, "\tbra \t");
  put_target(s, behind, NULL);
  fputs(";\n", s->w->to);
}

// Sets a predicate of all lanes that are here if it is set in any of them.
static void put_any(struct weir_sl1_writer *w, const char *predicate) {
  if (w->sync_votes)
    weir_sl1_put(w, "\tactivemask.b32 \t~w0;\n\tvote.sync.any.pred \t%s, %s, ~w0;\n", predicate, predicate);
  else
    weir_sl1_put(w, "\tvote.any.pred \t%s, %s;\n", predicate, predicate);
}

// Simulated accesses of the thread so far.
static void put_calls(struct slice *s) {
  bool first = true;
  for (uint32_t i = 0; i < s->w->a->candidate_count; i++) {
    if (s->w->mains == 1 && !(s->main->used >> i & 1)) continue;
    if (first)
      weir_sl1_put(s->w, "\tmov.u32 \t~calls, ~seen%u;\n", i);
    else
      weir_sl1_put(s->w, "\tadd.u32 \t~calls, ~calls, ~seen%u;\n", i);
    first = false;
  }
}

// The monitoring slice asks at the iteration's boundary whether it has seen enough (section 3.2.1).
static void put_threshold(struct slice *s) {
  const struct weir_sl1_options *o = s->w->a->o;
  const bool iterations = o->count == WEIR_SL1_COUNT_ITERATIONS, visits = iterations || s->main->convergent;
  if (!visits) put_calls(s);
  weir_sl1_put(s->w, "\tsetp.ge.u32 \t~p, ~calls, %u;\n", o->threshold);
  if (!visits && o->leave == WEIR_SL1_LEAVE_WARP) put_any(s->w, "~p");
  weir_sl1_put(s->w, "\t@~p bra \t^m%u_x0;\n", s->index);
  if (visits) weir_sl1_put(s->w, "\tadd.u32 \t~calls, ~calls, %u;\n", iterations ? 1 : s->main->accesses);
}

static void begin_block(struct slice *s, uint32_t block) {
  weir_sl1_put(s->w, "^%c%u_b%u:\n", s->letter, s->index, block);
  if (s->letter == 'm' && block == s->main->test) put_threshold(s);
}

// ---- instructions ---------------------------------------------------------------------------------------------------

static void put_table(struct slice *s, const struct weir_instruction *in, uint32_t n) {
  const struct weir_symbol *const *targets = NULL;
  const uint32_t count = weir_sl1_targets(in, &targets);
  weir_sl1_put(s->w, "^a%u_to: .branchtargets ", n);
  for (uint32_t t = 0; t < count; t++) {
    if (t) fputs(", ", s->w->to);
    put_target(s, weir_sl1_block_at(s->w->a, targets[t]), targets[t]);
  }
  fputs(";\n\t", s->w->to);
  weir_ptx_print_guard(in, s->w->to);
  fputs("brx.idx \t", s->w->to);
  weir_ptx_print_operand(&in->operands[0], s->w->to);
  weir_sl1_put(s->w, ", ^a%u_to;\n", n);
}

static void put_branch(struct slice *s, const struct weir_instruction *in) {
  const struct weir_symbol *const *targets = NULL;
  if (in->opcode == WEIR_OP_BRX) {
    put_table(s, in, s->w->fresh++);
    return;
  }
  weir_sl1_targets(in, &targets);
  fputc('\t', s->w->to);
  weir_ptx_print_guard(in, s->w->to);
  fputs("bra \t", s->w->to);
  put_target(s, weir_sl1_block_at(s->w->a, targets[0]), targets[0]);
  fputs(";\n", s->w->to);
}

static void put_end_of_thread(struct slice *s, const struct weir_instruction *in) {
  uint32_t *number = in->opcode == WEIR_OP_RET ? &s->ret : &s->exit;
  if (!*number) *number = add_exit(s, s->w->a->cfg.block_count, in->opcode == WEIR_OP_RET ? "ret" : "exit", NULL);
  fputc('\t', s->w->to);
  weir_ptx_print_guard(in, s->w->to);
  weir_sl1_put(s->w, "bra \t^%c%u_x%u;\n", s->letter, s->index, *number);
}

static void put_instruction(struct slice *s, uint32_t i) {
  const struct weir_instruction *in = s->w->a->cfg.instructions[i];
  const enum weir_opcode op = in->opcode;
  if (op == WEIR_OP_BRA || op == WEIR_OP_BRX) {
    put_branch(s, in);
  } else if (op == WEIR_OP_RET || op == WEIR_OP_EXIT) {
    put_end_of_thread(s, in);
  } else if (s->letter == 'c') {
    weir_sl1_put_computed(s->w, s->main, i);
  } else {
    if (s->w->a->access[i].candidate >= 0) weir_sl1_put_monitored(s->w, i);
    weir_ptx_print_instruction(in, true, s->w->to);
  }
}

// Labels of a { } scope are known there alone: what is out of line of its accesses stays in it.
static void put_aside_here(struct slice *s) {
  const uint32_t n = s->w->fresh++;
  if (!s->w->aside[1].to) return;
  weir_sl1_put(s->w, "\tbra \t^a%u_on;\n", n);
  weir_sl1_flush_aside(s->w);
  weir_sl1_put(s->w, "^a%u_on:\n", n);
}

static void put_statement_itself(struct slice *s, uint32_t index) {
  const struct weir_sl1_analysis *a = s->w->a;
  const struct weir_statement *statement = &a->f->statements[index];
  switch (statement->kind) {
  case WEIR_STMT_INSTRUCTION:
    put_instruction(s, a->cfg.at_statement[index]);
    if (s->w->inner) put_aside_here(s);
    break;
  case WEIR_STMT_LABEL: break; // blocks have names of their own
  case WEIR_STMT_DECLARATION:
    if (statement->symbol->kind != WEIR_SYM_TARGETS) weir_ptx_print_statement(s->w->a->f, index, s->w->to);
    break;
  case WEIR_STMT_LOC: s->w->loc = statement->text; __attribute__((fallthrough));
  default: weir_ptx_print_statement(s->w->a->f, index, s->w->to); break;
  }
}

static void put_statement(struct slice *s, uint32_t index) {
  s->w->inner = s->w->a->scope[index] != s->main->scope;
  put_statement_itself(s, index);
  s->w->inner = false;
}

static void put_copy(struct slice *s) {
  const struct weir_sl1_analysis *a = s->w->a;
  const uint32_t entry = s->letter == 'c' && !reuses(s->w, s->main) ? s->main->test : header_of(s->w, s->index);
  uint32_t block = UINT32_MAX;
  for (uint32_t k = s->main->first; k <= s->main->last; k++) {
    const uint32_t owner = a->owner[k];
    if (!is_within(s, owner) || weir_sl1_is_around(a, s->main, k)) continue;
    if (owner != block) {
      if (block != UINT32_MAX)
        end_block(s, block, owner);
      else if (owner != entry)
        weir_sl1_put(s->w, "\tbra \t^%c%u_b%u;\n", s->letter, s->index, entry);
      begin_block(s, block = owner);
    }
    put_statement(s, k);
  }
  end_block(s, block, UINT32_MAX);
}

// ---- ways out -------------------------------------------------------------------------------------------------------

// Notes which way it is and goes to the place where all meet.
static void put_stubs(struct slice *s) {
  for (uint32_t k = 0; k < s->exit_count; k++) {
    weir_sl1_put(s->w, "^%c%u_x%u:\n\tmov.u32 \t~exit, %u;\n", s->letter, s->index, k + 1, k + 1);
    weir_sl1_put(s->w, "\tbra \t^%c%u_join;\n", s->letter, s->index);
  }
}

static void put_way(struct slice *s, const struct exit_way *e, const char *guard) {
  weir_sl1_put(s->w, "\t%s", guard);
  if (e->text)
    fprintf(s->w->to, "%s;\n", e->text);
  else if (e->label)
    fprintf(s->w->to, "bra \t%s;\n", e->label->name);
  else
    weir_sl1_put(s->w, "bra \t^e%u;\n", e->block);
}

// Parts the lanes by the way they left; `falls`: one of the ways goes on here, else the last needs no test.
static void put_ways(struct slice *s, bool falls) {
  for (uint32_t k = 0; k < s->exit_count; k++) {
    const bool last = k + 1 == s->exit_count && !falls;
    if (!last) weir_sl1_put(s->w, "\tsetp.eq.u32 \t~p, ~exit, %u;\n", k + 1);
    put_way(s, &s->exits[k], last ? "" : "@~p ");
  }
}

static void forget_exits(struct slice *s) {
  for (uint32_t k = 0; k < s->exit_count; k++) s->w->exit_of[s->exits[k].block] = 0;
  weir_free(s->exits);
}

static struct slice begin_slice(struct weir_sl1_writer *w, uint32_t index, char letter, const char *what) {
  const struct weir_sl1_main *main = &w->a->mains[index];
  weir_sl1_put(w, "\t// S-L1: %s\n", what);
  return (struct slice){.w = w, .index = index, .main = main, .letter = letter};
}

static void put_monitoring(struct weir_sl1_writer *w, uint32_t index) {
  const char *loc = w->loc;
  struct slice s = begin_slice(w, index, 'm', "monitoring slice (section 3.2.1)");
  put_copy(&s);
  weir_sl1_flush_aside(w);
  put_stubs(&s);
  weir_sl1_put(w, "^m%u_x0:\n\tmov.u32 \t~exit, 0;\n^m%u_join:\n", index, index);
  put_ways(&s, true);
  forget_exits(&s);
  w->loc = loc;
  weir_sl1_put_loc(w);
}

// A warp of which no lane caches anything that the loop uses goes on in the untouched loop.
static void put_choice(struct weir_sl1_writer *w, uint32_t index) {
  const struct weir_sl1_main *main = &w->a->mains[index];
  if (!w->a->o->original_slice || main->convergent) return;
  weir_sl1_put(w, "\tsetp.ne.u32 \t~any, ~room, ~room;\n");
  for (uint64_t used = main->used; used; used &= used - 1)
    weir_sl1_put(w, "\tsetp.ne.or.u32 \t~any, ~line%u, -1, ~any;\n", (uint32_t)__builtin_ctzll(used));
  put_any(w, "~any");
  if (main->test == header_of(w, index)) {
    weir_sl1_put(w, "\t@!~any bra \t^o%u;\n", index);
    return;
  }
  if (reuses(w, main)) {
    weir_sl1_put(w, "\tsetp.ne.u32 \t~p, ~exit, 0;\n\tnot.pred \t~q, ~any;\n\tand.pred \t~p, ~p, ~q;\n");
    weir_sl1_put(w, "\t@~p bra \t^o%u;\n", index);
  }
  weir_sl1_put(w, "\t@!~any bra \t^e%u;\n", main->test);
}

// A computation slice goes on where monitoring ended; one that was not monitored begins at the header.
static void put_entry_of_two(struct weir_sl1_writer *w, uint32_t index) {
  const struct weir_sl1_main *main = &w->a->mains[index];
  if (main->test == header_of(w, index) || !reuses(w, main)) return;
  weir_sl1_put(w, "\tsetp.eq.u32 \t~p, ~exit, 0;\n\t@~p bra \t^c%u_b%u;\n", index, main->test);
}

static void put_computation(struct weir_sl1_writer *w, uint32_t index) {
  const char *loc = w->loc;
  struct slice s = begin_slice(w, index, 'c', "computation slice (section 3.2.3)");
  weir_sl1_put(w, "^c%u:\n", index);
  put_choice(w, index);
  for (uint64_t used = s.main->used; used; used &= used - 1) {
    const uint32_t i = (uint32_t)__builtin_ctzll(used);
    weir_sl1_put_empty(w, i);
    if (s.main->dirty >> i & 1) weir_sl1_put(w, "\tmov.u32 \t~dirty%u, 0;\n", i);
  }
  put_entry_of_two(w, index);
  put_copy(&s);
  put_stubs(&s);
  if (s.exit_count) {
    weir_sl1_put(w, "^c%u_join:\n\t// S-L1: what is dirty is written back where the loop is left\n", index);
    weir_sl1_put_flush(w, s.main->used, s.main->dirty, false);
    weir_sl1_put_counts(w, s.main->used);
    put_ways(&s, false);
  }
  weir_sl1_flush_aside(w);
  forget_exits(&s);
  w->loc = loc;
}

void weir_sl1_put_slices(struct weir_sl1_writer *w, uint32_t index) {
  const struct weir_sl1_main *main = &w->a->mains[index];
  weir_sl1_put_room(w, index);
  if (!weir_sl1_decides_once(w))
    weir_sl1_put_start(w);
  else if (reuses(w, main))
    weir_sl1_put(w, "\tmov.u32 \t~exit, 1;\n\t@~decided bra \t^c%u;\n", index);
  else
    weir_sl1_put(w, "\tmov.u32 \t~calls, 0;\n");
  put_monitoring(w, index);
  weir_sl1_put_decision(w);
  put_computation(w, index);
  weir_sl1_put(w, "\t// S-L1: the untouched loop\n^o%u:\n", index);
  weir_sl1_put_loc(w);
}

void weir_sl1_put_back(struct weir_sl1_writer *w, uint32_t index, uint32_t i) {
  const struct weir_sl1_analysis *a = w->a;
  const struct weir_instruction *in = a->cfg.instructions[i];
  const struct weir_symbol *const *targets = NULL;
  const uint32_t header = a->loops.loops[a->mains[index].loop].header, count = weir_sl1_targets(in, &targets);
  bool back = false;
  for (uint32_t t = 0; t < count; t++) back |= weir_sl1_block_at(a, targets[t]) == header;
  if (!back) {
    weir_ptx_print_instruction(in, true, w->to);
    return;
  }
  const uint32_t n = w->fresh++;
  if (in->opcode == WEIR_OP_BRX) {
    weir_sl1_put(w, "^a%u_to: .branchtargets ", n);
    for (uint32_t t = 0; t < count; t++) {
      if (t) fputs(", ", w->to);
      if (weir_sl1_block_at(a, targets[t]) == header)
        weir_sl1_put(w, "^o%u", index);
      else
        fputs(targets[t]->name, w->to);
    }
    fputs(";\n", w->to);
  }
  fputc('\t', w->to);
  weir_ptx_print_guard(in, w->to);
  weir_sl1_put(w, in->opcode == WEIR_OP_BRX ? "brx.idx \t" : "bra \t");
  if (in->opcode == WEIR_OP_BRX) {
    weir_ptx_print_operand(&in->operands[0], w->to);
    weir_sl1_put(w, ", ^a%u_to;\n", n);
  } else {
    weir_sl1_put(w, "^o%u;\n", index);
  }
}
