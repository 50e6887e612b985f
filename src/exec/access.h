// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// From addresses to host pointers. The common shapes are decided by a few vector operations in ops/memory.c; everything
// else, and every fault, comes here lane by lane.
#ifndef WEIR_EXEC_ACCESS_H
#define WEIR_EXEC_ACCESS_H

#include "exec/machine.h"

// Checks `bytes` (a power of two) at address[l] for every lane of the mask in ascending order and puts the host pointer
// into where[l]. Generic addresses are resolved: address[l] becomes the one of its space, *space that of the first
// lane. False: the first bad lane's fault is raised.
bool weir_locate_lanes(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, uint32_t bytes, bool writes,
                       uint64_t *address, uint64_t *where, uint8_t *space);

// Whether such a pointer is where what strays goes: an access that a device would not notice (warp.h, weir_services).
bool weir_is_nowhere(const void *host);

// Host pointer to `bytes` (at most 8, a power of two) at a generic address of one lane, to be read; NULL: the fault is
// raised.
const void *weir_locate_generic(struct weir_warp *w, unsigned lane, uint64_t address, uint32_t bytes);

// The allocation around [address, address + bytes) or NULL; remembers it for the warp's PC.
const struct weir_allocation *weir_touch(struct weir_warp *w, uint64_t address, uint64_t bytes);

// Address of each lane in the mask, from the address operand.
void weir_lane_addresses(const struct weir_warp *w, const struct weir_insn *i, uint64_t mask, uint64_t *address);

// What a core sees of a load of a kernel's parameter by its name.
void weir_show_parameter(const struct weir_warp *w, const struct weir_insn *i, struct weir_winstr *out);

#endif
