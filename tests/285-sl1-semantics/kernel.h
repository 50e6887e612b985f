// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Kernels drawn at random for the tests of S-L1. Invariant: a kernel is free of races and stays within its buffers, so
// that its outputs are one value whatever the width of warps and the order they run in; and it has no more freedom than
// that, so that whoever changes an output has changed what the program means. A seed gives the same kernel everywhere.
//
// Who owns what: bytes of a buffer that a kernel writes belong to one thread each, in granules that lie thread by thread
// (neighbouring bytes of a line are different threads'), chunk by chunk, or within the block, where other threads read
// them between two barriers.
#ifndef WEIR_TESTS_285_KERNEL_H
#define WEIR_TESTS_285_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

enum { SL1_MOST_BUFFERS = 10, SL1_MOST_POINTERS = 12, SL1_MOST_SCALARS = 3 };

enum sl1_role {
  SL1_READ,     // by any thread, anywhere; never written
  SL1_OWN,      // granule k of a thread belongs to it alone
  SL1_EXCHANGE, // the same, but its block reads it between two barriers
  SL1_COUNT,    // of commutative atomic operations by all threads
  SL1_POINTERS, // the address of each thread's granule 0 of another buffer
  SL1_OUT,      // as OWN, and what the threads put out at their end
};

enum sl1_order {
  SL1_INTERLEAVED, // granule k of thread t is granule k × threads + t
  SL1_CHUNKED,     // thread t has granules from byte t × chunk on
};

struct sl1_buffer {
  enum sl1_role role;
  enum sl1_order order;
  uint32_t granule; // bytes: 1, 2, 4, 8 or 16
  uint32_t count;   // granules: of each thread, or of a READ or COUNT buffer; a power of two
  uint32_t chunk;   // bytes from a thread's first granule to the next thread's (CHUNKED)
  uint32_t bytes;   // all of it
  uint32_t target;  // POINTERS: the buffer that they point into
  bool variable;    // the module's own, not the host's
  bool direct;      // the kernel has no other way to it than that variable's name
};

struct sl1_pointer {       // a parameter, or part of one
  uint32_t buffer, offset; // it points to that byte
  int32_t member;          // byte of the struct parameter; -1: a parameter of its own
  bool atomics, strong;    // some accesses by it are atomic; some are volatile, relaxed, acquire or release
  char name[64];           // of that parameter
};

struct sl1_scalar {
  uint32_t value;
  char name[64];
};

struct sl1_kernel {
  uint64_t seed;
  char name[40], variable[40]; // of the module's variable; "" if it has none
  uint64_t distance;           // a parameter of 64 bits that is no address: NAME_distance
  uint32_t far_from,
    far_to;   // NAME_far is how far it is from one pointer to another, which the kernel reaches by the first
  char *text; // a whole module; freed by sl1_kernel_free
  struct sl1_buffer buffers[SL1_MOST_BUFFERS];
  struct sl1_pointer pointers[SL1_MOST_POINTERS];
  struct sl1_scalar scalars[SL1_MOST_SCALARS];
  uint32_t buffer_count, pointer_count, scalar_count, struct_bytes;
  uint32_t grid[3], block[3];
  uint32_t dynamic_shared; // bytes that the kernel itself uses
  bool aliases;            // bytes that it writes can be reached in two ways: no restrict
  bool exchanges;          // its threads read in global memory what others wrote before a barrier
};

void sl1_kernel_draw(struct sl1_kernel *k, uint64_t seed);
void sl1_kernel_free(struct sl1_kernel *k);

static inline uint32_t sl1_block_threads(const struct sl1_kernel *k) {
  return k->block[0] * k->block[1] * k->block[2];
}

static inline uint32_t sl1_threads(const struct sl1_kernel *k) {
  return k->grid[0] * k->grid[1] * k->grid[2] * sl1_block_threads(k);
}

// The byte of a buffer at which granule `index` of thread `thread` (of the grid) begins.
static inline uint32_t sl1_granule_at(const struct sl1_kernel *k, const struct sl1_buffer *b, uint32_t thread,
                                      uint32_t index) {
  return b->order == SL1_CHUNKED ? thread * b->chunk + index * b->granule
                                 : (index * sl1_threads(k) + thread) * b->granule;
}

#endif
