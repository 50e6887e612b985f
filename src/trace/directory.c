// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "trace/container.h"

enum { VERSION = 1 };

// ---- writing --------------------------------------------------------------------------------------------------------

static void put_static(struct weir_bytes *to, const struct weir_trace_static *s, uint64_t previous_pc) {
  weir_bytes_varint(to, weir_zigzag(s->pc - previous_pc));
  const uint8_t fixed[] = {s->length, s->kind,         s->branch,       s->taken,
                           s->spare,  s->access_count, s->source_count, s->destination_count};
  weir_bytes_put(to, fixed, sizeof fixed);
  for (unsigned k = 0; k < s->access_count; k++) {
    weir_bytes_low(to, s->accesses[k].bytes, 2);
    weir_bytes_byte(to, s->accesses[k].store);
    weir_bytes_byte(to, s->accesses[k].base);
  }
  weir_bytes_put(to, s->sources, s->source_count);
  weir_bytes_put(to, s->destinations, s->destination_count);
}

static void put_double(struct weir_bytes *to, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  weir_bytes_low(to, bits, 8);
}

void weir_trace_directory_put(const struct weir_trace_directory *d, struct weir_bytes *to) {
  const struct weir_trace_info *info = &d->info;
  weir_bytes_varint(to, VERSION);
  weir_bytes_varint(to, info->argument_count);
  for (unsigned i = 0; i < info->argument_count; i++) weir_bytes_text(to, info->arguments[i]);
  weir_bytes_text(to, info->isa);
  weir_bytes_text(to, info->recorder);
  weir_bytes_varint(to, info->run_instructions);
  weir_bytes_varint(to, info->dropped_accesses);
  weir_bytes_varint(to, info->segment_count);
  for (unsigned i = 0; i < info->segment_count; i++) {
    weir_bytes_varint(to, info->segments[i].thread);
    weir_bytes_varint(to, info->segments[i].first);
    put_double(to, info->segments[i].weight);
  }
  weir_bytes_varint(to, d->chunk_count);
  for (uint32_t i = 0; i < d->chunk_count; i++) {
    weir_bytes_varint(to, d->chunks[i].offset);
    weir_bytes_varint(to, d->chunks[i].bytes);
    weir_bytes_varint(to, d->chunks[i].segment);
    weir_bytes_varint(to, d->chunks[i].instructions);
  }
  weir_bytes_varint(to, info->static_count);
  for (uint32_t id = 0; id < info->static_count; id++) {
    put_static(to, &d->items[id].what, id ? d->items[id - 1].what.pc : 0);
    weir_bytes_varint(to, d->executions[id]);
  }
}

// ---- reading --------------------------------------------------------------------------------------------------------

