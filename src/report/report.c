// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "report/report.h"

#include "base/alloc.h"
#include "report/place.h"
#include "run/numbers.h"
#include "run/object.h"
#include "table/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_SHOWN = WEIR_REPORT_LINES };

static double share(double part, double whole) {
  return whole > 0 ? part / whole : NAN;
}

// ---- heading and totals ---------------------------------------------------------------------------------------------

// What a program's own check is, weir does not know; but it knows how the program ended.
static void print_process(const json_t *run, FILE *to) {
  const char *end = weir_run_text(run, "process.end");
  size_t faults = json_array_size(weir_run_member(run, "process.faults"));
  fputc('\n', to);
  if (!json_is_true(weir_run_member(run, "complete")))
    fprintf(to, "incomplete: %s%s; this is what was known by then\n",
            !strcmp(end, "unknown") ? "how the process ended is not known" : "the process ended by ",
            !strcmp(end, "unknown") ? "" : end);
  size_t strays = json_array_size(weir_run_member(run, "process.strays"));
  if (strays)
    fprintf(to, "%zu instruction%s left all buffers, where a real device would not have noticed\n", strays,
            strays == 1 ? "" : "s");
  size_t i;
  json_t *name;
  json_array_foreach(weir_run_member(run, "process.not_launched"), i, name)
    fprintf(to, "--registers names '%s', and no kernel of that name was launched\n", json_string_value(name));
  if (faults) fprintf(to, "%zu launch%s stopped by a fault\n", faults, faults == 1 ? " was" : "es were");
}

static const char *why_unchecked(const json_t *run) {
  return !weir_run_application(run, 0)               ? "no program runs on the GPU"
    : json_is_true(weir_run_member(run, "complete")) ? "there is none"
                                                     : "none, as the GPU's program was stopped before its end";
}

// What the program launched in vain comes first: nothing below is of it, and the program may not have looked.
static void print_refused(const json_t *run, FILE *to) {
  size_t i;
  json_t *text;
  json_array_foreach(weir_run_member(run, "process.refused"), i, text)
    fprintf(to, "not run: %s\n", json_string_value(text));
}

static void print_heading(const json_t *run, FILE *to) {
  print_refused(run, to);
  const char *check = weir_run_text(run, "check");
  bool mix = json_array_size(weir_run_applications(run));
  bool bundled = mix || *check != 'n'; // a launch file has neither sizes nor a reference
  fprintf(to, "%s%s%s%s", weir_run_text(run, "program"), bundled ? " (" : "", bundled ? weir_run_text(run, "size") : "",
          bundled ? ")" : "");
  if (*weir_run_text(run, "chip"))
    fprintf(to, " on %s under %s", weir_run_text(run, "chip"), weir_run_text(run, "scheme"));
  else
    fputs(", results only", to);
  if (weir_run_member(run, "process"))
    print_process(run, to);
  else
    fprintf(to, "\ncheck against the reference: %s\n",
            *check != 'n' ? check
              : mix       ? why_unchecked(run)
                          : "there is none");
  const char *name;
  json_t *v;
  json_object_foreach(weir_run_member(run, "checksums"), name, v)
    fprintf(to, "checksum of %s: %s\n", name, json_string_value(v));
}

// A value that a sweep tried, as text; freed by free().
static char *value_text(const json_t *value) {
  return json_is_string(value) ? strdup(json_string_value(value)) : weir_json_text(value, false);
}

static void put_value(struct weir_table *t, struct weir_cell *c, const json_t *value) {
  char *text = value_text(value);
  weir_table_text(t, c, text);
  free(text);
}

// By which the best is found: of a mix the highest IPC, else the fewest cycles.
static double tried_value(const json_t *tried) {
  double ipc = weir_run_number(tried, "mean_ipc");
  return isnan(ipc) ? weir_run_number(tried, "cycles") : ipc;
}

