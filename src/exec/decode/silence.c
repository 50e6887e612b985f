// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Instructions that run with the next one, and of whose results cores wait for what they were made of.
#include "exec/decode/decode.h"

#include "base/alloc.h"

#include <string.h>

void weir_begin_silence(struct weir_decoder *d) {
  d->silence = (struct weir_silence){.of = weir_new_array(struct weir_origin, d->function->register_count + 1)};
}

void weir_end_silence(struct weir_decoder *d) {
  weir_free(d->silence.of);
  weir_free(d->silence.sources);
  weir_free(d->silence.waiting);
}

// What it reads that silent instructions wrote becomes what these were made of.
static void see_through(const struct weir_silence *s, struct weir_registers *r) {
  const struct weir_registers written = *r;
  r->src_count = 0;
  for (unsigned k = 0; k < written.src_count; k++) {
    const struct weir_origin from = s->of[written.src[k]];
    if (!from.known) weir_add_register(r->src, &r->src_count, written.src[k]);
    for (uint32_t n = 0; from.known && n < from.count; n++)
      weir_add_register(r->src, &r->src_count, s->sources[from.first + n]);
  }
}

void weir_pass_silent(struct weir_decoder *d, const struct weir_insn *i) {
  struct weir_silence *s = &d->silence;
  struct weir_registers r;
  weir_registers_of(d->in, &r);
  see_through(s, &r);
  const struct weir_origin o = {.first = s->source_count, .count = r.src_count, .known = true};
  for (unsigned k = 0; k < r.src_count; k++) *weir_push(s->sources, s->source_count, s->source_capacity) = r.src[k];
  for (unsigned k = 0; k < r.dst_count; k++) s->of[r.dst[k]] = o;
  if (i->kind == WEIR_KIND_NOTHING || i->kind == WEIR_KIND_UNIFORM) return;
  *weir_push(s->waiting, s->waiting_count, s->waiting_capacity) = *i;
}

void weir_break_silence(struct weir_decoder *d, uint32_t pc, struct weir_registers *r) {
  struct weir_silence *s = &d->silence;
  if (!d->in->machine) return; // nothing is silent in a function that is not counted
  see_through(s, r);
  for (unsigned k = 0; k < r->dst_count; k++) s->of[r->dst[k]].known = false;
  if (!s->waiting_count) return;
  struct weir_insn *before = weir_arena_array(&d->program->arena, struct weir_insn, s->waiting_count);
  memcpy(before, s->waiting, s->waiting_count * sizeof *before);
  d->program->code[pc].before = before;
  d->program->code[pc].before_count = s->waiting_count;
  s->waiting_count = 0;
}
