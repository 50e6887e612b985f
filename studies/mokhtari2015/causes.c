// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Why Figure 10's order and its factor over the CPU are not the paper's: what its stages take, and the figure again with one assumption at a time
// changed. The assumptions were chosen before these figures were computed: each stage to take no time, the link to be half and twice as fast, and what
// large.c says to be inferred to be otherwise.
#include "mokhtari2015/large.h"

#include "copies.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { APPS = 4, BEST = 64 };
static const double per_ms = 1e9, paper_over_cores = 3.7;

// ---- what the stages take -----------------------------------------------------------------------------------------------

void mokhtari_plan_times(struct weir_plan *p) {
  for (unsigned i = 0; mokhtari_large[i]; i++) {
    mokhtari_plan_kernels(p, mokhtari_large[i]);
    mokhtari_plan_one(p, mokhtari_large[i], MOKHTARI_BIG, MOKHTARI_MANY);
    mokhtari_plan_one(p, mokhtari_large[i], MOKHTARI_BIG_SL1, MOKHTARI_MANY);
  }
}

static double copies(const struct weir_plan *p, const char *program) {
  (void)p;
  return mokhtari_passes(program) * mokhtari_copy_ps(&mokhtari_machine) / per_ms;
}

static double kernels(const struct weir_plan *p, const char *program, const char *variant, enum mokhtari_sweep sweep) {
  double ps = 0;
  for (unsigned i = 0; i < mokhtari_passes(program); i++) ps += mokhtari_kernel_ps(p, program, variant, sweep, i);
  return ps / per_ms;
}

static double at_half(const struct weir_plan *p, const char *program, const char *variant) {
  return kernels(p, program, variant, MOKHTARI_HALF);
}

static double at_best(const struct weir_plan *p, const char *program, const char *variant) {
  return kernels(p, program, variant, MOKHTARI_MANY);
}

static double sl1_over_big(const struct weir_plan *p, const char *program) {
  return at_half(p, program, MOKHTARI_BIG_SL1) / at_half(p, program, MOKHTARI_BIG);
}

#define MS(name, heading, meaning, of, variant)                                                                        \
  { name, heading, meaning, WEIR_COLUMN_REAL, WEIR_NO_MEAN, NULL, of, variant }
void mokhtari_times(struct weir_table *t, const struct weir_plan *p) {
  static const struct weir_figure_group group[] = {{mokhtari_large, NULL}, {NULL, NULL}};
  static const struct weir_figure_column columns[] = {
    {"copy", "copies", "ms, over all passes", WEIR_COLUMN_REAL, WEIR_NO_MEAN, copies, NULL, NULL},
    MS("kernel", "kernels", "ms, of single and double buffering", at_best, MOKHTARI_NO_L1),
    MS("big", "BigKernel", "ms, the computation of BigKernel", at_half, MOKHTARI_BIG),
    MS("big_sl1", "with S-L1", NULL, at_half, MOKHTARI_BIG_SL1),
    {"change", "change", "S-L1's", WEIR_COLUMN_CHANGE, WEIR_NO_MEAN, sl1_over_big, NULL, NULL},
    MS("big_all", "BigKernel, all threads", "ms, at the best of all numbers of threads", at_best, MOKHTARI_BIG),
    MS("big_sl1_all", "with S-L1, all threads", NULL, at_best, MOKHTARI_BIG_SL1),
    {0}};
  weir_figure_fill(t, p, columns, group);
}

void mokhtari_gathers(struct weir_table *t, const struct weir_plan *p) {
  static const struct weir_column columns[] = {
    {"unit", "unit", NULL, WEIR_COLUMN_TEXT},
    {"ms", "ms", "of a chunk of 64 MiB", WEIR_COLUMN_REAL},
    {"rate", "GB/s", NULL, WEIR_COLUMN_REAL},
    {"ipc", "per cycle", "instructions, of each of four cores", WEIR_COLUMN_REAL}};
  static const char *const names[] = {[MOKHTARI_BY_BYTE] = "by byte", [MOKHTARI_BY_LINE] = "by line"};
  weir_table_columns(t, columns, sizeof columns / sizeof *columns);
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
    const double ps = mokhtari_gather_ps(p, i, &mokhtari_machine);
    struct weir_cell *c = weir_table_row(t);
    weir_table_text(t, &c[0], names[i]);
    c[1].ours = ps / per_ms;
    c[2].ours = MOKHTARI_CHUNK_MIB * 1048576.0 / ps * 1000;
    c[3].ours = mokhtari_gather_ipc(p, i);
  }
}