static double take_double(struct weir_cursor *c) {
  const uint64_t bits = weir_cursor_low(c, 8);
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// How many elements follow: no more than there are bytes left, each having one at least.
static uint32_t take_count(struct weir_cursor *c) {
  const uint64_t count = weir_cursor_varint(c);
  if (count > (uint64_t)(c->end - c->at) || count > UINT32_MAX / 2) c->failed = true;
  return c->failed ? 0 : (uint32_t)count;
}

static uint32_t take_below(struct weir_cursor *c, uint64_t limit) {
  const uint64_t value = weir_cursor_varint(c);
  if (value >= limit) c->failed = true;
  return value >= limit ? 0 : (uint32_t)value;
}

static void take_program(struct weir_trace_info *info, struct weir_cursor *c) {
  info->argument_count = take_count(c);
  info->arguments = weir_new_array(char *, info->argument_count);
  for (unsigned i = 0; i < info->argument_count; i++) info->arguments[i] = weir_cursor_text(c);
  info->isa = weir_cursor_text(c);
  info->recorder = weir_cursor_text(c);
  info->run_instructions = weir_cursor_varint(c);
  info->dropped_accesses = weir_cursor_varint(c);
}

static void take_segments(struct weir_trace_info *info, struct weir_cursor *c) {
  info->segment_count = take_count(c);
  info->segments = weir_new_array(struct weir_trace_segment, info->segment_count);
  for (unsigned i = 0; i < info->segment_count; i++) {
    struct weir_trace_segment *s = &info->segments[i];
    s->thread = take_below(c, UINT32_MAX);
    s->first = weir_cursor_varint(c);
    s->weight = take_double(c);
    if (!(s->weight >= 0 && s->weight <= 1)) c->failed = true;
  }
}

static void take_chunks(struct weir_trace_directory *d, struct weir_cursor *c) {
  d->chunk_count = take_count(c);
  d->chunks = weir_new_array(struct weir_trace_chunk, d->chunk_count);
  for (uint32_t i = 0; i < d->chunk_count && !c->failed; i++) {
    struct weir_trace_chunk *chunk = &d->chunks[i];
    chunk->offset = weir_cursor_varint(c);
    chunk->bytes = weir_cursor_varint(c);
    chunk->segment = take_below(c, d->info.segment_count);
    chunk->instructions = take_below(c, UINT32_MAX);
    if (!chunk->instructions) c->failed = true;
    if (!c->failed) d->info.segments[chunk->segment].instructions += chunk->instructions;
  }
}

static void take_static(struct weir_trace_static *s, uint64_t previous_pc, struct weir_cursor *c) {
  s->pc = previous_pc + weir_unzigzag(weir_cursor_varint(c));
  uint8_t *const fixed[] = {&s->length, &s->kind,         &s->branch,       &s->taken,
                            &s->spare,  &s->access_count, &s->source_count, &s->destination_count};
  for (unsigned i = 0; i < sizeof fixed / sizeof *fixed; i++) *fixed[i] = weir_cursor_byte(c);
  if (s->kind >= WEIR_TRACE_KINDS || s->branch >= WEIR_TRACE_BRANCHES || s->taken > 1 || s->spare ||
      s->access_count > WEIR_TRACE_ACCESSES || s->source_count > WEIR_TRACE_REGISTERS ||
      s->destination_count > WEIR_TRACE_REGISTERS) {
    s->access_count = s->source_count = s->destination_count = 0;
    c->failed = true;
  }
  for (unsigned k = 0; k < s->access_count; k++) {
    struct weir_trace_access *a = &s->accesses[k];
    a->bytes = (uint16_t)weir_cursor_low(c, 2);
    a->store = weir_cursor_byte(c);
    a->base = weir_cursor_byte(c);
    if (a->store > 1) c->failed = true;
  }
  for (unsigned k = 0; k < s->source_count; k++) s->sources[k] = weir_cursor_byte(c);
  for (unsigned k = 0; k < s->destination_count; k++) s->destinations[k] = weir_cursor_byte(c);
}

static void take_items(struct weir_trace_directory *d, struct weir_cursor *c) {
  d->info.static_count = take_count(c);
  d->items = weir_new_array(struct weir_trace_item, d->info.static_count);
  d->executions = weir_new_array(uint64_t, d->info.static_count);
  for (uint32_t id = 0; id < d->info.static_count && !c->failed; id++) {
    struct weir_trace_item *item = &d->items[id];
    item->id = id;
    item->slot = d->slot_count;
    take_static(&item->what, id ? d->items[id - 1].what.pc : 0, c);
    d->slot_count += item->what.access_count;
    d->executions[id] = weir_cursor_varint(c);
    if (!c->failed) weir_trace_count(&d->info.totals, &item->what, d->executions[id]);
  }
}

bool weir_trace_directory_parse(struct weir_trace_directory *d, const void *data, size_t bytes, struct weir_place place,
                                struct weir_sink *sink) {
  struct weir_cursor c = {data, (const uint8_t *)data + bytes, false};
  *d = (struct weir_trace_directory){0};
  const uint64_t version = weir_cursor_varint(&c);
  if (version != VERSION)
    return weir_fail(sink, place, "is a weir trace of version %llu; this weir reads version %d",
                     (unsigned long long)version, VERSION);
  take_program(&d->info, &c);
  take_segments(&d->info, &c);
  take_chunks(d, &c);
  take_items(d, &c);
  if (c.failed || c.at != c.end) return weir_fail(sink, place, "the trace's directory is damaged");
  if (!d->chunk_count) return weir_fail(sink, place, "the trace holds no instructions");
  return true;
}

void weir_trace_directory_free(struct weir_trace_directory *d) {
  for (unsigned i = 0; i < d->info.argument_count; i++) weir_free(d->info.arguments[i]);
  weir_free(d->info.arguments);
  weir_free((char *)d->info.isa);
  weir_free((char *)d->info.recorder);
  weir_free(d->info.segments);
  weir_free(d->chunks);
  weir_free(d->items);
  weir_free(d->executions);
  *d = (struct weir_trace_directory){0};
}
