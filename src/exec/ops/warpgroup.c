// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// wgmma.mma_async: what one warp of four makes of D, its 16 rows, when it executes the instruction. PTX lets the products be made at any moment
// until the warp has waited for them. B, and mostly A, are read from shared memory through a descriptor (PTX ISA, "Asynchronous Warpgroup Level
// Matrix Shared Memory Layout" and "Matrix Descriptor Format"). D is made in tiles of WEIR_WARPGROUP_TILE columns.
#include "base/bits.h"
#include "exec/ops/fill.h"
#include "exec/ops/products.h"

#include <string.h>

enum { ROWS = 16, TILE = WEIR_WARPGROUP_TILE, DEPTH = 32, WARPS = 4 };
enum {
  CHUNK = 16,
  CHUNKS = 512
}; // bytes that lie together whatever the layout; the most in one operand: 256 columns of 32 bytes

// ---- where a matrix lies ------------------------------------------------------------------------------------------------

// Lines of a swizzled layout are 32, 64 or 128 bytes; without swizzling, a chunk.
struct layout {
  uint32_t start, leading, stride; // bytes
  uint32_t line;                   // in chunks
  uint32_t swizzle;                // bits of a chunk's address, from its fourth on, that are exchanged
  uint32_t pattern;                // at which 128 bytes of eight the pattern begins
};

static struct layout layout_of(uint64_t descriptor) {
  static const uint8_t lines[] = {1, 8, 4, 2};
  const uint32_t line = lines[descriptor >> 62];
  return (struct layout){.start = (uint32_t)(descriptor & 0x3fff) * CHUNK,
                         .leading = (uint32_t)(descriptor >> 16 & 0x3fff) * CHUNK,
                         .stride = (uint32_t)(descriptor >> 32 & 0x3fff) * CHUNK,
                         .line = line,
                         .swizzle = line - 1,
                         .pattern = (uint32_t)(descriptor >> 49 & 7)};
}

// Row `row` of the operand (of A; of B its columns), of which k lies together.
static uint32_t by_rows(const struct layout *l, uint32_t row, uint32_t chunk) {
  const uint32_t at = row / 8 * l->stride + row % 8 * l->line * CHUNK;
  return at + chunk * (l->line == 1 ? l->leading : CHUNK);
}

// The same of the other operand: depth k, at which rows lie together.
static uint32_t by_depth(const struct layout *l, uint32_t k, uint32_t chunk) {
  if (l->line == 1) return k % 8 * CHUNK + k / 8 * l->leading + chunk * l->stride;
  return k % 8 * l->line * CHUNK + k / 8 * l->stride + chunk % l->line * CHUNK + chunk / l->line * l->leading;
}

// A pattern is of addresses, so that one may begin within a line.
static uint32_t swizzled(const struct layout *l, uint32_t offset) {
  const uint32_t at = l->start + offset;
  return at ^ ((at / 128 - l->pattern) & l->swizzle) * CHUNK;
}

// ---- reading it ---------------------------------------------------------------------------------------------------------

// Lines of `chunks` chunks, each at its place in shared memory. A line is a row with all of its k, or a k with all of its rows.
struct lines {
  uint32_t chunks;
  uint32_t at[CHUNKS];
};

static bool find_lines(struct weir_warp *w, unsigned lane, const struct weir_warpgroup_op *op, unsigned part,
                       uint64_t descriptor, unsigned first, unsigned rows, struct lines *to) {
  const struct weir_block_state *b = w->block;
  const struct layout l = layout_of(descriptor);
  const bool along_rows = op->transposed[part];
  const unsigned in_chunk = CHUNK * 8 / op->element_bits, lines = along_rows ? op->k : rows;
  to->chunks = (along_rows ? rows : op->k) / in_chunk;
  for (unsigned n = 0; n < lines; n++)
    for (unsigned c = 0; c < to->chunks; c++) {
      const uint32_t offset = along_rows ? by_depth(&l, n, c + first / in_chunk) : by_rows(&l, n + first, c);
      const uint32_t at = swizzled(&l, offset);
      if (at > b->shared_bytes || CHUNK > b->shared_bytes - at)
        return weir_raise(w, lane,
                          "wgmma reads matrix %c at shared address 0x%x, by descriptor 0x%llx: the block has %u bytes",
                          "AB"[part], at, (unsigned long long)descriptor, b -> shared_bytes);
      to->at[n * to->chunks + c] = at;
    }
  return true;
}

