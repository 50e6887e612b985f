// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "exec/tensor.h"

#include "base/cache_hint.h"
#include "ptx/ir.h"

#include <string.h>

#define MARK UINT64_C(0x70616d2072696577) // "weir map"

static const struct {
  uint8_t bytes, type;
} elements[WEIR_TENSOR_TYPES] = {
  [WEIR_TENSOR_U8] = {1, WEIR_T_U8},        [WEIR_TENSOR_U16] = {2, WEIR_T_U16},
  [WEIR_TENSOR_U32] = {4, WEIR_T_U32},      [WEIR_TENSOR_S32] = {4, WEIR_T_S32},
  [WEIR_TENSOR_U64] = {8, WEIR_T_U64},      [WEIR_TENSOR_S64] = {8, WEIR_T_S64},
  [WEIR_TENSOR_F16] = {2, WEIR_T_F16},      [WEIR_TENSOR_F32] = {4, WEIR_T_F32},
  [WEIR_TENSOR_F64] = {8, WEIR_T_F64},      [WEIR_TENSOR_BF16] = {2, WEIR_T_BF16},
  [WEIR_TENSOR_F32_FTZ] = {4, WEIR_T_F32},  [WEIR_TENSOR_TF32] = {4, WEIR_T_F32},
  [WEIR_TENSOR_TF32_FTZ] = {4, WEIR_T_F32},
};

uint32_t weir_tensor_element_bytes(uint32_t type) {
  return elements[type].bytes;
}

unsigned weir_tensor_reduces_as(uint32_t type) {
  return elements[type].type;
}

// The rules of cuTensorMapEncodeTiled.
enum { UNIT = 16, MOST_BOX = 256, MOST_STEP = 8, SWIZZLES = 4, PROMOTIONS = 4 };
#define MOST_EXTENT (UINT64_C(1) << 32)
#define MOST_STRIDE (UINT64_C(1) << 40)

static bool is_float(uint32_t type) {
  return type >= WEIR_TENSOR_F16 && type < WEIR_TENSOR_TYPES;
}

static const char *refuse_dimension(const struct weir_tensor_request *r, uint32_t k) {
  if (!r->extent[k] || r->extent[k] > MOST_EXTENT) return "an extent is 1 to 2^32";
  if (!r->box[k] || r->box[k] > MOST_BOX) return "a box has 1 to 256 elements in each dimension";
  if (k && (!r->steps[k] || r->steps[k] > MOST_STEP)) return "a traversal stride is 1 to 8";
  if (k && (r->strides[k - 1] % UNIT || r->strides[k - 1] >= MOST_STRIDE))
    return "a stride is a multiple of 16 bytes below 2^40";
  return NULL;
}

static uint32_t swizzle_of(const struct weir_tensor_request *r) {
  return r->swizzle ? UNIT << r->swizzle : 0;
}

static uint32_t moved(uint32_t box, uint32_t step) {
  return (box + step - 1) / step;
}

static const char *refuse(const struct weir_tensor_request *r) {
  if (r->type >= WEIR_TENSOR_TYPES) return "there is no such type of elements";
  if (!r->rank || r->rank > WEIR_TENSOR_DIMENSIONS) return "a tensor has 1 to 5 dimensions";
  if (!r->extent || !r->box || !r->steps || (r->rank > 1 && !r->strides)) return "an array is missing";
  if (!r->address || r->address % UNIT) return "the tensor's address is a multiple of 16";
  if (r->swizzle >= SWIZZLES || r->l2_promotion >= PROMOTIONS || r->outside > 1) return "there is no such mode";
  for (uint32_t k = 0; k < r->rank; k++) {
    const char *why = refuse_dimension(r, k);
    if (why) return why;
  }
  const uint32_t row = r->box[0] * elements[r->type].bytes;
  if (row % UNIT) return "a row of the box is a multiple of 16 bytes";
  if (r->swizzle && row > swizzle_of(r)) return "a row of the box is longer than what is swizzled";
  if (r->outside && !is_float(r->type)) return "only floating-point numbers may be NaN";
  return NULL;
}

const char *weir_tensor_encode(const struct weir_tensor_request *r, struct weir_tensor_map *map, bool *supported) {
  static const uint8_t prefetches[PROMOTIONS] = {WEIR_PREFETCH_NONE, WEIR_PREFETCH_64B, WEIR_PREFETCH_128B,
                                                 WEIR_PREFETCH_256B};
  *supported =
    r->interleave == 0 && (r->type < WEIR_TENSOR_TYPES || r->type > WEIR_TENSOR_TYPES + 2) && r->swizzle < SWIZZLES;
  if (!*supported) return "interleaved layouts, types of 4 and 6 bits and swizzles of 32-byte atoms are not modelled";
  const char *why = refuse(r);
  if (why) return why;
  *map = (struct weir_tensor_map){.mark = MARK,
                                  .address = r->address,
                                  .type = (uint8_t)r->type,
                                  .rank = (uint8_t)r->rank,
                                  .swizzle = (uint8_t)swizzle_of(r),
                                  .prefetch = prefetches[r->l2_promotion],
                                  .nan = r->outside != 0};
  for (uint32_t k = 0; k < WEIR_TENSOR_DIMENSIONS; k++) {
    const bool has = k < r->rank;
    map->stride[k] = !k ? elements[r->type].bytes : has ? r->strides[k - 1] : 0;
    map->last[k] = has ? (uint32_t)(r->extent[k] - 1) : 0;
    map->step[k] = has && k ? (uint8_t)r->steps[k] : 1; // of the innermost there is none
    map->box[k] = has ? (uint16_t)moved(r->box[k], map->step[k]) : 1;
  }
  return NULL;
}

// Programs may write what they like: of what they have written over, none of the invariants holds.
bool weir_tensor_is_map(const struct weir_tensor_map *map) {
  bool ok = map->mark == MARK && map->type < WEIR_TENSOR_TYPES && map->rank && map->rank <= WEIR_TENSOR_DIMENSIONS &&
    map->prefetch < WEIR_PREFETCH_SIZES && map->nan <= 1;
  ok = ok && map->stride[0] == elements[map->type].bytes && map->box[0] * map->stride[0] % UNIT == 0;
  for (uint32_t k = 0; k < WEIR_TENSOR_DIMENSIONS; k++) ok = ok && map->box[k] && map->box[k] <= MOST_BOX;
  return ok && (!map->swizzle || map->swizzle == 32 || map->swizzle == 64 || map->swizzle == 128);
}

uint64_t weir_tensor_box_bytes(const struct weir_tensor_map *map) {
  uint64_t bytes = elements[map->type].bytes;
  for (uint32_t k = 0; k < WEIR_TENSOR_DIMENSIONS; k++) bytes *= map->box[k];
  return bytes;
}
