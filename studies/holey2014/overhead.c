// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Table V: what the schemes keep. The policies count their own bits.
#include "holey2014/holey2014.h"

#include <math.h>

// The same cells for all, so that what DRRIP itself keeps can be taken off.
#define TAP "tap-rrip,rrpv_bits=2"
#define DRRIP "ta-drrip,gpu_first=true"
#define HELM "helm"
#define LITERAL_HELM "helm,tie=keep"
#define MAT "mat"
#define SDBP "sdbp"

static const char mix[] = "bzip2+floyd"; // any: storage does not depend on it

void holey_plan_overhead(struct weir_plan *p) {
  static const char *const specs[] = {TAP, DRRIP, HELM, LITERAL_HELM, MAT, SDBP};
  for (unsigned i = 0; i < sizeof specs / sizeof *specs; i++) weir_plan_add(p, mix, holey_chip(mix), specs[i]);
}

// Of all policies of a kind in all parts of the shared cache.
static double bits(const struct weir_plan *p, const char *spec, const char *kind) {
  const json_t *run = weir_plan_run(p, mix, holey_chip(mix), spec);
  if (!run) return NAN;
  double sum = 0;
  struct weir_policy_numbers policy;
  for (unsigned i = 0; weir_run_policy(run, WEIR_LAST_SHARED_CACHE, kind, i, &policy); i++)
    sum += policy.cost_bits * policy.instances;
  return sum;
}

static void row(struct weir_table *t, const char *label, double cost) {
  struct weir_cell *cells = weir_table_row(t);
  weir_table_text(t, &cells[0], label);
  cells[1].ours = cost;
  cells[2].ours = cost / 8;
}

void holey_table_5(struct weir_table *t, const struct weir_plan *p) {
  weir_table_column(t, WEIR_COLUMN_TEXT, "row", "", NULL);
  weir_table_column(t, WEIR_COLUMN_COUNT, "bits", "bits", NULL);
  weir_table_column(t, WEIR_COLUMN_BYTES, "bytes", "storage", NULL);
  row(t, "MAT", bits(p, MAT, "bypass"));
  row(t, "SDBP", bits(p, SDBP, "bypass"));
  row(t, "TAP-RRIP, over DRRIP", bits(p, TAP, "replace") - bits(p, DRRIP, "replace"));
  row(t, "HeLM", bits(p, LITERAL_HELM, "bypass"));
  row(t, "HeLM, ties by energy", bits(p, HELM, "bypass"));
  holey_publish(t);
  weir_table_note(
    t,
    "Of all tiles of 1C4G's LLC together. Without the base policy's own state: LRU's, or DRRIP's with the bit per "
    "line that says which are the GPU's. Ties by energy need counters that the paper does not count.");
}
