// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What the chip did over time, in periods of one length. Private to src/chip; chip/epoch.c calls it, and weir_chip_finish.
#ifndef WEIR_CHIP_SAMPLES_H
#define WEIR_CHIP_SAMPLES_H

#include "chip/queue_use.h"
#include "stats/stats.h"

// Totals as each period of the samples ended (chip/samples.c); the first, as the run began.
struct weir_recorder {
  weir_cycle period, next; // core cycles; period 0: nothing is recorded
  struct weir_sample *totals;
  struct weir_slice_occupancy *occupancy; // [reading × slices + slice]
  uint32_t count, slices;                 // readings
};

void weir_chip_build_recorder(struct weir_chip *c);
void weir_chip_free_recorder(struct weir_chip *c);
// gap: cycles without a launch before
void weir_chip_start_recorder(struct weir_chip *c, weir_cycle start, weir_cycle gap);
void weir_chip_record(struct weir_chip *c, weir_cycle now);
void weir_chip_finish_recorder(struct weir_chip *c);

#endif