static void tried_row(struct weir_table *t, const json_t *tried, double best) {
  struct weir_cell *c = weir_table_row(t);
  const char *key;
  json_t *value;
  json_object_foreach(weir_run_member(tried, "values"), key, value) put_value(t, c++, value);
  c[0].ours = tried_value(tried);
  c[1].ours = share(c[0].ours, best);
  weir_table_text(t, &c[2], weir_run_text(tried, "check"));
}

// What the sweep tried, in its order; the rest of the report is of the best.
static void print_sweep(const json_t *run, FILE *to) {
  const json_t *best = weir_run_member(run, "sweep.best"), *tried = weir_run_member(run, "sweep.tried");
  if (!json_object_size(best)) return;
  struct weir_table t;
  const char *key;
  json_t *value, *one;
  size_t i;
  double best_ipc = weir_run_mean_ipc(run);
  bool mix = !isnan(best_ipc) && !isnan(weir_run_number(json_array_get(tried, 0), "mean_ipc"));
  weir_table_start(&t, "sweep", "");
  fprintf(to, "\nthe best of %zu runs, reported below:", json_array_size(tried));
  json_object_foreach((json_t *)best, key, value) {
    char *text = value_text(value);
    fprintf(to, " %s=%s", key, text);
    free(text);
    weir_table_column(&t, WEIR_COLUMN_TEXT, key, key, NULL);
  }
  fputs("\n\n", to);
  if (mix)
    weir_table_column(&t, WEIR_COLUMN_REAL, "mean_ipc", "mean IPC", NULL);
  else
    weir_table_column(&t, WEIR_COLUMN_COUNT, "cycles", "cycles", NULL);
  weir_table_column(&t, WEIR_COLUMN_CHANGE, "longer", "to the best", NULL);
  weir_table_column(&t, WEIR_COLUMN_TEXT, "check", "results", NULL);
  json_array_foreach((json_t *)tried, i, one) tried_row(&t, one, mix ? best_ipc : weir_run_total(run).cycles);
  weir_table_print(&t, to);
  weir_table_free(&t);
}

static void print_speed(const json_t *run, FILE *to) {
  const struct weir_host_numbers host = weir_run_host(run);
  const bool cpus = weir_run_total(run).cpu_instructions > 0;
  const double rate = host.instructions_per_second;
  fprintf(to,
          "\nsimulated in %.2f s, %.2f s of processor time: %.2f million %s instructions per second, %.2f of processor "
          "time; at most %.0f MiB\n",
          host.seconds, host.cpu_seconds, rate * 1e-6, cpus ? "CPU and warp" : "warp",
          host.cpu_seconds > 0 ? rate * host.seconds / host.cpu_seconds * 1e-6 : 0, host.peak_rss_bytes / (1 << 20));
}

static void total_row(struct weir_table *t, const char *what, double value, const char *unit) {
  struct weir_cell *c = weir_table_row(t);
  weir_table_text(t, &c[0], what);
  c[1].ours = value;
  weir_table_text(t, &c[2], unit);
}

static void print_totals(const json_t *run, const struct weir_run_numbers *total, FILE *to) {
  struct weir_table t;
  weir_table_start(&t, "totals", "");
  weir_table_column(&t, WEIR_COLUMN_TEXT, "what", "whole run", NULL);
  weir_table_column(&t, WEIR_COLUMN_COUNT, "value", "", NULL);
  weir_table_column(&t, WEIR_COLUMN_TEXT, "unit", "", NULL);
  for (const struct weir_member *m = weir_counts_members; m->name; m++) {
    double v = m->kind == WEIR_INTEGER ? weir_run_number(weir_run_member(run, "total"), m->name) : NAN;
    if (v > 0) total_row(&t, m->name, v, m->unit);
  }
  if (!isnan(total->dram.bytes)) total_row(&t, "dram bytes", total->dram.bytes, "bytes");
  if (total->energy_pj > 0) total_row(&t, "energy", total->energy_pj / 1e3, "nJ");
  fputc('\n', to);
  weir_table_print(&t, to);
  weir_table_free(&t);
  if (total->ipc > 0) fprintf(to, "\n%.3f warp instructions per core cycle\n", total->ipc);
}

