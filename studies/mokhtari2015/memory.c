// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Figures 1, 5 and 6: what the hardware's L1 is to many threads, and what L2 and DRAM bring to them.
#include "mokhtari2015/mokhtari2015.h"

#include <stdio.h>

enum { SPEC = 128, CLOCK_MHZ = 980, SECTOR = 32, NAME = 32 };

struct threads {
  unsigned blocks, threads; // of a block
};

static const char *launched(char spec[SPEC], const char *variant, struct threads n) {
  snprintf(spec, SPEC, "%s,launch.blocks=%u,launch.threads=%u", variant, n.blocks, n.threads);
  return spec;
}

static struct weir_cell *add_row(struct weir_table *t, unsigned number) {
  char name[NAME];
  struct weir_cell *c = weir_table_row(t);
  snprintf(name, sizeof name, "%u", number);
  weir_table_text(t, &c[0], name);
  c[1].ours = number;
  return c;
}

// ---- figure 1: one SMX, with an L1 for all loads --------------------------------------------------------------------

#define ONE_SMX MOKHTARI_L1 ",core.count=1"

static const struct threads of_an_smx[] = {{1, 32},  {1, 64},  {1, 96},  {1, 128},  {1, 160}, {1, 192}, {1, 256},
                                           {1, 384}, {1, 512}, {1, 768}, {1, 1024}, {2, 768}, {2, 1024}};
enum { SMX_POINTS = sizeof of_an_smx / sizeof *of_an_smx };

void mokhtari_plan_threads(struct weir_plan *p) {
  char spec[SPEC];
  for (unsigned i = 0; i < SMX_POINTS; i++)
    weir_plan_add(p, "wc", MOKHTARI_CHIP, launched(spec, ONE_SMX, of_an_smx[i]));
}

void mokhtari_figure_1(struct weir_table *t, const struct weir_plan *p) {
  char spec[SPEC];
  weir_table_column(t, WEIR_COLUMN_TEXT, "online", "online", NULL);
  weir_table_column(t, WEIR_COLUMN_COUNT, "threads", "threads", NULL);
  weir_table_column(t, WEIR_COLUMN_PERCENT, "hit_rate", "L1 hit rate", "loads that found their line in the L1");
  for (unsigned i = 0; i < SMX_POINTS; i++) {
    const json_t *run = weir_plan_run(p, "wc", MOKHTARI_CHIP, launched(spec, ONE_SMX, of_an_smx[i]));
    const struct weir_access_numbers loads = weir_run_cache(run, WEIR_FIRST_CACHE).loads;
    add_row(t, of_an_smx[i].blocks * of_an_smx[i].threads)[2].ours = loads.hits / loads.accesses;
  }
  mokhtari_publish(t);
  weir_table_note(
    t, "wc on one SMX with an L1 of 16 KiB for all loads: 128 lines. The paper gives the two ends in words.");
}

// ---- figures 5 and 6: the micro-benchmark ---------------------------------------------------------------------------

static struct weir_run_numbers launch_of(const json_t *run, unsigned launch) {
  return weir_launch_counts(json_array_get(weir_run_member(run, "kernels"), launch));
}

// GB/s: what the last launch brought more than the one before, which was as the last but shorter.
static double throughput(const struct weir_plan *p, const char *program, struct threads n) {
  char spec[SPEC];
  const json_t *run = weir_plan_run(p, program, MOKHTARI_CHIP, launched(spec, MOKHTARI_NO_L1, n));
  const struct weir_run_numbers last = launch_of(run, 2), before = launch_of(run, 1);
  const double accesses =
    weir_cache_of(&last, WEIR_FIRST_CACHE).loads.accesses - weir_cache_of(&before, WEIR_FIRST_CACHE).loads.accesses;
  return accesses * SECTOR / (last.cycles - before.cycles) * CLOCK_MHZ / 1000;
}

static void plan_reads(struct weir_plan *p, const char *program, struct threads n) {
  char spec[SPEC];
  weir_plan_add(p, program, MOKHTARI_CHIP, launched(spec, MOKHTARI_NO_L1, n));
}

static const unsigned of_a_block[] = {64, 128, 192, 256, 320, 384, 448, 512, 640, 768, 896, 1024};
static const unsigned blocks[] = {1, 3, 6, 9, 12, 15};
enum { POINTS = sizeof of_a_block / sizeof *of_a_block, CURVES = sizeof blocks / sizeof *blocks };
enum { MOST_BLOCKS = 15, FULL_BLOCK = 1024 };

void mokhtari_plan_figure_5(struct weir_plan *p) {
  for (unsigned i = 0; i < POINTS; i++) {
    for (unsigned k = 0; k < CURVES; k++) plan_reads(p, "reads-l2", (struct threads){blocks[k], of_a_block[i]});
    plan_reads(p, "reads-l2-apart", (struct threads){1, of_a_block[i]});
    plan_reads(p, "reads-dram", (struct threads){1, of_a_block[i]});
  }
}

