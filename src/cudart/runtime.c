// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "cudart/runtime.h"

_Thread_local bool weir_cuda_default_is_own;

static _Thread_local cudaError_t last;
static _Atomic cudaError_t lost; // not cudaSuccess: a kernel faulted with it (cudaGetLastError takes no lock)

static cudaError_t why_none(enum weir_device_state state, bool was_there) {
  if (state == WEIR_DEVICE_FORKED) return cudaErrorInitializationError;
  return was_there ? cudaErrorCudartUnloading : cudaErrorNoDevice; // called by the program's last destructors
}

cudaError_t weir_cuda_enter(struct weir_device **d) {
  static bool was_there;
  enum weir_device_state state;
  weir_device_lock();
  *d = weir_device_get(&state);
  if (!*d) return why_none(state, was_there);
  was_there = true;
  weir_device_see_host(*d);
  if (lost) *d = NULL;
  return lost;
}

cudaError_t weir_cuda_leave(cudaError_t e) {
  weir_device_unlock();
  return weir_cuda_error(e);
}

// CUDA C++ Programming Guide, "Error Checking": that something is not ready is no error that the last one could be.
cudaError_t weir_cuda_error(cudaError_t e) {
  if (e && e != cudaErrorNotReady) last = e;
  return e;
}

void weir_cuda_lost(cudaError_t e) {
  lost = e;
}

cudaError_t weir_cuda_last_error(bool forget) {
  const cudaError_t e = lost ? lost : last;
  if (forget) last = lost;
  return e;
}
