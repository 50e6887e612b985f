// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Texture and surface references, which CUDA 12 removed: clang makes .texref and .surfref variables of objects of such
// classes, and of an object, where device code names it, a handle.
#ifndef WEIR_TEST_CUDA_REFERENCES_H
#define WEIR_TEST_CUDA_REFERENCES_H

struct textureReference {
  int normalized;
  enum cudaTextureFilterMode filterMode;
  enum cudaTextureAddressMode addressMode[3];
  struct cudaChannelFormatDesc channelDesc;
  int sRGB;
  unsigned int maxAnisotropy;
  enum cudaTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  int disableTrilinearOptimization, reserved[14];
};

enum { cudaTextureType1D = 1, cudaTextureType2D = 2, cudaTextureType3D = 3 };

template <typename T, int dimensions = cudaTextureType1D, cudaTextureReadMode mode = cudaReadModeElementType>
struct __attribute__((device_builtin_texture_type)) texture : textureReference {
  texture(int norm = 0, cudaTextureFilterMode filter = cudaFilterModePoint,
          cudaTextureAddressMode address = cudaAddressModeClamp) {
    memset(static_cast<textureReference *>(this), 0, sizeof(textureReference));
    normalized = norm;
    filterMode = filter;
    for (int i = 0; i < 3; i++) addressMode[i] = address;
    channelDesc = cudaCreateChannelDesc<T>();
  }
};

struct surfaceReference {
  struct cudaChannelFormatDesc channelDesc;
};
template <typename T, int dimensions = 1>
struct __attribute__((device_builtin_surface_type)) surface : surfaceReference {};

extern "C" {
cudaError_t cudaBindSurfaceToArray(const surfaceReference *reference, cudaArray_const_t array,
                                   const cudaChannelFormatDesc *desc);
cudaError_t cudaBindTexture(size_t *offset, const textureReference *reference, const void *p,
                            const cudaChannelFormatDesc *desc, size_t bytes = UINT_MAX);
cudaError_t cudaBindTexture2D(size_t *offset, const textureReference *reference, const void *p,
                              const cudaChannelFormatDesc *desc, size_t width, size_t height, size_t pitch);
cudaError_t cudaBindTextureToArray(const textureReference *reference, cudaArray_const_t array,
                                   const cudaChannelFormatDesc *desc);
cudaError_t cudaUnbindTexture(const textureReference *reference);
cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const textureReference *reference);
cudaError_t cudaGetTextureReference(const textureReference **reference, const void *symbol);
}

// A reference in device code is its handle; the functions' forms on objects do the rest.
template <typename T, int dimensions, cudaTextureReadMode mode>
static inline __device__ cudaTextureObject_t weir_test_handle(texture<T, dimensions, mode> t) {
  cudaTextureObject_t handle;
  asm("mov.u64 %0, %1;" : "=l"(handle) : "l"(t));
  return handle;
}
template <int dimensions> static inline __device__ void surf2Dwrite(int v, surface<void, dimensions> s, int x, int y) {
  cudaSurfaceObject_t handle;
  asm("mov.u64 %0, %1;" : "=l"(handle) : "l"(s));
  surf2Dwrite(v, handle, x, y);
}
template <typename T, cudaTextureReadMode mode> struct weir_test_read { typedef T type; };
template <typename T> struct weir_test_read<T, cudaReadModeNormalizedFloat> {
  typedef float type; // of one channel
};
template <typename T, cudaTextureReadMode mode>
static inline __device__ typename weir_test_read<T, mode>::type tex1Dfetch(texture<T, 1, mode> t, int x) {
  return tex1Dfetch<typename weir_test_read<T, mode>::type>(weir_test_handle(t), x);
}
template <typename T, cudaTextureReadMode mode>
static inline __device__ typename weir_test_read<T, mode>::type tex1D(texture<T, 1, mode> t, float x) {
  return tex1D<typename weir_test_read<T, mode>::type>(weir_test_handle(t), x);
}
template <typename T, cudaTextureReadMode mode>
static inline __device__ typename weir_test_read<T, mode>::type tex2D(texture<T, 2, mode> t, float x, float y) {
  return tex2D<typename weir_test_read<T, mode>::type>(weir_test_handle(t), x, y);
}

#endif
