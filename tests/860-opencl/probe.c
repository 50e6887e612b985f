// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Exit code 77 where OpenCL C cannot be compiled: what cannot be tested is skipped, not failed.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

int main(void) {
  cl_platform_id platform;
  cl_device_id device;
  cl_bool there = CL_FALSE;
  if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS) return 1;
  if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL) != CL_SUCCESS) return 1;
  if (clGetDeviceInfo(device, CL_DEVICE_COMPILER_AVAILABLE, sizeof there, &there, NULL) != CL_SUCCESS) return 1;
  return there ? 0 : 77;
}
