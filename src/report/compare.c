// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "report/compare_private.h"
#include "report/share.h"
#include "run/mix.h"
#include "run/numbers.h"
#include "run/object.h"
#include "table/chart/chart.h"

enum column { PROGRAM, SCHEME, REPLACEMENT, CYCLES, SPEEDUP, HIT_RATE, MISSES, BYPASSED, DRAM, ENERGY, CHECK };

// Columns that are there only if they say something; 0: it is not.
struct extras {
  unsigned bound, chosen;
};

static struct extras make_columns(struct weir_table *t, bool bound, bool sweeps) {
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
  };
  struct extras x = {0};
  weir_table_columns(t, columns, CHECK + 1u);
  if (bound) {
    x.bound = t->column_count;
    weir_table_column(t, WEIR_COLUMN_PERCENT, "of_bound", "of bound",
                      "of the load misses of the recorded run that the best of decisions would spare (scheme opt), "
                      "those that this scheme spares");
  }
  if (sweeps) {
    x.chosen = t->column_count;
    weir_table_column(t, WEIR_COLUMN_TEXT, "chosen", "chosen",
                      "by a scheme that sweeps: the values with the fewest cycles, which its row is of");
  }
  return x;
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

// The first level's bound that some run of the program has; NULL: none does.
static const json_t *bound_of(const struct weir_batch_item *items, unsigned count) {
  const json_t *bound = NULL;
  for (unsigned i = 0; i < count && !bound; i++)
    if (items[i].run) bound = weir_run_bound(items[i].run, WEIR_FIRST_CACHE);
  return bound;
}

static double of_bound(const json_t *run, const json_t *bound) {
  const struct weir_bound_numbers n = weir_bound_of(bound);
  return weir_share(n.load_misses - weir_run_cache(run, WEIR_FIRST_CACHE).loads.misses,
                    n.load_misses - n.least_load_misses);
}

// first: of the program's items, of which there are `schemes`.
static void put_item(struct weir_table *t, const struct extras *x, const struct weir_batch_item *item,
                     const struct weir_batch_item *first, unsigned schemes) {
  struct weir_cell *c = weir_table_row(t);
  weir_table_text(t, &c[PROGRAM], item->experiment.program);
  weir_table_text(t, &c[SCHEME], item->experiment.scheme);
  if (item->run)
    put_run(t, c, item->run, first->run);
  else
    weir_table_text(t, &c[CHECK], item->failure ? "failed" : "not run");
  const json_t *bound = bound_of(first, schemes);
  if (item->run && bound) c[x->bound].ours = of_bound(item->run, bound);
  char *chosen = weir_batch_choice(item);
  if (*chosen) weir_table_text(t, &c[x->chosen], chosen);
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
  const struct extras x = make_columns(t, bound_of(b->items, b->count), any_sweeps(b));
  for (unsigned i = 0; i < b->count; i++) put_item(t, &x, &b->items[i], &b->items[i - i % schemes], schemes);
  if (b->count > schemes) weir_compare_means(t, b, schemes, averaged, sizeof averaged / sizeof *averaged);
}
