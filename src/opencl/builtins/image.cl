// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Images and samplers (OpenCL 1.2, 6.12.14) as PTX's instructions in independent mode: an image is the handle of a
// texture, a sampler its packed value. The host puts the table before this text: weir_samplers[s] is what
// weir_sampler_pack makes of the literal s, whose bits opencl-c-base.h defines.

__attribute__((always_inline)) __constant void *__translate_sampler_initializer(uint literal) {
  return (__constant void *)weir_samplers[literal & 63];
}

// Section 8.4: the layer is clamp(rint(w), 0, layers − 1); the instruction itself clamps above.
static uint OVERLOAD layer(float w) {
  return convert_uint_sat_rte(w);
}
static uint OVERLOAD layer(int w) {
  return max(w, 0);
}

// ---- reading -------------------------------------------------------------------------------------------------------

// A fetch of `type` (register constraint r) at coordinates of `at_type` (constraint a), as the geometry's operand has
// them.
#define FETCH(geometry, type, r, at_type, operand, ...)                                                                \
  __asm__("tex." geometry ".v4." type "." at_type " {%0, %1, %2, %3}, [%4, %5, " operand "];"                          \
          : "=" r(to.x), "=" r(to.y), "=" r(to.z), "=" r(to.w)                                                         \
          : "l"(i), "l"(s), __VA_ARGS__)
#define FETCH_1D(type, r, at_type, a) FETCH("1d", type, r, at_type, "{%6}", a(at))
#define FETCH_2D(type, r, at_type, a) FETCH("2d", type, r, at_type, "{%6, %7}", a(at.x), a(at.y))
#define FETCH_3D(type, r, at_type, a) FETCH("3d", type, r, at_type, "{%6, %7, %8, %8}", a(at.x), a(at.y), a(at.z))
#define FETCH_A1D(type, r, at_type, a) FETCH("a1d", type, r, at_type, "{%6, %7}", "r"(layer(at.y)), a(at.x))
#define FETCH_A2D(type, r, at_type, a)                                                                                 \
  FETCH("a2d", type, r, at_type, "{%6, %7, %8, %8}", "r"(layer(at.z)), a(at.x), a(at.y))

// One function with a sampler: its result's vector, the image, the coordinates.
#define READ_AT(function, result, type, r, image, fetch, coordinates, at_type, a)                                      \
  result OVERLOAD function(read_only image i, sampler_t s, coordinates at) {                                           \
    result to;                                                                                                         \
    fetch(type, r, at_type, a);                                                                                        \
    return to;                                                                                                         \
  }
#define READ_SAMPLERLESS(function, result, type, r, image, fetch, coordinates)                                         \
  result OVERLOAD function(read_only image i, coordinates at) {                                                        \
    result to;                                                                                                         \
    const ulong s = weir_samplers[CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST];                \
    fetch(type, r, "s32", "r");                                                                                        \
    return to;                                                                                                         \
  }
