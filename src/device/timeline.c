// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// When copies, fills and launches happen, on a chip with a link to its host.
#include "device/device_private.h"

#include "config/config.h"

struct weir_timeline *weir_device_timeline(struct weir_device *d) {
  if (!d->chip || !d->setup.chip->link.raw_mb_per_s) return NULL;
  d->timeline.copy_engines = d->setup.chip->link.copy_engines;
  return &d->timeline;
}

// What the DRAM moves at most, in 10^6 bytes per second: a burst on each channel after the other.
static uint32_t dram_mb_per_s(const struct weir_chip_config *c) {
  const double most = c->dram.channels * c->clocks.dram_mhz * c->dram.atom_bytes / c->dram.burst_cycles;
  return most < 1 ? 1 : most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
}

void weir_device_copied(struct weir_device *d, struct weir_stream *s, enum weir_device_copy what, bool pageable,
                        uint64_t bytes, bool waits) {
  struct weir_timeline *t = weir_device_timeline(d);
  if (!t) return;
  if (what == WEIR_COPY_WITHIN) { // read and written
    weir_timeline_place(t, s, WEIR_ENGINE_DEVICE, 2 * weir_rate_ps(bytes, dram_mb_per_s(d->setup.chip)));
    return;
  }
  const struct weir_link *l = &d->setup.chip->link;
  const bool in = what == WEIR_COPY_TO_DEVICE;
  const weir_time duration =
    weir_link_copy_ps(l, in ? &l->to_device : &l->to_host, pageable ? WEIR_LINK_PAGEABLE : WEIR_LINK_PINNED, bytes);
  const struct weir_span span = weir_timeline_place(t, s, in ? WEIR_ENGINE_TO_DEVICE : WEIR_ENGINE_TO_HOST, duration);
  if (waits || pageable) weir_timeline_host_waits(t, span.ended);
}

void weir_device_filled(struct weir_device *d, struct weir_stream *s, uint64_t bytes) {
  struct weir_timeline *t = weir_device_timeline(d);
  if (t) weir_timeline_place(t, s, WEIR_ENGINE_DEVICE, weir_rate_ps(bytes, dram_mb_per_s(d->setup.chip)));
}
