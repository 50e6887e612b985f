// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "experiment/experiment.h"

#include <unistd.h>

const char *const weir_size_names[] = {[WEIR_SIZE_SMALL] = "small", [WEIR_SIZE_PAPER] = "paper", NULL};

enum { FUNCTIONAL_LANES = 32 };

static bool apply(struct weir_setup *s, const struct weir_experiment *e, struct weir_sink *sink) {
  bool ok = true;
  for (unsigned i = 0; i < e->set_count; i++) ok &= weir_chip_set(s->chip, e->sets[i], "--set", sink);
  if (!ok) return false;
  s->scheme = e->scheme ? weir_scheme_read(e->scheme, s->chip, sink) : NULL;
  return (s->scheme || !e->scheme) && weir_chip_validate(s->chip, sink);
}

bool weir_setup_read(struct weir_setup *s, const struct weir_experiment *e, struct weir_sink *sink) {
  *s = (struct weir_setup){.lanes = FUNCTIONAL_LANES};
  if (!e->chip) return true;
  s->chip = weir_chip_read(e->chip, sink);
  if (!s->chip || !apply(s, e, sink)) {
    weir_setup_free(s);
    return false;
  }
  s->lanes = weir_chip_lanes(s->chip);
  return true;
}

void weir_setup_free(struct weir_setup *s) {
  if (s->scheme) weir_scheme_free(s->scheme);
  if (s->chip) weir_chip_config_free(s->chip);
  *s = (struct weir_setup){0};
}

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

struct weir_app *weir_experiment_open(const struct weir_experiment *e, unsigned lanes, struct weir_sink *sink) {
  struct weir_app_options options = {
    .size = e->size, .input = e->input, .seed = e->seed, .step_limit = e->step_limit, .lanes = lanes};
  return weir_app_open(e->program, &options, sink);
}
