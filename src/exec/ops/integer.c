// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "exec/ops/fill.h"
#include "exec/ops/lanes.h"

static inline uint32_t saturate_s32(int64_t x) {
  return (uint32_t)(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x);
}

static inline uint64_t low24(uint32_t x) {
  return x & UINT32_C(0xffffff);
}

static inline int64_t sign24(uint32_t x) {
  return (int32_t)(x << 8) >> 8;
}

// The host traps on the most negative number divided by -1; the GPU wraps.
static inline uint64_t divide_s64(int64_t a, int64_t b) {
  if (b == 0) return UINT64_MAX;
  return b == -1 ? 0u - (uint64_t)a : (uint64_t)(a / b);
}

static inline uint64_t remainder_s64(int64_t a, int64_t b) {
  if (b == 0) return (uint64_t)a;
  return b == -1 ? 0u : (uint64_t)(a % b);
}

static inline uint32_t pair16(uint32_t low, uint32_t high) {
  return (low & UINT32_C(0xffff)) | high << 16;
}

static inline uint32_t min_u(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

static inline uint32_t max_u(uint32_t a, uint32_t b) {
  return a > b ? a : b;
}

static inline uint32_t min_s(int32_t a, int32_t b) {
  return (uint32_t)(a < b ? a : b);
}

static inline uint32_t max_s(int32_t a, int32_t b) {
  return (uint32_t)(a > b ? a : b);
}

#include "exec/ops/integer.def"
#include "exec/ops/enter.h"
void WEIR_FILL(integer)(struct weir_ops *t) {
#include "exec/ops/integer.def"
}
