// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Tensor maps: how an array of up to five dimensions lies in global memory, and the box of it that a copy moves (CUDA driver API, "Tensor Map Object
// Management"; PTX ISA, "Tensors"). To programs they are 128 bytes that only the driver and the hardware know: here, a struct weir_tensor_map.
// Boxes in tiled mode, without interleaving.
#ifndef WEIR_EXEC_TENSOR_H
#define WEIR_EXEC_TENSOR_H

#include <stdbool.h>
#include <stdint.h>

enum { WEIR_TENSOR_DIMENSIONS = 5, WEIR_TENSOR_MAP_BYTES = 128 };

// Of elements, in the order of CUtensorMapDataType.
enum weir_tensor_type {
  WEIR_TENSOR_U8,
  WEIR_TENSOR_U16,
  WEIR_TENSOR_U32,
  WEIR_TENSOR_S32,
  WEIR_TENSOR_U64,
  WEIR_TENSOR_S64,
  WEIR_TENSOR_F16,
  WEIR_TENSOR_F32,
  WEIR_TENSOR_F64,
  WEIR_TENSOR_BF16,
  WEIR_TENSOR_F32_FTZ,
  WEIR_TENSOR_TF32,
  WEIR_TENSOR_TF32_FTZ,
  WEIR_TENSOR_TYPES
};

// What a program asks for: cuTensorMapEncodeTiled's arguments, of as many dimensions as rank says, the innermost first.
struct weir_tensor_request {
  uint32_t type, rank, interleave, swizzle, l2_promotion, outside;
  uint64_t address;
  const uint64_t *extent;  // elements
  const uint64_t *strides; // [rank - 1]: bytes between neighbours in each dimension but the innermost
  const uint32_t *box, *steps;
};

// Members of one size together; all that is left of the 128 bytes is 0.
struct weir_tensor_map {
  uint64_t mark; // that it is one
  uint64_t address;
  uint64_t stride[WEIR_TENSOR_DIMENSIONS]; // bytes, of the innermost an element's
  uint32_t last[WEIR_TENSOR_DIMENSIONS];   // index: the extent less 1
  uint16_t box[WEIR_TENSOR_DIMENSIONS];    // elements that are moved; beyond the rank 1
  uint8_t step[WEIR_TENSOR_DIMENSIONS];    // from one that is moved to the next
  uint8_t type, rank;
  uint8_t swizzle;  // bytes within which units of 16 change places: 32, 64, 128; 0: they do not
  uint8_t prefetch; // enum weir_prefetch_size, of what is read
  uint8_t nan;      // 1: what lies outside reads as NaN; 0: as 0
};
_Static_assert(sizeof(struct weir_tensor_map) <= WEIR_TENSOR_MAP_BYTES, "a tensor map is opaque, and has 128 bytes");

// NULL, or why the driver would refuse it (in English, without an end of line); *supported false: the driver would not, weir does.
const char *weir_tensor_encode(const struct weir_tensor_request *r, struct weir_tensor_map *map, bool *supported);

// Whether these are one, which nobody has changed since into what none can be.
bool weir_tensor_is_map(const struct weir_tensor_map *map);

// Bytes of a box in shared memory.
uint64_t weir_tensor_box_bytes(const struct weir_tensor_map *map);

// Of the element type: bytes; enum weir_type, by which reductions combine.
uint32_t weir_tensor_element_bytes(uint32_t type);
unsigned weir_tensor_reduces_as(uint32_t type);

// Where byte `at` of shared memory lies once units have changed places: bits 4 on are combined with bits 7 on, as far as the swizzle reaches
// (PTX ISA, "Swizzling Modes").
static inline uint64_t weir_swizzled(uint64_t at, uint32_t swizzle) {
  return at ^ ((at >> 7 & (swizzle / 16 - (swizzle != 0))) << 4);
}

#endif
