// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The address-generation stage: a slice of the kernel (Weiser, ICSE 1981) whose criterion is the addresses of its loads of the text. Kept are those
// loads' places, what ends a thread, and, until nothing is added: each instruction that may write a register that a kept one reads, and each branch
// that decides whether a kept one is executed (Ferrante, Ottenstein and Warren, TOPLAS 1987: a block depends on a branch if it post-dominates one of
// the branch's ways out and not the branch). A branch that decides of nothing kept becomes a jump to where its ways meet.
#include "base/alloc.h"
#include "ptx/print.h"
#include "sl1/gather.h"
#include "sl1/text.h"

struct slicer {
  const struct weir_sl1_analysis *a;
  const struct weir_text_pass *pass;
  struct weir_sink *sink;
  bool *kept;     // [instruction]
  bool *read;     // [register]: by a kept instruction
  bool *labelled; // [block]: a dropped branch jumps there
  bool changed;
};

static const struct weir_instruction *instruction(const struct slicer *s, uint32_t i) {
  return s->a->cfg.instructions[i];
}

static uint32_t last_of(const struct slicer *s, uint32_t block) {
  return s->a->cfg.blocks[block].first + s->a->cfg.blocks[block].count - 1;
}

static bool is_branch(const struct slicer *s, uint32_t block) {
  return s->a->cfg.blocks[block].next_count > 1;
}

static bool is_jump(const struct weir_instruction *in) {
  return weir_opcode_flow(in->opcode) == WEIR_FLOW_JUMP;
}

// ---- what the slice consists of ---------------------------------------------------------------------------------------------

static void read_register(void *context, uint32_t r) {
  struct slicer *s = context;
  s->changed |= !s->read[r];
  s->read[r] = true;
}

static void read_operand(struct slicer *s, const struct weir_operand *o) {
  weir_sl1_each_register(o, read_register, s);
}

static void keep(struct slicer *s, uint32_t i) {
  const struct weir_instruction *in = instruction(s, i);
  if (s->kept[i]) return;
  s->kept[i] = s->changed = true;
  if (in->guard) {
    const struct weir_operand guard = {.kind = WEIR_OPERAND_REGISTER, .symbol = in->guard, .index = in->guard_index};
    read_operand(s, &guard);
  }
  if (weir_text_is_loaded(s->a, i))
    read_operand(s, weir_sl1_address(in)); // what is loaded is not
  else
    for (uint32_t k = weir_writes_first(in); k < in->operand_count; k++) read_operand(s, &in->operands[k]);
}

struct write {
  const struct slicer *s;
  bool wanted;
};

static void want(void *context, uint32_t r) {
  struct write *w = context;
  w->wanted |= w->s->read[r];
}

static bool writes_what_is_read(const struct slicer *s, const struct weir_instruction *in) {
  struct write w = {s, false};
  if (weir_writes_first(in) && in->operand_count) weir_sl1_each_register(&in->operands[0], want, &w);
  return w.wanted;
}

static bool takes_carry(const struct weir_instruction *in) {
  return in->opcode == WEIR_OP_ADDC || in->opcode == WEIR_OP_SUBC || in->opcode == WEIR_OP_MADC;
}

static void keep_writers(struct slicer *s) {
  bool carry = false;
  for (uint32_t i = 0; i < s->a->cfg.instruction_count; i++) carry |= s->kept[i] && takes_carry(instruction(s, i));
  for (uint32_t i = 0; i < s->a->cfg.instruction_count; i++)
    if (writes_what_is_read(s, instruction(s, i)) || (carry && instruction(s, i)->form.carry_out)) keep(s, i);
}

// Jumps without a choice are kept whatever happens, and need nothing.
static bool has_kept(const struct slicer *s, uint32_t block) {
  const struct weir_block *b = &s->a->cfg.blocks[block];
  for (uint32_t i = b->first; i < b->first + b->count; i++)
    if (s->kept[i] && (is_branch(s, block) || !is_jump(instruction(s, i)))) return true;
  return false;
}

