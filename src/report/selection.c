// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Of which launches a run's counts are.
#include "report/part.h"
#include "report/share.h"
#include "run/object.h"

#include <math.h>

const char *weir_totals_of(const json_t *run) {
  return weir_run_member(run, "sampling") ? "whole run, estimated"
    : weir_run_member(run, "selection")   ? "selected launches"
                                          : "whole run";
}

static void print_bound(const char *of, double error, FILE *to) {
  if (isnan(error))
    fprintf(to, "%s by what nothing tells", of);
  else
    fprintf(to, "%s within %.1f %%", of, 100 * error);
}

static void print_sampling(const json_t *s, FILE *to) {
  const double timed = weir_run_number(s, "timed"), launched = weir_run_number(s, "launched"),
               stopped = weir_run_number(s, "stopped");
  fprintf(to, "\n%.0f of %.0f launches %s timed", timed, launched, timed == 1 ? "was" : "were");
  if (stopped > 0) fprintf(to, ", %.0f of these until steady", stopped);
  fputs("; the whole run's counts are estimated from these (95 % confidence: ", to);
  print_bound("cycles", weir_run_number(s, "cycles_error"), to);
  print_bound(", load misses of the first level", weir_run_number(s, "l1_load_misses_error"), to);
  fputs("), kernels and lines are of them\n", to);
}

void weir_print_selection(const json_t *run, FILE *to) {
  const json_t *s = weir_run_member(run, "selection"), *sampling = weir_run_member(run, "sampling");
  if (sampling) print_sampling(sampling, to);
  if (!s) return;
  const double selected = weir_run_number(s, "selected"), launched = weir_run_number(s, "launched");
  fprintf(to,
          "\n%.0f of %.0f launches %s timed, and all that follows is of %s; the others ran for their results alone\n",
          selected, launched, selected == 1 ? "was" : "were", selected == 1 ? "it" : "them");
}
