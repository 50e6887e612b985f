// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a program does, counted without a chip: its blocks one after the other, their warps step by step, and each memory
// instruction cut into accesses by the rules of docs/GPU.md. Written from the rules and not from src/gpu/coalesce.c: it
// enumerates the bytes that lanes touch and counts the segments, spans and banks that these make.
#include "laws.h"

#include "base/alloc.h"
#include "base/bits.h"

#include <stdlib.h>

enum { MAX_CENSUS = 1 << 18 };

struct counting {
  struct expected *out;
  struct grain grain;
  uint64_t *lines, line_count;     // of every access that reaches the L1's tags
  uint64_t *sectors, sector_count; // that global stores write to
};

struct span { // of one segment: what is touched of it
  uint64_t segment, first, last;
};

// The segments that the active lanes touch; each lane's bytes may lie in several.
static unsigned spans_of(const struct weir_winstr *w, uint32_t segment, struct span *out) {
  unsigned n = 0;
  for (unsigned lane = 0; lane < WEIR_MAX_LANES; lane++) {
    if (!(w->active >> lane & 1)) continue;
    uint64_t from = w->address[lane], to = from + w->what->access_bytes - 1;
    for (uint64_t s = from / segment; s <= to / segment; s++) {
      uint64_t first = from > s * segment ? from : s * segment,
               last = to < s * segment + segment - 1 ? to : s * segment + segment - 1;
      unsigned i = 0;
      while (i < n && out[i].segment != s) i++;
      if (i == n) out[n++] = (struct span){s, first, last};
      if (first < out[i].first) out[i].first = first;
      if (last > out[i].last) out[i].last = last;
    }
  }
  return n;
}

// The smallest aligned power of two of at least 32 bytes (or the segment, if that is less) that holds the span.
static uint64_t bytes_of(const struct span *s, uint32_t segment) {
  uint64_t size = segment < 32 ? segment : 32;
  while (s->first / size != s->last / size) size *= 2;
  return size;
}

static uint64_t pieces_of(const struct span *s, uint32_t segment, uint32_t piece) {
  uint64_t size = bytes_of(s, segment);
  return size > piece ? size / piece : 1;
}

static uint32_t segment_of(const struct counting *c, const struct weir_static *s, uint32_t segment) {
  uint32_t narrow = s->element_bytes == 1 ? 32 : s->element_bytes == 2 ? 64 : segment;
  return c->grain.by_element && narrow < segment ? narrow : segment;
}

static bool skips(const struct counting *c, const struct weir_winstr *w) {
  const struct weir_static *s = w->what;
  if (w->space != WEIR_MEM_GLOBAL || s->op_class != WEIR_CLASS_LOAD) return false;
  if (c->grain.past_first[s->l1_hint]) return true;
  if (s->is_texture && c->grain.texture_line) return false;
  return s->l1_hint != WEIR_HINT_CA && (s->is_volatile || c->grain.skip_l1_global);
}

static void note_line(struct counting *c, uint64_t address) {
  if (c->line_count < MAX_CENSUS) c->lines[c->line_count++] = address / c->grain.line;
}

static void note_sectors(struct counting *c, const struct span *s) {
  for (uint64_t k = s->first / c->grain.sector; k <= s->last / c->grain.sector; k++)
    if (c->sector_count < MAX_CENSUS) c->sectors[c->sector_count++] = k;
}

static unsigned count_global(struct counting *c, const struct weir_winstr *w, bool skip) {
  struct expected *e = c->out;
  struct span spans[4 * WEIR_MAX_LANES];
  const bool store = w->what->op_class == WEIR_CLASS_STORE;
  const uint32_t segment = segment_of(c, w->what, skip ? c->grain.piece : c->grain.coalesce);
  const unsigned n = spans_of(w, segment, spans);
  for (unsigned i = 0; i < n; i++) {
    if (!skip) note_line(c, spans[i].first);
    if (skip) e->skip_bytes += bytes_of(&spans[i], segment);
    if (!store) continue;
    note_sectors(c, &spans[i]);
    e->store_pieces += pieces_of(&spans[i], segment, c->grain.piece);
    e->store_bytes += bytes_of(&spans[i], segment);
  }
  if (store)
    e->stores += n, e->global_store_requests++;
  else if (w->what->is_texture)
    e->loads += n, e->texture_loads += n;
  else
    e->loads += n, e->global_load_requests++;
  if (skip) e->skips += n;
  return n;
}

