// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "mem/address_map.h"

#include "base/bits.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// Reads one field "R12" at *text.
static const char *read_field(const char **text, struct weir_map_field *f) {
  f->what = **text;
  if (!memchr("RBCS", f->what, 4)) return "a field is R (row), B (bank), C (column) or S (byte) and its number of bits";
  char *end;
  if (!isdigit((unsigned char)(*text)[1])) return "a field's letter is followed by its number of bits";
  unsigned long bits = strtoul(*text + 1, &end, 10);
  if (bits < 1 || bits > 32) return "a field has 1 to 32 bits";
  f->bits = (uint8_t)bits;
  *text = end + strspn(end, " ");
  return NULL;
}

// n × (reciprocal × channels − 2^64) stays below 2^64 for every n below 2^56, as blocks of 256 bytes and more are: the quotient is exact.
static uint64_t reciprocal_of(uint32_t channels) {
  return channels > 1 && channels <= 256 ? UINT64_MAX / channels + 1 : 0;
}

static uint64_t divided_by_channels(const struct weir_address_map *m, uint64_t block) {
  return m->reciprocal ? (uint64_t)((unsigned __int128)block * m->reciprocal >> 64) : block / m->channels;
}

const char *weir_address_map_parse(struct weir_address_map *m, const char *text) {
  struct weir_map_field fields[WEIR_MAX_MAP_FIELDS];
  unsigned n = 0, from = 0, bits_of[128] = {0};
  for (text += strspn(text, " "); *text; n++) {
    if (n == WEIR_MAX_MAP_FIELDS) return "more than 16 fields";
    const char *flaw = read_field(&text, &fields[n]);
    if (flaw) return flaw;
    bits_of[(int)fields[n].what] += fields[n].bits;
  }
  if (!bits_of['R'] || !bits_of['B']) return "a map needs row (R) and bank (B) bits";
  if (bits_of['R'] > 32 || bits_of['B'] > 8) return "at most 32 row bits and 8 bank bits";
  for (m->count = 0; n--; m->count++) {
    m->fields[m->count] = fields[n];
    m->fields[m->count].from = (uint8_t)from;
    from += fields[n].bits;
  }
  m->reciprocal = m->interleave_bytes >= 256 ? reciprocal_of(m->channels) : 0;
  return from <= 64 ? NULL : "more than 64 bits";
}

// The address within its channel.
static uint64_t channel_local(const struct weir_address_map *m, uint64_t address) {
  unsigned shift = weir_log2(m->interleave_bytes);
  return divided_by_channels(m, address >> shift) << shift | (address & weir_mask(shift));
}

// Channels and slices are turned by what depends on the slice's block alone, so that it can be undone. Multiplied by the golden
// ratio, numbers one after the other lie far apart.
static uint32_t hash_of(uint64_t slice_block) {
  return (uint32_t)(slice_block * UINT64_C(0x9E3779B97F4A7C15) >> 32);
}

uint32_t weir_slice_of(const struct weir_address_map *m, uint64_t address, uint64_t *place) {
  unsigned shift = weir_log2(m->interleave_bytes), bits = weir_log2(m->slices_per_channel);
  uint64_t block = address >> shift, local = divided_by_channels(m, block), slice_block = local >> bits;
  uint32_t channel = (uint32_t)(block - local * m->channels), slice = (uint32_t)(local & weir_below(bits));
  *place = slice_block << shift | (address & weir_below(shift));
  if (m->hashed) {
    uint32_t hash = hash_of(slice_block);
    channel += (uint32_t)((uint64_t)hash * m->channels >> 32); // less than twice as many
    if (channel >= m->channels) channel -= m->channels;
    slice ^= hash & (uint32_t)weir_mask(bits);
  }
  return channel * m->slices_per_channel + slice;
}

void weir_row_and_bank(const struct weir_address_map *m, uint64_t address, uint32_t *row, uint8_t *bank) {
  uint64_t local = channel_local(m, address), r = 0, b = 0;
  for (unsigned i = m->count; i-- > 0;) {
    const struct weir_map_field *f = &m->fields[i];
    uint64_t value = local >> f->from & weir_mask(f->bits);
    if (f->what == 'R') r = r << f->bits | value;
    if (f->what == 'B') b = b << f->bits | value;
  }
  *row = (uint32_t)r;
  *bank = (uint8_t)b;
}
