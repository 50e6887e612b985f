// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Threads that create, write, launch, wait and release at the same time, each with a queue of its own and one kernel
// object each; and one user event that all of them wait for (OpenCL 1.2 appendix A.2: all calls but clSetKernelArg on
// one kernel are thread-safe).
#include "opencl_test.h"

#include <pthread.h>

enum { THREADS = 4, ROUNDS = 25, WORDS = 64 };

static const char ptx[] =
  ".version 6.3\n.target sm_70\n.address_size 64\n"
  ".visible .entry add(.param .u64 .ptr .global .align 4 out, .param .u32 add)\n"
  "{\n  .reg .b64 %d<4>;\n  .reg .b32 %r<4>;\n  ld.param.u64 %d1, [out];\n  ld.param.u32 %r1, [add];\n"
  "  mov.u32 %r2, %tid.x;\n  mul.wide.u32 %d2, %r2, 4;\n  add.u64 %d1, %d1, %d2;\n  ld.global.u32 %r3, [%d1];\n"
  "  add.u32 %r3, %r3, %r1;\n  st.global.u32 [%d1], %r3;\n  ret;\n}\n";

struct work {
  struct fixture *f;
  cl_program program;
  cl_event start;
  cl_uint number;
  cl_uint wrong;
};

#define check(condition) w->wrong += !(condition)

static void one_round(struct work *w, cl_command_queue q, cl_kernel k, cl_uint round) {
  cl_uint words[WORDS];
  for (cl_uint i = 0; i < WORDS; i++) words[i] = i;
  cl_mem m = clCreateBuffer(w->f->context, 0, sizeof words, NULL, NULL);
  const cl_uint add = w->number * 1000 + round;
  const size_t global = WORDS;
  cl_event written;
  check(clEnqueueWriteBuffer(q, m, CL_FALSE, 0, sizeof words, words, 0, NULL, &written) == CL_SUCCESS);
  check(clSetKernelArg(k, 0, sizeof m, &m) == CL_SUCCESS);
  check(clSetKernelArg(k, 1, sizeof add, &add) == CL_SUCCESS);
  check(clEnqueueNDRangeKernel(q, k, 1, NULL, &global, &global, 1, &written, NULL) == CL_SUCCESS);
  check(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof words, words, 0, NULL, NULL) == CL_SUCCESS);
  for (cl_uint i = 0; i < WORDS; i++) check(words[i] == i + add);
  check(clReleaseEvent(written) == CL_SUCCESS);
  check(clReleaseMemObject(m) == CL_SUCCESS);
}

static void *run(void *data) {
  struct work *w = data;
  cl_command_queue q = clCreateCommandQueue(w->f->context, w->f->device, 0, NULL);
  cl_kernel k = clCreateKernel(w->program, "add", NULL);
  check(clEnqueueBarrierWithWaitList(q, 1, &w->start, NULL) == CL_SUCCESS);
  check(clFinish(q) == CL_SUCCESS);
  for (cl_uint round = 0; round < ROUNDS; round++) one_round(w, q, k, round);
  check(clReleaseKernel(k) == CL_SUCCESS);
  check(clReleaseCommandQueue(q) == CL_SUCCESS);
  return NULL;
}

static void threads(void **state) {
  struct fixture *f = *state;
  cl_program p = program_of(f, ptx);
  cl_int code;
  cl_event start = clCreateUserEvent(f->context, &code);
  struct work work[THREADS];
  pthread_t thread[THREADS];
  for (cl_uint i = 0; i < THREADS; i++) {
    work[i] = (struct work){f, p, start, i, 0};
    assert_int_equal(pthread_create(&thread[i], NULL, run, &work[i]), 0);
  }
  ok(clSetUserEventStatus(start, CL_COMPLETE));
  for (unsigned i = 0; i < THREADS; i++) {
    pthread_join(thread[i], NULL);
    assert_int_equal(work[i].wrong, 0);
  }
  ok(clReleaseEvent(start));
  ok(clReleaseProgram(p));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(threads)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
