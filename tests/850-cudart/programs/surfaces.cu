// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Surface objects: a kernel writes what the host reads back and a texture fetches; x counts bytes; outside, reads clamp or
// give 0 and writes are dropped (Programming Guide, "Surface Object API").
//
// Five launches: ten rows written, one block outside, ten rows fetched, one line doubled, and once more.
// A row has 96 bytes, and the array rows of 96 (its pitch is a multiple of 32), so that those that begin at 32 or 0 in a
// line of 128 bytes touch one, those that begin at 96 or 64 two: rows 0, 3, 4, 7, 8 and rows 1, 2, 5, 6, 9.
// fact: kernels.# = 5
// fact: kernels.@write_2d.l1.stores.accesses = 15
// fact: kernels.@read_texture.texture_cache_accesses = 15
// fact: kernels.@read_texture.l1.loads.accesses = 0
// fact: total.blocks = 23
// fact: complete = 1
#include <cuda_runtime.h>

#include "check.h"

static const int width = 24, height = 10;

__global__ void write_2d(cudaSurfaceObject_t s) {
  const int x = (int)threadIdx.x, y = (int)blockIdx.x;
  if (x < width) surf2Dwrite(1000 * y + x, s, x * 4, y);
}

__global__ void outside(cudaSurfaceObject_t s, int *out) {
  surf2Dwrite(-1, s, width * 4, 0, cudaBoundaryModeZero);
  surf2Dwrite(-1, s, 0, height, cudaBoundaryModeZero);
  surf2Dwrite(-1, s, -4, 0, cudaBoundaryModeZero);
  out[0] = surf2Dread<int>(s, (width + 3) * 4, 2, cudaBoundaryModeZero);
  out[1] = surf2Dread<int>(s, (width + 3) * 4, 2, cudaBoundaryModeClamp);
  out[2] = surf2Dread<int>(s, 4, -7, cudaBoundaryModeClamp);
  out[3] = surf2Dread<int>(s, 4, 3);
}

__global__ void read_texture(cudaTextureObject_t t, int *out) {
  const int x = (int)threadIdx.x, y = (int)blockIdx.x;
  if (x < width) out[y * width + x] = tex2D<int>(t, (float)x, (float)y);
}

__global__ void twice_1d(cudaSurfaceObject_t s, int n) {
  const int i = (int)threadIdx.x;
  if (i < n) surf1Dwrite((short)(2 * surf1Dread<short>(s, i * 2)), s, i * 2);
}

static void two_dimensions() {
  int got[width * height], out[4], *device_out;
  cudaResourceDesc r, r2;
  memset(&r, 0, sizeof r);
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  OK(cudaMallocArray(&r.res.array.array, &format, width, height, cudaArraySurfaceLoadStore));
  cudaSurfaceObject_t s = 0;
  OK(cudaCreateSurfaceObject(&s, &r));
  OK(cudaMalloc(&device_out, sizeof got));
  write_2d<<<height, 32>>>(s);
  LAUNCHED();
  outside<<<1, 1>>>(s, device_out);
  LAUNCHED();
  OK(cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost));
  CHECK(out[0] == 0);
  CHECK(out[1] == 2000 + width - 1);
  CHECK(out[2] == 1);
  CHECK(out[3] == 3001);
  OK(cudaMemcpy2DFromArray(got, width * 4, r.res.array.array, 0, 0, width * 4, height, cudaMemcpyDeviceToHost));
  for (int i = 0; i < width * height; i++)
    CHECK(got[i] == i / width * 1000 + i % width);
  cudaTextureDesc d;
  memset(&d, 0, sizeof d);
  cudaTextureObject_t t = 0;
  OK(cudaCreateTextureObject(&t, &r, &d, nullptr));
  memset(got, 0, sizeof got);
  read_texture<<<height, 32>>>(t, device_out);
  LAUNCHED();
  OK(cudaMemcpy(got, device_out, sizeof got, cudaMemcpyDeviceToHost));
  for (int i = 0; i < width * height; i++)
    CHECK(got[i] == i / width * 1000 + i % width);
  OK(cudaGetSurfaceObjectResourceDesc(&r2, s));
  CHECK(memcmp(&r, &r2, sizeof r) == 0);
  OK(cudaDestroyTextureObject(t));
  OK(cudaDestroySurfaceObject(s));
  EXPECT(cudaDestroySurfaceObject(s), cudaErrorInvalidResourceHandle);
  OK(cudaFreeArray(r.res.array.array));
  OK(cudaFree(device_out));
}

static void one_dimension() {
  const int n = 40;
  short line[n];
  for (int i = 0; i < n; i++)
    line[i] = (short)(i * 100 - 1000);
  cudaResourceDesc r;
  memset(&r, 0, sizeof r);
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<short>();
  OK(cudaMallocArray(&r.res.array.array, &format, n, 0, cudaArraySurfaceLoadStore));
  OK(cudaMemcpy2DToArray(r.res.array.array, 0, 0, line, sizeof line, sizeof line, 1, cudaMemcpyHostToDevice));
  cudaSurfaceObject_t s = 0;
  OK(cudaCreateSurfaceObject(&s, &r));
  twice_1d<<<1, 64>>>(s, n);
  LAUNCHED();
  OK(cudaMemcpy2DFromArray(line, sizeof line, r.res.array.array, 0, 0, sizeof line, 1, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++)
    CHECK(line[i] == i * 200 - 2000);
  OK(cudaDestroySurfaceObject(s));
  OK(cudaFreeArray(r.res.array.array));
}

static void refused() {
  cudaResourceDesc r;
  cudaSurfaceObject_t s;
  memset(&r, 0, sizeof r);
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  OK(cudaMallocArray(&r.res.array.array, &format, 4, 4)); // not made for surfaces
  EXPECT(cudaCreateSurfaceObject(&s, &r), cudaErrorInvalidValue);
  OK(cudaFreeArray(r.res.array.array));
  EXPECT(cudaCreateSurfaceObject(&s, &r), cudaErrorInvalidResourceHandle);
}

// A reset takes all of it away; what is made afterwards is as new.
static void reset() {
  cudaResourceDesc r;
  cudaTextureDesc d;
  cudaSurfaceObject_t s;
  cudaTextureObject_t t;
  memset(&r, 0, sizeof r);
  memset(&d, 0, sizeof d);
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  OK(cudaMallocArray(&r.res.array.array, &format, 4, 4, cudaArraySurfaceLoadStore));
  OK(cudaCreateSurfaceObject(&s, &r));
  OK(cudaCreateTextureObject(&t, &r, &d, nullptr));
  OK(cudaDeviceReset());
  EXPECT(cudaDestroyTextureObject(t), cudaErrorInvalidResourceHandle);
  EXPECT(cudaDestroySurfaceObject(s), cudaErrorInvalidResourceHandle);
  EXPECT(cudaFreeArray(r.res.array.array), cudaErrorInvalidResourceHandle);
  one_dimension();
}

int main() {
  two_dimensions();
  one_dimension();
  refused();
  reset();
  return finish("surfaces");
}
