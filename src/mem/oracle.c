// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "mem/oracle.h"

#include "base/alloc.h"

_Static_assert(WEIR_LOG_NEVER == WEIR_NEVER, "policies are told what the log says");

// The accesses to a line: numbers of events, in order, in one array for all lines.
struct course {
  uint64_t at, end; // of those to come
  uint64_t next;    // the next use of the last that was taken
};

struct weir_oracle {
  struct weir_access_log *log; // of one that records; else NULL
  struct weir_map numbers;     // line number → 1 + index of its course
  struct course *courses;
  uint64_t *events, *next; // by course; next use by place in `events`
  uint64_t *flushes, flush_count, flush_capacity;
  uint64_t flush;    // how many there have been
  uint64_t position; // events so far; a flush brings it to where the record has it
};

struct weir_oracle *weir_oracle_record(struct weir_access_log *log) {
  struct weir_oracle *o = weir_new(struct weir_oracle);
  o->log = log;
  return o;
}

void weir_oracle_free(struct weir_oracle *o) {
  if (!o) return;
  weir_map_free(&o->numbers);
  weir_free(o->courses);
  weir_free(o->events);
  weir_free(o->next);
  weir_free(o->flushes);
  weir_free(o);
}

static void lay_out(struct weir_oracle *o, const struct weir_access_log *log) {
  o->courses = weir_new_array(struct course, log->line_count);
  uint64_t accesses = 0;
  for (uint64_t i = 0; i < log->count; i++)
    if (log->events[i].kind == WEIR_LOG_ACCESS) o->courses[log->events[i].line].end++, accesses++;
  o->events = weir_new_array(uint64_t, accesses);
  o->next = weir_new_array(uint64_t, accesses);
  uint64_t at = 0;
  for (uint32_t i = 0; i < log->line_count; i++) {
    struct course *c = &o->courses[i];
    const uint64_t count = c->end;
    *c = (struct course){.at = at, .end = at};
    at += count;
    *weir_map_add(&o->numbers, log->lines[i].line, NULL) = i + 1;
  }
}

struct weir_oracle *weir_oracle_foretell(const struct weir_access_log *log) {
  struct weir_oracle *o = weir_new(struct weir_oracle);
  lay_out(o, log);
  uint64_t *next = weir_access_log_next_uses(log, false);
  for (uint64_t i = 0; i < log->count; i++) {
    const struct weir_log_event *e = &log->events[i];
    if (e->kind == WEIR_LOG_FLUSH) *weir_push(o->flushes, o->flush_count, o->flush_capacity) = i;
    if (e->kind != WEIR_LOG_ACCESS) continue;
    struct course *c = &o->courses[e->line];
    if (c->end == c->at) c->next = i + 1;
    o->events[c->end] = i;
    o->next[c->end++] = next[i] == WEIR_NEVER ? WEIR_NEVER : next[i] + 1; // 0 is what nobody knows
  }
  weir_free(next);
  return o;
}

static struct course *course_of(const struct weir_oracle *o, uint64_t line) {
  const uint64_t *number = weir_map_find(&o->numbers, line);
  return number ? &o->courses[*number - 1] : NULL;
}

// Is there an access to come before the next flush? Those that were left out before the last are passed over.
static bool goes_on(const struct weir_oracle *o, struct course *c) {
  const uint64_t from = o->flush ? o->flushes[(o->flush < o->flush_count ? o->flush : o->flush_count) - 1] : 0;
  const uint64_t until = o->flush < o->flush_count ? o->flushes[o->flush] : WEIR_NEVER;
  if (o->flush > o->flush_count) return false;
  while (c->at < c->end && o->events[c->at] < from) c->at++;
  return c->at < c->end && o->events[c->at] < until;
}

void weir_oracle_show(struct weir_oracle *o, uint64_t line, bool taken, struct weir_access *a) {
  if (o->log) return;
  struct course *c = course_of(o, line);
  a->position = o->position + 1;
  a->next_use = !c ? WEIR_NEVER : taken ? c->next : goes_on(o, c) ? o->next[c->at] : WEIR_NEVER;
}

void weir_oracle_tell(struct weir_oracle *o, uint64_t line, uint32_t set, struct weir_log_event event) {
  if (o->log) {
    weir_access_log_add(o->log, line, set, event);
    return;
  }
  o->position++;
  if (event.kind == WEIR_LOG_FLUSH && o->flush++ < o->flush_count) o->position = o->flushes[o->flush - 1] + 1;
  if (event.kind != WEIR_LOG_ACCESS) return;
  struct course *c = course_of(o, line);
  if (!c) return;
  const bool known = goes_on(o, c);
  c->next = known ? o->next[c->at] : WEIR_NEVER;
  c->at += known;
}
