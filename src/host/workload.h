// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Bundled workloads: kernels in OpenCL C (workloads/NAME/NAME.cl) with their committed PTX (NAME.ptx), host side in C
// (NAME.c) that ends in one descriptor, and one line in the table (workloads/table.def). Every workload checks its
// results against a CPU reference.
#ifndef WEIR_HOST_WORKLOAD_H
#define WEIR_HOST_WORKLOAD_H

#include "host/host.h"

enum weir_size { WEIR_SIZE_SMALL, WEIR_SIZE_PAPER }; // small: a timing run takes about 1 s

// What a scheme may say of its launches.
enum weir_launch_key {
  WEIR_TAKES_THREADS = 1,
  WEIR_TAKES_FOOTPRINT = 2,
  WEIR_TAKES_STRIDE = 4,
  WEIR_TAKES_INTERLEAVE = 8,
  WEIR_TAKES_GATHER = 16
};

struct weir_workload {
  const char *name;
  const char *summary;                 // one line
  const char *citation;                // whose program, and which row of which paper's table
  const char *small_text, *paper_text; // the inputs, in words: "512 × 512 matrices"
  const char *input_help;              // what --input FILE reads, or NULL: takes none
  unsigned takes;                      // of enum weir_launch_key: what it can be told (weir_host_shape)
  bool restrict_pointers; // no two pointers of a kernel point to the same bytes: all are restrict in the .cl
  size_t state_bytes;     // zeroed, handed to the hooks
  // Makes inputs (from `input` if not NULL), allocates and writes buffers, computes the reference. `seed` feeds every
  // random choice.
  bool (*prepare)(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed);
  bool (*run)(struct weir_host *h, void *state);   // launches, and host-side loops between them
  bool (*check)(struct weir_host *h, void *state); // true: results agree with the reference; else says where not
  void (*release)(void *state);                    // may be NULL
};

const struct weir_workload *weir_workload_find(const char *name); // NULL: none
unsigned weir_workload_takes(const struct weir_workload *w);      // of enum weir_launch_key
const struct weir_workload *const *weir_workloads(unsigned *count);

// The first element in which two arrays differ by more than `relative` × the larger magnitude + `absolute`, reported to
// the sink as a failed check; true if there is none. NaN equals NaN.
bool weir_check_f32(struct weir_host *h, const char *what, const float *got, const float *want, uint64_t count,
                    double relative, double absolute);
bool weir_check_u32(struct weir_host *h, const char *what, const uint32_t *got, const uint32_t *want, uint64_t count);

#endif