void mokhtari_figure_5(struct weir_table *t, const struct weir_plan *p) {
  weir_table_column(t, WEIR_COLUMN_TEXT, "threads_of_a_block", "threads", NULL);
  weir_table_column(t, WEIR_COLUMN_COUNT, "threads", "of a block", NULL);
  for (unsigned k = 0; k < CURVES; k++) {
    char name[NAME], heading[NAME];
    snprintf(name, sizeof name, "blocks_%u", blocks[k]);
    snprintf(heading, sizeof heading, blocks[k] == 1 ? "%u block" : "%u", blocks[k]);
    weir_table_column(t, WEIR_COLUMN_REAL, name, heading, blocks[k] == 1 ? "GB/s from the L2, 4-way coalesced" : NULL);
  }
  weir_table_column(t, WEIR_COLUMN_REAL, "apart", "1, 1-way", "one block, none coalesced");
  weir_table_column(t, WEIR_COLUMN_REAL, "dram", "1, DRAM", "one block, from DRAM");
  for (unsigned i = 0; i < POINTS; i++) {
    struct weir_cell *c = add_row(t, of_a_block[i]);
    unsigned k = 0;
    for (; k < CURVES; k++) c[2 + k].ours = throughput(p, "reads-l2", (struct threads){blocks[k], of_a_block[i]});
    c[2 + k].ours = throughput(p, "reads-l2-apart", (struct threads){1, of_a_block[i]});
    c[3 + k].ours = throughput(p, "reads-dram", (struct threads){1, of_a_block[i]});
  }
  mokhtari_publish(t);
}

// ---- section 2.3.1: shared memory -----------------------------------------------------------------------------------

// GB/s of one SMX, likewise.
static double shared_throughput(const struct weir_plan *p, struct threads n) {
  enum { WARP_BYTES = 128 };
  char spec[SPEC];
  const json_t *run = weir_plan_run(p, "reads-shared", MOKHTARI_CHIP, launched(spec, MOKHTARI_NO_L1, n));
  const struct weir_run_numbers last = launch_of(run, 2), before = launch_of(run, 1);
  return (last.shared_accesses - before.shared_accesses) * WARP_BYTES / (last.cycles - before.cycles) * CLOCK_MHZ /
    1000 / n.blocks;
}

void mokhtari_plan_shared(struct weir_plan *p) {
  for (unsigned i = 0; i < POINTS; i++) {
    plan_reads(p, "reads-shared", (struct threads){1, of_a_block[i]});
    plan_reads(p, "reads-shared", (struct threads){MOST_BLOCKS, of_a_block[i]});
  }
}

void mokhtari_shared(struct weir_table *t, const struct weir_plan *p) {
  weir_table_column(t, WEIR_COLUMN_TEXT, "threads_of_a_block", "threads", NULL);
  weir_table_column(t, WEIR_COLUMN_COUNT, "threads", "of a block", NULL);
  weir_table_column(t, WEIR_COLUMN_REAL, "one", "one block", "GB/s of an SMX, a block on each");
  weir_table_column(t, WEIR_COLUMN_REAL, "all", "15 blocks", NULL);
  for (unsigned i = 0; i < POINTS; i++) {
    struct weir_cell *c = add_row(t, of_a_block[i]);
    c[2].ours = shared_throughput(p, (struct threads){1, of_a_block[i]});
    c[3].ours = shared_throughput(p, (struct threads){MOST_BLOCKS, of_a_block[i]});
  }
  mokhtari_publish(t);
}

// ---- figure 6 -------------------------------------------------------------------------------------------------------

void mokhtari_plan_figure_6(struct weir_plan *p) {
  for (unsigned n = 1; n <= MOST_BLOCKS; n++) {
    plan_reads(p, "reads-l2", (struct threads){n, FULL_BLOCK});
    plan_reads(p, "reads-dram", (struct threads){n, FULL_BLOCK});
  }
}

void mokhtari_figure_6(struct weir_table *t, const struct weir_plan *p) {
  weir_table_column(t, WEIR_COLUMN_TEXT, "blocks_of_1024", "blocks", NULL);
  weir_table_column(t, WEIR_COLUMN_COUNT, "blocks", "of 1024", NULL);
  weir_table_column(t, WEIR_COLUMN_REAL, "l2", "L2", "GB/s, 4-way coalesced");
  weir_table_column(t, WEIR_COLUMN_REAL, "dram", "DRAM", "likewise");
  for (unsigned n = 1; n <= MOST_BLOCKS; n++) {
    struct weir_cell *c = add_row(t, n);
    c[2].ours = throughput(p, "reads-l2", (struct threads){n, FULL_BLOCK});
    c[3].ours = throughput(p, "reads-dram", (struct threads){n, FULL_BLOCK});
  }
  mokhtari_publish(t);
}
