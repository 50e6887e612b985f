// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Advice: which cache hints a program's loads and stores gain from on a chip. Invariant: what is told of hints was simulated with
// them, so that applying them gives the same counts.
#ifndef WEIR_ADVISE_ADVISE_H
#define WEIR_ADVISE_ADVISE_H

#include "advise/remedy.h"
#include "advise/site.h"
#include "advise/trials.h"

enum { WEIR_ADVISE_LINES = 64, WEIR_ADVISE_PERTURBED = 64 };

struct weir_advise_options {
  const struct weir_experiment *experiment;
  char *const *program; // what stands behind --; NULL
  unsigned lines;       // sites that hints are tried on
  unsigned runs;    // the effort of so many of the program at most, but for remedies, the bound and other chips; 0: any
  unsigned perturb; // perturbed runs of the program and of its answer
  unsigned jobs;
  double budget; // seconds; 0: any
  const char *const *chips;
  unsigned chip_count;  // other chips, on which the answer is tried
  bool remedies, bound; // try what there is beside hints; run it under the scheme opt
};

struct weir_trial { // one hint on one site
  unsigned site;
  const char *hint;
  char *requests; // as --hints has them
  struct weir_measured outcome;
  const char *failure; // NULL: none
};

// What was found of some hints together, or of none.
struct weir_answer {
  struct weir_measured outcome;
  struct weir_measured perturbed[WEIR_ADVISE_PERTURBED]; // by perturbation, 1 first
};

struct weir_chip_answer {
  const char *chip;
  struct weir_measured base, together;
  char *failure; // NULL: none
};

// The hints that could be written into the program's source; and the program with them, put on as it is loaded and compiled in.
struct weir_patched {
  char *requests; // these hints, as --hints has them; NULL: there is no patch
  struct weir_measured hinted, compiled;
};

struct weir_advice {
  struct weir_setup setup;
  json_t *run; // without the advice
  struct weir_sites sites;
  unsigned picked; // the first of them, on which hints were tried
  struct weir_trial *trials;
  unsigned trial_count, tried;                 // those that were tried come first
  unsigned chosen[WEIR_ADVISE_LINES];          // trials that go together, as they were taken
  unsigned chosen_count, left_out;             // left_out: that gain alone, and for which no run was left
  struct weir_answer base, together;           // together: of no chosen ones the base
  struct weir_answer alone[WEIR_ADVISE_LINES]; // by chosen
  unsigned perturbed;                          // runs of each that there are
  double band;                                 // of cycles: what chance does, as a share
  double least_work, most_work;                // warp instructions of its runs without hints
  unsigned given_up;                           // runs with hints that did not end within the effort that was left
  unsigned other_work;                         // runs with hints that executed others, and are as if they had not run
  struct weir_remedy remedies[WEIR_REMEDIES];
  unsigned remedy_count;
  json_t *bound;            // a run under the scheme opt; NULL: none was asked for, or it did not run
  struct weir_measured opt; // its outcome
  struct weir_chip_answer *chips;
  struct weir_patched patched;
  unsigned runs, chip_count; // runs: all
  double cost;               // the effort of those that `runs` of the options bounds, in runs of the program
  double seconds;
};

// The exit status; the advice is there if it is WEIR_EXIT_OK. Either way it is to be freed.
int weir_advise(struct weir_advice *a, const struct weir_advise_options *o, struct weir_sink *sink);
void weir_advice_free(struct weir_advice *a);

// The trial of a site with the fewest cycles; NULL: none ran.
const struct weir_trial *weir_advice_best(const struct weir_advice *a, unsigned site);

// Cycles without over cycles with, 1 and more is a gain; NaN if either did not run.
double weir_gain(const struct weir_measured *without, const struct weir_measured *with);

// Does a gain of that size lie outside the band?
bool weir_gain_counts(const struct weir_advice *a, double gain);

// The requests of the chosen trials; to be freed.
char *weir_advice_requests(const struct weir_advice *a, const char *before);

#endif
