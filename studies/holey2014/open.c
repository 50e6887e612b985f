// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What the paper leaves open of HeLM and its rivals, and how much each reading moves their results: the same mixes with one
// knob changed; and two mixes that lose by HeLM. The readings are explained in docs/HELM.md.
#include "holey2014/holey2014.h"

#include <math.h>
#include <stdio.h>

// A scheme in another reading; what its chip has otherwise, which is LRU's too, and the former inputs, are in `baseline`.
struct reading {
  const char *label, *scheme, *suffix, *baseline;
};

#define MSHRS ",l1.mshrs=64"
#define NO_FETCH_AHEAD ",cpu.fetch_ahead=0"
#define TWICE ",clocks.dram_mhz=1600"
#define HAZARD_FREE ",core.ready_warps=hazard_free"
#define DEMOTES ",always_demote=true"

static const struct reading readings[] = {
  {"HeLM as shipped", HOLEY_HELM, "", ""},
  {"1: misses over MissLow", HOLEY_HELM, ",miss_base=low", ""},
  {"1: misses over accesses", HOLEY_HELM, ",miss_base=accesses", ""},
  {"3: headroom in percentage points", HOLEY_HELM, ",headroom=absolute", ""},
  {"4: a tie keeps the last choice", HOLEY_HELM, ",tie=keep", ""},
  {"7: the chop follows the choice", HOLEY_HELM, ",chop_by=threshold", ""},
  {"8: a toggle keeps the choice", HOLEY_HELM, ",keeps_choice=true", ""},
  {"8: thresholds go on after a hold", HOLEY_HELM, ",restarts=false", ""},
  {"8: no hold", HOLEY_HELM, ",hold=0", ""},
  {"9: mean of ready wavefronts", HOLEY_HELM, ",parallelism=mean", ""},
  {"9: ready whether or not a unit is free", HOLEY_HELM, HAZARD_FREE, ""},
  {"12: loads alone bypass", HOLEY_HELM, ",stores=false", ""},
  {"empty ways are bypassed, too", HOLEY_HELM, ",fills_room=false", ""},
  {"64 MSHRs in the L1", HOLEY_HELM, MSHRS, MSHRS},
  {"no fetch ahead in CPU cores", HOLEY_HELM, NO_FETCH_AHEAD, NO_FETCH_AHEAD},
  {"twice the memory", HOLEY_HELM, TWICE, TWICE},
  {"own inputs of size paper", HOLEY_HELM, HOLEY_FORMER_INPUTS, HOLEY_FORMER_INPUTS},
  {"TAP-RRIP as shipped", HOLEY_TAP, "", ""},
  {"TAP-RRIP: the GPU always leaves first", HOLEY_TAP, DEMOTES, ""},
  {"TAP-RRIP, own inputs of size paper", HOLEY_TAP, HOLEY_FORMER_INPUTS, HOLEY_FORMER_INPUTS},
  {"SDBP as shipped", HOLEY_SDBP, "", ""},
  {"SDBP: dead lines leave first", HOLEY_SDBP, ",dead_first=true", ""},
};

