// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A cycle of all parts of a kind that have something to do: one after the other, or by several threads side by side, to the same
// effect. Private to src/chip. Invariant: what depends on an order of parts is in the order of their numbers.
#ifndef WEIR_CHIP_SERVE_H
#define WEIR_CHIP_SERVE_H

struct weir_chip;
struct weir_fault;

// In the cycle that their clock's domain wakes in. Other domains are woken for what they are handed.
void weir_chip_serve_drams(struct weir_chip *c);
void weir_chip_serve_slices(struct weir_chip *c);
void weir_chip_serve_cores(struct weir_chip *c, struct weir_fault *fault);

#endif
