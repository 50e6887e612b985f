// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A text read line by line and field by field. Invariant: `at` never passes the end of the current line, so a field
// that is missing is reported where the line ends.
#ifndef WEIR_HOST_SCAN_H
#define WEIR_HOST_SCAN_H

#include "base/diag.h"

#include <stdint.h>

struct weir_scan {
  const char *path, *text, *end; // the text ends in NUL at `end`
  const char *next;              // the line after the current one
  const char *start, *at, *stop; // the current line, and where its fields have been read up to
  unsigned line;
  struct weir_sink *sink;
};

struct weir_scan weir_scan_begin(const char *path, const char *text, size_t size, struct weir_sink *sink);
bool weir_scan_line(struct weir_scan *s);                     // the next line; false at the end of the text
bool weir_scan_blank(struct weir_scan *s);                    // skips blanks: is nothing left on the line?
struct weir_place weir_scan_place(const struct weir_scan *s); // of `at`

// Fields between blanks. False and a diagnostic (`what` names the field) if there is none such.
bool weir_scan_u32(struct weir_scan *s, const char *what, uint32_t low, uint32_t high, uint32_t *out);
bool weir_scan_f32(struct weir_scan *s, const char *what, float *out);              // finite
bool weir_scan_word(struct weir_scan *s, const char *what, char *out, size_t size); // in lower case
bool weir_scan_done(struct weir_scan *s);                                           // nothing may follow

#endif
