// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "warptrace/reader.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "recording/frames.h"
#include "warptrace/codec.h"

enum { MOST_BLOCK_BYTES = 1 << 30, NO_FRAME = 0xFFFFFFFF };

struct weir_warptrace {
  struct weir_frames *frames;
  struct weir_streamed_program program;
  struct weir_warptrace_calls calls;
  uint32_t *frame_of; // [launch's first frame + block] → frame
  struct weir_streams streams;
  const struct weir_warptrace_call *launch; // that they are of
};

// ---- one block ------------------------------------------------------------------------------------------------------------

struct warp {
  struct weir_cursor at;
  struct weir_warptrace_last last;
  uint32_t next;   // instruction; WEIR_STREAM_END: none
  uint64_t active; // lanes that execute it
};

struct block {
  const struct weir_streamed_program *program;
  uint8_t *bytes;
  unsigned count;
  struct warp warps[];
};

// An instruction that is none ends what can be read.
static void look_ahead(const struct block *b, struct warp *w) {
  if (!weir_warptrace_next(&w->at, &w->last, &w->next, b->program->lanes, &w->active)) w->next = WEIR_STREAM_END;
  if (w->next == WEIR_STREAM_END || w->next < b->program->instruction_count) return;
  w->next = WEIR_STREAM_END;
  w->at.failed = true;
}

static uint32_t next(void *block, unsigned warp) {
  return ((struct block *)block)->warps[warp].next;
}

// The last one is an exit, and only it may be last.
static bool step(void *block, unsigned warp, struct weir_winstr *out) {
  struct block *b = block;
  struct warp *w = &b->warps[warp];
  const struct weir_static *s = &b->program->statics[w->next];
  if (!weir_warptrace_get(&w->at, &w->last, s, b->program->lanes, w->active, out)) return false;
  look_ahead(b, w);
  return !w->at.failed && (w->next != WEIR_STREAM_END || s->is_exit);
}

static bool divide(struct block *b, size_t size, unsigned warps, uint32_t entry) {
  struct weir_cursor head = {b->bytes, b->bytes + size, false};
  uint64_t *lengths = weir_new_array(uint64_t, warps), sum = 0;
  for (unsigned k = 0; k < warps; k++) {
    lengths[k] = weir_cursor_varint(&head);
    head.failed |= !lengths[k] || lengths[k] > size;
    sum += lengths[k];
  }
  bool ok = !head.failed && sum == (size_t)(head.end - head.at);
  for (unsigned k = 0; ok && k < warps; k++) {
    struct warp *w = &b->warps[k];
    w->at = (struct weir_cursor){head.at, head.at + lengths[k], false};
    w->last.index = entry;
    head.at += lengths[k];
    look_ahead(b, w);
    ok = w->next != WEIR_STREAM_END;
  }
  weir_free(lengths);
  return ok;
}

static void close_block(void *block) {
  struct block *b = block;
  for (unsigned k = 0; k < b->count; k++) weir_warptrace_last_free(&b->warps[k].last);
  weir_free(b->bytes);
  weir_free(b);
}

static void *open_block(void *context, uint64_t number) {
  struct weir_warptrace *t = context;
  const struct weir_warptrace_call *c = t->launch;
  const uint32_t frame = t->frame_of[c->first + number];
  const unsigned warps = (unsigned)weir_div_up((uint64_t)c->block[0] * c->block[1] * c->block[2], t->program.lanes);
  struct weir_sink unheard = {0};
  const size_t size = weir_frames_size(t->frames, frame, MOST_BLOCK_BYTES, &unheard);
  struct block *b = weir_alloc(sizeof *b + warps * sizeof *b->warps);
  b->program = &t->program;
  b->count = warps;
  b->bytes = weir_alloc(size + 1);
  const bool ok = size && weir_frames_read(t->frames, frame, b->bytes, size, &unheard) &&
    divide(b, size, warps, t->program.kernels[c->kernel].entry);
  weir_sink_free(&unheard);
  if (ok) return b;
  close_block(b);
  return NULL;
}