// ---- addresses that a kernel works out ----------------------------------------------------------------------------------

// In place of a pattern that costs nothing. The rule, before the figure was computed: the kernel that works them out and the one that computes have
// half of an SMX's threads each, as in the figure; an address has 4 bytes, and is sent for each byte that is read; gathering takes no longer for
// that. Under S-L1 a thread's gathered bytes lie in rows of 16, as in the figure. A chunk takes the longest of these; filling the pipeline is left out. Of the four, the pass can work out the addresses of two.
static const char *const foreseen[] = {"wc", "opinion", NULL};

void mokhtari_plan_addresses(struct weir_plan *p) {
  mokhtari_plan_gather(p, MOKHTARI_BY_BYTE);
  for (unsigned i = 0; foreseen[i]; i++) {
    mokhtari_plan_serial(p, foreseen[i]);
    mokhtari_plan_one(p, foreseen[i], MOKHTARI_GATHER, MOKHTARI_HALF);
    mokhtari_plan_one(p, foreseen[i], MOKHTARI_GATHER_SL1, MOKHTARI_HALF);
    mokhtari_plan_one(p, foreseen[i], MOKHTARI_BIG, MOKHTARI_HALF);
  }
}

static double generation(const struct weir_plan *p, const char *program) {
  return mokhtari_kernel_ps(p, program, MOKHTARI_GATHER, MOKHTARI_HALF, 0) / per_ms;
}

static double computation(const struct weir_plan *p, const char *program) {
  return mokhtari_kernel_ps(p, program, MOKHTARI_GATHER, MOKHTARI_HALF, 1) / per_ms;
}

static double computation_sl1(const struct weir_plan *p, const char *program) {
  return mokhtari_kernel_ps(p, program, MOKHTARI_GATHER_SL1, MOKHTARI_HALF, 1) / per_ms;
}

static double sending(const struct weir_plan *p, const char *program) {
  (void)p, (void)program;
  return study_link_ps(false, WEIR_LINK_PINNED, UINT64_C(4) * MOKHTARI_CHUNK_MIB * 1048576) / per_ms;
}

static double longest(const struct weir_plan *p, double kernel) {
  const double gather = mokhtari_gather_ps(p, MOKHTARI_BY_BYTE, &mokhtari_machine) / per_ms;
  return fmax(fmax(gather, mokhtari_copy_ps(&mokhtari_machine) / per_ms), kernel);
}

static double with_addresses(const struct weir_plan *p, const char *program) {
  const double sent = fmax(generation(p, program), sending(p, program));
  return mokhtari_serial_ps(p, program) / per_ms / longest(p, fmax(sent, computation(p, program)));
}

static double by_pattern(const struct weir_plan *p, const char *program) {
  return mokhtari_serial_ps(p, program) / per_ms / longest(p, at_half(p, program, MOKHTARI_BIG));
}

void mokhtari_addresses(struct weir_table *t, const struct weir_plan *p) {
  static const struct weir_figure_group group[] = {{foreseen, NULL}, {NULL, NULL}};
#define OF(name, heading, meaning, format, of)                                                                         \
  { name, heading, meaning, format, WEIR_NO_MEAN, of, NULL, NULL }
  static const struct weir_figure_column columns[] = {
    OF("generation", "addresses", "ms, of the kernel that works them out", WEIR_COLUMN_REAL, generation),
    OF("sending", "sent", "ms, over the link", WEIR_COLUMN_REAL, sending),
    OF("computation", "computation", "ms, of the kernel that reads what was gathered", WEIR_COLUMN_REAL, computation),
    OF("computation_sl1", "with S-L1", NULL, WEIR_COLUMN_REAL, computation_sl1),
    MS("big", "by pattern", "ms, of the figure's", at_half, MOKHTARI_BIG),
    OF("speed", "BigKernel", "speed over one thread of the CPU", WEIR_COLUMN_RATIO, with_addresses),
    OF("speed_by_pattern", "by pattern", "as in the figure", WEIR_COLUMN_RATIO, by_pattern),
    {0}};
#undef OF
  weir_figure_fill(t, p, columns, group);
}

// ---- one assumption at a time -------------------------------------------------------------------------------------------

