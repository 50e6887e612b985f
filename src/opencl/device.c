// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "opencl/device.h"

struct _cl_device_id weir_cl_device = {{&weir_cl_dispatch, WEIR_CL_MAGIC_DEVICE, 1}};

struct weir_device *weir_cl_modelled(void) {
  return weir_device_get(NULL);
}

// The minimum that OpenCL 1.2 asks for, a quarter of the memory, is also what most vendors give.
uint64_t weir_cl_max_alloc_bytes(const struct weir_device_facts *f) {
  const uint64_t quarter = f->memory_bytes / 4, least = UINT64_C(128) << 20;
  const uint64_t most = quarter > least ? quarter : least;
  return most < f->memory_bytes ? most : f->memory_bytes;
}

bool weir_cl_devices_valid(cl_uint count, const cl_device_id *devices) {
  for (cl_uint i = 0; i < count; i++)
    if (devices[i] != &weir_cl_device) return false;
  return true;
}

cl_int weir_cl_device_type(cl_device_type type) {
  const cl_device_type known = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
    CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
  if (type != CL_DEVICE_TYPE_ALL && (!type || (type & ~known))) return CL_INVALID_DEVICE_TYPE;
  if (type != CL_DEVICE_TYPE_ALL && !(type & (CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_GPU))) return CL_DEVICE_NOT_FOUND;
  return weir_cl_modelled() ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceIDs(cl_platform_id platform, cl_device_type device_type, cl_uint num_entries,
                                               cl_device_id *devices, cl_uint *num_devices) {
  WEIR_CL_ENTER;
  if (platform && platform != &weir_cl_platform) return CL_INVALID_PLATFORM;
  if ((devices && !num_entries) || (!devices && !num_devices)) return CL_INVALID_VALUE;
  const cl_int found = weir_cl_device_type(device_type);
  if (found == CL_INVALID_DEVICE_TYPE) return found;
  if (num_devices) *num_devices = found == CL_SUCCESS;
  if (devices && found == CL_SUCCESS) devices[0] = &weir_cl_device;
  return found;
}

// Every way of cutting the device up is known to the specification, and none is offered.
CL_API_ENTRY cl_int CL_API_CALL clCreateSubDevices(cl_device_id device, const cl_device_partition_property *properties,
                                                   cl_uint num_devices, cl_device_id *out_devices,
                                                   cl_uint *num_devices_ret) {
  (void)num_devices, (void)out_devices, (void)num_devices_ret;
  return device != &weir_cl_device ? CL_INVALID_DEVICE : properties ? CL_DEVICE_PARTITION_FAILED : CL_INVALID_VALUE;
}

CL_API_ENTRY cl_int CL_API_CALL clCreateSubDevicesEXT(cl_device_id device,
                                                      const cl_device_partition_property_ext *properties,
                                                      cl_uint num_devices, cl_device_id *out_devices,
                                                      cl_uint *num_devices_ret) {
  (void)num_devices, (void)out_devices, (void)num_devices_ret;
  return device != &weir_cl_device ? CL_INVALID_DEVICE : properties ? CL_DEVICE_PARTITION_FAILED_EXT : CL_INVALID_VALUE;
}

// A root device has no count of references (OpenCL 1.2 section 4.3).
CL_API_ENTRY cl_int CL_API_CALL clRetainDevice(cl_device_id device) {
  return device == &weir_cl_device ? CL_SUCCESS : CL_INVALID_DEVICE;
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseDevice(cl_device_id device) {
  return clRetainDevice(device);
}

CL_API_ENTRY cl_int CL_API_CALL clRetainDeviceEXT(cl_device_id device) {
  return clRetainDevice(device);
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseDeviceEXT(cl_device_id device) {
  return clRetainDevice(device);
}

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceAndHostTimer(cl_device_id device, cl_ulong *device_timestamp,
                                                        cl_ulong *host_timestamp) {
  (void)device_timestamp, (void)host_timestamp;
  return device == &weir_cl_device ? CL_INVALID_OPERATION : CL_INVALID_DEVICE;
}

CL_API_ENTRY cl_int CL_API_CALL clGetHostTimer(cl_device_id device, cl_ulong *host_timestamp) {
  (void)host_timestamp;
  return device == &weir_cl_device ? CL_INVALID_OPERATION : CL_INVALID_DEVICE;
}