static bool decides_of_kept(const struct slicer *s, uint32_t block) {
  const struct weir_block *b = &s->a->cfg.blocks[block];
  for (uint32_t k = 0; k < b->next_count; k++)
    for (uint32_t y = b->next[k]; y != b->post_dominator && y < s->a->cfg.block_count;
         y = s->a->cfg.blocks[y].post_dominator)
      if (has_kept(s, y)) return true;
  return false;
}

static void find_slice(struct slicer *s) {
  for (uint32_t i = 0; i < s->a->cfg.instruction_count; i++)
    if (weir_text_is_loaded(s->a, i) || weir_opcode_flow(instruction(s, i)->opcode) == WEIR_FLOW_END) keep(s, i);
  do {
    s->changed = false;
    keep_writers(s);
    for (uint32_t b = 0; b < s->a->cfg.block_count; b++)
      if (is_branch(s, b) && decides_of_kept(s, b)) keep(s, last_of(s, b));
  } while (s->changed);
}

// ---- whether it can be taken out of the kernel --------------------------------------------------------------------------------

// Structures that the kernel may write; all if it is not known which.
static uint64_t written(const struct weir_sl1_analysis *a) {
  uint64_t set = 0;
  for (uint32_t i = 0; i < a->cfg.instruction_count; i++) {
    const enum weir_sl1_effect effect = a->access[i].effect;
    if (effect != WEIR_SL1_NONE && effect != WEIR_SL1_LOAD && effect != WEIR_SL1_MEET)
      set |= a->access[i].set ? a->access[i].set : UINT64_MAX;
  }
  return set;
}

static const char *flaw_of_load(const struct slicer *s, uint32_t i, uint64_t stored) {
  const struct weir_sl1_access *access = &s->a->access[i];
  const uint8_t space = instruction(s, i)->form.space;
  if (weir_text_is_loaded(s->a, i))
    return s->read && writes_what_is_read(s, instruction(s, i)) ? "what it loads depends on what it has loaded" : NULL;
  if (access->effect == WEIR_SL1_NONE)
    return space == WEIR_SPACE_CONST || space == WEIR_SPACE_PARAM ? NULL
                                                                  : "what it loads depends on memory of its threads";
  if (access->effect != WEIR_SL1_LOAD || (access->set ? access->set & stored : stored != 0))
    return "what it loads depends on what may be written meanwhile";
  return NULL;
}

// Two launches of one shape agree in it; in clocks, and in where blocks have come to run, they need not.
static bool is_of_launch(enum weir_special special) {
  switch (special) {
  case WEIR_SR_NWARPID:
  case WEIR_SR_ENVREG:
  case WEIR_SR_WARP_SZ: return true;
  default:
    return special <= WEIR_SR_LANEID || (special >= WEIR_SR_LANEMASK_EQ && special <= WEIR_SR_LANEMASK_GT) ||
      (special >= WEIR_SR_CLUSTERID_X && special <= WEIR_SR_IS_EXPLICIT_CLUSTER);
  }
}

static bool differs(const struct weir_operand *o) {
  bool found = o->kind == WEIR_OPERAND_SPECIAL && !is_of_launch(o->special);
  for (uint32_t k = 0; k < o->part_count; k++) found |= differs(&o->parts[k]);
  return found;
}

static bool reads_what_differs(const struct weir_instruction *in) {
  bool found = false;
  for (uint32_t k = 0; k < in->operand_count; k++) found |= differs(&in->operands[k]);
  return found;
}

