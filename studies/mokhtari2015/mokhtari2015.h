// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What the figures of Mokhtari and Stumm, S-L1: a software-based GPU L1 cache that outperforms the hardware L1 for data
// processing applications (MEMSYS 2015) have in common. Rows are the ten programs of the paper's Table 1. A variant is
// how a program's loads are cached; each program is taken at its best of several numbers of threads, per variant, as in
// the paper's section 4.1.
//
// The chip is one SMX with a fifteenth of the rest (MOKHTARI_PART), so that inputs which a simulation can go over give a
// thread thousands of accesses, of which the paper's 300 are monitored. The rule, written down before it ran: what an SMX
// has to itself stays; memory is one channel of twelve, clocked at 12/15; the L2's two slices keep their 32 sets and have
// the number of ways whose bytes are nearest to 1536/15 KiB. Inputs (common.c) are such that each of 1024 threads makes
// 3000 accesses. S-L1 is the paper's: what it names as future work (static_proof) and what it does not have
// (original_slice) are off.
#ifndef WEIR_STUDY_MOKHTARI2015_H
#define WEIR_STUDY_MOKHTARI2015_H

#include "report/figure.h"
#include "run/numbers.h"
#include "run/object.h"

#define MOKHTARI_CHIP "kepler-titan-black"

// Variants.
#define MOKHTARI_NO_L1 "lru"
#define MOKHTARI_L1 "lru,core.skip_l1_global=false"
#define MOKHTARI_SL1 "sl1,sl1.static_proof=off,sl1.original_slice=off"
#define MOKHTARI_WEIR "sl1"                                   // with weir's defaults, of which these two are on
#define MOKHTARI_FORMER_SL1 MOKHTARI_WEIR ",sl1.threshold=32" // of the form before inputs were the study's own
#define MOKHTARI_COUNTED MOKHTARI_SL1 ",sl1.counters=on"      // takes longer
#define MOKHTARI_UNUSED MOKHTARI_SL1 ",sl1.cacheable=none"
#define MOKHTARI_MONITORED "sl1,sl1.static_proof=off,sl1.original_slice=on,sl1.cacheable=none"
#define MOKHTARI_LINES(bytes) MOKHTARI_SL1 ",sl1.line_bytes=" #bytes

#define MOKHTARI_BIG                                                                                                   \
  MOKHTARI_NO_L1 ",launch.interleave=1" // BigKernel's computation stage: a byte of each thread beside another's
#define MOKHTARI_BIG_SL1 MOKHTARI_SL1 ",launch.interleave=16" // ... and with S-L1: a line of each thread

#define MOKHTARI_GATHER MOKHTARI_NO_L1 ",launch.gather=true" // its address generation, and the computation behind it
#define MOKHTARI_GATHER_SL1 MOKHTARI_SL1 ",launch.gather=true,launch.interleave=16" // ... and with S-L1

#define MOKHTARI_PART "core.count=1,dram.channels=1,clocks.dram_mhz=1400,l2.size_kib=104,l2.ways=13"
enum { MOKHTARI_PARTS = 15 }; // of which one is the chip here

// The form before that: a third of the chip.
#define MOKHTARI_THIRD "core.count=5,dram.channels=4,l2.size_kib=512"

extern const char *const mokhtari_programs[]; // ends with NULL
extern const struct weir_figure_group mokhtari_groups[];

// How many numbers of threads are tried: those of figure 7; where variants of S-L1 are compared with each other, one; those
// of the whole chip, which has the same inputs; a full SMX with little to do, where kernels and not runs are looked at; those of
// figure 7 that leave room for as many threads that do something else; and the former form's, on the programs' own inputs.
enum mokhtari_sweep {
  MOKHTARI_MANY,
  MOKHTARI_FEW,
  MOKHTARI_CHIP_WIDE,
  MOKHTARI_LITTLE,
  MOKHTARI_HALF,
  MOKHTARI_FORMER
};

