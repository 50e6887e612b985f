// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A run object for a reader. Invariant: everything shown comes from the run object.
#ifndef WEIR_REPORT_REPORT_H
#define WEIR_REPORT_REPORT_H

#include <jansson.h>
#include <stdio.h>

void weir_print_report(const json_t *run, FILE *to);

// Its part about the programs of a mix, if it is one (report/mix.c).
void weir_print_mix(const json_t *run, FILE *to);

// Its part about bank conflicts of shared memory, if anything accessed it (report/shared.c).
struct weir_report_files;
void weir_print_shared(const json_t *run, const struct weir_report_files *files, FILE *to);

// Its part about how many blocks of each kernel a core holds (report/occupancy.c).
void weir_print_occupancy(const json_t *run, FILE *to);

// Its part about S-L1, if the run was under it (report/sl1.c).
void weir_print_sl1(const json_t *run, FILE *to);

#endif
