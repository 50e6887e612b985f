// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Long launches of which only a part is timed. Blocks are looked at wave by wave, a wave being as many as all cores hold at once;
// once the rates of three waves are alike no further block starts, those that run end, and whoever asked for it runs the rest
// without time. Invariant: nothing is different of a launch that does not stop.
#ifndef WEIR_CHIP_STEADY_H
#define WEIR_CHIP_STEADY_H

#include "chip/chip.h"

enum { WEIR_STEADY_WAVES = 3 };

struct weir_steady {
  bool on; // launches may stop
  uint64_t wave,
    next; // blocks; the next look is when so many have ended since the chip was made. wave 0: not this launch
  weir_cycle start;
  uint64_t fills[WEIR_MAX_LEVELS];                       // of each level as the launch began
  unsigned count;                                        // readings of this launch
  struct weir_run_stats readings[WEIR_STEADY_WAVES + 1]; // as the last waves ended, the latest last
  uint64_t rest;                                         // the first block that is not to be timed; 0: there is none
};

// ---- inside the chip ------------------------------------------------------------------------------------------------------

// A launch begins, of which all cores hold so many blocks at once.
void weir_steady_begin(struct weir_chip *c, uint64_t room);
// So many blocks have ended that it is time to look.
void weir_steady_look(struct weir_chip *c);

#endif
