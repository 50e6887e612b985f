// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The points of the curves: what was measured, what is run for each, and the number that its launches give.
#include "silicon/silicon.h"

#include "run/numbers.h"
#include "run/object.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SPEC = 128, SECTOR = 32 };

// What the second launch of the workload `strides-rrze` has more than the first: rounds of four loads by each of 32 warps.
enum { STRIDES_WARP_LOADS = 256 * 4 * 32 };

enum { STREAM_LAUNCHES = 3, STREAM_KIB = 4096, CHANNEL_KIB = 1 }; // of each kernel; the least footprint; of 32 sectors
enum { STREAM_BLOCKS = 2, STREAM_BYTES = 8 };                     // of a core; of a thread, in each array

static const char *const programs[] = {[SILICON_LATENCY] = "chase",
                                       [SILICON_STRIDES] = "strides-rrze",
                                       [SILICON_BANDWIDTH] = "one-buffer-rrze",
                                       [SILICON_BUFFERS] = "buffers-rrze",
                                       [SILICON_OCCUPANCY] = "stream-kernels-rrze"};

#define KNEE NULL
static const struct silicon_point points[] = {
#define POINT(curve, chip, at, value, level) {SILICON_##curve, chip, at, value, level, NAN, NAN},
#define KNEE_POINT(chip, at, before, value, after) {SILICON_LATENCY, chip, at, value, KNEE, before, after},
#define STREAM(chip, at, init, read, scale, triad, stencil3, stencil5)                                                 \
  {SILICON_OCCUPANCY, chip, at, init, "init", NAN, NAN}, {SILICON_OCCUPANCY, chip, at, read, "read", NAN, NAN},        \
    {SILICON_OCCUPANCY, chip, at, scale, "scale", NAN, NAN}, {SILICON_OCCUPANCY, chip, at, triad, "triad", NAN, NAN},  \
    {SILICON_OCCUPANCY, chip, at, stencil3, "stencil3", NAN, NAN},                                                     \
    {SILICON_OCCUPANCY, chip, at, stencil5, "stencil5", NAN, NAN},
#include "measured.def"
#undef STREAM
#undef KNEE_POINT
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
  const bool is_rate = p->curve == SILICON_BANDWIDTH || p->curve == SILICON_BUFFERS;
  return is_rate ? p->value * 1000 / c->silicon_mhz : p->value; // bytes per ns to bytes per cycle
}

// ---- runs -----------------------------------------------------------------------------------------------------------

// By so much of each array a kernel's last launch is longer than the one before: four times and more what all threads that run at a time
// go over, the L2 holds and waits in the channels of DRAM, so that what is written to DRAM meanwhile is what is stored.
static unsigned stream_kib(const struct silicon_chip *c, const struct silicon_point *p) {
  const unsigned at_once = c->cores * STREAM_BLOCKS * p->at * STREAM_BYTES / 1024;
  const unsigned waiting = c->channels * CHANNEL_KIB;
  unsigned kib = STREAM_KIB;
  while (kib < 4 * (at_once + c->stream_l2_kib + waiting)) kib *= 2;
  return kib;
}

static const char *scheme_of(char spec[SPEC], const struct silicon_chip *c, const struct silicon_point *p) {
  switch (p->curve) {
  case SILICON_LATENCY: snprintf(spec, SPEC, "none,launch.footprint_kib=%u,launch.stride=8", p->at); break;
  case SILICON_STRIDES: snprintf(spec, SPEC, "none,launch.stride=%u", p->at); break;
  case SILICON_BANDWIDTH: snprintf(spec, SPEC, "none,launch.blocks=%u,launch.footprint_kib=%u", c->cores, p->at); break;
  case SILICON_BUFFERS: // as many blocks as run at a time
    snprintf(spec, SPEC, "none,launch.blocks=%u,launch.footprint_kib=%u", 2 * c->cores, p->at);
    break;
  case SILICON_OCCUPANCY: // two blocks of a core, as the measured program's shared memory lets it have
    snprintf(spec, SPEC, "none,core.max_blocks=%d,launch.threads=%u,launch.footprint_kib=%u,l2.size_kib=%u",
             STREAM_BLOCKS, p->at, stream_kib(c, p), c->stream_l2_kib);
    break;
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

// By which launch `n` exceeds the one before it.
static struct difference between_launches(const json_t *launches, size_t n) {
  if (!n || n >= json_array_size(launches)) return (struct difference){NAN, NAN};
  const struct weir_run_numbers last = weir_launch_counts(json_array_get(launches, n)),
                                before = weir_launch_counts(json_array_get(launches, n - 1));
  return (struct difference){last.cycles - before.cycles,
                             weir_cache_of(&last, WEIR_FIRST_CACHE).loads.accesses -
                               weir_cache_of(&before, WEIR_FIRST_CACHE).loads.accesses};
}

// The kernels of stream-kernels in the order of their launches, and how many arrays each goes over.
static double stream_gb_per_s(const json_t *launches, const struct silicon_chip *c, const struct silicon_point *p) {
  static const struct {
    const char *name;
    unsigned arrays;
  } kernels[] = {{"read", 1}, {"init", 1}, {"scale", 2}, {"triad", 3}, {"stencil3", 2}, {"stencil5", 2}};
  size_t k = 0;
  while (strcmp(kernels[k].name, p->level) != 0) k++;
  return kernels[k].arrays * stream_kib(c, p) * 1024.0 * c->silicon_mhz / 1000 /
    between_launches(launches, STREAM_LAUNCHES * (k + 1) - 1).cycles;
}

double silicon_ours(const struct weir_plan *plan, const struct silicon_chip *c, const struct silicon_point *p) {
  char spec[SPEC];
  const json_t *run = weir_plan_run(plan, programs[p->curve], c->name, scheme_of(spec, c, p)),
               *launches = run ? weir_run_member(run, "kernels") : NULL;
  const struct difference d = between_launches(launches, json_array_size(launches) - 1);
  switch (p->curve) {
  case SILICON_LATENCY: return d.cycles / d.accesses; // one thread: a load is an access
  case SILICON_STRIDES: return d.cycles / STRIDES_WARP_LOADS;
  case SILICON_BUFFERS:
  case SILICON_BANDWIDTH: return d.accesses * SECTOR / d.cycles; // coalesced: an access is a sector
  case SILICON_OCCUPANCY: return stream_gb_per_s(launches, c, p);
  }
  return NAN;
}
