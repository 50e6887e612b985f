// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "report/compare_private.h"
#include "report/share.h"
#include "run/mix.h"
#include "run/numbers.h"
#include "run/object.h"
#include "table/chart/chart.h"

enum column { PROGRAM, SCHEME, REPLACEMENT, CYCLES, SPEEDUP, HIT_RATE, MISSES, BYPASSED, DRAM, ENERGY, CHECK, CHOSEN };

static void make_columns(struct weir_table *t, bool sweeps) {
  static const struct weir_column columns[] = {
    [PROGRAM] = {"program", "program", NULL, WEIR_COLUMN_TEXT},
    [SCHEME] = {"scheme", "scheme", NULL, WEIR_COLUMN_TEXT},
    [REPLACEMENT] = {"replacement", "replacement", WEIR_REPLACEMENT_HELP, WEIR_COLUMN_TEXT},
    [CYCLES] = {"cycles", "cycles", "core cycles from the first launch to the last thread's end", WEIR_COLUMN_COUNT},
    [SPEEDUP] = {"speedup", "speedup", "the first scheme's cycles over this one's: above 1 is faster",
                 WEIR_COLUMN_RATIO},
    [HIT_RATE] = {"l1_hit_rate", "L1 hits",
                  "loads that found their line in the first-level cache, or on its way into it", WEIR_COLUMN_PERCENT},
    [MISSES] = {"l1_misses", "L1 misses", "load misses, against the first scheme's", WEIR_COLUMN_CHANGE},
    [BYPASSED] = {"l1_bypassed", "bypassed", "loads whose line was kept out of the first level", WEIR_COLUMN_PERCENT},
    [DRAM] = {"dram_bytes", "DRAM", "bytes moved to and from memory", WEIR_COLUMN_BYTES},
    [ENERGY] = {"energy", "energy", "of the whole chip as modelled, against the first scheme's", WEIR_COLUMN_CHANGE},
    [CHECK] = {"check", "results", "against the program's own reference", WEIR_COLUMN_TEXT},
    [CHOSEN] = {"chosen", "chosen", "by a scheme that sweeps: the values with the fewest cycles, which its row is of",
                WEIR_COLUMN_TEXT},
  };
  weir_table_columns(t, columns, (sweeps ? CHOSEN : CHECK) + 1u);
}

static void put_run(struct weir_table *t, struct weir_cell *c, const json_t *run, const json_t *first) {
  char *replacement = weir_compare_replacement(run);
  weir_table_text(t, &c[REPLACEMENT], replacement);
  weir_free(replacement);
  const struct weir_run_numbers total = weir_run_total(run), base = weir_run_total(first);
  const struct weir_access_numbers loads = weir_cache_of(&total, WEIR_FIRST_CACHE).loads;
  c[CYCLES].ours = total.cycles;
  c[SPEEDUP].ours = weir_share(base.cycles, total.cycles);
  c[HIT_RATE].ours = weir_share(loads.hits + loads.hits_on_miss, loads.accesses);
  c[MISSES].ours = weir_share(loads.misses, weir_cache_of(&base, WEIR_FIRST_CACHE).loads.misses);
  c[BYPASSED].ours = weir_share(loads.bypasses, loads.accesses);
  c[DRAM].ours = total.dram.bytes;
  c[ENERGY].ours = weir_share(total.energy_pj, base.energy_pj);
  weir_table_text(t, &c[CHECK], weir_run_text(run, "check"));
}

static void put_item(struct weir_table *t, const struct weir_batch_item *item, const struct weir_batch_item *first) {
  struct weir_cell *c = weir_table_row(t);
  weir_table_text(t, &c[PROGRAM], item->experiment.program);
  weir_table_text(t, &c[SCHEME], item->experiment.scheme);
  if (item->run)
    put_run(t, c, item->run, first->run);
  else
    weir_table_text(t, &c[CHECK], item->failure ? "failed" : "not run");
  char *chosen = weir_batch_choice(item);
  if (*chosen) weir_table_text(t, &c[CHOSEN], chosen);
  weir_free(chosen);
}

static bool any_sweeps(const struct weir_batch *b) {
  for (unsigned i = 0; i < b->count; i++)
    if (b->items[i].setup.scheme) return true;
  return false;
}

static bool any_mixes(const struct weir_batch *b) {
  for (unsigned i = 0; i < b->count; i++)
    if (weir_mix_is(b->items[i].experiment.program)) return true;
  return false;
}

void weir_compare_table(struct weir_table *t, const struct weir_batch *b, unsigned schemes) {
  static const struct weir_chart speedups = {WEIR_CHART_BARS, {"speedup"}, .by = "scheme", .baseline = 1};
  static const unsigned averaged[] = {SPEEDUP, MISSES, ENERGY};
  weir_table_start(t, "compare", "");
  t->chart = &speedups;
  if (any_mixes(b)) {
    weir_compare_mixes(t, b, schemes, any_sweeps(b));
    return;
  }
  make_columns(t, any_sweeps(b));
  for (unsigned i = 0; i < b->count; i++) put_item(t, &b->items[i], &b->items[i - i % schemes]);
  if (b->count > schemes) weir_compare_means(t, b, schemes, averaged, sizeof averaged / sizeof *averaged);
}