// The form on which readings and values were chosen: that chip and those inputs, thresholds that go on after a hold, a GPU
// that TAP-RRIP always demotes, dead lines that leave first.
#define FORMER HOLEY_FORMER_INPUTS HAZARD_FREE
#define FORMER_HELM FORMER ",restarts=false"
static const struct reading former[] = {
  {"HeLM in the former form", HOLEY_HELM, FORMER_HELM, FORMER},
  {"1: misses over MissLow", HOLEY_HELM, FORMER_HELM ",miss_base=low", FORMER},
  {"1: misses over accesses", HOLEY_HELM, FORMER_HELM ",miss_base=accesses", FORMER},
  {"3: headroom in percentage points", HOLEY_HELM, FORMER_HELM ",headroom=absolute", FORMER},
  {"4: a tie keeps the last choice", HOLEY_HELM, FORMER_HELM ",tie=keep", FORMER},
  {"7: the chop follows the choice", HOLEY_HELM, FORMER_HELM ",chop_by=threshold", FORMER},
  {"8: a toggle keeps the choice", HOLEY_HELM, FORMER_HELM ",keeps_choice=true", FORMER},
  {"8: thresholds begin anew after a hold", HOLEY_HELM, FORMER, FORMER},
  {"8: no hold", HOLEY_HELM, FORMER_HELM ",hold=0", FORMER},
  {"9: mean of ready wavefronts", HOLEY_HELM, FORMER_HELM ",parallelism=mean", FORMER},
  {"9: ready only if a unit is free", HOLEY_HELM, HOLEY_FORMER_INPUTS ",restarts=false", HOLEY_FORMER_INPUTS},
  {"12: loads alone bypass", HOLEY_HELM, FORMER_HELM ",stores=false", FORMER},
  {"empty ways are bypassed, too", HOLEY_HELM, FORMER_HELM ",fills_room=false", FORMER},
  {"64 MSHRs in the L1", HOLEY_HELM, FORMER_HELM MSHRS, FORMER MSHRS},
  {"no fetch ahead in CPU cores", HOLEY_HELM, FORMER_HELM NO_FETCH_AHEAD, FORMER NO_FETCH_AHEAD},
  {"twice the memory", HOLEY_HELM, FORMER_HELM TWICE, FORMER TWICE},
  {"today's inputs", HOLEY_HELM, HAZARD_FREE ",restarts=false", HAZARD_FREE},
  {"TAP-RRIP in the former form", HOLEY_TAP, FORMER DEMOTES, FORMER},
  {"TAP-RRIP, 64 MSHRs in the L1", HOLEY_TAP, FORMER DEMOTES MSHRS, FORMER MSHRS},
  {"TAP-RRIP, no fetch ahead in CPU cores", HOLEY_TAP, FORMER DEMOTES NO_FETCH_AHEAD, FORMER NO_FETCH_AHEAD},
  {"TAP-RRIP, twice the memory", HOLEY_TAP, FORMER DEMOTES TWICE, FORMER TWICE},
  {"TAP-RRIP: equal priority to a sensitive GPU", HOLEY_TAP, FORMER, FORMER},
  {"SDBP in the former form", HOLEY_SDBP, FORMER ",dead_first=true", FORMER},
  {"SDBP: the GPU's accesses alone", HOLEY_SDBP, FORMER, FORMER},
};

enum { READINGS = sizeof readings / sizeof *readings, FORMER_READINGS = sizeof former / sizeof *former };

// Each runs in many ways, so that a small study has the first half of them.
static unsigned draw(const struct weir_plan *p, struct holey_mix *out) {
  unsigned count = holey_draw(p, HOLEY_2C4G, out);
  return weir_plan_mixes(p) || weir_plan_size(p) == WEIR_SIZE_PAPER ? count : count / 2;
}

static void plan_readings(struct weir_plan *p, const struct reading *r, unsigned readings_count) {
  struct holey_mix mixes[HOLEY_MIXES];
  unsigned count = draw(p, mixes);
  for (unsigned m = 0; m < count; m++) {
    for (unsigned i = 0; i < readings_count; i++) {
      holey_plan_mix(p, mixes[m].name, HOLEY_LRU, r[i].baseline);
      holey_plan_mix(p, mixes[m].name, r[i].scheme, r[i].suffix);
    }
  }
}

void holey_plan_open(struct weir_plan *p) {
  plan_readings(p, readings, READINGS);
}

void holey_plan_former(struct weir_plan *p) {
  plan_readings(p, former, FORMER_READINGS);
}

static double speed(const json_t *run, const json_t *lru, unsigned requester) {
  return weir_run_requester_numbers(run, (int)requester).ipc / weir_run_requester_numbers(lru, (int)requester).ipc;
}

static void add_reading(struct weir_table *t, const struct weir_plan *p, const struct reading *r) {
  struct holey_mix mixes[HOLEY_MIXES];
  struct holey_mean cpus = {0}, gpu = {0}, all = {0};
  double traffic = 0, base = 0;
  unsigned count = draw(p, mixes);
  for (unsigned m = 0; m < count; m++) {
    const json_t *run = holey_run(p, mixes[m].name, r->scheme, r->suffix);
    const json_t *lru = holey_run(p, mixes[m].name, HOLEY_LRU, r->baseline);
    const double of_gpu = speed(run, lru, 0), one = speed(run, lru, 1), two = speed(run, lru, 2);
    holey_mean_add(&cpus, sqrt(one * two));
    holey_mean_add(&gpu, of_gpu);
    holey_mean_add(&all, cbrt(of_gpu * one * two));
    traffic += holey_traffic(run, true);
    base += holey_traffic(lru, true);
  }
  struct weir_cell *cells = weir_table_row(t);
  weir_table_text(t, &cells[0], r->label);
  cells[1].ours = holey_mean_of(&cpus);
  cells[2].ours = holey_mean_of(&gpu);
  cells[3].ours = holey_mean_of(&all);
  cells[4].ours = traffic / base;
}