// Words of all threads lie side by side, so that a word of a warp's lanes is contiguous.
static unsigned count_local(struct counting *c, const struct weir_winstr *w) {
  const uint32_t bytes = w->what->access_bytes, step = bytes < 4 ? bytes : 4;
  const uint32_t narrow = step == 1 ? 32 : step == 2 ? 64 : 128;
  const uint32_t segment = c->grain.by_element && narrow < c->grain.coalesce ? narrow : c->grain.coalesce;
  unsigned n = 0;
  for (uint32_t done = 0; done < bytes; done += step) {
    uint64_t seen[WEIR_MAX_LANES];
    unsigned distinct = 0;
    for (uint64_t lane = 0; lane < WEIR_MAX_LANES; lane++) {
      if (!(w->active >> lane & 1)) continue;
      const uint64_t key = (w->address[lane] + done) / 4 << 16 | lane * 4 / segment;
      unsigned i = 0;
      while (i < distinct && seen[i] != key) i++;
      if (i == distinct) seen[distinct++] = key;
    }
    n += distinct;
  }
  c->out->local = true;
  if (w->what->op_class == WEIR_CLASS_STORE)
    c->out->stores += n, c->out->local_stores += n, c->out->local_store_requests++;
  else
    c->out->loads += n, c->out->local_loads += n, c->out->local_load_requests++;
  return n;
}

// Lanes of the same 32 bytes go together unless they touch the same word: as many turns as the most wanted word has lanes.
static unsigned count_atomic(struct counting *c, const struct weir_winstr *w) {
  unsigned n = 0;
  for (unsigned lane = 0; lane < WEIR_MAX_LANES; lane++) {
    if (!(w->active >> lane & 1)) continue;
    const uint64_t block = w->address[lane] / 32;
    unsigned earlier = 0, most = 0;
    for (unsigned k = 0; k < WEIR_MAX_LANES; k++) {
      if (!(w->active >> k & 1) || w->address[k] / 32 != block) continue;
      earlier += k < lane;
      unsigned same = 0;
      for (unsigned j = 0; j < WEIR_MAX_LANES; j++) same += (w->active >> j & 1) && w->address[j] == w->address[k];
      if (same > most) most = same;
    }
    if (!earlier) n += most;
  }
  c->out->atomics += n;
  c->out->atomic_pieces += n * (c->grain.piece < 32 ? 32 / c->grain.piece : 1);
  return n;
}

// The words of `lanes` that a pass over the banks moves: as many cycles as the busiest bank has different ones.
static unsigned pass_cycles(const struct counting *c, const struct weir_winstr *w, uint64_t lanes) {
  const uint32_t width = c->grain.shared_bank_bytes, banks = c->grain.shared_banks;
  uint64_t words[16 * WEIR_MAX_LANES];
  unsigned n = 0, per_bank[256] = {0}, most = 1;
  for (uint64_t lane = 0; lane < WEIR_MAX_LANES; lane++) {
    if (!(lanes >> lane & 1)) continue;
    for (uint64_t word = w->address[lane] / width; word <= (w->address[lane] + w->what->access_bytes - 1) / width;
         word++) {
      unsigned i = 0;
      while (i < n && words[i] != word) i++;
      if (i < n) continue;
      words[n++] = word;
      if (++per_bank[word % banks] > most) most = per_bank[word % banks];
    }
  }
  return most;
}

