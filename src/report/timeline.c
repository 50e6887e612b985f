// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a process's device did when, in one line.
#include "report/part.h"

#include "run/object.h"

static const double PS_PER_US = 1e6;

static double percent(const json_t *run, const char *path, double all) {
  return 100 * weir_run_number(run, path) / all;
}

void weir_print_timeline(const json_t *run, FILE *to) {
  const double all = weir_run_number(run, "timeline.all");
  if (!(all > 0)) return; // nor if there is none
  fprintf(to, "time line: %.3f us; kernels and fills %.1f %%, copies %.1f %%, both at once %.1f %%, idle %.1f %%\n",
          all / PS_PER_US, percent(run, "timeline.device", all), percent(run, "timeline.copies", all),
          percent(run, "timeline.overlap", all), percent(run, "timeline.idle", all));
}
