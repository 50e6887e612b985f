// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A study regenerates a paper's figures, each beside the published numbers. Invariant: a study is const data and pure
// functions: `plan` names the experiments that a figure needs, `compute` makes its table from their run objects. What
// runs, where results are kept and how tables look is the same for all studies.
//
// A study lives in studies/NAME/ and ends in one descriptor, weir_study_NAME, with one line in studies/table.def.
#ifndef WEIR_REPORT_STUDY_H
#define WEIR_REPORT_STUDY_H

#include "batch/batch.h"
#include "table/chart/chart.h"

struct weir_plan; // experiments, and, once they are run, their results

// Adds an experiment unless it is there. `scheme` is a spec ("pcbp,threshold=6", "lru,l1.size_kib=32"); texts are copied.
void weir_plan_add(struct weir_plan *p, const char *program, const char *chip, const char *scheme);

// … of a mix, with counts of its own in the place of those that were asked for.
void weir_plan_add_counted(struct weir_plan *p, const char *program, const char *chip, const char *scheme,
                           const struct weir_mix_counts *counts);

// The run object, for the readers of run/numbers.h; NULL if that run failed. It must have been planned.
const json_t *weir_plan_run(const struct weir_plan *p, const char *program, const char *chip, const char *scheme);

enum weir_size weir_plan_size(const struct weir_plan *p);
unsigned
weir_plan_mixes(const struct weir_plan *p); // of a study that draws mixes: how many of each kind; 0: not asked for

struct weir_figure {
  const char *number; // what --figure takes: "3", "table3"
  const char *title;  // "Figure 3: …", the paper's wording
  void (*plan)(struct weir_plan *p);
  // Adds columns, then rows, to a started table; cells get `ours` and, where the paper states a number, `published`.
  void (*compute)(struct weir_table *t, const struct weir_plan *p);
  const struct weir_chart *chart; // of the table's columns; NULL: it is read, not looked at
};

struct weir_study {
  const char *name, *title, *citation;
  const struct weir_figure *figures; // ends with a NULL number
  bool draws_mixes;   // it takes mixes and their counts; all its programs run on chips with CPU cores, to their counts
  bool paper_inputs;  // likewise: inputs are those of size paper at any size, which is then one of counts alone
  const char *judged; // at which size its claims may be judged: "judge claims at size paper: …"; NULL: at any
  const char *const *whole_runs; // figures that need more of their runs than a results file keeps; NULL: none does
  const char *const *counters;   // what its results files keep of a run: patterns (report/results.h), ends with NULL
};

const struct weir_study *const *weir_studies(unsigned *count); // studies/table.c
const struct weir_study *weir_study_find(const char *name);

// Whether a list of figures between commas names that one.
bool weir_study_names(const char *list, const char *number);

struct weir_study_options {
  enum weir_size size;
  const char *figure; // one, or several between commas; NULL: all, or those that the file of `results` or `from` is for
  unsigned jobs;
  const char *store; // path; NULL: the default
  uint64_t seed;
  unsigned mixes; // 0: the study's default
  struct weir_mix_counts counts;
  const char *results; // a file that takes the results, and gives back those whose fingerprint is still right; or NULL
  const char *from;    // a file that has the results: nothing runs; or NULL
};

// Runs what is missing and hands every figure's table to `each`, in the paper's order. The exit status: that of the runs
// (weir_batch_status), 2 if the study cannot start, 130 if interrupted (finished runs are kept: the same call resumes).
int weir_study_run(const struct weir_study *s, const struct weir_study_options *o,
                   void (*each)(void *context, const struct weir_table *t), void *context, struct weir_sink *sink);

// Whether a results file is what this weir gives: 1 if the fingerprint of a row is no longer that of its contents, or a row
// that is run again differs in a count; each is named in the sink. `sample`: only as many rows run as an average one costs
// some seconds for, chosen by this text; NULL: all.
int weir_study_check(const struct weir_study *s, const char *path, const char *sample, unsigned jobs,
                     struct weir_sink *sink);

#endif
