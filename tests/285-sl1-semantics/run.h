// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Runs kernels drawn at random, as they are and as S-L1 makes them, and keeps all that they leave in memory.
#ifndef WEIR_TESTS_285_RUN_H
#define WEIR_TESTS_285_RUN_H

#include "exec/warp.h"
#include "kernel.h"
#include "ptx/ir.h"
#include "sl1/launch.h"
#include "sl1/sl1.h"

// How many of so many kernels to run: fewer where a sanitizer makes each of them slow.
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
  #define SL1_FEWER(count) ((count) / 12)
#else
  #define SL1_FEWER(count) (count)
#endif

// How a launch is made.
struct sl1_way {
  unsigned lanes;
  bool extended;     // by weir_sl1_extend, else as the kernel's own program makes it
  uint32_t lines;    // per thread
  uint64_t shuffled; // the seed of a random order of warps; 0: in the functional engine's
};

struct sl1_outcome {
  bool ran;
  char message[512]; // why not
  uint8_t *bytes;    // of all buffers, one after the other; freed by weir_free
  uint64_t size;
  uint64_t counts[WEIR_SL1_COUNTERS]; // the sums over all structures
};

// The module of a text, which must parse; NULL and `message` if it does not.
struct weir_module *sl1_parse(const char *text, char *message, size_t size);

void sl1_run(const struct sl1_kernel *k, const struct weir_module *m, const struct sl1_way *way,
             struct sl1_outcome *to);

// Where two outcomes differ, in words; false: nowhere.
bool sl1_differ(const struct sl1_kernel *k, const struct sl1_outcome *want, const struct sl1_outcome *got,
                char *message, size_t size);

#endif
