// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

#include "../stream/fields.clh"

static bool ends_field(uchar c) {
  return c <= ' ' || c == '"';
}

enum { BEFORE_REQUEST, IN_METHOD, IN_URL, AFTER_URL };

// Hits of each URL in a web log in Common Log Format ('… "GET /page HTTP/1.1" …'), each thread a chunk of lines, character
// by character.
__kernel void pageview(__global const uchar *restrict log, __global const uint *restrict start,
                       volatile __global ulong *restrict slots, uint mask, __global uint *restrict firsts,
                       volatile __global uint *restrict hits) {
  const uint thread = get_global_id(0);
  const uint end = start[thread + 1];
  uint state = BEFORE_REQUEST, url = 0;
  ulong hash = 0;
  for (uint i = start[thread]; i <= end; i++) {
    const uchar c = i < end ? log[i] : '\n';
    if (state == IN_URL && ends_field(c)) {
      if (i > url) {
        const struct place p = place_of(slots, mask, hash);
        if (p.entered) firsts[p.slot] = url + 1;
        atomic_inc(&hits[p.slot]);
      }
      state = AFTER_URL;
    } else if (state == IN_URL) {
      hash = (hash ^ c) * HASH_PRIME;
    } else if (state == IN_METHOD && c == ' ') {
      state = IN_URL;
      url = i + 1;
      hash = HASH_BASIS;
    } else if (c == '"') {
      state = state == BEFORE_REQUEST ? IN_METHOD : AFTER_URL;
    }
    if (c == '\n') state = BEFORE_REQUEST;
  }
}
