// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Which pointer a register's value may come from, whatever the path: one set of sources per register, grown until nothing
// changes. A source is a 64-bit parameter, or 64 bits of a struct passed by value. What is loaded from memory comes from
// none, so an index read from one structure does not make the address in another ambiguous; an address without a source is
// one that nothing is known of.
#include "base/alloc.h"
#include "sl1/kernel.h"

#include <stdlib.h>
#include <string.h>

struct source {
  uint32_t param, offset, line;
  bool pointer;
};

struct tracer {
  struct weir_sl1_analysis *a;
  struct source *sources;
  uint32_t count, capacity;
  uint32_t *uses, *uses_first;        // instructions that read register r: uses[uses_first[r] .. uses_first[r + 1])
  const struct weir_symbol **address; // [register] → the parameter whose address it holds, if that alone
  bool *queued;
  uint32_t *queue, queue_head, queue_count;
  uint64_t escaped;      // sources whose address goes where it is not followed
  uint32_t *escape_line; // [source]
};

enum flow { FLOW_NONE, FLOW_UNION, FLOW_DIFFERENCE, FLOW_MASK, FLOW_LOST };

// How a result depends on the addresses among its operands.
static enum flow flow_of(const struct weir_instruction *in) {
  switch ((enum weir_opcode)in->opcode) {
  case WEIR_OP_MOV:
  case WEIR_OP_CVTA:
  case WEIR_OP_CVT:
  case WEIR_OP_ADD:
  case WEIR_OP_ADDC:
  case WEIR_OP_MAD:
  case WEIR_OP_MADC:
  case WEIR_OP_MAD24:
  case WEIR_OP_SELP:
  case WEIR_OP_SLCT:
  case WEIR_OP_MIN:
  case WEIR_OP_MAX:
  case WEIR_OP_OR:
  case WEIR_OP_SHFL:
  case WEIR_OP_MAPA: return FLOW_UNION;
  case WEIR_OP_SUB:
  case WEIR_OP_SUBC: return FLOW_DIFFERENCE;
  case WEIR_OP_AND: return FLOW_MASK;
  case WEIR_OP_SETP:
  case WEIR_OP_ISSPACEP:
  case WEIR_OP_LD:
  case WEIR_OP_LDU:
  case WEIR_OP_TEX:
  case WEIR_OP_SULD:
  case WEIR_OP_PREFETCH:
  case WEIR_OP_PREFETCHU:
  case WEIR_OP_DISCARD:
  case WEIR_OP_APPLYPRIORITY: return FLOW_NONE;
  default: return FLOW_LOST;
  }
}

void weir_sl1_each_register(const struct weir_operand *o, void (*with)(void *, uint32_t), void *context) {
  const bool address = o->kind == WEIR_OPERAND_ADDRESS && o->base_is_register;
  if (o->kind == WEIR_OPERAND_REGISTER || address) with(context, weir_operand_register(o));
  for (uint32_t k = 0; k < o->part_count; k++) weir_sl1_each_register(&o->parts[k], with, context);
}

// ---- uses -----------------------------------------------------------------------------------------------------------

struct uses {
  struct tracer *t;
  uint32_t instruction, *fill;
};

static void count_use(void *context, uint32_t r) {
  ((struct uses *)context)->t->uses_first[r + 1]++;
}

static void add_use(void *context, uint32_t r) {
  struct uses *u = context;
  u->t->uses[u->t->uses_first[r] + u->fill[r]++] = u->instruction;
}

static void each_use(struct tracer *t, void (*with)(void *, uint32_t), struct uses *u) {
  const struct weir_cfg *cfg = &t->a->cfg;
  for (uint32_t i = 0; i < cfg->instruction_count; i++) {
    const struct weir_instruction *in = cfg->instructions[i];
    u->instruction = i;
    for (uint32_t k = weir_writes_first(in); k < in->operand_count; k++)
      weir_sl1_each_register(&in->operands[k], with, u);
  }
}

static void list_uses(struct tracer *t, struct weir_arena *arena) {
  const uint32_t registers = t->a->f->register_count;
  struct uses u = {.t = t, .fill = weir_arena_array(arena, uint32_t, registers + 1)};
  t->uses_first = weir_arena_array(arena, uint32_t, registers + 2);
  each_use(t, count_use, &u);
  for (uint32_t r = 0; r < registers; r++) t->uses_first[r + 1] += t->uses_first[r];
  t->uses = weir_arena_array(arena, uint32_t, t->uses_first[registers] + 1);
  each_use(t, add_use, &u);
}

