// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What the paper leaves open of HeLM, and how much each reading moves its result: the same mixes with one knob changed.
// The readings are explained in docs/HELM.md.
#include "holey2014/holey2014.h"

#include <math.h>
#include <stdio.h>

static const struct {
  const char *label, *suffix;
} readings[] = {
  {"as shipped", ""},
  {"1: misses over MissLow", ",miss_base=low"},
  {"1: misses over accesses", ",miss_base=accesses"},
  {"3: headroom in percentage points", ",headroom=absolute"},
  {"4: a tie keeps the last choice", ",tie=keep"},
  {"7: the chop follows the choice", ",chop_by=threshold"},
  {"8: a toggle keeps the choice", ",keeps_choice=true"},
  {"8: thresholds start anew after a hold", ",restarts=true"},
  {"8: no hold", ",hold=0"},
  {"9: mean of ready wavefronts", ",parallelism=mean"},
  {"9: ready if a unit is free, too", ",core.ready_warps=issuable"},
  {"12: loads alone bypass", ",stores=false"},
  {"empty ways are bypassed, too", ",fills_room=false"},
};

// Each runs in many ways, so that a small study has the first half of them.
static unsigned draw(const struct weir_plan *p, struct holey_mix *out) {
  unsigned count = holey_draw(p, HOLEY_2C4G, out);
  return weir_plan_mixes(p) || weir_plan_size(p) == WEIR_SIZE_PAPER ? count : count / 2;
}

void holey_plan_open(struct weir_plan *p) {
  struct holey_mix mixes[HOLEY_MIXES];
  unsigned count = draw(p, mixes);
  for (unsigned m = 0; m < count; m++) {
    holey_plan_mix(p, mixes[m].name, HOLEY_LRU, "");
    for (unsigned i = 0; i < sizeof readings / sizeof *readings; i++)
      holey_plan_mix(p, mixes[m].name, HOLEY_HELM, readings[i].suffix);
  }
}

static double speed(const struct weir_plan *p, const char *mix, const char *suffix, unsigned owner) {
  const json_t *run = holey_run(p, mix, HOLEY_HELM, suffix);
  return weir_run_owner(run, (int)owner).ipc / holey_of(p, mix, HOLEY_LRU, owner).ipc;
}

static void add_reading(struct weir_table *t, const struct weir_plan *p, const char *label, const char *suffix) {
  struct holey_mix mixes[HOLEY_MIXES];
  struct holey_mean cpus = {0}, gpu = {0}, all = {0};
  double traffic = 0, base = 0;
  unsigned count = draw(p, mixes);
  for (unsigned m = 0; m < count; m++) {
    double of_gpu = speed(p, mixes[m].name, suffix, 0), one = speed(p, mixes[m].name, suffix, 1),
           two = speed(p, mixes[m].name, suffix, 2);
    holey_mean_add(&cpus, sqrt(one * two));
    holey_mean_add(&gpu, of_gpu);
    holey_mean_add(&all, cbrt(of_gpu * one * two));
    traffic += holey_traffic(holey_run(p, mixes[m].name, HOLEY_HELM, suffix), true);
    base += holey_traffic(holey_run(p, mixes[m].name, HOLEY_LRU, ""), true);
  }
  struct weir_cell *cells = weir_table_row(t);
  weir_table_text(t, &cells[0], label);
  cells[1].ours = holey_mean_of(&cpus);
  cells[2].ours = holey_mean_of(&gpu);
  cells[3].ours = holey_mean_of(&all);
  cells[4].ours = traffic / base;
}

void holey_open(struct weir_table *t, const struct weir_plan *p) {
  weir_table_column(t, WEIR_COLUMN_TEXT, "row", "reading", NULL);
  weir_table_column(t, WEIR_COLUMN_CHANGE, "cpu", "CPU programs", NULL);
  weir_table_column(t, WEIR_COLUMN_CHANGE, "gpu", "GPU program", NULL);
  weir_table_column(t, WEIR_COLUMN_CHANGE, "combined", "combined", NULL);
  weir_table_column(t, WEIR_COLUMN_CHANGE, "utilization", "DRAM", "bytes per second of all mixes together");
  for (unsigned i = 0; i < sizeof readings / sizeof *readings; i++)
    add_reading(t, p, readings[i].label, readings[i].suffix);
  weir_table_note(t, "HeLM over LRU, mixes of 2C4G; each row changes one knob (docs/HELM.md). Speed: geometric means.");
}
