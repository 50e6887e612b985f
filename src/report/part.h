// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The parts of a report, in its order; each is in the file of its name. Invariant: a part that has nothing to say prints
// nothing.
#ifndef WEIR_REPORT_PART_H
#define WEIR_REPORT_PART_H

#include <jansson.h>
#include <stdio.h>

enum { WEIR_REPORT_LINES = 12 }; // rows of a table that are shown

void weir_print_heading(const json_t *run, FILE *to);   // what ran, and whether its results are right
const char *weir_totals_of(const json_t *run);          // what its totals are of
void weir_print_selection(const json_t *run, FILE *to); // which launches were timed
void weir_print_sweep(const json_t *run, FILE *to);     // what a sweep tried; the rest of the report is of the best
void weir_print_timeline(const json_t *run, FILE *to);  // kernels, copies, both at once, neither
void weir_print_mix(const json_t *run, FILE *to);       // the programs of a mix
void weir_print_kernels(const json_t *run, FILE *to);   // launches, by kernel
void weir_print_occupancy(const json_t *run, FILE *to); // how many blocks of each kernel a core holds
void weir_print_caches(const json_t *run, FILE *to);
void weir_print_loads(const json_t *run,
                      FILE *to); // by line of source and transactions per request; stores; bank conflicts
struct weir_report_files;
void weir_print_shared(const json_t *run, struct weir_report_files *files, FILE *to);
void weir_print_stores(const json_t *run, struct weir_report_files *files, FILE *to);
void weir_print_bound(const json_t *run, FILE *to); // what the best of decisions would have kept
void weir_print_sl1(const json_t *run, FILE *to);

#endif
