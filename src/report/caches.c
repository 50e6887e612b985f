// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The levels of caches.
#include "report/part.h"
#include "report/share.h"
#include "run/numbers.h"
#include "table/table.h"

#include <math.h>

static void level_row(struct weir_table *t, const struct weir_cache_numbers *level) {
  struct weir_cell *c = weir_table_row(t);
  const struct weir_access_numbers *loads = &level->loads;
  weir_table_text(t, &c[0], level->name);
  c[1].ours = loads->accesses;
  c[2].ours = weir_share(loads->hits, loads->accesses);
  c[3].ours = weir_share(loads->hits_on_miss, loads->accesses);
  c[4].ours = weir_share(loads->misses, loads->accesses);
  c[5].ours = weir_share(loads->bypasses, loads->accesses);
  c[6].ours = level->stores.accesses;
  c[7].ours = level->fills;
  c[8].ours = weir_share(level->zero_reuse_evictions, level->evictions);
}

// Its hits include lines on their way; nothing bypasses it, and what it fetches it keeps.
static void texture_row(struct weir_table *t, const struct weir_run_numbers *total) {
  const double accesses = total->texture_cache_accesses;
  if (!(accesses > 0)) return;
  struct weir_cell *c = weir_table_row(t);
  weir_table_text(t, &c[0], "texture");
  for (int i = 1; i <= 8; i++) c[i].ours = NAN;
  c[1].ours = accesses;
  c[2].ours = weir_share(total->texture_cache_hits, accesses);
  c[4].ours = weir_share(total->texture_cache_misses, accesses);
  c[7].ours = total->texture_cache_misses;
}

static void level_columns(struct weir_table *t) {
  weir_table_column(t, WEIR_COLUMN_TEXT, "cache", "cache", NULL);
  weir_table_column(t, WEIR_COLUMN_COUNT, "loads", "loads", NULL);
  weir_table_column(t, WEIR_COLUMN_PERCENT, "hits", "hit", NULL);
  weir_table_column(t, WEIR_COLUMN_PERCENT, "hits_on_miss", "on miss",
                    "loads that waited for a fill already on its way");
  weir_table_column(t, WEIR_COLUMN_PERCENT, "misses", "missed", NULL);
  weir_table_column(t, WEIR_COLUMN_PERCENT, "bypasses", "bypassed", "loads that were not given a line");
  weir_table_column(t, WEIR_COLUMN_COUNT, "stores", "stores", NULL);
  weir_table_column(t, WEIR_COLUMN_COUNT, "fills", "fills", NULL);
  weir_table_column(t, WEIR_COLUMN_PERCENT, "dead", "evicted unused", "of the lines evicted");
}

static void print_levels(const struct weir_run_numbers *total, FILE *to) {
  struct weir_table t;
  weir_table_start(&t, "caches", "");
  level_columns(&t);
  for (unsigned i = 0; i < total->cache_count; i++) level_row(&t, &total->caches[i]);
  texture_row(&t, total);
  fputc('\n', to);
  weir_table_print(&t, to);
  weir_table_free(&t);
}

static void print_stalls(const struct weir_cache_numbers *level, FILE *to) {
#define CAUSE(name, key, help) key,
  static const char *const causes[] = {WEIR_STALLS(CAUSE)};
#undef CAUSE
  const char *separator = "";
  for (unsigned i = WEIR_STALL_NONE + 1; i < WEIR_STALL_COUNT; i++) {
    if (!(level->stalls[i] > 0)) continue;
    if (!*separator) fprintf(to, "%s stalled, cycles by cause: ", level->name);
    fprintf(to, "%s%s %.0f", separator, causes[i], level->stalls[i]);
    separator = ", ";
  }
  if (*separator) fputc('\n', to);
}

static void print_coalesced(const struct weir_cache_numbers *level, FILE *to) {
  if (level->coalesced_reads > 0)
    fprintf(to, "%s coalesced: %.0f loads more, each answered with another core's of the same sector\n", level->name,
            level->coalesced_reads);
}

void weir_print_caches(const json_t *run, FILE *to) {
  const struct weir_run_numbers total = weir_run_total(run);
  print_levels(&total, to);
  for (unsigned i = 0; i < total.cache_count; i++) {
    print_coalesced(&total.caches[i], to);
    print_stalls(&total.caches[i], to);
  }
}
