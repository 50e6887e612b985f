// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Kernels and source lines in the units of NVIDIA's Nsight Compute: requests, sectors, wavefronts.
#include "report/report.h"

#include "base/alloc.h"
#include "base/demangle.h"
#include "report/part.h"
#include "report/place.h"
#include "report/share.h"
#include "run/numbers.h"
#include "run/object.h"
#include "table/table.h"

#include <stdlib.h>
#include <string.h>

static void print_rest(unsigned count, const char *what, FILE *to) {
  if (count > WEIR_REPORT_LINES)
    fprintf(to, "\n%u %s are not shown (--json has them)\n", count - WEIR_REPORT_LINES, what);
}

// ---- kernels --------------------------------------------------------------------------------------------------------

struct kernel {
  const char *name;
  double launches, cycles;
  struct weir_ncu_numbers n; // its counts are sums over launches
};

static int by_cycles(const void *a, const void *b) {
  const struct kernel *x = a, *y = b;
  return x->cycles != y->cycles ? (x->cycles < y->cycles) - (x->cycles > y->cycles) : strcmp(x->name, y->name);
}

static void add_launch(struct kernel *k, const json_t *launch) {
  const struct weir_ncu_numbers n = weir_launch_ncu(launch);
  k->launches += weir_launch_of(launch).launches;
  k->cycles += weir_launch_counts(launch).cycles;
#define ADD(name, ...) k->n.name += n.name;
  WEIR_NCU_COUNTS(ADD)
#undef ADD
}

// Longest first; freed by weir_free.
static struct kernel *gather_kernels(const json_t *list, unsigned *count) {
  struct kernel *kernels = weir_new_array(struct kernel, json_array_size(list));
  size_t i;
  json_t *launch;
  *count = 0;
  json_array_foreach((json_t *)list, i, launch) {
    const char *name = weir_launch_of(launch).name;
    unsigned k = 0;
    while (k < *count && strcmp(kernels[k].name, name) != 0) k++;
    if (k == *count) kernels[(*count)++] = (struct kernel){.name = name};
    add_launch(&kernels[k], launch);
  }
  if (*count) qsort(kernels, *count, sizeof *kernels, by_cycles);
  return kernels;
}

static struct weir_cell *kernel_row(struct weir_table *t, const struct kernel *k) {
  struct weir_cell *c = weir_table_row(t);
  char *name = weir_demangle(k->name);
  weir_table_text(t, &c[0], name);
  weir_free(name);
  return c;
}

static void first_level_row(struct weir_table *t, const struct kernel *k) {
  struct weir_cell *c = kernel_row(t, k);
  const struct weir_ncu_numbers *n = &k->n;
  const double loads = n->l1tex__t_requests_pipe_lsu_mem_global_op_ld,
               stores = n->l1tex__t_requests_pipe_lsu_mem_global_op_st,
               read = n->l1tex__t_sectors_pipe_lsu_mem_global_op_ld,
               written = n->l1tex__t_sectors_pipe_lsu_mem_global_op_st;
  c[1].ours = k->launches;
  c[2].ours = loads;
  c[3].ours = read;
  c[4].ours = weir_share(read, loads);
  c[5].ours = weir_share(n->l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit, read);
  c[6].ours = stores;
  c[7].ours = written;
  c[8].ours = weir_share(written, stores);
  c[9].ours = weir_share(n->l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit, written);
  c[10].ours = n->l1tex__t_sectors_pipe_lsu_mem_local_op_ld + n->l1tex__t_sectors_pipe_lsu_mem_local_op_st;
}

static void second_level_row(struct weir_table *t, const struct kernel *k) {
  struct weir_cell *c = kernel_row(t, k);
  const struct weir_ncu_numbers *n = &k->n;
  const double read = n->lts__t_sectors_srcunit_tex_op_read;
  c[1].ours = read;
  c[2].ours = weir_share(n->lts__t_sectors_srcunit_tex_op_read_lookup_hit, read);
  c[3].ours = n->lts__t_sectors_srcunit_tex_op_write;
  c[4].ours = n->dram__sectors_read;
  c[5].ours = n->dram__sectors_write;
  c[6].ours = n->l1tex__data_pipe_lsu_wavefronts_mem_shared;
  c[7].ours = k->cycles;
}

