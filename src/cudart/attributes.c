// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "cudart/properties.h"
#include "cudart/runtime.h"

#include <limits.h>
#include <stdio.h>

// What follows from the compute capability alone: CUDA C++ Programming Guide, "Features and Technical Specifications",
// table "Technical Specifications per Compute Capability" (8.0 for 2.x, 12.0 for the others).
struct limits {
  unsigned major; // from here on
  int grid_x, texture_1d, texture_linear, texture_2d[2], texture_pitch[3], texture_layered, texture_3d,
    texture_3d_alt[3];
  int surface_1d, surface_2d[2], surface_layered[2], surface_3d[3], single_to_double;
};

static const struct limits generations[] = {
  {0,
   65535,
   65536,
   1 << 27,
   {65536, 65535},
   {65000, 65000, (1 << 20) - 32},
   16384,
   2048,
   {0, 0, 0},
   65536,
   {65536, 32768},
   {65536, 32768},
   {65536, 32768, 2048},
   2},
  {3,
   INT_MAX,
   65536,
   1 << 27,
   {65536, 65536},
   {65000, 65000, (1 << 20) - 32},
   16384,
   4096,
   {2048, 2048, 16384},
   65536,
   {65536, 32768},
   {65536, 32768},
   {65536, 32768, 2048},
   24},
  {5,
   INT_MAX,
   65536,
   1 << 27,
   {65536, 65536},
   {65000, 65000, (1 << 20) - 32},
   16384,
   4096,
   {2048, 2048, 16384},
   16384,
   {65536, 65536},
   {16384, 16384},
   {4096, 4096, 4096},
   32},
  {6,
   INT_MAX,
   131072,
   1 << 27,
   {131072, 65536},
   {131072, 65000, (1 << 21) - 32},
   32768,
   16384,
   {8192, 8192, 32768},
   32768,
   {131072, 65536},
   {32768, 32768},
   {16384, 16384, 16384},
   32},
};

// Units of single per units of double precision (the guide's "Arithmetic Instructions") where it is not the generation's.
static int single_to_double(const struct weir_device_facts *f, const struct limits *l) {
  switch (f->compute_major * 10 + f->compute_minor) {
  case 21: return 12;
  case 35:
  case 37: return 3;
  case 60:
  case 70:
  case 80:
  case 90: return 2;
  case 86:
  case 89: return 64;
  default: return l->single_to_double;
  }
}

static struct limits limits_of(const struct weir_device_facts *f) {
  unsigned i = sizeof generations / sizeof *generations - 1;
  while (f->compute_major < generations[i].major) i--;
  struct limits l = generations[i];
  l.single_to_double = single_to_double(f, &generations[i]);
  return l;
}

static uint64_t smaller(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

// CUDA's attributes are ints; a chip's larger numbers are cut at the largest.
static int as_int(int64_t v) {
  return v > INT_MAX ? INT_MAX : (int)v;
}

void weir_cuda_attributes(const struct weir_device *d, int values[WEIR_CUDA_ATTRIBUTES]) {
  const struct weir_device_facts facts = weir_device_facts(d), *f = &facts;
  const struct limits limits = limits_of(f), *l = &limits;
  for (unsigned i = 0; i < WEIR_CUDA_ATTRIBUTES; i++) values[i] = WEIR_CUDA_NO_ATTRIBUTE;
#define ATTRIBUTE(number, name, value) values[number] = as_int((int64_t)(value));
#include "cudart/attributes.def"
#undef ATTRIBUTE
}

static cudaError_t attribute(const struct weir_device *d, int *value, int number, int device) {
  if (device != 0) return cudaErrorInvalidDevice;
  if (!value || number < 0 || number >= WEIR_CUDA_ATTRIBUTES) return cudaErrorInvalidValue;
  int values[WEIR_CUDA_ATTRIBUTES];
  weir_cuda_attributes(d, values);
  if (values[number] == WEIR_CUDA_NO_ATTRIBUTE) return cudaErrorInvalidValue;
  *value = values[number];
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaDeviceGetAttribute, int *value, int number, int device) {
  return WEIR_CUDA_CALL(attribute(d, value, number, device));
}

// The one device has no peers: two different ones are asked for, and one of them is not there.
WEIR_CUDA_API(cudaError_t, cudaDeviceGetP2PAttribute, int *value, int number, int source, int destination) {
  if (!value || number < 1 || number > 5) return weir_cuda_error(cudaErrorInvalidValue);
  (void)source, (void)destination;
  return weir_cuda_error(cudaErrorInvalidDevice);
}

// "domain:bus:device.function", "domain:bus:device" or "bus:device.function", in hexadecimal.
static cudaError_t by_bus(int *device, const char *id) {
  if (!device || !id) return cudaErrorInvalidValue;
  unsigned domain = 0, bus = 0, slot = 0, function = 0;
  int end = 0;
  const bool whole = (sscanf(id, "%x:%x:%x.%x%n", &domain, &bus, &slot, &function, &end) == 4 && !id[end]) ||
    (function = 0, end = 0, sscanf(id, "%x:%x:%x%n", &domain, &bus, &slot, &end) == 3 && !id[end]) ||
    (domain = 0, end = 0, sscanf(id, "%x:%x.%x%n", &bus, &slot, &function, &end) == 3 && !id[end]);
  if (!whole) return cudaErrorInvalidValue;
  if (domain || bus != WEIR_CUDA_PCI_BUS || slot || function) return cudaErrorInvalidDevice;
  *device = 0;
  return cudaSuccess;
}

static cudaError_t bus_of(char *id, int bytes, int device) {
  if (device != 0) return cudaErrorInvalidDevice;
  if (!id || bytes <= 0) return cudaErrorInvalidValue;
  const int written = snprintf(id, (size_t)bytes, "0000:%02X:00.0", WEIR_CUDA_PCI_BUS);
  return written < bytes ? cudaSuccess : cudaErrorInvalidValue;
}

WEIR_CUDA_API(cudaError_t, cudaDeviceGetPCIBusId, char *id, int bytes, int device) {
  return WEIR_CUDA_CALL(bus_of(id, bytes, device));
}

WEIR_CUDA_API(cudaError_t, cudaDeviceGetByPCIBusId, int *device, const char *id) {
  return weir_cuda_error(by_bus(device, id));
}

// Texels of a 1D texture in linear memory, by the size of one.
static cudaError_t linear_width(const struct weir_device *d, size_t *width, const struct cudaChannelFormatDesc *desc,
                                int device) {
  int texels;
  if (!width || !desc) return cudaErrorInvalidValue;
  const cudaError_t e = attribute(d, &texels, WEIR_CUDA_ATTRIBUTE_MaxTexture1DLinearWidth, device);
  if (!e) *width = (size_t)texels;
  return e;
}

WEIR_CUDA_API(cudaError_t, cudaDeviceGetTexture1DLinearMaxWidth, size_t *width,
              const struct cudaChannelFormatDesc *desc, int device) {
  return WEIR_CUDA_CALL(linear_width(d, width, desc, device));
}
