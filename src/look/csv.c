// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "look/print.h"

#include "look/names.h"

#include <inttypes.h>

static void put_access(FILE *to, const struct weir_look_event *e) {
  const struct weir_watched *w = &e->what;
  const bool uses = weir_look_uses(w);
  fprintf(to, "%s,%s,", weir_look_result_names[w->result],
          uses && w->result == WEIR_ACCESS_MISS ? weir_miss_class_names[e->use.if_miss] : "");
  if (uses && e->use.distance != WEIR_STACK_NEVER) fprintf(to, "%" PRIu64, e->use.distance);
  fputs(",,,\n", to);
}

static void put_event(FILE *to, const struct weir_look *l, uint64_t i) {
  static const char *const kinds[] = {
    [WEIR_WATCH_ACCESS] = "access", [WEIR_WATCH_FILL] = "fill", [WEIR_WATCH_END] = "evict"};
  const struct weir_look_event *e = &l->record.events[i];
  const struct weir_watched *w = &e->what;
  const bool access = w->kind == WEIR_WATCH_ACCESS;
  fprintf(to, "%" PRIu64 ",%" PRIu64 ",%s,%u,", i, w->now, kinds[w->kind], w->set);
  if (w->way != UINT32_MAX) fprintf(to, "%u", w->way);
  fprintf(to, ",0x%" PRIx64 ",", w->line * l->line_bytes);
  if (access)
    fprintf(to, "%u,%s,", (unsigned)__builtin_ctz(w->sectors), weir_look_request_names[w->request]);
  else
    fputs(",,", to);
  if (access ? w->has_pc : e->load) fprintf(to, "%u", access ? w->pc >> 3 : e->load - 1);
  fputc(',', to);
  if (access) fprintf(to, "%u", w->warp);
  fputc(',', to);
  if (access)
    put_access(to, e);
  else if (w->kind == WEIR_WATCH_FILL)
    fputs(",,,,,\n", to);
  else
    fprintf(to, ",,,%s,%" PRIu64 ",%u\n", weir_look_end_names[w->end], e->last_use, e->uses);
}

char *weir_look_csv(const struct weir_look *l) {
  char *text = NULL;
  size_t bytes;
  FILE *to = open_memstream(&text, &bytes);
  fputs("event,cycle,kind,set,way,address,sector,access,pc,warp,result,class,distance,cause,last_use,uses\n", to);
  for (uint64_t i = 0; i < l->record.event_count; i++) put_event(to, l, i);
  fclose(to);
  return text;
}
