// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// cp.async.bulk and its like: rows of bytes between global and shared memory, one, or those of a tensor's box.
#include "base/alloc.h"
#include "base/bits.h"
#include "exec/access.h"
#include "exec/cluster.h"
#include "exec/copy.h"
#include "exec/mbarrier.h"
#include "exec/ops/fill.h"
#include "exec/special.h"

#include <string.h>

enum { UNIT = 16, BOX_ALIGN = 128, MOST_ROW = 256 * 8 };

// What one lane copies. Rows of row_bytes lie one behind the other in shared memory, of this block, or of several at the same place.
struct box {
  uint64_t address; // of the only row, where map has no rank
  struct weir_tensor_map map;
  int32_t at[WEIR_TENSOR_DIMENSIONS];
  uint32_t blocks;          // by rank
  uint64_t shared, barrier; // where in their shared memory its first row begins, and the barrier lies
  uint64_t from;            // where in its own, of a copy from shared memory to shared memory
  uint32_t rows, row_bytes;
};

// Of a row, what lies within the tensor: `bytes`, behind `before` that do not.
struct row {
  uint64_t address;
  uint32_t before, bytes;
};

static uint32_t box_bytes(const struct box *b) {
  return b->rows * b->row_bytes;
}

// ---- rows -----------------------------------------------------------------------------------------------------------------

static bool is_inside(int64_t at, uint32_t last) {
  return at >= 0 && at <= last;
}

// PTX ISA, "Tensors": elements outside of the tensor are not read, and not written.
static struct row row_of(const struct box *b, uint32_t number) {
  const struct weir_tensor_map *m = &b->map;
  if (!m->rank) return (struct row){.address = b->address, .bytes = b->row_bytes};
  uint64_t address = m->address;
  for (unsigned k = 1; k < WEIR_TENSOR_DIMENSIONS; k++) {
    const int64_t at = b->at[k] + (int64_t)(number % m->box[k]) * m->step[k];
    number /= m->box[k];
    if (!is_inside(at, m->last[k])) return (struct row){0};
    address += (uint64_t)at * m->stride[k];
  }
  const int64_t from = b->at[0] > 0 ? b->at[0] : 0, end = (int64_t)b->at[0] + m->box[0];
  const int64_t until = end <= (int64_t)m->last[0] + 1 ? end : (int64_t)m->last[0] + 1;
  if (from >= until) return (struct row){0};
  return (struct row){.address = address + (uint64_t)from * m->stride[0],
                      .before = (uint32_t)((from - b->at[0]) * (int64_t)m->stride[0]),
                      .bytes = (uint32_t)((until - from) * (int64_t)m->stride[0])};
}

// ---- what is to be copied ---------------------------------------------------------------------------------------------------

static bool check_shared(struct weir_warp *w, unsigned lane, uint64_t at, uint32_t bytes, uint32_t align,
                         const char *what) {
  const uint32_t has = w->block->shared_bytes;
  if (at <= has && bytes <= has - at && !(at & (align - 1))) return true;
  return weir_raise(w, lane,
                    "a bulk copy's %s of %u bytes at shared address 0x%llx: the block has %u bytes, and it must be a "
                    "multiple of %u",
                    what, bytes, (unsigned long long)at, has, align);
}

// All blocks of a cluster have as much shared memory. Each that is copied to must be there still.
static bool check_blocks(struct weir_warp *w, unsigned lane, uint32_t ranks) {
  const struct weir_cluster *c = w->block->cluster;
  if (!ranks) return weir_raise(w, lane, "a bulk copy to no block");
  for (; ranks; ranks &= ranks - 1)
    if (weir_lowest(ranks) >= c->size || !c->blocks[weir_lowest(ranks)])
      return weir_raise(w, lane, "a bulk copy to block %u of a cluster of %u: it is not there%s", weir_lowest(ranks),
                        c->size, weir_lowest(ranks) < c->size ? " any more" : "");
  return true;
}

// The first unit that cannot be is told, as of a copy that runs past a buffer's end.
static bool check_global(struct weir_warp *w, const struct weir_insn *i, unsigned lane, const struct row *r,
                         bool writes) {
  const struct weir_allocation *a = weir_touch(w, r->address, r->bytes);
  if (a && !(writes && a->read_only)) return true;
  uint64_t wrong = r->address;
  const uint64_t end = r->address + r->bytes;
  while (wrong < end && weir_memory_at(w->block->launch->memory, wrong, 1)) wrong++;
  return weir_raise_access(w, i, lane, wrong < end ? wrong : r->address, 1);
}

