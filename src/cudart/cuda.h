// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The CUDA runtime's binary interface, as far as programs use it: its types, values and layouts, under the names that
// CUDA gives them, for CUDA 11, 12 and 13 alike. Invariant: sizes and offsets are those that a program built with
// NVIDIA's headers has; where the three versions differ, the difference is said and weir_cuda_version decides.
// (cudaDeviceProp and the attributes' numbers: properties.h.)
#ifndef WEIR_CUDART_CUDA_H
#define WEIR_CUDART_CUDA_H

#include <stddef.h>
#include <stdint.h>

typedef enum cudaError {
#define X(name, value, text) name = value,
#include "cudart/errors.def"
#undef X
} cudaError_t;

typedef struct dim3 {
  unsigned x, y, z;
} dim3;

// Handles: pointers to what only this library looks into.
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUkern_st *cudaKernel_t;
typedef struct CUfunc_st *cudaFunction_t;
typedef struct CUlib_st *cudaLibrary_t;
typedef struct CUmemPoolHandle_st *cudaMemPool_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef struct cudaArray *cudaArray_t;
typedef const struct cudaArray *cudaArray_const_t;
typedef struct cudaMipmappedArray *cudaMipmappedArray_t;
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;

#define cudaStreamLegacy ((cudaStream_t)(uintptr_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)(uintptr_t)0x2)

typedef void (*cudaHostFn_t)(void *data);
typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void *data);

// ---- memory ---------------------------------------------------------------------------------------------------------

enum cudaMemoryType {
  cudaMemoryTypeUnregistered,
  cudaMemoryTypeHost,
  cudaMemoryTypeDevice,
  cudaMemoryTypeManaged,
};

enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault,
};

enum { cudaHostAllocPortable = 1, cudaHostAllocMapped = 2, cudaHostAllocWriteCombined = 4 };
enum {
  cudaHostRegisterPortable = 1,
  cudaHostRegisterMapped = 2,
  cudaHostRegisterIoMemory = 4,
  cudaHostRegisterReadOnly = 8
};
enum { cudaMemAttachGlobal = 1, cudaMemAttachHost = 2, cudaMemAttachSingle = 4 };
enum { cudaCpuDeviceId = -1, cudaInvalidDeviceId = -2 };

struct cudaPointerAttributes {
  enum cudaMemoryType type;
  int device;
  void *devicePointer, *hostPointer; // here ends that of CUDA 11 and 12
  long reserved[8];
};

struct cudaPitchedPtr {
  void *ptr;
  size_t pitch, xsize, ysize;
};
struct cudaExtent {
  size_t width, height, depth;
};
struct cudaPos {
  size_t x, y, z;
};

struct cudaMemcpy3DParms {
  cudaArray_t srcArray;
  struct cudaPos srcPos;
  struct cudaPitchedPtr srcPtr;
  cudaArray_t dstArray;
  struct cudaPos dstPos;
  struct cudaPitchedPtr dstPtr;
  struct cudaExtent extent;
  enum cudaMemcpyKind kind;
};

struct cudaMemcpy3DPeerParms {
  cudaArray_t srcArray;
  struct cudaPos srcPos;
  struct cudaPitchedPtr srcPtr;
  int srcDevice;
  cudaArray_t dstArray;
  struct cudaPos dstPos;
  struct cudaPitchedPtr dstPtr;
  int dstDevice;
  struct cudaExtent extent;
};

enum cudaMemLocationType { cudaMemLocationTypeInvalid, cudaMemLocationTypeDevice, cudaMemLocationTypeHost };
struct cudaMemLocation {
  enum cudaMemLocationType type;
  int id;
};

enum cudaMemAccessFlags { cudaMemAccessFlagsProtNone, cudaMemAccessFlagsProtRead, cudaMemAccessFlagsProtReadWrite = 3 };
struct cudaMemAccessDesc {
  struct cudaMemLocation location;
  enum cudaMemAccessFlags flags;
};

enum cudaMemPoolAttr {
  cudaMemPoolReuseFollowEventDependencies = 1, // int, as the next two
  cudaMemPoolReuseAllowOpportunistic,
  cudaMemPoolReuseAllowInternalDependencies,
  cudaMemPoolAttrReleaseThreshold, // uint64_t, as the rest
  cudaMemPoolAttrReservedMemCurrent,
  cudaMemPoolAttrReservedMemHigh,
  cudaMemPoolAttrUsedMemCurrent,
  cudaMemPoolAttrUsedMemHigh,
};

enum cudaMemAllocationType { cudaMemAllocationTypeInvalid, cudaMemAllocationTypePinned, cudaMemAllocationTypeManaged };
struct cudaMemPoolProps { // 11's ends after 64 reserved bytes, where 12's has maxSize and usage: the same size
  enum cudaMemAllocationType allocType;
  int handleTypes;
  struct cudaMemLocation location;
  void *win32SecurityAttributes;
  unsigned char reserved[64];
};

// ---- devices --------------------------------------------------------------------------------------------------------

