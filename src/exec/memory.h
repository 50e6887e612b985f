// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Device memory: named allocations in one 64-bit address space, every access checked against them. Invariant:
// allocations do not overlap, are aligned to 256 bytes, and the bytes between them belong to none.
//
// Two regions: module variables (.global, .const) from WEIR_STATIC_BASE, the heap from WEIR_HEAP_BASE (the address
// GPGPU-Sim's heap begins at, so that address-hashed caches see the same sets).
#ifndef WEIR_EXEC_MEMORY_H
#define WEIR_EXEC_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR_PARAM_BASE UINT64_C(0x08000000) // kernel parameters of the running launch
#define WEIR_SHARED_BASE                                                                                               \
  UINT64_C(0x10000000)        // generic window onto shared memory of the block's cluster (exec/cluster.h)
#define WEIR_CLUSTER_SHIFT 24 // of a rank in there: 16 MiB, the block's own first, then each block's
#define WEIR_LOCAL_BASE UINT64_C(0x30000000) // generic window onto the thread's local memory (16 MiB)
#define WEIR_STATIC_BASE UINT64_C(0x40000000)
#define WEIR_HEAP_BASE UINT64_C(0xC0000000)

struct weir_allocation {
  uint64_t base, bytes;
  char *name;
  uint8_t *host;  // the bytes
  bool read_only; // .const
  bool mapped;    // the host's own memory (weir_memory_map)
};

struct weir_memory;

struct weir_memory *weir_memory_create(void);
void weir_memory_free(struct weir_memory *m);

// Zero-filled bytes, with at least 4 KiB that belong to nothing before the next allocation (0 bytes is allowed: an address
// that no access may touch). They cost the host what is touched of them. `name` is for diagnostics (copied). 0: there is
// no room, of bytes (weir_memory_left) or of addresses.
uint64_t weir_memory_alloc(struct weir_memory *m, const char *name, uint64_t bytes);
uint64_t weir_memory_alloc_static(struct weir_memory *m, const char *name, uint64_t bytes, uint64_t align,
                                  bool read_only);
// .global variables with .attribute(.managed) are the host's, too, at the same address: whoever has a host gives it (0: there is no room). At
// first nobody does, and they are as other variables are. `set_managed` before a program is built.
struct weir_managed_source {
  uint64_t (*alloc)(void *context, const char *name, uint64_t bytes, uint64_t align);
  void *context;
};
void weir_memory_set_managed(struct weir_memory *m, struct weir_managed_source source);
uint64_t weir_memory_alloc_managed(struct weir_memory *m, const char *name, uint64_t bytes, uint64_t align);
void weir_memory_set_limit(struct weir_memory *m,
                           uint64_t bytes); // of all that is allocated, from now on; at first none
uint64_t weir_memory_left(const struct weir_memory *m);
uint64_t weir_memory_left_static(const struct weir_memory *m);  // for module variables, at the most
bool weir_memory_release(struct weir_memory *m, uint64_t base); // false if base is no heap allocation's

// Makes the host's own [bytes, bytes + size) visible to device code at `base`, without a copy (CUDA's pinned and managed
// memory: at its own address). False if that overlaps an allocation or addresses that device memory keeps for itself (from
// WEIR_PARAM_BASE to 1 TiB). Released by weir_memory_release; the bytes stay the caller's.
bool weir_memory_map(struct weir_memory *m, const char *name, uint64_t base, void *bytes, uint64_t size);

// Caches in software (src/sl1) fill lines whole: from now on a read may go past either end of an allocation within the line
// of `bytes` bytes, at most 256, that it ends in: lines divide every 256 bytes from a multiple of 256 on, and the last may
// be shorter. At first 1: nowhere.
void weir_memory_set_line(struct weir_memory *m, uint32_t bytes);
// Copies what such a read finds: bytes of whichever allocations they lie in, else 0. False: one is in no allocation's line.
bool weir_memory_read_line(const struct weir_memory *m, uint64_t address, uint64_t bytes, uint8_t *to);

// The first of `count` instruction indices (PCs) that no other program in this memory has.
uint32_t weir_memory_alloc_code(struct weir_memory *m, uint32_t count);
// The first of `count` places for instructions in the machine code of all programs in this memory, a multiple of `align`.
uint32_t weir_memory_alloc_places(struct weir_memory *m, uint32_t count, uint32_t align);
uint32_t weir_memory_alloc_functions(struct weir_memory *m, uint32_t count); // the same of function numbers

// Host pointer to [address, address + bytes), or NULL if that is not wholly inside one allocation.
void *weir_memory_at(const struct weir_memory *m, uint64_t address, uint64_t bytes);

// The allocation that holds `address`, or the nearest below it (for "12 bytes past the end of 'x'"), or NULL.
const struct weir_allocation *weir_memory_find(const struct weir_memory *m, uint64_t address);

// The i-th allocation in the order of their addresses; NULL: there are fewer.
const struct weir_allocation *weir_memory_nth(const struct weir_memory *m, size_t i);
bool weir_memory_has_heap(const struct weir_memory *m); // device code has asked for memory

// "cudaMalloc 0xc0001000": the allocation that held all from `low` to `high`, by its name and address (of the host's own
// memory by its name: addresses are not the same in each run); to be freed by weir_free. NULL: none did. Released ones count.
char *weir_memory_owner(const struct weir_memory *m, uint64_t low, uint64_t high);

uint64_t weir_memory_bytes(const struct weir_memory *m); // allocated, in total

#endif
