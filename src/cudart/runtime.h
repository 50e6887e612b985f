// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What every entry of the runtime does around its work: take the lock, open the device, remember the error. Invariant:
// between weir_cuda_enter and weir_cuda_leave the calling thread holds the device's lock; a thread's last error is the
// last that one of its calls returned; after a fault in a kernel every call on the device returns that fault's error
// until the process ends (CUDA's "sticky" errors).
#ifndef WEIR_CUDART_RUNTIME_H
#define WEIR_CUDART_RUNTIME_H

#include "cudart/cuda.h"
#include "device/device.h"

// The version that this library is: 11080, 12090, 13000. Defined once in each of the three libraries.
extern const int weir_cuda_version;

// An entry point, defined: WEIR_CUDA_API(cudaError_t, cudaFree, void *pointer) { … }
#define WEIR_CUDA_API(type, name, ...)                                                                                 \
  type name(__VA_ARGS__);                                                                                              \
  type name(__VA_ARGS__)
#define WEIR_CUDA_ALIAS(alias_name, name) extern __typeof__(name) alias_name __attribute__((alias(#name)))

// One that works in a stream, told or not, has a twin for programs that are built with a default stream per thread
// (nvcc --default-stream per-thread), in which the default stream is the calling thread's:
// WEIR_CUDA_API_PTSZ(cudaError_t, cudaStreamQuery, (cudaStream_t stream), (stream)) { … }
#define WEIR_CUDA_API_PTSZ(type, name, parameters, arguments)                                                          \
  WEIR_CUDA_TWIN(type, name, name##_ptsz, parameters, arguments)
#define WEIR_CUDA_API_PTDS(type, name, parameters, arguments)                                                          \
  WEIR_CUDA_TWIN(type, name, name##_ptds, parameters, arguments)
#define WEIR_CUDA_TWIN(type, name, twin, parameters, arguments)                                                        \
  type name parameters;                                                                                                \
  type twin parameters;                                                                                                \
  type twin parameters {                                                                                               \
    const bool before = weir_cuda_default_is_own;                                                                      \
    weir_cuda_default_is_own = true;                                                                                   \
    const type result = name arguments;                                                                                \
    weir_cuda_default_is_own = before;                                                                                 \
    return result;                                                                                                     \
  }                                                                                                                    \
  type name parameters

// The default stream of the call that this thread makes is the thread's own.
extern _Thread_local bool weir_cuda_default_is_own;

// Takes the lock and opens the device. Not cudaSuccess: there is none, or it is lost; *d is then NULL. The lock is held
// in either case.
cudaError_t weir_cuda_enter(struct weir_device **d);
// Gives the lock back; remembers and returns `e`.
cudaError_t weir_cuda_leave(cudaError_t e);

// A whole entry's body: `return WEIR_CUDA_CALL(release(d, pointer));`, where the expression may use `d`.
#define WEIR_CUDA_CALL(expression)                                                                                     \
  ({                                                                                                                   \
    struct weir_device *d;                                                                                             \
    cudaError_t e_ = weir_cuda_enter(&d);                                                                              \
    weir_cuda_leave(e_ ? e_ : (expression));                                                                           \
  })

// An error of arguments alone, found without the device.
cudaError_t weir_cuda_error(cudaError_t e);

// The calling thread's last error. `forget`: from now on there is none, unless the device is lost.
cudaError_t weir_cuda_last_error(bool forget);

// Marks the device lost: every later call returns `e`.
void weir_cuda_lost(cudaError_t e);

// cudaDeviceReset: what each group of calls keeps of its own goes. Under the lock, before the device forgets.
void weir_cuda_forget_modules(void);
void weir_cuda_forget_streams(void);
void weir_cuda_forget_events(void);
void weir_cuda_forget_captures(void);
void weir_cuda_forget_graph_execs(void);
void weir_cuda_forget_graphs(void);
void weir_cuda_forget_graph_memory(void);
void weir_cuda_forget_host_memory(void);
void weir_cuda_forget_pools(void);
void weir_cuda_forget_arrays(void);
void weir_cuda_forget_textures(void);
void weir_cuda_forget_surfaces(void);
void weir_cuda_forget_references(void);
void weir_cuda_forget_limits(struct weir_device *d);
enum cudaFuncCache weir_cuda_cache_config(void); // the device's

#endif
