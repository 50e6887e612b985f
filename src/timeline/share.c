// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "timeline/share.h"

enum { SLOWEST = WEIR_FULL_SPEED / 1024 }; // whatever a chip file says of its link and its DRAM
static const double PS_PER_US = 1e6;       // bytes per us are 10^6 per second

static double copied_mb_per_s(const struct weir_timeline *t) {
  double sum = 0;
  for (unsigned i = 0; i < t->group_count; i++) {
    const struct weir_item *item = t->groups[i].item;
    if (item->engine != WEIR_ENGINE_DEVICE) sum += (double)item->dram_bytes * PS_PER_US / (double)item->duration;
  }
  return sum;
}

// Of its blocks on the chip.
static double moved_mb_per_s(const struct weir_item *item) {
  const struct weir_grid_use *g = &item->grid;
  const uint64_t waves = (g->blocks + g->resident - 1) / g->resident;
  const double on_chip = (double)(item->begun - item->ended_blocks) / (double)g->blocks;
  return (double)item->dram_bytes * on_chip * (double)waves * PS_PER_US / (double)item->duration;
}

static uint32_t speed_of(const struct weir_item *item, double left_mb_per_s) {
  const double wanted = item->engine == WEIR_ENGINE_DEVICE ? moved_mb_per_s(item) : 0;
  if (wanted <= left_mb_per_s) return WEIR_FULL_SPEED;
  const double speed = left_mb_per_s / wanted * WEIR_FULL_SPEED;
  return speed < SLOWEST ? SLOWEST : (uint32_t)speed;
}

// a × b / c, b and c at most WEIR_FULL_SPEED.
static weir_time scaled(weir_time a, uint32_t b, uint32_t c) {
  return a / c * b + a % c * b / c;
}

static void change(struct weir_group *g, weir_time now, uint32_t speed) {
  if (g->speed == speed) return;
  const weir_time alone = scaled(g->ends - now, g->speed, WEIR_FULL_SPEED),
                  taken = scaled(alone, WEIR_FULL_SPEED, speed);
  g->ends = now + taken + (scaled(taken, speed, WEIR_FULL_SPEED) < alone);
  g->speed = speed;
}

// The next one to end last; of those that end together the order stays.
static void sort(struct weir_timeline *t) {
  for (unsigned i = 1; i < t->group_count; i++) {
    const struct weir_group g = t->groups[i];
    unsigned at = i;
    for (; at && t->groups[at - 1].ends < g.ends; at--) t->groups[at] = t->groups[at - 1];
    t->groups[at] = g;
  }
}

void weir_share_dram(struct weir_timeline *t) {
  const double copied = copied_mb_per_s(t);
  if (!t->dram_mb_per_s || (copied <= 0 && !t->slowed)) return;
  t->slowed = false;
  for (unsigned i = 0; i < t->group_count; i++) {
    struct weir_group *g = &t->groups[i];
    change(g, t->host, speed_of(g->item, t->dram_mb_per_s - copied));
    t->slowed |= g->speed != WEIR_FULL_SPEED;
  }
  sort(t);
}
