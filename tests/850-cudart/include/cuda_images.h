// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Texture and surface functions on objects, as the PTX instructions that they are (PTX ISA, "Texture Instructions",
// "Surface Instructions").
#ifndef WEIR_TEST_CUDA_IMAGES_H
#define WEIR_TEST_CUDA_IMAGES_H

// How many channels a fetch of type T keeps, and of which registers.
template <typename T> struct weir_test_texel;
#define WEIR_TEST_TEXEL(type, reg, channels)                                                                           \
  template <> struct weir_test_texel<type> {                                                                           \
    static __device__ type make(reg x, reg y, reg z, reg w) {                                                          \
      return weir_test_make_##channels<type>(x, y, z, w);                                                              \
    }                                                                                                                  \
    typedef reg channel;                                                                                               \
  };
template <typename T, typename R> static inline __device__ T weir_test_make_1(R x, R, R, R) {
  return (T)x;
}
template <typename T, typename R> static inline __device__ T weir_test_make_2(R x, R y, R, R) {
  T t;
  t.x = (decltype(t.x))x, t.y = (decltype(t.y))y;
  return t;
}
template <typename T, typename R> static inline __device__ T weir_test_make_4(R x, R y, R z, R w) {
  T t;
  t.x = (decltype(t.x))x, t.y = (decltype(t.y))y, t.z = (decltype(t.z))z, t.w = (decltype(t.w))w;
  return t;
}
WEIR_TEST_TEXEL(float, float, 1)
WEIR_TEST_TEXEL(float2, float, 2)
WEIR_TEST_TEXEL(float4, float, 4)
WEIR_TEST_TEXEL(int, int, 1)
WEIR_TEST_TEXEL(int2, int, 2)
WEIR_TEST_TEXEL(int4, int, 4)
WEIR_TEST_TEXEL(unsigned int, unsigned int, 1)
WEIR_TEST_TEXEL(uint2, unsigned int, 2)
WEIR_TEST_TEXEL(uint4, unsigned int, 4)
WEIR_TEST_TEXEL(short, int, 1)
WEIR_TEST_TEXEL(unsigned short, unsigned int, 1)
WEIR_TEST_TEXEL(signed char, int, 1)
WEIR_TEST_TEXEL(unsigned char, unsigned int, 1)
WEIR_TEST_TEXEL(uchar4, unsigned int, 4)
WEIR_TEST_TEXEL(char4, int, 4)

