// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Launches, by kernel.
#include "report/part.h"

#include "base/alloc.h"
#include "base/demangle.h"
#include "report/share.h"
#include "run/numbers.h"
#include "run/object.h"
#include "table/table.h"

#include <stdlib.h>
#include <string.h>

struct kernel {
  const char *name;
  double launches, cycles, warp_instructions, accesses, hits;
};

static int by_cycles(const void *a, const void *b) {
  const struct kernel *x = a, *y = b;
  double p = x->cycles > 0 ? x->cycles : x->warp_instructions, q = y->cycles > 0 ? y->cycles : y->warp_instructions;
  return p != q ? (p < q) - (p > q) : strcmp(x->name, y->name);
}

static struct kernel *kernel_of(struct kernel *kernels, unsigned *count, const char *name) {
  for (unsigned i = *count; i-- > 0;)
    if (!strcmp(kernels[i].name, name)) return &kernels[i];
  kernels[*count] = (struct kernel){.name = name};
  return &kernels[(*count)++];
}

// Longest first; freed by weir_free.
static struct kernel *gather_kernels(const json_t *list, unsigned *count) {
  struct kernel *kernels = weir_new_array(struct kernel, json_array_size(list));
  size_t i;
  json_t *launch;
  *count = 0;
  json_array_foreach((json_t *)list, i, launch) {
    const struct weir_launch_numbers is = weir_launch_of(launch);
    const struct weir_run_numbers counts = weir_launch_counts(launch);
    const struct weir_access_numbers loads = weir_cache_of(&counts, WEIR_FIRST_CACHE).loads;
    struct kernel *k = kernel_of(kernels, count, is.name);
    k->launches += is.launches;
    k->cycles += counts.cycles;
    k->warp_instructions += counts.warp_instructions;
    k->accesses += loads.accesses;
    k->hits += loads.hits + loads.hits_on_miss;
  }
  if (*count) qsort(kernels, *count, sizeof *kernels, by_cycles);
  return kernels;
}

static void kernel_rows(struct weir_table *t, const struct kernel *kernels, unsigned count) {
  double cycles = 0;
  for (unsigned i = 0; i < count; i++) cycles += kernels[i].cycles;
  for (unsigned i = 0; i < count && i < WEIR_REPORT_LINES; i++) {
    const struct kernel *k = &kernels[i];
    struct weir_cell *c = weir_table_row(t);
    char *name = weir_demangle(k->name);
    weir_table_text(t, &c[0], name);
    weir_free(name);
    c[1].ours = k->launches;
    c[2].ours = k->cycles;
    c[3].ours = weir_share(k->cycles, cycles);
    c[4].ours = k->warp_instructions;
    c[5].ours = weir_share(k->warp_instructions, k->cycles);
    c[6].ours = weir_share(k->hits, k->accesses);
  }
}

void weir_print_kernels(const json_t *run, FILE *to) {
  unsigned count;
  struct weir_table t;
  struct kernel *kernels = gather_kernels(weir_run_member(run, "kernels"), &count);
  weir_table_start(&t, "kernels", "");
  weir_table_column(&t, WEIR_COLUMN_TEXT, "kernel", "kernel", NULL);
  weir_table_column(&t, WEIR_COLUMN_COUNT, "launches", "launches", NULL);
  weir_table_column(&t, WEIR_COLUMN_COUNT, "cycles", "cycles", NULL);
  weir_table_column(&t, WEIR_COLUMN_PERCENT, "share", "of cycles", NULL);
  weir_table_column(&t, WEIR_COLUMN_COUNT, "warp_instructions", "warp instructions", NULL);
  weir_table_column(&t, WEIR_COLUMN_REAL, "ipc", "per cycle", NULL);
  weir_table_column(&t, WEIR_COLUMN_PERCENT, "l1_hit_rate", "L1 hits",
                    "of loads, also those that waited for a fill already on "
                    "its way");
  kernel_rows(&t, kernels, count);
  fputc('\n', to);
  weir_table_print(&t, to);
  if (count > WEIR_REPORT_LINES)
    fprintf(to, "\n%u shorter kernels are not shown (--json has them)\n", count - WEIR_REPORT_LINES);
  weir_table_free(&t);
  weir_free(kernels);
}