// As many elements as a chunk has, `step` words apart.
static inline void unpack(const uint8_t *chunk, unsigned bits, unsigned step, uint32_t *to) {
  uint32_t word[CHUNK / 4];
  memcpy(word, chunk, CHUNK);
  for (unsigned k = 0; k < CHUNK / 4; k++)
    for (unsigned e = 0; e < 32 / bits; e++)
      to[(k * (32 / bits) + e) * step] = bits == 32 ? word[k] : word[k] >> e * bits & ((UINT32_C(1) << bits) - 1);
}

// `count` rows of the operand, from row `first` of its lines on: their elements as bits, row and k so many words apart.
static void read_lines(const struct weir_warp *w, const struct weir_warpgroup_op *op, unsigned part, unsigned first,
                       unsigned count, const struct lines *l, struct steps s, uint32_t *to) {
  const bool along_rows = op->transposed[part];
  const unsigned bits = op->element_bits, in_chunk = CHUNK * 8 / bits, lines = along_rows ? op->k : count,
                 chunks = along_rows ? count / in_chunk : l->chunks;
  for (unsigned n = 0; n < lines; n++)
    for (unsigned c = 0; c < chunks; c++) {
      const unsigned line = along_rows ? n : n + first, chunk = along_rows ? c + first / in_chunk : c;
      const uint8_t *from = w->block->shared + l->at[line * l->chunks + chunk];
      uint32_t *at = to + (along_rows ? n * s.column + c * in_chunk * s.row : n * s.row + c * in_chunk * s.column);
      const unsigned step = along_rows ? s.row : s.column;
      switch (bits) { // told apart here, so that each is a copy of its own
      case 8: unpack(from, 8, step, at); break;
      case 16: unpack(from, 16, step, at); break;
      default: unpack(from, 32, step, at);
      }
    }
}

// ---- products -----------------------------------------------------------------------------------------------------------

// A, whole; of B and D, the columns of one tile. C is zero where nothing is added to D.
struct tile {
  struct extent size;
  uint32_t a[ROWS * DEPTH], b[DEPTH * TILE], c[ROWS * TILE];
};

static void multiply_floats(const struct weir_warpgroup_op *op, struct tile *t) {
  double a[ROWS * DEPTH], b[DEPTH * TILE], c[ROWS * TILE], sum[ROWS * TILE];
  const struct extent e = t->size;
  to_floats(op->type[WEIR_MATRIX_A], t->a, e.m * e.k, a);
  to_floats(op->type[WEIR_MATRIX_B], t->b, e.k * e.n, b);
  to_floats(op->type[WEIR_MATRIX_C], t->c, e.m * e.n, c);
  for (unsigned k = 0; k < e.m * e.k && op->negates; k++) a[k] = -a[k];
  sum_floats(e, a, b, sum);
  for (unsigned k = 0; k < e.m * e.n; k++) t->c[k] = rounded(op->type[WEIR_MATRIX_D], sum[k] + c[k]);
}

static void multiply_integers(const struct weir_warpgroup_op *op, struct tile *t) {
  int32_t a[ROWS * DEPTH], b[DEPTH * TILE], sum[ROWS * TILE] = {0};
  const struct extent e = t->size;
  if (op->type[WEIR_MATRIX_A] == WEIR_T_B1) {
    sum_ands(e, t->a, t->b, sum);
  } else {
    to_integers(op->type[WEIR_MATRIX_A], t->a, e.m * e.k, a);
    to_integers(op->type[WEIR_MATRIX_B], t->b, e.k * e.n, b);
    sum_integers(e, a, b, sum);
  }
  for (unsigned k = 0; k < e.m * e.n; k++) t->c[k] = held(op->saturates, (int64_t)sum[k] + (int32_t)t->c[k]);
}

