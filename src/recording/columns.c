// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "recording/columns.h"

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

// One column: the lowest bytes of all values, then the next ones. A block's columns are a power of two apart, so they are gone through
// one at a time: side by side they would take the same few lines of the host's cache.
static uint8_t *put(uint8_t *plane, uint32_t count, const uint64_t *values, unsigned bytes) {
  for (unsigned b = 0; b < bytes; b++, plane += count)
    for (uint32_t i = 0; i < count; i++) plane[i] = (uint8_t)(values[i] >> 8 * b);
  return plane;
}

static const uint8_t *get(const uint8_t *plane, uint32_t count, uint64_t *values, unsigned bytes) {
  for (uint32_t i = 0; i < count; i++) values[i] = plane[i];
  for (unsigned b = 1; b < bytes; b++) {
    plane += count;
    for (uint32_t i = 0; i < count; i++) values[i] |= (uint64_t)plane[i] << 8 * b;
  }
  return plane + count;
}

// A member of all records as a column of so many bytes.
#define PUT(member, bytes)                                                                                             \
  do {                                                                                                                 \
    for (uint32_t i = 0; i < count; i++) values[i] = records[i].member;                                                \
    columns = put(columns, count, values, bytes);                                                                      \
  } while (0)

#define GET(member, type, bytes)                                                                                       \
  do {                                                                                                                 \
    columns = get(columns, count, values, bytes);                                                                      \
    for (uint32_t i = 0; i < count; i++) records[i].member = (type)values[i];                                          \
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

void weir_recording_from_columns(const uint8_t *columns, uint32_t count, struct weir_recorded *records) {
  uint64_t values[WEIR_RECORDING_BLOCK];
  struct last last = {0};
  GET(core, uint16_t, 2);
  columns = get(columns, count, values, 8);
  for (uint32_t i = 0; i < count; i++) records[i].address = *last_address(&last, &records[i]) += unfolded(values[i]);
  columns = get(columns, count, values, 8);
  for (uint32_t i = 0; i < count; i++) records[i].cycle = (i ? records[i - 1].cycle : 0) + unfolded(values[i]);
  columns = get(columns, count, values, 4);
  for (uint32_t i = 0; i < count; i++) records[i].pc = (uint32_t)((i ? records[i - 1].pc : 0) + unfolded(values[i]));
  GET(bytes, uint32_t, 4);
  GET(warp, uint16_t, 2);
  GET(kind, uint8_t, 1);
  GET(flags, uint8_t, 1);
  GET(l1_hint, uint8_t, 1);
  GET(l2_hint, uint8_t, 1);
  GET(prefetch, uint8_t, 1);
  GET(lanes, uint8_t, 1);
  GET(transactions, uint8_t, 1);
  GET(ready_warps, uint8_t, 1);
  GET(full, uint8_t, 1);
}
