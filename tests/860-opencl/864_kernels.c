// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Programs from PTX, kernels, arguments, launches: with no compiler at all (OpenCL 1.2 sections 5.6 to 5.8).
#include "opencl_test.h"

#define HEAD ".version 6.3\n.target sm_70\n.address_size 64\n"

// out[global id − offset] = in[the same] + add · 2^32 + global id: with a constant that the host fills
// (opencl/compile.h).
#define ADD                                                                                                            \
  ".const .align 4 .b8 __weir_ndrange[16];\n"                                                                          \
  ".visible .entry add(.param .u64 .ptr .global .align 8 in, .param .u64 .ptr .global .align 8 out, .param .u32 "      \
  "add)\n"                                                                                                             \
  "{\n"                                                                                                                \
  "  .reg .b32 %r<9>;\n  .reg .b64 %d<9>;\n"                                                                           \
  "  mov.u32 %r1, %ctaid.x;\n  mov.u32 %r2, %ntid.x;\n  mov.u32 %r3, %tid.x;\n"                                        \
  "  mad.lo.u32 %r4, %r1, %r2, %r3;\n"                                                                                 \
  "  ld.const.u32 %r5, [__weir_ndrange];\n  add.u32 %r5, %r5, %r4;\n"                                                  \
  "  ld.param.u32 %r6, [add];\n  mov.b64 %d1, {%r5, %r6};\n"                                                           \
  "  ld.param.u64 %d2, [in];\n  ld.param.u64 %d3, [out];\n"                                                            \
  "  mul.wide.u32 %d4, %r4, 8;\n  add.u64 %d2, %d2, %d4;\n  add.u64 %d3, %d3, %d4;\n"                                  \
  "  ld.global.u64 %d5, [%d2];\n  add.u64 %d5, %d5, %d1;\n  st.global.u64 [%d3], %d5;\n  ret;\n}\n"

// out[i] = the value that the work-item n − 1 − i of its group had put into `second`, an area behind `first`.
#define REVERSE                                                                                                        \
  ".visible .entry reverse(.param .u64 .ptr .shared .align 4 first, .param .u64 .ptr .shared .align 4 second,\n"       \
  "  .param .u64 .ptr .global .align 4 out)\n.reqntid 8, 1, 1\n"                                                       \
  "{\n"                                                                                                                \
  "  .reg .b32 %r<9>;\n  .reg .b64 %d<9>;\n"                                                                           \
  "  mov.u32 %r1, %tid.x;\n  ld.param.u64 %d1, [first];\n  ld.param.u64 %d2, [second];\n"                              \
  "  mul.wide.u32 %d3, %r1, 4;\n  add.u64 %d1, %d1, %d3;\n  add.u64 %d4, %d2, %d3;\n"                                  \
  "  mov.u32 %r2, 77;\n  st.shared.u32 [%d1], %r2;\n  st.shared.u32 [%d4], %r1;\n  bar.sync 0;\n"                      \
  "  mov.u32 %r3, 7;\n  sub.u32 %r3, %r3, %r1;\n  mul.wide.u32 %d5, %r3, 4;\n  add.u64 %d2, %d2, %d5;\n"               \
  "  ld.shared.u32 %r4, [%d2];\n"                                                                                      \
  "  ld.param.u64 %d6, [out];\n  add.u64 %d6, %d6, %d3;\n  st.global.u32 [%d6], %r4;\n  ret;\n}\n"

static cl_kernel kernel_of(cl_program p, const char *name) {
  cl_int code;
  cl_kernel k = clCreateKernel(p, name, &code);
  ok(code);
  return k;
}

