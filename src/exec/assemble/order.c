// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The instructions of a block in the order in which the assembler issues them (exec/estimate), as far as what they read and write
// allows: registers, memory that they may share, lanes that act together.
#include "base/alloc.h"
#include "base/bits.h"
#include "exec/assemble/private.h"
#include "exec/decode/decode.h"
#include "exec/estimate/estimate.h"

#include <string.h>

#define NONE UINT32_MAX

enum { GLOBAL = 1, SHARED = WEIR_MAY_BE_SHARED, LOCAL = 4, PARAM = 8, EVERYWHERE = 15 };
enum {
  MOST_COMPARED = 256
}; // so many accesses after one that all are ordered with, the next is another: a bound on work alone

struct edge {
  uint32_t to, next;
};

struct node {          // an instruction of the block
  uint32_t first_edge; // to those that must follow, or NONE
  uint32_t waits;      // for so many
  uint32_t rank;       // of it, or the least of those that wait for it
  uint8_t touch, spaces;
  uint32_t base,
    version; // register of its address, and how often the block has written that before; NONE: another address
  int64_t offset;
  uint32_t bytes;
};

struct register_use {
  uint32_t writer;  // the last one, or NONE
  uint32_t readers; // since then: an edge's number, chained by `next`; or NONE
  uint32_t writes;
};

struct ordering {
  struct weir_assembly *a;
  const struct weir_cfg *cfg; // of what is ordered
  struct register_use *uses;  // [register]
  struct node *nodes;
  struct edge *edges, *readers;
  uint32_t edge_count, edge_capacity, reader_count, reader_capacity;
  uint32_t *heap, heap_count; // of nodes that wait for none
};

static void add_edge(struct ordering *o, uint32_t from, uint32_t to) {
  if (from == to) return;
  *weir_push(o->edges, o->edge_count, o->edge_capacity) = (struct edge){to, o->nodes[from].first_edge};
  o->nodes[from].first_edge = o->edge_count - 1;
  o->nodes[to].waits++;
}

// ---- registers ------------------------------------------------------------------------------------------------------

static void read_register(struct ordering *o, uint32_t k, uint32_t reg) {
  struct register_use *u = &o->uses[reg];
  if (u->writer != NONE) add_edge(o, u->writer, k);
  *weir_push(o->readers, o->reader_count, o->reader_capacity) = (struct edge){k, u->readers};
  u->readers = o->reader_count - 1;
}

static void write_register(struct ordering *o, uint32_t k, uint32_t reg) {
  struct register_use *u = &o->uses[reg];
  if (u->writer != NONE) add_edge(o, u->writer, k);
  for (uint32_t e = u->readers; e != NONE; e = o->readers[e].next) add_edge(o, o->readers[e].to, k);
  u->writer = k;
  u->readers = NONE;
  u->writes++;
}

static void order_registers(struct ordering *o, uint32_t k, const struct weir_instruction *in) {
  struct weir_registers r;
  weir_registers_of(in, &r);
  for (unsigned q = 0; q < r.src_count; q++) read_register(o, k, r.src[q]);
  for (unsigned q = 0; q < r.dst_count && r.keeps; q++) read_register(o, k, r.dst[q]);
  for (unsigned q = 0; q < r.dst_count; q++) write_register(o, k, r.dst[q]);
}

// ---- memory ---------------------------------------------------------------------------------------------------------

uint8_t weir_assembly_spaces(const struct weir_instruction *in) {
  switch (in->form.space) {
  case WEIR_SPACE_GLOBAL: return GLOBAL;
  case WEIR_SPACE_SHARED: return SHARED;
  case WEIR_SPACE_LOCAL: return LOCAL;
  case WEIR_SPACE_PARAM: return PARAM;
  default: return GLOBAL | SHARED | LOCAL;
  }
}

bool weir_assembly_reads_clock(const struct weir_instruction *in) {
  for (uint32_t k = 0; k < in->operand_count; k++) {
    if (in->operands[k].kind != WEIR_OPERAND_SPECIAL) continue;
    switch (in->operands[k].special) {
    case WEIR_SR_CLOCK:
    case WEIR_SR_CLOCK_HI:
    case WEIR_SR_CLOCK64:
    case WEIR_SR_GLOBALTIMER:
    case WEIR_SR_GLOBALTIMER_LO:
    case WEIR_SR_GLOBALTIMER_HI:
    case WEIR_SR_PM: return true;
    default: break;
    }
  }
  return false;
}

