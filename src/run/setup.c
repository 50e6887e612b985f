// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "chip/foresight.h"
#include "scheme/policies.h"
#include "run/experiment.h"
#include "run/selection.h"

#include <string.h>

const char *const weir_size_names[] = {[WEIR_SIZE_SMALL] = "small", [WEIR_SIZE_PAPER] = "paper", NULL};

bool weir_size_of(const char *name, enum weir_size *size) {
  for (unsigned i = 0; weir_size_names[i]; i++) {
    if (strcmp(weir_size_names[i], name) != 0) continue;
    *size = (enum weir_size)i;
    return true;
  }
  return false;
}

enum { FUNCTIONAL_LANES = 32 };

static bool apply(struct weir_setup *s, const struct weir_experiment *e, struct weir_sink *sink) {
  bool ok = true;
  for (unsigned i = 0; i < e->set_count; i++) ok &= weir_chip_set(s->chip, e->sets[i], "--set", sink);
  if (!ok) return false;
  s->scheme = e->scheme ? weir_scheme_read_over(e->scheme, s->chip, &s->program, sink) : NULL;
  if (s->scheme) s->program = *weir_scheme_program(s->scheme);
  if (e->ptxas && s->program.sl1)
    return weir_fail_plain(sink,
                           "--ptxas and S-L1 exclude each other: it would count the registers of the kernels without");
  s->chip->core.ptxas_registers = e->ptxas;
  return (s->scheme || !e->scheme) && weir_chip_validate(s->chip, sink);
}

static bool read_chip(struct weir_setup *s, const struct weir_experiment *e, struct weir_sink *sink) {
  if (!e->chip) return true;
  s->chip = weir_chip_read(e->chip, sink);
  if (!s->chip || !apply(s, e, sink)) return false;
  s->lanes = weir_chip_lanes(s->chip);
  s->code = weir_chip_code(s->chip);
  s->memory_bytes = weir_chip_memory_bytes(s->chip);
  return true;
}

bool weir_setup_read(struct weir_setup *s, const struct weir_experiment *e, struct weir_sink *sink) {
  *s = (struct weir_setup){.lanes = FUNCTIONAL_LANES, .program = weir_program_defaults()};
  s->program.sl1 = e->sl1;
  s->program.hints = e->hints;
  if (e->sl1 &&
      !weir_param_set_list(&weir_sl1_table, &s->program.sl1_options, e->sl1, weir_option_place("--sl1"), sink))
    return false;
  s->sample = e->select.sample != NULL;
  if (read_chip(s, e, sink) && weir_selection_sampled(e, s, sink) &&
      weir_selection_read(&s->selection, e, s->chip, sink))
    return true;
  weir_setup_free(s);
  return false;
}

// The value of a choice's knob; -1: there is no such knob.
static double knob_of(const struct weir_policy_choice *c, const char *name) {
  for (unsigned i = 0; c->policy->knobs && c->policy->knobs[i].name; i++)
    if (!strcmp(c->policy->knobs[i].name, name)) return c->knobs[i];
  return -1;
}

// swl's limit is what a sweep finds (Rogers et al.: SWL profiles); until one is given, it is as many warps as there can be.
void weir_setup_tell_idle(const struct weir_setup *s, const struct weir_experiment *e, struct weir_sink *sink) {
  if (!s->scheme || weir_scheme_sweep_count(s->scheme)) return;
  const struct weir_level_policies *first = weir_scheme_level(s->scheme, 0);
  for (unsigned i = 0; i < first->companion_count; i++) {
    const struct weir_policy_choice *c = &first->companions[i];
    const unsigned held = weir_chip_warps(s->chip);
    if (strcmp(c->policy->name, "swl") != 0 || knob_of(c, "warps") < held) continue;
    weir_report(
      sink, WEIR_NOTE, (struct weir_place){0},
      "scheme '%s' limits nothing: swl lets %.0f warps of a core go on, and a core of this chip holds %u; give "
      "warps=N, or warps=best:1..%u to try them all",
      e->scheme, knob_of(c, "warps"), held, held);
  }
}

static bool fits_process(const struct weir_setup *s, const struct weir_experiment *e, struct weir_sink *sink) {
  if (s->scheme && weir_scheme_sweep_count(s->scheme))
    return weir_fail_plain(sink, "the scheme '%s' leaves values open: a program runs under one that decides them",
                           e->scheme);
  if (e->timeline && (!e->scheme || !s->chip->link.raw_mb_per_s))
    return weir_fail_plain(sink, "there is no time line to write: %s (docs/TIMELINE.md)",
                           e->scheme ? "the chip has no link to its host" : "without a chip nothing takes time");
  return !weir_shape_given(&s->program.shape) ||
    weir_fail_plain(sink, "the scheme '%s' has a key that begins with launch.: a program says itself what it launches",
                    e->scheme);
}

bool weir_setup_foresees(const struct weir_setup *s) {
  return s->scheme && weir_chip_foresees(s->chip, s->scheme);
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
  weir_selection_free(s->selection);
  *s = (struct weir_setup){0};
}
