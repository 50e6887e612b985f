// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a program is told of the device: cudaDeviceProp (whose layout is that of the headers this was built with) member by
// member against the attributes, and both against the chip file chips/fermi-gtx480.yaml and the Programming Guide's table
// of compute capability 2.0.
//
// Nothing is launched.
// fact: kernels.# = 0
// fact: complete = 1
#include <cuda_runtime.h>

#include "check.h"

static int attribute(int number) {
  int value = -12345;
  OK(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)number, 0));
  return value;
}

// Members and the attributes' numbers (cudaDeviceAttr in the runtime API's reference).
static void compare(const cudaDeviceProp &p) {
#define SAME(member, number) CHECK((long long)p.member == (long long)attribute(number))
  SAME(maxThreadsPerBlock, 1); SAME(maxThreadsDim[0], 2); SAME(maxThreadsDim[1], 3); SAME(maxThreadsDim[2], 4);
  SAME(maxGridSize[0], 5); SAME(maxGridSize[1], 6); SAME(maxGridSize[2], 7); SAME(sharedMemPerBlock, 8);
  SAME(totalConstMem, 9); SAME(warpSize, 10); SAME(memPitch, 11); SAME(regsPerBlock, 12); SAME(textureAlignment, 14);
  SAME(multiProcessorCount, 16); SAME(integrated, 18); SAME(canMapHostMemory, 19); SAME(maxTexture1D, 21);
  SAME(maxTexture2D[0], 22); SAME(maxTexture2D[1], 23); SAME(maxTexture3D[0], 24); SAME(maxTexture3D[2], 26);
  SAME(maxTexture2DLayered[0], 27); SAME(maxTexture2DLayered[2], 29); SAME(surfaceAlignment, 30);
  SAME(concurrentKernels, 31); SAME(ECCEnabled, 32); SAME(pciBusID, 33); SAME(pciDeviceID, 34); SAME(tccDriver, 35);
  SAME(memoryBusWidth, 37); SAME(l2CacheSize, 38); SAME(maxThreadsPerMultiProcessor, 39); SAME(asyncEngineCount, 40);
  SAME(unifiedAddressing, 41); SAME(maxTexture1DLayered[0], 42); SAME(maxTexture1DLayered[1], 43);
  SAME(maxTexture2DGather[1], 46); SAME(maxTexture3DAlt[0], 47); SAME(maxTexture3DAlt[2], 49); SAME(pciDomainID, 50);
  SAME(texturePitchAlignment, 51); SAME(maxTextureCubemap, 52); SAME(maxTextureCubemapLayered[1], 54);
  SAME(maxSurface1D, 55); SAME(maxSurface2D[1], 57); SAME(maxSurface3D[2], 60); SAME(maxSurface1DLayered[1], 62);
  SAME(maxSurface2DLayered[2], 65); SAME(maxSurfaceCubemap, 66); SAME(maxSurfaceCubemapLayered[1], 68);
  SAME(maxTexture2DLinear[0], 70); SAME(maxTexture2DLinear[2], 72); SAME(maxTexture2DMipmap[1], 74); SAME(major, 75);
  SAME(minor, 76); SAME(maxTexture1DMipmap, 77); SAME(streamPrioritiesSupported, 78); SAME(globalL1CacheSupported, 79);
  SAME(localL1CacheSupported, 80); SAME(sharedMemPerMultiprocessor, 81); SAME(regsPerMultiprocessor, 82);
  SAME(managedMemory, 83); SAME(isMultiGpuBoard, 84); SAME(multiGpuBoardGroupID, 85);
  SAME(hostNativeAtomicSupported, 86); SAME(pageableMemoryAccess, 88); SAME(concurrentManagedAccess, 89);
  SAME(computePreemptionSupported, 90); SAME(canUseHostPointerForRegisteredMem, 91); SAME(cooperativeLaunch, 95);
  SAME(sharedMemPerBlockOptin, 97); SAME(pageableMemoryAccessUsesHostPageTables, 100);
  SAME(directManagedMemAccessFromHost, 101); SAME(maxBlocksPerMultiProcessor, 106); SAME(persistingL2CacheMaxSize, 108);
  SAME(accessPolicyMaxWindowSize, 109); SAME(reservedSharedMemPerBlock, 111);
#if CUDART_VERSION < 13000
  SAME(clockRate, 13); SAME(deviceOverlap, 15); SAME(kernelExecTimeoutEnabled, 17); SAME(computeMode, 20);
  SAME(memoryClockRate, 36); SAME(maxTexture1DLinear, 69); SAME(singleToDoublePrecisionPerfRatio, 87);
  SAME(cooperativeMultiDeviceLaunch, 96);
#endif
#if CUDART_VERSION >= 12000
  SAME(hostRegisterSupported, 99); SAME(sparseCudaArraySupported, 112); SAME(hostRegisterReadOnlySupported, 113);
  SAME(timelineSemaphoreInteropSupported, 114); SAME(memoryPoolsSupported, 115); SAME(gpuDirectRDMASupported, 116);
  SAME(gpuDirectRDMAFlushWritesOptions, 117); SAME(gpuDirectRDMAWritesOrdering, 118);
  SAME(memoryPoolSupportedHandleTypes, 119); SAME(deferredMappingCudaArraySupported, 121); SAME(ipcEventSupported, 125);
  SAME(clusterLaunch, 120);
#endif
#if CUDART_VERSION >= 13000
  SAME(deviceNumaConfig, 130); SAME(deviceNumaId, 131); SAME(mpsEnabled, 133); SAME(hostNumaId, 134);
  SAME(gpuPciDeviceID, 139); SAME(gpuPciSubsystemID, 140); SAME(hostNumaMultinodeIpcSupported, 143);
#endif
}

