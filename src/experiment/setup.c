// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "experiment/experiment.h"

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
