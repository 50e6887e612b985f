// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// From CUDA's descriptions of images to the one that device code is executed with (exec/texture.h). Invariant: what a
// description asks for is either done or refused with a reason.
#ifndef WEIR_CUDART_TEXTURE_H
#define WEIR_CUDART_TEXTURE_H

#include "cudart/array.h"
#include "cudart/runtime.h"

// Where the texels are and what they are made of; `call` is named in diagnostics.
cudaError_t weir_cuda_describe_resource(struct weir_device *d, const char *call, const struct cudaResourceDesc *r,
                                        struct weir_texture *t);

// How they are read. After the resource.
cudaError_t weir_cuda_describe_reading(const char *call, const struct cudaTextureDesc *s, struct weir_texture *t);

// As a surface: an array made for that. After the resource.
cudaError_t weir_cuda_check_surface(struct weir_device *d, const struct cudaResourceDesc *r);

// The bytes of a program's cudaResourceDesc: CUDA 13 made it longer.
size_t weir_cuda_resource_bytes(void);

#endif
