// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Epochs: the numbers of cycles after which policies are shown what the chip measured. Private to src/chip. Invariant: `next` is the
// earliest end of an epoch or of a sample; nothing here changes what the parts do.
#ifndef WEIR_CHIP_EPOCH_H
#define WEIR_CHIP_EPOCH_H

#include "chip/queue_use.h"
#include "policy/host.h"

// Cycles in which a core had a resident block, up to `since` if it has one now.
struct weir_core_busy {
  weir_cycle cycles, since;
};

// What the sensors of one epoch are measured from, and who is told.
struct weir_epoch_clock {
  weir_cycle epoch_cycles, began, next; // core cycles; `next`: at which the epoch ends
  bool restarts;                        // with every launch
  struct weir_policy_instance **users;  // of each scope, the one that is told
  uint32_t user_count, user_capacity;
  struct weir_core_sensors *cores_before; // totals as the epoch began
  struct weir_slice_occupancy *slices_before;
};

struct weir_epochs {
  struct weir_epoch_clock *clocks; // one per length that some policy asked for
  uint32_t count, capacity;
  weir_cycle next;                        // the first of their ends, and the recorder's; WEIR_NEVER: nobody asked
  weir_cycle slices_paused;               // of the slices' clock, in which no launch ran
  struct weir_core_busy *busy;            // per core
  struct weir_core_sensors *core_sensors; // room for what is handed over
  struct weir_slice_sensors *slice_sensors;
  uint64_t launches;       // begun so far
  weir_cycle launch_start; // core cycle at which the last of them began
};

void weir_chip_build_epochs(struct weir_chip *c);
void weir_chip_end_warm_up(struct weir_chip *c); // what policies have counted so far is in no epoch
void weir_chip_free_epochs(struct weir_chip *c);
// A launch begins at core cycle `start`, after one that ended at c->core_cycle: policies are told.
void weir_chip_start_epochs(struct weir_chip *c, weir_cycle start);
// Core cycle `now` begins, at which an epoch ends. Were policies told?
bool weir_chip_end_epochs(struct weir_chip *c, weir_cycle now);

#endif
