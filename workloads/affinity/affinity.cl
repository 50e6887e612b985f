// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

static bool ends_field(uchar c) {
  return c == ',' || c == '\n' || c == '\r' || c == 0;
}

#include "../stream/fields.clh"

struct field {
  uint at, length, hash;
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

// Enters the customers of the merchant whose name is at `target`. Each thread has a chunk of lines.
__kernel void affinity_customers(__global const uchar *restrict log, __global const uint *restrict start,
                                 volatile __global uint *restrict customers, uint mask, uint card, uint merchant,
                                 uint target) {
  const uint thread = get_global_id(0);
  const uint end = start[thread + 1];
  for (uint at = start[thread]; at < end;) {
    const struct transaction t = read_line(log, at, end, card, merchant);
    if (t.card.length && t.merchant.length && same_field(log, target, t.merchant.at, t.merchant.length))
      slot_of(log, customers, mask, t.card.at, t.card.length, t.card.hash);
    at = t.next;
  }
}

// Counts where those customers have been.
__kernel void affinity_visits(__global const uchar *restrict log, __global const uint *restrict start,
                              __global const uint *restrict customers, uint customer_mask,
                              volatile __global uint *restrict merchants, volatile __global uint *restrict visits,
                              uint merchant_mask, uint card, uint merchant) {
  const uint thread = get_global_id(0);
  const uint end = start[thread + 1];
  for (uint at = start[thread]; at < end;) {
    const struct transaction t = read_line(log, at, end, card, merchant);
    at = t.next;
    if (!t.card.length || !t.merchant.length) continue;
    uint slot = t.card.hash & customer_mask, found;
    while ((found = customers[slot]) != 0 && !same_field(log, found - 1, t.card.at, t.card.length))
      slot = (slot + 1) & customer_mask;
    if (found)
      atomic_inc(&visits[slot_of(log, merchants, merchant_mask, t.merchant.at, t.merchant.length, t.merchant.hash)]);
  }
}
