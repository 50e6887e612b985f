// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Diagnostics for everything that a user can get wrong. A sink collects them in the order found; a function that can
// fail takes a sink, reports all it can find (not only the first), and returns false. The front end prints the sink
// and exits with WEIR_EXIT_USER. What only weir can get wrong is an assertion, not a diagnostic.
#ifndef WEIR_BASE_DIAG_H
#define WEIR_BASE_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { WEIR_EXIT_OK = 0, WEIR_EXIT_INTERNAL = 1, WEIR_EXIT_USER = 2, WEIR_EXIT_NO_DEVICE = 3 };

// A place in a text. `text` (may be NULL) is the whole source, so that the line can be shown with a caret; line and
// column count from 1, 0 = unknown. Without a file, `text` is the name of the option that is at fault.
struct weir_place {
  const char *file;
  const char *text;
  unsigned line, column;
};

static inline struct weir_place weir_option_place(const char *option) { // "--set", "WEIR_SL1"
  return (struct weir_place){.text = option};
}

enum weir_severity { WEIR_NOTE, WEIR_WARNING, WEIR_ERROR };

struct weir_diag {
  enum weir_severity severity;
  char *message; // complete: "file:3:7: error: …\n  source line\n      ^\n"
};

struct weir_sink {
  struct weir_diag *diags;
  size_t count, capacity;
  size_t errors;
  size_t limit; // stop recording errors after this many (0: 100)
  struct {
    const char *text, *at;
    unsigned line;
  } followed; // weir_sink_follow
};

// Places in this text mostly come one after the other: each line is looked for from the last one on, so that as many errors as
// there are lines take linear time. Until it is called again, with NULL before the text is freed.
void weir_sink_follow(struct weir_sink *sink, const char *text);

void weir_report(struct weir_sink *sink, enum weir_severity severity, struct weir_place place, const char *format, ...)
  __attribute__((format(printf, 4, 5)));

// An error; returns false, so that `return weir_fail(…)` reads well.
bool weir_fail(struct weir_sink *sink, struct weir_place place, const char *format, ...)
  __attribute__((format(printf, 3, 4)));

// An error with no place in a file (command line, environment).
bool weir_fail_plain(struct weir_sink *sink, const char *format, ...) __attribute__((format(printf, 2, 3)));

void weir_sink_print(const struct weir_sink *sink, FILE *to);
void weir_sink_free(struct weir_sink *sink);
void weir_sink_take(struct weir_sink *sink,
                    struct weir_sink *from); // all of it, behind what is there; `from` is empty then

// The candidate nearest to `word` in edit distance (at most a third of its length and one), else the first that contains
// it, else NULL: "did you mean …?".
const char *weir_nearest(const char *word, const char *const *candidates, size_t count);

#endif