static void values(const cudaDeviceProp &p) {
  CHECK(strcmp(p.name, "GeForce GTX 480") == 0);
  CHECK(p.major == 2 && p.minor == 0);
  CHECK(p.totalGlobalMem == (size_t)1536 << 20);
  CHECK(p.multiProcessorCount == 15 && p.warpSize == 32);
  CHECK(p.maxThreadsPerMultiProcessor == 1536 && p.maxBlocksPerMultiProcessor == 8);
  CHECK(p.regsPerBlock == 32768 && p.regsPerMultiprocessor == 32768);
  CHECK(p.sharedMemPerBlock == 48 << 10 && p.totalConstMem == 64 << 10);
  CHECK(p.maxThreadsPerBlock == 1024 && p.maxThreadsDim[0] == 1024 && p.maxThreadsDim[2] == 64);
  CHECK(p.maxGridSize[0] == 65535 && p.maxGridSize[1] == 65535);
  CHECK(p.maxTexture1D == 65536 && p.maxTexture2D[1] == 65535 && p.maxTexture3D[0] == 2048);
  CHECK(p.maxSurface2D[1] == 32768);
  CHECK(attribute(13) == 700000); // kHz
}

static void lookups() {
  int device = 7;
  char id[32];
  cudaDeviceProp wanted;
  memset(&wanted, 0, sizeof wanted);
  OK(cudaChooseDevice(&device, &wanted));
  CHECK(device == 0);
  OK(cudaDeviceGetPCIBusId(id, sizeof id, 0));
  device = 7;
  OK(cudaDeviceGetByPCIBusId(&device, id));
  CHECK(device == 0);
  EXPECT(cudaDeviceGetByPCIBusId(&device, "0000:77:00.0"), cudaErrorInvalidDevice);
  EXPECT(cudaDeviceGetByPCIBusId(&device, "no bus"), cudaErrorInvalidValue);
}

int main() {
  struct {
    cudaDeviceProp p;
    unsigned char after[64]; // nothing writes past the structure that this program knows
  } s;
  memset(&s, 0x5a, sizeof s);
  OK(cudaGetDeviceProperties(&s.p, 0));
  for (unsigned i = 0; i < sizeof s.after; i++)
    CHECK(s.after[i] == 0x5a);
  compare(s.p);
  values(s.p);
  lookups();
  int value;
  EXPECT(cudaGetDeviceProperties(&s.p, 1), cudaErrorInvalidDevice);
  EXPECT(cudaGetDeviceProperties((cudaDeviceProp *)nullptr, 0), cudaErrorInvalidValue);
  EXPECT(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)44, 0), cudaErrorInvalidValue);
  EXPECT(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)100000, 0), cudaErrorInvalidValue);
  EXPECT(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 3), cudaErrorInvalidDevice);
  EXPECT(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 1), cudaErrorInvalidDevice);
  return finish("properties");
}