static void add_readings(struct weir_table *t, const struct weir_plan *p, const struct reading *r, unsigned count) {
  weir_table_column(t, WEIR_COLUMN_TEXT, "row", "reading", NULL);
  weir_table_column(t, WEIR_COLUMN_CHANGE, "cpu", "CPU programs", NULL);
  weir_table_column(t, WEIR_COLUMN_CHANGE, "gpu", "GPU program", NULL);
  weir_table_column(t, WEIR_COLUMN_CHANGE, "combined", "combined", NULL);
  weir_table_column(t, WEIR_COLUMN_CHANGE, "utilization", "DRAM", "bytes per second of all mixes together");
  for (unsigned i = 0; i < count; i++) add_reading(t, p, &r[i]);
  weir_table_note(t,
                  "Over LRU, mixes of 2C4G; each row changes one knob, or the chip under both (docs/HELM.md). Speed: "
                  "geometric means.");
}

void holey_open(struct weir_table *t, const struct weir_plan *p) {
  add_readings(t, p, readings, READINGS);
}

void holey_former(struct weir_table *t, const struct weir_plan *p) {
  add_readings(t, p, former, FORMER_READINGS);
}

// ---- where HeLM loses: a sensitive GPU program beside a sensitive CPU program ----------------------------------------------

// `baseline`: what the chip has otherwise, LRU's too.
static const struct {
  const char *label, *mix, *scheme, *suffix, *baseline;
} losses[] = {
  {"dealii+gaussian, DRRIP", "dealii+gaussian", HOLEY_DRRIP, "", ""},
  {"dealii+gaussian, TAP-RRIP", "dealii+gaussian", HOLEY_TAP, "", ""},
  {"dealii+gaussian, SDBP", "dealii+gaussian", HOLEY_SDBP, "", ""},
  {"dealii+gaussian, HeLM", "dealii+gaussian", HOLEY_HELM, "", ""},
  {"the same, ready whether or not a unit is free", "dealii+gaussian", HOLEY_HELM, HAZARD_FREE, ""},
  {"and the chop follows the choice", "dealii+gaussian", HOLEY_HELM, HAZARD_FREE ",chop_by=threshold", ""},
  {"dealii+gaussian, HeLM, twice the memory", "dealii+gaussian", HOLEY_HELM, TWICE, TWICE},
  {"the same, ready whether or not a unit is free, twice the memory", "dealii+gaussian", HOLEY_HELM, HAZARD_FREE TWICE,
   TWICE},
  {"astar+floyd, HeLM", "astar+floyd", HOLEY_HELM, "", ""},
};
enum { LOSSES = sizeof losses / sizeof *losses };

void holey_plan_losses(struct weir_plan *p) {
  for (unsigned i = 0; i < LOSSES; i++) {
    holey_plan_mix(p, losses[i].mix, HOLEY_LRU, losses[i].baseline);
    holey_plan_mix(p, losses[i].mix, losses[i].scheme, losses[i].suffix);
  }
}

static double misses(const json_t *run, const json_t *lru, unsigned requester) {
  const struct weir_program_numbers own = weir_run_requester_numbers(run, (int)requester),
                                    base = weir_run_requester_numbers(lru, (int)requester);
  return holey_llc_misses(&own) / holey_llc_misses(&base);
}

void holey_losses(struct weir_table *t, const struct weir_plan *p) {
  weir_table_column(t, WEIR_COLUMN_TEXT, "row", "", NULL);
  weir_table_column(t, WEIR_COLUMN_CHANGE, "combined", "combined", NULL);
  weir_table_column(t, WEIR_COLUMN_CHANGE, "cpu", "CPU program", NULL);
  weir_table_column(t, WEIR_COLUMN_CHANGE, "gpu", "GPU program", NULL);
  weir_table_column(t, WEIR_COLUMN_CHANGE, "cpu_misses", "CPU misses", NULL);
  weir_table_column(t, WEIR_COLUMN_CHANGE, "gpu_misses", "GPU misses", NULL);
  for (unsigned i = 0; i < LOSSES; i++) {
    const json_t *run = holey_run(p, losses[i].mix, losses[i].scheme, losses[i].suffix);
    const json_t *lru = holey_run(p, losses[i].mix, HOLEY_LRU, losses[i].baseline);
    const double gpu = speed(run, lru, 0), cpu = speed(run, lru, 1);
    struct weir_cell *cells = weir_table_row(t);
    weir_table_text(t, &cells[0], losses[i].label);
    cells[1].ours = sqrt(cpu * gpu);
    cells[2].ours = cpu;
    cells[3].ours = gpu;
    cells[4].ours = misses(run, lru, 1);
    cells[5].ours = misses(run, lru, 0);
  }
  weir_table_note(t, "Over LRU on the same chip, 1C4G. Combined: geometric.");
}
