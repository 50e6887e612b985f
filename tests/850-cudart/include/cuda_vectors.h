// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The vector types and their make_ functions (Programming Guide, "Built-in Vector Types": alignment in its table).
#ifndef WEIR_TEST_CUDA_VECTORS_H
#define WEIR_TEST_CUDA_VECTORS_H

#define WEIR_TEST_VECTORS(element, name, align2, align4)                                                               \
  struct name##1 {                                                                                                     \
    element x;                                                                                                         \
  };                                                                                                                   \
  struct __align__(align2) name##2 {                                                                                   \
    element x, y;                                                                                                      \
  };                                                                                                                   \
  struct name##3 {                                                                                                     \
    element x, y, z;                                                                                                   \
  };                                                                                                                   \
  struct __align__(align4) name##4 {                                                                                   \
    element x, y, z, w;                                                                                                \
  };                                                                                                                   \
  static inline __host__ __device__ name##1 make_##name##1(element x) {                                                \
    return name##1 {x};                                                                                                \
  }                                                                                                                    \
  static inline __host__ __device__ name##2 make_##name##2(element x, element y) {                                     \
    return name##2 {x, y};                                                                                             \
  }                                                                                                                    \
  static inline __host__ __device__ name##3 make_##name##3(element x, element y, element z) {                          \
    return name##3 {x, y, z};                                                                                          \
  }                                                                                                                    \
  static inline __host__ __device__ name##4 make_##name##4(element x, element y, element z, element w) {               \
    return name##4 {x, y, z, w};                                                                                       \
  }

WEIR_TEST_VECTORS(signed char, char, 2, 4)
WEIR_TEST_VECTORS(unsigned char, uchar, 2, 4)
WEIR_TEST_VECTORS(short, short, 4, 8)
WEIR_TEST_VECTORS(unsigned short, ushort, 4, 8)
WEIR_TEST_VECTORS(int, int, 8, 16)
WEIR_TEST_VECTORS(unsigned int, uint, 8, 16)
WEIR_TEST_VECTORS(long, long, 16, 16)
WEIR_TEST_VECTORS(unsigned long, ulong, 16, 16)
WEIR_TEST_VECTORS(long long, longlong, 16, 16)
WEIR_TEST_VECTORS(unsigned long long, ulonglong, 16, 16)
WEIR_TEST_VECTORS(float, float, 8, 16)
WEIR_TEST_VECTORS(double, double, 16, 16)

struct dim3 {
  unsigned int x, y, z;
  __host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {
  }
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {
  }
  __host__ __device__ constexpr operator uint3() const {
    return uint3{x, y, z};
  }
};

#endif