// One overload per channel type: the instruction's result type and its registers' constraint.
#define WEIR_TEST_FETCHES(channel, ptx, reg)                                                                           \
  static inline __device__ void weir_test_fetch_1d(channel v[4], cudaTextureObject_t t, int x) {                       \
    asm volatile("tex.1d.v4." ptx ".s32 {%0, %1, %2, %3}, [%4, {%5}];"                                                 \
                 : reg(v[0]), reg(v[1]), reg(v[2]), reg(v[3])                                                          \
                 : "l"(t), "r"(x));                                                                                    \
  }                                                                                                                    \
  static inline __device__ void weir_test_tex_1d(channel v[4], cudaTextureObject_t t, float x) {                       \
    asm volatile("tex.1d.v4." ptx ".f32 {%0, %1, %2, %3}, [%4, {%5}];"                                                 \
                 : reg(v[0]), reg(v[1]), reg(v[2]), reg(v[3])                                                          \
                 : "l"(t), "f"(x));                                                                                    \
  }                                                                                                                    \
  static inline __device__ void weir_test_tex_2d(channel v[4], cudaTextureObject_t t, float x, float y) {              \
    asm volatile("tex.2d.v4." ptx ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"                                             \
                 : reg(v[0]), reg(v[1]), reg(v[2]), reg(v[3])                                                          \
                 : "l"(t), "f"(x), "f"(y));                                                                            \
  }                                                                                                                    \
  static inline __device__ void weir_test_tex_3d(channel v[4], cudaTextureObject_t t, float x, float y, float z) {     \
    asm volatile("tex.3d.v4." ptx ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];"                                     \
                 : reg(v[0]), reg(v[1]), reg(v[2]), reg(v[3])                                                          \
                 : "l"(t), "f"(x), "f"(y), "f"(z));                                                                    \
  }                                                                                                                    \
  static inline __device__ void weir_test_tex_a2d(channel v[4], cudaTextureObject_t t, float x, float y, int layer) {  \
    asm volatile("tex.a2d.v4." ptx ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];"                                    \
                 : reg(v[0]), reg(v[1]), reg(v[2]), reg(v[3])                                                          \
                 : "l"(t), "r"(layer), "f"(x), "f"(y));                                                                \
  }
WEIR_TEST_FETCHES(float, "f32", "=f")
WEIR_TEST_FETCHES(int, "s32", "=r")
WEIR_TEST_FETCHES(unsigned int, "u32", "=r")

#define WEIR_TEST_RETURN(call)                                                                                         \
  typename weir_test_texel<T>::channel v[4];                                                                           \
  call;                                                                                                                \
  return weir_test_texel<T>::make(v[0], v[1], v[2], v[3])
template <typename T> static inline __device__ T tex1Dfetch(cudaTextureObject_t t, int x) {
  WEIR_TEST_RETURN(weir_test_fetch_1d(v, t, x));
}
template <typename T> static inline __device__ T tex1D(cudaTextureObject_t t, float x) {
  WEIR_TEST_RETURN(weir_test_tex_1d(v, t, x));
}
template <typename T> static inline __device__ T tex2D(cudaTextureObject_t t, float x, float y) {
  WEIR_TEST_RETURN(weir_test_tex_2d(v, t, x, y));
}
template <typename T> static inline __device__ T tex3D(cudaTextureObject_t t, float x, float y, float z) {
  WEIR_TEST_RETURN(weir_test_tex_3d(v, t, x, y, z));
}
template <typename T> static inline __device__ T tex2DLayered(cudaTextureObject_t t, float x, float y, int layer) {
  WEIR_TEST_RETURN(weir_test_tex_a2d(v, t, x, y, layer));
}

// Surfaces: x in bytes; the mode says what happens outside.
#define WEIR_TEST_SURFACE(type, ptx, load, store)                                                                      \
  static inline __device__ void surf1Dread(type *v, cudaSurfaceObject_t s, int x,                                      \
                                           cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                      \
    if (mode == cudaBoundaryModeZero)                                                                                  \
      asm volatile("suld.b.1d." ptx ".zero {%0}, [%1, {%2}];" : load(*v) : "l"(s), "r"(x) : "memory");                 \
    else if (mode == cudaBoundaryModeClamp)                                                                            \
      asm volatile("suld.b.1d." ptx ".clamp {%0}, [%1, {%2}];" : load(*v) : "l"(s), "r"(x) : "memory");                \
    else                                                                                                               \
      asm volatile("suld.b.1d." ptx ".trap {%0}, [%1, {%2}];" : load(*v) : "l"(s), "r"(x) : "memory");                 \
  }                                                                                                                    \
  static inline __device__ void surf1Dwrite(type v, cudaSurfaceObject_t s, int x,                                      \
                                            cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                     \
    if (mode == cudaBoundaryModeZero)                                                                                  \
      asm volatile("sust.b.1d." ptx ".zero [%0, {%1}], {%2};" ::"l"(s), "r"(x), store(v) : "memory");                  \
    else if (mode == cudaBoundaryModeClamp)                                                                            \
      asm volatile("sust.b.1d." ptx ".clamp [%0, {%1}], {%2};" ::"l"(s), "r"(x), store(v) : "memory");                 \
    else                                                                                                               \
      asm volatile("sust.b.1d." ptx ".trap [%0, {%1}], {%2};" ::"l"(s), "r"(x), store(v) : "memory");                  \
  }                                                                                                                    \
  static inline __device__ void surf2Dread(type *v, cudaSurfaceObject_t s, int x, int y,                               \
                                           cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                      \
    if (mode == cudaBoundaryModeZero)                                                                                  \
      asm volatile("suld.b.2d." ptx ".zero {%0}, [%1, {%2, %3}];" : load(*v) : "l"(s), "r"(x), "r"(y) : "memory");     \
    else if (mode == cudaBoundaryModeClamp)                                                                            \
      asm volatile("suld.b.2d." ptx ".clamp {%0}, [%1, {%2, %3}];" : load(*v) : "l"(s), "r"(x), "r"(y) : "memory");    \
    else                                                                                                               \
      asm volatile("suld.b.2d." ptx ".trap {%0}, [%1, {%2, %3}];" : load(*v) : "l"(s), "r"(x), "r"(y) : "memory");     \
  }                                                                                                                    \
  static inline __device__ void surf2Dwrite(type v, cudaSurfaceObject_t s, int x, int y,                               \
                                            cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                     \
    if (mode == cudaBoundaryModeZero)                                                                                  \
      asm volatile("sust.b.2d." ptx ".zero [%0, {%1, %2}], {%3};" ::"l"(s), "r"(x), "r"(y), store(v) : "memory");      \
    else if (mode == cudaBoundaryModeClamp)                                                                            \
      asm volatile("sust.b.2d." ptx ".clamp [%0, {%1, %2}], {%3};" ::"l"(s), "r"(x), "r"(y), store(v) : "memory");     \
    else                                                                                                               \
      asm volatile("sust.b.2d." ptx ".trap [%0, {%1, %2}], {%3};" ::"l"(s), "r"(x), "r"(y), store(v) : "memory");      \
  }
WEIR_TEST_SURFACE(int, "b32", "=r", "r")
WEIR_TEST_SURFACE(unsigned int, "b32", "=r", "r")
WEIR_TEST_SURFACE(float, "b32", "=f", "f")
WEIR_TEST_SURFACE(short, "b16", "=h", "h")

template <typename T>
static inline __device__ T surf1Dread(cudaSurfaceObject_t s, int x,
                                      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  T v;
  surf1Dread(&v, s, x, mode);
  return v;
}
template <typename T>
static inline __device__ T surf2Dread(cudaSurfaceObject_t s, int x, int y,
                                      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  T v;
  surf2Dread(&v, s, x, y, mode);
  return v;
}

#endif
