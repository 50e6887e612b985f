// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Wrong arguments to the calls on devices, pitched memory, arrays and images: null pointers, handles that are none, sizes
// whose products do not fit 64 bits. Each is an error of CUDA's (the runtime API's reference lists which), none a crash, and
// nothing is written on the way.
#include "cudart/cuda.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

cudaError_t cudaMalloc(void **pointer, size_t bytes);
cudaError_t cudaFree(void *pointer);
cudaError_t cudaGetDeviceProperties(void *p, int device);
cudaError_t cudaGetDeviceProperties_v2(void *p, int device);
cudaError_t cudaDeviceGetAttribute(int *value, int number, int device);
cudaError_t cudaDeviceGetPCIBusId(char *id, int bytes, int device);
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id);
cudaError_t cudaChooseDevice(int *device, const void *wanted);
cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height);
cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitched, struct cudaExtent bytes);
cudaError_t cudaMemset2D(void *at, size_t pitch, int value, size_t width, size_t height);
cudaError_t cudaMemset3D(struct cudaPitchedPtr p, int value, struct cudaExtent bytes);
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, enum cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t from_pitch, size_t width,
                                size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes,
                              enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p);
cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p);
cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width, size_t height,
                            unsigned flags);
cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
                              unsigned flags);
cudaError_t cudaFreeArray(cudaArray_t array);
cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned *flags,
                             cudaArray_t array);
cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array);
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *handle, const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *texture, const struct cudaResourceViewDesc *view);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t handle);
cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *to, cudaTextureObject_t handle);
cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *to, cudaTextureObject_t handle);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *handle, const struct cudaResourceDesc *resource);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t handle);
cudaError_t cudaFuncSetAttribute(const void *function, int attribute, int value);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int threads,
                                                          size_t shared);
cudaError_t cudaBindTexture(size_t *offset, const struct textureReference *reference, const void *pointer,
                            const struct cudaChannelFormatDesc *desc, size_t bytes);
cudaError_t cudaUnbindTexture(const struct textureReference *reference);

#define ERROR(call, error) assert_int_equal(call, error)
#define FAILS(call) assert_int_not_equal(call, cudaSuccess)

static const struct cudaChannelFormatDesc floats = {32, 0, 0, 0, cudaChannelFormatKindFloat};
static const size_t huge = SIZE_MAX / 2;

static void devices(void **state) {
  (void)state;
  int value = 5;
  char id[4] = "abc";
  ERROR(cudaGetDeviceProperties(NULL, 0), cudaErrorInvalidValue);
  ERROR(cudaGetDeviceProperties_v2(NULL, 0), cudaErrorInvalidValue);
  ERROR(cudaGetDeviceProperties(&value, -1), cudaErrorInvalidDevice);
  ERROR(cudaDeviceGetAttribute(NULL, 1, 0), cudaErrorInvalidValue);
  ERROR(cudaDeviceGetAttribute(&value, -1, 0), cudaErrorInvalidValue);
  ERROR(cudaDeviceGetAttribute(&value, 0, 0), cudaErrorInvalidValue);
  ERROR(cudaDeviceGetAttribute(&value, INT32_MAX, 0), cudaErrorInvalidValue);
  ERROR(cudaDeviceGetAttribute(&value, 1, -3), cudaErrorInvalidDevice);
  ERROR(cudaDeviceGetPCIBusId(NULL, 13, 0), cudaErrorInvalidValue);
  ERROR(cudaDeviceGetPCIBusId(id, 0, 0), cudaErrorInvalidValue);
  ERROR(cudaDeviceGetPCIBusId(id, sizeof id, 0), cudaErrorInvalidValue);
  ERROR(cudaDeviceGetByPCIBusId(NULL, "0000:01:00.0"), cudaErrorInvalidValue);
  ERROR(cudaDeviceGetByPCIBusId(&value, NULL), cudaErrorInvalidValue);
  ERROR(cudaDeviceGetByPCIBusId(&value, "0000:01:00.0 and more"), cudaErrorInvalidValue);
  ERROR(cudaChooseDevice(NULL, &value), cudaErrorInvalidValue);
  ERROR(cudaChooseDevice(&value, NULL), cudaErrorInvalidValue);
  assert_int_equal(value, 5);
  ERROR(cudaDeviceGetByPCIBusId(&value, "01:00.0"), cudaSuccess);
  assert_int_equal(value, 0);
}

