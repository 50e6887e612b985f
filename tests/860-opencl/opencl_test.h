// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What the tests of the OpenCL host API share: they are ordinary OpenCL programs, linked with the loader, that see our
// platform through OCL_ICD_VENDORS.
#ifndef WEIR_TESTS_OPENCL_TEST_H
#define WEIR_TESTS_OPENCL_TEST_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct fixture {
  cl_platform_id platform;
  cl_device_id device;
  cl_context context;
  cl_command_queue queue; // in order, profiled
};

#define ok(call) assert_int_equal((call), CL_SUCCESS)

static inline int set_up(void **state) {
  static struct fixture f;
  ok(clGetPlatformIDs(1, &f.platform, NULL));
  ok(clGetDeviceIDs(f.platform, CL_DEVICE_TYPE_GPU, 1, &f.device, NULL));
  cl_int code;
  f.context = clCreateContext(NULL, 1, &f.device, NULL, NULL, &code);
  ok(code);
  f.queue = clCreateCommandQueue(f.context, f.device, CL_QUEUE_PROFILING_ENABLE, &code);
  ok(code);
  *state = &f;
  return 0;
}

static inline int tear_down(void **state) {
  struct fixture *f = *state;
  ok(clReleaseCommandQueue(f->queue));
  ok(clReleaseContext(f->context));
  return 0;
}

static inline cl_mem buffer_of(struct fixture *f, size_t bytes, const void *content) {
  cl_int code;
  cl_mem m = clCreateBuffer(f->context, content ? CL_MEM_COPY_HOST_PTR : 0, bytes, (void *)(uintptr_t)content, &code);
  ok(code);
  return m;
}

static inline void read_back(struct fixture *f, cl_mem m, size_t bytes, void *to) {
  ok(clEnqueueReadBuffer(f->queue, m, CL_TRUE, 0, bytes, to, 0, NULL, NULL));
}

static inline cl_uint references(cl_int (*get)(void *, cl_uint, size_t, void *, size_t *), void *object, cl_uint key) {
  cl_uint n = 0;
  ok(get(object, key, sizeof n, &n, NULL));
  return n;
}

// A program from PTX, built, with no compiler needed.
static inline cl_program program_of(struct fixture *f, const char *ptx) {
  cl_int code, status;
  const size_t bytes = strlen(ptx);
  const unsigned char *text = (const unsigned char *)ptx;
  cl_program p = clCreateProgramWithBinary(f->context, 1, &f->device, &bytes, &text, &status, &code);
  ok(code);
  ok(status);
  ok(clBuildProgram(p, 1, &f->device, "", NULL, NULL));
  return p;
}

#endif
