// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Which registers are live where, and from that a packing of many virtual registers into few slots: 720 resident warps
// share the host's caches, so a frame's size decides speed. Liveness is per thread, and so is a slot's lane: two
// registers that are never live at one point of a thread's path may share a slot even where lanes diverge.
#include "base/alloc.h"
#include "base/bits.h"
#include "exec/decode/decode.h"
#include "exec/estimate/estimate.h"

#include <stdlib.h>
#include <string.h>

struct liveness {
  const struct weir_cfg *cfg;
  uint32_t words;         // of a set of registers
  uint64_t *in, *out;     // [block][word]
  uint64_t *use, *def;    // [block][word]: read before written; written for certain
  uint32_t *first, *last; // [register] → first and last instruction at which it is live or written
};

static void set_bit(uint64_t *set, uint32_t k) {
  set[k / 64] |= UINT64_C(1) << (k % 64);
}

static bool has_bit(const uint64_t *set, uint32_t k) {
  return set[k / 64] >> (k % 64) & 1;
}

static uint64_t *row(const struct liveness *l, uint64_t *sets, uint32_t block) {
  return sets + (size_t)block * l->words;
}

// A guarded write leaves the old value in some threads, so it ends no life.
static void summarise(struct liveness *l) {
  struct weir_registers r;
  for (uint32_t b = 0; b < l->cfg->block_count; b++) {
    uint64_t *use = row(l, l->use, b), *def = row(l, l->def, b);
    for (uint32_t k = 0; k < l->cfg->blocks[b].count; k++) {
      weir_registers_of(l->cfg->instructions[l->cfg->blocks[b].first + k], &r);
      for (unsigned s = 0; s < r.src_count; s++)
        if (!has_bit(def, r.src[s])) set_bit(use, r.src[s]);
      for (unsigned s = 0; s < r.dst_count && !r.keeps; s++) set_bit(def, r.dst[s]);
    }
  }
}

static void solve(struct liveness *l) {
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t b = l->cfg->block_count; b-- > 0;) {
      const struct weir_block *block = &l->cfg->blocks[b];
      uint64_t *out = row(l, l->out, b), *in = row(l, l->in, b);
      for (uint32_t n = 0; n < block->next_count; n++) {
        if (block->next[n] >= l->cfg->block_count) continue;
        const uint64_t *other = row(l, l->in, block->next[n]);
        for (uint32_t w = 0; w < l->words; w++) out[w] |= other[w];
      }
      for (uint32_t w = 0; w < l->words; w++) {
        const uint64_t now = row(l, l->use, b)[w] | (out[w] & ~row(l, l->def, b)[w]);
        changed |= now != in[w];
        in[w] = now;
      }
    }
  }
}

static void extend(struct liveness *l, uint32_t r, uint32_t at) {
  if (at < l->first[r]) l->first[r] = at;
  if (at > l->last[r]) l->last[r] = at;
}

static void extend_all(struct liveness *l, const uint64_t *set, uint32_t at) {
  for (uint32_t w = 0; w < l->words; w++)
    for (uint64_t m = set[w]; m; m &= m - 1) extend(l, w * 64 + weir_lowest(m), at);
}

// Positions are 2k for an instruction's reads and 2k + 1 for its writes, so that a result may take the slot of an
// operand that dies there. Where an instruction writes several registers, operands must outlive the first write.
static void walk(struct liveness *l) {
  struct weir_registers r;
  for (uint32_t b = 0; b < l->cfg->block_count; b++) {
    const struct weir_block *block = &l->cfg->blocks[b];
    if (!block->count) continue;
    extend_all(l, row(l, l->in, b), 2 * block->first);
    extend_all(l, row(l, l->out, b), 2 * (block->first + block->count) - 1);
    for (uint32_t k = block->count; k-- > 0;) {
      const uint32_t at = block->first + k;
      weir_registers_of(l->cfg->instructions[at], &r);
      for (unsigned s = 0; s < r.dst_count; s++) extend(l, r.dst[s], 2 * at + 1);
      for (unsigned s = 0; s < r.src_count; s++) extend(l, r.src[s], 2 * at + (r.dst_count > 1));
    }
  }
}

// ---- packing --------------------------------------------------------------------------------------------------------

enum { PREDICATES, WIDE, NARROW, POOLS };

struct pool {
  uint32_t *free_at; // [slot] → last position of the register that holds it
  uint32_t count, capacity;
};

struct interval {
  uint32_t first, number;
};

static int by_first(const void *a, const void *b) {
  const struct interval *x = a, *y = b;
  if (x->first != y->first) return x->first < y->first ? -1 : 1;
  return x->number < y->number ? -1 : x->number > y->number;
}

static uint32_t take(struct pool *p, uint32_t first, uint32_t last) {
  for (uint32_t k = 0; k < p->count; k++)
    if (p->free_at[k] < first) {
      p->free_at[k] = last;
      return k;
    }
  *weir_push(p->free_at, p->count, p->capacity) = last;
  return p->count - 1;
}

static unsigned pool_of(const struct weir_symbol *s) {
  if (s->type == WEIR_T_PRED) return PREDICATES;
  return weir_width(s->type) == 4 ? NARROW : WIDE;
}

// Linear scan over the intervals in order of their first position.
static void assign(struct weir_decoder *d, const struct liveness *l, struct pool *pools) {
  const uint32_t n = d->function->register_count;
  struct interval *order = weir_new_array(struct interval, n + 1);
  uint32_t used = 0;
  for (uint32_t r = 0; r < n; r++)
    if (l->first[r] != UINT32_MAX && !d->constancy[r]) order[used++] = (struct interval){l->first[r], r};
  qsort(order, used, sizeof *order, by_first);
  for (uint32_t k = 0; k < used; k++) {
    const uint32_t r = order[k].number;
    struct pool *p = &pools[pool_of(d->function->registers[r])];
    d->slot[r] = take(p, l->first[r], l->last[r]);
  }
  weir_free(order);
}

