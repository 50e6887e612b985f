// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What the figures of Holey et al., Performance-energy considerations for shared cache management in a heterogeneous
// multicore processor (HeLM, TACO 2014) have in common: its programs, mixes of them, schemes, and what is said of an
// program of a mix. Invariant: a mix's name tells its chip; every number of a program is that of the moment
// when it had reached its count.
#ifndef WEIR_STUDY_HOLEY2014_H
#define WEIR_STUDY_HOLEY2014_H

#include "report/figure.h"
#include "run/numbers.h"
#include "run/object.h"

// ---- programs (programs.c) -----------------------------------------------------------------------------------------

extern const char *const holey_gpu_sensitive[], *const holey_gpu_insensitive[]; // Table III; end with NULL
extern const struct weir_figure_group holey_gpu_all[];                          // all 17, and their mean
extern const struct weir_figure_group holey_gpu_classes[];                      // in the four classes of section 4.1.1

// Those that Figures 1 and 15 put beside bzip2.
const struct weir_figure_group *holey_gpu_beside(const struct weir_plan *p);

// The one CPU program of Figures 1 and 15.
#define HOLEY_BZIP2 "bzip2"

// ---- schemes (schemes.c) -------------------------------------------------------------------------------------------

// By name: what they are called in tables. The baseline is HOLEY_LRU.
#define HOLEY_LRU "lru"
#define HOLEY_DRRIP "drrip"
#define HOLEY_MAT "mat"
#define HOLEY_SDBP "sdbp"
#define HOLEY_TAP "tap_rrip"
#define HOLEY_HELM "helm"

extern const char *const holey_schemes[]; // the five that are compared with LRU, then NULL

// Their specs at the plan's size.
const char *holey_spec(const struct weir_plan *p, const char *scheme);

// The same with the input of the mix's GPU program (inputs.c) and `suffix` ("" or ",key=value") behind it.
// HOLEY_FORMER_INPUTS at the suffix's beginning: with that program's own input.
enum { HOLEY_SPEC = 192 };
#define HOLEY_FORMER_INPUTS "!"
void holey_spec_with(const struct weir_plan *p, const char *mix, const char *scheme, const char *suffix,
                     char out[HOLEY_SPEC]);

// ---- mixes (mixes.c) -----------------------------------------------------------------------------------------------

enum holey_cores { HOLEY_1C4G, HOLEY_2C4G, HOLEY_4C4G, HOLEY_CORES };
enum { HOLEY_MIXES = 100, HOLEY_MIX_NAME = 96, HOLEY_CPUS = 4 };

struct holey_mix {
  char name[HOLEY_MIX_NAME]; // "bzip2+mcf+floyd"
  bool cpu_sensitive;        // of 1C4G; the others have both kinds
  bool gpu_sensitive;
};

extern const char *const holey_core_names[]; // "1C4G", …
extern const char *const holey_chips[];      // "apu-1c4g", …

// The first mixes of a configuration, as many as the plan asks for; their number.
unsigned holey_draw(const struct weir_plan *p, enum holey_cores cores, struct holey_mix *out);

// The chip of a mix or of a program alone.
enum holey_cores holey_cores_of(const char *mix);
const char *holey_chip(const char *mix);
unsigned holey_cpus(const char *mix); // CPU programs in it

// What a cache-sensitive GPU program goes over on that chip; 0: another program, whose input is its own of size paper.
unsigned holey_footprint_kib(const char *program, enum holey_cores cores);

// A mix (or a CPU program alone) under a scheme; all mixes of a configuration under the baseline and these, or the five.
void holey_plan_mix(struct weir_plan *p, const char *mix, const char *scheme, const char *suffix);
void holey_plan_schemes(struct weir_plan *p, enum holey_cores cores, const char *const *schemes, const char *suffix);
void holey_plan_mixes(struct weir_plan *p, enum holey_cores cores, const char *suffix);

// ---- numbers (numbers.c) -------------------------------------------------------------------------------------------

// NaN, or NULL, if the run failed or there is no such thing in it. Requesters as weir_run_requester has them.
const json_t *holey_run(const struct weir_plan *p, const char *mix, const char *scheme, const char *suffix);
struct weir_program_numbers holey_of(const struct weir_plan *p, const char *mix, const char *scheme,
                                     unsigned requester);

// A number of a program.
typedef double holey_number(const struct weir_program_numbers *a);
double holey_ipc(const struct weir_program_numbers *a);
double holey_llc_misses(const struct weir_program_numbers *a); // of loads, stores and fetches

// The same over that under the baseline. Speed: Eq. 1; of all programs together, against the baseline with the same
// suffix: Eq. 2.
double holey_ratio(const struct weir_plan *p, const char *mix, const char *scheme, unsigned requester,
                   holey_number *of);
double holey_speedup(const struct weir_plan *p, const char *mix, const char *scheme, const char *suffix);

// Bytes over the pins for which the programs are the cause, up to their counts; or these per picosecond of each.
double holey_traffic(const json_t *run, bool per_time);

// Bytes per second over the pins of all mixes of a configuration together, over those under the baseline (speed.c).
double holey_utilization(const struct weir_plan *p, enum holey_cores cores, const char *scheme);