enum cudaLimit {
  cudaLimitStackSize,
  cudaLimitPrintfFifoSize,
  cudaLimitMallocHeapSize,
  cudaLimitDevRuntimeSyncDepth,
  cudaLimitDevRuntimePendingLaunchCount,
  cudaLimitMaxL2FetchGranularity,
  cudaLimitPersistingL2CacheSize,
};

enum cudaFuncCache {
  cudaFuncCachePreferNone,
  cudaFuncCachePreferShared,
  cudaFuncCachePreferL1,
  cudaFuncCachePreferEqual,
};

enum cudaSharedMemConfig {
  cudaSharedMemBankSizeDefault,
  cudaSharedMemBankSizeFourByte,
  cudaSharedMemBankSizeEightByte,
};

enum {
  cudaDeviceScheduleMask = 0x07,
  cudaDeviceMapHost = 0x08,
  cudaDeviceLmemResizeToMax = 0x10,
  cudaDeviceSyncMemops = 0x80
};

// ---- streams, events, launches --------------------------------------------------------------------------------------

enum { cudaStreamDefault, cudaStreamNonBlocking };
enum { cudaEventBlockingSync = 1, cudaEventDisableTiming = 2, cudaEventInterprocess = 4 };
enum { cudaEventRecordDefault, cudaEventRecordExternal };
enum { cudaEventWaitDefault, cudaEventWaitExternal };

enum cudaLaunchAttributeID {
  cudaLaunchAttributeIgnore,
  cudaLaunchAttributeAccessPolicyWindow,
  cudaLaunchAttributeCooperative,
  cudaLaunchAttributeSynchronizationPolicy,
  cudaLaunchAttributeClusterDimension,
  cudaLaunchAttributeClusterSchedulingPolicyPreference,
  cudaLaunchAttributeProgrammaticStreamSerialization,
  cudaLaunchAttributeProgrammaticEvent,
  cudaLaunchAttributePriority,
  cudaLaunchAttributePreferredSharedMemoryCarveout = 14,
};

enum cudaAccessProperty { cudaAccessPropertyNormal, cudaAccessPropertyStreaming, cudaAccessPropertyPersisting };

struct cudaAccessPolicyWindow {
  void *base_ptr;
  size_t num_bytes;
  float hitRatio; // of the accesses in the window, those that have hitProp; the others have missProp
  enum cudaAccessProperty hitProp, missProp;
};

union cudaLaunchAttributeValue {
  char pad[64];
  struct cudaAccessPolicyWindow accessPolicyWindow;
  int cooperative, priority, syncPolicy;
  unsigned sharedMemCarveout;
  struct {
    unsigned x, y, z;
  } clusterDim;
};

typedef struct cudaLaunchAttribute_st {
  enum cudaLaunchAttributeID id;
  char pad[8 - sizeof(enum cudaLaunchAttributeID)];
  union cudaLaunchAttributeValue val;
} cudaLaunchAttribute;

typedef struct cudaLaunchConfig_st {
  dim3 gridDim, blockDim;
  size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute *attrs;
  unsigned numAttrs;
} cudaLaunchConfig_t;

struct cudaFuncAttributes {
  size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes,
    preferredShmemCarveout; // here ends that of CUDA 11
  int clusterDimMustBeSet, requiredClusterWidth, requiredClusterHeight, requiredClusterDepth,
    clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed, reserved[16];
};

enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout,
  cudaFuncAttributeClusterDimMustBeSet,
  cudaFuncAttributeRequiredClusterWidth,
  cudaFuncAttributeRequiredClusterHeight,
  cudaFuncAttributeRequiredClusterDepth,
  cudaFuncAttributeNonPortableClusterSizeAllowed,
  cudaFuncAttributeClusterSchedulingPolicyPreference,
};

// ---- graphs -----------------------------------------------------------------------------------------------------------

enum cudaGraphNodeType {
  cudaGraphNodeTypeKernel,
  cudaGraphNodeTypeMemcpy,
  cudaGraphNodeTypeMemset,
  cudaGraphNodeTypeHost,
  cudaGraphNodeTypeGraph,
  cudaGraphNodeTypeEmpty,
  cudaGraphNodeTypeWaitEvent,
  cudaGraphNodeTypeEventRecord,
  cudaGraphNodeTypeMemAlloc = 10,
  cudaGraphNodeTypeMemFree,
  cudaGraphNodeTypeConditional = 13,
};

enum { cudaGraphCondAssignDefault = 1 };
enum cudaGraphConditionalNodeType { cudaGraphCondTypeIf, cudaGraphCondTypeWhile, cudaGraphCondTypeSwitch };

struct cudaKernelNodeParams {
  void *func;
  dim3 gridDim, blockDim;
  unsigned sharedMemBytes;
  void **kernelParams, **extra;
};

struct cudaMemsetParams {
  void *dst;
  size_t pitch;
  unsigned value, elementSize;
  size_t width, height; // in elements, in rows
};

struct cudaHostNodeParams {
  cudaHostFn_t fn;
  void *userData;
};

