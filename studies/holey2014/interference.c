// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Figures 1 and 15: bzip2 beside each GPU program: who holds the cache, and what that does to bzip2.
#include "holey2014/holey2014.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// The paper's bars: TAP-RRIP needs more than two GPU cores.
static const struct bar {
  const char *label, *scheme, *suffix;
} bars[] = {
  {"LRU, 1 GPU core", HOLEY_LRU, ",core.count=1"},
  {"LRU, 2 GPU cores", HOLEY_LRU, ",core.count=2"},
  {"LRU, 4 GPU cores", HOLEY_LRU, ""},
  {"DRRIP, 1 GPU core", HOLEY_DRRIP, ",core.count=1"},
  {"DRRIP, 2 GPU cores", HOLEY_DRRIP, ",core.count=2"},
  {"DRRIP, 4 GPU cores", HOLEY_DRRIP, ""},
  {"TAP-RRIP, 4 GPU cores", HOLEY_TAP, ""},
  {"HeLM, 4 GPU cores", HOLEY_HELM, ""},
};

enum { BARS = sizeof bars / sizeof *bars };

static void with_bzip2(char out[HOLEY_MIX_NAME], const char *gpu) {
  snprintf(out, HOLEY_MIX_NAME, HOLEY_BZIP2 "+%s", gpu);
}

static void plan_bar(struct weir_plan *p, const struct bar *b) {
  char mix[HOLEY_MIX_NAME];
  for (const char *const *gpu = holey_gpu_beside(p)->programs; *gpu; gpu++) {
    with_bzip2(mix, *gpu);
    holey_plan_mix(p, mix, b->scheme, b->suffix);
  }
}

void holey_plan_interference(struct weir_plan *p) {
  holey_plan_mix(p, HOLEY_BZIP2, HOLEY_LRU, "");
  for (unsigned i = 0; i < BARS; i++) plan_bar(p, &bars[i]);
}

// ---- Figure 1 ------------------------------------------------------------------------------------------------------

static void add_mean(double *sum, unsigned *count, double value) {
  if (isnan(value)) return;
  *sum += value;
  (*count)++;
}

static void add_bar(struct weir_table *t, const struct weir_plan *p, const struct bar *b) {
  char mix[HOLEY_MIX_NAME];
  double alone = holey_of(p, HOLEY_BZIP2, HOLEY_LRU, 1).ipc;
  double sums[3] = {0};
  unsigned counts[3] = {0};
  for (const char *const *gpu = holey_gpu_beside(p)->programs; *gpu; gpu++) {
    with_bzip2(mix, *gpu);
    const json_t *run = holey_run(p, mix, b->scheme, b->suffix);
    const struct weir_program_numbers cpu_program = weir_run_requester_numbers(run, 1),
                                      gpu_program = weir_run_requester_numbers(run, 0);
    add_mean(&sums[0], &counts[0], weir_last_share(&cpu_program.shared).occupancy);
    add_mean(&sums[1], &counts[1], weir_last_share(&gpu_program.shared).occupancy);
    add_mean(&sums[2], &counts[2], cpu_program.ipc / alone);
  }
  struct weir_cell *cells = weir_table_row(t);
  weir_table_text(t, &cells[0], b->label);
  for (unsigned i = 0; i < 3; i++) cells[1 + i].ours = counts[i] ? sums[i] / counts[i] : NAN;
}

void holey_figure_1(struct weir_table *t, const struct weir_plan *p) {
  weir_table_column(t, WEIR_COLUMN_TEXT, "row", "", NULL);
  weir_table_column(t, WEIR_COLUMN_PERCENT, "cpu", "held by " HOLEY_BZIP2,
                    "mean share of the cache's lines while it ran");
  weir_table_column(t, WEIR_COLUMN_PERCENT, "gpu", "held by the GPU", "likewise");
  weir_table_column(t, WEIR_COLUMN_PERCENT, "ipc", "IPC of " HOLEY_BZIP2, "over that without a GPU program, under LRU");
  for (unsigned i = 0; i < BARS; i++) add_bar(t, p, &bars[i]);
  holey_publish(t);
  weir_table_note(
    t,
    "Means (arithmetic) over the GPU programs, on 1C4G. Each program's share is of its own time, up to its "
    "count, so that the two need not add up to 100 %.");
}

// ---- Figure 15 -----------------------------------------------------------------------------------------------------

void holey_plan_tap(struct weir_plan *p) {
  plan_bar(p, &(struct bar){"", HOLEY_TAP, ""});
}

// Line cycles of the shared cache by who brought the line, at the run's end.
struct shares {
  double all, gpu, dead, never_hit; // the last two: of what the core brought whose lines enter to stay
};

// The GPU core whose lines enter with a long interval: the knob long_core of TAP-RRIP.
static int staying_core(const json_t *run) {
  size_t i;
  json_t *policy;
  json_array_foreach(weir_run_member(run, "policy"), i, policy) {
    double core = weir_run_number(weir_policy_of(policy).knobs, "long_core");
    if (!isnan(core)) return (int)core;
  }
  return -1;
}

static struct shares shares_of(const json_t *run) {
  struct shares s = {0};
  int staying = staying_core(run);
  const json_t *ports = weir_run_ports(run);
  for (size_t i = 0; i < json_array_size(ports); i++) {
    const struct weir_port_numbers port = weir_port_of(json_array_get(ports, i));
    const struct weir_share_numbers llc = weir_last_share(&port.shared);
    s.all += llc.line_cycles;
    if (port.requester > 0) continue; // a CPU core's
    s.gpu += llc.line_cycles;
    if ((int)port.port != staying) continue;
    s.dead = llc.dead_cycles;
    s.never_hit = llc.never_hit_cycles;
  }
  return s;
}

static struct shares tap_shares(const struct weir_plan *p, const char *gpu) {
  char mix[HOLEY_MIX_NAME];
  with_bzip2(mix, gpu);
  return shares_of(holey_run(p, mix, HOLEY_TAP, ""));
}

static double cpu_share(const struct weir_plan *p, const char *gpu) {
  struct shares s = tap_shares(p, gpu);
  return (s.all - s.gpu) / s.all;
}

static double gpu_share(const struct weir_plan *p, const char *gpu) {
  struct shares s = tap_shares(p, gpu);
  return (s.gpu - s.dead) / s.all;
}

static double dead_share(const struct weir_plan *p, const char *gpu) {
  struct shares s = tap_shares(p, gpu);
  return s.dead / s.all;
}

static double never_hit_share(const struct weir_plan *p, const char *gpu) {
  struct shares s = tap_shares(p, gpu);
  return s.never_hit / s.all;
}

void holey_figure_15(struct weir_table *t, const struct weir_plan *p) {
#define SHARE(name, heading, meaning, of)                                                                              \
  { name, heading, meaning, WEIR_COLUMN_PERCENT, WEIR_ARITHMETIC_MEAN, of, NULL, NULL }
  static const struct weir_figure_column columns[] = {
    SHARE("cpu", HOLEY_BZIP2, NULL, cpu_share),
    SHARE("gpu", "GPU", "all but the next", gpu_share),
    SHARE("dead", "GPU, dead, of the staying core",
          "after their last hit, or never hit: lines of the GPU core that TAP has insert where they stay", dead_share),
    SHARE("never_hit", "of these never hit", NULL, never_hit_share),
    {0}};
#undef SHARE
  weir_figure_fill(t, p, columns, holey_gpu_beside(p));
  holey_publish(t);
  weir_table_note(t,
                  "Shares of the space in use, over the whole run, of " HOLEY_BZIP2
                  " beside each GPU program under TAP-RRIP on 1C4G.");
}
