// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A kernel that writes through a null pointer: its event, the context's callback, clFinish and all that comes after
// tell of it, and nothing crashes.
#include "opencl_test.h"

#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

static const char ptx[] = ".version 6.3\n.target sm_70\n.address_size 64\n"
                          ".visible .entry write(.param .u64 .ptr .global .align 4 out)\n"
                          "{\n  .reg .b64 %d<2>;\n  .reg .b32 %r<2>;\n  ld.param.u64 %d1, [out];\n  mov.u32 %r1, 1;\n"
                          "  st.global.u32 [%d1+64], %r1;\n  ret;\n}\n";

static unsigned noticed;

static void CL_CALLBACK notice(const char *what, const void *private_info, size_t bytes, void *user_data) {
  (void)private_info, (void)bytes;
  assert_non_null(what);
  noticed += *(unsigned *)user_data;
}

static void through_null(void **state) {
  struct fixture *f = *state;
  cl_int code;
  unsigned one = 1;
  cl_context c = clCreateContext(NULL, 1, &f->device, notice, &one, &code);
  cl_command_queue q = clCreateCommandQueue(c, f->device, 0, &code);
  struct fixture own = {f->platform, f->device, c, q};
  cl_program p = program_of(&own, ptx);
  cl_kernel k = clCreateKernel(p, "write", &code);
  cl_mem m = buffer_of(&own, 64, NULL);
  ok(clSetKernelArg(k, 0, sizeof m, NULL));
  cl_event e, after;
  ok(clEnqueueTask(q, k, 0, NULL, &e));
  cl_int status;
  ok(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
  assert_int_equal(status, CL_OUT_OF_RESOURCES);
  assert_int_equal(noticed, 1);
  assert_int_equal(clWaitForEvents(1, &e), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  ok(clEnqueueMarkerWithWaitList(q, 1, &e, &after));
  ok(clGetEventInfo(after, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
  assert_int_equal(status, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  uint32_t word;
  assert_int_equal(clEnqueueReadBuffer(q, m, CL_TRUE, 0, 4, &word, 0, NULL, NULL), CL_OUT_OF_RESOURCES);
  assert_int_equal(clFinish(q), CL_OUT_OF_RESOURCES);
  ok(clReleaseEvent(e));
  ok(clReleaseEvent(after));
  ok(clReleaseMemObject(m));
  ok(clReleaseKernel(k));
  ok(clReleaseProgram(p));
  ok(clReleaseCommandQueue(q));
  ok(clReleaseContext(c));
}

// The device stays with the process that opened it: a child's calls on what it inherited fail, and nothing crashes.
static void forked(void **state) {
  struct fixture *f = *state;
  cl_int code;
  cl_mem m = buffer_of(f, 64, NULL);
  cl_program p = program_of(f, ptx);
  cl_kernel k = clCreateKernel(p, "write", &code);
  ok(clSetKernelArg(k, 0, sizeof m, &m));
  cl_event user = clCreateUserEvent(f->context, &code), waiting;
  ok(clEnqueueFillBuffer(f->queue, m, "x", 1, 0, 64, 1, &user, &waiting));
  const pid_t child = fork();
  if (!child) {
    char bytes[64];
    cl_uint count;
    cl_int status;
    size_t size;
    const bool right = clGetDeviceIDs(f->platform, CL_DEVICE_TYPE_GPU, 0, NULL, &count) == CL_DEVICE_NOT_FOUND &&
      clEnqueueReadBuffer(f->queue, m, CL_TRUE, 0, 64, bytes, 0, NULL, NULL) == CL_OUT_OF_RESOURCES &&
      clEnqueueTask(f->queue, k, 0, NULL, NULL) == CL_OUT_OF_RESOURCES &&
      !clCreateBuffer(f->context, 0, 4, NULL, NULL) &&
      clGetKernelWorkGroupInfo(k, NULL, CL_KERNEL_WORK_GROUP_SIZE, 8, &size, NULL) == CL_OUT_OF_RESOURCES &&
      clSetUserEventStatus(user, CL_COMPLETE) == CL_SUCCESS &&
      clGetEventInfo(waiting, CL_EVENT_COMMAND_EXECUTION_STATUS, 4, &status, NULL) == CL_SUCCESS &&
      status == CL_OUT_OF_RESOURCES && clReleaseKernel(k) == CL_SUCCESS && clReleaseProgram(p) == CL_SUCCESS &&
      clReleaseMemObject(m) == CL_SUCCESS;
    _exit(right ? 0 : 1);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  ok(clSetUserEventStatus(user, CL_COMPLETE));
  char byte;
  read_back(f, m, 1, &byte);
  assert_int_equal(byte, 'x');
  ok(clReleaseEvent(user));
  ok(clReleaseEvent(waiting));
  ok(clReleaseKernel(k));
  ok(clReleaseProgram(p));
  ok(clReleaseMemObject(m));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(forked), cmocka_unit_test(through_null)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
