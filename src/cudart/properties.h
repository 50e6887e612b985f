// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a device is, in CUDA's words: its attributes, and cudaDeviceProp in the three layouts that programs have been built
// with. Invariant: a property and the attribute that says the same have one value, that of attributes.def.
#ifndef WEIR_CUDART_PROPERTIES_H
#define WEIR_CUDART_PROPERTIES_H

#include "cudart/cuda.h"
#include "device/device.h"

#define WEIR_CUDA_TEXTURE_ALIGN                                                                                        \
  256                            // bytes: of a texture's and a surface's first texel; what device memory is aligned to
#define WEIR_CUDA_ROW_ALIGN 512  // bytes: of the rows of cudaMallocPitch
#define WEIR_CUDA_PITCH_ALIGN 32 // bytes: of the pitch of a texture in pitched memory
#define WEIR_CUDA_PCI_BUS 1

enum weir_cuda_attribute {
#define ATTRIBUTE(number, name, value) WEIR_CUDA_ATTRIBUTE_##name = number,
#include "cudart/attributes.def"
#undef ATTRIBUTE
  WEIR_CUDA_ATTRIBUTES
};

struct cudaUUID_t {
  char bytes[16];
};

#define WEIR_CUDA_MEMBER(...) __VA_ARGS__;
#define WEIR_CUDA_NO_MEMBER(...)

struct weir_cuda_properties_11 {
#define PROPERTY(type, name, count, versions, ...) WEIR_CUDA_11_##versions(type name count)
#define WEIR_CUDA_11_ALL WEIR_CUDA_MEMBER
#define WEIR_CUDA_11_UNTIL_12 WEIR_CUDA_MEMBER
#define WEIR_CUDA_11_SINCE_12 WEIR_CUDA_NO_MEMBER
#define WEIR_CUDA_11_ONLY_12 WEIR_CUDA_NO_MEMBER
#define WEIR_CUDA_11_SINCE_13 WEIR_CUDA_NO_MEMBER
#include "cudart/properties.def"
#undef PROPERTY
};

struct weir_cuda_properties_12 {
#define PROPERTY(type, name, count, versions, ...) WEIR_CUDA_12_##versions(type name count)
#define WEIR_CUDA_12_ALL WEIR_CUDA_MEMBER
#define WEIR_CUDA_12_UNTIL_12 WEIR_CUDA_MEMBER
#define WEIR_CUDA_12_SINCE_12 WEIR_CUDA_MEMBER
#define WEIR_CUDA_12_ONLY_12 WEIR_CUDA_MEMBER
#define WEIR_CUDA_12_SINCE_13 WEIR_CUDA_NO_MEMBER
#include "cudart/properties.def"
#undef PROPERTY
};

struct weir_cuda_properties_13 {
#define PROPERTY(type, name, count, versions, ...) WEIR_CUDA_13_##versions(type name count)
#define WEIR_CUDA_13_ALL WEIR_CUDA_MEMBER
#define WEIR_CUDA_13_UNTIL_12 WEIR_CUDA_NO_MEMBER
#define WEIR_CUDA_13_SINCE_12 WEIR_CUDA_MEMBER
#define WEIR_CUDA_13_ONLY_12 WEIR_CUDA_NO_MEMBER
#define WEIR_CUDA_13_SINCE_13 WEIR_CUDA_MEMBER
#include "cudart/properties.def"
#undef PROPERTY
};

// The values of all attributes, by number; a number that is no attribute has WEIR_CUDA_NO_ATTRIBUTE.
#define WEIR_CUDA_NO_ATTRIBUTE INT32_MIN
void weir_cuda_attributes(const struct weir_device *d, int values[WEIR_CUDA_ATTRIBUTES]);

#endif