enum weir_touch weir_assembly_touch(const struct weir_instruction *in) {
  const struct weir_form *f = &in->form;
  switch (weir_opcode_effect(in->opcode)) {
  case WEIR_EFFECT_NONE:
  case WEIR_EFFECT_QUERY: return WEIR_TOUCH_NOTHING;
  case WEIR_EFFECT_UNIFORM:
  case WEIR_EFFECT_TEXTURE: return WEIR_TOUCH_NOTHING; // of what nobody writes
  case WEIR_EFFECT_LOAD:
    if (f->order != WEIR_ORDER_WEAK) return WEIR_TOUCH_FENCE;
    return f->non_coherent || f->space == WEIR_SPACE_CONST ? WEIR_TOUCH_NOTHING : WEIR_TOUCH_LOAD;
  case WEIR_EFFECT_STORE: return f->order == WEIR_ORDER_WEAK ? WEIR_TOUCH_STORE : WEIR_TOUCH_FENCE;
  case WEIR_EFFECT_ATOMIC: return WEIR_TOUCH_STORE;
  default: return WEIR_TOUCH_FENCE;
  }
}

static void find_address(struct ordering *o, struct node *n, const struct weir_instruction *in) {
  n->base = NONE;
  for (uint32_t k = 0; k < in->operand_count; k++) {
    const struct weir_operand *a = &in->operands[k];
    if (a->kind != WEIR_OPERAND_ADDRESS || !a->base_is_register) continue;
    n->base = weir_operand_register(a);
    n->version = o->uses[n->base].writes;
    n->offset = a->offset;
    n->bytes = weir_type_bytes((enum weir_type)in->form.type) * (in->form.vector ? in->form.vector : 1);
    return;
  }
}

static bool apart(const struct node *a, const struct node *b) {
  return a->base != NONE && a->base == b->base && a->version == b->version && a->bytes && b->bytes &&
    weir_apart(a->offset, a->bytes, b->offset, b->bytes);
}

static bool collide(const struct node *a, const struct node *b) {
  if (a->touch == WEIR_TOUCH_FENCE || b->touch == WEIR_TOUCH_FENCE) return true;
  if (a->touch == WEIR_TOUCH_LOAD && b->touch == WEIR_TOUCH_LOAD) return false;
  return a->spaces & b->spaces && !apart(a, b);
}

// `touching`: nodes of the block that touch memory, in order, since the last one that all are ordered with.
static void order_memory(struct ordering *o, uint32_t k, uint32_t *touching, uint32_t *count) {
  struct node *n = &o->nodes[k];
  if (n->touch == WEIR_TOUCH_NOTHING) return;
  if (*count == MOST_COMPARED) n->touch = WEIR_TOUCH_FENCE;
  for (uint32_t t = 0; t < *count; t++)
    if (collide(&o->nodes[touching[t]], n)) add_edge(o, touching[t], k);
  if (n->touch == WEIR_TOUCH_FENCE) *count = 0;
  touching[(*count)++] = k;
}

// ---- a block --------------------------------------------------------------------------------------------------------

static void build(struct ordering *o, const struct weir_block *block, uint32_t count, const uint32_t *rank) {
  uint32_t touching[MOST_COMPARED + 1], touching_count = 0, together = NONE, stands = NONE;
  o->edge_count = o->reader_count = 0;
  for (uint32_t k = 0; k < count; k++) {
    const struct weir_instruction *in = o->cfg->instructions[block->first + k];
    struct node *n = &o->nodes[k];
    *n = (struct node){.first_edge = NONE, .rank = rank[block->first + k], .touch = (uint8_t)weir_assembly_touch(in)};
    n->spaces = n->touch == WEIR_TOUCH_FENCE ? EVERYWHERE : weir_assembly_spaces(in);
    find_address(o, n, in);
    order_registers(o, k, in);
    order_memory(o, k, touching, &touching_count);
    if (weir_opcode_convergence(in->opcode) != WEIR_CONVERGENCE_LANE) {
      if (together != NONE) add_edge(o, together, k);
      together = k;
    }
    if (stands != NONE) add_edge(o, stands, k);
    if (!weir_assembly_reads_clock(in) && !weir_waits_for_products(in)) continue;
    for (uint32_t q = stands == NONE ? 0 : stands + 1; q < k; q++) add_edge(o, q, k);
    stands = k;
  }
}

