// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Loads, by the line of source (of PTX, if that is all there is) that they stand in, and by groups of transactions per request.
#include "report/part.h"

#include "base/alloc.h"
#include "report/place.h"
#include "report/share.h"
#include "run/numbers.h"
#include "run/object.h"
#include "table/table.h"

#include <stdlib.h>
#include <string.h>

struct source_line {
  struct weir_report_line is;
  unsigned loads; // static ones: unrolling makes several of one line
  double executions, all_hit_executions, transactions, hits, hits_on_miss, bypasses, fills, lines, zero_reuse_fills,
    latency_cycles;
  double texture_hits, texture_misses;
};

static int by_fills(const void *a, const void *b) {
  const struct source_line *x = a, *y = b;
  return x->fills != y->fills ? (x->fills < y->fills) - (x->fills > y->fills) : weir_report_line_order(&x->is, &y->is);
}

// Of all loads, most fills first; freed by weir_free.
static struct source_line *gather(const json_t *list, const struct weir_report_files *files, unsigned *count) {
  struct source_line *lines = weir_new_array(struct source_line, json_array_size(list));
  size_t i;
  json_t *load;
  *count = 0;
  json_array_foreach((json_t *)list, i, load) {
    struct source_line *l = weir_report_line_of(lines, sizeof *lines, count, load, files);
    const struct weir_load_numbers n = weir_load_of(load);
    l->loads++;
#define ADD(counter) l->counter += n.counter;
    // clang-format off
    ADD(executions) ADD(all_hit_executions) ADD(latency_cycles)
    ADD(transactions) ADD(hits) ADD(hits_on_miss) ADD(bypasses) ADD(fills) ADD(lines) ADD(zero_reuse_fills)
    ADD(texture_hits) ADD(texture_misses)
// clang-format on
#undef ADD
  }
  qsort(lines, *count, sizeof *lines, by_fills);
  return lines;
}

enum load_column {
  PLACE,
  FUNCTION,
  ARRAY,
  LOADS,
  ACCESSES,
  TRANSACTIONS,
  HIT,
  ALL_HIT,
  BYPASSED,
  FILLS,
  REUSED,
  LATENCY,
  TEXTURE
};

// textures: some of the loads are served by a texture cache.
static void load_columns(struct weir_table *t, bool textures) {
  static const struct weir_column columns[] = {
    [PLACE] = {"line", "line", NULL, WEIR_COLUMN_TEXT},
    [FUNCTION] = {"function", "function", NULL, WEIR_COLUMN_TEXT},
    [ARRAY] = {"array", "array", "as the PTX tells it, else the allocation by its address; ? several",
               WEIR_COLUMN_TEXT},
    [LOADS] = {"loads", "loads", "load instructions that the compiler made of the line", WEIR_COLUMN_COUNT},
    [ACCESSES] = {"accesses", "accesses", NULL, WEIR_COLUMN_COUNT},
    [TRANSACTIONS] = {"transactions_per_request", "trans/req", "accesses that one warp's load becomes, on average",
                      WEIR_COLUMN_REAL},
    [HIT] = {"hits", "hit", "in the first level, or on its way into it", WEIR_COLUMN_PERCENT},
    [ALL_HIT] = {"all_hit", "all hit", "executions of which every access hit at once", WEIR_COLUMN_PERCENT},
    [BYPASSED] = {"bypasses", "bypassed", NULL, WEIR_COLUMN_PERCENT},
    [FILLS] = {"fills", "of fills", "its share of all that is brought into the first level", WEIR_COLUMN_PERCENT},
    [REUSED] = {"reused", "reused",
                "of the lines it brought, those that were hit before they left; the others die unused",
                WEIR_COLUMN_PERCENT},
    [LATENCY] = {"latency", "latency", "core cycles from issue to the last byte, mean", WEIR_COLUMN_COUNT},
    [TEXTURE] = {"texture", "texture", "accesses that the texture cache served, not the first level; hits are its hits",
                 WEIR_COLUMN_PERCENT},
  };
  weir_table_columns(t, columns, (textures ? TEXTURE : LATENCY) + 1u);
}

static void load_row(struct weir_table *t, const struct source_line *l, double all_fills, bool textures) {
  struct weir_cell *c = weir_table_row(t);
  weir_report_line_cells(t, &c[PLACE], &c[FUNCTION], &c[ARRAY], &l->is);
  c[LOADS].ours = l->loads;
  c[ACCESSES].ours = l->transactions;
  c[TRANSACTIONS].ours = weir_share(l->transactions, l->executions);
  c[HIT].ours = weir_share(l->hits + l->hits_on_miss + l->texture_hits, l->transactions);
  c[ALL_HIT].ours = weir_share(l->all_hit_executions, l->executions);
  c[BYPASSED].ours = weir_share(l->bypasses, l->transactions);
  c[FILLS].ours = weir_share(l->fills, all_fills);
  c[REUSED].ours = weir_share(l->lines - l->zero_reuse_fills, l->lines);
  c[LATENCY].ours = weir_share(l->latency_cycles, l->executions);
  if (textures) c[TEXTURE].ours = weir_share(l->texture_hits + l->texture_misses, l->transactions);
}

