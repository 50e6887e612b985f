// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// ChampSim's trace records. Invariant: 64 bytes each, little-endian: PC (8), branch (1), taken (1), two registers
// written, four read, two addresses stored to (8 each), four loaded from; 0 is no register and no address. What kind a
// branch is ChampSim tells from the registers; so do we, and so a branch's registers are written (docs/TRACES.md).
#ifndef WEIR_TRACE_CHAMPSIM_H
#define WEIR_TRACE_CHAMPSIM_H

#include "trace/trace.h"

enum { WEIR_CHAMPSIM_BYTES = 64, WEIR_CHAMPSIM_WRITTEN = 2, WEIR_CHAMPSIM_READ = 4 };

// False if it can be no record: a flag that is neither 0 nor 1.
bool weir_champsim_plausible(const uint8_t record[WEIR_CHAMPSIM_BYTES]);

// `addresses` gets one for each access, loads first.
void weir_champsim_take(const uint8_t record[WEIR_CHAMPSIM_BYTES], struct weir_trace_static *what, uint64_t *addresses);

// False if the record has no room for all registers or addresses; then it has the first ones, and those that tell a
// branch.
bool weir_champsim_put(const struct weir_trace_inst *inst, uint8_t record[WEIR_CHAMPSIM_BYTES]);

#endif