static const char *flaw_of(const struct slicer *s, uint32_t i, uint64_t stored) {
  const struct weir_instruction *in = instruction(s, i);
  if (reads_what_differs(in)) return "what it loads depends on what two kernels need not agree in";
  switch (weir_opcode_effect(in->opcode)) {
  case WEIR_EFFECT_LOAD: return flaw_of_load(s, i, stored);
  case WEIR_EFFECT_NONE:
  case WEIR_EFFECT_HINT:
    return weir_sl1_is_convergent(in) ? "what it loads depends on what its warp does together" : NULL;
  default: return "what it loads depends on more than registers and loads";
  }
}

static bool is_fit(const struct slicer *s) {
  const struct weir_sl1_analysis *a = s->a;
  const uint64_t stored = written(a);
  for (uint32_t i = 0; i < a->cfg.instruction_count; i++) {
    const char *flaw = s->kept[i] ? flaw_of(s, i, stored) : NULL;
    if (flaw) return weir_text_refuse(a, s->pass, i, flaw, s->sink);
  }
  for (uint32_t k = 0; k < a->structure_count; k++)
    if (!a->structures[k].index && a->structures[k].verdict == WEIR_SL1_ESCAPES)
      return weir_text_refuse(a, s->pass, 0, "its address goes where it is not followed", s->sink);
  return true;
}

// ---- writing ------------------------------------------------------------------------------------------------------------------

void weir_gather_put_entry(struct weir_sl1_writer *w, uint32_t entries, uint32_t entry_bytes) {
  weir_sl1_put(w, "\t.reg .b64 ~a, ~q, ~at, ~step, ~base;\n\t.reg .b32 ~thread, ~threads, ~x, ~n, ~room;\n");
  weir_sl1_put(w, "\t.reg .pred ~p;\n\tld.const.u64 \t~q, [" WEIR_GATHER_NAME "+%u];\n", entries);
  weir_sl1_put(w, "\tmov.u32 \t~thread, %%ctaid.x;\n\tmov.u32 \t~x, %%ntid.x;\n\tmov.u32 \t~threads, %%nctaid.x;\n");
  weir_sl1_put(w, "\tmul.lo.u32 \t~threads, ~threads, ~x;\n\tmul.lo.u32 \t~thread, ~thread, ~x;\n");
  weir_sl1_put(w, "\tmov.u32 \t~x, %%tid.x;\n\tadd.u32 \t~thread, ~thread, ~x;\n");
  weir_sl1_put(w, "\tmul.wide.u32 \t~step, ~threads, %u;\n\tmad.wide.u32 \t~at, ~thread, %u, ~q;\n", entry_bytes,
               entry_bytes);
}

static void put_address(struct weir_sl1_writer *w, const struct weir_instruction *in) {
  char address[WEIR_SL1_NAME];
  const uint32_t n = w->fresh++;
  weir_sl1_put_skip(w, in, n);
  weir_sl1_put_address(w, in, address);
  weir_sl1_put(w, "\tsub.s64 \t~q, %s, ~base;\n\tcvt.u32.u64 \t~x, ~q;\n\tsetp.lt.u32 \t~p, ~n, ~room;\n", address);
  weir_sl1_put(w, "\t@~p st.global.u32 \t[~at], ~x;\n\tadd.s64 \t~at, ~at, ~step;\n\tadd.u32 \t~n, ~n, 1;\n");
  if (in->guard) weir_sl1_put(w, "^a%u_next:\n", n);
}

static void put_count(struct weir_sl1_writer *w) {
  weir_sl1_put(w, "\tld.const.u64 \t~q, [" WEIR_GATHER_NAME "+8];\n\tmad.wide.u32 \t~q, ~thread, 4, ~q;\n");
  weir_sl1_put(w, "\tst.global.u32 \t[~q], ~n;\n");
}

// A thread that ends under a guard has its count stored whether it ends or not: what comes later overwrites it.
static void put_end(struct weir_sl1_writer *w, const struct weir_instruction *in) {
  put_count(w);
  weir_ptx_print_instruction(in, true, w->to);
}