// Of positive numbers; others are left out. NaN of none.
struct holey_mean {
  double logs;
  unsigned count;
};
void holey_mean_add(struct holey_mean *m, double value);
double holey_mean_of(const struct holey_mean *m);

// Numbers of a GPU program that runs alone, with its input of 1C4G.
double holey_run_ipc(const json_t *run); // warp instructions
void holey_alone_spec(const char *program, const char *spec, char out[HOLEY_SPEC]);
const json_t *holey_run_alone(const struct weir_plan *p, const char *program, const char *spec);
double holey_alone_ipc(const struct weir_plan *p, const char *program, const char *spec);
double holey_alone_mpki(const struct weir_plan *p, const char *program, const char *spec); // warp instructions

// ---- tables --------------------------------------------------------------------------------------------------------

// A first column of labels, then the five schemes.
void holey_scheme_columns(struct weir_table *t, const char *first, enum weir_table_format format);
const char *holey_scheme_heading(const char *scheme); // "HeLM"
void holey_publish(struct weir_table *t);             // published.def; after the last row

// The figures, by file.
void holey_plan_interference(struct weir_plan *p); // interference.c
void holey_figure_1(struct weir_table *t, const struct weir_plan *p);
void holey_plan_tap(struct weir_plan *p);
void holey_figure_15(struct weir_table *t, const struct weir_plan *p);
void holey_plan_boxfilter(struct weir_plan *p); // sensitivity.c
void holey_figure_3(struct weir_table *t, const struct weir_plan *p);
void holey_plan_floyd(struct weir_plan *p);
void holey_figure_4(struct weir_table *t, const struct weir_plan *p);
void holey_plan_bypassing(struct weir_plan *p);
void holey_figure_5(struct weir_table *t, const struct weir_plan *p);
void holey_plan_inputs(struct weir_plan *p); // inputs.c
void holey_figure_inputs(struct weir_table *t, const struct weir_plan *p);
void holey_plan_sizes(struct weir_plan *p);
void holey_figure_10(struct weir_table *t, const struct weir_plan *p);
void holey_plan_readiness(struct weir_plan *p);
void holey_readiness(struct weir_table *t, const struct weir_plan *p);
void holey_plan_reuse(struct weir_plan *p);
void holey_figure_14(struct weir_table *t, const struct weir_plan *p);
void holey_plan_all(struct weir_plan *p); // speed.c
void holey_plan_1c4g(struct weir_plan *p);
void holey_plan_2c4g(struct weir_plan *p);
void holey_plan_4c4g(struct weir_plan *p);
void holey_figure_11a(struct weir_table *t, const struct weir_plan *p);
void holey_figure_11b(struct weir_table *t, const struct weir_plan *p);
void holey_figure_11c(struct weir_table *t, const struct weir_plan *p);
void holey_figure_12a(struct weir_table *t, const struct weir_plan *p);
void holey_figure_12b(struct weir_table *t, const struct weir_plan *p);
void holey_figure_13a(struct weir_table *t, const struct weir_plan *p);
void holey_figure_13b(struct weir_table *t, const struct weir_plan *p);
void holey_figure_13c(struct weir_table *t, const struct weir_plan *p);
void holey_figure_13d(struct weir_table *t, const struct weir_plan *p);
void holey_plan_ways(struct weir_plan *p);
void holey_figure_16(struct weir_table *t, const struct weir_plan *p);
void holey_figure_11_1c4g(struct weir_table *t, const struct weir_plan *p); // means.c
void holey_figure_11_2c4g(struct weir_table *t, const struct weir_plan *p);
void holey_figure_11_4c4g(struct weir_table *t, const struct weir_plan *p);
void holey_means_1c4g(struct weir_table *t, const struct weir_plan *p);
void holey_means_2c4g(struct weir_table *t, const struct weir_plan *p);
void holey_means_4c4g(struct weir_table *t, const struct weir_plan *p);
void holey_plan_leaders(struct weir_plan *p);
void holey_leaders_means(struct weir_table *t, const struct weir_plan *p);
void holey_leaders(struct weir_table *t, const struct weir_plan *p);
void holey_figure_17(struct weir_table *t, const struct weir_plan *p);
void holey_bandwidth(struct weir_table *t, const struct weir_plan *p);
void holey_plan_overhead(struct weir_plan *p); // overhead.c
void holey_table_5(struct weir_table *t, const struct weir_plan *p);
void holey_figure_18a(struct weir_table *t, const struct weir_plan *p); // energy.c
void holey_figure_18b(struct weir_table *t, const struct weir_plan *p);
void holey_figure_18c(struct weir_table *t, const struct weir_plan *p);
void holey_figure_19a(struct weir_table *t, const struct weir_plan *p);
void holey_figure_19b(struct weir_table *t, const struct weir_plan *p);
void holey_figure_20(struct weir_table *t, const struct weir_plan *p);
void holey_plan_open(struct weir_plan *p); // open.c
void holey_open(struct weir_table *t, const struct weir_plan *p);
void holey_plan_former(struct weir_plan *p);
void holey_former(struct weir_table *t, const struct weir_plan *p);
void holey_plan_losses(struct weir_plan *p);
void holey_losses(struct weir_table *t, const struct weir_plan *p);

#endif
