// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What MRPB's bypassing and BUCL gain if what the paper leaves open is something else: over the un-coalesced programs, and
// what BUCL's access level does to three coherent ones.
#include "zhao2016/zhao2016.h"

#include <math.h>

#define MRPB "mrpb-bypass"
#define BUCL "bucl-dyn"

static const struct setting {
  const char *label, *chip, *bucl; // overrides; `bucl`: of bucl-dyn alone
} settings[] = {{"as shipped", "", ""},
                {"16 MSHRs", ",l1.mshrs=16", ""},
                {"64 MSHRs", ",l1.mshrs=64", ""},
                {"128 MSHRs", ",l1.mshrs=128", ""},
                {"miss queue of 16", ",l1.miss_queue=16", ""},
                {"linear index", ",l1.index=linear,l2.index=linear", ""},
                {"L1 hit in 35 cycles", ",l1.hit_latency_cycles=35", ""},
                {"60 cycles before the L2", ",l2.input_delay_cycles=60", ""},
                {"240 cycles before the L2", ",l2.input_delay_cycles=240", ""},
                {"queues of 64 in memory", ",l2.input_queue=64,dram.request_queue=64,dram.reply_queue=64", ""},
                {"L2 sectors of 32 bytes", ",l2.sector_bytes=32", ""},
                {"network and L2 at 700 MHz", ",clocks.network_mhz=700,clocks.cache_mhz=700", ""},
                {"instruction level alone", "", ",access_level=false"},
                {"access level alone", "", ",instruction_level=false"},
                {"pending_is_hit", "", ",pending_is_hit=true"},
                {"on_merge_full", "", ",on_merge_full=true"}};
enum { SETTINGS = sizeof settings / sizeof *settings, LONGEST = 128 };

static const char *spec(char scheme[LONGEST], const char *name, const char *chip, const char *knobs) {
  snprintf(scheme, LONGEST, "%s%s%s", name, knobs, chip);
  return scheme;
}

void zhao_plan_open(struct weir_plan *p) {
  char scheme[LONGEST];
  for (const char *const *program = zhao_uncoalesced; *program; program++)
    for (const struct setting *s = settings; s < settings + SETTINGS; s++) {
      weir_plan_add(p, *program, ZHAO_CHIP, spec(scheme, ZHAO_BASELINE, s->chip, ""));
      weir_plan_add(p, *program, ZHAO_CHIP, spec(scheme, MRPB, s->chip, ""));
      weir_plan_add(p, *program, ZHAO_CHIP, spec(scheme, BUCL, s->chip, s->bucl));
    }
}

static double ipc(const struct weir_plan *p, const char *program, const char *scheme) {
  const struct weir_run_numbers total = zhao_total(p, program, scheme);
  return total.thread_instructions / total.cycles;
}

// The geometric mean of IPC over the baseline's with the same setting, and the arithmetic one of hit rates.
static void means(struct weir_cell *speed, struct weir_cell *hits, const struct weir_plan *p, const char *scheme,
                  const char *baseline) {
  double logs = 0, sum = 0;
  unsigned n = 0;
  for (const char *const *program = zhao_uncoalesced; *program; program++, n++) {
    logs += log(ipc(p, *program, scheme) / ipc(p, *program, baseline));
    sum += zhao_hit_rate(p, *program, scheme);
  }
  speed->ours = exp(logs / n);
  hits->ours = sum / n;
}

void zhao_open(struct weir_table *t, const struct weir_plan *p) {
  weir_table_column(t, WEIR_COLUMN_TEXT, "setting", "setting", NULL);
  weir_table_column(t, WEIR_COLUMN_CHANGE, "mrpb", "MRPB's bypass", "over the baseline with the same setting");
  weir_table_column(t, WEIR_COLUMN_PERCENT, "mrpb_hits", "hit rate", NULL);
  weir_table_column(t, WEIR_COLUMN_CHANGE, "bucl", "BUCL-Dyn", "likewise");
  weir_table_column(t, WEIR_COLUMN_PERCENT, "bucl_hits", "BUCL's hit rate", NULL);
  for (const struct setting *s = settings; s < settings + SETTINGS; s++) {
    struct weir_cell *cells = weir_table_row(t);
    char baseline[LONGEST], scheme[LONGEST];
    weir_table_text(t, &cells[0], s->label);
    spec(baseline, ZHAO_BASELINE, s->chip, "");
    if (!*s->bucl) means(&cells[1], &cells[2], p, spec(scheme, MRPB, s->chip, ""), baseline);
    means(&cells[3], &cells[4], p, spec(scheme, BUCL, s->chip, s->bucl), baseline);
  }
  zhao_publish(t);
  weir_table_note(t, "The five un-coalesced programs. Means of IPC: geometric, of hit rates: arithmetic.");
}

// ---- coherent programs -----------------------------------------------------------------------------------------------

static const char *const stalling[] = {"bp", "bt", "2dc", NULL};
static const struct weir_figure_group coherent[] = {{stalling, NULL}, {NULL, NULL}};

void zhao_plan_access(struct weir_plan *p) {
  static const char *const schemes[] = {ZHAO_BASELINE, BUCL, BUCL ",access_level=false", BUCL ",on_merge_full=true"};
  for (unsigned i = 0; i < sizeof schemes / sizeof *schemes; i++)
    for (const char *const *program = stalling; *program; program++) weir_plan_add(p, *program, ZHAO_CHIP, schemes[i]);
}

void zhao_access(struct weir_table *t, const struct weir_plan *p) {
#define SPEED(name, heading, scheme)                                                                                   \
  { name, heading, NULL, WEIR_COLUMN_CHANGE, WEIR_NO_MEAN, NULL, zhao_speedup, scheme }
  static const struct weir_figure_column columns[] = {
    SPEED("bucl_dyn", "BUCL-Dyn", BUCL),
    SPEED("no_access_level", "without its access level", BUCL ",access_level=false"),
    SPEED("on_merge_full", "with on_merge_full", BUCL ",on_merge_full=true"),
    {0}};
#undef SPEED
  zhao_table(t, p, columns, coherent);
}
