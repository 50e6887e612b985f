// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "base/bits.h"
#include "exec/machine.h"

#include <string.h>

enum { FIRST_FRAMES = 4 };

void weir_frame_start(uint8_t *registers, const struct weir_function_code *code) {
  uint64_t *predicates = (uint64_t *)(void *)registers;
  predicates[WEIR_PRED_TRUE / 8] = UINT64_MAX;
  predicates[WEIR_PRED_CARRY / 8] = 0;
  for (uint32_t k = 0; k < code->zero_count; k++) memset(registers + code->zero[2 * k], 0, code->zero[2 * k + 1]);
}

static void set_warp_number(struct weir_warp *w) {
  weir_broadcast(w->block->program, w->bank[WEIR_BANK_WARP], WEIR_SLOT_WARPID, w->block->first_slot + w->index);
}

// Of one warp, in the order in which they lie there: in its block's allocation.
struct parts {
  size_t registers, bank, frames;
};

static struct parts parts_of(const struct weir_block_state *b, const struct weir_function_code *code) {
  return (struct parts){.registers = weir_align_up(code->frame_bytes, 64),
                        .bank = weir_slot_offset(b->program, WEIR_WARP_SLOTS),
                        .frames = weir_align_up(FIRST_FRAMES * sizeof(struct weir_frame), 64)};
}

static void create_warp(struct weir_block_state *b, unsigned k, const struct parts *each, uint8_t *at) {
  const struct weir_program *p = b->program;
  const uint64_t left = weir_block_threads(b->launch) - (uint64_t)k * b->lanes;
  struct weir_warp *w = &b->warps[k];
  w->block = b;
  w->launch = b->launch;
  w->index = k;
  w->code = p->code;
  w->groups = (uint16_t)(b->lanes / 32);
  w->all = weir_mask(b->lanes);
  w->present = left < b->lanes ? weir_mask((unsigned)left) : w->all;
  w->bank[WEIR_BANK_CONST] = p->constants;
  w->bank[WEIR_BANK_LAUNCH] = b->state->bank;
  w->bank[WEIR_BANK_THREADS] = b->state->threads + (size_t)k * weir_slot_offset(p, WEIR_THREAD_SLOTS);
  w->bank[WEIR_BANK_BLOCK] = b->bank;
  w->bank[WEIR_BANK_WARP] = at + each->registers;
  w->frames = w->first_frames = (struct weir_frame *)(void *)(w->bank[WEIR_BANK_WARP] + each->bank);
  w->frame_capacity = FIRST_FRAMES;
  w->frames[0].registers = at;
  w->frames[0].function = b->launch->kernel->function;
  if (b->local_bytes) w->local = weir_alloc((size_t)b->local_bytes * b->lanes);
  set_warp_number(w);
}

// Only recursion can go deeper than was laid out.
static void set_stack(struct weir_block_state *b, const struct weir_function_code *code) {
  const struct weir_kernel *kernel = b->launch->kernel;
  const struct weir_services *s = b->launch->services;
  uint32_t bytes = kernel->local_bytes;
  b->call_depth = UINT32_MAX;
  if (kernel->recurses) {
    if (s && s->stack_bytes) bytes = code->local_bytes + s->stack_bytes;
    b->call_depth = (bytes - code->local_bytes) / WEIR_LEAST_FRAME;
  }
  b->local_bytes = (uint32_t)weir_align_up(bytes, 64);
}