void mokhtari_plan(struct weir_plan *p, const char *variant, enum mokhtari_sweep sweep); // all programs
void mokhtari_plan_one(struct weir_plan *p, const char *program, const char *variant, enum mokhtari_sweep sweep);
unsigned mokhtari_input_kib(const char *program); // what it goes over

// The run of a program's best number of threads; NULL if it failed. It must have been planned.
const json_t *mokhtari_run(const struct weir_plan *p, const char *program, const char *variant,
                           enum mokhtari_sweep sweep);
struct weir_run_numbers mokhtari_total(const struct weir_plan *p, const char *program, const char *variant,
                                       enum mokhtari_sweep sweep);

void mokhtari_publish(struct weir_table *t); // published.def; after the last row
// Arithmetic mean, lowest and highest of each column over the first rows, which are programs.
void mokhtari_add_range(struct weir_table *t, unsigned programs);
// A table over the programs with what the paper states beside ours.
void mokhtari_table(struct weir_table *t, const struct weir_plan *p, const struct weir_figure_column *columns);

// The figures, by file.
void mokhtari_plan_threads(struct weir_plan *p); // memory.c
void mokhtari_figure_1(struct weir_table *t, const struct weir_plan *p);
void mokhtari_plan_figure_5(struct weir_plan *p);
void mokhtari_figure_5(struct weir_table *t, const struct weir_plan *p);
void mokhtari_plan_shared(struct weir_plan *p);
void mokhtari_shared(struct weir_table *t, const struct weir_plan *p);
void mokhtari_plan_figure_6(struct weir_plan *p);
void mokhtari_figure_6(struct weir_table *t, const struct weir_plan *p);
void mokhtari_plan_speed(struct weir_plan *p); // speed.c
void mokhtari_figure_7(struct weir_table *t, const struct weir_plan *p);
void mokhtari_figure_9(struct weir_table *t, const struct weir_plan *p);
void mokhtari_plan_chip(struct weir_plan *p);
void mokhtari_chip(struct weir_table *t, const struct weir_plan *p);
void mokhtari_plan_former(struct weir_plan *p);
void mokhtari_former(struct weir_table *t, const struct weir_plan *p);
void mokhtari_plan_at_1024(struct weir_plan *p);
void mokhtari_at_1024(struct weir_table *t, const struct weir_plan *p);
void mokhtari_plan_registers(struct weir_plan *p); // variants.c
void mokhtari_registers(struct weir_table *t, const struct weir_plan *p);
void mokhtari_plan_structures(struct weir_plan *p);
void mokhtari_table_1(struct weir_table *t, const struct weir_plan *p);
void mokhtari_plan_hits(struct weir_plan *p);
void mokhtari_figure_8(struct weir_table *t, const struct weir_plan *p);
void mokhtari_plan_instructions(struct weir_plan *p); // overhead.c
void mokhtari_figure_11(struct weir_table *t, const struct weir_plan *p);
void mokhtari_plan_instructions_at_1024(struct weir_plan *p);
void mokhtari_figure_11_at_1024(struct weir_table *t, const struct weir_plan *p);
void mokhtari_plan_unused(struct weir_plan *p);
void mokhtari_figure_12(struct weir_table *t, const struct weir_plan *p);
void mokhtari_plan_lines(struct weir_plan *p);
void mokhtari_figure_13(struct weir_table *t, const struct weir_plan *p);
void mokhtari_plan_large(struct weir_plan *p); // large.c
void mokhtari_figure_10(struct weir_table *t, const struct weir_plan *p);
void mokhtari_plan_causes(struct weir_plan *p); // causes.c
void mokhtari_causes(struct weir_table *t, const struct weir_plan *p);
void mokhtari_plan_times(struct weir_plan *p);
void mokhtari_times(struct weir_table *t, const struct weir_plan *p);
void mokhtari_plan_gathers(struct weir_plan *p);
void mokhtari_gathers(struct weir_table *t, const struct weir_plan *p);
void mokhtari_plan_addresses(struct weir_plan *p);
void mokhtari_addresses(struct weir_table *t, const struct weir_plan *p);

#endif
