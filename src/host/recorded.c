// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "host/recorded.h"

#include "base/alloc.h"
#include "exec/streamed.h"
#include "host/host_private.h"
#include "warptrace/warptrace.h"

#include <string.h>

struct weir_recorded_program {
  struct weir_warptrace *trace;
  struct weir_memory *memory;
  struct weir_program *program;
};

bool weir_recorded_is(const char *name) {
  return weir_warptrace_kind(name) != WEIR_WARPTRACE_NONE;
}

struct weir_recorded_program *weir_recorded_open(const char *name, unsigned lanes, struct weir_memory *memory,
                                                 struct weir_sink *sink) {
  struct weir_warptrace *t = weir_warptrace_read(name, sink);
  if (!t) return NULL;
  const struct weir_streamed_program *p = weir_warptrace_program(t);
  if (p->lanes != lanes) {
    weir_fail(sink, (struct weir_place){.file = name}, "is of warps of %u threads; the chip's have %u", p->lanes,
              lanes);
    weir_warptrace_free(t);
    return NULL;
  }
  struct weir_recorded_program *r = weir_new(struct weir_recorded_program);
  *r = (struct weir_recorded_program){t, memory, weir_program_streamed(p, memory)};
  return r;
}

struct weir_program *weir_recorded_program(struct weir_recorded_program *r) {
  return r->program;
}

static bool launch(struct weir_recorded_program *r, const struct weir_warptrace_call *c, struct weir_host *h) {
  uint32_t count;
  uint64_t steps = 0;
  struct weir_launch l = {.program = r->program,
                          .kernel = &weir_program_kernels(r->program, &count)[c->kernel],
                          .memory = r->memory,
                          .dynamic_shared_bytes = c->dynamic_shared_bytes,
                          .registers = c->registers,
                          .shared_preference = c->shared_preference,
                          .step_limit = h->step_limit,
                          .steps = &steps,
                          .cooperative = c->cooperative,
                          .window = c->window,
                          .streams = weir_warptrace_streams(r->trace, c)};
  memcpy(l.grid, c->grid, sizeof l.grid);
  memcpy(l.block, c->block, sizeof l.block);
  return weir_host_start(h, &l);
}

bool weir_recorded_run(struct weir_recorded_program *r, struct weir_host *h) {
  const struct weir_warptrace_call *c;
  for (size_t i = 0; (c = weir_warptrace_call(r->trace, i)); i++) {
    if (!c->is_copy && !launch(r, c, h)) return false;
    if (c->is_copy && h->backend.copied_in) h->backend.copied_in(h->backend.context, c->address, c->bytes);
  }
  return true;
}

void weir_recorded_free(struct weir_recorded_program *r) {
  if (!r) return;
  weir_warptrace_free(r->trace);
  weir_free(r);
}
