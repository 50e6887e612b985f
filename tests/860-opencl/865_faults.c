// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A kernel that writes through a null pointer: its event, the context's callback, clFinish and all that comes after
// tell of it, and nothing crashes.
#include "opencl_test.h"

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

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(through_null)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
