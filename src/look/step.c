// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "look/step.h"

#include "base/alloc.h"
#include "look/names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void put_access(FILE *to, const struct weir_look_event *e) {
  const struct weir_watched *w = &e->what;
  const bool uses = weir_look_uses(w);
  fprintf(to, "%s of ", weir_look_request_names[w->request]);
  if (w->has_pc) fprintf(to, "pc %u, ", w->pc >> 3);
  fprintf(to, "warp %u: %s", w->warp, weir_look_result_names[w->result]);
  if (uses && w->result == WEIR_ACCESS_MISS) fprintf(to, ", %s", weir_miss_class_names[e->use.if_miss]);
  if (uses && e->use.distance != WEIR_STACK_NEVER) fprintf(to, ", distance %" PRIu64, e->use.distance);
}

static void put_event(const struct weir_look *l, uint64_t i, FILE *to) {
  const struct weir_look_event *e = &l->record.events[i];
  const struct weir_watched *w = &e->what;
  fprintf(to, "event %" PRIu64 ", cycle %" PRIu64 ", set %u, line 0x%" PRIx64 ": ", i, w->now, w->set,
          w->line * l->line_bytes);
  if (w->kind == WEIR_WATCH_ACCESS)
    put_access(to, e);
  else if (w->kind == WEIR_WATCH_FILL)
    fprintf(to, "comes into way %u", w->way);
  else
    fprintf(to, "leaves way %u: %s, %u hits, last used in cycle %" PRIu64, w->way, weir_look_end_names[w->end], e->uses,
            e->last_use);
  fputc('\n', to);
}

// What the set holds after event i.
static void put_set(const struct weir_look *l, uint64_t i, FILE *to) {
  const struct weir_look_record *r = &l->record;
  const uint32_t set = r->events[i].what.set;
  struct weir_look_way *ways = weir_new_array(struct weir_look_way, r->ways);
  memcpy(ways, &r->before[(size_t)set * r->ways], sizeof *ways * r->ways);
  for (uint64_t k = 0; k <= i; k++) {
    const struct weir_watched *w = &r->events[k].what;
    if (w->set != set || w->kind == WEIR_WATCH_ACCESS) continue;
    ways[w->way].held = w->kind == WEIR_WATCH_FILL;
    ways[w->way].line = w->line;
  }
  for (uint32_t way = 0; way < r->ways; way++)
    if (ways[way].held)
      fprintf(to, "  way %u: 0x%" PRIx64 "\n", way, ways[way].line * l->line_bytes);
    else
      fprintf(to, "  way %u: empty\n", way);
  weir_free(ways);
}

static uint64_t next_end(const struct weir_look_record *r, uint64_t i) {
  while (i < r->event_count && r->events[i].what.kind != WEIR_WATCH_END) i++;
  return i;
}

void weir_look_step(const struct weir_look *l, FILE *from, FILE *to) {
  const struct weir_look_record *r = &l->record;
  char line[64];
  uint64_t next = 0;
  fprintf(to, "%" PRIu64 " events. Enter: the next; e: the next eviction; a number: that event; q: end\n",
          r->event_count);
  while (fgets(line, sizeof line, from) && line[0] != 'q') {
    char *end;
    const uint64_t asked = strtoull(line, &end, 10);
    if (end != line)
      next = asked;
    else if (line[0] == 'e')
      next = next_end(r, next);
    else if (line[0] != '\n') {
      fputs("Enter, e, a number or q\n", to);
      continue;
    }
    if (next >= r->event_count) {
      fputs("no more events\n", to);
      next = r->event_count;
      continue;
    }
    put_event(l, next, to);
    put_set(l, next++, to);
    fflush(to);
  }
}
