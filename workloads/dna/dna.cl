// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Merging of DNA fragments (FASTA records): which fragment goes on where another ends. A fragment is found by its first
// SEED bases, two bits each; a thread has a contiguous part of the fragments.

enum { SEED = 15, SEED_MASK = (1 << 2 * SEED) - 1, NONE = 4 };

static uint code(uchar c) {
  switch (c | 32) {
  case 'a': return 0;
  case 'c': return 1;
  case 'g': return 2;
  case 't': return 3;
  default: return NONE;
  }
}

// Where the bases of the record at `at` begin.
static uint past_header(__global const uchar *restrict text, uint at, uint end) {
  while (at < end && text[at] != '\n') at++;
  return at + 1;
}

static uint first_slot(uint seed, uint mask) {
  return (seed * 0x9E3779B1u) >> 7 & mask;
}

// Enters each fragment under its seed; of several with the same, the first counts.
__kernel void dna_enter(__global const uchar *restrict text, __global const uint *restrict record, uint records,
                        volatile __global uint *restrict seeds, volatile __global uint *restrict firsts, uint mask) {
  const uint thread = get_global_id(0), threads = get_global_size(0);
  const uint last = (uint)((ulong)records * (thread + 1) / threads);
  for (uint r = (uint)((ulong)records * thread / threads); r < last; r++) {
    const uint end = record[r + 1];
    uint seed = 0, bases = 0;
    for (uint at = past_header(text, record[r], end); at < end && bases < SEED; at++) {
      const uchar c = text[at];
      if (c <= ' ') continue;
      if (code(c) == NONE) break;
      seed = seed << 2 | code(c);
      bases++;
    }
    if (bases < SEED) continue;
    uint slot = first_slot(seed, mask), found;
    while ((found = atomic_cmpxchg(&seeds[slot], 0, seed + 1)) != 0 && found != seed + 1) slot = (slot + 1) & mask;
    atomic_min(&firsts[slot], r);
  }
}

// Where the first of the SEED bases is that end at `at`.
static uint seed_begins(__global const uchar *restrict text, uint at) {
  for (uint bases = 1; bases < SEED;) bases += text[--at] > ' ';
  return at;
}

// The bases from `a` to the end of its record that the record from `b` on begins with; 0 if it begins otherwise, or is
// no longer.
static uint overlap(__global const uchar *restrict text, uint a, uint a_end, uint b, uint b_end) {
  for (uint bases = 0;; bases++, a++, b++) {
    while (a < a_end && text[a] <= ' ') a++;
    while (b < b_end && text[b] <= ' ') b++;
    if (b >= b_end) return 0;
    if (a >= a_end) return bases;
    if ((text[a] | 32) != (text[b] | 32)) return 0;
  }
}

// Finds for each fragment the one that continues it: the seed of which comes first behind its own first base and that goes
// on as the fragment does, to beyond its end. `next` has 1 + that fragment and the bases that both share, or zeros.
__kernel void dna_merge(__global const uchar *restrict text, __global const uint *restrict record, uint records,
                        __global const uint *restrict seeds, __global const uint *restrict firsts, uint mask,
                        __global uint2 *restrict next) {
  const uint thread = get_global_id(0), threads = get_global_size(0);
  const uint last = (uint)((ulong)records * (thread + 1) / threads);
  for (uint r = (uint)((ulong)records * thread / threads); r < last; r++) {
    const uint end = record[r + 1];
    uint seed = 0, bases = 0, seen = 0;
    for (uint at = past_header(text, record[r], end); at < end; at++) {
      const uchar c = text[at];
      if (c <= ' ') continue;
      seen++;
      bases = code(c) == NONE ? 0 : bases + 1;
      seed = (seed << 2 | (code(c) & 3)) & SEED_MASK;
      if (bases < SEED || seen == SEED) continue;
      uint slot = first_slot(seed, mask), found;
      while ((found = seeds[slot]) != 0 && found != seed + 1) slot = (slot + 1) & mask;
      const uint other = found ? firsts[slot] : r;
      if (other == r) continue;
      const uint shared = overlap(text, seed_begins(text, at), end,
                                  past_header(text, record[other], record[other + 1]), record[other + 1]);
      if (shared) {
        next[r] = (uint2)(other + 1, shared);
        break;
      }
    }
  }
}
