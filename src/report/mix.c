// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The part of a report that is about the programs of a mix.
#include "base/alloc.h"
#include "base/file.h"
#include "run/experiment.h"
#include "report/report.h"
#include "table/table.h"

#include <math.h>
#include <string.h>

static double share(double part, double whole) {
  return whole > 0 ? part / whole : NAN;
}

static const char *name_of(const json_t *a) {
  return weir_path_name(weir_run_text(a, "name"));
}

static const char *place_of(const json_t *a, char text[static 16]) {
  snprintf(text, 16, weir_run_number(a, "owner") > 0 ? "CPU %.0f" : "GPU", weir_run_number(a, "owner"));
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

static void program_row(struct weir_table *t, const json_t *a) {
  struct weir_cell *c = weir_table_row(t);
  char place[16];
  weir_table_text(t, &c[0], name_of(a));
  weir_table_text(t, &c[1], place_of(a, place));
  c[2].ours = weir_run_number(a, "instructions");
  c[3].ours = weir_run_number(a, "ipc");
  c[4].ours = weir_run_number(a, "time_ps") * 1e-9;
  c[5].ours = weir_run_number(a, "traffic.network_bytes");
  c[6].ours = weir_run_number(a, "traffic.dram_bytes");
  c[7].ours = weir_run_number(a, "energy_pj.total") * 1e-9;
  c[8].ours = weir_run_number(a, "restarts");
}

static void print_programs(const json_t *applications, FILE *to) {
  struct weir_table t;
  size_t i;
  json_t *a;
  weir_table_start(&t, "programs", "");
  program_columns(&t);
  json_array_foreach((json_t *)applications, i, a) program_row(&t, a);
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

static void share_row(struct weir_table *t, const json_t *a, const char *level) {
  const json_t *s = json_object_get(json_object_get(a, "shared"), level);
  struct weir_cell *c = weir_table_row(t);
  double accesses = weir_run_number(s, "accesses");
  weir_table_text(t, &c[0], name_of(a));
  c[1].ours = accesses;
  c[2].ours = share(weir_run_number(s, "hits") + weir_run_number(s, "hits_on_miss"), accesses);
  c[3].ours = share(1000 * weir_run_number(s, "demand_misses"), weir_run_number(a, "instructions"));
  c[4].ours = share(weir_run_number(s, "bypasses"), accesses);
  c[5].ours = weir_run_number(s, "occupancy");
  c[6].ours = share(weir_run_number(s, "dead_cycles"), weir_run_number(s, "line_cycles"));
  c[7].ours = share(weir_run_number(s, "evicted_by_others"), weir_run_number(s, "evictions"));
}

static void print_shares(const json_t *applications, const char *level, FILE *to) {
  struct weir_table t;
  size_t i;
  json_t *a;
  weir_table_start(&t, level, "");
  share_columns(&t, level);
  json_array_foreach((json_t *)applications, i, a) share_row(&t, a, level);
  fputc('\n', to);
  weir_table_print(&t, to);
  weir_table_free(&t);
}

// ---- private caches of the CPU cores --------------------------------------------------------------------------------

static double level_misses(const json_t *a, const char *level) {
  const json_t *l = json_object_get(a, level);
  return share(1000 * (weir_run_number(l, "loads.misses") + weir_run_number(l, "stores.misses")),
               weir_run_number(a, "instructions"));
}

static void core_row(struct weir_table *t, const json_t *a) {
  struct weir_cell *c = weir_table_row(t);
  double branches = weir_run_number(a, "core.branches");
  weir_table_text(t, &c[0], name_of(a));
  c[1].ours = level_misses(a, "l1i");
  c[2].ours = level_misses(a, "l1d");
  c[3].ours = level_misses(a, "l2");
  c[4].ours = share(weir_run_number(a, "core.mispredictions"), branches);
}

static void print_cores(const json_t *applications, FILE *to) {
  struct weir_table t;
  size_t i;
  json_t *a;
  weir_table_start(&t, "cores", "");
  weir_table_column(&t, WEIR_COLUMN_TEXT, "program", "CPU program", NULL);
  weir_table_column(&t, WEIR_COLUMN_REAL, "l1i", "L1I misses/1000", NULL);
  weir_table_column(&t, WEIR_COLUMN_REAL, "l1d", "L1D misses/1000", NULL);
  weir_table_column(&t, WEIR_COLUMN_REAL, "l2", "L2 misses/1000", NULL);
  weir_table_column(&t, WEIR_COLUMN_PERCENT, "mispredicted", "mispredicted", "of its branches");
  json_array_foreach((json_t *)applications, i, a) if (weir_run_number(a, "owner") > 0) core_row(&t, a);
  if (t.row_count) {
    fputc('\n', to);
    weir_table_print(&t, to);
  }
  weir_table_free(&t);
}

void weir_print_mix(const json_t *run, FILE *to) {
  const json_t *applications = weir_run_member(run, "mix.applications");
  const char *level;
  json_t *any;
  if (!json_array_size(applications)) return;
  fputs("\nthe programs, each up to its count\n\n", to);
  print_programs(applications, to);
  json_object_foreach((json_t *)weir_run_member(json_array_get(applications, 0), "shared"), level, any)
    print_shares(applications, level, to);
  print_cores(applications, to);
  if (json_array_size(applications) > 1) fprintf(to, "\ngeometric mean of their IPCs: %.3f\n", weir_run_mean_ipc(run));
}
