// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "mem/access_log.h"

#include "base/alloc.h"

struct weir_access_log *weir_access_log_create(uint32_t sets, uint32_t ways, uint32_t sectors) {
  struct weir_access_log *l = weir_new(struct weir_access_log);
  l->sets = sets;
  l->ways = ways;
  l->sectors = sectors;
  return l;
}

void weir_access_log_free(struct weir_access_log *l) {
  if (!l) return;
  weir_map_free(&l->numbers);
  weir_free(l->events);
  weir_free(l->lines);
  weir_free(l);
}

static uint32_t number_of(struct weir_access_log *l, uint64_t line, uint32_t set) {
  bool is_new;
  uint64_t *number = weir_map_add(&l->numbers, line, &is_new);
  if (is_new) {
    *number = l->line_count;
    *weir_push(l->lines, l->line_count, l->line_capacity) = (struct weir_logged_line){line, set};
  }
  return (uint32_t)*number;
}

void weir_access_log_add(struct weir_access_log *l, uint64_t line, uint32_t set, struct weir_log_event event) {
  if (weir_log_has_line(event.kind)) event.line = number_of(l, line, set);
  *weir_push(l->events, l->count, l->capacity) = event;
}

// ---- from process to process ------------------------------------------------------------------------------------------

struct header {
  uint32_t sets, ways, sectors, lines;
  uint64_t events;
};

static bool write_all(const void *items, size_t size, size_t count, FILE *to) {
  return !count || fwrite(items, size, count, to) == count;
}

bool weir_access_log_write(const struct weir_access_log *l, FILE *to) {
  const struct header h = {l->sets, l->ways, l->sectors, l->line_count, l->count};
  return write_all(&h, sizeof h, 1, to) && write_all(l->lines, sizeof *l->lines, l->line_count, to) &&
    write_all(l->events, sizeof *l->events, l->count, to);
}

struct weir_access_log *weir_access_log_read(FILE *from) {
  struct header h;
  if (fread(&h, sizeof h, 1, from) != 1) return NULL;
  struct weir_access_log *l = weir_access_log_create(h.sets, h.ways, h.sectors);
  l->lines = weir_new_array(struct weir_logged_line, h.lines);
  l->events = weir_new_array(struct weir_log_event, h.events);
  l->line_count = l->line_capacity = h.lines;
  l->count = l->capacity = h.events;
  if (fread(l->lines, sizeof *l->lines, h.lines, from) == h.lines &&
      fread(l->events, sizeof *l->events, h.events, from) == h.events)
    return l;
  weir_access_log_free(l);
  return NULL;
}

// ---- next uses ----------------------------------------------------------------------------------------------------------

uint64_t *weir_access_log_next_uses(const struct weir_access_log *l, bool by_sector) {
  const uint32_t parts = by_sector ? l->sectors : 1;
  uint64_t *next = weir_new_array(uint64_t, l->count), flushed = WEIR_LOG_NEVER;
  uint64_t *use = weir_new_array(uint64_t, (size_t)l->line_count * parts); // of each part, the earliest behind; 0: none
  for (uint64_t i = l->count; i--;) {
    const struct weir_log_event *e = &l->events[i];
    next[i] = WEIR_LOG_NEVER;
    if (e->kind == WEIR_LOG_FLUSH) flushed = i;
    if (e->kind == WEIR_LOG_KILL)
      for (uint32_t s = 0; s < parts; s++) use[(size_t)e->line * parts + s] = 0;
    if (e->kind != WEIR_LOG_ACCESS && e->kind != WEIR_LOG_PLACE) continue;
    uint64_t *own = &use[(size_t)e->line * parts + (by_sector ? e->sector : 0)];
    if (*own && *own < flushed) next[i] = *own;
    if (weir_log_needs_line(e)) *own = i;
    if (e->kind == WEIR_LOG_PLACE) *own = 0; // nothing need be held until it is put here
  }
  weir_free(use);
  return next;
}