static unsigned bank_cycles(const struct counting *c, const struct weir_winstr *w) {
  const uint32_t bytes = w->what->access_bytes,
                 each = bytes > c->grain.shared_bank_bytes ? bytes / c->grain.shared_bank_bytes : 1;
  if (each == 1) return pass_cycles(c, w, w->active);
  const unsigned group = c->grain.shared_banks > each ? c->grain.shared_banks / each : 1;
  unsigned cycles = 0;
  for (unsigned first = 0; first < WEIR_MAX_LANES; first += group) {
    const uint64_t lanes = w->active >> first & weir_mask(group);
    if (lanes) cycles += pass_cycles(c, w, lanes << first);
  }
  return cycles;
}

// A bulk copy goes past the first level: a load by sectors of the second, what writes by 32 bytes.
static unsigned count_bulk(struct counting *c, const struct weir_winstr *w) {
  struct expected *e = c->out;
  const uint8_t class = w->what->op_class;
  const uint32_t unit = class == WEIR_CLASS_LOAD ? c->grain.piece : 32,
                 pieces = unit > c->grain.piece ? unit / c->grain.piece : 1;
  unsigned n = 0;
  for (uint32_t s = 0; s < w->segment_count; s++)
    for (uint64_t at = w->segments[s].address, end = at + w->segments[s].bytes; at < end; at++)
      n += at == w->segments[s].address || at % unit == 0;
  if (class == WEIR_CLASS_LOAD)
    e->loads += n, e->skips += n, e->skip_bytes += n * unit, e->global_load_requests++;
  else if (class == WEIR_CLASS_STORE)
    e->stores += n, e->past += n, e->store_pieces += n * pieces, e->store_bytes += n * unit, e->global_store_requests++;
  else
    e->atomics += n, e->atomic_pieces += n * pieces;
  return n;
}

static unsigned addresses_of(const struct weir_winstr *w) {
  unsigned n = 0;
  for (unsigned lane = 0; lane < WEIR_MAX_LANES; lane++) {
    bool first = w->active >> lane & 1;
    for (unsigned k = 0; k < lane; k++) first &= !(w->active >> k & 1) || w->address[k] != w->address[lane];
    n += first;
  }
  return n;
}

static void count_pc(struct expected *e, const struct weir_winstr *w, unsigned transactions) {
  e->pcs[w->pc].op_class = w->what->op_class;
  e->pcs[w->pc].executions++;
  e->pcs[w->pc].transactions += transactions;
  e->pcs[w->pc].by_transactions[transactions < WEIR_TRANSACTIONS_COUNTED ? transactions : WEIR_TRANSACTIONS_COUNTED]++;
}

static void count_memory(struct counting *c, const struct weir_winstr *w) {
  struct expected *e = c->out;
  struct span spans[4 * WEIR_MAX_LANES];
  unsigned n = 1;
  bool skip = false;
  switch (w->space) {
  case WEIR_MEM_SHARED:
    n = bank_cycles(c, w);
    e->shared_accesses++;
    e->shared_conflicts += n - 1;
    break;
  case WEIR_MEM_CLUSTER: e->cluster_accesses++; break;
  case WEIR_MEM_CONST:
  case WEIR_MEM_PARAM:
    n = c->grain.constant_by_address ? addresses_of(w) : spans_of(w, c->grain.constant_line, spans);
    break;
  case WEIR_MEM_CALL:
  case WEIR_MEM_LOCAL: n = count_local(c, w); break;
  default:
    if (w->what->is_texture && c->grain.texture_line) {
      n = spans_of(w, c->grain.texture_line, spans);
      e->textures += n;
      break;
    }
    skip = skips(c, w) || w->what->is_bulk;
    n = w->what->is_bulk                       ? count_bulk(c, w)
      : w->what->op_class == WEIR_CLASS_ATOMIC ? count_atomic(c, w)
                                               : count_global(c, w, skip);
    break;
  }
  if (!w->what->is_bulk) e->replays += n - 1;
  if (w->space != WEIR_MEM_GLOBAL && w->space != WEIR_MEM_LOCAL && w->space != WEIR_MEM_CALL) return;
  count_pc(e, w, n);
  const bool texture = w->what->is_texture && c->grain.texture_line;
  e->cached_executions += w->what->op_class == WEIR_CLASS_LOAD && !skip && !texture;
}