static void binaries(void **state) {
  struct fixture *f = *state;
  cl_program p = program_of(f, HEAD ADD REVERSE);
  size_t count, size;
  char names[32];
  ok(clGetProgramInfo(p, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL));
  assert_int_equal(count, 2);
  ok(clGetProgramInfo(p, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL));
  assert_string_equal(names, "add;reverse");
  ok(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
  assert_int_equal(size, strlen(HEAD ADD REVERSE));
  unsigned char *binary = malloc(size);
  ok(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
  assert_memory_equal(binary, HEAD ADD REVERSE, size);
  free(binary);
  cl_build_status status;
  cl_program_binary_type type;
  ok(clGetProgramBuildInfo(p, f->device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
  ok(clGetProgramBuildInfo(p, f->device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
  assert_int_equal(status, CL_BUILD_SUCCESS);
  assert_int_equal(type, CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
  cl_kernel k = kernel_of(p, "add");
  assert_int_equal(clBuildProgram(p, 0, NULL, NULL, NULL, NULL), CL_INVALID_OPERATION); // a kernel is attached
  ok(clReleaseKernel(k));
  ok(clReleaseProgram(p));
}

static void wrong_binaries(void **state) {
  struct fixture *f = *state;
  cl_int code, status;
  const unsigned char *elf = (const unsigned char *)"\177ELF", *broken = (const unsigned char *)(HEAD "nonsense");
  size_t size = 4;
  assert_null(clCreateProgramWithBinary(f->context, 1, &f->device, &size, &elf, &status, &code));
  assert_int_equal(code, CL_INVALID_BINARY);
  assert_int_equal(status, CL_INVALID_BINARY);
  size = 0;
  assert_null(clCreateProgramWithBinary(f->context, 1, &f->device, &size, &elf, NULL, &code));
  assert_int_equal(code, CL_INVALID_VALUE);
  size = strlen((const char *)broken);
  cl_program p = clCreateProgramWithBinary(f->context, 1, &f->device, &size, &broken, NULL, &code);
  ok(code);
  assert_null(clCreateKernel(p, "add", &code));
  assert_int_equal(code, CL_INVALID_PROGRAM_EXECUTABLE);
  assert_int_equal(clBuildProgram(p, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
  char log[512];
  ok(clGetProgramBuildInfo(p, f->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
  assert_non_null(strstr(log, "nonsense"));
  ok(clReleaseProgram(p));
  assert_null(clCreateProgramWithBuiltInKernels(f->context, 1, &f->device, "fft", &code));
  assert_int_equal(code, CL_INVALID_VALUE);
}

static void a_launch(void **state) {
  struct fixture *f = *state;
  cl_program p = program_of(f, HEAD ADD);
  cl_kernel k = kernel_of(p, "add");
  uint64_t content[96], result[96];
  for (unsigned i = 0; i < 96; i++) content[i] = i * 1000;
  cl_mem in = buffer_of(f, sizeof content, content), out = buffer_of(f, sizeof content, NULL);
  const cl_uint three = 3;
  ok(clSetKernelArg(k, 0, sizeof in, &in));
  ok(clSetKernelArg(k, 1, sizeof out, &out));
  ok(clSetKernelArg(k, 2, sizeof three, &three));
  const size_t offset = 50, global = 96;
  cl_event e;
  ok(clEnqueueNDRangeKernel(f->queue, k, 1, &offset, &global, NULL, 0, NULL, &e));
  read_back(f, out, sizeof result, result);
  for (unsigned i = 0; i < 96; i++) assert_int_equal(result[i], i * 1000 + ((uint64_t)3 << 32) + i + 50);
  cl_ulong start, end;
  ok(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL));
  ok(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
  assert_true(end > start); // simulated time has passed
  ok(clReleaseEvent(e));
  cl_kernel copy = clCloneKernel(k, NULL);
  ok(clEnqueueTask(f->queue, copy, 0, NULL, NULL));
  read_back(f, out, sizeof result, result);
  assert_int_equal(result[0], (uint64_t)3 << 32); // no offset
  assert_int_equal(result[1], 1000 + ((uint64_t)3 << 32) + 51);
  ok(clReleaseKernel(copy));
  ok(clReleaseKernel(k));
  ok(clReleaseProgram(p));
  ok(clReleaseMemObject(in));
  ok(clReleaseMemObject(out));
}

static void local_arguments(void **state) {
  struct fixture *f = *state;
  cl_program p = program_of(f, HEAD REVERSE);
  cl_kernel k = kernel_of(p, "reverse");
  cl_mem out = buffer_of(f, 64, NULL);
  ok(clSetKernelArg(k, 0, 32, NULL));
  ok(clSetKernelArg(k, 1, 32, NULL));
  ok(clSetKernelArg(k, 2, sizeof out, &out));
  cl_ulong bytes;
  ok(clGetKernelWorkGroupInfo(k, f->device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL));
  assert_int_equal(bytes, 64);
  const size_t eight = 8, four = 4;
  ok(clEnqueueNDRangeKernel(f->queue, k, 1, NULL, &eight, &eight, 0, NULL, NULL));
  uint32_t result[8];
  read_back(f, out, sizeof result, result);
  for (unsigned i = 0; i < 8; i++) assert_int_equal(result[i], 7 - i);
  size_t required[3];
  ok(clGetKernelWorkGroupInfo(k, f->device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof required, required, NULL));
  assert_true(required[0] == 8 && required[1] == 1 && required[2] == 1);
  assert_int_equal(clEnqueueNDRangeKernel(f->queue, k, 1, NULL, &eight, &four, 0, NULL, NULL),
                   CL_INVALID_WORK_GROUP_SIZE);
  assert_int_equal(clEnqueueNDRangeKernel(f->queue, k, 1, NULL, &eight, NULL, 0, NULL, NULL),
                   CL_INVALID_WORK_GROUP_SIZE);
  ok(clSetKernelArg(k, 1, 48 << 10, NULL)); // with the other, more than the chip's 48 KiB
  assert_int_equal(clEnqueueNDRangeKernel(f->queue, k, 1, NULL, &eight, &eight, 0, NULL, NULL), CL_OUT_OF_RESOURCES);
  ok(clReleaseKernel(k));
  ok(clReleaseProgram(p));
  ok(clReleaseMemObject(out));
}

static void wrong_arguments(void **state) {
  struct fixture *f = *state;
  cl_program p = program_of(f, HEAD ADD REVERSE);
  cl_kernel k = kernel_of(p, "add"), r = kernel_of(p, "reverse");
  cl_mem m = buffer_of(f, 64, NULL);
  const size_t one = 1;
  ok(clSetKernelArg(k, 0, sizeof m, &m));
  assert_int_equal(clEnqueueNDRangeKernel(f->queue, k, 1, NULL, &one, NULL, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
  assert_int_equal(clSetKernelArg(k, 3, 4, &one), CL_INVALID_ARG_INDEX);
  assert_int_equal(clSetKernelArg(k, 2, 8, &one), CL_INVALID_ARG_SIZE);
  assert_int_equal(clSetKernelArg(k, 2, 4, NULL), CL_INVALID_ARG_VALUE);
  assert_int_equal(clSetKernelArg(k, 0, 4, &m), CL_INVALID_ARG_SIZE);
  assert_int_equal(clSetKernelArg(r, 0, 0, NULL), CL_INVALID_ARG_SIZE);
  assert_int_equal(clSetKernelArg(r, 0, 4, &one), CL_INVALID_ARG_VALUE);
  char name[8];
  assert_int_equal(clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_NAME, sizeof name, name, NULL),
                   CL_KERNEL_ARG_INFO_NOT_AVAILABLE); // PTX that does not say
  ok(clSetKernelArg(k, 0, sizeof m, NULL));           // null pointers
  ok(clSetKernelArg(k, 1, sizeof m, &(cl_mem){NULL}));
  ok(clSetKernelArg(k, 2, 4, &one));
  ok(clSetKernelArg(k, 1, sizeof m, &m));
  ok(clReleaseMemObject(m)); // a kernel does not hold its arguments
  assert_int_equal(clEnqueueNDRangeKernel(f->queue, k, 1, NULL, &one, NULL, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
  ok(clReleaseKernel(k));
  ok(clReleaseKernel(r));
  ok(clReleaseProgram(p));
}

static void wrong_sizes(void **state) {
  struct fixture *f = *state;
  cl_program p = program_of(f, HEAD ".visible .entry nothing()\n{\n  ret;\n}\n");
  cl_kernel k = kernel_of(p, "nothing");
  const struct {
    cl_uint dims;
    size_t offset[3], global[3], local[3];
    cl_int code;
  } cases[] = {
    {1, {0}, {64}, {32}, CL_SUCCESS},
    {3, {1, 2, 3}, {6, 10, 15}, {3, 5, 3}, CL_SUCCESS},
    {0, {0}, {64}, {32}, CL_INVALID_WORK_DIMENSION},
    {4, {0}, {64}, {32}, CL_INVALID_WORK_DIMENSION},
    {2, {0}, {64, 0}, {32, 1}, CL_INVALID_GLOBAL_WORK_SIZE},
    {1, {SIZE_MAX}, {64}, {32}, CL_INVALID_GLOBAL_OFFSET},
    {1, {0}, {100}, {32}, CL_INVALID_WORK_GROUP_SIZE}, // does not divide
    {1, {0}, {64}, {0}, CL_INVALID_WORK_GROUP_SIZE},
    {2, {0}, {64, 64}, {64, 64}, CL_INVALID_WORK_GROUP_SIZE}, // 4096 > 1024
    {1, {0}, {2048}, {2048}, CL_INVALID_WORK_ITEM_SIZE},
    {3, {0}, {1, 1, 128}, {1, 1, 128}, CL_INVALID_WORK_ITEM_SIZE},
  };
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_int_equal(clEnqueueNDRangeKernel(f->queue, k, cases[i].dims, cases[i].offset, cases[i].global,
                                            cases[i].local, 0, NULL, NULL),
                     cases[i].code);
  assert_int_equal(clEnqueueNDRangeKernel(f->queue, k, 1, NULL, NULL, NULL, 0, NULL, NULL),
                   CL_INVALID_GLOBAL_WORK_SIZE);
  ok(clEnqueueNDRangeKernel(f->queue, k, 1, NULL, &(size_t){1009}, NULL, 0, NULL, NULL)); // a prime: groups of 1
  cl_command_queue other;
  cl_int code;
  cl_context c = clCreateContext(NULL, 1, &f->device, NULL, NULL, &code);
  other = clCreateCommandQueue(c, f->device, 0, &code);
  assert_int_equal(clEnqueueTask(other, k, 0, NULL, NULL), CL_INVALID_CONTEXT);
  ok(clReleaseCommandQueue(other));
  ok(clReleaseContext(c));
  ok(clReleaseKernel(k));
  ok(clReleaseProgram(p));
}

static void kernels_are_asked(void **state) {
  struct fixture *f = *state;
  cl_program p = program_of(f, HEAD ADD REVERSE);
  cl_int code;
  assert_null(clCreateKernel(p, "sub", &code));
  assert_int_equal(code, CL_INVALID_KERNEL_NAME);
  cl_kernel all[2];
  cl_uint count;
  assert_int_equal(clCreateKernelsInProgram(p, 1, all, NULL), CL_INVALID_VALUE);
  ok(clCreateKernelsInProgram(p, 2, all, &count));
  assert_int_equal(count, 2);
  char name[16];
  ok(clGetKernelInfo(all[1], CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL));
  assert_string_equal(name, "reverse");
  ok(clGetKernelInfo(all[0], CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL));
  assert_int_equal(count, 3);
  size_t size;
  ok(clGetKernelWorkGroupInfo(all[0], NULL, CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size, NULL));
  assert_int_equal(size, 1024);
  ok(clGetKernelWorkGroupInfo(all[0], NULL, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof size, &size, NULL));
  assert_int_equal(size, 32);
  ok(clReleaseProgram(p)); // its kernels hold it
  ok(clGetKernelInfo(all[0], CL_KERNEL_PROGRAM, sizeof p, &p, NULL));
  ok(clGetProgramInfo(p, CL_PROGRAM_NUM_DEVICES, sizeof count, &count, NULL));
  ok(clReleaseKernel(all[0]));
  ok(clReleaseKernel(all[1]));
}

// A kernel that waits keeps the arguments that it was enqueued with.
static void arguments_are_copied(void **state) {
  struct fixture *f = *state;
  cl_program p = program_of(f, HEAD ADD);
  cl_kernel k = kernel_of(p, "add");
  uint64_t five = 5, result;
  cl_mem in = buffer_of(f, 8, &five), out = buffer_of(f, 8, NULL);
  ok(clSetKernelArg(k, 0, sizeof in, &in));
  ok(clSetKernelArg(k, 1, sizeof out, &out));
  ok(clSetKernelArg(k, 2, 4, &(cl_uint){1}));
  cl_int code;
  cl_event user = clCreateUserEvent(f->context, &code);
  ok(clEnqueueTask(f->queue, k, 1, &user, NULL));
  ok(clSetKernelArg(k, 2, 4, &(cl_uint){2}));
  ok(clReleaseMemObject(in)); // held by the command
  ok(clReleaseKernel(k));
  ok(clReleaseProgram(p));
  ok(clSetUserEventStatus(user, CL_COMPLETE));
  read_back(f, out, sizeof result, &result);
  assert_int_equal(result, ((uint64_t)1 << 32) + 5);
  ok(clReleaseEvent(user));
  ok(clReleaseMemObject(out));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(binaries),          cmocka_unit_test(wrong_binaries),       cmocka_unit_test(a_launch),
    cmocka_unit_test(local_arguments),   cmocka_unit_test(wrong_arguments),      cmocka_unit_test(wrong_sizes),
    cmocka_unit_test(kernels_are_asked), cmocka_unit_test(arguments_are_copied),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
