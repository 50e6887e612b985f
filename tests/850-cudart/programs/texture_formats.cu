// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Textures of every kind of texel: 1, 2 and 4 channels of 8, 16 and 32 bits, read as they are and as normalised floats
// (Programming Guide, "Texture Object API": an unsigned 8-bit 0xff is 1; signed ones go to −1), in linear memory, arrays and
// layers; and what cannot be made.
//
// Thirteen kinds of texels as they are, four normalised, one of layers: 18 launches of one block.
// fact: kernels.# = 18
// fact: total.blocks = 18
// fact: complete = 1
#include <cuda_runtime.h>
#include <math.h>

#include "check.h"

template <typename T> __global__ void fetch_all(cudaTextureObject_t t, T *out, int n) {
  const int i = (int)threadIdx.x;
  if (i < n) out[i] = tex1Dfetch<T>(t, i);
}

__global__ void fetch_layers(cudaTextureObject_t t, float *out, int width, int height) {
  const int x = (int)threadIdx.x, y = (int)threadIdx.y, layer = (int)threadIdx.z;
  out[(layer * height + y) * width + x] = tex2DLayered<float>(t, (float)x + 0.5f, (float)y + 0.5f, layer);
}

static cudaTextureObject_t linear(void *memory, size_t size, const cudaChannelFormatDesc &format,
                                  cudaTextureReadMode mode, cudaError_t error = cudaSuccess) {
  cudaResourceDesc r;
  cudaTextureDesc d;
  memset(&r, 0, sizeof r);
  memset(&d, 0, sizeof d);
  r.resType = cudaResourceTypeLinear;
  r.res.linear.devPtr = memory;
  r.res.linear.desc = format;
  r.res.linear.sizeInBytes = size;
  d.readMode = mode;
  cudaTextureObject_t t = 0;
  EXPECT(cudaCreateTextureObject(&t, &r, &d, nullptr), error);
  return t;
}

// 16 texels of n channels of type T, fetched as `U`.
template <typename T, typename U> static void as_they_are(const char *what, int n) {
  unsigned char host[256], *device;
  U out[16];
  void *device_out;
  for (int i = 0; i < 256; i++)
    host[i] = (unsigned char)(i * 29 + 100);
  if (sizeof(T) == 4) // whole numbers, so that floats are none but themselves
    for (int i = 0; i < 64; i++)
      ((T *)(void *)host)[i] = (T)(i * 1000 - 7000);
  OK(cudaMalloc(&device, 256));
  OK(cudaMalloc(&device_out, sizeof out));
  OK(cudaMemcpy(device, host, 256, cudaMemcpyHostToDevice));
  const cudaTextureObject_t t =
      linear(device, 16 * sizeof(T) * (size_t)n, cudaCreateChannelDesc<U>(), cudaReadModeElementType);
  fetch_all<U><<<1, 32>>>(t, (U *)device_out, 16);
  LAUNCHED();
  OK(cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost));
  CHECK(memcmp(out, host, sizeof out) == 0);
  if (memcmp(out, host, sizeof out) != 0) printf("%s, %d channels\n", what, n);
  OK(cudaDestroyTextureObject(t));
  OK(cudaFree(device));
  OK(cudaFree(device_out));
}