struct cudaMemAllocNodeParams {
  struct cudaMemPoolProps poolProps;
  const struct cudaMemAccessDesc *accessDescs;
  size_t accessDescCount, bytesize;
  void *dptr; // told by the call
};

// Of cudaGraphAddNode: any kind of node.
struct cudaGraphNodeParams {
  enum cudaGraphNodeType type;
  int reserved0[3];
  union {
    long long reserved1[29];
    struct cudaKernelNodeParams kernel;
    struct {
      int flags, reserved[3];
      struct cudaMemcpy3DParms copyParams;
    } memcpy;
    struct cudaMemsetParams memset;
    struct cudaHostNodeParams host;
    struct {
      cudaGraph_t graph;
      int ownership; // 0: it is copied
    } graph;
    struct {
      cudaEvent_t event;
    } event; // recorded, or waited for
    struct cudaMemAllocNodeParams alloc;
    struct {
      void *dptr;
    } free;
    struct {
      unsigned long long handle;
      enum cudaGraphConditionalNodeType type;
      unsigned size;
      cudaGraph_t *phGraph_out; // told by the call: `size` graphs
    } conditional;
  };
  long long reserved2;
};

enum cudaGraphExecUpdateResult {
  cudaGraphExecUpdateSuccess,
  cudaGraphExecUpdateError,
  cudaGraphExecUpdateErrorTopologyChanged,
  cudaGraphExecUpdateErrorNodeTypeChanged,
};

typedef struct cudaGraphExecUpdateResultInfo_st {
  enum cudaGraphExecUpdateResult result;
  cudaGraphNode_t errorNode, errorFromNode;
} cudaGraphExecUpdateResultInfo;

enum {
  cudaGraphInstantiateFlagAutoFree = 1,
  cudaGraphInstantiateFlagUpload = 2,
  cudaGraphInstantiateFlagUseNodePriority = 8,
};

enum cudaStreamCaptureStatus {
  cudaStreamCaptureStatusNone,
  cudaStreamCaptureStatusActive,
  cudaStreamCaptureStatusInvalidated,
};
enum cudaStreamCaptureMode {
  cudaStreamCaptureModeGlobal,
  cudaStreamCaptureModeThreadLocal,
  cudaStreamCaptureModeRelaxed,
};

// ---- textures and surfaces ------------------------------------------------------------------------------------------

enum cudaChannelFormatKind {
  cudaChannelFormatKindSigned,
  cudaChannelFormatKindUnsigned,
  cudaChannelFormatKindFloat,
  cudaChannelFormatKindNone,
};

struct cudaChannelFormatDesc {
  int x, y, z, w; // bits
  enum cudaChannelFormatKind f;
};

enum {
  cudaArrayLayered = 0x01,
  cudaArraySurfaceLoadStore = 0x02,
  cudaArrayCubemap = 0x04,
  cudaArrayTextureGather = 0x08,
  cudaArraySparse = 0x40
};

enum cudaResourceType {
  cudaResourceTypeArray,
  cudaResourceTypeMipmappedArray,
  cudaResourceTypeLinear,
  cudaResourceTypePitch2D,
};

struct cudaResourceDesc {
  enum cudaResourceType resType;
  union {
    struct {
      cudaArray_t array;
    } array;
    struct {
      cudaMipmappedArray_t mipmap;
    } mipmap;
    struct {
      void *devPtr;
      struct cudaChannelFormatDesc desc;
      size_t sizeInBytes;
    } linear;
    struct {
      void *devPtr;
      struct cudaChannelFormatDesc desc;
      size_t width, height, pitchInBytes;
    } pitch2D;
    struct {
      int reserved[32];
    } reserved; // of CUDA 13 alone, as is `flags`: before, the union ended with pitch2D
  } res;
  unsigned flags;
};

struct cudaResourceViewDesc {
  int format; // 0: none
  size_t width, height, depth;
  unsigned firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer;
  unsigned reserved[16]; // of CUDA 13 alone
};

enum cudaTextureAddressMode {
  cudaAddressModeWrap,
  cudaAddressModeClamp,
  cudaAddressModeMirror,
  cudaAddressModeBorder,
};
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };

struct cudaTextureDesc {
  enum cudaTextureAddressMode addressMode[3];
  enum cudaTextureFilterMode filterMode;
  enum cudaTextureReadMode readMode;
  int sRGB;
  float borderColor[4];
  int normalizedCoords;
  unsigned maxAnisotropy;
  enum cudaTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  int disableTrilinearOptimization; // here ends that of cudaCreateTextureObject in CUDA 11
  int seamlessCubemap;
};

struct textureReference { // of CUDA 11 alone, as the next
  int normalized;
  enum cudaTextureFilterMode filterMode;
  enum cudaTextureAddressMode addressMode[3];
  struct cudaChannelFormatDesc channelDesc;
  int sRGB;
  unsigned maxAnisotropy;
  enum cudaTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  int disableTrilinearOptimization;
  int reserved[14];
};
struct surfaceReference {
  struct cudaChannelFormatDesc channelDesc;
};

#endif
