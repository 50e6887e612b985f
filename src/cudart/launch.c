// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Launching kernels: the calls that `kernel<<<…>>>(…)` becomes, and those that programs write themselves. Arguments
// come as pointers to each; their sizes are those of the kernel's .param list.
#include "cudart/launch.h"

#include "cudart/capture.h"
#include "cudart/modules.h"
#include "cudart/stream.h"

#include "base/alloc.h"

#include <string.h>

// ---- <<<…>>>: pushed by the caller, popped by the stub --------------------------------------------------------------

struct configuration {
  dim3 grid, block;
  size_t shared_bytes;
  cudaStream_t stream;
};

// Deeper than one only where a kernel's arguments are computed by a launch.
enum { DEPTH = 16 };
static _Thread_local struct configuration pushed[DEPTH];
static _Thread_local unsigned depth;

WEIR_CUDA_API(unsigned, __cudaPushCallConfiguration, dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream) {
  if (depth == DEPTH) return weir_cuda_error(cudaErrorInvalidConfiguration);
  pushed[depth++] = (struct configuration){grid, block, shared_bytes, stream};
  return 0;
}

WEIR_CUDA_API(cudaError_t, __cudaPopCallConfiguration, dim3 *grid, dim3 *block, size_t *shared_bytes, void *stream) {
  if (!depth) return weir_cuda_error(cudaErrorMissingConfiguration);
  const struct configuration *c = &pushed[--depth];
  *grid = c->grid;
  *block = c->block;
  *shared_bytes = c->shared_bytes;
  *(cudaStream_t *)stream = c->stream;
  return cudaSuccess;
}

// ---- one launch -----------------------------------------------------------------------------------------------------

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": the same for all since 3.0.
enum { MOST_BLOCKS_YZ = 65535, MOST_THREADS_XY = 1024, MOST_THREADS_Z = 64 };

static bool shape_is_valid(const dim3 *grid, const dim3 *block, unsigned most_threads) {
  return grid->x && grid->x <= INT32_MAX && grid->y && grid->y <= MOST_BLOCKS_YZ && grid->z &&
    grid->z <= MOST_BLOCKS_YZ && block->x && block->x <= MOST_THREADS_XY && block->y && block->y <= MOST_THREADS_XY &&
    block->z && block->z <= MOST_THREADS_Z && block->x * block->y * block->z <= most_threads;
}

static cudaError_t error_of(const struct weir_device_result *r) {
  switch (r->outcome) {
  case WEIR_LAUNCH_DONE: return cudaSuccess;
  case WEIR_LAUNCH_INVALID: return cudaErrorLaunchOutOfResources;
  case WEIR_LAUNCH_BAD_CLUSTER: return cudaErrorInvalidClusterSize;
  case WEIR_LAUNCH_TOO_LARGE: return cudaErrorCooperativeLaunchTooLarge;
  case WEIR_LAUNCH_FAULT: break;
  }
  switch (r->fault_kind) {
  case WEIR_FAULT_ACCESS: return cudaErrorIllegalAddress;
  case WEIR_FAULT_MISALIGNED: return cudaErrorMisalignedAddress;
  case WEIR_FAULT_ASSERT: return cudaErrorAssert;
  case WEIR_FAULT_RUNAWAY: return cudaErrorLaunchTimeout;
  default: return cudaErrorLaunchFailure;
  }
}

static cudaError_t start(struct weir_device *d, const struct weir_cuda_function *f, const struct weir_cuda_launch *l,
                         cudaStream_t stream) {
  const struct weir_kernel *k = f->kernel;
  struct weir_dim cluster;
  const cudaError_t misfit = weir_cuda_cluster(f, l->cluster, &cluster);
  if (misfit) return misfit;
  uint8_t *params = weir_alloc(k->param_bytes ? k->param_bytes : 1);
  for (uint32_t n = 0; n < k->param_count; n++) memcpy(params + k->params[n].offset, l->args[n], k->params[n].bytes);
  const struct weir_device_launch launch = {
    .program = weir_cuda_function_program(f),
    .kernel = k,
    .grid = {l->grid.x, l->grid.y, l->grid.z},
    .block = {l->block.x, l->block.y, l->block.z},
    .cluster = cluster,
    .dynamic_shared_bytes = (uint32_t)l->shared_bytes,
    .shared_preference = l->shared_preference ? l->shared_preference : weir_cuda_shared_preference(f),
    .params = params,
    .cooperative = l->cooperative,
    .window = weir_cuda_window(l->window ? l->window : weir_cuda_stream_window(stream)),
    .stream = weir_cuda_stream_line(stream),
  };
  const int priority = launch.stream->priority; // of the stream, whatever this launch's is
  if (l->priority) launch.stream->priority = weir_cuda_priority(*l->priority);
  const struct weir_device_result result = weir_device_launch(d, &launch);
  launch.stream->priority = priority;
  weir_free(params);
  const cudaError_t e = error_of(&result);
  if (result.outcome == WEIR_LAUNCH_FAULT) weir_cuda_lost(e);
  return e;
}