static const struct cause {
  const char *name;
  struct mokhtari_machine machine;
} causes[] = {
  // clang-format off
  {"as in the figure",                         {1,   1, 1,   3, false, MOKHTARI_HALF}},
  {"the link at half its rate",                {2,   1, 1,   3, false, MOKHTARI_HALF}},
  {"the link at twice its rate",               {0.5, 1, 1,   3, false, MOKHTARI_HALF}},
  {"copies take no time",                      {0,   1, 1,   3, false, MOKHTARI_HALF}},
  {"two threads on each core of the CPU",      {1,   1, 1.3, 3, false, MOKHTARI_HALF}},
  {"the gather moves each byte twice",         {1,   1, 1,   2, false, MOKHTARI_HALF}},
  {"BigKernel alone gathers by line, too",     {1,   1, 1,   3, true,  MOKHTARI_HALF}},
  {"the gather takes no time",                 {1,   0, 1,   3, false, MOKHTARI_HALF}},
  {"address generation takes no threads",      {1,   1, 1,   3, false, MOKHTARI_MANY}},
  {"… and the gather no time",                 {1,   0, 1,   3, false, MOKHTARI_MANY}},
  {"… and copies no time, which leaves kernels", {0, 0, 1,   3, false, MOKHTARI_MANY}},
  // clang-format on
};

// Geometric, of the four.
static double mean(const double values[APPS]) {
  double logs = 0;
  for (unsigned i = 0; i < APPS; i++) logs += log(values[i]);
  return exp(logs / APPS);
}

// Where BigKernel with S-L1 is the fastest; in brackets, where another is as fast but for the filling of a pipeline.
static void best(char out[BEST], const double sl1[APPS], const double others[APPS]) {
  static const double filling = 1.01; // at most two of 192 chunks
  out[0] = '\0';
  for (unsigned i = 0; i < APPS; i++) {
    const bool first = !out[0], tie = sl1[i] <= others[i] * filling;
    if (sl1[i] * filling < others[i]) continue;
    snprintf(out + strlen(out), BEST - strlen(out), "%s%s%s%s", first ? "" : ", ", tie ? "(" : "", mokhtari_large[i],
             tie ? ")" : "");
  }
  if (!out[0]) snprintf(out, BEST, "none");
}

static void add_cause(struct weir_table *t, const struct weir_plan *p, const struct cause *c) {
  double doubled[APPS], big[APPS], sl1[APPS], others[APPS], over_big[APPS], over_cores[APPS];
  char names[BEST];
  for (unsigned i = 0; i < APPS; i++) {
    doubled[i] = mokhtari_double_buffer(p, mokhtari_large[i], &c->machine);
    big[i] = mokhtari_big(p, mokhtari_large[i], &c->machine);
    sl1[i] = mokhtari_big_sl1(p, mokhtari_large[i], &c->machine);
    others[i] = fmax(doubled[i], big[i]); // one buffer is never faster than two
    over_big[i] = sl1[i] / big[i];
    over_cores[i] = sl1[i] / mokhtari_cores(p, mokhtari_large[i], &c->machine);
  }
  best(names, sl1, others);
  struct weir_cell *cells = weir_table_row(t);
  weir_table_text(t, &cells[0], c->name);
  const double means[] = {mean(doubled), mean(big), mean(sl1), mean(over_big), mean(over_cores)};
  for (unsigned i = 0; i < sizeof means / sizeof *means; i++) cells[1 + i].ours = means[i];
  cells[6].ours = paper_over_cores / mean(over_cores);
  weir_table_text(t, &cells[7], names);
}

void mokhtari_plan_causes(struct weir_plan *p) {
  mokhtari_plan_large(p);
  mokhtari_plan_times(p);
}

void mokhtari_causes(struct weir_table *t, const struct weir_plan *p) {
  static const struct weir_column columns[] = {
    {"cause", "cause", NULL, WEIR_COLUMN_TEXT},
    {"double", "double buffer", "means of four", WEIR_COLUMN_RATIO},
    {"big", "BigKernel", NULL, WEIR_COLUMN_RATIO},
    {"big_sl1", "with S-L1", NULL, WEIR_COLUMN_RATIO},
    {"over_big", "over BigKernel", NULL, WEIR_COLUMN_RATIO},
    {"over_cores", "over 4 threads", NULL, WEIR_COLUMN_RATIO},
    {"slower", "for 3.7", "how many times slower the CPU's threads would have to be for the paper's mean",
     WEIR_COLUMN_RATIO},
    {"best", "best for", "where BigKernel with S-L1 is the fastest form; in brackets, where another is as fast",
     WEIR_COLUMN_TEXT}};
  weir_table_columns(t, columns, sizeof columns / sizeof *columns);
  for (unsigned i = 0; i < sizeof causes / sizeof *causes; i++) add_cause(t, p, &causes[i]);
}
