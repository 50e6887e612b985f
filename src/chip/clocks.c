// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "chip/clocks.h"

#include "base/alloc.h"

#include <math.h>

enum { HOST_LINE = 64 / sizeof(weir_cycle), OWNERS = UINT8_MAX + 1 };

// What two threads write is in no line of the host together. Answers how many places that takes.
static uint32_t place_parts(struct weir_domain *d) {
  uint32_t first[OWNERS] = {0}, end = 0;
  for (uint32_t i = 0; i < d->parts; i++) first[d->owners[i]]++;
  for (unsigned k = 0; k < OWNERS; k++) {
    const uint32_t count = first[k];
    first[k] = end;
    end += (count + HOST_LINE - 1) / HOST_LINE * HOST_LINE;
  }
  for (uint32_t i = 0; i < d->parts; i++) d->places[i] = first[d->owners[i]]++;
  return end;
}

void weir_clock_init(struct weir_domain *d, double mhz, uint32_t parts,
                     uint8_t (*owner)(const void *context, uint32_t part), const void *context) {
  *d = (struct weir_domain){.period = (weir_time)llround(1e6 / mhz), .parts = parts, .wake = WEIR_NEVER};
  d->places = weir_new_array(uint32_t, parts);
  d->owners = weir_new_array(uint8_t, parts);
  for (uint32_t i = 0; i < parts && owner; i++) d->owners[i] = owner(context, i);
  const uint32_t places = place_parts(d);
  d->wakes = weir_alloc_aligned(64, places * sizeof *d->wakes);
  for (uint32_t i = 0; i < places; i++) d->wakes[i] = WEIR_NEVER;
}

void weir_clock_free(struct weir_domain *d) {
  weir_free(d->wakes);
  weir_free(d->places);
  weir_free(d->owners);
}
