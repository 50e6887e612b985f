// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "recording/columns.h"

#include <assert.h>
#include <string.h>

// Differences go both ways: the sign in the lowest bit, so that small ones have zeros above.
static uint64_t folded(uint64_t difference) {
  return difference << 1 ^ (uint64_t)((int64_t)difference >> 63);
}

static uint64_t unfolded(uint64_t f) {
  return f >> 1 ^ (0 - (f & 1));
}

enum { CORES = 256 };

struct last {
  uint64_t address[CORES];
};

static uint64_t *last_address(struct last *l, const struct weir_recorded *r) {
  return &l->address[r->core % CORES];
}

// One column: the lowest bytes of all values, then the next ones.
static uint8_t *put(uint8_t *plane, uint32_t count, const uint64_t *values, unsigned bytes) {
  for (unsigned b = 0; b < bytes; b++, plane += count)
    for (uint32_t i = 0; i < count; i++) plane[i] = (uint8_t)(values[i] >> 8 * b);
  return plane;
}

// A member of all records as a column of so many bytes.
#define PUT(member, bytes)                                                                                             \
  do {                                                                                                                 \
    for (uint32_t i = 0; i < count; i++) values[i] = records[i].member;                                                \
    columns = put(columns, count, values, bytes);                                                                      \
  } while (0)

void weir_recording_to_columns(const struct weir_recorded *records, uint32_t count, uint8_t *columns) {
  uint64_t values[WEIR_RECORDING_BLOCK];
  struct last last = {0};
  PUT(core, 2);
  for (uint32_t i = 0; i < count; i++) {
    values[i] = folded(records[i].address - *last_address(&last, &records[i]));
    *last_address(&last, &records[i]) = records[i].address;
  }
  columns = put(columns, count, values, 8);
  for (uint32_t i = 0; i < count; i++) values[i] = folded(records[i].cycle - (i ? records[i - 1].cycle : 0));
  columns = put(columns, count, values, 8);
  for (uint32_t i = 0; i < count; i++)
    values[i] = folded((uint64_t)(int32_t)(records[i].pc - (i ? records[i - 1].pc : 0)));
  columns = put(columns, count, values, 4);
  PUT(bytes, 4);
  PUT(warp, 2);
  PUT(kind, 1);
  PUT(flags, 1);
  PUT(l1_hint, 1);
  PUT(l2_hint, 1);
  PUT(prefetch, 1);
  PUT(lanes, 1);
  PUT(transactions, 1);
  PUT(ready_warps, 1);
  PUT(full, 1);
}

// ---- reading ------------------------------------------------------------------------------------------------------------

// Records are read sixteen at a time: a byte of each from every plane, which are then turned into eight bytes of each.
enum { STEP = 16 };
typedef uint8_t bytes_16 __attribute__((vector_size(STEP)));
typedef uint16_t words_8 __attribute__((vector_size(STEP)));
typedef uint32_t words_4 __attribute__((vector_size(STEP)));

#define LOWER_8(a, b) __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define UPPER_8(a, b) __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define LOWER_16(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define UPPER_16(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#define LOWER_32(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define UPPER_32(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#define INLINE static inline __attribute__((always_inline))

// Of four planes: the i-th has bytes 0 to 3 of records 4i to 4i + 3.
INLINE void turn_four(const bytes_16 planes[4], words_4 turned[4]) {
  const words_8 low01 = (words_8)LOWER_8(planes[0], planes[1]), high01 = (words_8)UPPER_8(planes[0], planes[1]),
                low23 = (words_8)LOWER_8(planes[2], planes[3]), high23 = (words_8)UPPER_8(planes[2], planes[3]);
  turned[0] = (words_4)LOWER_16(low01, low23);
  turned[1] = (words_4)UPPER_16(low01, low23);
  turned[2] = (words_4)LOWER_16(high01, high23);
  turned[3] = (words_4)UPPER_16(high01, high23);
}

INLINE void turn(const bytes_16 planes[8], uint64_t values[STEP]) {
  words_4 low[4], high[4];
  turn_four(planes, low);
  turn_four(planes + 4, high);
  for (unsigned i = 0; i < 4; i++) {
    const words_4 lower = LOWER_32(low[i], high[i]), upper = UPPER_32(low[i], high[i]);
    memcpy(values + 4 * i, &lower, sizeof lower);
    memcpy(values + 4 * i + 2, &upper, sizeof upper);
  }
}

// The columns, in order, by the number of their first plane.
enum {
  CORE = 0,
  ADDRESS = 2,
  CYCLE = 10,
  PC = 18,
  BYTES = 22,
  WARP = 26,
  KIND = 28,
  FLAGS,
  L1_HINT,
  L2_HINT,
  PREFETCH
};

struct reader {
  const uint8_t *columns;
  uint32_t count; // of records
  struct weir_recorded *records;
  uint64_t cycle; // of the last record
  uint32_t pc;
  struct last last;
};

// So many from `from` on: all sixteen, but at the end.
struct step {
  uint32_t from, count;
};

