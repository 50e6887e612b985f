// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "run/strata.h"

#include "base/alloc.h"
#include "base/bits.h"

#include <math.h>
#include <string.h>

// As STEM (Yu et al., MICRO 2025) has it of cycles: half-widths of 5 % at a confidence of 95 %. Misses have twice that.
static const double WIDEST[WEIR_ESTIMATES] = {[WEIR_ESTIMATE_CYCLES] = 0.05, [WEIR_ESTIMATE_MISSES] = 0.10};
// … unless that is so little of the whole that it does not matter.
static const double NEGLIGIBLE = 0.01;
enum { ONE_IN = 16 }; // where it does, one launch in so many is timed besides those at powers of two

// ---- strata -------------------------------------------------------------------------------------------------------------

// Blocks, and instructions of a block, are alike from one power of two to the next: spread evenly, such have a coefficient of
// variation of 19 %. Sieve (Naderan-Tahan et al., ISPASS 2023) has strata of up to 40 %.
static unsigned bin_of(uint64_t n) {
  return n ? 1 + weir_log2(n) : 0;
}

struct weir_stratum *weir_strata_find(const struct weir_strata *s, const struct weir_launch *l, uint64_t blocks,
                                      uint64_t instructions) {
  const unsigned blocks_bin = bin_of(blocks), instructions_bin = bin_of(instructions / blocks);
  for (unsigned i = s->count; i-- > 0;) {
    struct weir_stratum *t = &s->all[i];
    if (t->blocks_bin == blocks_bin && t->instructions_bin == instructions_bin &&
        t->shared_bytes == l->dynamic_shared_bytes && t->shared_preference == l->shared_preference &&
        t->cluster_blocks == weir_cluster_blocks(l) && !memcmp(t->block, l->block, sizeof t->block) &&
        !strcmp(t->kernel, l->kernel->name))
      return t;
  }
  return NULL;
}

static bool has_kernel(const struct weir_strata *s, const char *name) {
  for (unsigned i = 0; i < s->count; i++)
    if (!strcmp(s->all[i].kernel, name)) return true;
  return false;
}

struct weir_stratum *weir_strata_have(struct weir_strata *s, const struct weir_launch *l, uint64_t instructions) {
  const uint64_t blocks = weir_launch_blocks(l);
  struct weir_stratum *t = weir_strata_find(s, l, blocks, instructions);
  if (t) return t;
  const bool seen = has_kernel(s, l->kernel->name);
  t = weir_push(s->all, s->count, s->capacity);
  *t = (struct weir_stratum){.kernel = weir_text_copy(l->kernel->name),
                             .seen = seen,
                             .shared_bytes = l->dynamic_shared_bytes,
                             .shared_preference = l->shared_preference,
                             .cluster_blocks = weir_cluster_blocks(l),
                             .blocks_bin = bin_of(blocks),
                             .instructions_bin = bin_of(instructions / blocks)};
  memcpy(t->block, l->block, sizeof t->block);
  return t;
}

void weir_strata_free(struct weir_strata *s) {
  for (unsigned i = 0; i < s->count; i++) weir_free(s->all[i].kernel);
  weir_free(s->all);
}

// ---- launches -----------------------------------------------------------------------------------------------------------

double weir_estimated_counter(const struct weir_run_stats *s, enum weir_estimate what) {
  return (double)(what == WEIR_ESTIMATE_CYCLES ? s->cycles : s->levels[0].loads.misses);
}

static void add_moments(struct weir_stratum *s, const struct weir_run_stats *counts) {
  const double x = (double)counts->warp_instructions, dx = x - (double)s->last.warp_instructions;
  const bool differs = s->counted > 0;
  s->x += x;
  if (differs) s->dxx += dx * dx;
  for (unsigned i = 0; i < WEIR_ESTIMATES; i++) {
    const double y = weir_estimated_counter(counts, (enum weir_estimate)i),
                 dy = y - weir_estimated_counter(&s->last, (enum weir_estimate)i);
    s->of[i].y += y;
    if (!differs) continue;
    s->of[i].dyy += dy * dy;
    s->of[i].dxy += dx * dy;
  }
}

// Launches between two that are counted count as both together do, in the ratio to their instructions.
static void close_gap(struct weir_stratum *s, const struct weir_run_stats *counts) {
  struct weir_run_stats both = *counts;
  weir_run_stats_add(&both, &s->last);
  const double half = (double)s->behind / 2;
  if (both.warp_instructions)
    weir_run_stats_add_times(&s->estimated, &both, (double)s->behind / (double)both.warp_instructions);
  s->squares += (s->weight + half) * (s->weight + half);
  s->weight = half;
  s->behind = 0;
}

// A kernel's first launch may find colder caches than any other: it counts for itself alone.
void weir_stratum_add_timed(struct weir_stratum *s, const struct weir_run_stats *counts,
                            const double within[static WEIR_ESTIMATES]) {
  for (unsigned i = 0; i < WEIR_ESTIMATES; i++) s->within[i] += within[i];
  s->launches++;
  s->timed++;
  s->unseen = 0;
  weir_run_stats_add(&s->timed_stats, counts);
  if (s->launches > 1 || s->seen) {
    add_moments(s, counts);
    if (s->counted) close_gap(s, counts);
    s->counted++;
  }
  s->last = *counts;
}

