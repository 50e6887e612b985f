// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "opencl/command.h"

#include "base/alloc.h"

// Oldest first.
static struct weir_cl_command *pending;

void *weir_cl_command_new(size_t bytes, cl_command_queue queue, cl_command_type type,
                          cl_int (*execute)(struct weir_cl_command *c), void (*discard)(struct weir_cl_command *c)) {
  struct weir_cl_command *c = weir_alloc(bytes);
  c->queue = queue;
  c->event = weir_cl_event_new(queue->context, queue, type, CL_QUEUED);
  c->execute = execute;
  c->discard = discard;
  return c; // its event holds the queue
}

static void destroy(struct weir_cl_command *c) {
  if (c->discard) c->discard(c);
  for (cl_uint i = 0; i < c->wait_count; i++) weir_cl_event_release(c->waits[i]);
  weir_free(c->waits);
  weir_cl_event_release(c->event);
  weir_free(c);
}

static bool must_follow(const struct weir_cl_command *c, const struct weir_cl_command *earlier) {
  return c->queue == earlier->queue &&
    (!(c->queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) || c->follows_all || earlier->barrier);
}

// `c` is in the list, or about to be appended.
static bool ready(const struct weir_cl_command *c) {
  for (cl_uint i = 0; i < c->wait_count; i++)
    if (c->waits[i]->status > CL_COMPLETE) return false;
  for (const struct weir_cl_command *p = pending; p && p != c; p = p->next)
    if (must_follow(c, p)) return false;
  return true;
}

static cl_int outcome(struct weir_cl_command *c) {
  for (cl_uint i = 0; i < c->wait_count; i++)
    if (c->waits[i]->status < 0) return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  if (!weir_cl_modelled()) return CL_OUT_OF_RESOURCES; // forked
  return c->execute ? c->execute(c) : CL_SUCCESS;
}

// On a chip without a time line, what it takes is the time that passes while it executes: a kernel's. Copies take none there.
static void run(struct weir_cl_command *c) {
  cl_event e = c->event;
  struct weir_stream own = {0};
  weir_cl_event_set(e, CL_SUBMITTED);
  weir_cl_event_set(e, CL_RUNNING);
  e->submitted = e->started = weir_cl_now_ns();
  weir_cl_line_open(c, &own);
  const cl_int status = outcome(c);
  weir_cl_line_done(c);
  e->ended = weir_cl_now_ns();
  const bool aborted = status == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST; // told by those events
  if (status != CL_SUCCESS && !aborted) c->queue->failed = status;
  weir_cl_event_set(e, status);
}

void weir_cl_run_ready(void) {
  for (struct weir_cl_command **at = &pending; *at;) {
    struct weir_cl_command *c = *at;
    if (!ready(c)) {
      at = &c->next;
      continue;
    }
    run(c); // nothing is enqueued meanwhile: callbacks wait for the lock
    *at = c->next;
    destroy(c);
    at = &pending; // others may have waited for this one
  }
}

bool weir_cl_queue_busy(cl_command_queue q) {
  for (const struct weir_cl_command *p = pending; p; p = p->next)
    if (p->queue == q) return true;
  return false;
}

static cl_int take_waits(struct weir_cl_command *c, cl_uint count, const cl_event *waits) {
  if (!count != !waits) return CL_INVALID_EVENT_WAIT_LIST;
  for (cl_uint i = 0; i < count; i++)
    if (!weir_cl_is(waits[i], EVENT)) return CL_INVALID_EVENT_WAIT_LIST;
  for (cl_uint i = 0; i < count; i++)
    if (waits[i]->context != c->queue->context) return CL_INVALID_CONTEXT;
  c->waits = weir_new_array(cl_event, count);
  c->wait_count = count;
  for (cl_uint i = 0; i < count; i++) {
    c->waits[i] = waits[i];
    weir_cl_event_retain(waits[i]);
  }
  return CL_SUCCESS;
}

