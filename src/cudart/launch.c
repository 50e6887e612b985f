// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Launching kernels: the calls that `kernel<<<…>>>(…)` becomes, and those that programs write themselves. Arguments
// come as pointers to each; their sizes are those of the kernel's .param list.
#include "cudart/modules.h"
#include "cudart/stream.h"

#include "base/alloc.h"

#include <string.h>

// ---- <<<…>>>: pushed by the caller, popped by the stub --------------------------------------------------------------

struct configuration {
  dim3 grid, block;
  size_t shared_bytes;
  cudaStream_t stream;
  const struct cudaAccessPolicyWindow *window; // of this launch; NULL: its stream's
};

// Deeper than one only where a kernel's arguments are computed by a launch.
enum { DEPTH = 16 };
static _Thread_local struct configuration pushed[DEPTH];
static _Thread_local unsigned depth;

WEIR_CUDA_API(unsigned, __cudaPushCallConfiguration, dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream) {
  if (depth == DEPTH) return weir_cuda_error(cudaErrorInvalidConfiguration);
  pushed[depth++] = (struct configuration){grid, block, shared_bytes, stream, NULL};
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

static cudaError_t start(struct weir_device *d, const struct weir_cuda_function *f, const struct configuration *c,
                         void **args, bool cooperative) {
  const struct weir_kernel *k = f->kernel;
  uint8_t *params = weir_alloc(k->param_bytes ? k->param_bytes : 1);
  for (uint32_t n = 0; n < k->param_count; n++) memcpy(params + k->params[n].offset, args[n], k->params[n].bytes);
  const struct weir_device_launch launch = {
    .program = weir_cuda_function_program(f),
    .kernel = k,
    .grid = {c->grid.x, c->grid.y, c->grid.z},
    .block = {c->block.x, c->block.y, c->block.z},
    .dynamic_shared_bytes = (uint32_t)c->shared_bytes,
    .params = params,
    .cooperative = cooperative,
    .window = weir_cuda_window(c->window ? c->window : weir_cuda_stream_window(c->stream)),
    .stream = weir_cuda_stream_line(c->stream),
  };
  const struct weir_device_result result = weir_device_launch(d, &launch);
  weir_free(params);
  const cudaError_t e = error_of(&result);
  if (result.outcome == WEIR_LAUNCH_FAULT) weir_cuda_lost(e);
  return e;
}

static cudaError_t launch(struct weir_device *d, const void *function, const struct configuration *c, void **args,
                          bool cooperative) {
  struct weir_cuda_function *f;
  const struct weir_device_facts facts = weir_device_facts(d);
  if (!weir_cuda_stream_is_valid(c->stream)) return cudaErrorInvalidResourceHandle;
  const cudaError_t e = weir_cuda_function(d, function, &f);
  if (e) return e;
  if (!shape_is_valid(&c->grid, &c->block, facts.max_block_threads)) {
    weir_device_say("kernel '%s' cannot be launched in %u x %u x %u blocks of %u x %u x %u threads", f->name, c->grid.x,
                    c->grid.y, c->grid.z, c->block.x, c->block.y, c->block.z);
    return cudaErrorInvalidConfiguration;
  }
  if (c->shared_bytes > facts.block_shared_bytes) {
    weir_device_say("kernel '%s' is launched with %zu bytes of dynamic shared memory; a block of this chip has %u",
                    f->name, c->shared_bytes, facts.block_shared_bytes);
    return cudaErrorInvalidValue;
  }
  if (f->kernel->param_count && !args) return cudaErrorInvalidValue;
  return start(d, f, c, args, cooperative);
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaLaunchKernel,
                   (const void *function, dim3 grid, dim3 block, void **args, size_t shared_bytes, cudaStream_t stream),
                   (function, grid, block, args, shared_bytes, stream)) {
  const struct configuration c = {grid, block, shared_bytes, stream, NULL};
  return WEIR_CUDA_CALL(launch(d, function, &c, args, false));
}

WEIR_CUDA_API_PTSZ(cudaError_t, __cudaLaunchKernel,
                   (cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared_bytes, cudaStream_t stream),
                   (kernel, grid, block, args, shared_bytes, stream)) {
  return cudaLaunchKernel(kernel, grid, block, args, shared_bytes, stream);
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaLaunchCooperativeKernel,
                   (const void *function, dim3 grid, dim3 block, void **args, size_t shared_bytes, cudaStream_t stream),
                   (function, grid, block, args, shared_bytes, stream)) {
  const struct configuration c = {grid, block, shared_bytes, stream, NULL};
  return WEIR_CUDA_CALL(launch(d, function, &c, args, true));
}

// Attributes are hints but for three: one changes what may run together, one what a kernel can do, and one what the L2 keeps.
static cudaError_t read_attribute(struct weir_device *d, const cudaLaunchAttribute *a, bool *cooperative,
                                  struct configuration *c) {
  switch (a->id) {
  case cudaLaunchAttributeAccessPolicyWindow:
    c->window = &a->val.accessPolicyWindow;
    return weir_cuda_window_is_valid(d, c->window) ? cudaSuccess : cudaErrorInvalidValue;
  case cudaLaunchAttributeCooperative: *cooperative = a->val.cooperative != 0; return cudaSuccess;
  case cudaLaunchAttributeClusterDimension:
    if (a->val.clusterDim.x <= 1 && a->val.clusterDim.y <= 1 && a->val.clusterDim.z <= 1) return cudaSuccess;
    weir_device_say("weir does not model clusters of thread blocks");
    return cudaErrorNotSupported;
  case cudaLaunchAttributeProgrammaticEvent:
    weir_device_say("weir does not record events from inside a kernel");
    return cudaErrorNotSupported;
  default: return cudaSuccess;
  }
}

static cudaError_t launch_config(struct weir_device *d, const cudaLaunchConfig_t *config, const void *function,
                                 void **args) {
  bool cooperative = false;
  if (!config || (config->numAttrs && !config->attrs)) return cudaErrorInvalidValue;
  struct configuration c = {config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream, NULL};
  for (unsigned k = 0; k < config->numAttrs; k++) {
    const cudaError_t e = read_attribute(d, &config->attrs[k], &cooperative, &c);
    if (e) return e;
  }
  return launch(d, function, &c, args, cooperative);
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaLaunchKernelExC,
                   (const cudaLaunchConfig_t *config, const void *function, void **args), (config, function, args)) {
  return WEIR_CUDA_CALL(launch_config(d, config, function, args));
}
