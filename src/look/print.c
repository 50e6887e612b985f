// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "look/print.h"

#include "config/config.h"
#include "look/names.h"
#include "table/table.h"

#include <inttypes.h>
#include <math.h>

static void put_head(const struct weir_look *l, FILE *to) {
  const struct weir_look_record *r = &l->record;
  fprintf(to, "%s of %s %u on %s under scheme %s\n", weir_look_cache(l), l->level ? "slice" : "core", l->instance,
          l->setup.chip->name, l->experiment->scheme);
  fprintf(to, "%s, launch %" PRIu64 " of %" PRIu64 ": %s\n", l->experiment->program, l->launch, l->launches, l->kernel);
  fprintf(to, "%u sets x %u ways x %u bytes, sectors of %u bytes", r->sets, r->ways, l->line_bytes, l->sector_bytes);
  if (r->only_set != WEIR_LOOK_ANY) fprintf(to, "; set %u alone", r->only_set);
  fputs("\n\n", to);
}

static void put_counts(struct weir_table *t, const char *name, const char *place, const char *array,
                       const struct weir_look_counts *n) {
  struct weir_cell *row = weir_table_row(t);
  const double values[] = {(double)n->accesses,
                           (double)(n->hits + n->hits_on_miss),
                           (double)n->misses[WEIR_COMPULSORY],
                           (double)n->misses[WEIR_CAPACITY],
                           (double)n->misses[WEIR_CONFLICT],
                           (double)n->misses[WEIR_DROPPED],
                           (double)n->bypasses,
                           (double)n->passed};
  weir_table_text(t, &row[0], name);
  weir_table_text(t, &row[1], place);
  weir_table_text(t, &row[2], array ? array : "");
  for (unsigned i = 0; i < sizeof values / sizeof *values; i++) row[3 + i].ours = values[i];
}

static void put_loads(const struct weir_look *l, FILE *to) {
  static const struct weir_column columns[] = {
    {"access", "access", NULL, WEIR_COLUMN_TEXT},
    {"place", "place", NULL, WEIR_COLUMN_TEXT},
    {"array", "array", "as the PTX tells it, else the allocation by its address", WEIR_COLUMN_TEXT},
    {"accesses", "accesses", NULL, WEIR_COLUMN_COUNT},
    {"hits", "hits", "those that find their line on its way included", WEIR_COLUMN_COUNT},
    {"compulsory", "compulsory", "misses of what was never used before", WEIR_COLUMN_COUNT},
    {"capacity", "capacity", "misses that a fully associative LRU cache of the size has, too", WEIR_COLUMN_COUNT},
    {"conflict", "conflict", "misses that it has not", WEIR_COLUMN_COUNT},
    {"dropped", "dropped", "misses of what a store, a hint or a kernel's end has dropped", WEIR_COLUMN_COUNT},
    {"bypassed", "bypassed", "misses that bring no line in", WEIR_COLUMN_COUNT},
    {"passed", "stores passed", "stores that take no line", WEIR_COLUMN_COUNT}};
  struct weir_table t;
  weir_table_start(&t, "loads", "Misses by their cause");
  weir_table_columns(&t, columns, sizeof columns / sizeof *columns);
  for (uint32_t i = 0; i < l->record.load_count; i++) {
    const struct weir_look_load *load = &l->record.loads[i];
    char place[200];
    if (l->places[i].file)
      snprintf(place, sizeof place, "%s:%u", l->places[i].file, l->places[i].line);
    else
      snprintf(place, sizeof place, "write-backs");
    put_counts(&t, weir_look_request_names[load->request], place, weir_look_array(&l->places[i]), &load->n);
  }
  t.summary_row = t.row_count;
  put_counts(&t, "all", "", NULL, &l->record.total);
  weir_table_print(&t, to);
  weir_table_free(&t);
}

static void put_ends(const struct weir_look_record *r, FILE *to) {
  fprintf(to, "\nLines: %" PRIu64 " came, %" PRIu64 " went, %" PRIu64 " of them unused.", r->total.fills, r->total.ends,
          r->total.unused);
  for (unsigned i = 0; i < WEIR_ENDS; i++)
    if (r->ends[i]) fprintf(to, " %s %" PRIu64 ".", weir_look_end_names[i], r->ends[i]);
  fputc('\n', to);
}

static void put_curve(const struct weir_look *l, FILE *to) {
  const struct weir_look_record *r = &l->record;
  struct weir_table t;
  if (!r->uses) return;
  fputc('\n', to);
  weir_table_start(&t, "curve", "Misses of a fully associative LRU cache, by its size");
  weir_table_column(&t, WEIR_COLUMN_BYTES, "bytes", "size", NULL);
  weir_table_column(&t, WEIR_COLUMN_COUNT, "lines", "lines", NULL);
  weir_table_column(&t, WEIR_COLUMN_COUNT, "misses", "misses", NULL);
  weir_table_column(&t, WEIR_COLUMN_PERCENT, "miss_ratio", "of uses", NULL);
  for (uint64_t n = weir_look_curve_from(r); n <= weir_look_curve_to(r); n *= 2) {
    struct weir_cell *row = weir_table_row(&t);
    const uint64_t misses = weir_look_misses_of(r, n);
    row[0].ours = (double)(n * l->line_bytes);
    row[1].ours = (double)n;
    row[2].ours = (double)misses;
    row[3].ours = (double)misses / (double)r->uses;
  }
  weir_table_print(&t, to);
  weir_table_free(&t);
}

static void put_distances(const struct weir_look_record *r, FILE *to) {
  struct weir_table t;
  fputc('\n', to);
  weir_table_start(&t, "distances", "Reuse: how many other lines were used in between");
  weir_table_column(&t, WEIR_COLUMN_TEXT, "distance", "distance", NULL);
  weir_table_column(&t, WEIR_COLUMN_COUNT, "accesses", "accesses", NULL);
  for (unsigned i = 0; i <= WEIR_LOOK_BUCKETS; i++) {
    const bool never = i == WEIR_LOOK_BUCKETS;
    const uint64_t n = never ? r->never : r->distances[i], from = never ? 0 : weir_look_bucket_from(i);
    char text[64];
    if (!n) continue;
    if (never)
      snprintf(text, sizeof text, "first use");
    else if (i < 2)
      snprintf(text, sizeof text, "%u", i);
    else
      snprintf(text, sizeof text, "%" PRIu64 " to %" PRIu64, from, 2 * from - 1);
    struct weir_cell *row = weir_table_row(&t);
    weir_table_text(&t, &row[0], text);
    row[1].ours = (double)n;
  }
  weir_table_print(&t, to);
  weir_table_free(&t);
}

void weir_look_print(const struct weir_look *l, FILE *to) {
  put_head(l, to);
  put_loads(l, to);
  put_ends(&l->record, to);
  if (l->record.uses) put_distances(&l->record, to);
  put_curve(l, to);
  if (l->record.left_out)
    fprintf(to, "\nThe log has the first %" PRIu64 " events; %" PRIu64 " more are counted only (--max-events).\n",
            l->record.event_count, l->record.left_out);
}
