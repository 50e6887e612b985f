// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What the paper leaves open or says without a figure: what SWL-Best's warps are the best of, KMN's number of features,
// section V.D's hardware cost, and single programs with a value held.
#include "zhao2016/zhao2016.h"

static double best_warps(const struct weir_plan *p, const char *program, const char *scheme) {
  return weir_run_number(weir_plan_run(p, program, ZHAO_CHIP, scheme), "sweep.best.warps");
}

static double time_change(const struct weir_plan *p, const char *program, const char *scheme) {
  return zhao_total(p, program, ZHAO_BASELINE).cycles / zhao_total(p, program, scheme).cycles;
}

// ---- the best by IPC, or by time -------------------------------------------------------------------------------------

#define BY_TIME "swl-best"

void zhao_plan_objectives(struct weir_plan *p) {
  zhao_plan_uncoalesced(p, ZHAO_BASELINE);
  zhao_plan_uncoalesced(p, ZHAO_SWL);
  zhao_plan_uncoalesced(p, BY_TIME);
}

void zhao_objectives(struct weir_table *t, const struct weir_plan *p) {
#define COLUMN(name, heading, format, mean, of, scheme)                                                                \
  { name, heading, NULL, format, mean, NULL, of, scheme }
  static const struct weir_figure_column columns[] = {
    COLUMN("ipc", "IPC, best IPC", WEIR_COLUMN_CHANGE, WEIR_GEOMETRIC_MEAN, zhao_speedup, ZHAO_SWL),
    COLUMN("ipc_by_time", "IPC, least time", WEIR_COLUMN_CHANGE, WEIR_GEOMETRIC_MEAN, zhao_speedup, BY_TIME),
    COLUMN("time", "speed, best IPC", WEIR_COLUMN_CHANGE, WEIR_GEOMETRIC_MEAN, time_change, ZHAO_SWL),
    COLUMN("time_by_time", "speed, least time", WEIR_COLUMN_CHANGE, WEIR_GEOMETRIC_MEAN, time_change, BY_TIME),
    COLUMN("warps", "warps, best IPC", WEIR_COLUMN_COUNT, WEIR_NO_MEAN, best_warps, ZHAO_SWL),
    COLUMN("warps_by_time", "warps, least time", WEIR_COLUMN_COUNT, WEIR_NO_MEAN, best_warps, BY_TIME),
    {0}};
#undef COLUMN
  zhao_table(t, p, columns, zhao_uncoalesced_alone);
  weir_table_note(t, "SWL-Best against the baseline. Speed: of cycles, whatever the work. Means: geometric.");
}

// ---- KMN's features --------------------------------------------------------------------------------------------------

static const char *const kmns[] = {"kmn", "kmn-136", NULL};
static const struct weir_figure_group features[] = {{kmns, NULL}, {NULL, NULL}};

void zhao_plan_features(struct weir_plan *p) {
  static const char *const schemes[] = {ZHAO_BASELINE, "mrpb", ZHAO_SWL, "bucl-dyn"};
  for (unsigned i = 0; i < sizeof schemes / sizeof *schemes; i++)
    for (const char *const *program = kmns; *program; program++) weir_plan_add(p, *program, ZHAO_CHIP, schemes[i]);
}

void zhao_features(struct weir_table *t, const struct weir_plan *p) {
#define SPEED(name, heading, scheme)                                                                                   \
  { name, heading, NULL, WEIR_COLUMN_CHANGE, WEIR_NO_MEAN, NULL, zhao_speedup, scheme }
#define HITS(name, heading, scheme)                                                                                    \
  { name, heading, NULL, WEIR_COLUMN_PERCENT, WEIR_NO_MEAN, NULL, zhao_hit_rate, scheme }
  static const struct weir_figure_column columns[] = {
    SPEED("mrpb", "MRPB", "mrpb"),
    SPEED("swl_best", "SWL-Best", ZHAO_SWL),
    SPEED("bucl_dyn", "BUCL-Dyn", "bucl-dyn"),
    HITS("hits", "hit rate", ZHAO_BASELINE),
    HITS("hits_swl", "under SWL-Best", ZHAO_SWL),
    HITS("hits_bucl", "under BUCL", "bucl-dyn"),
    {"warps", "warps", NULL, WEIR_COLUMN_COUNT, WEIR_NO_MEAN, NULL, best_warps, ZHAO_SWL},
    {0}};
#undef SPEED
#undef HITS
  zhao_table(t, p, columns, features);
  weir_table_note(t, "kmn has 34 features, as the KDD Cup's data; kmn-136 has 136 of as many points.");
}

// ---- section V.D -----------------------------------------------------------------------------------------------------

static const char program[] = "myc"; // any: what a policy keeps does not depend on it

