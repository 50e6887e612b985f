// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Kernels in OpenCL C as functions for threads of a CPU: the same loops over the same chunks. Clang compiles them for the processor that it runs
// on, without OpenCL's header.
#ifndef WEIR_CPU_STREAMS_OPENCL_H
#define WEIR_CPU_STREAMS_OPENCL_H

typedef unsigned char uchar;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef uint uint2 __attribute__((ext_vector_type(2)));

#define __kernel static
#define __global

uint stream_thread(void);
uint stream_threads(void);
#define get_global_id(dimension) stream_thread()
#define get_global_size(dimension) stream_threads()

#define atomic_add(at, n) __sync_fetch_and_add(at, n)
#define atomic_inc(at) __sync_fetch_and_add(at, 1u)
#define atomic_cmpxchg(at, was, now) __sync_val_compare_and_swap(at, was, now)
#define min(a, b) ((a) < (b) ? (a) : (b))

static uint atomic_min(volatile uint *at, uint n) {
  uint was = *at;
  while (was > n) {
    const uint found = __sync_val_compare_and_swap(at, was, n);
    if (found == was) break;
    was = found;
  }
  return was;
}

// One thread's part of a launch: the kernel's arguments lie behind one another at `at`, pointers as the process has them.
#define POINTER(i) (*(void *const *)arguments[i])
#define UINT(i) (*(const uint *)arguments[i])
#define ULONG(i) (*(const ulong *)arguments[i])

#endif
