// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Section 4.1: what the predictors keep. The policies count their own bits.
#include "tian2015/tian2015.h"

static const char program[] = "histogram"; // any: storage does not depend on it

void tian_plan_storage(struct weir_plan *p) {
  weir_plan_add(p, program, TIAN_CHIP, TIAN_PC);
  weir_plan_add(p, program, TIAN_CHIP, TIAN_COUNTER);
}

static double bytes(const struct weir_plan *p, const char *scheme, enum weir_cache_role cache) {
  return tian_policy(p, program, scheme, cache).cost_bits / 8;
}

static void row(struct weir_table *t, const char *label, double size, double kib) {
  struct weir_cell *cells = weir_table_row(t);
  tian_label(t, cells, label);
  cells[1].ours = size;
  cells[2].ours = size / (kib * 1024);
}

void tian_storage(struct weir_table *t, const struct weir_plan *p) {
  weir_table_column(t, WEIR_COLUMN_TEXT, "predictor", "predictor", NULL);
  weir_table_column(t, WEIR_COLUMN_BYTES, "bytes", "storage", NULL);
  weir_table_column(t, WEIR_COLUMN_PERCENT, "share", "of the cache", NULL);
  row(t, "PC-based, per L1", bytes(p, TIAN_PC, WEIR_FIRST_CACHE), 16);
  row(t, "PC-based, whole L2",
      bytes(p, TIAN_PC, WEIR_FIRST_SHARED_CACHE) * tian_policy(p, program, TIAN_PC, WEIR_FIRST_SHARED_CACHE).instances,
      256);
  row(t, "counter-based, per L1", bytes(p, TIAN_COUNTER, WEIR_FIRST_CACHE), 16);
  tian_publish(t);
  weir_table_note(
    t, "Per L1, the paper counts 7 bits per block (224 bytes) but not its table of 128 counters of 4 bits (64 bytes).");
}
