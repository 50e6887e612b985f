// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Platform, device, contexts, queues: what they answer, and what they refuse (OpenCL 1.2 sections 4 and 5.1).
#include "opencl_test.h"

// The number of functions in cl_icd.h's table, which ends with clSetContextDestructorCallback of 3.0.
enum { SLOTS = 149 };

static void every_slot_is_filled(void **state) {
  struct fixture *f = *state;
  void **const *object = (void **const *)f->platform; // an object's first word
  for (unsigned i = 0; i < SLOTS; i++) assert_non_null((*object)[i]);
}

static void platform_is_named(void **state) {
  struct fixture *f = *state;
  char text[64];
  size_t size;
  ok(clGetPlatformInfo(f->platform, CL_PLATFORM_NAME, sizeof text, text, &size));
  assert_string_equal(text, "weir");
  assert_int_equal(size, 5);
  ok(clGetPlatformInfo(f->platform, CL_PLATFORM_PROFILE, sizeof text, text, NULL));
  assert_string_equal(text, "FULL_PROFILE");
  ok(clGetPlatformInfo(f->platform, CL_PLATFORM_VERSION, sizeof text, text, NULL));
  assert_memory_equal(text, "OpenCL 1.2 ", 11);
  assert_int_equal(clGetPlatformInfo(f->platform, CL_PLATFORM_NAME, 4, text, NULL), CL_INVALID_VALUE);
  assert_int_equal(clGetPlatformInfo(f->platform, 1, sizeof text, text, NULL), CL_INVALID_VALUE);
}

static void one_gpu(void **state) {
  struct fixture *f = *state;
  cl_uint count = 7;
  cl_device_id device;
  ok(clGetDeviceIDs(f->platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count));
  assert_int_equal(count, 1);
  ok(clGetDeviceIDs(f->platform, CL_DEVICE_TYPE_DEFAULT, 1, &device, NULL));
  assert_ptr_equal(device, f->device);
  assert_int_equal(clGetDeviceIDs(f->platform, CL_DEVICE_TYPE_CPU, 1, &device, &count), CL_DEVICE_NOT_FOUND);
  assert_int_equal(count, 0);
  assert_int_equal(clGetDeviceIDs(f->platform, 1 << 9, 1, &device, NULL), CL_INVALID_DEVICE_TYPE);
  assert_int_equal(clGetDeviceIDs(f->platform, CL_DEVICE_TYPE_GPU, 0, &device, NULL), CL_INVALID_VALUE);
}

#define NUMBER(type, key, expected)                                                                                    \
  do {                                                                                                                 \
    type value;                                                                                                        \
    size_t size;                                                                                                       \
    ok(clGetDeviceInfo(f->device, key, sizeof value, &value, &size));                                                  \
    assert_int_equal(size, sizeof value);                                                                              \
    assert_true(value == (type)(expected));                                                                            \
  } while (0)

// What chips/fermi-gtx480.yaml says.
static void device_is_the_chip(void **state) {
  struct fixture *f = *state;
  NUMBER(cl_uint, CL_DEVICE_MAX_COMPUTE_UNITS, 15);
  NUMBER(cl_uint, CL_DEVICE_MAX_CLOCK_FREQUENCY, 700);
  NUMBER(cl_ulong, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, 768 << 10);
  NUMBER(cl_uint, CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, 128);
  NUMBER(cl_ulong, CL_DEVICE_LOCAL_MEM_SIZE, 48 << 10);
  NUMBER(cl_device_type, CL_DEVICE_TYPE, CL_DEVICE_TYPE_GPU);
  NUMBER(cl_bool, CL_DEVICE_IMAGE_SUPPORT, CL_TRUE);
  NUMBER(cl_platform_id, CL_DEVICE_PLATFORM, (uintptr_t)f->platform);
  NUMBER(cl_device_id, CL_DEVICE_PARENT_DEVICE, (uintptr_t)NULL);
  size_t sizes[3];
  ok(clGetDeviceInfo(f->device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes, NULL));
  assert_true(sizes[0] == 1024 && sizes[1] == 1024 && sizes[2] == 64);
  cl_uint small;
  assert_int_equal(clGetDeviceInfo(f->device, CL_DEVICE_TYPE, sizeof small, &small, NULL), CL_INVALID_VALUE);
  assert_int_equal(clGetDeviceInfo(f->device, 0x10ff, sizeof small, &small, NULL), CL_INVALID_VALUE);
}

static void no_sub_devices(void **state) {
  struct fixture *f = *state;
  const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 2, 0};
  cl_device_id parts[8];
  assert_int_equal(clCreateSubDevices(f->device, equally, 8, parts, NULL), CL_DEVICE_PARTITION_FAILED);
  assert_int_equal(clCreateSubDevices(f->device, NULL, 8, parts, NULL), CL_INVALID_VALUE);
  ok(clRetainDevice(f->device));
  ok(clReleaseDevice(f->device));
}

