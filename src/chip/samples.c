// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Samples over time. What is kept are readings of totals as the periods end, so that a sample is the difference of two and
// joining two samples is to forget the reading between them. Invariant: never more than WEIR_MAX_SAMPLES samples; all but
// the last are `period` long; together they are the whole run.
#include "chip/machine.h"

#include "base/alloc.h"

static void take_reading(struct weir_chip *c, weir_cycle now, uint64_t cycles, uint32_t i) {
  struct weir_recorder *r = &c->recorder;
  r->totals[i] = (struct weir_sample){
    .cycles = cycles, .instructions = c->stats.warp_instructions, .loads = c->stats.levels[0].loads};
  for (uint32_t s = 0; s < r->slices; s++) r->occupancy[(size_t)i * r->slices + s] = weir_chip_read_slice(c, s, now);
}

// Every second reading goes: two samples become one of twice the period.
static void halve(struct weir_recorder *r) {
  r->count = r->count / 2 + 1;
  r->period *= 2;
  for (uint32_t i = 1; i < r->count; i++) {
    r->totals[i] = r->totals[2 * i];
    for (uint32_t s = 0; s < r->slices; s++)
      r->occupancy[(size_t)i * r->slices + s] = r->occupancy[(size_t)2 * i * r->slices + s];
  }
}

void weir_chip_build_recorder(struct weir_chip *c) {
  struct weir_recorder *r = &c->recorder;
  *r = (struct weir_recorder){.period = c->config->sample_cycles, .next = WEIR_NEVER, .slices = c->clocks.slices.parts};
  if (!r->period) return;
  r->totals = weir_new_array(struct weir_sample, WEIR_MAX_SAMPLES + 1);
  r->occupancy = weir_new_array(struct weir_slice_occupancy, (size_t)(WEIR_MAX_SAMPLES + 1) * r->slices);
}

void weir_chip_free_recorder(struct weir_chip *c) {
  weir_free(c->recorder.totals);
  weir_free(c->recorder.occupancy);
}

void weir_chip_start_recorder(struct weir_chip *c, weir_cycle start, weir_cycle gap) {
  struct weir_recorder *r = &c->recorder;
  if (!r->period) return;
  r->next = r->count ? r->next + gap : start + r->period;
  if (!r->count) take_reading(c, start, 0, r->count++);
}

void weir_chip_record(struct weir_chip *c, weir_cycle now) {
  struct weir_recorder *r = &c->recorder;
  r->next += r->period;
  if (r->count > WEIR_MAX_SAMPLES)
    halve(r); // the sample that would end goes on for as long again
  else
    take_reading(c, now, c->stats.cycles + now - c->epochs.launch_start, r->count++);
}

// What is left is the last sample. If that is no cycle long (the run's last instructions issue as a period ends), what was
// counted in it belongs to the one before.
void weir_chip_finish_recorder(struct weir_chip *c) {
  struct weir_recorder *r = &c->recorder;
  if (!r->count) return;
  bool more = c->stats.cycles > r->totals[r->count - 1].cycles;
  if (more && r->count > WEIR_MAX_SAMPLES) halve(r);
  r->count += more;
  take_reading(c, c->core_cycle, c->stats.cycles, r->count - 1);
}

// ---- results ------------------------------------------------------------------------------------------------------------

unsigned weir_chip_samples(const struct weir_chip *c, weir_cycle *period) {
  *period = c->recorder.period;
  return c->recorder.count ? c->recorder.count - 1 : 0;
}

struct weir_sample weir_chip_sample(const struct weir_chip *c, unsigned i) {
  struct weir_sample sample = c->recorder.totals[i + 1];
  weir_sample_subtract(&sample, &c->recorder.totals[i]);
  return sample;
}

double weir_chip_sample_utilisation(const struct weir_chip *c, unsigned i, unsigned slice) {
  const struct weir_slice_occupancy *o = &c->recorder.occupancy[(size_t)i * c->recorder.slices + slice];
  return weir_chip_utilisation(c, o, &o[c->recorder.slices]);
}

unsigned weir_chip_slices(const struct weir_chip *c) {
  return weir_chip_instances(c->config, 1);
}
