// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What the programs of this folder have in common: one device, one context, one queue; a call that fails or a value
// that is wrong ends the program with status 1 and says where.
#ifndef PROGRAM_H
#define PROGRAM_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition, ...)                                                                                          \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition);                                                  \
      fprintf(stderr, __VA_ARGS__);                                                                                    \
      fputc('\n', stderr);                                                                                             \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)
#define OK(call)                                                                                                       \
  do {                                                                                                                 \
    const cl_int code_ = (call);                                                                                       \
    CHECK(code_ == CL_SUCCESS, "%s gave %d", #call, code_);                                                            \
  } while (0)

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;

static void open_device(void) {
  cl_platform_id platform;
  cl_int code;
  OK(clGetPlatformIDs(1, &platform, NULL));
  OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL));
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  OK(code);
  queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &code);
  OK(code);
}

static inline cl_program build(const char *source, const char *options) {
  cl_int code;
  char log[16384] = "";
  cl_program p = clCreateProgramWithSource(context, 1, &source, NULL, &code);
  OK(code);
  code = clBuildProgram(p, 1, &device, options, NULL, NULL);
  clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
  CHECK(code == CL_SUCCESS, "%d, log:\n%s", code, log);
  return p;
}

static inline cl_kernel kernel_of(cl_program p, const char *name) {
  cl_int code;
  cl_kernel k = clCreateKernel(p, name, &code);
  CHECK(code == CL_SUCCESS, "%s: %d", name, code);
  return k;
}

static inline cl_mem buffer(cl_mem_flags flags, size_t bytes, const void *from) {
  cl_int code;
  cl_mem m = clCreateBuffer(context, flags | (from ? CL_MEM_COPY_HOST_PTR : 0), bytes, (void *)(uintptr_t)from, &code);
  OK(code);
  return m;
}

static inline void read_back(cl_mem m, void *to, size_t bytes) {
  OK(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, bytes, to, 0, NULL, NULL));
}

static inline void run(cl_kernel k, cl_uint dimensions, const size_t *offset, const size_t *global,
                       const size_t *local) {
  OK(clEnqueueNDRangeKernel(queue, k, dimensions, offset, global, local, 0, NULL, NULL));
  OK(clFinish(queue));
}

// Argument `index` of a kernel, by value: a memory object or a scalar.
#define ARG(k, index, value) OK(clSetKernelArg(k, index, sizeof(value), &(value)))
#define LOCAL(k, index, bytes) OK(clSetKernelArg(k, index, bytes, NULL))

static inline void close_device(void) {
  OK(clReleaseCommandQueue(queue));
  OK(clReleaseContext(context));
}

// Numbers that are the same on each run.
static inline uint32_t next_random(void) {
  static uint32_t state = 12345;
  state = state * 1664525u + 1013904223u;
  return state >> 8;
}
static inline float random_float(float low, float high) {
  return low + (high - low) * ((float)next_random() / 16777216.0f);
}

#endif