static void count(struct counting *c, const struct weir_winstr *w) {
  const uint8_t class = w->what->op_class;
  c->out->warp_instructions++;
  c->out->thread_instructions += weir_popcount(w->active);
  if (class != WEIR_CLASS_LOAD && class != WEIR_CLASS_STORE && class != WEIR_CLASS_ATOMIC) return;
  if (w->space == WEIR_MEM_CALL && !c->grain.calls_are_local) return; // moves
  if (w->active && w->space != WEIR_MEM_NONE) count_memory(c, w);
}

// As far as its warps come without others. False: a fault.
static bool step_block(struct counting *c, struct weir_block_state *b, bool *progress, struct weir_fault *fault) {
  for (unsigned i = 0; i < weir_block_warps(b); i++) {
    struct weir_warp *w = weir_block_warp(b, i);
    while (!weir_warp_exited(w) && !weir_warp_waiting(w)) {
      struct weir_winstr what;
      if (weir_warp_step(w, &what, fault) == WEIR_STEP_FAULT) return false;
      *progress = true;
      count(c, &what);
    }
  }
  return true;
}

// The blocks of a cluster. False: a fault, or nobody can go on.
static bool run_cluster(struct counting *c, struct weir_block_state *const *blocks, uint32_t n,
                        struct weir_fault *fault) {
  for (uint32_t done = 0; done < n;) {
    bool progress = false;
    done = 0;
    for (uint32_t k = 0; k < n; k++) {
      if (!step_block(c, blocks[k], &progress, fault)) return false;
      done += weir_block_done(blocks[k]);
    }
    if (progress || done == n) continue;
    weir_block_deadlock(blocks[0], fault);
    return false;
  }
  c->out->blocks += n;
  return true;
}

static int by_number(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static uint64_t distinct(uint64_t *numbers, uint64_t n) {
  uint64_t found = 0;
  qsort(numbers, n, sizeof *numbers, by_number);
  for (uint64_t i = 0; i < n; i++) found += !i || numbers[i] != numbers[i - 1];
  return found;
}

static void take_census(struct counting *c) {
  c->out->stored = distinct(c->sectors, c->sector_count);
  qsort(c->lines, c->line_count, sizeof *c->lines, by_number);
  c->out->distinct = c->out->once = 0;
  for (uint64_t i = 0, j; i < c->line_count; i = j) {
    for (j = i; j < c->line_count && c->lines[j] == c->lines[i]; j++) continue;
    c->out->distinct++;
    c->out->once += j == i + 1;
  }
}

static bool launch(void *context, const struct weir_launch *l, struct weir_fault *fault) {
  struct counting *c = context;
  struct weir_block_state *blocks[WEIR_MAX_CLUSTER];
  const uint32_t n = weir_cluster_blocks(l);
  bool ok = true;
  c->out->launches++;
  for (uint32_t k = 0; k < n; k++) blocks[k] = weir_block_create(l);
  for (uint32_t y = 0; ok && y < l->grid[1]; y++)
    for (uint32_t x = 0; ok && x < l->grid[0]; x += n) { // clusters lie along x
      struct weir_cluster *cluster = n > 1 ? weir_cluster_create(l) : NULL;
      for (uint32_t k = 0; k < n; k++) weir_block_start_in(blocks[k], cluster, (uint32_t[]){x + k, y, 0});
      ok = run_cluster(c, blocks, n, fault);
    }
  for (uint32_t k = 0; k < n; k++) weir_block_free(blocks[k]);
  take_census(c);
  return ok;
}

struct weir_backend expecting(struct expected *out, const struct grain *grain) {
  static struct counting c;
  static uint64_t lines[MAX_CENSUS], sectors[MAX_CENSUS];
  c = (struct counting){.out = out, .grain = *grain, .lines = lines, .sectors = sectors};
  return (struct weir_backend){.context = &c, .launch = launch};
}