static void pitched(void **state) {
  (void)state;
  void *p = NULL;
  size_t pitch = 0;
  char host[64] = "untouched";
  struct cudaPitchedPtr volume;
  ERROR(cudaMallocPitch(NULL, &pitch, 8, 8), cudaErrorInvalidValue);
  ERROR(cudaMallocPitch(&p, NULL, 8, 8), cudaErrorInvalidValue);
  ERROR(cudaMallocPitch(&p, &pitch, SIZE_MAX, 2), cudaErrorMemoryAllocation);
  ERROR(cudaMallocPitch(&p, &pitch, huge, 4), cudaErrorMemoryAllocation);
  ERROR(cudaMalloc3D(NULL, (struct cudaExtent){1, 1, 1}), cudaErrorInvalidValue);
  ERROR(cudaMalloc3D(&volume, (struct cudaExtent){512, huge, huge}), cudaErrorMemoryAllocation);
  ERROR(cudaMallocPitch(&p, &pitch, 16, 4), cudaSuccess);
  FAILS(cudaMemset2D(NULL, pitch, 0, 16, 4));
  FAILS(cudaMemset2D(p, pitch, 0, 16, 5));
  FAILS(cudaMemset2D(p, huge, 0, 16, 4));
  FAILS(cudaMemset2D(p, pitch, 0, 16, huge));
  FAILS(cudaMemset3D((struct cudaPitchedPtr){p, pitch, 16, huge}, 0, (struct cudaExtent){16, 4, 3}));
  FAILS(cudaMemcpy2D(p, pitch, NULL, 16, 16, 4, cudaMemcpyHostToDevice));
  FAILS(cudaMemcpy2D(NULL, 16, p, pitch, 16, 4, cudaMemcpyDeviceToHost));
  FAILS(cudaMemcpy2D(host, 16, p, pitch, 16, huge, cudaMemcpyDeviceToHost));
  FAILS(cudaMemcpy2D(host, 16, host, 16, 16, 4, cudaMemcpyDeviceToHost));
  FAILS(cudaMemcpy2D(p, pitch, p, pitch, 16, 4, cudaMemcpyHostToDevice));
  ERROR(cudaMemcpy2DAsync(host, 16, p, pitch, 16, 4, cudaMemcpyDeviceToHost, (cudaStream_t)host),
        cudaErrorInvalidResourceHandle);
  assert_string_equal(host, "untouched");
  ERROR(cudaFree(p), cudaSuccess);
}

static void volumes(void **state) {
  (void)state;
  char host[64] = "untouched";
  struct cudaMemcpy3DParms p = {.kind = cudaMemcpyDeviceToHost};
  struct cudaMemcpy3DPeerParms peer = {.dstDevice = 1};
  void *device = NULL;
  ERROR(cudaMalloc(&device, 256), cudaSuccess);
  ERROR(cudaMemcpy3D(NULL), cudaErrorInvalidValue);
  ERROR(cudaMemcpy3DPeer(NULL), cudaErrorInvalidValue);
  ERROR(cudaMemcpy3DPeer(&peer), cudaErrorInvalidDevice);
  ERROR(cudaMemcpy3D(&p), cudaErrorInvalidValue); // neither array nor memory
  p.srcPtr = (struct cudaPitchedPtr){device, 16, 16, 4};
  p.dstPtr = (struct cudaPitchedPtr){host, 16, 16, 4};
  p.extent = (struct cudaExtent){16, 4, huge};
  FAILS(cudaMemcpy3D(&p));
  p.extent = (struct cudaExtent){17, 2, 1};
  ERROR(cudaMemcpy3D(&p), cudaErrorInvalidPitchValue);
  p.extent = (struct cudaExtent){16, 4, 1};
  p.srcPos.z = huge;
  FAILS(cudaMemcpy3D(&p));
  p.srcPos = (struct cudaPos){0};
  p.dstArray = (cudaArray_t)host;
  p.dstPtr.ptr = NULL;
  ERROR(cudaMemcpy3D(&p), cudaErrorInvalidResourceHandle); // no array
  assert_string_equal(host, "untouched");
  ERROR(cudaFree(device), cudaSuccess);
}

