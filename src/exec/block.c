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

static size_t frame_stride(const struct weir_function_code *code) {
  return weir_align_up(code->frame_bytes, 64);
}

static void broadcast(const struct weir_block_state *b, enum weir_block_slot slot, uint32_t value) {
  uint32_t *to = (uint32_t *)(void *)(b->bank + weir_block_slot_offset(b->program, slot));
  const unsigned lanes = b->lanes; // which the compiler cannot know is none of `to`
  for (unsigned l = 0; l < lanes; l++) to[l] = value;
}

static void set_launch_slots(struct weir_block_state *b) {
  const struct weir_launch *launch = b->launch;
  const struct weir_kernel *kernel = launch->kernel;
  for (unsigned k = 0; k < 3; k++) {
    broadcast(b, WEIR_SLOT_NTID_X + k, launch->block[k]);
    broadcast(b, WEIR_SLOT_NCTAID_X + k, launch->grid[k]);
    broadcast(b, WEIR_SLOT_CTAID_X + k, b->index[k]);
  }
  broadcast(b, WEIR_SLOT_NWARPID, b->warp_count);
  broadcast(b, WEIR_SLOT_DYNAMIC_SMEM, launch->dynamic_shared_bytes);
  broadcast(b, WEIR_SLOT_TOTAL_SMEM, b->shared_bytes);
  broadcast(b, WEIR_SLOT_ENVREG1, launch->cooperative ? (uint32_t)(launch->grid_workspace >> 32) : 0);
  broadcast(b, WEIR_SLOT_ENVREG2, launch->cooperative ? (uint32_t)launch->grid_workspace : 0);
  const uint64_t dynamic = weir_align_up(kernel->shared_bytes, kernel->shared_align ? kernel->shared_align : 1);
  uint64_t *to = (uint64_t *)(void *)(b->bank + weir_block_slot_offset(b->program, WEIR_SLOT_EXTERN_SHARED));
  for (unsigned l = 0; l < b->lanes; l++) to[l] = dynamic;
}

// Thread numbers never change while the block's storage is used for one block after another.
static void set_thread_slots(struct weir_warp *w) {
  const struct weir_block_state *b = w->block;
  const uint32_t *size = b->launch->block;
  const uint32_t total = size[0] * size[1] * size[2];
  uint32_t *x = weir_at(w, WEIR_BANK_WARP, weir_warp_slot_offset(b->program, WEIR_SLOT_TID_X));
  uint32_t *y = weir_at(w, WEIR_BANK_WARP, weir_warp_slot_offset(b->program, WEIR_SLOT_TID_Y));
  uint32_t *z = weir_at(w, WEIR_BANK_WARP, weir_warp_slot_offset(b->program, WEIR_SLOT_TID_Z));
  for (unsigned l = 0; l < b->lanes; l++) {
    const uint32_t t = w->index * b->lanes + l;
    x[l] = t % size[0];
    y[l] = t / size[0] % size[1];
    z[l] = t / size[0] / size[1];
    if (t < total) w->present |= UINT64_C(1) << l;
  }
}

static void set_warp_number(struct weir_warp *w) {
  const struct weir_block_state *b = w->block;
  uint32_t *to = weir_at(w, WEIR_BANK_WARP, weir_warp_slot_offset(b->program, WEIR_SLOT_WARPID));
  for (unsigned l = 0; l < b->lanes; l++) to[l] = b->first_slot + w->index;
}

static void create_warp(struct weir_block_state *b, unsigned k) {
  const struct weir_program *p = b->program;
  struct weir_warp *w = &b->warps[k];
  w->block = b;
  w->launch = b->launch;
  w->index = k;
  w->code = p->code;
  w->groups = (uint16_t)(b->lanes / 32);
  w->all = weir_mask(b->lanes);
  w->bank[WEIR_BANK_CONST] = p->constants;
  w->bank[WEIR_BANK_BLOCK] = b->bank;
  w->bank[WEIR_BANK_LAUNCH] = b->uniform ? b->uniform : (uint8_t *)(uintptr_t)b->launch->uniform;
  w->bank[WEIR_BANK_WARP] = weir_alloc_aligned(64, (WEIR_WARP_SLOTS + 1) * 4 * b->lanes);
  w->frame_capacity = FIRST_FRAMES;
  w->frames = weir_new_array(struct weir_frame, FIRST_FRAMES);
  w->frames[0].registers = b->registers + k * frame_stride(&p->functions[b->launch->kernel->function]);
  w->frames[0].function = b->launch->kernel->function;
  if (b->local_bytes) w->local = weir_alloc((size_t)b->local_bytes * b->lanes);
  set_thread_slots(w);
  set_warp_number(w);
}

