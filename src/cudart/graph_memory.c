// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "cudart/graph_memory.h"

#include "cudart/set.h"

#include "base/alloc.h"

// By attribute: in use, the most that was, reserved, the most that was (cudaGraphMemAttributeType).
enum { USED, USED_MOST, RESERVED, RESERVED_MOST, ATTRIBUTES };

static uint64_t attributes[ATTRIBUTES];
static struct weir_cuda_set all; // by address

static void add(unsigned attribute, size_t bytes) {
  attributes[attribute] += bytes;
  if (attributes[attribute] > attributes[attribute + 1]) attributes[attribute + 1] = attributes[attribute];
}

struct weir_cuda_graph_memory *weir_cuda_graph_memory_new(struct weir_device *d, size_t bytes) {
  static unsigned long number;
  char name[64];
  snprintf(name, sizeof name, "graph's memory %lu", ++number);
  void *address = (void *)(uintptr_t)weir_device_alloc(d, name, bytes);
  if (!address) return NULL;
  struct weir_cuda_graph_memory *m = weir_new(struct weir_cuda_graph_memory);
  *m = (struct weir_cuda_graph_memory){.device = d, .address = address, .bytes = bytes, .nodes = 1};
  weir_cuda_set_add(&all, address, m);
  add(RESERVED, bytes);
  return m;
}

void weir_cuda_graph_memory_hold(struct weir_cuda_graph_memory *m) {
  m->nodes++;
}

static void discard_unused(struct weir_cuda_graph_memory *m) {
  if (m->nodes || m->allocated) return;
  attributes[RESERVED] -= m->bytes;
  weir_device_release(m->device, (uintptr_t)m->address);
  weir_cuda_set_remove(&all, m->address);
  weir_free(m);
}

void weir_cuda_graph_memory_release(struct weir_cuda_graph_memory *m) {
  m->nodes--;
  discard_unused(m);
}

bool weir_cuda_graph_memory_allocate(struct weir_cuda_graph_memory *m) {
  if (m->allocated) return false;
  m->allocated = true;
  add(USED, m->bytes);
  return true;
}

struct weir_cuda_graph_memory *weir_cuda_graph_memory_at(const void *address) {
  return weir_cuda_set_find(&all, address);
}

bool weir_cuda_graph_memory_free(struct weir_cuda_graph_memory *m) {
  if (!m->allocated) return false;
  m->allocated = false;
  attributes[USED] -= m->bytes;
  discard_unused(m);
  return true;
}

void weir_cuda_forget_graph_memory(void) {
  weir_cuda_set_clear(&all, weir_free);
  for (unsigned k = 0; k < ATTRIBUTES; k++) attributes[k] = 0;
}

// ---- what is asked of the device ----------------------------------------------------------------------------------------

static cudaError_t get(int device, unsigned attribute, uint64_t *value) {
  if (device) return cudaErrorInvalidDevice;
  if (attribute >= ATTRIBUTES || !value) return cudaErrorInvalidValue;
  *value = attributes[attribute];
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaDeviceGetGraphMemAttribute, int device, unsigned attribute, void *value) {
  return WEIR_CUDA_CALL(get(device, attribute, value));
}

// Of the two that are the most so far: from now on.
static cudaError_t set(int device, unsigned attribute, const uint64_t *value) {
  if (device) return cudaErrorInvalidDevice;
  if ((attribute != USED_MOST && attribute != RESERVED_MOST) || !value || *value) return cudaErrorInvalidValue;
  attributes[attribute] = attributes[attribute - 1];
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaDeviceSetGraphMemAttribute, int device, unsigned attribute, void *value) {
  return WEIR_CUDA_CALL(set(device, attribute, value));
}

// Nothing is kept for graphs that there are no more.
WEIR_CUDA_API(cudaError_t, cudaDeviceGraphMemTrim, int device) {
  return WEIR_CUDA_CALL(device ? cudaErrorInvalidDevice : cudaSuccess);
}
