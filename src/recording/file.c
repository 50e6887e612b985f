// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "recording/file.h"

#include "base/alloc.h"
#include "recording/columns.h"

// ---- writing ------------------------------------------------------------------------------------------------------------

struct weir_recording_writer {
  struct weir_frames_writer *to;
  uint32_t count;
  struct weir_recorded block[WEIR_RECORDING_BLOCK];
  uint8_t columns[WEIR_RECORDING_BLOCK * WEIR_RECORDING_ROW];
};

struct weir_recording_writer *weir_recording_create(const char *path, const json_t *about, struct weir_sink *sink) {
  struct weir_frames_writer *to = weir_frames_create(path, WEIR_RECORDS_ACCESSES, about, sink);
  if (!to) return NULL;
  struct weir_recording_writer *w = weir_new(struct weir_recording_writer);
  w->to = to;
  return w;
}

static void end_block(struct weir_recording_writer *w) {
  if (!w->count) return;
  weir_recording_to_columns(w->block, w->count, w->columns);
  weir_frames_add(w->to, w->columns, (size_t)w->count * WEIR_RECORDING_ROW, w->count);
  w->count = 0;
}

void weir_recording_add(struct weir_recording_writer *w, const struct weir_recorded *r) {
  w->block[w->count++] = *r;
  if (w->count == WEIR_RECORDING_BLOCK) end_block(w);
}

bool weir_recording_close(struct weir_recording_writer *w, const json_t *ends, struct weir_sink *sink) {
  if (ends) end_block(w);
  const bool ok = weir_frames_close(w->to, ends, sink);
  weir_free(w);
  return ok;
}

// ---- reading ------------------------------------------------------------------------------------------------------------

struct weir_recording *weir_recording_open(const char *path, struct weir_sink *sink) {
  struct weir_frames *f = weir_frames_open(path, WEIR_RECORDS_ACCESSES, sink);
  if (!f) return NULL;
  struct weir_recording *s = weir_new(struct weir_recording);
  *s = (struct weir_recording){
    .frames = f, .path = f->path, .about = f->about, .ends = f->ends, .records = f->records, .blocks = f->count};
  s->block = weir_new_array(struct weir_recorded, WEIR_RECORDING_BLOCK);
  s->planes = weir_alloc(WEIR_RECORDING_BLOCK * WEIR_RECORDING_ROW);
  if (s->blocks == s->records / WEIR_RECORDING_BLOCK + (s->records % WEIR_RECORDING_BLOCK != 0)) return s;
  weir_fail(sink, (struct weir_place){.file = path}, "is damaged: its table of blocks is wrong");
  weir_recording_free(s);
  return NULL;
}

void weir_recording_free(struct weir_recording *s) {
  if (!s) return;
  weir_frames_free(s->frames);
  weir_free(s->block);
  weir_free(s->planes);
  weir_free(s);
}

uint32_t weir_recording_read(struct weir_recording *s, uint64_t n, const struct weir_recorded **records,
                             struct weir_sink *sink) {
  const uint64_t left = s->records - n * WEIR_RECORDING_BLOCK;
  const uint32_t count = (uint32_t)(left < WEIR_RECORDING_BLOCK ? left : WEIR_RECORDING_BLOCK);
  if (!weir_frames_read(s->frames, n, s->planes, (size_t)count * WEIR_RECORDING_ROW, sink)) return 0;
  weir_recording_from_columns(s->planes, count, s->addresses_alone, s->block);
  *records = s->block;
  return count;
}