static const struct {
  const char *label, *scheme, *kind;
} costly[] = {{"BUCL-Dyn", "bucl-dyn", "bypass"},
              {"BUCL-Prf5k", "bucl-prf5k", "bypass"},
              {"MRPB", "mrpb", "bypass"},
              {"MRPB's bypass", "mrpb-bypass", "bypass"},
              {"CCWS", "ccws", "throttle"}};
enum { COSTLY = sizeof costly / sizeof *costly };

void zhao_plan_cost(struct weir_plan *p) {
  for (unsigned i = 0; i < COSTLY; i++) weir_plan_add(p, program, ZHAO_CHIP, costly[i].scheme);
}

void zhao_cost(struct weir_table *t, const struct weir_plan *p) {
  weir_table_column(t, WEIR_COLUMN_TEXT, "scheme", "scheme", NULL);
  weir_table_column(t, WEIR_COLUMN_COUNT, "bits", "bits per SM", "what is shared by all SMs is divided among them");
  weir_table_column(t, WEIR_COLUMN_PERCENT, "share", "of the L1", "of its 16 KiB");
  for (unsigned i = 0; i < COSTLY; i++) {
    struct weir_cell *cells = weir_table_row(t);
    struct weir_policy_numbers policy;
    const json_t *run = weir_plan_run(p, program, ZHAO_CHIP, costly[i].scheme);
    weir_table_text(t, &cells[0], costly[i].label);
    if (!weir_run_policy(run, WEIR_FIRST_CACHE, costly[i].kind, 0, &policy)) continue;
    cells[1].ours = policy.cost_bits;
    cells[2].ours = policy.cost_bits / (16 * 1024 * 8);
  }
  zhao_publish(t);
  weir_table_note(t, "The paper names what BUCL needs without a number and calls it minor. SWL keeps nothing.");
}

// ---- a value held ----------------------------------------------------------------------------------------------------

#define TUCD(n) "bucl-dyn,min_tucd=" #n ",max_tucd=" #n ",initial_tucd=" #n

static const struct {
  const char *label, *program, *scheme, *baseline;
} held[] = {
  {"kmn, 2 warps", "kmn", "swl,warps=2", ZHAO_BASELINE},
  {"kmn, 3 warps", "kmn", "swl,warps=3", ZHAO_BASELINE},
  {"kmn, 6 warps", "kmn", "swl,warps=6", ZHAO_BASELINE},
  {"kmn, 2 warps, linear index", "kmn", "swl,warps=2,l1.index=linear", ZHAO_BASELINE ",l1.index=linear"},
  {"kmn, 3 warps, linear index", "kmn", "swl,warps=3,l1.index=linear", ZHAO_BASELINE ",l1.index=linear"},
  {"gau, BUCL-Prf5k", "gau", "bucl-prf5k", ZHAO_BASELINE},
  {"gau, TUCD of 2", "gau", TUCD(2), ZHAO_BASELINE},
  {"gau, TUCD of 3", "gau", TUCD(3), ZHAO_BASELINE},
  {"gau, TUCD of 4", "gau", TUCD(4), ZHAO_BASELINE},
  {"gau, TUCD of 5", "gau", TUCD(5), ZHAO_BASELINE},
  {"gau, TUCD of 8", "gau", TUCD(8), ZHAO_BASELINE},
  {"bp, BUCL-Dyn", "bp", "bucl-dyn", ZHAO_BASELINE},
  {"bp, BUCL-Dyn, 32 merges in the L2", "bp", "bucl-dyn,l2.mshr_merges=32", ZHAO_BASELINE ",l2.mshr_merges=32"},
};
enum { HELD = sizeof held / sizeof *held };

void zhao_plan_held(struct weir_plan *p) {
  for (unsigned i = 0; i < HELD; i++) {
    weir_plan_add(p, held[i].program, ZHAO_CHIP, held[i].baseline);
    weir_plan_add(p, held[i].program, ZHAO_CHIP, held[i].scheme);
  }
}

static double ipc(const struct weir_plan *p, const char *of, const char *scheme) {
  const struct weir_run_numbers total = zhao_total(p, of, scheme);
  return total.thread_instructions / total.cycles;
}

void zhao_held(struct weir_table *t, const struct weir_plan *p) {
  weir_table_column(t, WEIR_COLUMN_TEXT, "held", "", NULL);
  weir_table_column(t, WEIR_COLUMN_CHANGE, "ipc", "IPC", "over the baseline with the same chip");
  weir_table_column(t, WEIR_COLUMN_PERCENT, "hits", "hit rate", NULL);
  for (unsigned i = 0; i < HELD; i++) {
    struct weir_cell *cells = weir_table_row(t);
    weir_table_text(t, &cells[0], held[i].label);
    cells[1].ours = ipc(p, held[i].program, held[i].scheme) / ipc(p, held[i].program, held[i].baseline);
    cells[2].ours = zhao_hit_rate(p, held[i].program, held[i].scheme);
  }
}