static void put_meeting(struct weir_sl1_writer *w, uint32_t block) {
  if (block < w->a->cfg.block_count) {
    weir_sl1_put(w, "\tbra \t^b%u;\n", block);
    return;
  }
  put_count(w);
  weir_sl1_put(w, "\tret;\n");
}

static void put_instruction(const struct slicer *s, struct weir_sl1_writer *w, uint32_t i) {
  const struct weir_cfg *cfg = &s->a->cfg;
  const struct weir_instruction *in = instruction(s, i);
  const uint32_t block = cfg->block_of[i];
  if (s->labelled[block] && i == cfg->blocks[block].first) weir_sl1_put(w, "^b%u:\n", block);
  if (weir_text_is_loaded(s->a, i))
    put_address(w, in);
  else if (weir_opcode_flow(in->opcode) == WEIR_FLOW_END)
    put_end(w, in);
  else if (s->kept[i] || (is_jump(in) && !is_branch(s, block)))
    weir_ptx_print_instruction(in, true, w->to);
  else if (is_jump(in))
    put_meeting(w, cfg->blocks[block].post_dominator);
}

static void put_head(const struct weir_function *f, FILE *to) {
  char *name = weir_text_format("%s" WEIR_GATHER_ADDRESSES, f->symbol->name);
  struct weir_symbol renamed = *f->symbol;
  struct weir_function copy = *f;
  renamed.name = name;
  copy.symbol = &renamed;
  weir_ptx_print_head(&copy, to);
  weir_free(name);
}

static void put_kernel(const struct slicer *s, FILE *to) {
  const struct weir_function *f = s->a->f;
  struct weir_sl1_writer w = {.a = s->a, .to = to, .body = to, .prefix = "gather", .kernel = f->symbol->name};
  put_head(f, to);
  fputs("\n{\n", to);
  weir_gather_put_entry(&w, WEIR_GATHER_ENTRIES * 8, sizeof(uint32_t));
  weir_sl1_put(
    &w, "\tmov.u32 \t~n, 0;\n\tld.const.u32 \t~room, [" WEIR_GATHER_NAME "+16];\n\tld.param.u64 \t~base, [%s];\n",
    f->params[0]->name);
  for (uint32_t k = 0; k < f->statement_count; k++)
    if (f->statements[k].kind == WEIR_STMT_INSTRUCTION)
      put_instruction(s, &w, s->a->cfg.at_statement[k]);
    else
      weir_ptx_print_statement(f, k, to);
  put_meeting(&w, s->a->cfg.block_count); // of one that ends without a ret
  fputs("}\n\n", to);
}

static bool find_labels(const struct slicer *s) {
  const struct weir_cfg *cfg = &s->a->cfg;
  for (uint32_t b = 0; b < cfg->block_count; b++) {
    const uint32_t to = cfg->blocks[b].post_dominator, i = last_of(s, b);
    if (!is_branch(s, b) || s->kept[i] || to >= cfg->block_count) continue;
    const uint32_t scope = s->a->scope[s->a->statement_of[cfg->blocks[to].first]];
    if (scope && scope != s->a->scope[s->a->statement_of[i]])
      return weir_text_refuse(s->a, s->pass, i, "it branches into a { } scope", s->sink);
    s->labelled[to] = true;
  }
  return true;
}

bool weir_gather_put_addresses(const struct weir_sl1_analysis *a, const struct weir_text_pass *pass, FILE *to,
                               struct weir_sink *sink) {
  struct slicer s = {.a = a,
                     .pass = pass,
                     .sink = sink,
                     .kept = weir_new_array(bool, a->cfg.instruction_count + 1),
                     .read = weir_new_array(bool, a->f->register_count + 1),
                     .labelled = weir_new_array(bool, a->cfg.block_count + 1)};
  find_slice(&s);
  const bool ok = is_fit(&s) && find_labels(&s);
  if (ok) put_kernel(&s, to);
  weir_free(s.kept);
  weir_free(s.read);
  weir_free(s.labelled);
  return ok;
}