static bool read_map(struct weir_warp *w, unsigned lane, uint64_t address, struct weir_tensor_map *map) {
  uint64_t words[WEIR_TENSOR_MAP_BYTES / 8];
  for (unsigned k = 0; k < WEIR_TENSOR_MAP_BYTES / 8; k++) {
    const uint64_t *word = weir_locate_generic(w, lane, address + 8 * k, 8);
    if (!word) return false;
    words[k] = *word;
  }
  memcpy(map, words, sizeof *map);
  return weir_tensor_is_map(map) ||
    weir_raise(w, lane, "there is no tensor map at 0x%llx: cuTensorMapEncodeTiled makes one",
               (unsigned long long)address);
}

static bool set_tensor(struct weir_warp *w, const struct weir_insn *i, unsigned lane, uint64_t address, struct box *b) {
  const struct weir_copy_op *op = weir_copy_of(i);
  if (!read_map(w, lane, address, &b->map)) return false;
  if (b->map.rank != op->dimensions)
    return weir_raise(w, lane, "a copy of %u dimensions by a tensor map of %u", op->dimensions, b->map.rank);
  for (unsigned k = 0; k < op->dimensions; k++)
    b->at[k] = ((const int32_t *)weir_at(w, op->at[k].bank, op->at[k].offset))[lane];
  b->row_bytes = (uint32_t)(b->map.box[0] * b->map.stride[0]);
  const uint64_t bytes = weir_tensor_box_bytes(&b->map);
  if (bytes > w->block->shared_bytes && !op->prefetches)
    return weir_raise(w, lane, "a tensor's box of %llu bytes: the block has %u", (unsigned long long)bytes,
                      w->block->shared_bytes);
  b->rows = (uint32_t)(bytes / b->row_bytes);
  return true;
}

static bool set_row(struct weir_warp *w, const struct weir_insn *i, unsigned lane, uint64_t address, struct box *b) {
  b->address = address;
  b->rows = 1;
  b->row_bytes = weir_copy_sizes(w, weir_copy_of(i))[lane];
  if (b->row_bytes % UNIT)
    return weir_raise(w, lane, "a bulk copy of %u bytes: they must be a multiple of %d", b->row_bytes, UNIT);
  return !(address % UNIT) || weir_raise_access(w, i, lane, address, UNIT);
}

// Whose shared memory an address of the cluster's is, as a mask of ranks; *at becomes the offset there.
static uint32_t block_of(const struct weir_warp *w, uint64_t *at) {
  const uint64_t rank = *at >> WEIR_CLUSTER_SHIFT;
  *at &= (UINT64_C(1) << WEIR_CLUSTER_SHIFT) - 1;
  if (!rank) return UINT32_C(1) << w->block->rank;
  return rank <= WEIR_MAX_CLUSTER ? UINT32_C(1) << (rank - 1) : 0;
}

// PTX ISA, cp.async.bulk: a copy to several blocks lies, and arrives, in each at the offset that the address has in this one.
static bool set_shared(struct weir_warp *w, const struct weir_insn *i, unsigned lane, struct box *b) {
  const struct weir_copy_op *op = weir_copy_of(i);
  b->shared = weir_shared_at(w, &op->shared, lane);
  b->blocks = block_of(w, &b->shared);
  if (op->multicasts) b->blocks = ((const uint32_t *)weir_at(w, op->blocks.bank, op->blocks.offset))[lane] & 0xffff;
  if (!check_blocks(w, lane, b->blocks)) return false;
  // Swizzled units change places within lines of 128 bytes.
  const uint32_t bytes = b->map.swizzle ? (box_bytes(b) + BOX_ALIGN - 1) / BOX_ALIGN * BOX_ALIGN : box_bytes(b);
  if (!check_shared(w, lane, b->shared, bytes, op->dimensions ? BOX_ALIGN : UNIT, "data")) return false;
  if (!op->arrives) return true;
  b->barrier = weir_shared_at(w, &op->barrier, lane);
  const uint32_t arrives = block_of(w, &b->barrier);
  if (!op->multicasts && arrives != b->blocks)
    return weir_raise(w, lane, "a bulk copy arrives at a barrier of another block than the one that it is for");
  return check_shared(w, lane, b->barrier, 8, 8, "barrier");
}

