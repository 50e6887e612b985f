// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "cudart/runtime.h"

static _Thread_local cudaError_t last;
static cudaError_t lost; // not cudaSuccess: a kernel faulted with it

cudaError_t weir_cuda_enter(struct weir_device **d) {
  enum weir_device_state state;
  weir_device_lock();
  *d = weir_device_get(&state);
  if (!*d) return state == WEIR_DEVICE_FORKED ? cudaErrorInitializationError : cudaErrorNoDevice;
  if (lost) *d = NULL;
  return lost;
}

cudaError_t weir_cuda_leave(cudaError_t e) {
  weir_device_unlock();
  return weir_cuda_error(e);
}

cudaError_t weir_cuda_error(cudaError_t e) {
  if (e) last = e;
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
