// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What bank conflicts of shared memory cost, by source line, and whether that is more than what misses cost. The common
// measure is cycles that memory instructions wait, summed over the instructions (profilers' warp stall cycles): for the extra
// passes over the banks, or for the data of a load that did not hit.
#include "report/part.h"

#include "base/alloc.h"
#include "run/numbers.h"
#include "run/object.h"
#include "report/place.h"
#include "table/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct shared_line {
  struct weir_report_line is;
  unsigned instructions;
  double accesses, passes, extra_passes, waited_cycles, worst_passes;
};

static int by_waits(const void *a, const void *b) {
  const struct shared_line *x = a, *y = b;
  if (x->waited_cycles != y->waited_cycles) return x->waited_cycles < y->waited_cycles ? 1 : -1;
  if (x->extra_passes != y->extra_passes) return x->extra_passes < y->extra_passes ? 1 : -1;
  return weir_report_line_order(&x->is, &y->is);
}

// Most waited for first; freed by weir_free.
static struct shared_line *gather(const json_t *list, const struct weir_report_files *files, unsigned *count) {
  struct shared_line *lines = weir_new_array(struct shared_line, json_array_size(list));
  size_t i;
  json_t *access;
  *count = 0;
  json_array_foreach((json_t *)list, i, access) {
    struct shared_line *l = weir_report_line_of(lines, sizeof *lines, count, access, files);
    l->instructions++;
    const struct weir_bank_numbers n = weir_bank_of(access);
    l->accesses += n.accesses;
    l->passes += n.passes;
    l->extra_passes += n.extra_passes;
    l->waited_cycles += n.waited_cycles;
    l->worst_passes = fmax(l->worst_passes, n.worst_passes);
  }
  if (*count) qsort(lines, *count, sizeof *lines, by_waits);
  return lines;
}

enum column { PLACE, FUNCTION, INSTRUCTIONS, ACCESSES, EXTRA, MEAN, WORST, WAITED };

static void make_columns(struct weir_table *t) {
  static const struct weir_column columns[] = {
    [PLACE] = {"line", "line", NULL, WEIR_COLUMN_TEXT},
    [FUNCTION] = {"function", "function", NULL, WEIR_COLUMN_TEXT},
    [INSTRUCTIONS] = {"instructions", "instructions", "loads, stores and atomics that the compiler made of the line",
                      WEIR_COLUMN_COUNT},
    [ACCESSES] = {"accesses", "accesses", "of warps", WEIR_COLUMN_COUNT},
    [EXTRA] = {"extra_passes", "extra passes", "over the banks, beyond what an access without conflict takes",
               WEIR_COLUMN_COUNT},
    [MEAN] = {"passes", "passes", "that an access takes, on average", WEIR_COLUMN_REAL},
    [WORST] = {"worst_passes", "worst", "the most passes that an access took", WEIR_COLUMN_COUNT},
    [WAITED] = {"waited_cycles", "waited", "cycles that memory instructions waited for the extra passes",
                WEIR_COLUMN_COUNT},
  };
  weir_table_columns(t, columns, WAITED + 1);
}

static void put_row(struct weir_table *t, const struct shared_line *l) {
  struct weir_cell *c = weir_table_row(t);
  weir_report_line_cells(t, &c[PLACE], &c[FUNCTION], NULL, &l->is);
  c[INSTRUCTIONS].ours = l->instructions;
  c[ACCESSES].ours = l->accesses;
  c[EXTRA].ours = l->extra_passes;
  c[MEAN].ours = l->passes / l->accesses;
  c[WORST].ours = l->worst_passes;
  c[WAITED].ours = l->waited_cycles;
}

// What all its loads together waited for data that they did not hit.
static double missed_cycles(const json_t *loads) {
  size_t i;
  json_t *load;
  double sum = 0;
  json_array_foreach((json_t *)loads, i, load) sum += weir_load_of(load).missed_latency_cycles;
  return sum;
}

static struct weir_bank_numbers sum_of(const json_t *list) {
  size_t i;
  json_t *access;
  struct weir_bank_numbers sum = {0};
  json_array_foreach((json_t *)list, i, access) {
    const struct weir_bank_numbers n = weir_bank_of(access);
    sum.accesses += n.accesses;
    sum.extra_passes += n.extra_passes;
    sum.waited_cycles += n.waited_cycles;
  }
  return sum;
}

static void print_lines(const struct shared_line *lines, unsigned count, struct weir_report_files *files, FILE *to) {
  struct weir_table t;
  unsigned shown = 0;
  weir_table_start(&t, "shared", "");
  make_columns(&t);
  for (; shown < count && shown < WEIR_REPORT_LINES && lines[shown].extra_passes > 0; shown++) {
    put_row(&t, &lines[shown]);
    weir_report_show(files, &lines[shown].is);
  }
  fputs("\nshared memory, by the cycles waited for bank conflicts\n\n", to);
  weir_table_print(&t, to);
  weir_table_free(&t);
  if (count > shown) fprintf(to, "\n%u lines with fewer are not shown (--json has them)\n", count - shown);
}

void weir_print_shared(const json_t *run, struct weir_report_files *files, FILE *to) {
  const json_t *list = weir_run_member(run, "shared");
  const struct weir_bank_numbers all = sum_of(list);
  const double waited = all.waited_cycles, missed = missed_cycles(weir_run_member(run, "loads"));
  if (all.accesses <= 0) return;
  if (all.extra_passes <= 0) {
    fprintf(to, "\nno bank conflicts in %.0f accesses to shared memory\n", all.accesses);
    return;
  }
  unsigned count;
  struct shared_line *lines = gather(list, files, &count);
  print_lines(lines, count, files, to);
  fprintf(
    to,
    "\n%s has %.0f %% of the cycles waited for bank conflicts, with up to %.0f passes an access\n"
    "bank conflicts cost %s than misses: memory instructions waited %.0f cycles for them, loads that missed %.0f\n",
    lines->is.place, 100 * lines->waited_cycles / waited, lines->worst_passes, waited > missed ? "more" : "less",
    waited, missed);
  weir_free(lines);
}
