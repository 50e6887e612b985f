// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Texture and surface references of CUDA 11 and before: bound to linear and pitched memory and to an array, bound again to
// something else, with an offset where the memory is not aligned. (Newer headers have none: built for them, this tests nothing.)
#include <cuda_runtime.h>
#include <limits.h>
#include <math.h>

#include "check.h"

#if CUDART_VERSION < 12000
#include "cuda_references.h"

texture<float, cudaTextureType1D, cudaReadModeElementType> line;
texture<unsigned char, cudaTextureType1D, cudaReadModeNormalizedFloat> bytes;
texture<float, cudaTextureType2D, cudaReadModeElementType> plane;

surface<void, cudaTextureType2D> sheet;

__global__ void write_sheet(int base) {
  surf2Dwrite(base + (int)(blockIdx.x * 100 + threadIdx.x), sheet, (int)threadIdx.x * 4, (int)blockIdx.x);
}
__global__ void fetch_line(float *out, int n) {
  const int i = (int)threadIdx.x;
  if (i < n) out[i] = tex1Dfetch(line, i);
}
__global__ void fetch_bytes(float *out, int n) {
  const int i = (int)threadIdx.x;
  if (i < n) out[i] = tex1Dfetch(bytes, i);
}
__global__ void fetch_plane(float *out, int width, float dx) {
  const int x = (int)threadIdx.x, y = (int)blockIdx.x;
  if (x < width) out[y * width + x] = tex2D(plane, (float)x + dx, (float)y + 0.5f);
}

static const int n = 60, width = 12, height = 5;
static float host[n], out[n], *device, *device_out;

static void fetched(void) {
  LAUNCHED();
  OK(cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost));
}

static void linear(void) {
  size_t offset = 99;
  cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
  EXPECT(cudaGetTextureAlignmentOffset(&offset, &line), cudaErrorInvalidTextureBinding);
  OK(cudaBindTexture(&offset, &line, device, &d)); // as much as there is
  CHECK(offset == 0);
  fetch_line<<<1, 64>>>(device_out, n);
  fetched();
  CHECK(memcmp(out, host, sizeof out) == 0);
  OK(cudaBindTexture(&offset, &line, device + 3, &d, 20 * sizeof(float)));
  CHECK(offset == 12);
  OK(cudaGetTextureAlignmentOffset(&offset, &line));
  CHECK(offset == 12);
  fetch_line<<<1, 64>>>(device_out, n);
  fetched();
  for (int i = 0; i < n; i++)
    CHECK(out[i] == (i < 23 ? host[i] : 0)); // past the end: 0
  EXPECT(cudaBindTexture(nullptr, &line, device + 3, &d, 20 * sizeof(float)), cudaErrorInvalidValue);
  OK(cudaUnbindTexture(&line));
  EXPECT(cudaGetTextureAlignmentOffset(&offset, &line), cudaErrorInvalidTextureBinding);
  d = cudaCreateChannelDesc<unsigned char>();
  OK(cudaBindTexture(nullptr, &bytes, device, &d, n));
  fetch_bytes<<<1, 64>>>(device_out, n);
  fetched();
  for (int i = 0; i < n; i++)
    CHECK(fabsf(out[i] - ((unsigned char *)(void *)host)[i] / 255.0f) < 1e-6f);
  const textureReference *found = nullptr;
  OK(cudaGetTextureReference(&found, &line));
  CHECK(found == &line);
  textureReference none;
  EXPECT(cudaUnbindTexture(&none), cudaErrorInvalidTexture);
}

static void planes(void) {
  const cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  OK(cudaMallocArray(&array, &d, width, height));
  OK(cudaMemcpy2DToArray(array, 0, 0, host, width * 4, width * 4, height, cudaMemcpyHostToDevice));
  OK(cudaBindTextureToArray(&plane, array, &d));
  fetch_plane<<<height, 32>>>(device_out, width, 0.5f);
  fetched();
  CHECK(memcmp(out, host, sizeof out) == 0);
  plane.filterMode = cudaFilterModeLinear; // read when it is bound
  OK(cudaBindTextureToArray(&plane, array, &d));
  fetch_plane<<<height, 32>>>(device_out, width, 1.0f);
  fetched();
  for (int i = 0; i < n; i++)
    CHECK(out[i] == (i % width == width - 1 ? host[i] : (host[i] + host[i + 1]) / 2));
  plane.filterMode = cudaFilterModePoint;
  float *rows;
  size_t pitch, offset = 1;
  OK(cudaMallocPitch(&rows, &pitch, width * 4, height));
  OK(cudaMemset2D(rows, pitch, 0, width * 4, height));
  OK(cudaMemcpy2D(rows, pitch, host + 1, width * 4, (width - 1) * 4, height, cudaMemcpyHostToDevice));
  OK(cudaBindTexture2D(&offset, &plane, rows, &d, width, height, pitch));
  CHECK(offset == 0);
  fetch_plane<<<height, 32>>>(device_out, width, 0.5f);
  fetched();
  for (int i = 0; i < n; i++)
    CHECK(out[i] == (i % width == width - 1 ? 0 : host[i + 1]));
  OK(cudaFree(rows));
  OK(cudaFreeArray(array));
}

static void sheets(void) {
  const cudaChannelFormatDesc d = cudaCreateChannelDesc<int>(), other = cudaCreateChannelDesc<short>();
  cudaArray_t a[2];
  int got[12];
  for (int i = 0; i < 2; i++)
    OK(cudaMallocArray(&a[i], &d, 4, 3, cudaArraySurfaceLoadStore));
  for (int i = 0; i < 2; i++) {
    OK(cudaBindSurfaceToArray(&sheet, a[i], &d));
    write_sheet<<<3, 4>>>(1000 * i);
    LAUNCHED();
  }
  for (int i = 0; i < 2; i++) {
    OK(cudaMemcpy2DFromArray(got, 16, a[i], 0, 0, 16, 3, cudaMemcpyDeviceToHost));
    for (int k = 0; k < 12; k++)
      CHECK(got[k] == 1000 * i + k / 4 * 100 + k % 4);
  }
  EXPECT(cudaBindSurfaceToArray(&sheet, a[0], &other), cudaErrorInvalidChannelDescriptor);
  surfaceReference none;
  EXPECT(cudaBindSurfaceToArray(&none, a[0], &d), cudaErrorInvalidSurface);
  for (int i = 0; i < 2; i++)
    OK(cudaFreeArray(a[i]));
}

int main() {
  for (int i = 0; i < n; i++)
    host[i] = (float)(i * 8 - 100);
  OK(cudaMalloc(&device, sizeof host));
  OK(cudaMalloc(&device_out, sizeof out));
  OK(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
  linear();
  planes();
  sheets();
  OK(cudaFree(device));
  OK(cudaFree(device_out));
  return finish("texture_references");
}
#else
int main() {
  return finish("texture_references");
}
#endif