// ---- flow -----------------------------------------------------------------------------------------------------------

static void enqueue(struct tracer *t, uint32_t i) {
  if (t->queued[i]) return;
  t->queued[i] = true;
  const uint32_t size = t->a->cfg.instruction_count;
  t->queue[(t->queue_head + t->queue_count++) % size] = i;
}

static void add_origin(struct tracer *t, uint32_t r, uint64_t set) {
  if (!(set & ~t->a->origin[r])) return;
  t->a->origin[r] |= set;
  for (uint32_t k = t->uses_first[r]; k < t->uses_first[r + 1]; k++) enqueue(t, t->uses[k]);
}

struct gather {
  const struct tracer *t;
  uint64_t set;
};

static void gather_one(void *context, uint32_t r) {
  struct gather *g = context;
  g->set |= g->t->a->origin[r];
}

static uint64_t origin_of(const struct tracer *t, const struct weir_operand *o) {
  struct gather g = {t, 0};
  weir_sl1_each_register(o, gather_one, &g);
  return g.set;
}

static void give(void *context, uint32_t r) {
  struct gather *g = context;
  add_origin((struct tracer *)(uintptr_t)g->t, r, g->set);
}

static void give_result(struct tracer *t, const struct weir_instruction *in, uint64_t set) {
  struct gather g = {t, set};
  if (in->operand_count && set) weir_sl1_each_register(&in->operands[0], give, &g);
}

static void escape(struct tracer *t, uint64_t set, const struct weir_instruction *in) {
  for (uint64_t fresh = set & ~t->escaped; fresh; fresh &= fresh - 1) t->escape_line[__builtin_ctzll(fresh)] = in->line;
  t->escaped |= set;
}

static uint64_t operands_from(const struct tracer *t, const struct weir_instruction *in, uint32_t first) {
  uint64_t set = 0;
  for (uint32_t k = first; k < in->operand_count; k++) set |= origin_of(t, &in->operands[k]);
  return set;
}

// The low bits of an address are a number; so are the distance between two addresses in one structure, and a number less an address.
static uint64_t masked(const struct tracer *t, const struct weir_instruction *in) {
  enum { PAGE = 4096 };
  for (uint32_t k = 1; k < in->operand_count; k++)
    if (in->operands[k].kind == WEIR_OPERAND_INTEGER && in->operands[k].bits < PAGE) return 0;
  return operands_from(t, in, 1);
}

static uint64_t difference(const struct tracer *t, const struct weir_instruction *in) {
  const uint64_t from = in->operand_count > 1 ? origin_of(t, &in->operands[1]) : 0;
  const uint64_t less = operands_from(t, in, 2);
  return !from || (from == less && !(from & (from - 1))) ? 0 : from | less;
}

static void flow(struct tracer *t, const struct weir_instruction *in) {
  switch (flow_of(in)) {
  case FLOW_NONE: break;
  case FLOW_UNION: give_result(t, in, operands_from(t, in, 1)); break;
  case FLOW_DIFFERENCE: give_result(t, in, difference(t, in)); break;
  case FLOW_MASK: give_result(t, in, masked(t, in)); break;
  case FLOW_LOST: break; // judged when all is known
  }
}

static void run(struct tracer *t) {
  while (t->queue_count) {
    const uint32_t i = t->queue[t->queue_head];
    t->queue_head = (t->queue_head + 1) % t->a->cfg.instruction_count;
    t->queue_count--;
    t->queued[i] = false;
    flow(t, t->a->cfg.instructions[i]);
  }
}

// ---- sources --------------------------------------------------------------------------------------------------------

static uint32_t param_index(const struct weir_function *f, const struct weir_symbol *s) {
  for (uint32_t k = 0; k < f->param_count; k++)
    if (f->params[k] == s) return k;
  return UINT32_MAX;
}

