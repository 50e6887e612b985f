// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "trace/writer.h"

#include "trace/container.h"
#include "trace/items.h"

#include <errno.h>
#include <pthread.h>
#include <zstd.h>

enum { CHUNK_LEVEL = 9 }; // of zstd: beyond it, time grows and size hardly shrinks

struct weir_trace_writer {
  FILE *file;
  char *path;
  int error; // errno of the first write that failed
  uint64_t offset;
  uint32_t chunk_instructions;
  struct weir_trace_directory directory;
  struct weir_trace_items items;
  uint64_t *executions; // of the items, by segments that have ended
  uint32_t execution_count;
  pthread_mutex_t mutex; // for all of this
};

struct weir_trace_segment_writer {
  struct weir_trace_writer *writer;
  uint32_t segment;
  struct weir_model model;
  struct weir_bytes parts[WEIR_PARTS];
  uint64_t flow_gap, access_gap; // since the last surprise
  uint32_t first, previous, count;
  uint64_t *executions;
  uint32_t execution_capacity;
};

// ---- static instructions --------------------------------------------------------------------------------------------

const struct weir_trace_item *weir_trace_define(struct weir_trace_writer *w, const struct weir_trace_static *what) {
  pthread_mutex_lock(&w->mutex);
  const struct weir_trace_item *item = weir_trace_items_add(&w->items, what);
  pthread_mutex_unlock(&w->mutex);
  return item;
}

// ---- the file -------------------------------------------------------------------------------------------------------

static void write_bytes(struct weir_trace_writer *w, const void *data, size_t bytes) {
  if (fwrite(data, 1, bytes, w->file) != bytes && !w->error) w->error = errno ? errno : EIO;
  w->offset += bytes;
}

struct weir_trace_writer *weir_trace_writer_open(const char *path, const struct weir_trace_about *about,
                                                 struct weir_sink *sink) {
  FILE *file = fopen(path, "wbe");
  if (!file) return weir_fail(sink, (struct weir_place){.file = path}, "cannot be written: %s", strerror(errno)), NULL;
  struct weir_trace_writer *w = weir_new(struct weir_trace_writer);
  struct weir_trace_info *info = &w->directory.info;
  w->file = file;
  setvbuf(file, NULL, _IONBF,
          0); // a program that is recorded may fork, and its child would write what is buffered again
  w->path = weir_text_copy(path);
  w->chunk_instructions = about->chunk_instructions ? about->chunk_instructions : WEIR_TRACE_CHUNK_INSTRUCTIONS;
  info->arguments = weir_new_array(char *, about->argument_count);
  info->argument_count = about->argument_count;
  for (unsigned i = 0; i < about->argument_count; i++) info->arguments[i] = weir_text_copy(about->arguments[i]);
  info->isa = weir_text_copy(about->isa);
  info->recorder = weir_text_copy(about->recorder);
  pthread_mutex_init(&w->mutex, NULL);
  write_bytes(w, WEIR_TRACE_MAGIC, WEIR_TRACE_MAGIC_BYTES);
  return w;
}

// One zstd frame, with its size and a checksum; the bytes that it takes in the file.
static uint64_t write_frame(struct weir_trace_writer *w, const struct weir_bytes *b) {
  ZSTD_CCtx *context = ZSTD_createCCtx();
  struct weir_bytes packed = {0};
  const size_t room = ZSTD_compressBound(b->count);
  ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, CHUNK_LEVEL);
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  weir_bytes_room(&packed, room);
  const size_t bytes = ZSTD_compress2(context, packed.data, room, b->data, b->count);
  if (ZSTD_isError(bytes))
    w->error = w->error ? w->error : ENOMEM;
  else
    write_bytes(w, packed.data, bytes);
  weir_bytes_free(&packed);
  ZSTD_freeCCtx(context);
  return ZSTD_isError(bytes) ? 0 : bytes;
}

static void free_writer(struct weir_trace_writer *w) {
  weir_trace_items_free(&w->items);
  weir_free(w->path);
  weir_trace_directory_free(&w->directory);
  pthread_mutex_destroy(&w->mutex);
  weir_free(w);
}

