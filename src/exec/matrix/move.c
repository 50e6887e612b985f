// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Matrices between memory and registers. For the timing model wmma.load and wmma.store are one access of the warp, which has each
// byte of the matrix once; ldmatrix and stmatrix are one of 16 bytes by each lane whose address counts.
#include "base/bits.h"
#include "exec/access.h"
#include "exec/matrix/matrix.h"
#include "exec/ops/fill.h"

#include <string.h>

enum { WARP = 32, MOST_ALIGNED = 16 }; // bytes at whose multiples lines begin (PTX ISA, wmma.load)

bool weir_whole_warps(struct weir_warp *w, uint64_t mask, const char *what) {
  for (unsigned g = 0; g < w->groups; g++) {
    const uint32_t m = (uint32_t)(mask >> (WARP * g));
    if (m && m != UINT32_MAX)
      return weir_raise(w, weir_lowest(mask), "%s is executed by %u of the warp's 32 threads: it takes all of them",
                        what, weir_popcount(m));
  }
  return true;
}

static uint32_t *words(const struct weir_warp *w, struct weir_ref r, unsigned group) {
  return (uint32_t *)weir_at(w, r.bank, r.offset) + WARP * (size_t)group;
}

static uint64_t *double_words(const struct weir_warp *w, struct weir_ref r, unsigned group) {
  return (uint64_t *)weir_at(w, r.bank, r.offset) + WARP * (size_t)group;
}

// ---- wmma.load and wmma.store -------------------------------------------------------------------------------------------

// Address of each lane's bytes.
static void chunks(const struct weir_warp *w, const struct weir_insn *i, uint64_t mask, uint64_t *address) {
  const struct weir_matrix_op *op = i->matrix;
  uint64_t base[WEIR_MAX_LANES];
  weir_lane_addresses(w, i, mask, base);
  for (unsigned g = 0; g < w->groups; g++) {
    if (!(uint32_t)(mask >> (WARP * g))) continue;
    const uint64_t stride = (uint64_t)words(w, op->stride, g)[0] * op->element_bits / 8;
    for (unsigned l = 0; l < WARP; l++) {
      const unsigned at = l * op->chunk_bytes;
      address[WARP * g + l] = base[WARP * g] + at / op->line_bytes * stride + at % op->line_bytes;
    }
  }
}

// Host pointers to each lane's bytes, in parts of at most 16.
struct located {
  uint64_t part[2][WEIR_MAX_LANES];
  unsigned part_bytes;
};

// An access is told as one at a multiple of its size: of 32 bytes from such a multiple of 16 on, half lie behind.
static void tell(struct weir_winstr *out, uint64_t mask, unsigned bytes, const uint64_t *address) {
  for (; mask; mask &= mask - 1) {
    const unsigned l = weir_lowest(mask);
    out->address[l] = address[l] & ~(uint64_t)(bytes - 1);
  }
}

static bool locate(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, bool writes, struct weir_winstr *out,
                   struct located *to) {
  const unsigned bytes = i->matrix->chunk_bytes;
  uint64_t address[WEIR_MAX_LANES], moved[WEIR_MAX_LANES];
  uint8_t space = WEIR_MEM_NONE;
  to->part_bytes = bytes < MOST_ALIGNED ? bytes : MOST_ALIGNED;
  chunks(w, i, mask, address);
  for (unsigned k = 0; k < bytes / to->part_bytes; k++) {
    for (uint64_t m = mask; m; m &= m - 1) moved[weir_lowest(m)] = address[weir_lowest(m)] + k * to->part_bytes;
    if (!weir_locate_lanes(w, i, mask, to->part_bytes, writes, moved, to->part[k], &space)) return false;
    if (out && !k) tell(out, mask, bytes, moved);
  }
  if (out) out->space = space;
  return true;
}

static void copy(const struct located *p, unsigned group, uint8_t *tile, unsigned bytes, bool writes) {
  for (unsigned l = 0; l < WARP; l++)
    for (unsigned k = 0; k < bytes / p->part_bytes; k++) {
      void *host = (void *)(uintptr_t)p->part[k][WARP * group + l];
      uint8_t *own = tile + l * bytes + k * p->part_bytes;
      memcpy(writes ? host : own, writes ? own : host, p->part_bytes);
    }
}

// Where unit e of a thread's register k lies in the lines, in bytes.
static unsigned place(const struct weir_matrix_op *op, unsigned k, unsigned lane, unsigned e) {
  const struct weir_fragment *f = &op->part[WEIR_MATRIX_D];
  const unsigned row = f->at[k].row + lane / 4, column = f->at[k].column + lane % 4 * f->width + e;
  const unsigned line = op->along_rows ? row : column, in_line = op->along_rows ? column : row;
  return line * op->line_bytes + in_line * f->bits / 8;
}

// One register of a group of 32, from or to the lines.
static void move_register(const struct weir_warp *w, const struct weir_matrix_op *op, unsigned k, unsigned group,
                          uint8_t *tile, bool stores) {
  const struct weir_fragment *f = &op->part[WEIR_MATRIX_D];
  const unsigned bytes = f->bits / 8, size = f->bits == 64 ? 8 : 4;
  uint8_t *data =
    f->bits == 64 ? (uint8_t *)double_words(w, f->data[k], group) : (uint8_t *)words(w, f->data[k], group);
  for (unsigned l = 0; l < WARP; l++)
    for (unsigned e = 0; e < f->units; e++) {
      uint8_t *memory = tile + place(op, k % f->distinct, l, e), *own = data + l * size + e * bytes;
      memcpy(stores ? memory : own, stores ? own : memory, bytes);
    }
}