#define READ_IMAGE(function, result, type, r, image, fetch, n)                                                         \
  READ_AT(function, result, type, r, image, fetch, float##n, "f32", "f")                                               \
  READ_AT(function, result, type, r, image, fetch, int##n, "s32", "r")                                                 \
  READ_SAMPLERLESS(function, result, type, r, image, fetch, int##n)
#define READ(function, result, type, r)                                                                                \
  READ_IMAGE(function, result, type, r, image1d_t, FETCH_1D, )                                                         \
  READ_IMAGE(function, result, type, r, image2d_t, FETCH_2D, 2)                                                        \
  READ_IMAGE(function, result, type, r, image3d_t, FETCH_3D, 4)                                                        \
  READ_IMAGE(function, result, type, r, image1d_array_t, FETCH_A1D, 2)                                                 \
  READ_IMAGE(function, result, type, r, image2d_array_t, FETCH_A2D, 4)                                                 \
  READ_SAMPLERLESS(function, result, type, r, image1d_buffer_t, FETCH_1D, int)
READ(read_imagef, float4, "f32", "f")
READ(read_imagei, int4, "s32", "r")
READ(read_imageui, uint4, "u32", "r")

// ---- writing -------------------------------------------------------------------------------------------------------

// The instruction takes the bits of four floats or integers, whichever the image holds. A write outside of the image is
// undefined in OpenCL; it leaves the image alone (.zero).
#define STORE(geometry, r, operand, ...)                                                                               \
  __asm__ volatile("sust.p." geometry ".v4.b32.zero [%0, " operand "], {%1, %2, %3, %4};"                              \
                   :                                                                                                   \
                   : "l"(i), r(color.x), r(color.y), r(color.z), r(color.w), __VA_ARGS__                               \
                   : "memory")
#define STORE_1D(r) STORE("1d", r, "{%5}", "r"(at))
#define STORE_2D(r) STORE("2d", r, "{%5, %6}", "r"(at.x), "r"(at.y))
#define STORE_3D(r) STORE("3d", r, "{%5, %6, %7, %7}", "r"(at.x), "r"(at.y), "r"(at.z))
#define STORE_A1D(r) STORE("a1d", r, "{%5, %6}", "r"(at.y), "r"(at.x))
#define STORE_A2D(r) STORE("a2d", r, "{%5, %6, %7, %7}", "r"(at.z), "r"(at.x), "r"(at.y))

#define WRITE_IMAGE(function, value, r, image, store, coordinates)                                                     \
  void OVERLOAD function(write_only image i, coordinates at, value color) {                                            \
    store(r);                                                                                                          \
  }
#define WRITE(function, value, r)                                                                                      \
  WRITE_IMAGE(function, value, r, image1d_t, STORE_1D, int)                                                            \
  WRITE_IMAGE(function, value, r, image1d_buffer_t, STORE_1D, int)                                                     \
  WRITE_IMAGE(function, value, r, image2d_t, STORE_2D, int2)                                                           \
  WRITE_IMAGE(function, value, r, image3d_t, STORE_3D, int4)                                                           \
  WRITE_IMAGE(function, value, r, image1d_array_t, STORE_A1D, int2)                                                    \
  WRITE_IMAGE(function, value, r, image2d_array_t, STORE_A2D, int4)
WRITE(write_imagef, float4, "f")
WRITE(write_imagei, int4, "r")
WRITE(write_imageui, uint4, "r")

// ---- queries -------------------------------------------------------------------------------------------------------

#define QUERY(what)                                                                                                    \
  int value;                                                                                                           \
  __asm__("txq." what ".b32 %0, [%1];" : "=r"(value) : "l"(i));                                                        \
  return value
#define ASK(function, access, image, what)                                                                             \
  int OVERLOAD function(access image i) {                                                                              \
    QUERY(what);                                                                                                       \
  }
#define ASK_ANY(access, image)                                                                                         \
  ASK(get_image_width, access, image, "width")                                                                         \
  ASK(get_image_channel_data_type, access, image, "channel_data_type")                                                 \
  ASK(get_image_channel_order, access, image, "channel_order")
#define ASK_HEIGHT(access, image)                                                                                      \
  ASK_ANY(access, image)                                                                                               \
  ASK(get_image_height, access, image, "height")
#define ASK_LAYERS(access, image)                                                                                      \
  size_t OVERLOAD get_image_array_size(access image i) {                                                               \
    QUERY("array_size");                                                                                               \
  }
#define DIMENSIONS_2(access, image)                                                                                    \
  int2 OVERLOAD get_image_dim(access image i) {                                                                        \
    return (int2)(get_image_width(i), get_image_height(i));                                                            \
  }
#define QUERIES(access)                                                                                                \
  ASK_ANY(access, image1d_t)                                                                                           \
  ASK_ANY(access, image1d_buffer_t)                                                                                    \
  ASK_ANY(access, image1d_array_t)                                                                                     \
  ASK_LAYERS(access, image1d_array_t)                                                                                  \
  ASK_HEIGHT(access, image2d_t)                                                                                        \
  DIMENSIONS_2(access, image2d_t)                                                                                      \
  ASK_HEIGHT(access, image2d_array_t)                                                                                  \
  ASK_LAYERS(access, image2d_array_t)                                                                                  \
  DIMENSIONS_2(access, image2d_array_t)                                                                                \
  ASK_HEIGHT(access, image3d_t)                                                                                        \
  ASK(get_image_depth, access, image3d_t, "depth")                                                                     \
  int4 OVERLOAD get_image_dim(access image3d_t i) {                                                                    \
    return (int4)(get_image_width(i), get_image_height(i), get_image_depth(i), 0);                                     \
  }
QUERIES(read_only)
QUERIES(write_only)