static uint32_t source_bit(struct tracer *t, uint32_t param, uint32_t offset, uint32_t line) {
  for (uint32_t k = 0; k < t->count; k++)
    if (t->sources[k].param == param && t->sources[k].offset == offset) return k;
  if (t->count == WEIR_SL1_MOST_STRUCTURES) return WEIR_SL1_OTHERS;
  *weir_push(t->sources, t->count, t->capacity) = (struct source){param, offset, line, false};
  return t->count - 1;
}

// The parameter that an ld.param reads, by name or through a register that holds its address.
static const struct weir_symbol *param_read(const struct tracer *t, const struct weir_operand *o) {
  if (!o->symbol) return NULL;
  return o->base_is_register ? t->address[weir_operand_register(o)] : o->symbol;
}

static void load_source(struct tracer *t, const struct weir_instruction *in, bool (*wanted)(const struct source *)) {
  if (in->opcode != WEIR_OP_LD || in->form.space != WEIR_SPACE_PARAM || weir_type_bytes(in->form.type) != 8) return;
  const struct weir_symbol *s = param_read(t, &in->operands[1]);
  const uint32_t param = s ? param_index(t->a->f, s) : UINT32_MAX;
  if (param == UINT32_MAX) return;
  const struct weir_operand *to = &in->operands[0];
  for (uint32_t k = 0; k < (to->part_count ? to->part_count : 1); k++) {
    const struct weir_operand *r = to->part_count ? &to->parts[k] : to;
    if (r->kind != WEIR_OPERAND_REGISTER) continue;
    const uint32_t bit = source_bit(t, param, (uint32_t)in->operands[1].offset + 8 * k, in->line);
    if (bit != WEIR_SL1_OTHERS && wanted && !wanted(&t->sources[bit])) continue;
    add_origin(t, weir_operand_register(r), UINT64_C(1) << bit);
  }
}

static const struct weir_symbol several; // no parameter, or more than one

struct hold {
  struct tracer *t;
  const struct weir_symbol *what;
  bool changed;
};

static void hold(void *context, uint32_t r) {
  struct hold *h = context;
  const struct weir_symbol **address = &h->t->address[r], *now = *address && *address != h->what ? &several : h->what;
  h->changed |= *address != now;
  *address = now;
}

// What a register holds after this instruction: a parameter's address as it stands, a copy of another's, or anything else.
static const struct weir_symbol *held(const struct tracer *t, const struct weir_instruction *in) {
  const struct weir_operand *o = &in->operands[1];
  if (in->opcode != WEIR_OP_MOV || in->operand_count < 2) return &several;
  if (o->kind == WEIR_OPERAND_REGISTER) return t->address[weir_operand_register(o)];
  return o->kind == WEIR_OPERAND_SYMBOL && o->symbol && o->symbol->kind == WEIR_SYM_PARAM && !o->offset ? o->symbol
                                                                                                        : &several;
}

// Copies of copies are followed as far as compilers make them.
static void find_param_addresses(struct tracer *t) {
  enum { MOST_COPIES = 8 };
  const struct weir_cfg *cfg = &t->a->cfg;
  struct hold h = {.t = t, .changed = true};
  for (unsigned n = 0; n < MOST_COPIES && h.changed; n++) {
    h.changed = false;
    for (uint32_t i = 0; i < cfg->instruction_count; i++) {
      const struct weir_instruction *in = cfg->instructions[i];
      h.what = weir_writes_first(in) ? held(t, in) : NULL;
      if (h.what) weir_sl1_each_register(&in->operands[0], hold, &h);
    }
  }
  for (uint32_t r = 0; r < t->a->f->register_count && h.changed; r++) t->address[r] = &several;
}

static bool is_pointer(const struct source *s) {
  return s->pointer;
}

static void spread(struct tracer *t, bool (*wanted)(const struct source *)) {
  memset(t->a->origin, 0, sizeof *t->a->origin * t->a->f->register_count);
  for (uint32_t i = 0; i < t->a->cfg.instruction_count; i++) load_source(t, t->a->cfg.instructions[i], wanted);
  run(t);
}

static bool is_single(uint64_t set) {
  return set && !(set & (set - 1)) && !(set >> WEIR_SL1_OTHERS);
}