static void move_all(const struct weir_warp *w, const struct weir_insn *i, uint64_t mask, const struct located *p,
                     bool stores) {
  const struct weir_matrix_op *op = i->matrix;
  const struct weir_fragment *f = &op->part[WEIR_MATRIX_D];
  uint8_t tile[WEIR_MATRIX_ELEMENTS];
  for (unsigned g = 0; g < w->groups; g++) {
    if (!(uint32_t)(mask >> (WARP * g))) continue;
    if (!stores) copy(p, g, tile, op->chunk_bytes, false);
    for (unsigned k = 0; k < (stores ? f->distinct : f->registers); k++) move_register(w, op, k, g, tile, stores);
    if (stores) copy(p, g, tile, op->chunk_bytes, true);
  }
}

static bool memory_matrix_load(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, struct weir_winstr *out) {
  struct located p;
  if (!weir_whole_warps(w, mask, "wmma.load") || !locate(w, i, mask, false, out, &p)) return false;
  if (weir_puts_off(w, i, mask, out, WEIR_MOVE_LOAD)) return true;
  move_all(w, i, mask, &p, false);
  return true;
}

static bool memory_matrix_store(struct weir_warp *w, const struct weir_insn *i, uint64_t mask,
                                struct weir_winstr *out) {
  struct located p;
  if (!weir_whole_warps(w, mask, "wmma.store") || !locate(w, i, mask, true, out, &p)) return false;
  if (weir_puts_off(w, i, mask, out, WEIR_MOVE_STORE)) return true;
  move_all(w, i, mask, &p, true);
  return true;
}

// ---- ldmatrix and stmatrix ----------------------------------------------------------------------------------------------

// Lane 8k + r has the address of row r of matrix k. Others have that of the first of their warp, which nobody reads.
static bool locate_rows(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, bool writes,
                        struct weir_winstr *out, uint64_t *where) {
  uint64_t scratch[WEIR_MAX_LANES], *address = out ? out->address : scratch, counts = 0;
  uint8_t space;
  weir_lane_addresses(w, i, mask, address);
  for (unsigned g = 0; g < w->groups; g++) counts |= weir_mask(8u * i->matrix->matrices) << (WARP * g);
  if (!weir_locate_lanes(w, i, mask & counts, 16, writes, address, where, &space)) return false;
  for (uint64_t m = mask & ~counts; m; m &= m - 1) address[weir_lowest(m)] = address[weir_lowest(m) & ~31u];
  if (!out) return true;
  out->space = space;
  out->active &= counts;
  return true;
}

// Two units of 16 bits of matrix k that a lane holds: neighbours of a row, or of a column.
static void move_pair(const struct weir_matrix_op *op, const uint64_t *rows, unsigned lane, uint8_t *own, bool stores) {
  for (unsigned e = 0; e < 2; e++) {
    const unsigned along = lane % 4 * 2 + e, row = op->transposes ? along : lane / 4,
                   column = op->transposes ? lane / 4 : along;
    uint8_t *memory = (uint8_t *)(uintptr_t)rows[row] + 2 * column;
    memcpy(stores ? memory : own + 2 * e, stores ? own + 2 * e : memory, 2);
  }
}

static bool move_rows(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, struct weir_winstr *out,
                      bool stores) {
  const struct weir_matrix_op *op = i->matrix;
  uint64_t where[WEIR_MAX_LANES];
  if (!weir_whole_warps(w, mask, stores ? "stmatrix" : "ldmatrix") || !locate_rows(w, i, mask, stores, out, where))
    return false;
  if (weir_puts_off(w, i, mask, out, stores ? WEIR_MOVE_STORE : WEIR_MOVE_LOAD)) return true;
  for (unsigned g = 0; g < w->groups; g++)
    for (unsigned k = 0; (uint32_t)(mask >> (WARP * g)) && k < op->matrices; k++) {
      uint32_t *data = words(w, op->part[WEIR_MATRIX_D].data[k], g);
      for (unsigned l = 0; l < WARP; l++) move_pair(op, where + WARP * g + 8 * k, l, (uint8_t *)&data[l], stores);
    }
  return true;
}

static bool memory_load_rows(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, struct weir_winstr *out) {
  return move_rows(w, i, mask, out, false);
}

static bool memory_store_rows(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, struct weir_winstr *out) {
  return move_rows(w, i, mask, out, true);
}

// movmatrix: thread 4g + t has columns 2t and 2t + 1 of row g.
static void op_transpose(struct weir_warp *w, const struct weir_insn *i, uint64_t mask) {
  const struct weir_ref from = {i->a, i->a_bank}, to = {i->d, WEIR_BANK_FRAME};
  for (unsigned g = 0; g < w->groups; g++) {
    uint16_t all[8][8] = {{0}};
    const uint32_t m = (uint32_t)(mask >> (WARP * g)), *a = words(w, from, g);
    for (uint32_t rest = m; rest; rest &= rest - 1) {
      const unsigned l = weir_lowest(rest);
      all[l / 4][l % 4 * 2] = (uint16_t)a[l];
      all[l / 4][l % 4 * 2 + 1] = (uint16_t)(a[l] >> 16);
    }
    uint32_t *d = words(w, to, g);
    for (uint32_t rest = m; rest; rest &= rest - 1) {
      const unsigned l = weir_lowest(rest);
      d[l] = all[l % 4 * 2][l / 4] | (uint32_t)all[l % 4 * 2 + 1][l / 4] << 16;
    }
  }
}

void weir_fill_matrix(struct weir_ops *t) {
  t->memory[WEIR_M_matrix_load] = memory_matrix_load;
  t->memory[WEIR_M_matrix_store] = memory_matrix_store;
  t->memory[WEIR_M_load_rows] = memory_load_rows;
  t->memory[WEIR_M_store_rows] = memory_store_rows;
  t->alu[WEIR_X_transpose] = op_transpose;
}