struct weir_block_state *weir_block_create(const struct weir_launch *launch) {
  if (launch->streams) return weir_streamed_create(launch);
  const struct weir_kernel *kernel = launch->kernel;
  const struct weir_function_code *code = &launch->program->functions[kernel->function];
  struct weir_block_state b = {.launch = launch,
                               .program = launch->program,
                               .lanes = launch->program->lanes,
                               .warp_count = (unsigned)weir_div_up(weir_block_threads(launch), launch->program->lanes),
                               .state = launch->state};
  b.shared_bytes = launch->program->reserves_shared
    ? weir_reserved_shared_base(launch) + WEIR_RESERVED_SHARED_BYTES
    : (uint32_t)weir_dynamic_shared_base(kernel) + launch->dynamic_shared_bytes;
  set_stack(&b, code);
  if (!b.state) b.state = b.own = weir_launch_begin(launch);
  const struct parts each = parts_of(&b, code);
  const size_t own = weir_align_up(sizeof b, 256), shared = weir_align_up(b.shared_bytes + 1, 256),
               warps = weir_align_up(b.warp_count * sizeof *b.warps, 64),
               bank = weir_slot_offset(b.program, WEIR_BLOCK_SLOTS), parts = each.registers + each.bank + each.frames;
  struct weir_block_state *to = weir_alloc_aligned(256, own + shared + warps + bank + b.warp_count * parts);
  b.shared = (uint8_t *)to + own;
  b.warps = (struct weir_warp *)(void *)(b.shared + shared);
  b.bank = (uint8_t *)b.warps + warps;
  *to = b;
  for (unsigned k = 0; k < b.warp_count; k++) create_warp(to, k, &each, b.bank + bank + k * parts);
  return to;
}

static void start_warp(struct weir_warp *w, const struct weir_function_code *code) {
  w->frame_count = 1;
  w->depth = 0;
  w->frames[0].base = 0;
  w->frames[0].alive = UINT64_MAX;
  w->bank[WEIR_BANK_FRAME] = w->frames[0].registers;
  weir_frame_start(w->frames[0].registers, code);
  w->live = w->active = w->present;
  w->pc = code->entry;
  w->rpc = WEIR_PC_NONE;
  w->waiting = w->exited = false;
  w->spent = 0;
  w->reduction = NULL;
  w->arrived = w->passed = w->excused = 0;
}

void weir_block_start(struct weir_block_state *b, uint32_t x, uint32_t y, uint32_t z) {
  const uint32_t index[3] = {x, y, z};
  weir_block_start_in(b, NULL, index);
}

void weir_block_start_in(struct weir_block_state *b, struct weir_cluster *c, const uint32_t index[3]) {
  const uint32_t last[3] = {b->index[0], b->index[1], b->index[2]};
  memcpy(b->index, index, sizeof b->index);
  b->exited = 0;
  b->fault.raised = false;
  if (b->has_barriers) memset(b->barriers, 0, sizeof b->barriers);
  b->has_barriers = false;
  b->strayed_count = 0;
  if (b->launch->streams) {
    weir_streamed_start(b);
    return;
  }
  for (unsigned k = 0; k < 3; k++)
    if (index[k] != last[k]) weir_broadcast(b->program, b->bank, WEIR_SLOT_CTAID_X + k, index[k]);
  weir_cluster_leave(b);
  weir_cluster_join(b, c);
  if (b->shared_bytes) memset(b->shared, 0, b->shared_bytes);
  const struct weir_function_code *code = &b->program->functions[b->launch->kernel->function];
  for (unsigned k = 0; k < b->warp_count; k++) start_warp(&b->warps[k], code);
}

void weir_block_set_place(struct weir_block_state *b, unsigned sm, unsigned first_warp_slot) {
  b->sm = sm;
  b->first_slot = first_warp_slot;
  if (b->launch->streams) return;
  weir_broadcast(b->program, b->bank, WEIR_SLOT_SMID, sm);
  for (unsigned k = 0; k < b->warp_count; k++) set_warp_number(&b->warps[k]);
}

void weir_block_free(struct weir_block_state *b) {
  if (!b) return;
  if (b->launch->streams) {
    weir_streamed_free(b);
    weir_free(b->warps);
    weir_free(b);
    return;
  }
  for (unsigned k = 0; k < b->warp_count; k++) {
    struct weir_warp *w = &b->warps[k];
    for (uint32_t f = 1; f < w->frame_capacity; f++) weir_free(w->frames[f].registers);
    if (w->frames != w->first_frames) weir_free(w->frames);
    weir_free(w->stack);
    weir_free(w->local);
  }
  weir_cluster_leave(b);
  weir_launch_end(b->own);
  weir_free(b->strays);
  weir_free(b->strayed);
  weir_free(b->segments);
  weir_free(b);
}

unsigned weir_block_warps(const struct weir_block_state *b) {
  return b->warp_count;
}

struct weir_warp *weir_block_warp(struct weir_block_state *b, unsigned i) {
  return &b->warps[i];
}

bool weir_block_done(const struct weir_block_state *b) {
  return b->exited == b->warp_count;
}