// ---- caches ---------------------------------------------------------------------------------------------------------

static void level_row(struct weir_table *t, const struct weir_cache_numbers *level) {
  struct weir_cell *c = weir_table_row(t);
  const struct weir_access_numbers *loads = &level->loads;
  weir_table_text(t, &c[0], level->name);
  c[1].ours = loads->accesses;
  c[2].ours = share(loads->hits, loads->accesses);
  c[3].ours = share(loads->hits_on_miss, loads->accesses);
  c[4].ours = share(loads->misses, loads->accesses);
  c[5].ours = share(loads->bypasses, loads->accesses);
  c[6].ours = level->stores.accesses;
  c[7].ours = level->fills;
  c[8].ours = share(level->zero_reuse_evictions, level->evictions);
}

// Its hits include lines on their way; nothing bypasses it, and what it fetches it keeps.
static void texture_row(struct weir_table *t, const struct weir_run_numbers *total) {
  const double accesses = total->texture_cache_accesses;
  if (!(accesses > 0)) return;
  struct weir_cell *c = weir_table_row(t);
  weir_table_text(t, &c[0], "texture");
  for (int i = 1; i <= 8; i++) c[i].ours = NAN;
  c[1].ours = accesses;
  c[2].ours = share(total->texture_cache_hits, accesses);
  c[4].ours = share(total->texture_cache_misses, accesses);
  c[7].ours = total->texture_cache_misses;
}

