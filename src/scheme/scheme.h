// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Schemes (schemes/NAME.yaml), resolved for one chip: one replacement policy and any number of companions per cache, what is
// asked of the program, and overrides of the chip. Invariant: a scheme without sweeps can be run as it stands.
#ifndef WEIR_SCHEME_SCHEME_H
#define WEIR_SCHEME_SCHEME_H

#include "base/diag.h"
#include "host/host.h"
#include "scheme/values.h"

struct weir_chip_config;
struct weir_scheme; // policies per level (scheme/policies.h), and overrides

// "NAME[,key=value…]": a key is a knob of one of the scheme's policies ("threshold"), such a knob at one cache
// ("l2.threshold"), a chip path ("l1.size_kib"), which is applied to `chip`, the scheme's own copy, a cache's bypass policy
// ("l1.bypass"), or of the program: "sl1" (true or false), "sl1.OPTION" (which turns it on), "launch.blocks" and its like.
// NULL and diagnostics if anything in it is unknown or out of range.
struct weir_scheme *weir_scheme_read(const char *spec, struct weir_chip_config *chip, struct weir_sink *sink);
// The same over what was chosen of the program before.
struct weir_scheme *weir_scheme_read_over(const char *spec, struct weir_chip_config *chip,
                                          const struct weir_program_options *program, struct weir_sink *sink);
void weir_scheme_free(struct weir_scheme *s);

const char *weir_scheme_name(const struct weir_scheme *s); // the name alone
const char *weir_scheme_spec(const struct weir_scheme *s); // as given, with its overrides
const char *weir_scheme_summary(const struct weir_scheme *s);
const char *weir_scheme_citation(const struct weir_scheme *s);
const struct weir_program_options *weir_scheme_program(const struct weir_scheme *s);

// What a scheme leaves open (a value "best:1..8|12"). It cannot be run itself: each combination of the values is an
// ordinary scheme, and whoever runs them says which is best.
struct weir_sweep {
  const char *key; // behind the scheme's name, "key=value" decides it
  const char *const *values;
  unsigned count;
};

unsigned weir_scheme_sweep_count(const struct weir_scheme *s);          // 0: an ordinary scheme
enum weir_objective weir_scheme_objective(const struct weir_scheme *s); // of all its sweeps
const struct weir_sweep *weir_scheme_sweep(const struct weir_scheme *s, unsigned i);

// Combinations, at most a few thousand; 1 of an ordinary scheme. The last sweep's value changes first.
unsigned weir_scheme_combinations(const struct weir_scheme *s);
char *weir_scheme_combination(const struct weir_scheme *s, unsigned combination); // its spec; freed by weir_free
const char *weir_scheme_choice_of(const struct weir_scheme *s, unsigned combination, unsigned sweep); // its value

#endif
