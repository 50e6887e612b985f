// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a lane of a slot holds under each operand type: slot (as stored), value (as computed with), get, put, and the
// table of lane bits of the slot's width. 16-bit values are computed in 32 bits, so that C's promotion to int cannot
// overflow; z32 is f32 under .ftz, which flushes subnormal operands and results to zero of the same sign.
#ifndef WEIR_EXEC_OPS_TYPES_H
#define WEIR_EXEC_OPS_TYPES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef uint32_t u16_slot, s16_slot, u32_slot, s32_slot;
typedef uint64_t u64_slot, s64_slot;
typedef float f32_slot, z32_slot;
typedef double f64_slot;
typedef uint32_t u16_value, u32_value;
typedef int32_t s16_value, s32_value;
typedef uint64_t u64_value;
typedef int64_t s64_value;
typedef float f32_value, z32_value;
typedef double f64_value;

#define u16_get(x) ((x)&UINT32_C(0xffff))
#define s16_get(x) ((int32_t)(int16_t)(x))
#define u32_get(x) (x)
#define s32_get(x) ((int32_t)(x))
#define u64_get(x) (x)
#define s64_get(x) ((int64_t)(x))
#define f32_get(x) (x)
#define z32_get(x) flush32(x)
#define f64_get(x) (x)

#define u16_put(x) ((uint32_t)(x))
#define s16_put(x) ((uint32_t)(x))
#define u32_put(x) ((uint32_t)(x))
#define s32_put(x) ((uint32_t)(x))
#define u64_put(x) ((uint64_t)(x))
#define s64_put(x) ((uint64_t)(x))
#define f32_put(x) (x)
#define z32_put(x) flush32(x)
#define f64_put(x) (x)

#define u16_bit lane_bit32
#define s16_bit lane_bit32
#define u32_bit lane_bit32
#define s32_bit lane_bit32
#define u64_bit lane_bit64
#define s64_bit lane_bit64
#define f32_bit lane_bit32
#define z32_bit lane_bit32
#define f64_bit lane_bit64

static inline uint32_t bits32(float x) {
  uint32_t b;
  memcpy(&b, &x, sizeof b);
  return b;
}

static inline float float32(uint32_t b) {
  float x;
  memcpy(&x, &b, sizeof x);
  return x;
}

static inline uint64_t bits64(double x) {
  uint64_t b;
  memcpy(&b, &x, sizeof b);
  return b;
}

static inline double float64(uint64_t b) {
  double x;
  memcpy(&x, &b, sizeof x);
  return x;
}

// A subnormal becomes zero of its sign.
static inline float flush32(float x) {
  const uint32_t b = bits32(x);
  return float32((b & UINT32_C(0x7f800000)) ? b : b & UINT32_C(0x80000000));
}

// NVIDIA's single-precision units deliver one NaN only (PTX ISA, "Floating Point Instructions").
static inline float nan32(float x) {
  return float32(x != x ? UINT32_C(0x7fffffff) : bits32(x));
}

// Double precision keeps the payload of the first operand that is a NaN, made quiet; an invalid operation gives the
// default NaN. Spelled out because compilers swap the operands of + and *.
#define WEIR_NAN64 UINT64_C(0xfff8000000000000)
#define WEIR_QUIET64 UINT64_C(0x0008000000000000)

static inline double nan64_1(double r, double a) {
  const uint64_t n = a != a ? bits64(a) | WEIR_QUIET64 : WEIR_NAN64;
  return float64(r != r ? n : bits64(r));
}

static inline double nan64_2(double r, double a, double b) {
  const uint64_t nb = b != b ? bits64(b) | WEIR_QUIET64 : WEIR_NAN64;
  const uint64_t n = a != a ? bits64(a) | WEIR_QUIET64 : nb;
  return float64(r != r ? n : bits64(r));
}

static inline double nan64_3(double r, double a, double b, double c) {
  const uint64_t nc = c != c ? bits64(c) | WEIR_QUIET64 : WEIR_NAN64;
  const uint64_t nb = b != b ? bits64(b) | WEIR_QUIET64 : nc;
  const uint64_t n = a != a ? bits64(a) | WEIR_QUIET64 : nb;
  return float64(r != r ? n : bits64(r));
}

#endif
