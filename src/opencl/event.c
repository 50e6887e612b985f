// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "opencl/command.h"

#include "base/alloc.h"

enum { PS_PER_NS = 1000 };

cl_ulong weir_cl_now_ns(void) {
  struct weir_device *d = weir_cl_modelled();
  if (!d) return 0;
  const struct weir_timeline *t = weir_device_timeline(d);
  return (t ? t->host : weir_device_now_ps(d)) / PS_PER_NS;
}

cl_event weir_cl_event_new(cl_context context, cl_command_queue queue, cl_command_type type, cl_int status) {
  cl_event e = weir_new(struct _cl_event);
  weir_cl_head_init(&e->object, WEIR_CL_MAGIC_EVENT);
  e->context = context;
  e->queue = queue;
  e->type = type;
  e->status = status;
  e->profiled = queue && (queue->properties & CL_QUEUE_PROFILING_ENABLE);
  e->queued = e->submitted = weir_cl_now_ns();
  weir_cl_context_retain(context);
  if (queue) weir_cl_queue_retain(queue);
  return e;
}

void weir_cl_event_retain(cl_event e) {
  e->object.references++;
}

void weir_cl_event_release(cl_event e) {
  if (!weir_cl_head_release(&e->object)) return;
  if (e->queue) weir_cl_queue_release(e->queue);
  weir_cl_context_release(e->context);
  weir_item_release(e->item);
  weir_free(e->callbacks);
  weir_free(e);
}

void weir_cl_event_wait(cl_event e) {
  if (e->item && weir_cl_modelled()) weir_device_host_waits_for(weir_cl_modelled(), e->item);
}

struct notice {
  cl_event event;
  cl_int status;
  struct weir_cl_event_callback callback;
};

static void deliver(void *data) {
  struct notice *n = data;
  n->callback.call(n->event, n->status, n->callback.user_data);
  clReleaseEvent(n->event);
  weir_free(n);
}

// A command that failed has passed every state: each callback is told of the failure.
static void notify(cl_event e, const struct weir_cl_event_callback *callback) {
  struct notice *n = weir_new(struct notice);
  *n = (struct notice){e, e->status < 0 ? e->status : callback->type, *callback};
  weir_cl_event_retain(e);
  weir_cl_later(deliver, n);
}

void weir_cl_event_set(cl_event e, cl_int status) {
  const cl_int before = e->status;
  e->status = status;
  for (size_t i = 0; i < e->callback_count; i++) {
    const struct weir_cl_event_callback *c = &e->callbacks[i];
    if (c->type < before && c->type >= status) notify(e, c);
  }
  if (status <= CL_COMPLETE) weir_cl_completed();
}

static cl_int check_list(cl_uint count, const cl_event *events) {
  if (!count || !events) return CL_INVALID_VALUE;
  for (cl_uint i = 0; i < count; i++)
    if (!weir_cl_is(events[i], EVENT)) return CL_INVALID_EVENT;
  for (cl_uint i = 1; i < count; i++)
    if (events[i]->context != events[0]->context) return CL_INVALID_CONTEXT;
  return CL_SUCCESS;
}

// CL_INVALID_VALUE, CL_INVALID_EVENT, CL_INVALID_CONTEXT of a list that clWaitForEvents takes.
static cl_int wait_for(cl_uint count, const cl_event *events) {
  cl_int code = check_list(count, events);
  if (code != CL_SUCCESS) return code;
  for (cl_uint i = 0; i < count; i++) {
    cl_event e = events[i];
    weir_cl_event_retain(e);
    while (e->status > CL_COMPLETE) weir_cl_wait("clWaitForEvents");
    weir_cl_event_wait(e);
    if (e->status < 0) code = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    weir_cl_event_release(e);
  }
  return code;
}

CL_API_ENTRY cl_int CL_API_CALL clWaitForEvents(cl_uint count, const cl_event *events) {
  WEIR_CL_ENTER;
  return wait_for(count, events);
}

CL_API_ENTRY cl_int CL_API_CALL clRetainEvent(cl_event e) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(e, EVENT)) return CL_INVALID_EVENT;
  weir_cl_event_retain(e);
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseEvent(cl_event e) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(e, EVENT)) return CL_INVALID_EVENT;
  weir_cl_event_release(e);
  return CL_SUCCESS;
}

