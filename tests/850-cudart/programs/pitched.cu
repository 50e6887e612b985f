// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Pitched, 3D and array memory: every byte of every copy is compared with the same copy made by loops on the host, and the
// bytes around it stay as they were.
//
// One launch, of a block for each of 13 rows.
// fact: kernels.# = 1
// fact: total.blocks = 13
// fact: complete = 1
#include <cuda_runtime.h>
#include <vector>

#include "check.h"

typedef std::vector<unsigned char> bytes;

static bytes numbered(size_t n, unsigned first) {
  bytes b(n);
  for (size_t i = 0; i < n; i++)
    b[i] = (unsigned char)(first + i * 7 + i / 251);
  return b;
}

__global__ void increment(unsigned char *p, size_t pitch, int width, int height) {
  const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)blockIdx.y;
  if (x < width && y < height) p[(size_t)y * pitch + (size_t)x]++;
}

static void rectangles() {
  const size_t width = 100, height = 13, host_pitch = 130;
  unsigned char *device;
  size_t pitch = 0;
  OK(cudaMallocPitch(&device, &pitch, width, height));
  CHECK(pitch >= width && pitch % 256 == 0 && (size_t)device % 256 == 0);
  const bytes from = numbered(host_pitch * height, 3);
  bytes to(host_pitch * height, 0xee);
  OK(cudaMemset2D(device, pitch, 0x11, width, height));
  OK(cudaMemcpy2D(device, pitch, from.data(), host_pitch, width - 10, height - 1, cudaMemcpyHostToDevice));
  increment<<<dim3(1, (unsigned)height), 128>>>(device, pitch, (int)width, (int)height);
  LAUNCHED();
  OK(cudaMemcpy2D(to.data(), host_pitch, device, pitch, width, height, cudaMemcpyDeviceToHost));
  for (size_t y = 0; y < height; y++)
    for (size_t x = 0; x < host_pitch; x++) {
      const unsigned char copied = y < height - 1 && x < width - 10 ? from[y * host_pitch + x] : 0x11;
      CHECK(to[y * host_pitch + x] == (x < width ? (unsigned char)(copied + 1) : 0xee));
    }
  EXPECT(cudaMemcpy2D(device, pitch, from.data(), width - 1, width, height, cudaMemcpyHostToDevice),
         cudaErrorInvalidPitchValue);
  EXPECT(cudaMemcpy2D(to.data(), width - 1, device, pitch, width, height, cudaMemcpyDeviceToHost),
         cudaErrorInvalidPitchValue);
  EXPECT(cudaMemset2D(device, width - 1, 0, width, height), cudaErrorInvalidValue);
  EXPECT(cudaMemcpy2D(device, pitch, from.data(), host_pitch, width, height + 1, cudaMemcpyHostToDevice),
         cudaErrorInvalidValue); // past the end
  EXPECT(cudaMemcpy2D(device, pitch, from.data(), host_pitch, width, height, (cudaMemcpyKind)9),
         cudaErrorInvalidMemcpyDirection);
  OK(cudaMemcpy2D(device, pitch, from.data(), host_pitch, 0, height, cudaMemcpyHostToDevice));
  OK(cudaFree(device));
}

static void boxes() {
  const cudaExtent all = make_cudaExtent(60, 7, 5);
  cudaPitchedPtr p;
  OK(cudaMalloc3D(&p, all));
  CHECK(p.xsize == 60 && p.ysize == 7 && p.pitch >= 60);
  OK(cudaMemset3D(p, 0x22, all));
  const bytes from = numbered(60 * 7 * 5, 9);
  cudaMemcpy3DParms c;
  memset(&c, 0, sizeof c);
  c.srcPtr = make_cudaPitchedPtr((void *)from.data(), 60, 60, 7);
  c.srcPos = make_cudaPos(4, 1, 2);
  c.dstPtr = p;
  c.dstPos = make_cudaPos(10, 2, 1);
  c.extent = make_cudaExtent(30, 3, 2);
  c.kind = cudaMemcpyHostToDevice;
  OK(cudaMemcpy3D(&c));
  bytes to(60 * 7 * 5, 0);
  cudaMemcpy3DParms back;
  memset(&back, 0, sizeof back);
  back.srcPtr = p;
  back.dstPtr = make_cudaPitchedPtr(to.data(), 60, 60, 7);
  back.extent = all;
  back.kind = cudaMemcpyDeviceToHost;
  OK(cudaMemcpy3D(&back));
  for (size_t z = 0; z < 5; z++)
    for (size_t y = 0; y < 7; y++)
      for (size_t x = 0; x < 60; x++) {
        const bool copied = x >= 10 && x < 40 && y >= 2 && y < 5 && z >= 1 && z < 3;
        const size_t source = ((z - 1 + 2) * 7 + (y - 2 + 1)) * 60 + (x - 10 + 4);
        CHECK(to[(z * 7 + y) * 60 + x] == (copied ? from[source] : 0x22));
      }
  c.srcArray = (cudaArray_t)(void *)p.ptr; // both an array and memory
  EXPECT(cudaMemcpy3D(&c), cudaErrorInvalidValue);
  OK(cudaFree(p.ptr));
}

