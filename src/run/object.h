// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Members of a run object by their dotted path ("process.end"): texts, lists, and what is named by data (knobs, swept
// keys). Numbers that weir counts: run/numbers.h.
#ifndef WEIR_RUN_OBJECT_H
#define WEIR_RUN_OBJECT_H

#include <jansson.h>

json_t *weir_run_member(const json_t *run, const char *path);   // borrowed; NULL if there is none
const char *weir_run_text(const json_t *run, const char *path); // "" if there is none
const char *
weir_run_array(const json_t *row); // of an element of `loads` and others: its array or its allocation, or ""
char *weir_run_joined(const json_t *texts, const char *between); // freed by weir_free; "" of none, or NULL
// What ran: the program's name, of a process its command line; freed by weir_free.
char *weir_run_label(const json_t *run);
double weir_run_number(const json_t *run, const char *path); // NaN if there is none

#endif