static void print_lines(const struct source_line *lines, unsigned count, struct weir_report_files *files, FILE *to) {
  struct weir_table t;
  double all_fills = 0;
  bool textures = false;
  for (unsigned i = 0; i < count; i++) {
    all_fills += lines[i].fills;
    textures |= lines[i].texture_hits + lines[i].texture_misses > 0;
  }
  weir_table_start(&t, "loads", "");
  load_columns(&t, textures);
  for (unsigned i = 0; i < count && i < WEIR_REPORT_LINES; i++) {
    load_row(&t, &lines[i], all_fills, textures);
    weir_report_show(files, &lines[i].is);
  }
  weir_table_print(&t, to);
  weir_table_free(&t);
  if (count > WEIR_REPORT_LINES)
    fprintf(to, "\n%u rows with fewer fills are not shown (--json has them)\n", count - WEIR_REPORT_LINES);
  if (all_fills > 0)
    fprintf(to, "\n%s's loads%s%s are %.0f %% of the first level's fills; %.0f %% of the lines they bring die unused\n",
            lines->is.place, *lines->is.array ? " of " : "", lines->is.array, 100 * lines->fills / all_fills,
            100 * weir_share(lines->zero_reuse_fills, lines->lines));
}

static void print_loads(const json_t *list, struct weir_report_files *files, FILE *to) {
  unsigned count;
  struct source_line *lines = gather(list, files, &count);
  if (count) {
    fputs("\nloads, by the lines they bring into the first level\n\n", to);
    print_lines(lines, count, files, to);
  }
  weir_free(lines);
}

static void print_lines_of_source(const json_t *run, FILE *to) {
  const json_t *loads = weir_run_member(run, "loads");
  struct weir_report_files files = {0};
  weir_report_files_add(&files, loads);
  weir_report_files_add(&files, weir_run_member(run, "stores"));
  weir_report_files_add(&files, weir_run_member(run, "atomics"));
  weir_report_files_add(&files, weir_run_member(run, "shared"));
  print_loads(loads, &files, to);
  weir_print_stores(run, &files, to);
  weir_print_shared(run, &files, to);
  weir_report_print_sources(&files, run, to);
  weir_report_files_free(&files);
}

// ---- loads, by groups of transactions per request (Zhao et al. section III) ---------------------------------------------------

static void group_columns(struct weir_table *t) {
  weir_table_column(t, WEIR_COLUMN_TEXT, "transactions", "transactions", "accesses that a warp's load became");
  weir_table_column(t, WEIR_COLUMN_PERCENT, "share", "of loads", NULL);
  weir_table_column(t, WEIR_COLUMN_PERCENT, "accesses", "of accesses", NULL);
  weir_table_column(t, WEIR_COLUMN_PERCENT, "hits", "hit", NULL);
  weir_table_column(t, WEIR_COLUMN_PERCENT, "all_hit", "all hit", NULL);
  weir_table_column(t, WEIR_COLUMN_PERCENT, "reused", "reused", NULL);
  weir_table_column(t, WEIR_COLUMN_COUNT, "latency", "latency", NULL);
  weir_table_column(t, WEIR_COLUMN_RATIO, "relative", "relative",
                    "that latency over the latency of loads of one transaction");
}

static void group_row(struct weir_table *t, const char *name, const struct weir_load_numbers *group,
                      double all_accesses, double coherent) {
  struct weir_cell *c = weir_table_row(t);
  const double latency = weir_share(group->latency_cycles, group->executions);
  weir_table_text(t, &c[0], name);
  c[1].ours = group->share;
  c[2].ours = weir_share(group->transactions, all_accesses);
  c[3].ours = weir_share(group->hits + group->hits_on_miss + group->texture_hits, group->transactions);
  c[4].ours = weir_share(group->all_hit_executions, group->executions);
  c[5].ours = weir_share(group->lines - group->zero_reuse_fills, group->lines);
  c[6].ours = latency;
  c[7].ours = weir_share(latency, coherent);
}

static void print_groups(const json_t *run, FILE *to) {
#define GROUP(low, high, name) name,
  static const char *const names[] = {WEIR_TRANSACTION_GROUPS(GROUP)};
#undef GROUP
  struct weir_load_numbers groups[WEIR_TRANSACTION_GROUP_COUNT];
  struct weir_table t;
  double accesses = 0;
  for (unsigned i = 0; i < WEIR_TRANSACTION_GROUP_COUNT; i++) {
    groups[i] = weir_run_load_group(run, names[i]);
    accesses += groups[i].transactions;
  }
  if (!(accesses > 0)) return;
  weir_table_start(&t, "load_groups", "");
  group_columns(&t);
  for (unsigned i = 0; i < WEIR_TRANSACTION_GROUP_COUNT; i++)
    if (groups[i].executions > 0)
      group_row(&t, names[i], &groups[i], accesses, groups[WEIR_TRANSACTIONS_FROM_1].mean_latency_cycles);
  fputs("\nloads, by how many accesses they become\n\n", to);
  weir_table_print(&t, to);
  weir_table_free(&t);
}

void weir_print_loads(const json_t *run, FILE *to) {
  print_lines_of_source(run, to);
  print_groups(run, to);
}