void weir_stratum_add_untimed(struct weir_stratum *s, uint64_t instructions) {
  s->launches++;
  s->unseen++;
  s->untimed_instructions += instructions;
  s->behind += instructions;
}

void weir_stratum_add_repeat(struct weir_stratum *s, const struct weir_run_stats *counts,
                             const double error[static WEIR_ESTIMATES]) {
  s->launches++;
  weir_run_stats_add(&s->repeated, counts);
  for (unsigned i = 0; i < WEIR_ESTIMATES; i++) s->of_repeats[i] += error[i];
}

// ---- estimates ----------------------------------------------------------------------------------------------------------

// Student's t, two-sided, 95 %; beyond the table, from the normal distribution's (Abramowitz and Stegun, 26.7.5, two terms).
double weir_student(uint64_t freedom) {
  static const double table[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228};
  if (freedom <= sizeof table / sizeof *table) return table[freedom - 1];
  const double z = 1.959964;
  return z + (z * z * z + z) / (4 * (double)freedom);
}

// Half-width of the sum over the untimed launches. Each counted launch stands for those next to it, and differs from what the ratio of
// all says by as much as successive ones differ (Wolter, Introduction to Variance Estimation, 8.2: systematic samples), so that a
// drift over the run is no spread.
static double error_of(const struct weir_stratum *s, enum weir_estimate what, double behind) {
  const struct weir_moments *m = &s->of[what];
  const double n = (double)s->counted, ratio = m->y / s->x, last = s->weight + behind;
  const double differences = m->dyy - 2 * ratio * m->dxy + ratio * ratio * s->dxx;
  const double deviation = sqrt((differences > 0 ? differences : 0) / (2 * (n - 1))) / (s->x / n);
  return weir_student(s->counted - 1) * deviation * sqrt(s->squares + last * last);
}

double weir_stratum_error(const struct weir_stratum *s, enum weir_estimate what) {
  if (!s->untimed_instructions) return s->of_repeats[what];
  return s->counted < 2 ? INFINITY : error_of(s, what, (double)s->behind) + s->of_repeats[what];
}

// The last counted launch as so many times itself.
static double times(const struct weir_stratum *s, uint64_t instructions) {
  return s->last.warp_instructions ? (double)instructions / (double)s->last.warp_instructions : 0;
}

double weir_stratum_estimate(const struct weir_stratum *s, enum weir_estimate what, uint64_t instructions) {
  return times(s, instructions) * weir_estimated_counter(&s->last, what);
}

double weir_stratum_ps(const struct weir_stratum *s, uint64_t instructions) {
  return times(s, instructions) * (double)s->last.time_ps;
}

void weir_stratum_total(const struct weir_stratum *s, struct weir_run_stats *total) {
  *total = s->timed_stats;
  weir_run_stats_add(total, &s->estimated);
  weir_run_stats_add_times(total, &s->last, times(s, s->behind));
  weir_run_stats_add(total, &s->repeated);
}

static bool is_known(const struct weir_stratum *s) {
  return s->counted >= 2;
}

// Would the bound be too wide if the next launch, one like the last, were not timed? One that is little of the whole does not matter.
static bool is_wide(const struct weir_stratum *s, const double whole[static WEIR_ESTIMATES]) {
  struct weir_run_stats own;
  weir_stratum_total(s, &own);
  for (unsigned i = 0; i < WEIR_ESTIMATES; i++) {
    const enum weir_estimate what = (enum weir_estimate)i;
    const double error = error_of(s, what, (double)(s->behind + s->last.warp_instructions));
    if (error > WIDEST[i] * weir_estimated_counter(&own, what) && error > NEGLIGIBLE * whole[i]) return true;
  }
  return false;
}

bool weir_stratum_is_open(const struct weir_stratum *s, const double whole[static WEIR_ESTIMATES]) {
  if (!is_known(s)) return true;
  const uint64_t next = s->launches + 1;
  if (weir_is_pow2(next) && weir_log2(next) % 2)
    return true; // 8, 32, 128 …: what a program does may change as it goes on
  const bool in_turn = s->counted == 2 || weir_is_pow2(next) || s->unseen + 1 >= ONE_IN;
  return in_turn && is_wide(s, whole);
}

void weir_strata_total(const struct weir_strata *s, struct weir_run_stats *total) {
  *total = (struct weir_run_stats){0};
  for (unsigned i = 0; i < s->count; i++) {
    struct weir_run_stats own;
    weir_stratum_total(&s->all[i], &own);
    weir_run_stats_add(total, &own);
  }
}

// What the timed launches may be off themselves, in all that they stand for (Cochran, Sampling Techniques, chapter 10: the second stage of
// two-stage sampling is expanded as the first is).
static double within(const struct weir_stratum *s, enum weir_estimate what) {
  const double timed = (double)s->timed_stats.warp_instructions;
  return timed > 0 ? s->within[what] * (1 + (double)s->untimed_instructions / timed) : 0;
}

double weir_strata_error(const struct weir_strata *s, enum weir_estimate what) {
  double sum = 0;
  for (unsigned i = 0; i < s->count; i++) sum += weir_stratum_error(&s->all[i], what) + within(&s->all[i], what);
  return sum;
}