// The columns from `first` on.
static void make_tile(struct weir_warp *w, const struct weir_warpgroup_op *op, unsigned group, bool adds,
                      unsigned first, const struct lines *b, struct tile *t) {
  const unsigned columns = op->n - first < TILE ? op->n - first : TILE;
  const struct weir_fragment *d = &op->d[first / 8];
  t->size = (struct extent){ROWS, columns, op->k};
  read_lines(w, op, WEIR_MATRIX_B, first, columns, b, (struct steps){1, columns}, t->b);
  if (!adds) memset(t->c, 0, sizeof t->c);
  for (unsigned k = 0; k < columns / 8 && adds; k++)
    gather(w, &d[k], group, UINT32_MAX, (struct steps){columns, 1}, t->c);
  (op->type[WEIR_MATRIX_D] == WEIR_T_S32 ? multiply_integers : multiply_floats)(op, t);
  for (unsigned k = 0; k < columns / 8; k++) scatter(w, &d[k], group, UINT32_MAX, t->c);
}

// ---- a warp -------------------------------------------------------------------------------------------------------------

static uint64_t descriptor(const struct weir_warp *w, struct weir_ref r, unsigned lane) {
  return ((const uint64_t *)weir_at(w, r.bank, r.offset))[lane];
}

// Of A, where it is there, the 16 rows of this warp of four; of B all.
static bool find_operands(struct weir_warp *w, const struct weir_warpgroup_op *op, unsigned group, struct lines *a,
                          struct lines *b) {
  const unsigned lane = 32 * group, first = (w->index * w->groups + group) % WARPS * ROWS;
  const struct weir_ref *d = op->descriptor;
  if (!op->a_in_registers &&
      !find_lines(w, lane, op, WEIR_MATRIX_A, descriptor(w, d[WEIR_MATRIX_A], lane), first, ROWS, a))
    return false;
  return find_lines(w, lane, op, WEIR_MATRIX_B, descriptor(w, d[WEIR_MATRIX_B], lane), 0, op->n, b);
}

// Each 32 lanes are a warp of CUDA's. Operands other than registers are the same in all of them.
static bool multiply_group(struct weir_warp *w, const struct weir_warpgroup_op *op, unsigned group) {
  const uint64_t adds = *(const uint64_t *)weir_at(w, op->adds.bank, op->adds.offset) >> (32 * group) & 1;
  struct lines a, b;
  struct tile t;
  if (!find_operands(w, op, group, &a, &b)) return false;
  if (op->a_in_registers)
    gather(w, &op->a, group, UINT32_MAX, (struct steps){op->k, 1}, t.a);
  else
    read_lines(w, op, WEIR_MATRIX_A, 0, ROWS, &a, (struct steps){op->k, 1}, t.a);
  for (unsigned n = 0; n < op->n; n += TILE) make_tile(w, op, group, adds != op->adds_unless, n, &b, &t);
  return true;
}

static bool memory_warpgroup(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, struct weir_winstr *out) {
  const unsigned warps = w->block->warp_count * w->groups;
  if (!weir_whole_warps(w, mask, "wgmma")) return false;
  if ((w->index * w->groups | (WARPS - 1)) >= warps)
    return weir_raise(w, weir_lowest(mask),
                      "wgmma is executed by a warp of which there are no four together: the block has %u warps", warps);
  for (unsigned g = 0; g < w->groups && out && w->block->launch->aside; g++) { // what is put off has been checked
    struct lines a, b;
    if ((uint32_t)(mask >> (32 * g)) && !find_operands(w, i->warpgroup, g, &a, &b)) return false;
  }
  if (weir_puts_off(w, i, mask, out, WEIR_MOVE_LOAD)) return true;
  for (unsigned g = 0; g < w->groups; g++)
    if ((uint32_t)(mask >> (32 * g)) && !multiply_group(w, i->warpgroup, g)) return false;
  return true;
}

void WEIR_FILL(warpgroup)(struct weir_ops *t) {
  t->memory[WEIR_M_warpgroup] = memory_warpgroup;
}