static void forget(struct ordering *o, const struct weir_block *block) {
  struct weir_registers r;
  for (uint32_t k = 0; k < block->count; k++) {
    weir_registers_of(o->cfg->instructions[block->first + k], &r);
    for (unsigned q = 0; q < r.src_count; q++) o->uses[r.src[q]] = (struct register_use){NONE, NONE, 0};
    for (unsigned q = 0; q < r.dst_count; q++) o->uses[r.dst[q]] = (struct register_use){NONE, NONE, 0};
  }
}

static bool goes_before(const struct ordering *o, uint32_t a, uint32_t b) {
  return o->nodes[a].rank != o->nodes[b].rank ? o->nodes[a].rank < o->nodes[b].rank : a < b;
}

static void push(struct ordering *o, uint32_t k) {
  uint32_t at = o->heap_count++;
  for (; at && goes_before(o, k, o->heap[(at - 1) / 2]); at = (at - 1) / 2) o->heap[at] = o->heap[(at - 1) / 2];
  o->heap[at] = k;
}

static uint32_t pop(struct ordering *o) {
  const uint32_t first = o->heap[0], moved = o->heap[--o->heap_count];
  uint32_t at = 0, child;
  while ((child = 2 * at + 1) < o->heap_count) {
    if (child + 1 < o->heap_count && goes_before(o, o->heap[child + 1], o->heap[child])) child++;
    if (!goes_before(o, o->heap[child], moved)) break;
    o->heap[at] = o->heap[child];
    at = child;
  }
  o->heap[at] = moved;
  return first;
}

// What the assembler swallows, and what leads to what it issues early, goes right before it.
static void sort(struct ordering *o, uint32_t count, uint32_t *order) {
  for (uint32_t k = count; k-- > 0;)
    for (uint32_t e = o->nodes[k].first_edge; e != NONE; e = o->edges[e].next)
      if (o->nodes[o->edges[e].to].rank < o->nodes[k].rank) o->nodes[k].rank = o->nodes[o->edges[e].to].rank;
  uint32_t n = 0;
  o->heap_count = 0;
  for (uint32_t k = 0; k < count; k++)
    if (!o->nodes[k].waits) push(o, k);
  while (o->heap_count) {
    const uint32_t k = order[n++] = pop(o);
    for (uint32_t e = o->nodes[k].first_edge; e != NONE; e = o->edges[e].next)
      if (!--o->nodes[o->edges[e].to].waits) push(o, o->edges[e].to);
  }
}

// `to`: the block's places in the code.
static void order_block(struct ordering *o, const struct weir_block *block, const uint32_t *rank,
                        struct weir_statement **to) {
  const struct weir_instruction *last = o->cfg->instructions[block->first + block->count - 1];
  const uint32_t count = block->count - (weir_opcode_flow(last->opcode) != WEIR_FLOW_NEXT);
  if (count < 2) return;
  uint32_t *order = weir_new_array(uint32_t, count);
  o->nodes = weir_new_array(struct node, count);
  o->heap = weir_new_array(uint32_t, count);
  build(o, block, count, rank);
  sort(o, count, order);
  for (uint32_t k = 0; k < count; k++) {
    struct weir_instruction *in = o->cfg->instructions[block->first + order[k]];
    to[k]->instruction = in;
    to[k]->line = in->line;
  }
  forget(o, block);
  weir_free(order);
  weir_free(o->nodes);
  weir_free(o->heap);
}

void weir_assembly_order(struct weir_assembly *a) {
  struct weir_cfg cfg;
  weir_cfg_build(&cfg, a->to);
  struct ordering o = {.a = a, .cfg = &cfg, .uses = weir_new_array(struct register_use, a->to->register_count + 1)};
  uint32_t *rank = weir_new_array(uint32_t, cfg.instruction_count + 1), n = 0;
  struct weir_statement **at = weir_new_array(struct weir_statement *, cfg.instruction_count + 1);
  for (uint32_t s = 0; s < a->to->statement_count; s++)
    if (a->to->statements[s].kind == WEIR_STMT_INSTRUCTION) at[n++] = &a->to->statements[s];
  for (uint32_t k = 0; k < a->to->register_count; k++) o.uses[k] = (struct register_use){NONE, NONE, 0};
  weir_estimate_order(a->to, &cfg, a->assembler, rank);
  for (uint32_t b = 0; b < cfg.block_count; b++) order_block(&o, &cfg.blocks[b], rank, at + cfg.blocks[b].first);
  weir_free(rank);
  weir_free(at);
  weir_free(o.uses);
  weir_free(o.edges);
  weir_free(o.readers);
  weir_cfg_free(&cfg);
}
