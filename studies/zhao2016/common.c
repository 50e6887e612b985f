// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "zhao2016/zhao2016.h"

const char *const zhao_uncoalesced[] = {"kmn", "bfs-random", "ptf", "gau", "sssp", NULL};
static const char *const other_graph[] = {"sssp-rmat", NULL};
const char *const zhao_coherent[] = {"bp", "bt", "nw", "2dc", "myc", NULL};

const struct weir_figure_group zhao_groups[] = {
  {zhao_uncoalesced, "un-coalesced"}, {other_graph, NULL}, {zhao_coherent, "coherent"}, {NULL, NULL}};
const struct weir_figure_group zhao_uncoalesced_alone[] = {
  {zhao_uncoalesced, "un-coalesced"}, {other_graph, NULL}, {NULL, NULL}};

static const struct weir_published numbers[] = {
#define PUBLISHED(figure, row, column, value, quote) {figure, row, column, value},
#include "published.def"
#undef PUBLISHED
};

void zhao_publish(struct weir_table *t) {
  weir_figure_publish(t, numbers, sizeof numbers / sizeof *numbers);
}

void zhao_table(struct weir_table *t, const struct weir_plan *p, const struct weir_figure_column *columns,
                const struct weir_figure_group *groups) {
  weir_figure_fill(t, p, columns, groups);
  zhao_publish(t);
}

static void plan_group(struct weir_plan *p, const char *const *programs, const char *scheme) {
  for (; *programs; programs++) weir_plan_add(p, *programs, ZHAO_CHIP, scheme);
}

void zhao_plan_uncoalesced(struct weir_plan *p, const char *scheme) {
  plan_group(p, zhao_uncoalesced, scheme);
  plan_group(p, other_graph, scheme);
}

void zhao_plan(struct weir_plan *p, const char *scheme) {
  zhao_plan_uncoalesced(p, scheme);
  plan_group(p, zhao_coherent, scheme);
}

void zhao_plan_baseline(struct weir_plan *p) {
  zhao_plan(p, ZHAO_BASELINE);
}

struct weir_run_numbers zhao_total(const struct weir_plan *p, const char *program, const char *scheme) {
  return weir_run_total(weir_plan_run(p, program, ZHAO_CHIP, scheme));
}

struct weir_access_numbers zhao_loads(const struct weir_plan *p, const char *program, const char *scheme) {
  return weir_run_cache(weir_plan_run(p, program, ZHAO_CHIP, scheme), WEIR_FIRST_CACHE).loads;
}

static double ipc(const struct weir_plan *p, const char *program, const char *scheme) {
  const struct weir_run_numbers total = zhao_total(p, program, scheme);
  return total.thread_instructions / total.cycles;
}

double zhao_speedup(const struct weir_plan *p, const char *program, const char *scheme) {
  return ipc(p, program, scheme) / ipc(p, program, ZHAO_BASELINE);
}

double zhao_served(const struct weir_plan *p, const char *program, const char *scheme) {
  const struct weir_access_numbers loads = zhao_loads(p, program, scheme);
  return loads.accesses - loads.bypasses;
}

double zhao_hit_rate(const struct weir_plan *p, const char *program, const char *scheme) {
  return zhao_loads(p, program, scheme).hits / zhao_served(p, program, scheme);
}
