// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "replay/subject.h"

#include "config/config.h"
#include "run/mix.h"
#include "scheme/scheme.h"

static bool fits(const struct weir_subject *s, struct weir_sink *sink) {
  const struct weir_experiment *e = s->experiment;
  if (weir_mix_is(e->program) || weir_chip_cpu_cores(s->setup.chip))
    return weir_fail_plain(sink, "record is of a program of the GPU on a chip without CPU cores; '%s' on '%s' is none",
                           e->program, e->chip);
  if (weir_setup_foresees(&s->setup) || weir_scheme_sweep_count(s->setup.scheme))
    return weir_fail_plain(sink, "--scheme: '%s' needs more than one run; record keeps one", e->scheme);
  return true;
}

bool weir_subject_open(struct weir_subject *s, const struct weir_experiment *e, struct weir_sink *sink) {
  *s = (struct weir_subject){.experiment = e};
  return weir_setup_read(&s->setup, e, sink) && fits(s, sink) && (s->opened = weir_experiment_open(e, &s->setup, sink));
}

bool weir_subject_run(struct weir_subject *s, struct weir_backend recorder, const struct weir_cache_watch *watch,
                      struct weir_sink *sink) {
  s->chip = weir_chip_create(s->setup.chip, s->setup.scheme, s->experiment->seed, sink);
  if (!s->chip) return false;
  if (watch) weir_chip_watch(s->chip, 0, WEIR_EVERY_INSTANCE, watch);
  s->inner = weir_chip_backend(s->chip);
  const bool ok = weir_app_run(s->opened->app, recorder);
  weir_chip_free(s->chip);
  s->chip = NULL;
  return ok;
}

void weir_subject_close(struct weir_subject *s) {
  weir_experiment_close(s->opened);
  weir_setup_free(&s->setup);
}