// `e` holds back `c`, of those that wait the first: tells why.
static void tell_stuck(const struct weir_cl_command *c, const struct _cl_event *e, const char *call) {
  unsigned behind = 0;
  for (const struct weir_cl_command *p = pending; p; p = p->next) behind += p != c;
  weir_device_say(
    "%s waits, and nothing has completed for %d s: a command of type 0x%x of queue %u waits for user event %u, which the "
    "program has not set (clSetUserEventStatus); %u other commands wait, too",
    call, WEIR_CL_STUCK_SECONDS, c->event->type, c->queue->number, e->number, behind);
}

void weir_cl_wait(const char *call) {
  if (weir_cl_wait_for_change()) return;
  for (const struct weir_cl_command *c = pending; c; c = c->next)
    for (cl_uint i = 0; i < c->wait_count; i++)
      if (c->waits[i]->status > CL_COMPLETE && !c->waits[i]->queue) {
        tell_stuck(c, c->waits[i], call);
        return;
      }
}

static cl_int wait_for(cl_event e) {
  while (e->status > CL_COMPLETE) weir_cl_wait("a blocking call");
  weir_cl_event_wait(e);
  return e->status;
}

cl_int weir_cl_enqueue(struct weir_cl_command *c, cl_uint wait_count, const cl_event *waits, bool blocking,
                       cl_event *event_out) {
  cl_int code = take_waits(c, wait_count, waits);
  if (code != CL_SUCCESS) {
    destroy(c);
    return code;
  }
  cl_event e = c->event;
  weir_cl_event_retain(e);
  struct weir_cl_command **last = &pending;
  while (*last) last = &(*last)->next;
  if (ready(c)) {
    run(c);
    destroy(c);
    weir_cl_run_ready();
  } else {
    *last = c;
  }
  if (blocking) {
    code = wait_for(e);
    if (code == CL_SUCCESS) code = e->queue->failed; // what it brought was not made
  }
  if (event_out)
    *event_out = e;
  else
    weir_cl_event_release(e);
  return code == CL_SUCCESS || code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST ? code : CL_OUT_OF_RESOURCES;
}

// ---- markers and barriers
// ---------------------------------------------------------------------------------------------

static cl_int synchronise(cl_command_queue q, cl_command_type type, cl_uint count, const cl_event *waits,
                          cl_event *event_out) {
  if (!weir_cl_is(q, QUEUE)) return CL_INVALID_COMMAND_QUEUE;
  struct weir_cl_command *c = weir_cl_command_new(sizeof *c, q, type, NULL, NULL);
  c->follows_all = !count;
  c->barrier = type == CL_COMMAND_BARRIER;
  return weir_cl_enqueue(c, count, waits, false, event_out);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMarkerWithWaitList(cl_command_queue q, cl_uint count, const cl_event *waits,
                                                            cl_event *event) {
  WEIR_CL_ENTER;
  return synchronise(q, CL_COMMAND_MARKER, count, waits, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueBarrierWithWaitList(cl_command_queue q, cl_uint count, const cl_event *waits,
                                                             cl_event *event) {
  WEIR_CL_ENTER;
  return synchronise(q, CL_COMMAND_BARRIER, count, waits, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMarker(cl_command_queue q, cl_event *event) {
  WEIR_CL_ENTER;
  return event ? synchronise(q, CL_COMMAND_MARKER, 0, NULL, event) : CL_INVALID_VALUE;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueBarrier(cl_command_queue q) {
  WEIR_CL_ENTER;
  return synchronise(q, CL_COMMAND_BARRIER, 0, NULL, NULL);
}

// All that is enqueued later waits for these: a barrier (OpenCL 1.1 section 5.10).
CL_API_ENTRY cl_int CL_API_CALL clEnqueueWaitForEvents(cl_command_queue q, cl_uint count, const cl_event *waits) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(q, QUEUE)) return CL_INVALID_COMMAND_QUEUE;
  if (!count || !waits) return CL_INVALID_VALUE;
  const cl_int code = synchronise(q, CL_COMMAND_BARRIER, count, waits, NULL);
  return code == CL_INVALID_EVENT_WAIT_LIST ? CL_INVALID_EVENT : code;
}