// Widths and positions beside an array count its texels, here of 8 bytes.
static void array_boxes() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float2>();
  const cudaExtent all = make_cudaExtent(9, 4, 3);
  cudaArray_t array;
  OK(cudaMalloc3DArray(&array, &format, all));
  const bytes from = numbered(9 * 8 * 4 * 3, 1);
  bytes to(9 * 8 * 4 * 3, 0);
  cudaMemcpy3DParms c;
  memset(&c, 0, sizeof c);
  c.srcPtr = make_cudaPitchedPtr((void *)from.data(), 72, 9, 4);
  c.dstArray = array;
  c.extent = all;
  c.kind = cudaMemcpyHostToDevice;
  OK(cudaMemcpy3D(&c));
  memset(&c, 0, sizeof c);
  c.srcArray = array;
  c.srcPos = make_cudaPos(2, 1, 1);
  c.dstPtr = make_cudaPitchedPtr(to.data(), 72, 9, 4);
  c.extent = make_cudaExtent(5, 2, 2);
  c.kind = cudaMemcpyDeviceToHost;
  OK(cudaMemcpy3D(&c));
  for (size_t z = 0; z < 3; z++)
    for (size_t y = 0; y < 4; y++)
      for (size_t x = 0; x < 72; x++) {
        const bool copied = z < 2 && y < 2 && x < 40;
        CHECK(to[(z * 4 + y) * 72 + x] == (copied ? from[((z + 1) * 4 + y + 1) * 72 + x + 16] : 0));
      }
  c.extent.width = 8; // 2 + 8 > 9 texels
  EXPECT(cudaMemcpy3D(&c), cudaErrorInvalidValue);
  c.extent.width = 5;
  c.srcPos.z = 2; // 2 + 2 > 3 slices
  EXPECT(cudaMemcpy3D(&c), cudaErrorInvalidValue);
  c.srcPos.z = 0, c.srcPos.y = 3; // 3 + 2 > 4 rows, though all of it is in the array
  EXPECT(cudaMemcpy3D(&c), cudaErrorInvalidValue);
  OK(cudaFreeArray(array));
  EXPECT(cudaMemcpy3D(&c), cudaErrorInvalidResourceHandle);
}

static void array_rectangles() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned char>();
  cudaArray_t a, b;
  OK(cudaMallocArray(&a, &format, 50, 6));
  OK(cudaMallocArray(&b, &format, 50, 6));
  const bytes from = numbered(50 * 6, 5);
  OK(cudaMemcpy2DToArray(a, 0, 0, from.data(), 50, 50, 6, cudaMemcpyHostToDevice));
  OK(cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, 50, 6));
  OK(cudaMemcpy2DArrayToArray(b, 20, 1, a, 3, 2, 10, 4));
  bytes to(50 * 6, 0);
  OK(cudaMemcpy2DFromArray(to.data(), 50, b, 0, 0, 50, 6, cudaMemcpyDeviceToHost));
  for (size_t y = 0; y < 6; y++)
    for (size_t x = 0; x < 50; x++) {
      const bool moved = x >= 20 && x < 30 && y >= 1 && y < 5;
      CHECK(to[y * 50 + x] == (moved ? from[(y + 1) * 50 + x - 17] : from[y * 50 + x]));
    }
  // 90 bytes from (30, 1): 20 of row 1, 50 of row 2, 20 of row 3 (no longer in CUDA 13's headers, which still link).
#if CUDART_VERSION < 13000 || defined __clang__
  bytes line = numbered(90, 77), got(300, 0);
  OK(cudaMemcpyToArray(a, 30, 1, line.data(), 90, cudaMemcpyHostToDevice));
  OK(cudaMemcpyFromArray(got.data(), a, 0, 0, 300, cudaMemcpyDeviceToHost));
  for (size_t i = 0; i < 300; i++)
    CHECK(got[i] == (i >= 80 && i < 170 ? line[i - 80] : from[i]));
  EXPECT(cudaMemcpyToArray(a, 30, 5, line.data(), 21, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
#endif
  EXPECT(cudaMemcpy2DToArray(a, 45, 0, from.data(), 50, 6, 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT(cudaMemcpy2DToArray(a, 0, 0, from.data(), 50, 50, 6, cudaMemcpyDeviceToHost), cudaErrorInvalidMemcpyDirection);
  cudaChannelFormatDesc got_format;
  cudaExtent extent;
  unsigned int flags = 9;
  OK(cudaArrayGetInfo(&got_format, &extent, &flags, a));
  CHECK(got_format.x == 8 && got_format.y == 0 && got_format.f == cudaChannelFormatKindUnsigned && flags == 0);
  CHECK(extent.width == 50 && extent.height == 6 && extent.depth == 0);
  OK(cudaFreeArray(a));
  OK(cudaFreeArray(b));
  EXPECT(cudaFreeArray(a), cudaErrorInvalidResourceHandle);
}

static void refused() {
  cudaArray_t a;
  cudaMipmappedArray_t m;
  const cudaChannelFormatDesc three = cudaCreateChannelDesc(8, 8, 8, 0, cudaChannelFormatKindUnsigned);
  const cudaChannelFormatDesc byte = cudaCreateChannelDesc<unsigned char>();
  const cudaChannelFormatDesc half = cudaCreateChannelDesc(8, 0, 0, 0, cudaChannelFormatKindFloat);
  EXPECT(cudaMallocArray(&a, &three, 5, 5), cudaErrorInvalidChannelDescriptor);
  EXPECT(cudaMallocArray(&a, &half, 5, 5), cudaErrorInvalidChannelDescriptor);
  EXPECT(cudaMallocArray(&a, &byte, 0, 5), cudaErrorInvalidValue);
  EXPECT(cudaMallocArray(&a, &byte, 1 << 20, 5), cudaErrorInvalidValue);
  EXPECT(cudaMallocMipmappedArray(&m, &byte, make_cudaExtent(4, 4, 0), 2), cudaErrorNotSupported);
}

int main() {
  rectangles();
  boxes();
  array_boxes();
  array_rectangles();
  refused();
  return finish("pitched");
}
