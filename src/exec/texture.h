// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Textures and surfaces: how the bytes of an image are addressed, converted and filtered (CUDA C++ Programming Guide,
// "Texture Fetching"; OpenCL 1.2 section 8). Invariant: an image is described once, by the host; device code names it by
// a 64-bit handle, which is no address. The texels lie in ordinary device memory, row after row, `pitch_bytes` apart.
//
// Where device code finds a handle: in a kernel parameter (.u64, .texref or .surfref: 8 bytes each), or in a variable
// of the module (`.global .texref t`: 8 bytes at weir_program_variable, which the host fills before a launch and may
// change between launches). A sampler is found in the same places; a .samplerref with an initialiser is filled when the
// program is built.
//
// For the timing model a fetch is a non-coherent load of 4 bytes at the texel at (floor(x), floor(y)), at the multiple
// of 4 below it: a texel, of at most 16 bytes and aligned to its size, lies in one sector, so that sectors are exact
// whatever its size. Linear filtering's neighbours, which mostly lie in the same sectors, are read but not timed; a lane
// whose point lies past the border makes no access. A surface is timed as what is read or written of it.
#ifndef WEIR_EXEC_TEXTURE_H
#define WEIR_EXEC_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

enum weir_texel_kind { WEIR_TEXEL_SIGNED, WEIR_TEXEL_UNSIGNED, WEIR_TEXEL_FLOAT };
enum weir_texture_address { WEIR_ADDRESS_WRAP, WEIR_ADDRESS_CLAMP, WEIR_ADDRESS_MIRROR, WEIR_ADDRESS_BORDER };
enum weir_texture_filter { WEIR_FILTER_POINT, WEIR_FILTER_LINEAR };
// Where each of the four results comes from: a stored channel, 0 or 1 (OpenCL's channel orders). A channel that is not
// stored reads as 0.
enum weir_texture_swizzle { WEIR_FROM_0, WEIR_FROM_1, WEIR_FROM_2, WEIR_FROM_3, WEIR_FROM_ZERO, WEIR_FROM_ONE };

// Wrap and mirror need normalised coordinates, and are clamp without them. Integer coordinates are never normalised nor
// filtered; linear filtering is for images that are read as floats.
struct weir_sampler {
  uint8_t address[3]; // enum weir_texture_address, per dimension
  uint8_t filter;     // enum weir_texture_filter
  bool normalized;    // coordinates run over [0, 1)
};

struct weir_texture {
  uint64_t base;                     // device address of texel (0, 0, 0); a multiple of the texel's size
  uint64_t pitch_bytes, slice_bytes; // between rows, between slices (3D) or layers
  uint32_t width, height, depth;     // in texels; 1 for dimensions that it does not have; depth also counts layers
  uint8_t dimensions;                // 1, 2, 3: coordinates that a fetch gives beside the layer
  bool layered;                      // 1D or 2D: `depth` layers, `slice_bytes` apart
  bool linear_memory;                // a 1D texture bound to linear memory: integer coordinates, 0 past the end
  uint8_t channels, channel_bytes;   // 1..4 of 1, 2 or 4 bytes (half where kind is FLOAT and bytes 2)
  uint8_t kind;                      // enum weir_texel_kind
  bool normalized_float;             // integers are read as floats in [0, 1] or [−1, 1]
  uint8_t swizzle[4];                // enum weir_texture_swizzle; CUDA's: FROM_0, FROM_1, FROM_2, FROM_3
  uint32_t border[4];          // bits of the four results past the border (float or integer, as the image is read)
  uint8_t border_one;          // OpenCL: the border's alpha is 1 (formats without an alpha channel)
  struct weir_sampler sampler; // CUDA's texture objects and .texref; in independent mode the instruction's own is used
};

// A sampler packed into what an instruction's sampler operand holds (independent mode; bit 63 is set, so that 0 is none).
uint64_t weir_sampler_pack(const struct weir_sampler *s);
struct weir_sampler weir_sampler_unpack(uint64_t handle);

struct weir_memory;

// Registers an image and returns its handle, never 0 and never used again. The description is copied.
uint64_t weir_texture_add(struct weir_memory *m, const struct weir_texture *t);
bool weir_texture_remove(struct weir_memory *m, uint64_t handle);                           // false: no such handle
const struct weir_texture *weir_texture_find(const struct weir_memory *m, uint64_t handle); // NULL: no such handle

#endif