static void contexts(void **state) {
  struct fixture *f = *state;
  cl_int code;
  const cl_context_properties platform[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)f->platform, 0};
  cl_context c = clCreateContextFromType(platform, CL_DEVICE_TYPE_GPU, NULL, NULL, &code);
  ok(code);
  cl_context_properties answer[3];
  size_t size;
  ok(clGetContextInfo(c, CL_CONTEXT_PROPERTIES, sizeof answer, answer, &size));
  assert_int_equal(size, sizeof platform);
  assert_memory_equal(answer, platform, sizeof platform);
  cl_device_id device;
  ok(clGetContextInfo(c, CL_CONTEXT_DEVICES, sizeof device, &device, NULL));
  assert_ptr_equal(device, f->device);
  cl_uint count;
  ok(clRetainContext(c));
  ok(clGetContextInfo(c, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, NULL));
  assert_int_equal(count, 2);
  ok(clReleaseContext(c));
  ok(clReleaseContext(c));
  const cl_context_properties wrong[] = {0x1234, 5, 0},
                              twice[] = {CL_CONTEXT_INTEROP_USER_SYNC, 1, CL_CONTEXT_INTEROP_USER_SYNC, 1, 0};
  assert_null(clCreateContext(wrong, 1, &f->device, NULL, NULL, &code));
  assert_int_equal(code, CL_INVALID_PROPERTY);
  assert_null(clCreateContext(twice, 1, &f->device, NULL, NULL, &code));
  assert_int_equal(code, CL_INVALID_PROPERTY);
  assert_null(clCreateContextFromType(platform, CL_DEVICE_TYPE_CPU, NULL, NULL, &code));
  assert_int_equal(code, CL_DEVICE_NOT_FOUND);
  assert_null(clCreateContext(NULL, 1, &f->device, NULL, &code, &code));
  assert_int_equal(code, CL_INVALID_VALUE);
}

static void queues(void **state) {
  struct fixture *f = *state;
  cl_int code;
  cl_command_queue_properties properties;
  ok(clGetCommandQueueInfo(f->queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL));
  assert_int_equal(properties, CL_QUEUE_PROFILING_ENABLE);
  cl_context c;
  ok(clGetCommandQueueInfo(f->queue, CL_QUEUE_CONTEXT, sizeof c, &c, NULL));
  assert_ptr_equal(c, f->context);
  assert_null(clCreateCommandQueue(f->context, f->device, 1 << 10, &code));
  assert_int_equal(code, CL_INVALID_VALUE);
  const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
  cl_command_queue q = clCreateCommandQueueWithProperties(f->context, f->device, list, &code);
  ok(code);
  ok(clGetCommandQueueInfo(q, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL));
  assert_int_equal(properties, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  ok(clFlush(q));
  ok(clFinish(q));
  ok(clReleaseCommandQueue(q));
}

// The loader itself stops at NULL, so that these are handles of the wrong kind.
static void handles_of_the_wrong_kind(void **state) {
  struct fixture *f = *state;
  cl_int code;
  assert_int_equal(clFinish((cl_command_queue)f->context), CL_INVALID_COMMAND_QUEUE);
  assert_int_equal(clRetainContext((cl_context)f->queue), CL_INVALID_CONTEXT);
  assert_int_equal(clReleaseMemObject((cl_mem)f->context), CL_INVALID_MEM_OBJECT);
  assert_int_equal(clReleaseEvent((cl_event)f->context), CL_INVALID_EVENT);
  assert_int_equal(clReleaseKernel((cl_kernel)f->context), CL_INVALID_KERNEL);
  assert_int_equal(clReleaseProgram((cl_program)f->context), CL_INVALID_PROGRAM);
  assert_int_equal(clReleaseSampler((cl_sampler)f->context), CL_INVALID_SAMPLER);
  assert_null(clCreateBuffer((cl_context)f->queue, 0, 4, NULL, &code));
  assert_int_equal(code, CL_INVALID_CONTEXT);
  assert_null(clCreateCommandQueue(f->context, (cl_device_id)f->queue, 0, &code));
  assert_int_equal(code, CL_INVALID_DEVICE);
}

static void later_versions_are_refused(void **state) {
  struct fixture *f = *state;
  cl_int code;
  assert_null(clCreatePipe(f->context, 0, 4, 4, NULL, &code));
  assert_int_equal(code, CL_INVALID_OPERATION);
  assert_null(clSVMAlloc(f->context, 0, 64, 0));
  assert_null(clCreateProgramWithIL(f->context, "x", 1, &code));
  assert_int_equal(code, CL_INVALID_OPERATION);
  assert_int_equal(clEnqueueNativeKernel(f->queue, NULL, NULL, 0, 0, NULL, NULL, 0, NULL, NULL), CL_INVALID_OPERATION);
}

static void samplers(void **state) {
  struct fixture *f = *state;
  cl_int code;
  cl_sampler s = clCreateSampler(f->context, CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, &code);
  ok(code);
  cl_addressing_mode addressing;
  ok(clGetSamplerInfo(s, CL_SAMPLER_ADDRESSING_MODE, sizeof addressing, &addressing, NULL));
  assert_int_equal(addressing, CL_ADDRESS_REPEAT);
  ok(clRetainSampler(s));
  ok(clReleaseSampler(s));
  ok(clReleaseSampler(s));
  assert_null(clCreateSampler(f->context, CL_FALSE, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, &code));
  assert_int_equal(code, CL_INVALID_VALUE);
  assert_null(clCreateSampler(f->context, CL_TRUE, CL_ADDRESS_CLAMP, 7, &code));
  assert_int_equal(code, CL_INVALID_VALUE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_slot_is_filled),
    cmocka_unit_test(platform_is_named),
    cmocka_unit_test(one_gpu),
    cmocka_unit_test(device_is_the_chip),
    cmocka_unit_test(no_sub_devices),
    cmocka_unit_test(contexts),
    cmocka_unit_test(queues),
    cmocka_unit_test(handles_of_the_wrong_kind),
    cmocka_unit_test(later_versions_are_refused),
    cmocka_unit_test(samplers),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
