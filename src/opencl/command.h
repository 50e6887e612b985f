// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Commands and their events. Invariant: a command runs, to its end, as soon as all that it waits for has completed:
// nearly always while it is enqueued. The others stand in one list, in the order in which they were enqueued, and are
// looked through whenever an event completes; so a command is ready once, and then gone.
//
// In a queue that is in order, a command follows every earlier one; in one that is out of order, a barrier and a marker
// without a wait list follow every earlier one, and everything follows an earlier barrier.
#ifndef WEIR_OPENCL_COMMAND_H
#define WEIR_OPENCL_COMMAND_H

#include "opencl/context.h"

struct weir_cl_event_callback {
  cl_int type; // CL_SUBMITTED, CL_RUNNING, CL_COMPLETE
  void(CL_CALLBACK *call)(cl_event event, cl_int status, void *user_data);
  void *user_data;
};

struct _cl_event {
  struct weir_cl_head object;
  cl_context context;
  cl_command_queue queue; // NULL: a user event
  cl_command_type type;
  cl_int status; // CL_QUEUED … CL_COMPLETE, or what went wrong
  bool profiled;
  cl_ulong queued, submitted, started, ended; // simulated nanoseconds; the last two of one that is not on the time line
  struct weir_item *item;                     // on the time line; NULL: the chip has none, or it has not run
  struct weir_asking asking;
  unsigned number; // of a user event, from 1 on, in the order in which they were made
  struct weir_cl_event_callback *callbacks;
  size_t callback_count, callback_capacity;
};

cl_event weir_cl_event_new(cl_context context, cl_command_queue queue, cl_command_type type, cl_int status);
void weir_cl_event_retain(cl_event e);
void weir_cl_event_release(cl_event e);
void weir_cl_event_wait(cl_event e);               // the host waits for it on the time line
void weir_cl_event_set(cl_event e, cl_int status); // calls what waits for that status
cl_ulong weir_cl_now_ns(void);                     // simulated

struct weir_cl_command {
  cl_command_queue queue;
  cl_event event;
  cl_event *waits;
  cl_uint wait_count;
  bool follows_all, barrier;
  struct weir_stream *line;                     // on the time line, while it runs
  uint64_t behind;                              // of `line`: the last item when it began to run
  cl_int (*execute)(struct weir_cl_command *c); // CL_SUCCESS, or the event's status
  void (*discard)(struct weir_cl_command *c);   // gives back what the command holds; NULL: nothing
  struct weir_cl_command *next;
};

// A command of `bytes` that begin with a struct weir_cl_command. `queue` is one (checked).
void *weir_cl_command_new(size_t bytes, cl_command_queue queue, cl_command_type type,
                          cl_int (*execute)(struct weir_cl_command *c), void (*discard)(struct weir_cl_command *c));

// Takes the command over: runs it, or lists it. With a malformed wait list it is discarded, and that is the answer.
// Blocking: waits for it, and answers with what it ended with. *event_out, if wanted, is its event.
cl_int weir_cl_enqueue(struct weir_cl_command *c, cl_uint wait_count, const cl_event *waits, bool blocking,
                       cl_event *event_out);

void weir_cl_run_ready(void); // after an event has completed
bool weir_cl_queue_busy(cl_command_queue q);

// Waits for something to complete. Where nothing does for so long that nothing may ever, it is said what waits for what; `call` waits.
void weir_cl_wait(const char *call);

// ---- line.c: when commands happen -------------------------------------------------------------------------------------

// Nothing happens there where the chip has no time line. The command runs: `line` follows what it waits for, and the event has what came of
// it.
void weir_cl_line_open(struct weir_cl_command *c, struct weir_stream *own);
void weir_cl_line_done(struct weir_cl_command *c);
void weir_cl_line_wait(cl_command_queue q); // the host waits for all that the queue ran
void weir_cl_line_close(cl_command_queue q);

#endif
