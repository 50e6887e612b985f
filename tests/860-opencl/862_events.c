// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Events: what waits for what, callbacks, failure of what is waited for, threads (OpenCL 1.2 sections 5.9 to 5.13).
#include "opencl_test.h"

#include "all.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static cl_int status_of(cl_event e) {
  cl_int status;
  ok(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
  return status;
}

static cl_event user_event(struct fixture *f) {
  cl_int code;
  cl_event e = clCreateUserEvent(f->context, &code);
  ok(code);
  return e;
}

static void commands_have_events(void **state) {
  struct fixture *f = *state;
  cl_mem m = buffer_of(f, 4, NULL);
  cl_event e;
  ok(clEnqueueWriteBuffer(f->queue, m, CL_FALSE, 0, 4, "abcd", 0, NULL, &e));
  ok(clWaitForEvents(1, &e));
  assert_int_equal(status_of(e), CL_COMPLETE);
  cl_command_type type;
  cl_command_queue q;
  ok(clGetEventInfo(e, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
  ok(clGetEventInfo(e, CL_EVENT_COMMAND_QUEUE, sizeof q, &q, NULL));
  assert_int_equal(type, CL_COMMAND_WRITE_BUFFER);
  assert_ptr_equal(q, f->queue);
  cl_ulong times[4];
  for (unsigned i = 0; i < 4; i++)
    ok(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_QUEUED + i, sizeof times[i], &times[i], NULL));
  for (unsigned i = 1; i < 4; i++) assert_true(times[i - 1] <= times[i]);
  ok(clReleaseEvent(e));
  ok(clReleaseMemObject(m));
}

static void user_events(void **state) {
  struct fixture *f = *state;
  cl_event e = user_event(f);
  assert_int_equal(status_of(e), CL_SUBMITTED);
  cl_command_type type;
  ok(clGetEventInfo(e, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
  assert_int_equal(type, CL_COMMAND_USER);
  cl_ulong time;
  assert_int_equal(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL),
                   CL_PROFILING_INFO_NOT_AVAILABLE);
  assert_int_equal(clSetUserEventStatus(e, CL_RUNNING), CL_INVALID_VALUE);
  ok(clSetUserEventStatus(e, CL_COMPLETE));
  assert_int_equal(clSetUserEventStatus(e, CL_COMPLETE), CL_INVALID_OPERATION);
  ok(clReleaseEvent(e));
}

// In an in-order queue the second write waits for the first, which waits for the user event.
static void commands_wait(void **state) {
  struct fixture *f = *state;
  cl_int code;
  cl_command_queue other = clCreateCommandQueue(f->context, f->device, 0, &code);
  cl_mem m = buffer_of(f, 4, "....");
  cl_event user = user_event(f), first, second;
  char text[5] = {0};
  ok(clEnqueueWriteBuffer(f->queue, m, CL_FALSE, 0, 1, "a", 1, &user, &first));
  ok(clEnqueueWriteBuffer(f->queue, m, CL_FALSE, 1, 1, "b", 0, NULL, &second));
  assert_true(status_of(first) > CL_COMPLETE && status_of(second) > CL_COMPLETE);
  ok(clEnqueueReadBuffer(other, m, CL_TRUE, 0, 4, text, 0, NULL, NULL));
  assert_string_equal(text, "....");
  ok(clSetUserEventStatus(user, CL_COMPLETE));
  assert_true(status_of(first) == CL_COMPLETE && status_of(second) == CL_COMPLETE);
  read_back(f, m, 4, text);
  assert_string_equal(text, "ab..");
  ok(clReleaseEvent(user));
  ok(clReleaseEvent(first));
  ok(clReleaseEvent(second));
  ok(clReleaseMemObject(m));
  ok(clReleaseCommandQueue(other));
}

// Out of order, what waits for nothing goes ahead; but not past a barrier that waits.
static void out_of_order(void **state) {
  struct fixture *f = *state;
  cl_int code;
  cl_command_queue q = clCreateCommandQueue(f->context, f->device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
  cl_mem m = buffer_of(f, 4, "....");
  cl_event user = user_event(f), first, marker, second, third;
  ok(clEnqueueWriteBuffer(q, m, CL_FALSE, 0, 1, "a", 1, &user, &first));
  ok(clEnqueueWriteBuffer(q, m, CL_FALSE, 1, 1, "b", 0, NULL, &second));
  ok(clEnqueueMarkerWithWaitList(q, 0, NULL, &marker));
  assert_int_equal(status_of(second), CL_COMPLETE);
  assert_true(status_of(marker) > CL_COMPLETE);
  ok(clEnqueueBarrierWithWaitList(q, 0, NULL, NULL));
  ok(clEnqueueWriteBuffer(q, m, CL_FALSE, 2, 1, "c", 0, NULL, &third));
  assert_true(status_of(third) > CL_COMPLETE);
  ok(clSetUserEventStatus(user, CL_COMPLETE));
  assert_true(status_of(first) == CL_COMPLETE && status_of(marker) == CL_COMPLETE && status_of(third) == CL_COMPLETE);
  char text[5] = {0};
  read_back(f, m, 4, text);
  assert_string_equal(text, "abc.");
  cl_event all[] = {user, first, marker, second, third};
  for (unsigned i = 0; i < 5; i++) ok(clReleaseEvent(all[i]));
  ok(clReleaseMemObject(m));
  ok(clReleaseCommandQueue(q));
}

static void failure_is_passed_on(void **state) {
  struct fixture *f = *state;
  cl_mem m = buffer_of(f, 4, "....");
  cl_event user = user_event(f), e;
  ok(clEnqueueWriteBuffer(f->queue, m, CL_FALSE, 0, 1, "a", 1, &user, &e));
  ok(clSetUserEventStatus(user, -5));
  assert_int_equal(status_of(e), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  assert_int_equal(clWaitForEvents(1, &e), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  char text[5] = {0};
  read_back(f, m, 4, text);
  assert_string_equal(text, "....");
  assert_int_equal(clEnqueueReadBuffer(f->queue, m, CL_TRUE, 0, 4, text, 1, &user, NULL),
                   CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  ok(clFinish(f->queue));
  ok(clReleaseEvent(user));
  ok(clReleaseEvent(e));
  ok(clReleaseMemObject(m));
}

static void wait_lists(void **state) {
  struct fixture *f = *state;
  cl_int code;
  cl_context other = clCreateContext(NULL, 1, &f->device, NULL, NULL, &code);
  cl_event foreign = clCreateUserEvent(other, &code), own = user_event(f);
  assert_int_equal(clEnqueueMarkerWithWaitList(f->queue, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
  assert_int_equal(clEnqueueMarkerWithWaitList(f->queue, 0, &own, NULL), CL_INVALID_EVENT_WAIT_LIST);
  assert_int_equal(clEnqueueMarkerWithWaitList(f->queue, 1, &foreign, NULL), CL_INVALID_CONTEXT);
  assert_int_equal(clEnqueueWaitForEvents(f->queue, 0, NULL), CL_INVALID_VALUE);
  assert_int_equal(clWaitForEvents(2, (cl_event[]){own, foreign}), CL_INVALID_CONTEXT);
  assert_int_equal(clWaitForEvents(0, NULL), CL_INVALID_VALUE);
  ok(clReleaseEvent(foreign));
  ok(clReleaseEvent(own));
  ok(clReleaseContext(other));
}

struct seen {
  char text[8];
  cl_int status[8];
};

static void CL_CALLBACK note(cl_event e, cl_int status, void *data) {
  struct seen *s = data;
  const size_t n = strlen(s->text);
  s->text[n] = "crs"[status < 0 ? 0 : status]; // complete, running, submitted
  s->status[n] = status;
  cl_int now; // OpenCL may be called from here
  clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof now, &now, NULL);
}

static void callbacks(void **state) {
  struct fixture *f = *state;
  cl_event user = user_event(f), e;
  ok(clEnqueueMarkerWithWaitList(f->queue, 1, &user, &e));
  struct seen s = {0};
  ok(clSetEventCallback(e, CL_SUBMITTED, note, &s));
  ok(clSetEventCallback(e, CL_RUNNING, note, &s));
  ok(clSetEventCallback(e, CL_COMPLETE, note, &s));
  assert_string_equal(s.text, "");
  ok(clSetUserEventStatus(user, CL_COMPLETE));
  assert_string_equal(s.text, "src");
  ok(clSetEventCallback(e, CL_COMPLETE, note, &s)); // it has come already
  assert_string_equal(s.text, "srcc");
  assert_int_equal(clSetEventCallback(e, CL_QUEUED, note, &s), CL_INVALID_VALUE);
  assert_int_equal(clSetEventCallback(e, CL_COMPLETE, NULL, &s), CL_INVALID_VALUE);
  ok(clReleaseEvent(user));
  ok(clReleaseEvent(e));
  user = user_event(f);
  s = (struct seen){0};
  ok(clSetEventCallback(user, CL_COMPLETE, note, &s));
  ok(clSetUserEventStatus(user, -7));
  assert_int_equal(s.status[0], -7);
  ok(clReleaseEvent(user));
}

static void *complete_later(void *event) {
  usleep(20000);
  assert_int_equal(clSetUserEventStatus(event, CL_COMPLETE), CL_SUCCESS);
  return NULL;
}

// A blocking call sleeps until another thread completes what it waits for.
static void blocking_waits_for_another_thread(void **state) {
  struct fixture *f = *state;
  cl_mem m = buffer_of(f, 4, "abcd");
  cl_event user = user_event(f);
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, complete_later, user), 0);
  char text[5] = {0};
  ok(clEnqueueReadBuffer(f->queue, m, CL_TRUE, 0, 4, text, 1, &user, NULL));
  assert_string_equal(text, "abcd");
  pthread_join(thread, NULL);
  ok(clReleaseEvent(user));
  user = user_event(f);
  ok(clEnqueueMarkerWithWaitList(f->queue, 1, &user, NULL));
  assert_int_equal(pthread_create(&thread, NULL, complete_later, user), 0);
  ok(clFinish(f->queue));
  pthread_join(thread, NULL);
  ok(clReleaseEvent(user));
  ok(clReleaseMemObject(m));
}

static void *complete_much_later(void *event) {
  usleep(5500000);
  assert_int_equal(clSetUserEventStatus(event, CL_COMPLETE), CL_SUCCESS);
  return NULL;
}

// What waits for a user event that nobody sets for more than five seconds is named, with what it holds and
// the marker behind that.
static void a_user_event_that_nobody_sets(void **state) {
  struct fixture *f = *state;
  if (!test_all()) skip();
  cl_mem m = buffer_of(f, 4, "abcd");
  cl_event user = user_event(f);
  pthread_t thread;
  char said[1000] = "", text[4];
  FILE *kept = tmpfile();
  const int before = dup(STDERR_FILENO);
  dup2(fileno(kept), STDERR_FILENO);
  ok(clEnqueueReadBuffer(f->queue, m, CL_FALSE, 0, 4, text, 1, &user, NULL));
  ok(clEnqueueMarkerWithWaitList(f->queue, 0, NULL, NULL));
  assert_int_equal(pthread_create(&thread, NULL, complete_much_later, user), 0);
  const cl_int finished = clFinish(f->queue);
  dup2(before, STDERR_FILENO);
  close(before);
  pthread_join(thread, NULL);
  rewind(kept);
  assert_true(fread(said, 1, sizeof said - 1, kept) > 0);
  fclose(kept);
  ok(finished);
  assert_non_null(strstr(said, "clFinish waits"));
  assert_non_null(strstr(said, "a command of type 0x11f3 ")); // CL_COMMAND_READ_BUFFER
  assert_non_null(strstr(said, "waits for user event "));
  assert_non_null(strstr(said, "1 other command"));
  ok(clReleaseEvent(user));
  ok(clReleaseMemObject(m));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(commands_have_events),
    cmocka_unit_test(user_events),
    cmocka_unit_test(commands_wait),
    cmocka_unit_test(out_of_order),
    cmocka_unit_test(failure_is_passed_on),
    cmocka_unit_test(wait_lists),
    cmocka_unit_test(callbacks),
    cmocka_unit_test(blocking_waits_for_another_thread),
    cmocka_unit_test(a_user_event_that_nobody_sets),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
