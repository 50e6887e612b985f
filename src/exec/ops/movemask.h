// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// 32 lanes of all ones or all zeros to a lane mask. Compilers find no vector code for this by themselves.
#ifndef WEIR_EXEC_OPS_MOVEMASK_H
#define WEIR_EXEC_OPS_MOVEMASK_H

#include <stdint.h>

#if defined(__SSE2__)
  #include <immintrin.h>
#endif

static inline uint32_t movemask32(const uint32_t *lanes) {
  uint32_t r = 0;
#if defined(__AVX512DQ__)
  for (unsigned k = 0; k < 2; k++) r |= (uint32_t)_mm512_movepi32_mask(_mm512_loadu_si512(lanes + 16 * k)) << (16 * k);
#elif defined(__AVX2__)
  for (unsigned k = 0; k < 4; k++)
    r |= (uint32_t)_mm256_movemask_ps(_mm256_loadu_ps((const float *)lanes + 8 * k)) << (8 * k);
#elif defined(__SSE2__)
  for (unsigned k = 0; k < 8; k++)
    r |= (uint32_t)_mm_movemask_ps(_mm_loadu_ps((const float *)lanes + 4 * k)) << (4 * k);
#else
  for (unsigned l = 0; l < 32; l++) r |= (lanes[l] & 1) << l;
#endif
  return r;
}

static inline uint32_t movemask64(const uint64_t *lanes) {
  uint32_t r = 0;
#if defined(__AVX512DQ__)
  for (unsigned k = 0; k < 4; k++) r |= (uint32_t)_mm512_movepi64_mask(_mm512_loadu_si512(lanes + 8 * k)) << (8 * k);
#elif defined(__AVX2__)
  for (unsigned k = 0; k < 8; k++)
    r |= (uint32_t)_mm256_movemask_pd(_mm256_loadu_pd((const double *)lanes + 4 * k)) << (4 * k);
#elif defined(__SSE2__)
  for (unsigned k = 0; k < 16; k++)
    r |= (uint32_t)_mm_movemask_pd(_mm_loadu_pd((const double *)lanes + 2 * k)) << (2 * k);
#else
  for (unsigned l = 0; l < 32; l++) r |= (uint32_t)(lanes[l] & 1) << l;
#endif
  return r;
}

#endif
