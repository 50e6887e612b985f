// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The part of a report that is about the programs of a mix.
#include "base/alloc.h"
#include "base/file.h"
#include "run/numbers.h"
#include "report/part.h"
#include "report/share.h"
#include "table/table.h"

#include <string.h>

static const char *name_of(const struct weir_program_numbers *a) {
  return weir_path_name(a->name);
}

static const char *place_of(const struct weir_program_numbers *a, char text[static 16]) {
  snprintf(text, 16, a->requester > 0 ? "CPU %.0f" : "GPU", a->requester);
  return text;
}

// ---- programs -------------------------------------------------------------------------------------------------------

static void program_columns(struct weir_table *t) {
  weir_table_column(t, WEIR_COLUMN_TEXT, "program", "program", NULL);
  weir_table_column(t, WEIR_COLUMN_TEXT, "on", "on", NULL);
  weir_table_column(t, WEIR_COLUMN_COUNT, "instructions", "instructions", "of the GPU's program by warps");
  weir_table_column(t, WEIR_COLUMN_REAL, "ipc", "IPC", "instructions per cycle of its own cores");
  weir_table_column(t, WEIR_COLUMN_REAL, "ms", "simulated ms", "until it reached its count");
  weir_table_column(t, WEIR_COLUMN_BYTES, "network", "network",
                    "bytes that the network carried for it, headers included");
  weir_table_column(t, WEIR_COLUMN_BYTES, "dram", "DRAM", "bytes moved to and from memory for it");
  weir_table_column(t, WEIR_COLUMN_REAL, "energy", "mJ", "of its cores, and its share of what all use");
  weir_table_column(t, WEIR_COLUMN_COUNT, "restarts", "restarts",
                    "how often it began again before all had reached theirs");
}

static void program_row(struct weir_table *t, const struct weir_program_numbers *a) {
  struct weir_cell *c = weir_table_row(t);
  char place[16];
  weir_table_text(t, &c[0], name_of(a));
  weir_table_text(t, &c[1], place_of(a, place));
  c[2].ours = a->instructions;
  c[3].ours = a->ipc;
  c[4].ours = a->time_ps * 1e-9;
  c[5].ours = a->traffic.network_bytes;
  c[6].ours = a->traffic.dram_bytes;
  c[7].ours = a->energy_pj * 1e-9;
  c[8].ours = a->restarts;
}

static void print_programs(const struct weir_program_numbers *all, size_t count, FILE *to) {
  struct weir_table t;
  weir_table_start(&t, "programs", "");
  program_columns(&t);
  for (size_t i = 0; i < count; i++) program_row(&t, &all[i]);
  weir_table_print(&t, to);
  weir_table_free(&t);
}

// ---- a level of shared caches ---------------------------------------------------------------------------------------

static void share_columns(struct weir_table *t, const char *level) {
  weir_table_column(t, WEIR_COLUMN_TEXT, "program", level, NULL);
  weir_table_column(t, WEIR_COLUMN_COUNT, "accesses", "accesses", NULL);
  weir_table_column(t, WEIR_COLUMN_PERCENT, "hits", "hit", "or found the line on its way");
  weir_table_column(t, WEIR_COLUMN_REAL, "mpki", "misses/1000", "demand misses per 1000 instructions of the program");
  weir_table_column(t, WEIR_COLUMN_PERCENT, "bypassed", "bypassed", "of its accesses, those that brought no line in");
  weir_table_column(t, WEIR_COLUMN_PERCENT, "occupancy", "holds", "of the cache's lines, mean");
  weir_table_column(t, WEIR_COLUMN_PERCENT, "dead", "dead", "of the time that it held lines, after their last hit");
  weir_table_column(t, WEIR_COLUMN_PERCENT, "lost", "lost",
                    "of its lines that were replaced, those replaced for another "
                    "program");
}

static void share_row(struct weir_table *t, const struct weir_program_numbers *a, unsigned level) {
  const struct weir_share_numbers *s = &a->shared.levels[level];
  struct weir_cell *c = weir_table_row(t);
  weir_table_text(t, &c[0], name_of(a));
  c[1].ours = s->accesses;
  c[2].ours = weir_share(s->hits + s->hits_on_miss, s->accesses);
  c[3].ours = weir_share(1000 * s->demand_misses, a->instructions);
  c[4].ours = weir_share(s->bypasses, s->accesses);
  c[5].ours = s->occupancy;
  c[6].ours = weir_share(s->dead_cycles, s->line_cycles);
  c[7].ours = weir_share(s->evicted_by_others, s->evictions);
}

static void print_shares(const struct weir_program_numbers *all, size_t count, unsigned level, FILE *to) {
  struct weir_table t;
  weir_table_start(&t, all->shared.levels[level].name, "");
  share_columns(&t, all->shared.levels[level].name);
  for (size_t i = 0; i < count; i++) share_row(&t, &all[i], level);
  fputc('\n', to);
  weir_table_print(&t, to);
  weir_table_free(&t);
}

// ---- private caches of the CPU cores --------------------------------------------------------------------------------

static double misses_per_1000(const struct weir_program_numbers *a, const struct weir_cache_numbers *cache) {
  return weir_share(1000 * (cache->loads.misses + cache->stores.misses), a->instructions);
}

static void core_row(struct weir_table *t, const struct weir_program_numbers *a) {
  struct weir_cell *c = weir_table_row(t);
  weir_table_text(t, &c[0], name_of(a));
  c[1].ours = misses_per_1000(a, &a->l1i);
  c[2].ours = misses_per_1000(a, &a->l1d);
  c[3].ours = misses_per_1000(a, &a->l2);
  c[4].ours = weir_share(a->core.mispredictions, a->core.branches);
}

static void print_cores(const struct weir_program_numbers *all, size_t count, FILE *to) {
  struct weir_table t;
  weir_table_start(&t, "cores", "");
  weir_table_column(&t, WEIR_COLUMN_TEXT, "program", "CPU program", NULL);
  weir_table_column(&t, WEIR_COLUMN_REAL, "l1i", "L1I misses/1000", NULL);
  weir_table_column(&t, WEIR_COLUMN_REAL, "l1d", "L1D misses/1000", NULL);
  weir_table_column(&t, WEIR_COLUMN_REAL, "l2", "L2 misses/1000", NULL);
  weir_table_column(&t, WEIR_COLUMN_PERCENT, "mispredicted", "mispredicted", "of its branches");
  for (size_t i = 0; i < count; i++)
    if (all[i].requester > 0) core_row(&t, &all[i]);
  if (t.row_count) {
    fputc('\n', to);
    weir_table_print(&t, to);
  }
  weir_table_free(&t);
}

void weir_print_mix(const json_t *run, FILE *to) {
  const json_t *programs = weir_run_programs(run);
  const size_t count = json_array_size(programs);
  if (!count) return;
  struct weir_program_numbers *all = weir_new_array(struct weir_program_numbers, count);
  for (size_t i = 0; i < count; i++) all[i] = weir_program_of(json_array_get(programs, i));
  fputs("\nthe programs, each up to its count\n\n", to);
  print_programs(all, count, to);
  for (unsigned level = 0; level < all->shared.count; level++) print_shares(all, count, level, to);
  print_cores(all, count, to);
  if (count > 1) fprintf(to, "\ngeometric mean of their IPCs: %.3f\n", weir_run_mean_ipc(run));
  weir_free(all);
}