static cudaError_t check(struct weir_device *d, const struct weir_cuda_launch *l, struct weir_cuda_function **f) {
  const struct weir_device_facts facts = weir_device_facts(d);
  const cudaError_t e = weir_cuda_function(d, l->function, f);
  if (e) return e;
  if (!shape_is_valid(&l->grid, &l->block, facts.max_block_threads)) {
    weir_device_say("kernel '%s' cannot be launched in %u x %u x %u blocks of %u x %u x %u threads", (*f)->name,
                    l->grid.x, l->grid.y, l->grid.z, l->block.x, l->block.y, l->block.z);
    return cudaErrorInvalidConfiguration;
  }
  if (l->shared_bytes > facts.block_shared_bytes) {
    weir_device_say("kernel '%s' is launched with %zu bytes of dynamic shared memory; a block of this chip has %u",
                    (*f)->name, l->shared_bytes, facts.block_shared_bytes);
    return cudaErrorInvalidValue;
  }
  return (*f)->kernel->param_count && !l->args ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t weir_cuda_launch_later(struct weir_device *d, const struct weir_cuda_launch *l,
                                   struct weir_cuda_launch *kept) {
  struct weir_cuda_function *f;
  const cudaError_t e = check(d, l, &f);
  if (!e) *kept = weir_cuda_launch_keep(l, f->kernel);
  return e;
}

cudaError_t weir_cuda_launch(struct weir_device *d, const struct weir_cuda_launch *l, cudaStream_t stream) {
  struct weir_cuda_function *f;
  cudaGraphNode_t node;
  if (!weir_cuda_stream_is_valid(stream)) return cudaErrorInvalidResourceHandle;
  cudaError_t e = check(d, l, &f);
  if (!e) e = weir_cuda_capture(stream, cudaGraphNodeTypeKernel, &node);
  if (e || !node) return e ? e : start(d, f, l, stream);
  struct weir_cuda_launch own = *l;
  if (!own.priority) own.priority = &weir_cuda_stream_line(stream)->priority;
  node->what.kernel = weir_cuda_launch_keep(&own, f->kernel);
  return cudaSuccess;
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaLaunchKernel,
                   (const void *function, dim3 grid, dim3 block, void **args, size_t shared_bytes, cudaStream_t stream),
                   (function, grid, block, args, shared_bytes, stream)) {
  const struct weir_cuda_launch l = {function, grid, block, shared_bytes, args, .kernel = NULL};
  return WEIR_CUDA_CALL(weir_cuda_launch(d, &l, stream));
}

WEIR_CUDA_API_PTSZ(cudaError_t, __cudaLaunchKernel,
                   (cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared_bytes, cudaStream_t stream),
                   (kernel, grid, block, args, shared_bytes, stream)) {
  return cudaLaunchKernel(kernel, grid, block, args, shared_bytes, stream);
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaLaunchCooperativeKernel,
                   (const void *function, dim3 grid, dim3 block, void **args, size_t shared_bytes, cudaStream_t stream),
                   (function, grid, block, args, shared_bytes, stream)) {
  const struct weir_cuda_launch l = {function, grid, block, shared_bytes, args, .cooperative = true};
  return WEIR_CUDA_CALL(weir_cuda_launch(d, &l, stream));
}

// Attributes are hints but for these: what may run together, what a kernel can do, what the L2 keeps, who goes first, and how the array
// is split that is L1 and shared memory.
static cudaError_t read_attribute(struct weir_device *d, const cudaLaunchAttribute *a, struct weir_cuda_launch *l) {
  switch (a->id) {
  case cudaLaunchAttributeAccessPolicyWindow:
    l->window = &a->val.accessPolicyWindow;
    return weir_cuda_window_is_valid(d, l->window) ? cudaSuccess : cudaErrorInvalidValue;
  case cudaLaunchAttributeCooperative: l->cooperative = a->val.cooperative != 0; return cudaSuccess;
  case cudaLaunchAttributeClusterDimension:
    l->cluster = (struct weir_dim){a->val.clusterDim.x, a->val.clusterDim.y, a->val.clusterDim.z};
    return cudaSuccess;
  case cudaLaunchAttributeProgrammaticEvent:
    weir_device_say("weir does not record events from inside a kernel");
    return cudaErrorNotSupported;
  case cudaLaunchAttributePriority: l->priority = &a->val.priority; return cudaSuccess;
  case cudaLaunchAttributePreferredSharedMemoryCarveout:
    if (a->val.sharedMemCarveout > 100) return cudaErrorInvalidValue;
    l->shared_preference = weir_prefer_shared(a->val.sharedMemCarveout);
    return cudaSuccess;
  default: return cudaSuccess;
  }
}

static cudaError_t launch_config(struct weir_device *d, const cudaLaunchConfig_t *config, const void *function,
                                 void **args) {
  if (!config || (config->numAttrs && !config->attrs)) return cudaErrorInvalidValue;
  struct weir_cuda_launch l = {function, config->gridDim, config->blockDim, config->dynamicSmemBytes,
                               args,     .kernel = NULL};
  for (unsigned k = 0; k < config->numAttrs; k++) {
    const cudaError_t e = read_attribute(d, &config->attrs[k], &l);
    if (e) return e;
  }
  return weir_cuda_launch(d, &l, config->stream);
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaLaunchKernelExC,
                   (const cudaLaunchConfig_t *config, const void *function, void **args), (config, function, args)) {
  return WEIR_CUDA_CALL(launch_config(d, config, function, args));
}
