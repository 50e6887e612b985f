// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "chip/queue_use.h"

#include "chip/machine.h"

weir_cycle weir_chip_slice_cycle(const struct weir_chip *c, weir_cycle core) {
  return core * c->clocks.cores.period / c->clocks.slices.period;
}

struct weir_slice_occupancy weir_chip_read_slice(struct weir_chip *c, uint32_t i, weir_cycle core_now) {
  weir_cycle now = weir_chip_slice_cycle(c, core_now);
  if (now < c->slices[i].occupancy_at) now = c->slices[i].occupancy_at; // it has been served in the cycle that begins
  return (struct weir_slice_occupancy){weir_slice_occupancy(&c->slices[i], now), now - c->epochs.slices_paused};
}

double weir_chip_utilisation(const struct weir_chip *c, const struct weir_slice_occupancy *from,
                             const struct weir_slice_occupancy *to) {
  double places = (double)(to->at - from->at) * c->config->caches[1].input_queue;
  return places > 0 ? (double)(to->sum - from->sum) / places : 0;
}