static void arrays(void **state) {
  (void)state;
  cudaArray_t array = NULL;
  char host[64] = {0};
  struct cudaChannelFormatDesc desc = {8, 16, 0, 0, cudaChannelFormatKindUnsigned};
  ERROR(cudaMallocArray(NULL, &floats, 4, 4, 0), cudaErrorInvalidValue);
  ERROR(cudaMallocArray(&array, NULL, 4, 4, 0), cudaErrorInvalidValue);
  ERROR(cudaMallocArray(&array, &desc, 4, 4, 0), cudaErrorInvalidChannelDescriptor);
  ERROR(cudaMallocArray(&array, &floats, huge, huge, 0), cudaErrorInvalidValue);
  ERROR(cudaMallocArray(&array, &floats, 4, 4, 0x1000), cudaErrorInvalidValue);
  ERROR(cudaMalloc3DArray(&array, &floats, (struct cudaExtent){4, 4, 6}, cudaArrayCubemap), cudaErrorNotSupported);
  ERROR(cudaMalloc3DArray(&array, &floats, (struct cudaExtent){4, 4, 0}, cudaArrayLayered), cudaErrorInvalidValue);
  ERROR(cudaMalloc3DArray(&array, &floats, (struct cudaExtent){4, 0, 4}, 0), cudaErrorInvalidValue);
  assert_null(array);
  ERROR(cudaFreeArray((cudaArray_t)host), cudaErrorInvalidResourceHandle);
  ERROR(cudaFreeArray(NULL), cudaSuccess);
  ERROR(cudaArrayGetInfo(NULL, NULL, NULL, (cudaArray_t)host), cudaErrorInvalidResourceHandle);
  ERROR(cudaGetChannelDesc(&desc, (cudaArray_t)host), cudaErrorInvalidResourceHandle);
  ERROR(cudaMallocArray(&array, &floats, 4, 4, 0), cudaSuccess);
  ERROR(cudaGetChannelDesc(NULL, array), cudaErrorInvalidValue);
  ERROR(cudaArrayGetInfo(NULL, NULL, NULL, array), cudaSuccess);
  FAILS(cudaMemcpy2DToArray(array, SIZE_MAX, 0, host, 16, 16, 1, cudaMemcpyHostToDevice));
  FAILS(cudaMemcpy2DToArray(array, 0, SIZE_MAX, host, 16, 16, 2, cudaMemcpyHostToDevice));
  FAILS(cudaMemcpy2DToArray(array, 0, 0, NULL, 16, 16, 4, cudaMemcpyHostToDevice));
  FAILS(cudaMemcpyToArray(array, 0, 0, host, SIZE_MAX, cudaMemcpyHostToDevice));
  FAILS(cudaMemcpyToArray(array, 0, 9, host, 1, cudaMemcpyHostToDevice));
  FAILS(cudaMemcpyToArray(NULL, 0, 0, host, 1, cudaMemcpyHostToDevice));
  ERROR(cudaFreeArray(array), cudaSuccess);
}

