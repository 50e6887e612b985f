// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "exec/ops/fill.h"
#include "exec/ops/halves.h"
#include "exec/ops/lanes.h"

// Whole numbers to integers. Out of range clamps. NaN is 0, but from double precision, and to 64 bits, the most negative number's
// pattern (PTX ISA, cvt). Unsigned numbers from 2^31 on are converted less 2^31: that has an instruction in every vector.
static inline int32_t to_s32(float x) {
  return x >= -0x1p31f ? (x < 0x1p31f ? (int32_t)x : INT32_MAX) : (x < 0 ? INT32_MIN : 0);
}

static inline uint32_t from_high(float x) {
  return x < 0x1p32f ? (uint32_t)(int32_t)(x - 0x1p31f) + UINT32_C(0x80000000) : UINT32_MAX;
}

static inline uint32_t to_u32(float x) {
  return x > 0 ? (x < 0x1p31f ? (uint32_t)(int32_t)x : from_high(x)) : 0;
}

static inline int32_t to_s32_from64(double x) {
  return x >= -0x1p31 ? (x < 0x1p31 ? (int32_t)x : INT32_MAX) : INT32_MIN;
}

static inline uint32_t from_high64(double x) {
  return x < 0x1p32 ? (uint32_t)(int32_t)(x - 0x1p31) + UINT32_C(0x80000000) : UINT32_MAX;
}

static inline uint32_t to_u32_from64(double x) {
  return x > 0 ? (x < 0x1p31 ? (uint32_t)(int32_t)x : from_high64(x)) : (x != x ? UINT32_C(0x80000000) : 0);
}

static inline int64_t to_s64(double x) {
  return x >= -0x1p63 ? (x < 0x1p63 ? (int64_t)x : INT64_MAX) : INT64_MIN;
}

static inline uint64_t to_u64(double x) {
  return x > 0 ? (x < 0x1p64 ? (uint64_t)x : UINT64_MAX) : (x != x ? UINT64_C(1) << 63 : 0);
}

#include "exec/ops/convert.def"
#include "exec/ops/enter.h"
void WEIR_FILL(convert)(struct weir_ops *t) {
#include "exec/ops/convert.def"
}
