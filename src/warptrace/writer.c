// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "warptrace/writer.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "base/map.h"
#include "recording/frames.h"
#include "warptrace/codec.h"

#include <string.h>

struct warp {
  struct weir_bytes bytes;
  struct weir_warptrace_last last;
};

struct block {
  uint64_t instructions;
  unsigned exited;
  struct warp *warps;
};

struct weir_warptrace_writer {
  struct weir_frames_writer *to;
  unsigned lanes, warps; // warps: of a block of the launch
  struct weir_warptrace_calls calls;
  uint64_t launches, instructions;
  uint32_t entry;                       // of the launch's kernel
  const struct weir_program **programs; // that were listened to
  size_t program_count, program_capacity;
  struct weir_map open; // block → its struct block; 0: it has ended
  struct weir_bytes frame;
  struct weir_bytes blocks; // of each frame: its block, 4 bytes
};

struct weir_warptrace_writer *weir_warptrace_create(const char *path, const json_t *about, unsigned lanes,
                                                    struct weir_sink *sink) {
  struct weir_frames_writer *to = weir_frames_create(path, WEIR_RECORDS_INSTRUCTIONS, about, sink);
  if (!to) return NULL;
  struct weir_warptrace_writer *w = weir_new(struct weir_warptrace_writer);
  w->to = to;
  w->lanes = lanes;
  return w;
}

void weir_warptrace_copy(struct weir_warptrace_writer *w, uint64_t address, uint64_t bytes) {
  *weir_push(w->calls.all, w->calls.count, w->calls.capacity) =
    (struct weir_warptrace_call){.is_copy = true, .address = address, .bytes = bytes};
}

static struct weir_warptrace_call *running(struct weir_warptrace_writer *w) {
  return &w->calls.all[w->calls.count - 1];
}

static void close_block(struct weir_warptrace_writer *w, struct block *b) {
  for (unsigned k = 0; k < w->warps; k++) weir_bytes_free(&b->warps[k].bytes);
  weir_free(b->warps);
  weir_free(b);
}

// Those of a launch that stopped early are dropped.
static void close_blocks(struct weir_warptrace_writer *w) {
  for (size_t i = 0; i < w->open.capacity; i++)
    if (w->open.slots[i].value) close_block(w, (struct block *)(uintptr_t)w->open.slots[i].value);
  weir_map_free(&w->open);
}

void weir_warptrace_launch(struct weir_warptrace_writer *w, const struct weir_warptrace_call *call, uint32_t entry) {
  close_blocks(w);
  *weir_push(w->calls.all, w->calls.count, w->calls.capacity) = *call;
  running(w)->first = w->blocks.count / 4;
  w->warps = (unsigned)weir_div_up((uint64_t)call->block[0] * call->block[1] * call->block[2], w->lanes);
  w->entry = entry;
  w->launches++;
}

static struct block *block_of(struct weir_warptrace_writer *w, uint64_t number) {
  uint64_t *found = weir_map_add(&w->open, number, NULL);
  if (*found) return (struct block *)(uintptr_t)*found;
  struct block *b = weir_new(struct block);
  b->warps = weir_new_array(struct warp, w->warps);
  for (unsigned k = 0; k < w->warps; k++) b->warps[k].last.index = w->entry;
  *found = (uintptr_t)b;
  return b;
}

// Lengths of the warps' streams, then the streams.
static void end_block(struct weir_warptrace_writer *w, uint64_t number, const struct block *b) {
  w->frame.count = 0;
  for (unsigned k = 0; k < w->warps; k++) weir_bytes_varint(&w->frame, b->warps[k].bytes.count);
  for (unsigned k = 0; k < w->warps; k++) weir_bytes_put(&w->frame, b->warps[k].bytes.data, b->warps[k].bytes.count);
  weir_frames_add(w->to, w->frame.data, w->frame.count, b->instructions);
  weir_bytes_low(&w->blocks, number, 4);
  running(w)->instructions += b->instructions;
}

void weir_warptrace_step(struct weir_warptrace_writer *w, uint64_t block, unsigned warp, uint32_t index,
                         const struct weir_winstr *what, bool exits) {
  struct block *b = block_of(w, block);
  weir_warptrace_put(&b->warps[warp].bytes, &b->warps[warp].last, index, what);
  b->instructions++;
  w->instructions++;
  b->exited += exits;
  if (b->exited < w->warps) return;
  end_block(w, block, b);
  *weir_map_find(&w->open, block) = 0;
  close_block(w, b);
}

static void stepped(void *context, uint64_t block, unsigned warp, const struct weir_winstr *what, bool exits) {
  struct weir_warptrace_writer *w = context;
  weir_warptrace_step(w, block, warp, what->pc, what, exits);
}

// The number of a program's first kernel among those of all.
static uint32_t first_kernel(struct weir_warptrace_writer *w, const struct weir_program *p) {
  uint32_t first = 0, count;
  for (size_t i = 0; i < w->program_count; i++) {
    if (w->programs[i] == p) return first;
    weir_program_kernels(w->programs[i], &count);
    first += count;
  }
  *weir_push(w->programs, w->program_count, w->program_capacity) = p;
  return first;
}

struct weir_listener weir_warptrace_listen(struct weir_warptrace_writer *w, const struct weir_launch *launch) {
  uint32_t count;
  struct weir_warptrace_call call = {
    .kernel =
      first_kernel(w, launch->program) + (uint32_t)(launch->kernel - weir_program_kernels(launch->program, &count)),
    .dynamic_shared_bytes = launch->dynamic_shared_bytes,
    .registers = launch->registers,
    .shared_preference = launch->shared_preference,
    .cooperative = launch->cooperative,
    .window = launch->window,
  };
  memcpy(call.grid, launch->grid, sizeof call.grid);
  memcpy(call.block, launch->block, sizeof call.block);
  weir_warptrace_launch(w, &call, launch->kernel->entry);
  return (struct weir_listener){stepped, w};
}

const struct weir_program *const *weir_warptrace_listened(const struct weir_warptrace_writer *w, size_t *count) {
  *count = w->program_count;
  return w->programs;
}

bool weir_warptrace_close(struct weir_warptrace_writer *w, const struct weir_streamed_program *program,
                          struct weir_sink *sink) {
  close_blocks(w);
  json_t *ends = NULL;
  if (program) {
    weir_bytes_low(&w->blocks, w->blocks.count / 4, 4); // so that the frame is never empty
    weir_frames_add(w->to, w->blocks.data, w->blocks.count, 0);
    ends = weir_warptrace_ends(program, &w->calls);
  }
  const bool ok = weir_frames_close(w->to, ends, sink);
  json_decref(ends);
  weir_bytes_free(&w->frame);
  weir_bytes_free(&w->blocks);
  weir_free(w->calls.all);
  weir_free(w->programs);
  weir_free(w);
  return ok;
}

uint64_t weir_warptrace_instructions(const struct weir_warptrace_writer *w) {
  return w->instructions;
}

uint64_t weir_warptrace_launches(const struct weir_warptrace_writer *w) {
  return w->launches;
}