// Counts what was executed since they were counted last, for as many items as there are by now.
static void add_executions(struct weir_trace_writer *w, const uint64_t *executions, uint32_t count) {
  if (w->items.count > w->execution_count) {
    w->executions = weir_realloc(w->executions, w->items.count * sizeof *w->executions);
    memset(w->executions + w->execution_count, 0, (w->items.count - w->execution_count) * sizeof *w->executions);
    w->execution_count = w->items.count;
  }
  for (uint32_t id = 0; id < count && id < w->items.count; id++) w->executions[id] += executions[id];
}

static void list_items(struct weir_trace_writer *w) {
  struct weir_trace_directory *d = &w->directory;
  add_executions(w, NULL, 0);
  d->executions = w->executions;
  d->slot_count = w->items.slot_count;
  d->info.static_count = w->items.count;
  d->items = weir_new_array(struct weir_trace_item, w->items.count);
  for (uint32_t id = 0; id < w->items.count; id++) d->items[id] = *weir_trace_items_at(&w->items, id);
}

bool weir_trace_writer_finish(struct weir_trace_writer *w, uint64_t run_instructions, uint64_t dropped_accesses,
                              struct weir_sink *sink) {
  struct weir_bytes bytes = {0}, trailer = {0};
  w->directory.info.run_instructions = run_instructions;
  w->directory.info.dropped_accesses = dropped_accesses;
  list_items(w);
  weir_trace_directory_put(&w->directory, &bytes);
  weir_bytes_low(&trailer, w->offset, 8);
  weir_bytes_low(&trailer, write_frame(w, &bytes), 8);
  weir_bytes_put(&trailer, WEIR_TRACE_END_MAGIC, WEIR_TRACE_MAGIC_BYTES);
  write_bytes(w, trailer.data, trailer.count);
  if (fclose(w->file) && !w->error) w->error = errno;
  const bool ok =
    !w->error || weir_fail(sink, (struct weir_place){.file = w->path}, "cannot be written: %s", strerror(w->error));
  weir_bytes_free(&bytes);
  weir_bytes_free(&trailer);
  free_writer(w);
  return ok;
}

// ---- segments -------------------------------------------------------------------------------------------------------

struct weir_trace_segment_writer *weir_trace_segment_start(struct weir_trace_writer *w, uint32_t thread, uint64_t first,
                                                           double weight) {
  struct weir_trace_segment_writer *s = weir_new(struct weir_trace_segment_writer);
  struct weir_trace_directory *d = &w->directory;
  s->writer = w;
  pthread_mutex_lock(&w->mutex);
  s->segment = d->info.segment_count;
  *weir_push(d->info.segments, d->info.segment_count, d->segment_capacity) =
    (struct weir_trace_segment){.thread = thread, .first = first, .weight = weight};
  pthread_mutex_unlock(&w->mutex);
  weir_model_start(&s->model, 0, 0);
  return s;
}

static void end_chunk(struct weir_trace_segment_writer *s, uint64_t next_pc) {
  struct weir_trace_writer *w = s->writer;
  struct weir_bytes bytes = {0};
  weir_bytes_varint(&bytes, s->first);
  weir_bytes_varint(&bytes, next_pc);
  for (unsigned p = 0; p < WEIR_PARTS; p++) weir_bytes_varint(&bytes, s->parts[p].count);
  for (unsigned p = 0; p < WEIR_PARTS; p++) weir_bytes_put(&bytes, s->parts[p].data, s->parts[p].count);
  for (unsigned p = 0; p < WEIR_PARTS; p++) s->parts[p].count = 0;
  pthread_mutex_lock(&w->mutex);
  struct weir_trace_directory *d = &w->directory;
  const uint64_t offset = w->offset;
  *weir_push(d->chunks, d->chunk_count, d->chunk_capacity) =
    (struct weir_trace_chunk){offset, write_frame(w, &bytes), s->segment, s->count};
  d->info.segments[s->segment].instructions += s->count;
  pthread_mutex_unlock(&w->mutex);
  weir_bytes_free(&bytes);
  s->count = 0;
  s->flow_gap = s->access_gap = 0;
}

