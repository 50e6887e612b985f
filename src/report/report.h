// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A run object for a reader. Invariant: everything shown comes from the run object.
#ifndef WEIR_REPORT_REPORT_H
#define WEIR_REPORT_REPORT_H

#include <jansson.h>
#include <stdio.h>

void weir_print_report(const json_t *run, FILE *to);

// By kernel and by line in the units of Nsight Compute. Of a chip that has them (weir_chip_has_sectors).
void weir_print_ncu(const json_t *run, FILE *to);

#endif
