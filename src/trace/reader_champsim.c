// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "trace/champsim.h"
#include "trace/reader_private.h"

// The next record into `pending`.
static bool advance(struct weir_trace_reader *r) {
  const size_t n = weir_stream_read(r->stream, r->pending, sizeof r->pending);
  r->failed |= weir_stream_failed(r->stream);
  r->has_pending = n == sizeof r->pending && !r->failed;
  if (!r->failed && n && n < sizeof r->pending) weir_trace_reader_fail(r, "ends within a ChampSim record of 64 bytes");
  if (r->has_pending && !weir_champsim_plausible(r->pending)) {
    r->has_pending = false;
    weir_trace_reader_fail(r, "is neither a weir trace nor one of ChampSim, whose records have flags of 0 or 1");
  }
  return r->has_pending;
}

bool weir_trace_champsim_open(struct weir_trace_reader *r) {
  if (r->stream) weir_stream_finish(r->stream);
  r->stream = weir_stream_read_open(r->path, r->sink);
  r->failed = !r->stream;
  return r->stream && (advance(r) || (!r->failed && weir_trace_reader_fail(r, "holds no instructions")));
}

size_t weir_trace_champsim_read(struct weir_trace_reader *r, struct weir_trace_inst *out, size_t most) {
  uint64_t *addresses = r->addresses;
  size_t n = 0;
  for (; n < most && r->has_pending; n++) {
    struct weir_trace_static what;
    weir_champsim_take(r->pending, &what, addresses);
    out[n] = (struct weir_trace_inst){&weir_trace_items_add(&r->items, &what)->what, addresses, 0};
    addresses += what.access_count;
    if (!advance(r)) continue;
    struct weir_trace_static next;
    uint64_t unused[WEIR_TRACE_ACCESSES];
    weir_champsim_take(r->pending, &next, unused);
    out[n].next_pc = next.pc;
  }
  return r->failed ? 0 : n;
}