static void objects(void **state) {
  (void)state;
  cudaTextureObject_t handle = 7;
  struct cudaResourceDesc r = {.resType = cudaResourceTypeArray};
  struct cudaTextureDesc t = {0};
  void *device = NULL;
  ERROR(cudaMalloc(&device, 4096), cudaSuccess);
  ERROR(cudaCreateTextureObject(NULL, &r, &t, NULL), cudaErrorInvalidValue);
  ERROR(cudaCreateTextureObject(&handle, NULL, &t, NULL), cudaErrorInvalidValue);
  ERROR(cudaCreateTextureObject(&handle, &r, NULL, NULL), cudaErrorInvalidValue);
  ERROR(cudaCreateTextureObject(&handle, &r, &t, NULL), cudaErrorInvalidResourceHandle);
  ERROR(cudaCreateSurfaceObject(&handle, &r), cudaErrorInvalidResourceHandle);
  r.resType = cudaResourceTypeMipmappedArray;
  ERROR(cudaCreateTextureObject(&handle, &r, &t, NULL), cudaErrorNotSupported);
  memset(&r.resType, 0x55, sizeof r.resType);
  ERROR(cudaCreateTextureObject(&handle, &r, &t, NULL), cudaErrorInvalidValue);
  r.resType = cudaResourceTypeLinear;
  r.res.linear.devPtr = device;
  r.res.linear.desc = floats;
  r.res.linear.sizeInBytes = 3; // not one texel
  ERROR(cudaCreateTextureObject(&handle, &r, &t, NULL), cudaErrorInvalidValue);
  r.res.linear.sizeInBytes = SIZE_MAX;
  ERROR(cudaCreateTextureObject(&handle, &r, &t, NULL), cudaErrorInvalidValue);
  r.res.linear.sizeInBytes = 64;
  memset(&t.filterMode, 0x55, sizeof t.filterMode);
  ERROR(cudaCreateTextureObject(&handle, &r, &t, NULL), cudaErrorInvalidValue);
  t.filterMode = cudaFilterModePoint;
  memset(&t.addressMode[1], 0x55, sizeof t.addressMode[1]);
  ERROR(cudaCreateTextureObject(&handle, &r, &t, NULL), cudaErrorInvalidValue);
  t.addressMode[1] = cudaAddressModeClamp;
  FAILS(cudaCreateSurfaceObject(&handle, &r)); // no array
  r.resType = cudaResourceTypePitch2D;
  r.res.pitch2D.width = 8, r.res.pitch2D.height = 4, r.res.pitch2D.pitchInBytes = 31;
  FAILS(cudaCreateTextureObject(&handle, &r, &t, NULL)); // rows of 32 bytes
  r.res.pitch2D.pitchInBytes = 2048;
  FAILS(cudaCreateTextureObject(&handle, &r, &t, NULL)); // past the end
  r.res.pitch2D.pitchInBytes = 40;
  FAILS(cudaCreateTextureObject(&handle, &r, &t, NULL)); // no multiple of 32
  r.res.pitch2D.height = huge;
  FAILS(cudaCreateTextureObject(&handle, &r, &t, NULL));
  assert_int_equal(handle, 7);
  ERROR(cudaDestroyTextureObject(7), cudaErrorInvalidResourceHandle);
  ERROR(cudaDestroySurfaceObject(7), cudaErrorInvalidResourceHandle);
  ERROR(cudaGetTextureObjectResourceDesc(&r, 7), cudaErrorInvalidValue);
  ERROR(cudaGetTextureObjectTextureDesc(NULL, 7), cudaErrorInvalidValue);
  ERROR(cudaFree(device), cudaSuccess);
}

static void functions(void **state) {
  (void)state;
  int blocks;
  struct textureReference none = {0};
  ERROR(cudaFuncSetAttribute(NULL, cudaFuncAttributeMaxDynamicSharedMemorySize, 1), cudaErrorInvalidDeviceFunction);
  ERROR(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &blocks, 32, 0), cudaErrorInvalidDeviceFunction);
  ERROR(cudaOccupancyMaxActiveBlocksPerMultiprocessor(NULL, &blocks, 32, 0), cudaErrorInvalidValue);
  ERROR(cudaBindTexture(NULL, NULL, &none, &floats, 4), cudaErrorInvalidValue);
  ERROR(cudaUnbindTexture(NULL), cudaErrorInvalidTexture);
  ERROR(cudaUnbindTexture(&none), cudaErrorInvalidTexture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(devices), cmocka_unit_test(pitched), cmocka_unit_test(volumes),
    cmocka_unit_test(arrays),  cmocka_unit_test(objects), cmocka_unit_test(functions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
