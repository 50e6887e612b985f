// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

#include "../stream/fields.clh"

enum { IN_TEXT, TAG_BEGINS, TAG_NAME, IN_TAG, IN_VALUE, VALUE_BEGINS, IN_LINK };

static bool is_space(uchar c) {
  return c == ' ' || c - '\t' < 5u;
}

// Is it "<!doctype", which begins a file?
static bool begins_file(__global const uchar *restrict html, uint at) {
  const uchar word[] = {'d', 'o', 'c', 't', 'y', 'p', 'e'};
  if (html[at] != '<' || html[at + 1] != '!') return false;
  for (uint i = 0; i < sizeof word; i++)
    if ((html[at + 2 + i] | 32) != word[i]) return false;
  return true;
}

// Which files link to which URL (<a href="…">): a list for each URL in a table. A posting is a file and 1 + the next
// posting. Each thread has a chunk of files, the first of which is number first_file[thread].
__kernel void invindex(__global const uchar *restrict html, __global const uint *restrict start,
                       __global const uint *restrict first_file, volatile __global ulong *restrict slots, uint mask,
                       __global uint *restrict firsts, volatile __global uint *restrict lists,
                       __global uint2 *restrict postings, volatile __global uint *restrict used) {
  const uchar word[] = {'h', 'r', 'e', 'f'};
  const uint thread = get_global_id(0);
  const uint first = start[thread], end = start[thread + 1];
  uint state = IN_TEXT, file = first_file[thread], link = 0, matched = 0;
  ulong hash = 0;
  uchar quote = 0;
  for (uint i = first; i < end; i++) {
    const uchar c = html[i];
    if (c == '<' && begins_file(html, i)) { // whatever the file before left open
      file += i > first;
      state = TAG_BEGINS;
      continue;
    }
    switch (state) {
    case IN_TEXT:
      if (c == '<') state = TAG_BEGINS;
      break;
    case TAG_BEGINS: state = (c | 32) == 'a' ? TAG_NAME : c == '<' ? TAG_BEGINS : IN_TEXT; break;
    case TAG_NAME:
      state = is_space(c) ? IN_TAG : c == '<' ? TAG_BEGINS : IN_TEXT;
      matched = 0;
      break;
    case IN_TAG: // matched: characters of "href", or 5 in another word
      if (c == '>') {
        state = IN_TEXT;
      } else if (c == '"' || c == '\'') {
        state = IN_VALUE;
        quote = c;
      } else if (c == '=' && matched == 4) {
        state = VALUE_BEGINS;
      } else if (is_space(c)) {
        matched = 0;
      } else {
        matched = matched < 4 && (c | 32) == word[matched] ? matched + 1 : 5;
      }
      break;
    case IN_VALUE:
      if (c == quote) state = IN_TAG;
      matched = 5;
      break;
    case VALUE_BEGINS:
      state = c == '"' || c == '\'' ? IN_LINK : c == '>' ? IN_TEXT : IN_TAG;
      matched = is_space(c) ? 0 : 5;
      link = i + 1;
      hash = HASH_BASIS;
      break;
    default:
      if (c != '"' && c != '\'' && c != 0) {
        hash = (hash ^ c) * HASH_PRIME;
        break;
      }
      if (i > link) {
        const struct place p = place_of(slots, mask, hash);
        const uint posting = atomic_inc(used);
        if (p.entered) firsts[p.slot] = link + 1;
        postings[posting] = (uint2)(file, atomic_xchg(&lists[p.slot], posting + 1));
      }
      state = IN_TAG;
    }
  }
}
