// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// How a run is made again.
#ifndef WEIR_REPORT_REPRODUCE_H
#define WEIR_REPORT_REPRODUCE_H

#include <jansson.h>

// The weir command line of a run object, quoted for the shell; freed by weir_free. Run objects do not name `--input`, `--plugin`
// and what bounds a mix's programs: who made a run with them adds them.
char *weir_reproduce(const json_t *run);

#endif