// A command that has run completes when its time has come: to who asks for it again and again, as in device.h.
static cl_int status_now(cl_event e) {
  struct weir_device *d = weir_cl_modelled();
  if (e->status != CL_COMPLETE || !d || weir_item_ended(e->item)) return e->status;
  const bool begun = weir_item_has_begun(e->item);
  return weir_device_host_asks(d, e->item, &e->asking) ? CL_COMPLETE : begun ? CL_RUNNING : CL_SUBMITTED;
}

CL_API_ENTRY cl_int CL_API_CALL clGetEventInfo(cl_event e, cl_event_info key, size_t size, void *to, size_t *size_ret) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(e, EVENT)) return CL_INVALID_EVENT;
  switch (key) {
  case CL_EVENT_COMMAND_QUEUE: return WEIR_CL_ANSWER(cl_command_queue, e->queue);
  case CL_EVENT_CONTEXT: return WEIR_CL_ANSWER(cl_context, e->context);
  case CL_EVENT_COMMAND_TYPE: return WEIR_CL_ANSWER(cl_command_type, e->type);
  case CL_EVENT_COMMAND_EXECUTION_STATUS: return WEIR_CL_ANSWER(cl_int, status_now(e));
  case CL_EVENT_REFERENCE_COUNT: return WEIR_CL_ANSWER(cl_uint, e->object.references);
  default: return CL_INVALID_VALUE;
  }
}

CL_API_ENTRY cl_int CL_API_CALL clGetEventProfilingInfo(cl_event e, cl_profiling_info key, size_t size, void *to,
                                                        size_t *size_ret) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(e, EVENT)) return CL_INVALID_EVENT;
  if (!e->profiled || e->status != CL_COMPLETE) return CL_PROFILING_INFO_NOT_AVAILABLE;
  weir_cl_event_wait(e); // a callback may ask that was called when the command ran
  if (e->item) {
    const struct weir_span span = weir_item_span(e->item);
    e->started = span.began / PS_PER_NS;
    e->ended = span.ended / PS_PER_NS;
  }
  switch (key) {
  case CL_PROFILING_COMMAND_QUEUED: return WEIR_CL_ANSWER(cl_ulong, e->queued);
  case CL_PROFILING_COMMAND_SUBMIT: return WEIR_CL_ANSWER(cl_ulong, e->submitted);
  case CL_PROFILING_COMMAND_START: return WEIR_CL_ANSWER(cl_ulong, e->started);
  case CL_PROFILING_COMMAND_END:
  case CL_PROFILING_COMMAND_COMPLETE: return WEIR_CL_ANSWER(cl_ulong, e->ended);
  default: return CL_INVALID_VALUE;
  }
}

CL_API_ENTRY cl_int CL_API_CALL clSetEventCallback(cl_event e, cl_int type,
                                                   void(CL_CALLBACK *call)(cl_event, cl_int, void *), void *user_data) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(e, EVENT)) return CL_INVALID_EVENT;
  if (!call || type < CL_COMPLETE || type > CL_SUBMITTED) return CL_INVALID_VALUE;
  struct weir_cl_event_callback *c = weir_push(e->callbacks, e->callback_count, e->callback_capacity);
  *c = (struct weir_cl_event_callback){type, call, user_data};
  if (e->status <= type) notify(e, c);
  return CL_SUCCESS;
}

CL_API_ENTRY cl_event CL_API_CALL clCreateUserEvent(cl_context c, cl_int *errcode_ret) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(c, CONTEXT)) return weir_cl_refuse(errcode_ret, CL_INVALID_CONTEXT);
  static unsigned events;
  cl_event e = weir_cl_event_new(c, NULL, CL_COMMAND_USER, CL_SUBMITTED);
  e->number = ++events;
  weir_cl_code(errcode_ret, CL_SUCCESS);
  return e;
}

CL_API_ENTRY cl_int CL_API_CALL clSetUserEventStatus(cl_event e, cl_int status) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(e, EVENT) || e->queue) return CL_INVALID_EVENT;
  if (status > CL_COMPLETE) return CL_INVALID_VALUE;
  if (e->status <= CL_COMPLETE) return CL_INVALID_OPERATION;
  weir_cl_event_set(e, status);
  weir_cl_run_ready();
  return CL_SUCCESS;
}
