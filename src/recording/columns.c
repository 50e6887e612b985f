// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "recording/columns.h"

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

// Records are read some at a time, so that their values stay in the host's first cache.
enum { SOME = 256 };

struct reader {
  const uint8_t *plane; // of the next column, at the first of these records
  uint32_t count;       // of the block's records: bytes of a plane
  uint32_t some;        // of these
  uint64_t values[SOME];
};

// Most planes are of nothing but zeros: they hold the upper bytes of small numbers.
static bool is_zero(const uint8_t *bytes, uint32_t count) {
  uint64_t any = 0, word;
  uint32_t i = 0;
  for (; i + 8 <= count; i += 8) {
    memcpy(&word, bytes + i, 8);
    any |= word;
  }
  for (; i < count; i++) any |= bytes[i];
  return !any;
}

static void get(struct reader *r, unsigned bytes) {
  const uint32_t some = r->some;
  const uint8_t *restrict plane = r->plane;
  uint64_t *restrict values = r->values;
  for (uint32_t i = 0; i < some; i++) values[i] = plane[i];
  for (unsigned b = 1; b < bytes; b++) {
    plane += r->count;
    if (is_zero(plane, some)) continue;
    for (uint32_t i = 0; i < some; i++) values[i] |= (uint64_t)plane[i] << 8 * b;
  }
  r->plane = plane + r->count;
}

// A column as a member of these records.
#define GET(member, type, bytes)                                                                                       \
  do {                                                                                                                 \
    get(&r, bytes);                                                                                                    \
    for (uint32_t i = 0; i < some; i++) to[i].member = (type)r.values[i];                                              \
  } while (0)

#define GET_BYTE(member)                                                                                               \
  do {                                                                                                                 \
    const uint8_t *restrict plane = r.plane;                                                                           \
    for (uint32_t i = 0; i < some; i++) to[i].member = plane[i];                                                       \
    r.plane += r.count;                                                                                                \
  } while (0)

static void pass(struct reader *r, unsigned columns_bytes) {
  r->plane += (size_t)columns_bytes * r->count;
}

void weir_recording_from_columns(const uint8_t *columns, uint32_t count, bool addresses_alone,
                                 struct weir_recorded *records) {
  struct last last = {0};
  struct reader r;
  uint64_t cycle = 0, pc = 0;
  r.count = count;
  for (uint32_t from = 0; from < count; from += SOME) {
    struct weir_recorded *restrict to = records + from;
    const uint32_t some = count - from < SOME ? count - from : SOME;
    r.plane = columns + from;
    r.some = some;
    GET(core, uint16_t, 2);
    get(&r, 8);
    for (uint32_t i = 0; i < some; i++) to[i].address = *last_address(&last, &to[i]) += unfolded(r.values[i]);
    if (addresses_alone) {
      pass(&r, 8 + 4 + 4 + 2); // cycle, pc, bytes, warp
      GET_BYTE(kind);
      GET_BYTE(flags);
      continue;
    }
    get(&r, 8);
    for (uint32_t i = 0; i < some; i++) to[i].cycle = cycle += unfolded(r.values[i]);
    get(&r, 4);
    for (uint32_t i = 0; i < some; i++) to[i].pc = (uint32_t)(pc += unfolded(r.values[i]));
    GET(bytes, uint32_t, 4);
    GET(warp, uint16_t, 2);
    GET_BYTE(kind);
    GET_BYTE(flags);
    GET_BYTE(l1_hint);
    GET_BYTE(l2_hint);
    GET_BYTE(prefetch);
    GET_BYTE(lanes);
    GET_BYTE(transactions);
    GET_BYTE(ready_warps);
    GET_BYTE(full);
  }
}
