// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Words are told apart by FNV-1a hashes of 64 bits, of their letters in lower case.
#define HASH_BASIS 0xCBF29CE484222325ul
#define HASH_PRIME 0x00000100000001B3ul

enum { NEGATIVE = 1, NEUTRAL, POSITIVE }; // 0: the tweet has nothing to do with the subject
enum { BETWEEN, IN_STRING, ESCAPED, CODE_POINT };

// Letters, digits, "_" and what is not ASCII.
static bool is_word(uint c) {
  return c >= 128 || (c | 32) - 'a' < 26u || c - '0' < 10u || c == '_';
}

static uint lower(uint c) {
  return c - 'A' < 26u ? c | 32 : c;
}

static uint digit(uint c) {
  return c <= '9' ? c - '0' : (c | 32) - 'a' + 10;
}

// The word's slot in a table, or an empty one.
static uint find(__global const ulong *restrict words, uint mask, ulong hash) {
  uint slot = (uint)hash & mask;
  while (words[slot] != 0 && words[slot] != hash) slot = (slot + 1) & mask;
  return slot;
}

// Sentiments of the tweets that have to do with a subject. A tweet is a line with a JSON object, its words are those of
// the member "text". It has to do with the subject if one of them is a keyword; the sum of their weights in the lexicon
// says what it feels. Each thread goes through a chunk of lines, character by character.
__kernel void opinion(__global const uchar *restrict tweets, __global const uint *restrict start,
                      __global const uint *restrict first_line, __global const ulong *restrict keywords,
                      __global const ulong *restrict lexicon, __global const int *restrict weights, uint mask,
                      ulong text_key, __global uchar *restrict opinions, volatile __global uint *restrict totals) {
  const uint thread = get_global_id(0);
  const uint end = start[thread + 1];
  uint line = first_line[thread], state = BETWEEN, depth = 0, digits = 0, point = 0, length = 0;
  ulong hash = HASH_BASIS;
  bool key = false, text = false, related = false;
  int sum = 0;
  for (uint i = start[thread]; i <= end; i++) {
    uint c = i < end ? tweets[i] : '\n';
    bool ended = false;
    switch (state) {
    case BETWEEN:
      if (c == '"') {
        state = IN_STRING;
        hash = HASH_BASIS;
        length = 0;
      } else if (c == '{' || c == '[') {
        key = ++depth == 1;
      } else if (c == '}' || c == ']') {
        depth--;
      } else if (c == ':') {
        key = false;
      } else if (c == ',' && depth == 1) {
        key = true;
        text = false;
      } else if (c == '\n') {
        if (related) {
          const uint opinion = sum < 0 ? NEGATIVE : sum > 0 ? POSITIVE : NEUTRAL;
          opinions[line] = opinion;
          atomic_inc(&totals[opinion - NEGATIVE]);
        }
        line++;
        depth = 0;
        sum = 0;
        key = text = related = false;
      }
      continue;
    case IN_STRING:
      if (c == '\\') {
        state = ESCAPED;
        continue;
      }
      ended = c == '"';
      break;
    case ESCAPED:
      if (c == 'u') {
        state = CODE_POINT;
        digits = point = 0;
        continue;
      }
      if (is_word(c)) c = ' '; // \n and the like
      break;
    default:
      point = point << 4 | digit(c);
      if (++digits < 4) continue;
      c = min(point, 128u);
    }
    state = ended ? BETWEEN : IN_STRING;
    if (key) {
      if (ended)
        text = hash == text_key;
      else
        hash = (hash ^ c) * HASH_PRIME;
    } else if (text && depth == 1) {
      if (!ended && is_word(c)) {
        hash = (hash ^ lower(c)) * HASH_PRIME;
        length++;
      } else if (length > 0) {
        related |= keywords[find(keywords, mask, hash)] != 0;
        sum += weights[find(lexicon, mask, hash)];
        hash = HASH_BASIS;
        length = 0;
      }
    }
  }
}
