// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// One line on the terminal while simulations run. Invariant: nothing is written unless standard error is a terminal, and
// the line is gone after weir_progress_stop.
#ifndef WEIR_BATCH_PROGRESS_H
#define WEIR_BATCH_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct weir_progress {
  bool on;
  unsigned total;     // runs
  double start, last; // seconds
};

struct weir_progress_state {
  unsigned done, running;     // runs
  uint64_t warp_instructions; // so far, of all runs
  double fraction;            // of the whole, 0..1; 0: not known
  const char *doing;          // "preparing bfs"; NULL: simulating
};

void weir_progress_start(struct weir_progress *p, unsigned total);
void weir_progress_show(struct weir_progress *p, const struct weir_progress_state *s); // at most 10 times a second
void weir_progress_stop(struct weir_progress *p);

#endif
