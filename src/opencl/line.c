// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// When commands happen, on a chip with a time line. A command is given to it when it runs, and begins when what it waits for has ended
// there: the events of its wait list, and in its queue what `must_follow` of command.c says.
#include "opencl/command.h"

#include "base/alloc.h"

static struct weir_timeline *timeline(void) {
  struct weir_device *d = weir_cl_modelled();
  return d ? weir_device_timeline(d) : NULL;
}

static bool in_order(const struct weir_cl_command *c) {
  return !(c->queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

static void sweep(cl_command_queue q) {
  unsigned kept = 0;
  for (unsigned i = 0; i < q->open_count; i++) {
    if (weir_item_ended(q->open[i]))
      weir_item_release(q->open[i]);
    else
      q->open[kept++] = q->open[i];
  }
  q->open_count = kept;
}

static uint64_t last(const struct weir_stream *line) {
  return line->last ? weir_item_number(line->last) : 0;
}

void weir_cl_line_open(struct weir_cl_command *c, struct weir_stream *own) {
  struct weir_timeline *t = timeline();
  cl_command_queue q = c->queue;
  c->line = NULL;
  if (!t) return;
  *own = (struct weir_stream){.kind = WEIR_STREAM_NON_BLOCKING, .number = q->number};
  c->line = in_order(c) ? &q->line : own;
  if (!in_order(c)) weir_timeline_wait(t, own, q->line.last); // of the time when the queue was in order
  weir_timeline_wait(t, c->line, q->barrier);
  if (c->follows_all || in_order(c)) {
    sweep(q);
    for (unsigned i = 0; i < q->open_count; i++) weir_timeline_wait(t, c->line, q->open[i]);
  }
  for (cl_uint i = 0; i < c->wait_count; i++) weir_timeline_wait(t, c->line, c->waits[i]->item);
  c->behind = last(c->line);
}

void weir_cl_line_done(struct weir_cl_command *c) {
  struct weir_timeline *t = timeline();
  cl_command_queue q = c->queue;
  if (!t || !c->line) return;
  const bool did_nothing = last(c->line) == c->behind; // which has its time, too
  c->event->item = weir_item_hold(did_nothing ? weir_timeline_place(t, c->line, WEIR_ENGINE_NONE, 0) : c->line->last);
  if (in_order(c)) return;
  if (c->barrier) {
    weir_item_release(q->barrier);
    q->barrier = weir_item_hold(c->event->item);
  }
  if (q->open_count == q->open_capacity) sweep(q);
  *weir_push(q->open, q->open_count, q->open_capacity) = weir_item_hold(c->event->item);
  weir_stream_close(c->line);
}

void weir_cl_line_wait(cl_command_queue q) {
  struct weir_device *d = weir_cl_modelled();
  if (!d) return;
  weir_device_host_waits_for(d, q->line.last);
  for (unsigned i = 0; i < q->open_count; i++) weir_device_host_waits_for(d, q->open[i]);
  sweep(q);
}

void weir_cl_line_close(cl_command_queue q) {
  weir_stream_close(&q->line);
  weir_item_release(q->barrier);
  for (unsigned i = 0; i < q->open_count; i++) weir_item_release(q->open[i]);
  weir_free(q->open);
}