// Behind the launch's special registers, and a frame of predicates and temporaries in which they are computed.
static void lay_out_uniform(struct weir_decoder *d) {
  const uint32_t lanes = d->program->lanes, frame = weir_slot_offset(d->program, WEIR_LAUNCH_SLOTS);
  uint32_t end = d->temporaries + WEIR_TEMPORARIES * 8 * lanes;
  for (uint32_t r = 0; r < d->function->register_count; r++) {
    if (d->constancy[r] != WEIR_UNIFORM) continue;
    d->slot[r] = end;
    d->place[r] = (struct weir_ref){frame + end, WEIR_BANK_LAUNCH};
    end += weir_width(d->function->registers[r]->type) * lanes;
  }
  d->code->launch_bytes = frame + end;
}

// Frame: predicates, wide slots, narrow slots, temporaries. Slots are aligned to 64 bytes.
static void lay_out(struct weir_decoder *d, const struct liveness *l, const struct pool *pools) {
  const uint32_t lanes = d->program->lanes;
  const uint32_t wide = (uint32_t)weir_align_up(WEIR_PRED_FIRST + 8 * pools[PREDICATES].count, 64);
  const uint32_t narrow = wide + pools[WIDE].count * 8 * lanes;
  d->temporaries = narrow + pools[NARROW].count * 4 * lanes;
  for (uint32_t r = 0; r < d->function->register_count; r++) {
    if (l->first[r] == UINT32_MAX || d->constancy[r]) continue;
    switch (pool_of(d->function->registers[r])) {
    case PREDICATES: d->slot[r] = WEIR_PRED_FIRST + 8 * d->slot[r]; break;
    case WIDE: d->slot[r] = wide + 8 * lanes * d->slot[r]; break;
    default: d->slot[r] = narrow + 4 * lanes * d->slot[r];
    }
    d->place[r] = weir_in_frame(d->slot[r]);
  }
  lay_out_uniform(d);
}

// Registers that some path reads before it writes them: they begin as zero, so that a run repeats.
static void note_unwritten(struct weir_decoder *d, struct liveness *l) {
  uint32_t *zero = weir_arena_array(&d->program->arena, uint32_t, 2 * (size_t)d->function->register_count + 2);
  const uint64_t *live = l->cfg->block_count ? row(l, l->in, 0) : NULL;
  uint32_t n = 0;
  for (uint32_t r = 0; live && r < d->function->register_count; r++) {
    if (!has_bit(live, r)) continue;
    const unsigned pool = pool_of(d->function->registers[r]);
    zero[2 * n] = d->slot[r];
    zero[2 * n++ + 1] = pool == PREDICATES ? 8 : (pool == WIDE ? 8 : 4) * d->program->lanes;
  }
  d->code->zero = zero;
  d->code->zero_count = n;
}

// Formal parameters that are registers hold their values from the beginning, results until the end.
static void hold_formals(struct weir_decoder *d, struct liveness *l) {
  const struct weir_function *f = d->function;
  for (uint32_t k = 0; k < f->param_count; k++)
    if (f->params[k]->kind == WEIR_SYM_REGISTER) extend(l, f->params[k]->first, 0);
  for (uint32_t k = 0; k < f->return_count; k++) {
    if (f->returns[k]->kind != WEIR_SYM_REGISTER) continue;
    extend(l, f->returns[k]->first, 0);
    extend(l, f->returns[k]->first, 2 * l->cfg->instruction_count);
    if (l->cfg->block_count) set_bit(row(l, l->in, 0), f->returns[k]->first);
  }
}

// Of what is written: the estimate has an order of its own.
static uint32_t registers_of(const struct weir_decoder *d) {
  if (!d->function->written) return weir_estimate_registers(d->function, &d->cfg, d->assembler);
  struct weir_cfg cfg;
  weir_cfg_build(&cfg, d->function->written);
  const uint32_t registers = weir_estimate_registers(d->function->written, &cfg, d->assembler);
  weir_cfg_free(&cfg);
  return registers;
}

void weir_pack_registers(struct weir_decoder *d) {
  const uint32_t n = d->function->register_count, words = (n + 63) / 64;
  const size_t sets = (size_t)words * d->cfg.block_count;
  uint64_t *memory = weir_new_array(uint64_t, 4 * sets + 1);
  struct liveness l = {.cfg = &d->cfg,
                       .words = words,
                       .in = memory,
                       .out = memory + sets,
                       .use = memory + 2 * sets,
                       .def = memory + 3 * sets};
  struct pool pools[POOLS] = {{0}};
  l.first = weir_new_array(uint32_t, n + 1);
  l.last = weir_new_array(uint32_t, n + 1);
  memset(l.first, 0xff, n * sizeof *l.first);
  d->slot = weir_new_array(uint32_t, n + 1);
  d->place = weir_new_array(struct weir_ref, n + 1);
  summarise(&l);
  solve(&l);
  walk(&l);
  d->code->registers = registers_of(d);
  hold_formals(d, &l);
  weir_find_uniform(d, d->cfg.block_count ? row(&l, l.in, 0) : NULL);
  assign(d, &l, pools);
  lay_out(d, &l, pools);
  note_unwritten(d, &l);
  for (unsigned k = 0; k < POOLS; k++) weir_free(pools[k].free_at);
  weir_free(l.first);
  weir_free(l.last);
  weir_free(memory);
}