// A number of 64 bits may be a parameter too, and be added to a pointer. A pointer is what is declared to be one; else what
// is made a global address, or is the only source of an address that is accessed.
static void note_pointer(struct tracer *t, const struct weir_instruction *in) {
  const struct weir_operand *o = in->opcode == WEIR_OP_CVTA && in->operand_count > 1 ? &in->operands[1] : NULL;
  if (weir_sl1_effect_of(in) != WEIR_SL1_NONE) o = weir_sl1_address(in);
  if (!o) return;
  const uint64_t set = origin_of(t, o);
  if (is_single(set)) t->sources[__builtin_ctzll(set)].pointer = true;
}

static void find_pointers(struct tracer *t) {
  const struct weir_function *f = t->a->f;
  for (uint32_t i = 0; i < t->a->cfg.instruction_count; i++) note_pointer(t, t->a->cfg.instructions[i]);
  bool declared = false;
  for (uint32_t k = 0; k < f->param_count; k++) declared |= f->params[k]->ptr_written;
  for (uint32_t k = 0; k < t->count; k++) {
    const struct weir_symbol *s = f->params[t->sources[k].param];
    if (s->ptr_written)
      t->sources[k].pointer = s->ptr_space == WEIR_SPACE_GLOBAL || s->ptr_space == WEIR_SPACE_NONE;
    else if (declared && !s->dimensions)
      t->sources[k].pointer = false;
  }
}

// ---- escapes --------------------------------------------------------------------------------------------------------

static void note_escape(struct tracer *t, const struct weir_instruction *in) {
  const enum weir_effect effect = weir_opcode_effect(in->opcode);
  if (effect == WEIR_EFFECT_CALLEE || effect == WEIR_EFFECT_STORE || effect == WEIR_EFFECT_ATOMIC) {
    const struct weir_operand *address = weir_sl1_address(in);
    for (uint32_t k = weir_writes_first(in); k < in->operand_count; k++)
      if (&in->operands[k] != address) escape(t, origin_of(t, &in->operands[k]), in);
  } else if (flow_of(in) == FLOW_LOST) {
    escape(t, operands_from(t, in, weir_writes_first(in)), in);
  }
}

// The kernel's structures are its pointers in the order of its parameters.
static int compare_sources(const void *x, const void *y) {
  const struct source *a = x, *b = y;
  if (a->pointer != b->pointer) return a->pointer ? -1 : 1;
  if (a->param != b->param) return a->param < b->param ? -1 : 1;
  return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static void make_structures(struct tracer *t) {
  struct weir_sl1_analysis *a = t->a;
  a->structures = weir_arena_array(&a->arena, struct weir_sl1_structure, t->count + 1);
  for (uint32_t k = 0; k < t->count && t->sources[k].pointer; k++) {
    const struct source *s = &t->sources[k];
    a->structures[a->structure_count++] = (struct weir_sl1_structure){
      .parameter = a->f->params[s->param]->name, .offset = s->offset, .index = s->param, .line = s->line};
  }
}

static void judge_escapes(struct tracer *t) {
  struct weir_sl1_analysis *a = t->a;
  for (uint32_t i = 0; i < a->cfg.instruction_count; i++) note_escape(t, a->cfg.instructions[i]);
  for (uint32_t s = 0; s < a->structure_count; s++)
    if (t->escaped >> s & 1) a->structures[s].verdict = WEIR_SL1_ESCAPES, a->structures[s].line = t->escape_line[s];
}

void weir_sl1_trace(struct weir_sl1_analysis *a) {
  struct weir_arena arena = {0};
  struct tracer t = {.a = a};
  a->origin = weir_arena_array(&a->arena, uint64_t, a->f->register_count + 1);
  t.address = weir_arena_array(&arena, const struct weir_symbol *, a->f->register_count + 1);
  t.queued = weir_arena_array(&arena, bool, a->cfg.instruction_count + 1);
  t.queue = weir_arena_array(&arena, uint32_t, a->cfg.instruction_count + 1);
  t.escape_line = weir_arena_array(&arena, uint32_t, 64);
  list_uses(&t, &arena);
  find_param_addresses(&t);
  spread(&t, NULL);
  find_pointers(&t);
  if (t.count) qsort(t.sources, t.count, sizeof *t.sources, compare_sources);
  make_structures(&t);
  spread(&t, is_pointer);
  judge_escapes(&t);
  weir_free(t.sources);
  weir_arena_free(&arena);
}
