// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

#include "../stream/fields.clh"

static bool ends_field(uchar c) {
  return c == ',' || c == '\n' || c == '\r' || c == 0;
}

struct field {
  uint at, length;
  ulong hash;
};

struct transaction {
  struct field card, merchant;
  uint next; // where the line after it begins
};

// One line of comma-separated values, character by character. A column that the line lacks has length 0.
static struct transaction read_line(__global const uchar *restrict log, uint at, uint end, uint card, uint merchant) {
  struct transaction t = {{0, 0, 0}, {0, 0, 0}, 0};
  struct field field = {at, 0, HASH_BASIS};
  for (uint column = 0;; at++) {
    const uchar c = at < end ? log[at] : '\n';
    if (!ends_field(c)) {
      field.hash = (field.hash ^ c) * HASH_PRIME;
      continue;
    }
    field.length = at - field.at;
    if (c != 0 && column == card) t.card = field;
    if (c != 0 && column == merchant) t.merchant = field;
    column++;
    field.at = at + 1;
    field.hash = HASH_BASIS;
    if (c == '\n') break;
  }
  t.next = at + 1;
  return t;
}

// Enters the customers of the merchant whose name has the hash `target`. Each thread has a chunk of lines.
__kernel void affinity_customers(__global const uchar *restrict log, __global const uint *restrict start,
                                 volatile __global ulong *restrict customers, uint mask, uint card, uint merchant,
                                 ulong target) {
  const uint thread = get_global_id(0);
  const uint end = start[thread + 1];
  for (uint at = start[thread]; at < end;) {
    const struct transaction t = read_line(log, at, end, card, merchant);
    if (t.card.length && t.merchant.length && t.merchant.hash == target) place_of(customers, mask, t.card.hash);
    at = t.next;
  }
}

// Counts where those customers have been.
__kernel void affinity_visits(__global const uchar *restrict log, __global const uint *restrict start,
                              __global const ulong *restrict customers, uint customer_mask,
                              volatile __global ulong *restrict merchants, uint merchant_mask,
                              __global uint *restrict firsts, volatile __global uint *restrict visits, uint card,
                              uint merchant) {
  const uint thread = get_global_id(0);
  const uint end = start[thread + 1];
  for (uint at = start[thread]; at < end;) {
    const struct transaction t = read_line(log, at, end, card, merchant);
    at = t.next;
    if (!t.card.length || !t.merchant.length) continue;
    const ulong key = t.card.hash ? t.card.hash : 1;
    uint slot = (uint)t.card.hash & customer_mask;
    ulong found;
    while ((found = customers[slot]) != 0 && found != key) slot = (slot + 1) & customer_mask;
    if (!found) continue;
    const struct place p = place_of(merchants, merchant_mask, t.merchant.hash);
    if (p.entered) firsts[p.slot] = t.merchant.at + 1;
    atomic_inc(&visits[p.slot]);
  }
}
