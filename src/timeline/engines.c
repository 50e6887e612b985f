// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "timeline/engines.h"

#include "base/alloc.h"
#include "timeline/share.h"

#include <string.h>

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": grids on a device at a time, from 7.0 on.
enum { MOST_GRIDS = 128 };

// ---- what is in line --------------------------------------------------------------------------------------------------

static bool precedes(const struct weir_item *a, const struct weir_item *b) {
  if (a->priority != b->priority) return a->priority < b->priority;
  return a->ready != b->ready ? a->ready < b->ready : a->number < b->number;
}

// Most come last.
static void line_up(struct weir_line_up *l, struct weir_item *item) {
  (void)weir_push(l->items, l->count, l->capacity);
  unsigned at = l->count - 1;
  for (; at > l->first && precedes(item, l->items[at - 1]); at--) l->items[at] = l->items[at - 1];
  l->items[at] = item;
}

static struct weir_item *first(const struct weir_line_up *l) {
  return l->first < l->count ? l->items[l->first] : NULL;
}

static void drop_first(struct weir_line_up *l) {
  if (++l->first < l->count / 2) return;
  memmove(l->items, l->items + l->first, (l->count - l->first) * sizeof(struct weir_item *));
  l->count -= l->first;
  l->first = 0;
}

static enum weir_engine engine_of(const struct weir_timeline *t, enum weir_engine engine) {
  return engine == WEIR_ENGINE_TO_HOST && t->copy_engines == 1 ? WEIR_ENGINE_TO_DEVICE : engine;
}

// ---- what is under way --------------------------------------------------------------------------------------------------

static void begin_group(struct weir_timeline *t, struct weir_item *item, uint64_t blocks, weir_time takes) {
  const weir_time ends = t->host + takes;
  (void)weir_push(t->groups, t->group_count, t->group_capacity);
  unsigned at = t->group_count - 1;
  for (; at && t->groups[at - 1].ends < ends; at--) t->groups[at] = t->groups[at - 1];
  t->groups[at] = (struct weir_group){ends, blocks, item, WEIR_FULL_SPEED};
}

static void end(struct weir_timeline *t, struct weir_item *item) {
  item->ended = true;
  item->span.ended = t->host;
  t->finished += item->span.began < item->span.ended;
  *weir_push(t->over, t->over_count, t->over_capacity) = item;
}

static bool start_copy(struct weir_timeline *t, unsigned engine) {
  struct weir_item *item = first(&t->waiting[engine]);
  if (!item || t->copying[engine]) return false;
  drop_first(&t->waiting[engine]);
  t->copying[engine] = true;
  item->has_begun = true;
  item->span.began = t->host;
  begin_group(t, item, 0, item->duration);
  return true;
}

static uint64_t parts_of(const struct weir_item *item) {
  return WEIR_WHOLE_CHIP / item->grid.resident;
}

// How long the blocks take that begin as the n-th: so that, alone, wave after wave adds up to the whole.
static weir_time wave_ps(const struct weir_item *item, uint64_t n) {
  const struct weir_grid_use *g = &item->grid;
  const uint64_t waves = (g->blocks + g->resident - 1) / g->resident, wave = n / g->resident;
  const weir_time each = item->duration / waves, rest = item->duration % waves;
  return each + (wave < rest);
}

static uint64_t smaller(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

static void end_blocks(struct weir_timeline *t, struct weir_item *item, uint64_t blocks) {
  item->ended_blocks += blocks;
  if (item->ended_blocks < item->grid.blocks) return;
  t->grids--;
  end(t, item);
}

// Those of its blocks for which there is room; how many began.
static uint64_t start_blocks_of(struct weir_timeline *t, struct weir_item *item) {
  const struct weir_grid_use *g = &item->grid;
  const uint64_t left = g->blocks - item->begun, in_wave = g->resident - item->begun % g->resident,
                 room = (WEIR_WHOLE_CHIP - t->used) / parts_of(item), count = smaller(room, smaller(left, in_wave));
  if (!count || (g->together && count < left) || (!item->begun && t->grids == MOST_GRIDS)) return 0;
  if (!item->begun) {
    item->has_begun = true;
    item->span.began = t->host;
    t->grids++;
  }
  const weir_time takes = wave_ps(item, item->begun);
  item->begun += count;
  if (!takes) { // shorter than its waves are many
    end_blocks(t, item, count);
    return count;
  }
  t->used += count * parts_of(item);
  begin_group(t, item, count, takes);
  return count;
}

static bool start_blocks(struct weir_timeline *t) {
  struct weir_line_up *l = &t->waiting[WEIR_ENGINE_DEVICE];
  struct weir_item *item = first(l);
  if (!item || !start_blocks_of(t, item)) return false;
  if (item->begun == item->grid.blocks) drop_first(l);
  return true;
}

// ---- from event to event --------------------------------------------------------------------------------------------------

static void ready(struct weir_timeline *t, struct weir_item *item) {
  item->ready = t->host;
  if (item->engine != WEIR_ENGINE_NONE && item->duration) {
    line_up(&t->waiting[engine_of(t, item->engine)], item);
    return;
  }
  item->span.began = t->host;
  end(t, item);
}

static void follow_up(struct weir_timeline *t) {
  while (t->over_count) {
    struct weir_item *item = t->over[--t->over_count];
    for (unsigned i = 0; i < item->follower_count; i++) {
      struct weir_item *f = item->followers[i];
      if (!--f->open) ready(t, f);
    }
    weir_free(item->followers);
    item->followers = NULL;
    weir_item_release(item);
  }
}

static void start(struct weir_timeline *t) {
  bool more = true;
  while (more) {
    follow_up(t);
    more = false;
    for (unsigned e = 0; e < WEIR_ENGINE_COUNT; e++) more |= start_copy(t, e);
    more |= start_blocks(t);
  }
  weir_share_dram(t);
}

void weir_engines_take(struct weir_timeline *t, struct weir_item *item) {
  ready(t, item);
  start(t);
}

void weir_engines_pass(struct weir_timeline *t, weir_time until) {
  struct weir_timeline_usage *u = &t->usage;
  const weir_time span = until - t->host;
  const bool kernel = t->used, copy = t->copying[WEIR_ENGINE_TO_DEVICE] || t->copying[WEIR_ENGINE_TO_HOST];
  if (kernel) u->device += span;
  if (copy) u->copies += span;
  if (kernel && copy) u->overlap += span;
  if (!kernel && !copy) u->idle += span;
  t->host = until;
}

bool weir_engines_step(struct weir_timeline *t, weir_time limit) {
  if (!t->group_count || t->groups[t->group_count - 1].ends > limit) return false;
  weir_engines_pass(t, t->groups[t->group_count - 1].ends);
  while (t->group_count && t->groups[t->group_count - 1].ends == t->host) {
    const struct weir_group g = t->groups[--t->group_count];
    if (g.item->engine == WEIR_ENGINE_DEVICE) {
      t->used -= g.blocks * parts_of(g.item);
      end_blocks(t, g.item, g.blocks);
    } else {
      t->copying[engine_of(t, g.item->engine)] = false;
      end(t, g.item);
    }
  }
  start(t);
  return true;
}