// What it asks of global memory, where `list` is given, which rows that lie side by side share. A prefetch may name any address.
static bool add_rows(struct weir_warp *w, const struct weir_insn *i, unsigned lane, const struct box *b, bool list) {
  const struct weir_copy_op *op = weir_copy_of(i);
  struct weir_block_state *block = w->block;
  const uint32_t first = block->segment_count;
  for (uint32_t k = 0; k < b->rows; k++) {
    const struct row r = row_of(b, k);
    if (!r.bytes) continue;
    if (op->prefetches && !weir_memory_at(block->launch->memory, r.address, r.bytes)) continue;
    if (!op->prefetches && !check_global(w, i, lane, &r, op->stores)) return false;
    if (!list) continue;
    struct weir_segment *last = block->segment_count > first ? &block->segments[block->segment_count - 1] : NULL;
    if (last && last->address + last->bytes == r.address)
      last->bytes += r.bytes;
    else
      *weir_push(block->segments, block->segment_count, block->segment_capacity) =
        (struct weir_segment){r.address, r.bytes, lane};
  }
  return true;
}

static bool prepare(struct weir_warp *w, const struct weir_insn *i, unsigned lane, uint64_t address, bool list,
                    struct box *b) {
  const struct weir_copy_op *op = weir_copy_of(i);
  *b = (struct box){0};
  if (!(op->dimensions ? set_tensor : set_row)(w, i, lane, address, b)) return false;
  if (!op->prefetches && !set_shared(w, i, lane, b)) return false;
  if (!op->from_shared) return add_rows(w, i, lane, b, list);
  b->from = weir_cluster_own(w->block, address);
  return check_shared(w, lane, b->from, box_bytes(b), UNIT, "source");
}

// ---- copying ----------------------------------------------------------------------------------------------------------------

// Between a row's bytes one after the other and where they lie in shared memory.
static void move_row(const struct box *b, uint8_t *shared, uint32_t number, uint8_t *data, bool to_shared) {
  const uint64_t at = b->shared + (uint64_t)number * b->row_bytes;
  for (uint32_t u = 0; u < b->row_bytes; u += UNIT) {
    uint8_t *own = shared + weir_swizzled(at + u, b->map.swizzle);
    memcpy(to_shared ? own : data + u, to_shared ? data + u : own, UNIT);
  }
}

// The type's canonical NaN.
static void fill_outside(const struct box *b, uint8_t *data) {
  static const uint64_t f16 = UINT64_C(0x7fff7fff7fff7fff), f32 = UINT64_C(0x7fffffff7fffffff),
                        f64 = UINT64_C(0x7fffffffffffffff);
  const uint64_t nan = b->map.stride[0] == 2 ? f16 : b->map.stride[0] == 4 ? f32 : f64, word = b->map.nan ? nan : 0;
  for (uint32_t k = 0; k < b->row_bytes; k += sizeof word) memcpy(data + k, &word, sizeof word);
}

// Element by element, each of them atomically. A tensor map says what elements are.
static void reduce(const struct weir_insn *i, const struct box *b, uint8_t *global, const uint8_t *data,
                   uint32_t bytes) {
  struct weir_insn as = *i;
  if (b->map.rank) {
    as.type = (uint8_t)weir_tensor_reduces_as(b->map.type);
    as.bytes = (uint8_t)weir_tensor_element_bytes(b->map.type);
  }
  for (uint32_t at = 0; at < bytes; at += as.bytes) {
    uint64_t operand = 0;
    memcpy(&operand, data + at, as.bytes);
    weir_atomic_combine(&as, global + at, operand, 0);
  }
}

static void copy_box(struct weir_warp *w, const struct weir_insn *i, const struct box *b, uint8_t *shared) {
  const struct weir_copy_op *op = weir_copy_of(i);
  uint8_t data[MOST_ROW];
  for (uint32_t k = 0; k < b->rows; k++) {
    const struct row r = row_of(b, k);
    uint8_t *global = r.bytes ? weir_memory_at(w->block->launch->memory, r.address, r.bytes) : NULL;
    if (op->stores)
      move_row(b, shared, k, data, false);
    else
      fill_outside(b, data);
    if (global && op->reduces)
      reduce(i, b, global, data + r.before, r.bytes);
    else if (global)
      memcpy(op->stores ? global : data + r.before, op->stores ? data + r.before : global, r.bytes);
    if (!op->stores) move_row(b, shared, k, data, true);
  }
}