template <typename T> static void normalized(const char *what, float most) {
  const int n = 16;
  T host[n], *device;
  float out[n], *device_out;
  for (int i = 0; i < n; i++)
    host[i] = (T)(i * 4369 * 3 + 11);
  host[0] = (T)most, host[1] = 0, host[2] = (T)(-most), host[3] = (T)(-most - 1);
  OK(cudaMalloc(&device, 256));
  OK(cudaMalloc(&device_out, sizeof out));
  OK(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
  const cudaTextureObject_t t =
      linear(device, sizeof host, cudaCreateChannelDesc<T>(), cudaReadModeNormalizedFloat);
  fetch_all<float><<<1, 32>>>(t, device_out, n);
  LAUNCHED();
  OK(cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) {
    const float want = fmaxf((float)host[i] / most, -1.0f);
    if (fabsf(out[i] - want) > 1e-6f) printf("%s: %d is %g, not %g\n", what, (int)host[i], out[i], want);
    CHECK(fabsf(out[i] - want) <= 1e-6f);
  }
  OK(cudaDestroyTextureObject(t));
  OK(cudaFree(device));
  OK(cudaFree(device_out));
}

static void layers() {
  const int width = 8, height = 4, depth = 3, n = width * height * depth;
  float host[n], out[n], *device_out;
  for (int i = 0; i < n; i++)
    host[i] = (float)i;
  cudaResourceDesc r;
  cudaTextureDesc d;
  memset(&r, 0, sizeof r);
  memset(&d, 0, sizeof d);
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  const cudaExtent extent = make_cudaExtent(width, height, depth);
  OK(cudaMalloc3DArray(&r.res.array.array, &format, extent, cudaArrayLayered));
  cudaMemcpy3DParms p;
  memset(&p, 0, sizeof p);
  p.srcPtr = make_cudaPitchedPtr(host, width * sizeof(float), width, height);
  p.dstArray = r.res.array.array;
  p.extent = extent;
  p.kind = cudaMemcpyHostToDevice;
  OK(cudaMemcpy3D(&p));
  d.filterMode = cudaFilterModeLinear; // at the texels' centres: the texels
  d.addressMode[0] = d.addressMode[1] = cudaAddressModeClamp;
  cudaTextureObject_t t = 0;
  OK(cudaCreateTextureObject(&t, &r, &d, nullptr));
  OK(cudaMalloc(&device_out, sizeof out));
  fetch_layers<<<1, dim3(width, height, depth)>>>(t, device_out, width, height);
  LAUNCHED();
  OK(cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost));
  CHECK(memcmp(out, host, sizeof out) == 0);
  OK(cudaDestroyTextureObject(t));
  OK(cudaFreeArray(r.res.array.array));
  OK(cudaFree(device_out));
}

static void descriptions() {
  cudaResourceDesc r, r2;
  cudaTextureDesc d, d2;
  memset(&r, 0, sizeof r);
  memset(&d, 0, sizeof d);
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  OK(cudaMallocArray(&r.res.array.array, &format, 4, 4));
  d.addressMode[0] = cudaAddressModeBorder;
  cudaTextureObject_t t = 0;
  OK(cudaCreateTextureObject(&t, &r, &d, nullptr));
  OK(cudaGetTextureObjectResourceDesc(&r2, t));
  OK(cudaGetTextureObjectTextureDesc(&d2, t));
  CHECK(memcmp(&r, &r2, sizeof r) == 0 && memcmp(&d, &d2, sizeof d) == 0);
  OK(cudaDestroyTextureObject(t));
  EXPECT(cudaDestroyTextureObject(t), cudaErrorInvalidResourceHandle);
  // Integers are not filtered, and those of 32 bits not normalised.
  d.filterMode = cudaFilterModeLinear;
  EXPECT(cudaCreateTextureObject(&t, &r, &d, nullptr), cudaErrorInvalidFilterSetting);
  d.readMode = cudaReadModeNormalizedFloat;
  EXPECT(cudaCreateTextureObject(&t, &r, &d, nullptr), cudaErrorInvalidNormSetting);
  d.sRGB = 1;
  EXPECT(cudaCreateTextureObject(&t, &r, &d, nullptr), cudaErrorNotSupported);
  OK(cudaFreeArray(r.res.array.array));
  d.sRGB = 0;
  EXPECT(cudaCreateTextureObject(&t, &r, &d, nullptr), cudaErrorInvalidResourceHandle);
  char *memory;
  OK(cudaMalloc(&memory, 1024));
  linear(memory + 4, 64, format, cudaReadModeElementType, cudaErrorInvalidValue);     // not aligned
  linear(memory, 2048, format, cudaReadModeElementType, cudaErrorInvalidValue);       // past the end
  linear((void *)&r, 64, format, cudaReadModeElementType, cudaErrorInvalidValue);     // the host's
  OK(cudaFree(memory));
}

int main() {
  as_they_are<signed char, signed char>("signed char", 1);
  as_they_are<unsigned char, unsigned char>("unsigned char", 1);
  as_they_are<unsigned char, uchar4>("unsigned char", 4);
  as_they_are<signed char, char4>("signed char", 4);
  as_they_are<short, short>("short", 1);
  as_they_are<unsigned short, unsigned short>("unsigned short", 1);
  as_they_are<int, int>("int", 1);
  as_they_are<int, int2>("int", 2);
  as_they_are<int, int4>("int", 4);
  as_they_are<unsigned int, uint4>("unsigned int", 4);
  as_they_are<float, float>("float", 1);
  as_they_are<float, float2>("float", 2);
  as_they_are<float, float4>("float", 4);
  normalized<unsigned char>("unsigned char", 255);
  normalized<signed char>("signed char", 127);
  normalized<unsigned short>("unsigned short", 65535);
  normalized<short>("short", 32767);
  layers();
  descriptions();
  return finish("texture_formats");
}
