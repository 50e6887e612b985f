// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "run/trace_events.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>

enum { STREAMS = 1, ENGINES = 2, PROCESSES = 2 }; // the format's `pid`; of one process of ours so many
// Its `tid`: of a stream its number; of an engine these.
enum { HOST = 1 << 30, TO_DEVICE = 1, TO_HOST, FIRST_LANE };

static const double PS_PER_US = 1e6;

static const char *const kinds[] = {
  [WEIR_LOGGED_KERNEL] = "kernel",        [WEIR_LOGGED_FILL] = "fill",
  [WEIR_LOGGED_WITHIN] = "copy within",   [WEIR_LOGGED_TO_DEVICE] = "copy to device",
  [WEIR_LOGGED_TO_HOST] = "copy to host", [WEIR_LOGGED_HOST] = "wait",
};

static void name_row(json_t *events, const char *what, unsigned pid, unsigned tid, const char *name) {
  json_array_append_new(events,
                        json_pack("{s:s, s:s, s:i, s:i, s:{s:s}}", "name", what, "ph", "M", "pid", (int)pid, "tid",
                                  (int)tid, "args", "name", name));
}

static json_t *dim(const uint32_t d[3]) {
  return json_pack("[I, I, I]", (json_int_t)d[0], (json_int_t)d[1], (json_int_t)d[2]);
}

static json_t *facts_of(const struct weir_log_item *i) {
  const weir_time span = i->span.ended - i->span.began;
  json_t *args = json_pack("{s:I, s:I}", "began_ps", (json_int_t)i->span.began, "ended_ps", (json_int_t)i->span.ended);
  if (i->what == WEIR_LOGGED_HOST) return args;
  if (i->what == WEIR_LOGGED_KERNEL) {
    json_object_set_new(args, "grid", dim(i->grid));
    json_object_set_new(args, "block", dim(i->block));
    return args;
  }
  json_object_set_new(args, "bytes", json_integer((json_int_t)i->bytes));
  if (span) json_object_set_new(args, "mb_per_s", json_real((double)i->bytes * PS_PER_US / (double)span));
  if (i->what == WEIR_LOGGED_TO_DEVICE || i->what == WEIR_LOGGED_TO_HOST)
    json_object_set_new(args, "memory", json_string(i->pageable ? "pageable" : "pinned"));
  return args;
}

static void put(json_t *events, const struct weir_log_item *i, unsigned pid, unsigned tid) {
  json_array_append_new(events,
                        json_pack("{s:s, s:s, s:s, s:i, s:i, s:f, s:f, s:o}", "name",
                                  i->name ? i->name : kinds[i->what], "cat", kinds[i->what], "ph", "X", "pid", (int)pid,
                                  "tid", (int)tid, "ts", (double)i->span.began / PS_PER_US, "dur",
                                  (double)(i->span.ended - i->span.began) / PS_PER_US, "args", facts_of(i)));
}

// ---- rows -------------------------------------------------------------------------------------------------------------

struct lanes { // of kernels and fills; each ends an item before it begins the next
  weir_time *ended;
  unsigned count, capacity;
};

static unsigned lane_of(struct lanes *l, struct weir_span span) {
  unsigned n = 0;
  while (n < l->count && l->ended[n] > span.began) n++;
  if (n == l->count) *weir_push(l->ended, l->count, l->capacity) = 0;
  l->ended[n] = span.ended;
  return FIRST_LANE + n;
}

static unsigned engine_of(const struct weir_log_item *i, unsigned copy_engines, struct lanes *l) {
  if (i->what == WEIR_LOGGED_TO_DEVICE || i->what == WEIR_LOGGED_TO_HOST)
    return copy_engines == 1 || i->what == WEIR_LOGGED_TO_DEVICE ? TO_DEVICE : TO_HOST;
  return lane_of(l, i->span);
}

static int by_begin(const void *a, const void *b) {
  const struct weir_log_item *const *x = a, *const *y = b; // which point into one array: ties keep its order
  if ((*x)->span.began != (*y)->span.began) return (*x)->span.began < (*y)->span.began ? -1 : 1;
  return (*x > *y) - (*x < *y);
}

static const struct weir_log_item **in_order(const struct weir_log *l) {
  const struct weir_log_item **list = weir_new_array(const struct weir_log_item *, l->count);
  for (unsigned i = 0; i < l->count; i++) list[i] = &l->items[i];
  if (l->count) qsort((void *)list, l->count, sizeof *list, by_begin);
  return list;
}

static void name_streams(json_t *events, const struct weir_log *l) {
  unsigned *numbers = NULL, count = 0, capacity = 0;
  for (unsigned i = 0; i < l->count; i++) {
    char name[40] = "default stream";
    unsigned k = 0;
    while (k < count && numbers[k] != l->items[i].stream) k++;
    if (l->items[i].what == WEIR_LOGGED_HOST || k < count) continue;
    *weir_push(numbers, count, capacity) = l->items[i].stream;
    if (l->items[i].stream == WEIR_LOG_PAGES)
      snprintf(name, sizeof name, "managed memory");
    else if (l->items[i].stream)
      snprintf(name, sizeof name, "stream %u", l->items[i].stream);
    name_row(events, "thread_name", STREAMS, l->items[i].stream, name);
  }
  weir_free(numbers);
}

static void name_rows(json_t *events, const struct weir_log *l, unsigned copy_engines, const char *program) {
  char name[200];
  snprintf(name, sizeof name, "%s: streams", program);
  name_row(events, "process_name", STREAMS, 0, name);
  snprintf(name, sizeof name, "%s: engines", program);
  name_row(events, "process_name", ENGINES, 0, name);
  name_row(events, "thread_name", STREAMS, HOST, "host");
  name_streams(events, l);
  name_row(events, "thread_name", ENGINES, TO_DEVICE, copy_engines == 1 ? "copies" : "copies to the device");
  if (copy_engines > 1) name_row(events, "thread_name", ENGINES, TO_HOST, "copies to the host");
}

json_t *weir_trace_events(const struct weir_log *l, unsigned copy_engines, const char *program) {
  json_t *events = json_array();
  const struct weir_log_item **list = in_order(l);
  struct lanes lanes = {0};
  name_rows(events, l, copy_engines, program);
  for (unsigned i = 0; i < l->count; i++) {
    put(events, list[i], STREAMS, list[i]->what == WEIR_LOGGED_HOST ? HOST : list[i]->stream);
    if (list[i]->what != WEIR_LOGGED_HOST) put(events, list[i], ENGINES, engine_of(list[i], copy_engines, &lanes));
  }
  for (unsigned n = 0; n < lanes.count; n++) {
    char name[40];
    snprintf(name, sizeof name, "kernels and fills %u", n + 1);
    name_row(events, "thread_name", ENGINES, FIRST_LANE + n, name);
  }
  weir_free(lanes.ended);
  weir_free((void *)list);
  return json_pack("{s:s, s:o}", "displayTimeUnit", "ns", "traceEvents", events);
}

void weir_trace_events_join(json_t *to, const json_t *file, unsigned n) {
  size_t i;
  json_t *event;
  json_array_foreach(json_object_get(file, "traceEvents"), i, event) {
    const json_int_t pid = json_integer_value(json_object_get(event, "pid"));
    json_object_set_new(event, "pid", json_integer(pid + PROCESSES * (json_int_t)n));
    json_array_append(json_object_get(to, "traceEvents"), event);
  }
}
