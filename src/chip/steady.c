// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "chip/steady.h"

#include "chip/machine.h"

#include <math.h>
#include <string.h>

// PKA (Baddouh et al., MICRO 2021) takes IPC for steady by its deviation over a window, after a full wave of blocks. Here three waves in
// turn are within so much of their mean, in cycles and in first-level load misses per instruction.
static const double ALIKE = 0.05;
// Fewer waves than so many behind the look are not worth it.
enum { LEAST_LEFT = 2 };

void weir_chip_let_stop(struct weir_chip *c) {
  c->steady.on = true;
}

void weir_steady_begin(struct weir_chip *c, uint64_t room) {
  struct weir_steady *s = &c->steady;
  s->wave = s->on && !c->launch->cooperative ? room : 0;
  s->next = c->stats.blocks + s->wave; // the first wave begins with empty cores
  s->start = c->core_cycle;
  s->count = 0;
  s->rest = 0;
  for (unsigned l = 0; l < c->config->caches_count; l++) s->fills[l] = c->stats.levels[l].fills;
}

static void read(struct weir_chip *c, struct weir_run_stats *to) {
  *to = c->stats;
  to->cycles += c->core_cycle - c->steady.start;
  to->time_ps += (c->core_cycle - c->steady.start) * c->clocks.cores.period;
  weir_chip_count_others(c, to);
}

static double counted(const struct weir_run_stats *s, unsigned what) {
  return (double)(what ? s->levels[0].loads.misses : s->cycles);
}

// Per instruction, of the k-th of the last waves.
static double rate(const struct weir_steady *s, unsigned k, unsigned what) {
  const struct weir_run_stats *from = &s->readings[k], *to = &s->readings[k + 1];
  const double instructions = (double)(to->warp_instructions - from->warp_instructions);
  return instructions > 0 ? (counted(to, what) - counted(from, what)) / instructions : 0;
}

static double mean(const struct weir_steady *s, unsigned what) {
  double sum = 0;
  for (unsigned k = 0; k < WEIR_STEADY_WAVES; k++) sum += rate(s, k, what);
  return sum / WEIR_STEADY_WAVES;
}

static bool is_steady(const struct weir_steady *s) {
  for (unsigned what = 0; what < 2; what++)
    for (unsigned k = 0; k < WEIR_STEADY_WAVES; k++)
      if (fabs(rate(s, k, what) - mean(s, what)) > ALIKE * mean(s, what)) return false;
  return s->readings[0].warp_instructions < s->readings[WEIR_STEADY_WAVES].warp_instructions;
}

// A shared cache that keeps being filled is steady once all that was there before the launch may be gone: until then its
// evictions are of other launches' lines.
static const double RARELY = 0.01; // fills, of accesses

static bool is_turned_over(const struct weir_chip *c, unsigned level) {
  const struct weir_steady *s = &c->steady;
  const struct weir_level_stats *from = &s->readings[0].levels[level],
                                *to = &s->readings[WEIR_STEADY_WAVES].levels[level];
  const struct weir_cache_config *k = &c->config->caches[level];
  const uint64_t accesses = to->loads.accesses + to->stores.accesses - from->loads.accesses - from->stores.accesses;
  const uint64_t sectors = (uint64_t)weir_chip_sets(c->config, level) * k->ways * (k->line_bytes / k->sector_bytes) *
    weir_chip_instances(c->config, level);
  return (double)(to->fills - from->fills) <= RARELY * (double)accesses || to->fills - s->fills[level] >= sectors;
}

static bool are_turned_over(const struct weir_chip *c) {
  for (unsigned l = 1; l < c->config->caches_count; l++)
    if (!is_turned_over(c, l)) return false;
  return true;
}

void weir_steady_look(struct weir_chip *c) {
  struct weir_steady *s = &c->steady;
  s->next += s->wave;
  memmove(s->readings, s->readings + 1, sizeof s->readings - sizeof *s->readings);
  read(c, &s->readings[WEIR_STEADY_WAVES]);
  s->count++;
  if (s->count <= WEIR_STEADY_WAVES || c->blocks < c->next_block + LEAST_LEFT * s->wave || !is_steady(s) ||
      !are_turned_over(c))
    return;
  s->rest = c->next_block;
  s->wave = 0;
  c->blocks = c->next_block;
}

bool weir_chip_rest(const struct weir_chip *c, struct weir_chip_rest *rest) {
  const struct weir_steady *s = &c->steady;
  if (!s->rest) return false;
  rest->steady = s->readings[WEIR_STEADY_WAVES];
  weir_run_stats_subtract(&rest->steady, &s->readings[0]);
  for (unsigned what = 0; what < 2; what++) {
    double squares = 0;
    for (unsigned k = 0; k < WEIR_STEADY_WAVES; k++) {
      const double off = rate(s, k, what) - mean(s, what);
      squares += off * off;
    }
    rest->deviation[what] = sqrt(squares / (WEIR_STEADY_WAVES - 1) / WEIR_STEADY_WAVES);
  }
  return true;
}