static void put_flow(struct weir_trace_segment_writer *s, uint32_t next) {
  const struct weir_model_flow *f = &s->model.flow[s->previous];
  weir_bytes_varint(&s->parts[WEIR_PART_FLOW_GAP], s->flow_gap);
  s->flow_gap = 0;
  weir_bytes_varint(&s->parts[WEIR_PART_FLOW],
                    next == f->other    ? WEIR_FLOW_OTHER
                      : next == f->last ? WEIR_FLOW_LAST
                                        : WEIR_FLOW_NUMBER + weir_zigzag((uint64_t)next - s->previous));
}

static unsigned bytes_of(uint64_t value) {
  return value ? (71u - (unsigned)__builtin_clzll(value)) / 8 : 1;
}

static void put_access(struct weir_trace_segment_writer *s, uint32_t slot, uint8_t base, uint64_t address) {
  struct weir_model_slot *known = &s->model.slots[slot];
  weir_bytes_varint(&s->parts[WEIR_PART_ACCESS_GAP], s->access_gap);
  s->access_gap = 0;
  for (unsigned way = 0; way < WEIR_GUESSES; way++) {
    if (weir_model_guess(&s->model, slot, base, way) != address) continue;
    known->best = way;
    weir_bytes_byte(&s->parts[WEIR_PART_ACCESS], (uint8_t)way);
    return;
  }
  uint64_t difference = weir_zigzag(address - known->last);
  const uint64_t from_base = weir_zigzag(address - s->model.bases[base]);
  const unsigned flag = from_base < difference ? WEIR_ACCESS_FROM_BASE : 0;
  if (flag) difference = from_base;
  const unsigned n = bytes_of(difference);
  weir_bytes_byte(&s->parts[WEIR_PART_ACCESS], (uint8_t)(WEIR_GUESSES + ((n - 1) << 1 | flag)));
  weir_bytes_low(&s->parts[WEIR_PART_DIFFERENCE], difference, n);
}

static void put_accesses(struct weir_trace_segment_writer *s, const struct weir_trace_item *item,
                         const uint64_t *addresses) {
  for (unsigned k = 0; k < item->what.access_count; k++) {
    const uint32_t slot = item->slot + k;
    const uint8_t base = item->what.accesses[k].base;
    if (weir_model_guess(&s->model, slot, base, (unsigned)s->model.slots[slot].best) == addresses[k])
      s->access_gap++;
    else
      put_access(s, slot, base, addresses[k]);
    weir_model_accessed(&s->model, slot, base, addresses[k]);
  }
}

static void grow(struct weir_trace_segment_writer *s, uint32_t id) {
  const uint32_t before = s->execution_capacity;
  s->execution_capacity = id + id / 2 + 64;
  s->executions = weir_realloc(s->executions, s->execution_capacity * sizeof *s->executions);
  memset(s->executions + before, 0, (s->execution_capacity - before) * sizeof *s->executions);
}

void weir_trace_put(struct weir_trace_segment_writer *s, const struct weir_trace_item *item,
                    const uint64_t *addresses) {
  const uint32_t id = item->id;
  if (s->count == s->writer->chunk_instructions) end_chunk(s, item->what.pc);
  if (!s->count) {
    s->first = id;
    weir_model_start(&s->model, id + 1, item->slot + item->what.access_count);
  } else {
    weir_model_grow(&s->model, id + 1, item->slot + item->what.access_count);
    if (weir_model_next(&s->model, s->previous) == id)
      s->flow_gap++;
    else
      put_flow(s, id);
    weir_model_followed(&s->model, s->previous, id);
  }
  put_accesses(s, item, addresses);
  if (id >= s->execution_capacity) grow(s, id);
  s->executions[id]++;
  s->previous = id;
  s->count++;
}

void weir_trace_segment_end(struct weir_trace_segment_writer *s, uint64_t next_pc) {
  struct weir_trace_writer *w = s->writer;
  if (s->count) end_chunk(s, next_pc);
  pthread_mutex_lock(&w->mutex);
  add_executions(w, s->executions, s->execution_capacity);
  pthread_mutex_unlock(&w->mutex);
  weir_model_free(&s->model);
  for (unsigned p = 0; p < WEIR_PARTS; p++) weir_bytes_free(&s->parts[p]);
  weir_free(s->executions);
  weir_free(s);
}
