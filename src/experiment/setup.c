// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "experiment/experiment.h"

const char *const weir_size_names[] = {[WEIR_SIZE_SMALL] = "small", [WEIR_SIZE_PAPER] = "paper", NULL};

enum { FUNCTIONAL_LANES = 32 };

static bool apply(struct weir_setup *s, const struct weir_experiment *e, struct weir_sink *sink) {
  bool ok = true;
  for (unsigned i = 0; i < e->set_count; i++) ok &= weir_chip_set(s->chip, e->sets[i], "--set", sink);
  if (!ok) return false;
  s->scheme = e->scheme ? weir_scheme_read_over(e->scheme, s->chip, &s->program, sink) : NULL;
  if (s->scheme) s->program = *weir_scheme_program(s->scheme);
  return (s->scheme || !e->scheme) && weir_chip_validate(s->chip, sink);
}

bool weir_setup_read(struct weir_setup *s, const struct weir_experiment *e, struct weir_sink *sink) {
  *s = (struct weir_setup){.lanes = FUNCTIONAL_LANES, .program = weir_program_defaults()};
  s->program.sl1 = e->sl1;
  if (e->sl1 && !weir_sl1_set_all(&s->program.sl1_options, e->sl1, "--sl1", sink)) return false;
  if (!e->chip) return true;
  s->chip = weir_chip_read(e->chip, sink);
  if (!s->chip || !apply(s, e, sink)) {
    weir_setup_free(s);
    return false;
  }
  s->lanes = weir_chip_lanes(s->chip);
  s->memory_bytes = weir_chip_memory_bytes(s->chip);
  return true;
}

static bool fits_process(const struct weir_setup *s, const struct weir_experiment *e, struct weir_sink *sink) {
  if (s->scheme && weir_scheme_sweep_count(s->scheme))
    return weir_fail_plain(sink, "the scheme '%s' leaves values open: a program runs under one that decides them",
                           e->scheme);
  return (!s->program.threads.blocks && !s->program.threads.block) ||
         weir_fail_plain(sink, "the scheme '%s' has launch.blocks or launch.threads: a program says itself what it launches",
                         e->scheme);
}

bool weir_setup_read_process(struct weir_setup *s, const struct weir_experiment *e, struct weir_sink *sink) {
  if (!weir_setup_read(s, e, sink)) return false;
  if (fits_process(s, e, sink)) return true;
  weir_setup_free(s);
  return false;
}

void weir_setup_free(struct weir_setup *s) {
  if (s->scheme) weir_scheme_free(s->scheme);
  if (s->chip) weir_chip_config_free(s->chip);
  *s = (struct weir_setup){0};
}
