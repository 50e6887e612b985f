// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// 32 lanes of all ones or all zeros to a lane mask. Compilers find no vector code for this by themselves.
#ifndef WEIR_EXEC_OPS_MOVEMASK_H
#define WEIR_EXEC_OPS_MOVEMASK_H

#include <stdint.h>
#include <string.h>

// One instruction takes the top bits of the lanes of a register. The compilers' own names for it (gcc and clang have the same), as
// <immintrin.h> takes longer to compile than all that is compiled with it here.
#if defined(__AVX512DQ__)
enum { MOVEMASK_BYTES = 64 };
typedef int movemask32_vector __attribute__((vector_size(64)));
typedef long long movemask64_vector __attribute__((vector_size(64)));
  #define MOVEMASK32(v) ((uint16_t)__builtin_ia32_cvtd2mask512(v))
  #define MOVEMASK64(v) ((uint8_t)__builtin_ia32_cvtq2mask512(v))
#elif defined(__AVX2__)
enum { MOVEMASK_BYTES = 32 };
typedef float movemask32_vector __attribute__((vector_size(32)));
typedef double movemask64_vector __attribute__((vector_size(32)));
  #define MOVEMASK32(v) ((uint32_t)__builtin_ia32_movmskps256(v))
  #define MOVEMASK64(v) ((uint32_t)__builtin_ia32_movmskpd256(v))
#elif defined(__SSE2__)
enum { MOVEMASK_BYTES = 16 };
typedef float movemask32_vector __attribute__((vector_size(16)));
typedef double movemask64_vector __attribute__((vector_size(16)));
  #define MOVEMASK32(v) ((uint32_t)__builtin_ia32_movmskps(v))
  #define MOVEMASK64(v) ((uint32_t)__builtin_ia32_movmskpd(v))
#endif

static inline uint32_t movemask32(const uint32_t *lanes) {
  uint32_t r = 0;
#if defined(__SSE2__)
  for (unsigned l = 0; l < 32; l += MOVEMASK_BYTES / 4) {
    movemask32_vector v;
    memcpy(&v, lanes + l, sizeof v);
    r |= (uint32_t)MOVEMASK32(v) << l;
  }
#else
  for (unsigned l = 0; l < 32; l++) r |= (lanes[l] & 1) << l;
#endif
  return r;
}

static inline uint32_t movemask64(const uint64_t *lanes) {
  uint32_t r = 0;
#if defined(__SSE2__)
  for (unsigned l = 0; l < 32; l += MOVEMASK_BYTES / 8) {
    movemask64_vector v;
    memcpy(&v, lanes + l, sizeof v);
    r |= (uint32_t)MOVEMASK64(v) << l;
  }
#else
  for (unsigned l = 0; l < 32; l++) r |= (uint32_t)(lanes[l] & 1) << l;
#endif
  return r;
}

#endif
