// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "base/bits.h"
#include "exec/machine.h"

#include <string.h>

// An instruction has one place; a kernel's code ends where the next one's begins.
static void place_code(struct weir_program *p) {
  const uint32_t first = weir_memory_alloc_places(p->memory, p->pc_count, 1);
  p->places = weir_new_array(uint32_t, p->pc_count + 1);
  for (uint32_t pc = 0; pc <= p->pc_count; pc++) p->places[pc] = first + pc;
  for (uint32_t k = 0; k < p->kernel_count; k++) {
    const uint32_t entry = p->kernels[k].entry;
    uint32_t end = p->pc_count;
    for (uint32_t q = 0; q < p->kernel_count; q++)
      if (p->kernels[q].entry > entry && p->kernels[q].entry < end) end = p->kernels[q].entry;
    p->kernels[k].place = first + entry;
    p->kernels[k].places = end - entry;
  }
}

struct weir_program *weir_program_streamed(const struct weir_streamed_program *s, struct weir_memory *memory) {
  struct weir_program *p = weir_new(struct weir_program);
  p->streamed = s;
  p->memory = memory;
  p->lanes = s->lanes;
  p->pc_count = s->instruction_count;
  p->register_count = s->registers;
  p->statics = weir_new_array(struct weir_static, s->instruction_count + 1);
  if (s->instruction_count) memcpy(p->statics, s->statics, s->instruction_count * sizeof *p->statics);
  p->function_count = s->function_count;
  p->functions = weir_arena_array(&p->arena, struct weir_function_code, s->function_count + 1);
  for (uint32_t f = 0; f < s->function_count; f++) p->functions[f].name = s->functions[f].name;
  p->kernel_count = s->kernel_count;
  p->kernels = weir_arena_array(&p->arena, struct weir_kernel, s->kernel_count + 1);
  if (s->kernel_count) memcpy(p->kernels, s->kernels, s->kernel_count * sizeof *p->kernels);
  place_code(p);
  p->first_pc = weir_memory_alloc_code(memory, p->pc_count);
  for (uint32_t k = 0; k < s->kernel_count; k++) p->kernels[k].entry += p->first_pc;
  return p;
}

const char *weir_program_array(const struct weir_program *p, uint32_t index) {
  return p->streamed && p->streamed->arrays ? p->streamed->arrays[index] : NULL;
}

struct weir_block_state *weir_streamed_create(const struct weir_launch *launch) {
  struct weir_block_state *b = weir_new(struct weir_block_state);
  b->launch = launch;
  b->program = launch->program;
  b->lanes = launch->program->lanes;
  b->warp_count = (unsigned)weir_div_up(weir_block_threads(launch), b->lanes);
  b->warps = weir_alloc_aligned(_Alignof(struct weir_warp), b->warp_count * sizeof *b->warps);
  for (unsigned k = 0; k < b->warp_count; k++) {
    b->warps[k].block = b;
    b->warps[k].launch = launch;
    b->warps[k].index = k;
  }
  return b;
}

void weir_streamed_start(struct weir_block_state *b) {
  const struct weir_streams *s = b->launch->streams;
  const uint32_t *grid = b->launch->grid;
  weir_streamed_free(b);
  b->stream = s->open(s->context, ((uint64_t)b->index[2] * grid[1] + b->index[1]) * grid[0] + b->index[0]);
  for (unsigned k = 0; k < b->warp_count; k++) {
    struct weir_warp *w = &b->warps[k];
    w->waiting = w->exited = false;
    w->pc = b->stream ? s->next(b->stream, k) : b->launch->kernel->entry - b->program->first_pc;
  }
}

void weir_streamed_free(struct weir_block_state *b) {
  if (b->stream) b->launch->streams->close(b->stream);
  b->stream = NULL;
}

enum weir_step weir_streamed_step(struct weir_warp *w, struct weir_winstr *out, struct weir_fault *fault) {
  struct weir_block_state *b = w->block;
  const struct weir_launch *launch = b->launch;
  const struct weir_static *s = &b->program->statics[w->pc];
  if (launch->step_limit && *launch->steps >= launch->step_limit) {
    weir_raise_runaway(w, fault);
    return WEIR_STEP_FAULT;
  }
  out->what = s;
  out->pc = b->program->first_pc + w->pc;
  bool ok = (b->stream && launch->streams->step(b->stream, w->index, out)) ||
    weir_raise(w, 0, "the recording is damaged: what the warp does here cannot be read");
  const bool meets = s->is_barrier && s->of_products;
  if (ok && meets && out->active)
    weir_warpgroup_meet(w);
  else if (ok && s->is_barrier && out->active)
    ok = weir_barrier_join(w, weir_lowest(out->active), out->barrier, out->barrier_threads, !out->arrives);
  if (!ok) {
    *fault = b->fault;
    return WEIR_STEP_FAULT;
  }
  if (s->is_barrier && !meets && out->active) weir_barrier_settle(b, out->barrier);
  ++*launch->steps;
  w->pc = launch->streams->next(b->stream, w->index);
  w->exited = w->pc == WEIR_STREAM_END;
  out->next = b->program->first_pc + w->pc;
  if (!w->exited) return s->is_barrier ? WEIR_STEP_BARRIER : WEIR_STEP_DONE_ONE;
  b->exited++;
  weir_barrier_exited(b);
  return WEIR_STEP_EXITED;
}
