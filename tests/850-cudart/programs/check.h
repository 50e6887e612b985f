// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What the test programs have in common: a failed check says where and what; the program goes on and ends with 1.
#ifndef WEIR_TEST_CHECK_H
#define WEIR_TEST_CHECK_H

#include <stdio.h>

static int failures;

#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      failures++;                                                                                                      \
      printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                                 \
    }                                                                                                                  \
  } while (0)

// A call's error is the one expected, and cudaGetLastError forgets it.
#define EXPECT(call, error)                                                                                            \
  do {                                                                                                                 \
    cudaError_t got_ = (call);                                                                                         \
    if (got_ != (error)) {                                                                                             \
      failures++;                                                                                                      \
      printf("%s:%d: %s: %d (%s), not %s\n", __FILE__, __LINE__, #call, (int)got_, cudaGetErrorName(got_), #error);    \
    }                                                                                                                  \
    cudaGetLastError();                                                                                                \
  } while (0)

#define OK(call) EXPECT(call, cudaSuccess)

// What a kernel launch said, and what its execution said.
#define LAUNCHED()                                                                                                     \
  do {                                                                                                                 \
    OK(cudaGetLastError());                                                                                            \
    OK(cudaDeviceSynchronize());                                                                                       \
  } while (0)

static inline int finish(const char *name) {
  printf("%s: %s\n", name, failures ? "FAILED" : "ok");
  return failures != 0;
}

#endif