// ---- the file -------------------------------------------------------------------------------------------------------------

static bool damaged(const struct weir_frames *f, const char *what, struct weir_sink *sink) {
  return weir_fail(sink, (struct weir_place){.file = f->path}, "is damaged: %s", what);
}

// The frames of a launch's blocks, in order of the blocks.
static bool place_launch(struct weir_warptrace *t, const struct weir_warptrace_call *launch, const uint8_t *blocks) {
  if (launch->blocks >= t->frames->count - launch->first) return false;
  for (uint64_t i = launch->first; i < launch->first + launch->blocks; i++) {
    struct weir_cursor at = {blocks + 4 * i, blocks + 4 * i + 4, false};
    const uint64_t block = weir_cursor_low(&at, 4);
    if (block >= launch->blocks || t->frame_of[launch->first + block] != NO_FRAME) return false;
    t->frame_of[launch->first + block] = (uint32_t)i;
  }
  return true;
}

// The last frame says which block each of the others is of.
static bool place_frames(struct weir_warptrace *t, struct weir_sink *sink) {
  struct weir_frames *f = t->frames;
  const size_t bytes = (size_t)f->count * 4;
  const bool there = f->count && f->count < NO_FRAME;
  if (!there) return damaged(f, "it has no table of thread blocks", sink);
  const size_t size = weir_frames_size(f, f->count - 1, bytes, sink);
  if (!size) return false;
  uint8_t *blocks = weir_alloc(bytes);
  const bool read = weir_frames_read(f, f->count - 1, blocks, size, sink);
  bool ok = read && size == bytes;
  t->frame_of = weir_new_array(uint32_t, f->count);
  for (uint64_t i = 0; i < f->count; i++) t->frame_of[i] = NO_FRAME;
  uint64_t first = 0;
  for (size_t c = 0; ok && c < t->calls.count; c++) {
    const struct weir_warptrace_call *launch = &t->calls.all[c];
    if (launch->is_copy) continue;
    ok = launch->first == first && place_launch(t, launch, blocks);
    first += launch->blocks;
  }
  weir_free(blocks);
  if (!read || (ok && first == f->count - 1)) return read;
  return damaged(f, "a launch lacks thread blocks", sink);
}

struct weir_warptrace *weir_warptrace_open(const char *path, struct weir_sink *sink) {
  struct weir_frames *f = weir_frames_open(path, WEIR_RECORDS_INSTRUCTIONS, sink);
  if (!f) return NULL;
  struct weir_warptrace *t = weir_new(struct weir_warptrace);
  t->frames = f;
  const json_int_t lanes = json_integer_value(json_object_get(f->about, "warp_lanes"));
  const bool known =
    (lanes == 32 || lanes == 64) && weir_warptrace_remember(f->ends, (unsigned)lanes, &t->program, &t->calls);
  if (!known) damaged(f, "what it says of its program cannot be", sink);
  if (known && place_frames(t, sink)) return t;
  weir_warptrace_free(t);
  return NULL;
}

void weir_warptrace_free(struct weir_warptrace *t) {
  if (!t) return;
  weir_warptrace_forget(&t->program, &t->calls);
  weir_frames_free(t->frames);
  weir_free(t->frame_of);
  weir_free(t);
}

const struct weir_streamed_program *weir_warptrace_program(const struct weir_warptrace *t) {
  return &t->program;
}

const struct weir_warptrace_call *weir_warptrace_call(const struct weir_warptrace *t, size_t i) {
  return i < t->calls.count ? &t->calls.all[i] : NULL;
}

const struct weir_streams *weir_warptrace_streams(struct weir_warptrace *t, const struct weir_warptrace_call *launch) {
  t->launch = launch;
  t->streams = (struct weir_streams){t, open_block, close_block, next, step};
  return &t->streams;
}
