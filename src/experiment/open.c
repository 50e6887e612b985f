// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Programs by name. Apart from setup.c, so that what runs no workload links none.
#include "base/alloc.h"
#include "experiment/experiment.h"

#include <unistd.h>

bool weir_program_known(const char *program, struct weir_sink *sink) {
  if (weir_workload_find(program) || !access(program, R_OK)) return true;
  unsigned count;
  const struct weir_workload *const *workloads = weir_workloads(&count);
  const char **names = weir_new_array(const char *, count + 1);
  for (unsigned i = 0; i < count; i++) names[i] = workloads[i]->name;
  const char *nearest = weir_nearest(program, names, count);
  if (nearest)
    weir_fail_plain(sink, "no workload or launch file '%s'; did you mean '%s'?", program, nearest);
  else
    weir_fail_plain(sink, "no workload or launch file '%s' (weir list workloads names the workloads)", program);
  weir_free(names);
  return false;
}

struct weir_app *weir_experiment_open(const struct weir_experiment *e, const struct weir_setup *setup,
                                      struct weir_sink *sink) {
  struct weir_app_options options = {.size = e->size,
                                     .input = e->input,
                                     .seed = e->seed,
                                     .step_limit = e->step_limit,
                                     .lanes = setup->lanes,
                                     .program = setup->program};
  return weir_app_open(e->program, &options, sink);
}