static void first_level_columns(struct weir_table *t) {
  static const struct weir_column columns[] = {
    {"kernel", "kernel", NULL, WEIR_COLUMN_TEXT},
    {"launches", "launches", NULL, WEIR_COLUMN_COUNT},
    {"load_requests", "loads", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", WEIR_COLUMN_COUNT},
    {"load_sectors", "sectors read", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", WEIR_COLUMN_COUNT},
    {"sectors_per_load", "per load", NULL, WEIR_COLUMN_REAL},
    {"load_hit_rate", "hit", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum, of these",
     WEIR_COLUMN_PERCENT},
    {"store_requests", "stores", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", WEIR_COLUMN_COUNT},
    {"store_sectors", "written", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", WEIR_COLUMN_COUNT},
    {"sectors_per_store", "per store", NULL, WEIR_COLUMN_REAL},
    {"store_hit_rate", "present", "l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum, of these",
     WEIR_COLUMN_PERCENT},
    {"local_sectors", "local", "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum + ..._op_st.sum", WEIR_COLUMN_COUNT},
  };
  weir_table_columns(t, columns, sizeof columns / sizeof *columns);
}

static void second_level_columns(struct weir_table *t) {
  static const struct weir_column columns[] = {
    {"kernel", "kernel", NULL, WEIR_COLUMN_TEXT},
    {"l2_read_sectors", "L2 read", "lts__t_sectors_srcunit_tex_op_read.sum", WEIR_COLUMN_COUNT},
    {"l2_read_hit_rate", "hit", "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum, of these", WEIR_COLUMN_PERCENT},
    {"l2_written_sectors", "L2 written", "lts__t_sectors_srcunit_tex_op_write.sum", WEIR_COLUMN_COUNT},
    {"dram_read_sectors", "DRAM read", "dram__sectors_read.sum", WEIR_COLUMN_COUNT},
    {"dram_written_sectors", "DRAM written", "dram__sectors_write.sum", WEIR_COLUMN_COUNT},
    {"shared_wavefronts", "wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", WEIR_COLUMN_COUNT},
    {"cycles", "cycles", "sm__cycles_elapsed.max", WEIR_COLUMN_COUNT},
  };
  weir_table_columns(t, columns, sizeof columns / sizeof *columns);
}

static void print_kernel_table(const struct kernel *kernels, unsigned count, const char *name,
                               void (*columns)(struct weir_table *t),
                               void (*row)(struct weir_table *t, const struct kernel *k), FILE *to) {
  struct weir_table t;
  weir_table_start(&t, name, "");
  columns(&t);
  for (unsigned i = 0; i < count && i < WEIR_REPORT_LINES; i++) row(&t, &kernels[i]);
  weir_table_print(&t, to);
  weir_table_free(&t);
}

static void print_kernels(const json_t *list, FILE *to) {
  unsigned count;
  struct kernel *kernels = gather_kernels(list, &count);
  fputs("\nkernels: global memory in the first level, in sectors of 32 bytes\n\n", to);
  print_kernel_table(kernels, count, "ncu_l1", first_level_columns, first_level_row, to);
  fputs("\nkernels: L2 and memory, in sectors; shared memory; time\n\n", to);
  print_kernel_table(kernels, count, "ncu_l2", second_level_columns, second_level_row, to);
  print_rest(count, "shorter kernels", to);
  weir_free(kernels);
}

// ---- lines that access global and local memory ------------------------------------------------------------------------

struct line {
  struct weir_report_line is;
  const char *kind;
  double requests, sectors, hits;      // of global and local memory
  double accesses, wavefronts, excess; // of shared memory
};

static int by_sectors(const void *a, const void *b) {
  const struct line *x = a, *y = b;
  return x->sectors != y->sectors ? (x->sectors < y->sectors) - (x->sectors > y->sectors)
                                  : weir_report_line_order(&x->is, &y->is);
}

static int by_wavefronts(const void *a, const void *b) {
  const struct line *x = a, *y = b;
  return x->wavefronts != y->wavefronts ? (x->wavefronts < y->wavefronts) - (x->wavefronts > y->wavefronts)
                                        : weir_report_line_order(&x->is, &y->is);
}

// Of a list of the run object, behind the *count lines there are.
static void gather_accesses(struct line *lines, unsigned *count, const json_t *list, const char *kind,
                            const struct weir_report_files *files) {
  size_t i;
  json_t *instruction;
  unsigned own = 0;
  json_array_foreach((json_t *)list, i, instruction) {
    struct line *l = weir_report_line_of(lines + *count, sizeof *lines, &own, instruction, files);
    const struct weir_store_numbers n = weir_store_of(instruction); // which loads have, too
    l->kind = kind;
    l->requests += n.executions;
    l->sectors += n.transactions;
    l->hits += n.hits + n.hits_on_miss;
  }
  *count += own;
}

static void line_columns(struct weir_table *t) {
  static const struct weir_column columns[] = {
    {"line", "line", NULL, WEIR_COLUMN_TEXT},
    {"function", "function", NULL, WEIR_COLUMN_TEXT},
    {"array", "array", "? an array that the PTX does not tell", WEIR_COLUMN_TEXT},
    {"kind", "kind", NULL, WEIR_COLUMN_TEXT},
    {"requests", "requests", "inst_executed, by warps with a lane that takes part", WEIR_COLUMN_COUNT},
    {"sectors", "sectors", "memory_l2_theoretical_sectors_global (..._local); of atomics transactions",
     WEIR_COLUMN_COUNT},
    {"sectors_per_request", "per request", NULL, WEIR_COLUMN_REAL},
    {"hit_rate", "hit", "in the first level, by sector; of atomics in the L2. Nsight Compute has none by line",
     WEIR_COLUMN_PERCENT},
  };
  weir_table_columns(t, columns, sizeof columns / sizeof *columns);
}

static void print_accesses(const json_t *run, struct weir_report_files *files, FILE *to) {
  const json_t *loads = weir_run_member(run, "loads"), *stores = weir_run_member(run, "stores"),
               *atomics = weir_run_member(run, "atomics");
  const size_t room = json_array_size(loads) + json_array_size(stores) + json_array_size(atomics);
  if (!room) return;
  struct line *lines = weir_new_array(struct line, room);
  struct weir_table t;
  unsigned count = 0;
  gather_accesses(lines, &count, loads, "load", files);
  gather_accesses(lines, &count, stores, "store", files);
  gather_accesses(lines, &count, atomics, "atomic", files);
  qsort(lines, count, sizeof *lines, by_sectors);
  weir_table_start(&t, "ncu_lines", "");
  line_columns(&t);
  for (unsigned i = 0; i < count && i < WEIR_REPORT_LINES; i++) {
    const struct line *l = &lines[i];
    struct weir_cell *c = weir_table_row(&t);
    weir_report_line_cells(&t, &c[0], &c[1], &c[2], &l->is);
    weir_table_text(&t, &c[3], l->kind);
    c[4].ours = l->requests;
    c[5].ours = l->sectors;
    c[6].ours = weir_share(l->sectors, l->requests);
    c[7].ours = weir_share(l->hits, l->sectors);
    weir_report_show(files, &l->is);
  }
  fputs("\nlines: global and thread-local memory\n\n", to);
  weir_table_print(&t, to);
  weir_table_free(&t);
  print_rest(count, "rows with fewer sectors", to);
  weir_free(lines);
}

// ---- lines that access shared memory ------------------------------------------------------------------------------------

static void bank_columns(struct weir_table *t) {
  static const struct weir_column columns[] = {
    {"line", "line", NULL, WEIR_COLUMN_TEXT},
    {"function", "function", NULL, WEIR_COLUMN_TEXT},
    {"requests", "requests", "inst_executed, by warps with a lane that takes part", WEIR_COLUMN_COUNT},
    {"wavefronts", "wavefronts", "memory_l1_wavefronts_shared", WEIR_COLUMN_COUNT},
    {"ideal", "ideal", "memory_l1_wavefronts_shared_ideal", WEIR_COLUMN_COUNT},
    {"excessive", "excessive", "the difference: what bank conflicts cost", WEIR_COLUMN_COUNT},
  };
  weir_table_columns(t, columns, sizeof columns / sizeof *columns);
}

static unsigned gather_shared(struct line *lines, const json_t *list, const struct weir_report_files *files) {
  size_t i;
  json_t *access;
  unsigned count = 0;
  json_array_foreach((json_t *)list, i, access) {
    struct line *l = weir_report_line_of(lines, sizeof *lines, &count, access, files);
    const struct weir_bank_numbers n = weir_bank_of(access);
    l->accesses += n.accesses;
    l->wavefronts += n.passes;
    l->excess += n.extra_passes;
  }
  return count;
}

static void print_shared(const json_t *list, struct weir_report_files *files, FILE *to) {
  if (!json_array_size(list)) return;
  struct line *lines = weir_new_array(struct line, json_array_size(list));
  const unsigned count = gather_shared(lines, list, files);
  struct weir_table t;
  qsort(lines, count, sizeof *lines, by_wavefronts);
  weir_table_start(&t, "ncu_shared", "");
  bank_columns(&t);
  for (unsigned i = 0; i < count && i < WEIR_REPORT_LINES; i++) {
    const struct line *l = &lines[i];
    struct weir_cell *c = weir_table_row(&t);
    weir_report_line_cells(&t, &c[0], &c[1], NULL, &l->is);
    c[2].ours = l->accesses;
    c[3].ours = l->wavefronts;
    c[4].ours = l->wavefronts - l->excess;
    c[5].ours = l->excess;
    weir_report_show(files, &l->is);
  }
  fputs("\nlines: shared memory\n\n", to);
  weir_table_print(&t, to);
  weir_table_free(&t);
  print_rest(count, "lines with fewer wavefronts", to);
  weir_free(lines);
}

void weir_print_ncu(const json_t *run, FILE *to) {
  static const char *const lists[] = {"loads", "stores", "atomics", "shared"};
  struct weir_report_files files = {0};
  weir_print_heading(run, to);
  weir_print_selection(run, to);
  if (!json_array_size(weir_run_member(run, "kernels"))) {
    fputs("\nnothing was launched\n", to);
    return;
  }
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    weir_report_files_add(&files, weir_run_member(run, lists[i]));
  print_kernels(weir_run_member(run, "kernels"), to);
  print_accesses(run, &files, to);
  print_shared(weir_run_member(run, "shared"), &files, to);
  weir_report_print_sources(&files, run, to);
  weir_report_files_free(&files);
}
