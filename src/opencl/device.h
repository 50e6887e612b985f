// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The one platform and its one device. Invariant: both are static, so that asking for them costs nothing; the modelled
// device behind them is opened when a program first asks for the device.
#ifndef WEIR_OPENCL_DEVICE_H
#define WEIR_OPENCL_DEVICE_H

#include "device/device.h"
#include "opencl/object.h"

struct _cl_platform_id {
  struct weir_cl_head object;
};
struct _cl_device_id {
  struct weir_cl_head object;
};

extern struct _cl_platform_id weir_cl_platform;
extern struct _cl_device_id weir_cl_device;

#define WEIR_CL_VERSION_TEXT "OpenCL 1.2 weir " WEIR_VERSION

// Limits that are our own choice, not the chip's.
enum {
  WEIR_CL_BASE_ALIGN_BITS = 1024,     // long16, the largest type, as OpenCL 1.2 requires at least
  WEIR_CL_MAX_PARAMETER_BYTES = 4352, // PTX ISA: at most 4352 bytes of kernel parameters before 8.1
  WEIR_CL_MAX_READ_IMAGES = 128,
  WEIR_CL_MAX_WRITE_IMAGES = 8,
  WEIR_CL_MAX_SAMPLERS = 16,
  WEIR_CL_IMAGE_2D = 16384, // width and height; the textures of compute capability 2 have more
  WEIR_CL_IMAGE_3D = 2048,
  WEIR_CL_IMAGE_LAYERS = 2048,
  WEIR_CL_IMAGE_BUFFER = 1 << 27, // texels
};

// NULL: it cannot be used; why was printed.
struct weir_device *weir_cl_modelled(void);
uint64_t weir_cl_max_alloc_bytes(const struct weir_device_facts *f);

// True if `devices` holds `count` of our device; NULL and 0 stand for all.
bool weir_cl_devices_valid(cl_uint count, const cl_device_id *devices);

// CL_SUCCESS, or what such a type is answered with: CL_INVALID_DEVICE_TYPE, CL_DEVICE_NOT_FOUND.
cl_int weir_cl_device_type(cl_device_type type);

const char *weir_cl_extensions(void);

#endif
