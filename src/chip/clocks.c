// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "chip/clocks.h"

#include "base/alloc.h"

#include <math.h>

void weir_clock_init(struct weir_domain *d, double mhz, uint32_t parts) {
  *d = (struct weir_domain){.period = (weir_time)llround(1e6 / mhz), .parts = parts, .wake = WEIR_NEVER};
  d->wakes = weir_new_array(weir_cycle, parts);
  for (uint32_t i = 0; i < parts; i++) d->wakes[i] = WEIR_NEVER;
}

void weir_clock_free(struct weir_domain *d) {
  weir_free(d->wakes);
}
