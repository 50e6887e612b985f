// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Images: memory objects that device code names by a texture handle. Invariant: rows are packed on the device, whatever
// pitch the host's copy has; an image of layers in one dimension has one row per layer.
#ifndef WEIR_OPENCL_IMAGE_H
#define WEIR_OPENCL_IMAGE_H

#include "opencl/mem.h"

// CL_SUCCESS, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR or CL_IMAGE_FORMAT_NOT_SUPPORTED.
cl_int weir_cl_image_format(const cl_image_format *format, struct weir_cl_format *out);

static inline size_t weir_cl_texel_bytes(const struct weir_cl_format *f) {
  return (size_t)f->channels * f->channel_bytes;
}

// Pitches of the memory that mapping shows; a slice's is 0 of an image that has none.
size_t weir_cl_image_shown_row(cl_mem m);
size_t weir_cl_image_shown_slice(cl_mem m);

// One texel of that format from what clEnqueueFillImage is given: four floats, signed or unsigned integers.
void weir_cl_image_pack(const struct weir_cl_format *f, const void *color, uint8_t *texel);

#endif