INLINE bytes_16 plane(const struct reader *r, struct step s, unsigned number) {
  bytes_16 bytes = {0};
  memcpy(&bytes, r->columns + (size_t)number * r->count + s.from, s.count);
  return bytes;
}

INLINE void eight_planes(const struct reader *r, struct step s, unsigned first, uint64_t values[STEP]) {
  bytes_16 planes[8];
  for (unsigned i = 0; i < 8; i++) planes[i] = plane(r, s, first + i);
  turn(planes, values);
}

// What of a record is as it is in the columns lies side by side in both: eight bytes and five.
static_assert(offsetof(struct weir_recorded, warp) == offsetof(struct weir_recorded, core) + 2, "core, warp");
static_assert(offsetof(struct weir_recorded, kind) == offsetof(struct weir_recorded, core) + 4, "core, warp, kind");
static_assert(offsetof(struct weir_recorded, flags) == offsetof(struct weir_recorded, kind) + 1, "kind, flags");
static_assert(offsetof(struct weir_recorded, l1_hint) == offsetof(struct weir_recorded, kind) + 2, "… l1_hint");
static_assert(offsetof(struct weir_recorded, l2_hint) == offsetof(struct weir_recorded, kind) + 3, "… l2_hint");
static_assert(offsetof(struct weir_recorded, prefetch) == offsetof(struct weir_recorded, kind) + 4, "… prefetch");
static_assert(offsetof(struct weir_recorded, full) == offsetof(struct weir_recorded, prefetch) + 4, "… full");
static_assert(sizeof(struct weir_recorded) == offsetof(struct weir_recorded, prefetch) + 8,
              "eight bytes from prefetch");
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the lowest byte is the first");

INLINE void put_core_to_l2_hint(const struct reader *r, struct step s, bool addresses_alone) {
  uint64_t values[STEP];
  bytes_16 planes[8] = {{0}};
  planes[0] = plane(r, s, CORE);
  planes[1] = plane(r, s, CORE + 1);
  if (!addresses_alone) planes[2] = plane(r, s, WARP), planes[3] = plane(r, s, WARP + 1);
  planes[4] = plane(r, s, KIND);
  planes[5] = plane(r, s, FLAGS);
  if (!addresses_alone) planes[6] = plane(r, s, L1_HINT), planes[7] = plane(r, s, L2_HINT);
  turn(planes, values);
  for (uint32_t i = 0; i < s.count; i++) memcpy(&r->records[s.from + i].core, &values[i], 8);
}

INLINE void put_prefetch_to_full(const struct reader *r, struct step s) {
  uint64_t values[STEP];
  bytes_16 planes[8] = {{0}};
  for (unsigned i = 0; i < 5; i++) planes[i] = plane(r, s, PREFETCH + i);
  turn(planes, values);
  for (uint32_t i = 0; i < s.count; i++) memcpy(&r->records[s.from + i].prefetch, &values[i], 8);
}

INLINE void put_addresses(struct reader *r, struct step s) {
  uint64_t values[STEP];
  eight_planes(r, s, ADDRESS, values);
  for (uint32_t i = 0; i < STEP; i++) values[i] = unfolded(values[i]);
  for (uint32_t i = 0; i < s.count; i++) {
    struct weir_recorded *to = &r->records[s.from + i];
    to->address = *last_address(&r->last, to) += values[i];
  }
}

INLINE void put_cycles(struct reader *r, struct step s) {
  uint64_t values[STEP], cycle = r->cycle;
  eight_planes(r, s, CYCLE, values);
  for (uint32_t i = 0; i < STEP; i++) values[i] = unfolded(values[i]);
  for (uint32_t i = 0; i < s.count; i++) r->records[s.from + i].cycle = cycle += values[i];
  r->cycle = cycle;
}

INLINE void put_pcs_and_bytes(struct reader *r, struct step s) {
  uint64_t values[STEP];
  uint32_t pc = r->pc;
  eight_planes(r, s, PC, values);
  for (uint32_t i = 0; i < s.count; i++) {
    struct weir_recorded *to = &r->records[s.from + i];
    to->pc = pc += (uint32_t)unfolded((uint32_t)values[i]);
    to->bytes = (uint32_t)(values[i] >> 32);
  }
  r->pc = pc;
}

INLINE void take_step(struct reader *r, struct step s, bool addresses_alone) {
  put_core_to_l2_hint(r, s, addresses_alone);
  put_addresses(r, s);
  if (addresses_alone) return;
  put_cycles(r, s);
  put_pcs_and_bytes(r, s);
  put_prefetch_to_full(r, s);
}

INLINE void take_all(struct reader *r, bool addresses_alone) {
  uint32_t from = 0;
  for (; from + STEP <= r->count; from += STEP) take_step(r, (struct step){from, STEP}, addresses_alone);
  if (from < r->count) take_step(r, (struct step){from, r->count - from}, addresses_alone);
}

void weir_recording_from_columns(const uint8_t *columns, uint32_t count, bool addresses_alone,
                                 struct weir_recorded *records) {
  struct reader r = {.columns = columns, .count = count, .records = records};
  if (addresses_alone)
    take_all(&r, true);
  else
    take_all(&r, false);
}
