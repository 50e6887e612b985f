// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Results files: what a study's figures need of its runs, as CSV that is committed. Invariant: a row has the experiment,
// the fingerprint of its contents (batch/store.h) and those members of its run object that the study's patterns name, so
// that the part of the run object made from it gives the figures that the run gave.
//
// A pattern is a dotted path (as total.l1.loads.hits) in which `*` stands for every member or element, and a last `**` for
// all that is below. Elements of lists are named "[0]". A study's pattern may name the one chip that it is for before a
// colon ("apu-2c4g:total.cycles").
#ifndef WEIR_REPORT_RESULTS_H
#define WEIR_REPORT_RESULTS_H

#include "base/arena.h"
#include "base/hash.h"
#include "run/experiment.h"

struct weir_results_row {
  struct weir_experiment experiment; // program, scheme, chip, size, seed, counts
  char fingerprint[WEIR_HASH_TEXT];
  json_t *counters; // by path
};

struct weir_results {
  struct weir_results_row *rows;
  unsigned count, capacity;
  char *study;         // its name
  char *figures;       // those that it was made for, between commas; NULL: all
  enum weir_size size; // the options that it was made with
  uint64_t seed;
  unsigned mixes;
  struct weir_mix_counts counts;
  struct weir_arena texts;
};

// False and a diagnostic with the line if it is no results file.
bool weir_results_read(struct weir_results *r, const char *path, struct weir_sink *sink);
bool weir_results_write(const struct weir_results *r, const char *path, struct weir_sink *sink);
void weir_results_free(struct weir_results *r);

const struct weir_results_row *weir_results_find(const struct weir_results *r, const struct weir_experiment *e);

// Copies the experiment's texts, takes the counters.
void weir_results_add(struct weir_results *r, const struct weir_experiment *e, const char *fingerprint,
                      json_t *counters);

// What the patterns (they end with NULL) name in a run object, by path; and the part of a run object that has only that.
json_t *weir_results_counters(const json_t *run, const char *const *patterns);
json_t *weir_results_run(const json_t *counters);

#endif
