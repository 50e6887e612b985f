// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "trace/loop.h"

bool weir_trace_loop_open(struct weir_trace_loop *l, const char *path, uint32_t thread, struct weir_sink *sink) {
  *l = (struct weir_trace_loop){.reader = weir_trace_open(path, sink), .thread = thread};
  if (l->reader && weir_trace_select_thread(l->reader, thread)) return true;
  weir_trace_loop_close(l);
  return false;
}

void weir_trace_loop_close(struct weir_trace_loop *l) {
  weir_trace_close(l->reader);
  l->reader = NULL;
}

size_t weir_trace_loop_read(void *loop, struct weir_trace_inst *out, size_t most) {
  struct weir_trace_loop *l = loop;
  size_t n = weir_trace_read(l->reader, out, most);
  if (!n && l->round && weir_trace_select_thread(l->reader, l->thread)) {
    n = weir_trace_read(l->reader, out, most);
    l->restarts += n > 0;
    l->round = 0;
  }
  l->round += n;
  l->instructions += n;
  return n;
}
