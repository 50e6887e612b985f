// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The points of the curves: what was measured, what is run for each, and the number that its launches give.
#include "silicon/silicon.h"

#include "run/numbers.h"
#include "run/object.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SPEC = 96, SECTOR = 32 };

// What the second launch of the workload `strides` has more than the first: rounds of four loads by each of 32 warps.
enum { STRIDES_WARP_LOADS = 256 * 4 * 32 };

static const char *const programs[] = {
  [SILICON_LATENCY] = "chase", [SILICON_STRIDES] = "strides", [SILICON_BANDWIDTH] = "one-buffer"};

#define KNEE NULL
static const struct silicon_point points[] = {
#define POINT(curve, chip, at, value, level) {SILICON_##curve, chip, at, value, level},
#include "measured.def"
#undef POINT
};

const struct silicon_point *silicon_next(const struct silicon_chip *c, enum silicon_curve curve, unsigned *i) {
  const char *chip = curve == SILICON_STRIDES ? c->strides_chip : c->name;
  while (*i < sizeof points / sizeof *points) {
    const struct silicon_point *p = &points[(*i)++];
    if (p->curve == curve && !strcmp(p->chip, chip)) return p;
  }
  return NULL;
}

double silicon_measured(const struct silicon_chip *c, const struct silicon_point *p) {
  return p->curve == SILICON_BANDWIDTH ? p->value * 1000 / c->silicon_mhz : p->value; // bytes per ns to bytes per cycle
}

// ---- runs -----------------------------------------------------------------------------------------------------------

static const char *scheme_of(char spec[SPEC], const struct silicon_chip *c, const struct silicon_point *p) {
  switch (p->curve) {
  case SILICON_LATENCY: snprintf(spec, SPEC, "none,launch.footprint_kib=%u", p->at); break;
  case SILICON_STRIDES: snprintf(spec, SPEC, "none,launch.stride=%u", p->at); break;
  case SILICON_BANDWIDTH: snprintf(spec, SPEC, "none,launch.blocks=%u,launch.footprint_kib=%u", c->cores, p->at); break;
  }
  return spec;
}

void silicon_plan(struct weir_plan *plan, const struct silicon_chip *c, enum silicon_curve curve) {
  char spec[SPEC];
  unsigned i = 0;
  for (const struct silicon_point *p; (p = silicon_next(c, curve, &i));)
    weir_plan_add(plan, programs[curve], c->name, scheme_of(spec, c, p));
}

struct difference {
  double cycles, accesses; // of core cycles; of loads in the first level
};

// By which the last launch exceeds the one before it.
static struct difference between_launches(const json_t *run) {
  const json_t *launches = run ? weir_run_member(run, "kernels") : NULL;
  const size_t count = json_array_size(launches);
  if (count < 2) return (struct difference){NAN, NAN};
  const struct weir_run_numbers last = weir_launch_counts(json_array_get(launches, count - 1)),
                                before = weir_launch_counts(json_array_get(launches, count - 2));
  return (struct difference){last.cycles - before.cycles,
                             weir_cache_of(&last, WEIR_FIRST_CACHE).loads.accesses -
                               weir_cache_of(&before, WEIR_FIRST_CACHE).loads.accesses};
}

double silicon_ours(const struct weir_plan *plan, const struct silicon_chip *c, const struct silicon_point *p) {
  char spec[SPEC];
  const struct difference d = between_launches(weir_plan_run(plan, programs[p->curve], c->name, scheme_of(spec, c, p)));
  switch (p->curve) {
  case SILICON_LATENCY: return d.cycles / d.accesses; // one thread: a load is an access
  case SILICON_STRIDES: return d.cycles / STRIDES_WARP_LOADS;
  case SILICON_BANDWIDTH: return d.accesses * SECTOR / d.cycles; // coalesced: an access is a sector
  }
  return NAN;
}