// The kernel's first warp computes them for all, as if all its lanes ran, in a frame of its own.
static void compute_uniform(struct weir_block_state *b, const struct weir_function_code *code) {
  struct weir_warp w = b->warps[0];
  w.bank[WEIR_BANK_FRAME] = b->uniform;
  w.present = w.all;
  weir_frame_start(b->uniform, code);
  for (uint32_t k = 0; k < code->uniform_count; k++) {
    const struct weir_insn *i = &code->uniform[k];
    if (i->kind == WEIR_KIND_ALU)
      i->alu(&w, i, w.all);
    else
      i->memory(&w, i, w.all, NULL);
  }
}

uint8_t *weir_launch_uniform(const struct weir_launch *launch) {
  if (launch->streams || !launch->program->functions[launch->kernel->function].uniform_count) return NULL;
  struct weir_launch alone = *launch;
  alone.uniform = NULL;
  struct weir_block_state *b = weir_block_create(&alone);
  uint8_t *values = b->uniform;
  b->uniform = NULL;
  weir_block_free(b);
  return values;
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
  struct weir_block_state *b = weir_new(struct weir_block_state);
  const struct weir_kernel *kernel = launch->kernel;
  const struct weir_function_code *code = &launch->program->functions[kernel->function];
  b->launch = launch;
  b->program = launch->program;
  b->lanes = launch->program->lanes;
  b->warp_count = (unsigned)weir_div_up(weir_block_threads(launch), b->lanes);
  b->shared_bytes = (uint32_t)weir_align_up(kernel->shared_bytes, kernel->shared_align ? kernel->shared_align : 1) +
    launch->dynamic_shared_bytes;
  b->shared = weir_alloc_aligned(256, weir_align_up(b->shared_bytes + 1, 256));
  set_stack(b, code);
  b->params = weir_alloc_aligned(64, weir_align_up(kernel->param_bytes + 1, 64));
  if (kernel->param_bytes) memcpy(b->params, launch->params, kernel->param_bytes);
  b->bank = weir_alloc_aligned(64, (WEIR_BLOCK_SLOTS + 1) * 4 * b->lanes);
  b->registers = weir_alloc_aligned(64, frame_stride(code) * b->warp_count);
  b->warps = weir_alloc_aligned(_Alignof(struct weir_warp), b->warp_count * sizeof *b->warps);
  if (code->uniform_count && !launch->uniform) b->uniform = weir_alloc_aligned(64, code->launch_bytes);
  set_launch_slots(b);
  for (unsigned k = 0; k < b->warp_count; k++) create_warp(b, k);
  if (b->uniform) compute_uniform(b, code);
  return b;
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
  w->reduction = NULL;
}

void weir_block_start(struct weir_block_state *b, uint32_t x, uint32_t y, uint32_t z) {
  const uint32_t index[3] = {x, y, z}, last[3] = {b->index[0], b->index[1], b->index[2]};
  memcpy(b->index, index, sizeof index);
  b->exited = 0;
  b->fault.raised = false;
  if (b->has_barriers) memset(b->barriers, 0, sizeof b->barriers);
  b->has_barriers = false;
  if (b->launch->streams) {
    weir_streamed_start(b);
    return;
  }
  for (unsigned k = 0; k < 3; k++)
    if (index[k] != last[k]) broadcast(b, WEIR_SLOT_CTAID_X + k, index[k]);
  memset(b->shared, 0, b->shared_bytes);
  const struct weir_function_code *code = &b->program->functions[b->launch->kernel->function];
  for (unsigned k = 0; k < b->warp_count; k++) start_warp(&b->warps[k], code);
}

void weir_block_set_place(struct weir_block_state *b, unsigned sm, unsigned first_warp_slot) {
  b->sm = sm;
  b->first_slot = first_warp_slot;
  if (b->launch->streams) return;
  broadcast(b, WEIR_SLOT_SMID, sm);
  for (unsigned k = 0; k < b->warp_count; k++) set_warp_number(&b->warps[k]);
}

void weir_block_free(struct weir_block_state *b) {
  if (!b) return;
  if (b->launch->streams) weir_streamed_free(b);
  for (unsigned k = 0; k < b->warp_count; k++) {
    struct weir_warp *w = &b->warps[k];
    for (uint32_t f = 1; f < w->frame_capacity; f++) weir_free(w->frames[f].registers);
    weir_free(w->frames);
    weir_free(w->stack);
    weir_free(w->local);
    weir_free(w->bank[WEIR_BANK_WARP]);
  }
  weir_free(b->warps);
  weir_free(b->registers);
  weir_free(b->bank);
  weir_free(b->params);
  weir_free(b->uniform);
  weir_free(b->shared);
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
