// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "look/html.h"

#include "base/bits.h"
#include "look/names.h"
#include "look/print.h"

#include <inttypes.h>
#include <stdlib.h>

// 1 + PC, or 0: none.
static void put_pc(FILE *to, uint32_t load) {
  if (load)
    fprintf(to, ",%u", load - 1);
  else
    fputs(",null", to);
}

static void put_access(FILE *to, const struct weir_look_event *e) {
  const struct weir_watched *w = &e->what;
  const bool uses = weir_look_uses(w);
  put_pc(to, w->has_pc ? (w->pc >> 3) + 1 : 0);
  fprintf(to, ",%u,%d,", w->result, uses ? (int)e->use.if_miss : -1);
  if (uses && e->use.distance != WEIR_STACK_NEVER)
    fprintf(to, "%" PRIu64, e->use.distance);
  else
    fputs("-1", to);
  fprintf(to, ",%u", weir_lowest(w->sectors));
}

// An array: kind, cycle, set, way, line, then what the kind has.
static void put_event(FILE *to, const struct weir_look_event *e) {
  const struct weir_watched *w = &e->what;
  const int way = w->way == UINT32_MAX ? -1 : (int)w->way;
  fprintf(to, "[%u,%" PRIu64 ",%u,%d,%" PRIu64, w->kind, w->now, w->set, way, w->line);
  if (w->kind == WEIR_WATCH_ACCESS)
    put_access(to, e);
  else
    put_pc(to, e->load);
  if (w->kind == WEIR_WATCH_END) fprintf(to, ",%u,%" PRIu64 ",%u", w->end, e->last_use, e->uses);
  fputc(']', to);
}

static void put_before(FILE *to, const struct weir_look_record *r) {
  fputs(",\n\"before\":[", to);
  for (uint32_t i = 0; i < r->sets * r->ways; i++) {
    const struct weir_look_way *way = &r->before[i];
    if (i) fputc(',', to);
    if (!way->held) {
      fputs("null", to);
      continue;
    }
    fprintf(to, "[%" PRIu64, way->line);
    put_pc(to, way->load);
    fputc(']', to);
  }
  fputc(']', to);
}

static void put_figures(FILE *to, const struct weir_look *l) {
  json_t *json = weir_look_json(l);
  char *text = weir_json_text(json, false);
  fputs("{\"look\":", to);
  for (const char *at = text; *at; at++) // nothing in it ends the script
    if (*at == '<')
      fputs("\\u003c", to);
    else
      fputc(*at, to);
  free(text);
  json_decref(json);
}

char *weir_look_html(const struct weir_look *l) {
  const struct weir_look_record *r = &l->record;
  char *text = NULL;
  size_t bytes;
  FILE *to = open_memstream(&text, &bytes);
  fputs(weir_look_page_head, to);
  put_figures(to, l);
  put_before(to, r);
  fputs(",\n\"causes\":[", to);
  for (unsigned i = 0; i < WEIR_ENDS; i++) fprintf(to, "%s\"%s\"", i ? "," : "", weir_look_end_names[i]);
  fputs("],\n\"log\":[", to);
  for (uint64_t i = 0; i < r->event_count; i++) {
    fputs(i ? ",\n" : "\n", to);
    put_event(to, &r->events[i]);
  }
  fputs("]}\n", to);
  fputs(weir_look_page_tail, to);
  fclose(to);
  return text;
}
