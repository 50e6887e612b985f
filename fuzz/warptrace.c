// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What warps did, of any bytes. The first byte chooses: k, a kernel's trace of Accel-Sim's tracer; l, a list of these; r, a recording as
// it is; e, what a recording says of its program, beyond the checksums of its blocks; s, a warp's stream likewise.
#define _GNU_SOURCE // memfd_create
#include "bytes.h"
#include "base/bits.h"
#include "warptrace/accelsim.h"
#include "warptrace/codec.h"
#include "warptrace/reader.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void convert(const struct bytes_file *file, bool is_list) {
  struct weir_sink sink = {0};
  const bool ok = weir_accelsim_convert(file->path, is_list, "/dev/null", &sink);
  if (ok != !sink.errors) abort(); // says why exactly when it fails
  weir_sink_free(&sink);
}

static void check_step(const struct weir_winstr *w, unsigned lanes) {
  if (w->active & ~weir_mask(lanes)) abort();
  for (uint64_t left = w->space == WEIR_MEM_NONE ? 0 : w->active; left; left &= left - 1)
    if (w->address[weir_lowest(left)] >= UINT64_C(1) << 40) abort();
}

static void read_launch(struct weir_warptrace *t, const struct weir_warptrace_call *c) {
  const struct weir_streams *s = weir_warptrace_streams(t, c);
  const unsigned lanes = weir_warptrace_program(t)->lanes;
  const unsigned warps = (unsigned)weir_div_up((uint64_t)c->block[0] * c->block[1] * c->block[2], lanes);
  for (uint64_t b = 0; b < c->blocks; b++) {
    void *block = s->open(s->context, b);
    for (unsigned k = 0; block && k < warps; k++) {
      struct weir_winstr w;
      while (s->next(block, k) != WEIR_STREAM_END && s->step(block, k, &w)) check_step(&w, lanes);
    }
    if (block) s->close(block);
  }
}

static void read_recording(const struct bytes_file *file) {
  struct weir_sink sink = {0};
  struct weir_warptrace *t = weir_warptrace_open(file->path, &sink);
  if (!t != (sink.errors > 0)) abort();
  const struct weir_warptrace_call *c;
  for (size_t i = 0; t && (c = weir_warptrace_call(t, i)); i++)
    if (!c->is_copy) read_launch(t, c);
  weir_warptrace_free(t);
  weir_sink_free(&sink);
}

// What can be said again is said as before.
static void read_ends(const uint8_t *data, size_t size) {
  json_t *ends = json_loadb((const char *)data, size, 0, NULL);
  struct weir_streamed_program p;
  struct weir_warptrace_calls calls;
  if (json_is_object(ends) && weir_warptrace_remember(ends, 32, &p, &calls)) {
    struct weir_streamed_program again;
    struct weir_warptrace_calls same;
    json_t *said = weir_warptrace_ends(&p, &calls);
    if (!weir_warptrace_remember(said, 32, &again, &same)) abort();
    if (again.instruction_count != p.instruction_count || same.count != calls.count) abort();
    weir_warptrace_forget(&again, &same);
    json_decref(said);
    weir_warptrace_forget(&p, &calls);
  }
  json_decref(ends);
}

static void read_stream(const uint8_t *data, size_t size) {
  static const struct weir_static statics[] = {
    {.op_class = WEIR_CLASS_INT_ADD},
    {.op_class = WEIR_CLASS_LOAD, .space = WEIR_MEM_GLOBAL, .access_bytes = 4, .element_bytes = 4},
    {.op_class = WEIR_CLASS_STORE, .space = WEIR_MEM_SHARED, .access_bytes = 16, .element_bytes = 4, .has_policy = 1},
    {.op_class = WEIR_CLASS_BARRIER, .is_barrier = 1},
    {.op_class = WEIR_CLASS_BRANCH, .is_exit = 1},
    {.op_class = WEIR_CLASS_LOAD, .space = WEIR_MEM_GLOBAL, .access_bytes = 4, .element_bytes = 4, .is_bulk = 1},
  };
  struct weir_cursor c = {data, data + size, false};
  struct weir_warptrace_last last = {0};
  uint32_t index;
  uint64_t active;
  while (weir_warptrace_next(&c, &last, &index, 32, &active) && index < sizeof statics / sizeof *statics) {
    struct weir_winstr w;
    if (!weir_warptrace_get(&c, &last, &statics[index], 32, active, &w)) break;
    check_step(&w, 32);
  }
  weir_warptrace_last_free(&last);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!size) return 0;
  const struct bytes_file file = bytes_open(data + 1, size - 1);
  switch (*data) {
  case 'k': convert(&file, false); break;
  case 'l': convert(&file, true); break;
  case 'r': read_recording(&file); break;
  case 'e': read_ends(data + 1, size - 1); break;
  case 's': read_stream(data + 1, size - 1); break;
  default: break;
  }
  bytes_close(&file);
  return 0;
}
