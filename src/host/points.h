// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Points of the plane from a file. Invariant: x and y are as long as `count`, and finite.
#ifndef WEIR_HOST_POINTS_H
#define WEIR_HOST_POINTS_H

#include "base/diag.h"

#include <stdint.h>

struct weir_points {
  uint32_t count;
  float *x, *y;
};

// A Matrix Market coordinate matrix of two columns (row i is point i, an entry that is not stored is 0), the
// coordinates of a DIMACS road network (.co: "v ID X Y"), or lines of two numbers (# begins a comment). Gzipped files
// too. NULL and a diagnostic per malformed line.
struct weir_points *weir_points_read(const char *path, struct weir_sink *sink);
struct weir_points *weir_points_parse(const char *path, const char *text, size_t size, struct weir_sink *sink);
void weir_points_free(struct weir_points *p);

#endif
