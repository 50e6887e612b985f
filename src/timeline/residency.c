// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "timeline/residency.h"

#include "base/alloc.h"

#include <string.h>

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": grids on a device at a time, from 7.0 on.
enum { MOST_GRIDS = 128 };

// The first step later than `at`.
static unsigned after(const struct weir_residency *r, weir_time at) {
  unsigned low = 0, high = r->count;
  while (low < high) {
    const unsigned middle = low + (high - low) / 2;
    if (r->steps[middle].at > at)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

// The most that is used at a time from `from` until before `until`.
static uint64_t most_used(const struct weir_residency *r, weir_time from, weir_time until) {
  unsigned i = after(r, from);
  uint64_t most = i ? r->steps[i - 1].used : 0;
  for (; i < r->count && r->steps[i].at < until; i++)
    if (r->steps[i].used > most) most = r->steps[i].used;
  return most;
}

// The step that begins at `at`, which is made if there is none.
static unsigned step_at(struct weir_residency *r, weir_time at) {
  const unsigned i = after(r, at);
  if (i && r->steps[i - 1].at == at) return i - 1;
  const uint64_t used = i ? r->steps[i - 1].used : 0;
  (void)weir_push(r->steps, r->count, r->capacity);
  memmove(r->steps + i + 1, r->steps + i, (r->count - 1 - i) * sizeof *r->steps);
  r->steps[i] = (struct weir_residency_step){at, used};
  return i;
}

static void drop_if_same(struct weir_residency *r, unsigned i) {
  if (i >= r->count || r->steps[i].used != (i ? r->steps[i - 1].used : 0)) return;
  memmove(r->steps + i, r->steps + i + 1, (r->count - 1 - i) * sizeof *r->steps);
  r->count--;
}

static void use(struct weir_residency *r, weir_time from, weir_time until, uint64_t parts) {
  const unsigned first = step_at(r, from), last = step_at(r, until);
  for (unsigned i = first; i < last; i++) r->steps[i].used += parts;
  drop_if_same(r, last);
  drop_if_same(r, first);
}

// What a block takes. A chip full of grids of one block each is full, however small they are.
static uint64_t parts_of(const struct weir_grid_use *g) {
  const uint64_t by_size = WEIR_WHOLE_CHIP / g->resident, by_number = WEIR_WHOLE_CHIP / MOST_GRIDS / g->blocks;
  return by_size > by_number ? by_size : by_number;
}

// How long the blocks take that begin as the n-th: so that, alone, wave after wave adds up to the whole.
static weir_time wave_ps(const struct weir_grid_use *g, weir_time duration, uint64_t n) {
  const uint64_t waves = (g->blocks + g->resident - 1) / g->resident, wave = n / g->resident;
  const weir_time each = duration / waves, rest = duration % waves;
  return each + (wave < rest);
}

struct weir_span weir_residency_place(struct weir_residency *r, const struct weir_grid_use *g, weir_time duration,
                                      weir_time ready) {
  struct weir_span span = {ready, ready};
  const uint64_t parts = parts_of(g);
  if (!duration) return span;
  weir_time now = ready;
  for (uint64_t begun = 0; begun < g->blocks;) {
    const weir_time takes = wave_ps(g, duration, begun);
    const uint64_t room = (WEIR_WHOLE_CHIP - most_used(r, now, now + takes)) / parts, left = g->blocks - begun,
                   in_wave = g->resident - begun % g->resident, wanted = left < in_wave ? left : in_wave,
                   count = room < wanted ? room : wanted;
    if (!count || (g->together && count < left)) {
      const unsigned next = after(r, now);
      now = r->steps[next].at; // there is one: beyond the last step there is room for all
      continue;
    }
    if (!begun) span.began = now;
    use(r, now, now + takes, count * parts);
    span.ended = weir_later(span.ended, now + takes);
    begun += count;
  }
  return span;
}

bool weir_residency_busy(const struct weir_residency *r, weir_time now, weir_time *next) {
  const unsigned i = after(r, now);
  if (i < r->count) *next = weir_sooner(*next, r->steps[i].at);
  return i && r->steps[i - 1].used;
}

void weir_residency_forget(struct weir_residency *r, weir_time until) {
  const unsigned past = after(r, until);
  if (past < 2) return; // the step that holds at `until` stays
  memmove(r->steps, r->steps + past - 1, (r->count - past + 1) * sizeof *r->steps);
  r->count -= past - 1;
}
