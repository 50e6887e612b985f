// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Run objects as one page of HTML. Invariant: the page holds every number that it shows, as the run objects have it or as
// run/numbers.h reads it from them; its script (page.js) sorts, filters and draws, and knows no counter by another name.
#ifndef WEIR_REPORT_PAGE_H
#define WEIR_REPORT_PAGE_H

#include <jansson.h>
#include <stdio.h>

// `runs`: an array of run objects. `command`: that made the page, as the page says.
void weir_report_page(const json_t *runs, const char *command, FILE *to);

#endif
