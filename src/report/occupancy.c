// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Which part of the report says how many blocks of each kernel a core holds, and why not more.
#include "base/alloc.h"
#include "base/demangle.h"
#include "run/numbers.h"
#include "run/object.h"
#include "report/part.h"
#include "table/table.h"

#include <string.h>

struct occupancy {
  const char *kernel, *limit, *by, *carved_by;
  double registers, spilled, blocks, carveout;
};

static bool is_same(const struct occupancy *a, const struct occupancy *b) {
  return !strcmp(a->kernel, b->kernel) && !strcmp(a->limit, b->limit) && !strcmp(a->by, b->by) &&
    !strcmp(a->carved_by, b->carved_by) && a->registers == b->registers && a->blocks == b->blocks &&
    a->carveout == b->carveout;
}

// Each that differs from those before, in program order; freed by weir_free.
static struct occupancy *gather(const json_t *kernels, unsigned *count) {
  struct occupancy *list = weir_new_array(struct occupancy, json_array_size(kernels));
  size_t i;
  json_t *launch;
  *count = 0;
  json_array_foreach((json_t *)kernels, i, launch) {
    const struct weir_launch_numbers is = weir_launch_of(launch);
    const struct occupancy o = {is.name,
                                weir_run_text(launch, "limited_by"),
                                weir_run_text(launch, "registers_by"),
                                weir_run_text(launch, "carveout_by"),
                                is.registers,
                                is.spilled_registers,
                                is.core_blocks,
                                is.carveout_kib};
    unsigned k = 0;
    while (k < *count && !is_same(&list[k], &o)) k++;
    if (k == *count) list[(*count)++] = o;
  }
  return list;
}

// Where kernels without shared memory leave the whole array to the cache there is nothing to say, unless the program asked for it.
static bool is_carved(const struct occupancy *list, unsigned count) {
  for (unsigned k = 0; k < count; k++)
    if (list[k].carveout > 0 || !strcmp(list[k].carved_by, "preference")) return true;
  return false;
}

static void add_carveout_columns(struct weir_table *t) {
  weir_table_column(t, WEIR_COLUMN_COUNT, "carveout", "carve-out", "KiB of a core's array that are shared memory");
  weir_table_column(
    t, WEIR_COLUMN_TEXT, "carved_by", "for",
    "use: as many blocks as all else allows; the program's preference; or a block that this has no room for");
}

void weir_print_occupancy(const json_t *run, FILE *to) {
  unsigned count;
  struct occupancy *list = gather(weir_run_member(run, "kernels"), &count);
  struct weir_table t;
  weir_table_start(&t, "occupancy", "");
  weir_table_column(&t, WEIR_COLUMN_TEXT, "kernel", "kernel", NULL);
  weir_table_column(&t, WEIR_COLUMN_COUNT, "registers", "registers", "per thread");
  weir_table_column(
    &t, WEIR_COLUMN_TEXT, "by", "as said by",
    "an estimate, the program's machine code, ptxas, the launch, or core.kernel_registers (--registers)");
  weir_table_column(&t, WEIR_COLUMN_COUNT, "spilled", "spilled", "that would lie in memory on a real chip");
  weir_table_column(&t, WEIR_COLUMN_COUNT, "blocks", "blocks per core", NULL);
  weir_table_column(&t, WEIR_COLUMN_TEXT, "limit", "limited by", NULL);
  const bool carved = is_carved(list, count);
  if (carved) add_carveout_columns(&t);
  for (unsigned k = 0; k < count && k < WEIR_REPORT_LINES; k++) {
    struct weir_cell *c = weir_table_row(&t);
    char *name = weir_demangle(list[k].kernel);
    weir_table_text(&t, &c[0], name);
    weir_free(name);
    c[1].ours = list[k].registers;
    weir_table_text(&t, &c[2], list[k].by);
    c[3].ours = list[k].spilled;
    c[4].ours = list[k].blocks;
    weir_table_text(&t, &c[5], list[k].limit);
    if (!carved) continue;
    c[6].ours = list[k].carveout;
    weir_table_text(&t, &c[7], list[k].carved_by);
  }
  if (count) fputc('\n', to);
  if (count) weir_table_print(&t, to);
  if (count > WEIR_REPORT_LINES)
    fprintf(to, "\n%u more kernels are not shown (--json has them)\n", count - WEIR_REPORT_LINES);
  weir_table_free(&t);
  weir_free(list);
}