static void level_columns(struct weir_table *t) {
  weir_table_column(t, WEIR_COLUMN_TEXT, "cache", "cache", NULL);
  weir_table_column(t, WEIR_COLUMN_COUNT, "loads", "loads", NULL);
  weir_table_column(t, WEIR_COLUMN_PERCENT, "hits", "hit", NULL);
  weir_table_column(t, WEIR_COLUMN_PERCENT, "pending", "pending", "loads that waited for a fill already on its way");
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

static void print_stalls_of(const struct weir_cache_numbers *level, FILE *to) {
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

// ---- launches, by kernel ----------------------------------------------------------------------------------------------

struct kernel {
  const char *name;
  double launches, cycles, warp_instructions, accesses, hits;
};

static int by_cycles(const void *a, const void *b) {
  const struct kernel *x = a, *y = b;
  double p = x->cycles > 0 ? x->cycles : x->warp_instructions, q = y->cycles > 0 ? y->cycles : y->warp_instructions;
  return p != q ? (p < q) - (p > q) : strcmp(x->name, y->name);
}

static struct kernel *kernel_of(struct kernel *kernels, unsigned *count, const char *name) {
  for (unsigned i = *count; i-- > 0;)
    if (!strcmp(kernels[i].name, name)) return &kernels[i];
  kernels[*count] = (struct kernel){.name = name};
  return &kernels[(*count)++];
}

// Longest first; freed by weir_free.
static struct kernel *gather_kernels(const json_t *list, unsigned *count) {
  struct kernel *kernels = weir_new_array(struct kernel, json_array_size(list));
  size_t i;
  json_t *launch;
  *count = 0;
  json_array_foreach((json_t *)list, i, launch) {
    const struct weir_launch_numbers is = weir_launch_of(launch);
    const struct weir_run_numbers counts = weir_launch_counts(launch);
    const struct weir_access_numbers loads = weir_cache_of(&counts, WEIR_FIRST_CACHE).loads;
    struct kernel *k = kernel_of(kernels, count, is.name);
    k->launches += is.launches;
    k->cycles += counts.cycles;
    k->warp_instructions += counts.warp_instructions;
    k->accesses += loads.accesses;
    k->hits += loads.hits + loads.hits_on_miss;
  }
  if (*count) qsort(kernels, *count, sizeof *kernels, by_cycles);
  return kernels;
}

static void kernel_rows(struct weir_table *t, const struct kernel *kernels, unsigned count) {
  double cycles = 0;
  for (unsigned i = 0; i < count; i++) cycles += kernels[i].cycles;
  for (unsigned i = 0; i < count && i < LINES_SHOWN; i++) {
    const struct kernel *k = &kernels[i];
    struct weir_cell *c = weir_table_row(t);
    weir_table_text(t, &c[0], k->name);
    c[1].ours = k->launches;
    c[2].ours = k->cycles;
    c[3].ours = share(k->cycles, cycles);
    c[4].ours = k->warp_instructions;
    c[5].ours = share(k->warp_instructions, k->cycles);
    c[6].ours = share(k->hits, k->accesses);
  }
}

static void print_kernels(const json_t *run, FILE *to) {
  unsigned count;
  struct weir_table t;
  struct kernel *kernels = gather_kernels(weir_run_member(run, "kernels"), &count);
  weir_table_start(&t, "kernels", "");
  weir_table_column(&t, WEIR_COLUMN_TEXT, "kernel", "kernel", NULL);
  weir_table_column(&t, WEIR_COLUMN_COUNT, "launches", "launches", NULL);
  weir_table_column(&t, WEIR_COLUMN_COUNT, "cycles", "cycles", NULL);
  weir_table_column(&t, WEIR_COLUMN_PERCENT, "share", "of cycles", NULL);
  weir_table_column(&t, WEIR_COLUMN_COUNT, "warp_instructions", "warp instructions", NULL);
  weir_table_column(&t, WEIR_COLUMN_REAL, "ipc", "per cycle", NULL);
  weir_table_column(&t, WEIR_COLUMN_PERCENT, "l1_hit_rate", "L1 hits",
                    "of loads, also those that waited for a fill already on "
                    "its way");
  kernel_rows(&t, kernels, count);
  fputc('\n', to);
  weir_table_print(&t, to);
  if (count > LINES_SHOWN) fprintf(to, "\n%u shorter kernels are not shown (--json has them)\n", count - LINES_SHOWN);
  weir_table_free(&t);
  weir_free(kernels);
}

// ---- loads, by the line of source (of PTX, if that is all there is) that they stand in ----------------------------------

struct source_line {
  struct weir_report_line is;
  unsigned loads; // static ones: unrolling makes several of one line
  double executions, all_hit_executions, transactions, hits, hits_on_miss, bypasses, fills, zero_reuse_fills,
    latency_cycles;
  double texture_hits, texture_misses;
};

static int by_fills(const void *a, const void *b) {
  const struct source_line *x = a, *y = b;
  return x->fills != y->fills ? (x->fills < y->fills) - (x->fills > y->fills) : strcmp(x->is.place, y->is.place);
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
    ADD(transactions) ADD(hits) ADD(hits_on_miss) ADD(bypasses) ADD(fills) ADD(zero_reuse_fills)
    ADD(texture_hits) ADD(texture_misses)
// clang-format on
#undef ADD
  }
  qsort(lines, *count, sizeof *lines, by_fills);
  return lines;
}

enum load_column { PLACE, FUNCTION, LOADS, ACCESSES, DEGREE, HIT, ALL_HIT, BYPASSED, FILLS, REUSED, LATENCY, TEXTURE };

// textures: some of the loads are served by a texture cache.
static void load_columns(struct weir_table *t, bool textures) {
  static const struct weir_column columns[] = {
    [PLACE] = {"line", "line", NULL, WEIR_COLUMN_TEXT},
    [FUNCTION] = {"function", "function", NULL, WEIR_COLUMN_TEXT},
    [LOADS] = {"loads", "loads", "load instructions that the compiler made of the line", WEIR_COLUMN_COUNT},
    [ACCESSES] = {"accesses", "accesses", NULL, WEIR_COLUMN_COUNT},
    [DEGREE] = {"degree", "degree", "accesses that one warp's load becomes, on average", WEIR_COLUMN_REAL},
    [HIT] = {"hits", "hit", "in the first level, or on its way into it", WEIR_COLUMN_PERCENT},
    [ALL_HIT] = {"all_hit", "all hit", "executions of which every access hit at once", WEIR_COLUMN_PERCENT},
    [BYPASSED] = {"bypasses", "bypassed", NULL, WEIR_COLUMN_PERCENT},
    [FILLS] = {"fills", "of fills", "its share of all lines brought into the first level", WEIR_COLUMN_PERCENT},
    [REUSED] = {"reused", "reused", "of those, lines that were hit before they left; the others die unused",
                WEIR_COLUMN_PERCENT},
    [LATENCY] = {"latency", "latency", "core cycles from issue to the last byte, mean", WEIR_COLUMN_COUNT},
    [TEXTURE] = {"texture", "texture", "accesses that the texture cache served, not the first level; hits are its hits",
                 WEIR_COLUMN_PERCENT},
  };
  for (int i = 0; i <= (textures ? TEXTURE : LATENCY); i++)
    weir_table_column(t, columns[i].format, columns[i].name, columns[i].heading, columns[i].meaning);
}

static void load_row(struct weir_table *t, const struct source_line *l, double all_fills, bool textures) {
  struct weir_cell *c = weir_table_row(t);
  weir_table_text(t, &c[PLACE], l->is.place);
  weir_table_text(t, &c[FUNCTION], l->is.function);
  c[LOADS].ours = l->loads;
  c[ACCESSES].ours = l->transactions;
  c[DEGREE].ours = share(l->transactions, l->executions);
  c[HIT].ours = share(l->hits + l->hits_on_miss + l->texture_hits, l->transactions);
  c[ALL_HIT].ours = share(l->all_hit_executions, l->executions);
  c[BYPASSED].ours = share(l->bypasses, l->transactions);
  c[FILLS].ours = share(l->fills, all_fills);
  c[REUSED].ours = share(l->fills - l->zero_reuse_fills, l->fills);
  c[LATENCY].ours = share(l->latency_cycles, l->executions);
  if (textures) c[TEXTURE].ours = share(l->texture_hits + l->texture_misses, l->transactions);
}

static void print_lines(const struct source_line *lines, unsigned count, FILE *to) {
  struct weir_table t;
  double all_fills = 0;
  bool textures = false;
  for (unsigned i = 0; i < count; i++) {
    all_fills += lines[i].fills;
    textures |= lines[i].texture_hits + lines[i].texture_misses > 0;
  }
  weir_table_start(&t, "loads", "");
  load_columns(&t, textures);
  for (unsigned i = 0; i < count && i < LINES_SHOWN; i++) load_row(&t, &lines[i], all_fills, textures);
  weir_table_print(&t, to);
  weir_table_free(&t);
  if (count > LINES_SHOWN)
    fprintf(to, "\n%u lines with fewer fills are not shown (--json has them)\n", count - LINES_SHOWN);
  if (all_fills > 0)
    fprintf(to, "\n%s's loads are %.0f %% of the first level's fills; %.0f %% of those die unused\n", lines->is.place,
            100 * lines->fills / all_fills, 100 * share(lines->zero_reuse_fills, lines->fills));
}

static void print_loads(const json_t *list, const struct weir_report_files *files, FILE *to) {
  unsigned count;
  struct source_line *lines = gather(list, files, &count);
  if (count) {
    fputs("\nloads, by the lines they bring into the first level\n\n", to);
    print_lines(lines, count, to);
  }
  weir_free(lines);
}

static void print_lines_of_source(const json_t *run, FILE *to) {
  const json_t *loads = weir_run_member(run, "loads");
  struct weir_report_files files = {0};
  weir_report_files_add(&files, loads);
  weir_report_files_add(&files, weir_run_member(run, "shared"));
  print_loads(loads, &files, to);
  weir_print_shared(run, &files, to);
  weir_report_files_free(&files);
}

// ---- loads, by groups of un-coalescing degree (Zhao et al. section III) ---------------------------------------------------

static void group_columns(struct weir_table *t) {
  weir_table_column(t, WEIR_COLUMN_TEXT, "degree", "degree", "accesses that a warp's load became");
  weir_table_column(t, WEIR_COLUMN_PERCENT, "share", "of loads", NULL);
  weir_table_column(t, WEIR_COLUMN_PERCENT, "accesses", "of accesses", NULL);
  weir_table_column(t, WEIR_COLUMN_PERCENT, "hits", "hit", NULL);
  weir_table_column(t, WEIR_COLUMN_PERCENT, "all_hit", "all hit", NULL);
  weir_table_column(t, WEIR_COLUMN_PERCENT, "reused", "reused", NULL);
  weir_table_column(t, WEIR_COLUMN_COUNT, "latency", "latency", NULL);
  weir_table_column(t, WEIR_COLUMN_RATIO, "relative", "relative", "that latency over the latency of loads of degree 1");
}

static void group_row(struct weir_table *t, const char *name, const struct weir_load_numbers *group,
                      double all_accesses, double coherent) {
  struct weir_cell *c = weir_table_row(t);
  const double latency = share(group->latency_cycles, group->executions);
  weir_table_text(t, &c[0], name);
  c[1].ours = group->share;
  c[2].ours = share(group->transactions, all_accesses);
  c[3].ours = share(group->hits + group->hits_on_miss + group->texture_hits, group->transactions);
  c[4].ours = share(group->all_hit_executions, group->executions);
  c[5].ours = share(group->fills - group->zero_reuse_fills, group->fills);
  c[6].ours = latency;
  c[7].ours = share(latency, coherent);
}

static void print_groups(const json_t *run, FILE *to) {
#define GROUP(low, high, name) name,
  static const char *const names[] = {WEIR_DEGREE_GROUPS(GROUP)};
#undef GROUP
  struct weir_load_numbers groups[WEIR_DEGREE_GROUP_COUNT];
  struct weir_table t;
  double accesses = 0;
  for (unsigned i = 0; i < WEIR_DEGREE_GROUP_COUNT; i++) {
    groups[i] = weir_run_load_group(run, names[i]);
    accesses += groups[i].transactions;
  }
  if (!(accesses > 0)) return;
  weir_table_start(&t, "degrees", "");
  group_columns(&t);
  for (unsigned i = 0; i < WEIR_DEGREE_GROUP_COUNT; i++)
    if (groups[i].executions > 0)
      group_row(&t, names[i], &groups[i], accesses, groups[WEIR_DEGREES_FROM_1].mean_latency_cycles);
  fputs("\nloads, by how many accesses they become\n\n", to);
  weir_table_print(&t, to);
  weir_table_free(&t);
}

static void print_policies(const json_t *list, FILE *to) {
  size_t i;
  json_t *p;
  if (json_array_size(list)) fputc('\n', to);
  json_array_foreach((json_t *)list, i, p) {
    const struct weir_policy_numbers is = weir_policy_of(p);
    fprintf(to, "%s %s %s: %.0f bits of storage per cache\n", is.level, is.kind, is.name, is.cost_bits);
  }
}

void weir_print_report(const json_t *run, FILE *to) {
  const struct weir_run_numbers total = weir_run_total(run);
  print_heading(run, to);
  if (!json_array_size(weir_run_member(run, "kernels")) && !json_array_size(weir_run_applications(run))) {
    fputs("\nnothing was launched\n", to);
    return;
  }
  print_sweep(run, to);
  weir_print_mix(run, to);
  print_totals(run, &total, to);
  if (weir_run_member(run, "process")) print_kernels(run, to);
  if (*weir_run_text(run, "chip")) {
    weir_print_occupancy(run, to);
    print_levels(&total, to);
    for (unsigned i = 0; i < total.cache_count; i++) print_stalls_of(&total.caches[i], to);
    print_lines_of_source(run, to);
    print_groups(run, to);
    print_policies(weir_run_member(run, "policy"), to);
  }
  weir_print_sl1(run, to);
  print_speed(run, to);
}