// As copy_box, of any length; between shared and global memory, or from the block's own shared memory.
static void copy_row(struct weir_warp *w, const struct weir_insn *i, const struct box *b, uint8_t *shared) {
  const struct weir_copy_op *op = weir_copy_of(i);
  if (!b->row_bytes) return;
  uint8_t *other =
    op->from_shared ? w->block->shared + b->from : weir_memory_at(w->block->launch->memory, b->address, b->row_bytes);
  uint8_t *to = op->stores ? other : shared + b->shared;
  const uint8_t *from = op->stores ? shared + b->shared : other;
  if (op->reduces)
    reduce(i, b, to, from, b->row_bytes);
  else
    memmove(to, from, b->row_bytes);
}

static bool copy(struct weir_warp *w, const struct weir_insn *i, unsigned lane, const struct box *b) {
  const struct weir_copy_op *op = weir_copy_of(i);
  for (uint32_t ranks = op->prefetches ? 0 : b->blocks; ranks; ranks &= ranks - 1) {
    uint8_t *shared = w->block->cluster->blocks[weir_lowest(ranks)]->shared;
    (b->map.rank ? copy_box : copy_row)(w, i, b, shared);
    if (op->arrives && !weir_mbarrier_transfer(w, lane, box_bytes(b), (uint64_t *)(void *)(shared + b->barrier)))
      return false;
  }
  return true;
}

// ---- the instruction ----------------------------------------------------------------------------------------------------

static void describe(const struct weir_warp *w, const struct weir_insn *i, const struct box *first,
                     struct weir_winstr *out) {
  const struct weir_copy_op *op = weir_copy_of(i);
  const bool own = op->arrives && first->blocks >> w->block->rank & 1; // others' barriers are not told
  out->space = WEIR_MEM_GLOBAL;
  out->arrives_at = own ? (uint32_t)first->barrier : op->stores ? WEIR_ARRIVES_IN_GROUP : WEIR_ARRIVES_NOWHERE;
  out->fetches = op->stores ? WEIR_PREFETCH_NONE : first->map.prefetch;
  out->segments = w->block->segments;
  out->segment_count = w->block->segment_count;
}

// Lane by lane, in ascending order: all are checked before one is done.
static bool memory_bulk(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, struct weir_winstr *out) {
  uint64_t scratch[WEIR_MAX_LANES];
  struct box box, first = {0};
  uint64_t *address = out ? out->address : scratch;
  w->block->segment_count = 0;
  weir_lane_addresses(w, i, mask, address);
  for (uint64_t m = mask; m; m &= m - 1) {
    if (!prepare(w, i, weir_lowest(m), address[weir_lowest(m)], out, &box)) return false;
    if (m == mask) first = box;
  }
  if (out) describe(w, i, &first, out);
  if (weir_puts_off(w, i, mask, out, weir_copy_of(i)->stores ? WEIR_MOVE_STORE : WEIR_MOVE_COPY)) return true;
  for (; mask; mask &= mask - 1) {
    const unsigned l = weir_lowest(mask);
    if (!prepare(w, i, l, address[l], false, &box) || !copy(w, i, l, &box)) return false;
  }
  return true;
}

void weir_fill_bulk(struct weir_ops *t) {
  t->memory[WEIR_M_bulk] = memory_bulk;
}

// ---- as rows of words -----------------------------------------------------------------------------------------------------

// What is left of a segment from `at` on, up to the end of a line of 128 bytes.
static uint32_t next_row(struct weir_winstr *row, uint64_t at, uint64_t end) {
  enum { LINE = 128, WORD = 4 };
  const uint64_t line_end = (at | (LINE - 1)) + 1;
  const uint32_t bytes = (uint32_t)((line_end < end ? line_end : end) - at), words = (bytes + WORD - 1) / WORD;
  row->active = weir_mask(words);
  for (uint32_t l = 0; l < words; l++) row->address[l] = (at & ~(uint64_t)(WORD - 1)) + l * WORD;
  return bytes;
}

void weir_observe_bulk(const struct weir_observer *o, const struct weir_winstr *access) {
  struct weir_winstr row = {.what = access->what, .pc = access->pc, .space = access->space, .policy = access->policy};
  for (uint32_t s = 0; s < access->segment_count; s++) {
    const uint64_t end = access->segments[s].address + access->segments[s].bytes;
    for (uint64_t at = access->segments[s].address; at < end;) {
      at += next_row(&row, at, end);
      o->saw(o->context, &row);
    }
  }
}
