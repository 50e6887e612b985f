// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// When copies, fills and launches happen, on a chip with a link to its host.
#include "device/device_private.h"

#include "config/config.h"

#include <string.h>

// What the DRAM moves at most, in 10^6 bytes per second: a burst on each channel after the other.
static uint32_t dram_mb_per_s(const struct weir_chip_config *c) {
  const double most = c->dram.channels * c->clocks.dram_mhz * c->dram.atom_bytes / c->dram.burst_cycles;
  return most < 1 ? 1 : most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
}

struct weir_timeline *weir_device_timeline(struct weir_device *d) {
  if (!d->chip || !d->setup.chip->link.raw_mb_per_s) return NULL;
  d->timeline.copy_engines = d->setup.chip->link.copy_engines;
  d->timeline.dram_mb_per_s = dram_mb_per_s(d->setup.chip);
  return &d->timeline;
}

// What the log keeps of it, but for its times.
static void keep(struct weir_device *d, const struct weir_stream *s, struct weir_log_item *item,
                 struct weir_item *placed) {
  item->placed = placed;
  item->stream = s->number;
  if (d->experiment.timeline) weir_log_add(&d->log, item);
}

static struct weir_item *place(struct weir_device *d, struct weir_stream *s, enum weir_engine engine,
                               weir_time duration, struct weir_log_item *item) {
  const uint64_t dram_bytes = item->what == WEIR_LOGGED_WITHIN ? 2 * item->bytes : item->bytes;
  struct weir_item *placed = weir_timeline_move(&d->timeline, s, engine, duration, dram_bytes);
  keep(d, s, item, placed);
  return placed;
}

// Other threads of the program read it at any time; it never goes back.
static void set_clock(struct weir_device *d, weir_time now) {
  if (d->clock && now > *d->clock) *d->clock = now;
}

// The host has waited since then.
static void keep_wait(struct weir_device *d, weir_time since) {
  const struct weir_log_item item = {.what = WEIR_LOGGED_HOST, .span = {since, d->timeline.host}};
  if (d->experiment.timeline && d->timeline.host > since) weir_log_add(&d->log, &item);
  set_clock(d, d->timeline.host);
}

void weir_device_host_waits_for(struct weir_device *d, const struct weir_item *placed) {
  const weir_time since = d->timeline.host;
  weir_timeline_host_waits_for(&d->timeline, placed);
  keep_wait(d, since);
}

void weir_device_host_waits_for_all(struct weir_device *d) {
  const weir_time since = d->timeline.host;
  weir_timeline_host_waits_for_all(&d->timeline);
  keep_wait(d, since);
}

bool weir_device_host_asks(struct weir_device *d, const struct weir_item *placed, struct weir_asking *asking) {
  if (weir_item_ended(placed)) return true;
  const weir_time since = d->timeline.host;
  if (asking->of == weir_item_number(placed)) weir_timeline_host_waits_a_little(&d->timeline);
  asking->of = weir_item_number(placed);
  keep_wait(d, since);
  return false;
}

void weir_device_launched(struct weir_device *d, const struct weir_launch *l, struct weir_stream *s, weir_time duration,
                          uint64_t dram_bytes) {
  if (!weir_device_timeline(d)) set_clock(d, weir_device_now_ps(d)); // the host waits for each launch
  if (!s || !weir_device_timeline(d)) return;
  struct weir_log_item item = {.what = WEIR_LOGGED_KERNEL, .name = l->kernel->name};
  memcpy(item.grid, l->grid, sizeof item.grid);
  memcpy(item.block, l->block, sizeof item.block);
  const uint64_t per_core =
    weir_device_occupancy(d, l->kernel, (unsigned)weir_block_threads(l), l->dynamic_shared_bytes, l->shared_preference);
  const struct weir_grid_use use = {
    .blocks = weir_launch_blocks(l), .resident = per_core * d->setup.chip->core.count, .together = l->cooperative};
  keep(d, s, &item, weir_timeline_run_moving(&d->timeline, s, &use, duration, dram_bytes));
}

void weir_device_copied(struct weir_device *d, struct weir_stream *s, enum weir_device_copy what, bool pageable,
                        uint64_t bytes, bool waits) {
  if (!weir_device_timeline(d)) return;
  struct weir_log_item item = {.what = WEIR_LOGGED_WITHIN, .bytes = bytes};
  if (what == WEIR_COPY_WITHIN) { // read and written
    place(d, s, WEIR_ENGINE_DEVICE, 2 * weir_rate_ps(bytes, dram_mb_per_s(d->setup.chip)), &item);
    return;
  }
  const struct weir_link *l = &d->setup.chip->link;
  const bool in = what == WEIR_COPY_TO_DEVICE;
  const weir_time duration =
    weir_link_copy_ps(l, in ? &l->to_device : &l->to_host, pageable ? WEIR_LINK_PAGEABLE : WEIR_LINK_PINNED, bytes);
  item.what = in ? WEIR_LOGGED_TO_DEVICE : WEIR_LOGGED_TO_HOST;
  item.pageable = pageable;
  const struct weir_item *placed = place(d, s, in ? WEIR_ENGINE_TO_DEVICE : WEIR_ENGINE_TO_HOST, duration, &item);
  if (waits) weir_device_host_waits_for(d, placed);
}

// NVIDIA's driver copies 4 KiB that were touched apart from what comes with them (nvprof's counts; docs/TIMELINE.md). How long it takes
// itself is not known: each is a copy of pinned memory.
void weir_device_recalled(struct weir_device *d, uint64_t bytes) {
  enum { TOUCHED = 4096 };
  const struct weir_link *l = &d->setup.chip->link;
  const uint64_t first = bytes < TOUCHED ? bytes : TOUCHED;
  if (!bytes || !weir_device_timeline(d)) return;
  d->pages = (struct weir_stream){.kind = WEIR_STREAM_NON_BLOCKING, .number = WEIR_LOG_PAGES, .last = d->pages.last};
  struct weir_log_item item = {.what = WEIR_LOGGED_TO_HOST, .bytes = bytes};
  const weir_time duration = weir_link_copy_ps(l, &l->to_host, WEIR_LINK_PINNED, first) +
    weir_link_copy_ps(l, &l->to_host, WEIR_LINK_PINNED, bytes - first);
  weir_device_host_waits_for(d, place(d, &d->pages, WEIR_ENGINE_TO_HOST, duration, &item));
}

void weir_device_filled(struct weir_device *d, struct weir_stream *s, uint64_t bytes) {
  struct weir_log_item item = {.what = WEIR_LOGGED_FILL, .bytes = bytes};
  if (weir_device_timeline(d))
    place(d, s, WEIR_ENGINE_DEVICE, weir_rate_ps(bytes, dram_mb_per_s(d->setup.chip)), &item);
}
