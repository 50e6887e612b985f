// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "exec/ops/fill.h"
#include "exec/ops/halves.h"
#include "exec/ops/lanes.h"

// Whole numbers to integers. Out of range clamps. NaN is 0, but from double precision, and to 64 bits, the most negative number's
// pattern (PTX ISA, cvt). Unsigned numbers from 2^31 on are converted less 2^31: that has an instruction in every vector.
static inline int32_t to_s32(float x) {
  const int32_t within = x < 0x1p31f ? (int32_t)x : INT32_MAX;
  return x >= -0x1p31f ? within : x < 0 ? INT32_MIN : 0;
}

static inline uint32_t to_u32(float x) {
  const uint32_t high = x < 0x1p32f ? (uint32_t)(int32_t)(x - 0x1p31f) + UINT32_C(0x80000000) : UINT32_MAX;
  const uint32_t positive = x < 0x1p31f ? (uint32_t)(int32_t)x : high;
  return x > 0 ? positive : 0;
}

static inline int32_t to_s32_from64(double x) {
  const int32_t within = x < 0x1p31 ? (int32_t)x : INT32_MAX;
  return x >= -0x1p31 ? within : INT32_MIN;
}

static inline uint32_t to_u32_from64(double x) {
  const uint32_t high = x < 0x1p32 ? (uint32_t)(int32_t)(x - 0x1p31) + UINT32_C(0x80000000) : UINT32_MAX;
  const uint32_t positive = x < 0x1p31 ? (uint32_t)(int32_t)x : high;
  return x > 0 ? positive : x != x ? UINT32_C(0x80000000) : 0;
}

static inline int64_t to_s64(double x) {
  const int64_t within = x < 0x1p63 ? (int64_t)x : INT64_MAX;
  return x >= -0x1p63 ? within : INT64_MIN;
}

static inline uint64_t to_u64(double x) {
  const uint64_t high = x < 0x1p64 ? (uint64_t)(int64_t)(x - 0x1p63) + (UINT64_C(1) << 63) : UINT64_MAX;
  const uint64_t positive = x < 0x1p63 ? (uint64_t)(int64_t)x : high;
  return x > 0 ? positive : x != x ? UINT64_C(1) << 63 : 0;
}

#include "exec/ops/convert.def"
#include "exec/ops/enter.h"
void WEIR_FILL(convert)(struct weir_ops *t) {
#include "exec/ops/convert.def"
}
