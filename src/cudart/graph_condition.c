// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "cudart/graph_condition.h"

#include "cudart/set.h"

#include "base/alloc.h"

#include <string.h>

static struct weir_cuda_set all; // by handle

static void *key(uint64_t handle) {
  return (void *)(uintptr_t)handle;
}

struct weir_cuda_condition *weir_cuda_condition_new(struct weir_device *d, uint32_t first, bool assigned) {
  const uint64_t handle = weir_device_alloc(d, "cudaGraphConditionalHandleCreate", sizeof first);
  if (!handle) return NULL;
  struct weir_cuda_condition *c = weir_new(struct weir_cuda_condition);
  *c = (struct weir_cuda_condition){d, handle, 1, first, assigned};
  weir_cuda_set_add(&all, key(handle), c);
  return c;
}

void weir_cuda_condition_hold(struct weir_cuda_condition *c) {
  c->graphs++;
}

void weir_cuda_condition_release(struct weir_cuda_condition *c) {
  if (--c->graphs) return;
  weir_device_release(c->device, c->handle);
  weir_cuda_set_remove(&all, key(c->handle));
  weir_free(c);
}

const struct weir_cuda_condition *weir_cuda_condition_of(uint64_t handle) {
  return weir_cuda_set_find(&all, key(handle));
}

void weir_cuda_condition_begin(const struct weir_cuda_condition *c) {
  if (c->assigned) memcpy(weir_device_at(c->device, c->handle, sizeof c->first), &c->first, sizeof c->first);
}

uint32_t weir_cuda_condition_value(const struct weir_cuda_condition *c) {
  uint32_t value;
  memcpy(&value, weir_device_at(c->device, c->handle, sizeof value), sizeof value);
  return value;
}
