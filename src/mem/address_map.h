// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Where a device address lives: interleaved over channels (any number), then over the slices of a channel (a power of
// two), then row, bank and column of the channel's DRAM. With `hashed`, every round of interleaving begins at another channel
// and slice, as a hash of its number says, so that no stride keeps to few of them. Invariant: (slice, place) and address
// determine each other.
#ifndef WEIR_MEM_ADDRESS_MAP_H
#define WEIR_MEM_ADDRESS_MAP_H

#include <stdbool.h>
#include <stdint.h>

enum { WEIR_MAX_MAP_FIELDS = 16 };

// A run of address bits that belongs to row ('R'), bank ('B'), column ('C') or byte within the atom ('S').
struct weir_map_field {
  char what;
  uint8_t bits, from; // `bits` bits of the channel-local address from bit `from`
};

struct weir_address_map {
  uint32_t channels, slices_per_channel, interleave_bytes;
  bool hashed;
  uint64_t reciprocal; // 2^64 over the channels, rounded up, where this is enough to divide by them; else 0
  struct weir_map_field fields[WEIR_MAX_MAP_FIELDS]; // least significant first
  unsigned count;
};

// Parses "R12 B3 C4 B1 C2 S6" (most significant first) into the map's fields; `channels` are known, or 0. NULL if it is well-formed,
// else what is wrong with it.
const char *weir_address_map_parse(struct weir_address_map *m, const char *text);

// Slice 0 … channels × slices_per_channel − 1 (channel × slices_per_channel + slice in the channel); in *place the
// address within the slice.
uint32_t weir_slice_of(const struct weir_address_map *m, uint64_t address, uint64_t *place);

// Row and bank of an address in its channel.
void weir_row_and_bank(const struct weir_address_map *m, uint64_t address, uint32_t *row, uint8_t *bank);

#endif
