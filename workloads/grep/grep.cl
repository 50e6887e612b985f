// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Lines that a pattern matches: characters, "." for any, "*" after either for any number of it, "^" and "$" at the ends.
// Kernighan and Pike's matcher (The Practice of Programming, §9.2), which tries the fewest repetitions first. Its
// recursion is a stack of the stars that may still take one more, since OpenCL C has none.

enum { LONGEST = 64, MOST_STARS = 8 };

static bool fits(uchar pattern, uchar c) {
  return pattern == '.' ? c != 0 : pattern == c;
}

static bool matches_here(__local const uchar *pattern, uint p, uint length, __global const uchar *restrict text, uint at,
                         uint end) {
  uint star[MOST_STARS], reached[MOST_STARS], depth = 0;
  for (;;) {
    if (p == length) return true;
    if (p + 1 < length && pattern[p + 1] == '*') {
      star[depth] = p;
      reached[depth++] = at;
      p += 2;
    } else if (p + 1 == length && pattern[p] == '$' ? at == end : at < end && fits(pattern[p], text[at])) {
      if (at < end) at++;
      p++;
    } else {
      while (depth > 0 && !(reached[depth - 1] < end && fits(pattern[star[depth - 1]], text[reached[depth - 1]])))
        depth--;
      if (depth == 0) return false;
      at = ++reached[depth - 1];
      p = star[depth - 1] + 2;
    }
  }
}

static bool matches(__local const uchar *pattern, uint length, __global const uchar *restrict text, uint at, uint end) {
  if (length > 0 && pattern[0] == '^') return matches_here(pattern, 1, length, text, at, end);
  for (; at <= end; at++)
    if (matches_here(pattern, 0, length, text, at, end)) return true;
  return false;
}

__kernel void grep(__global const uchar *restrict text, __global const uint *restrict start,
                   __global const uint *restrict first_line, __global const uchar *restrict pattern, uint length,
                   __global uchar *restrict selected) {
  __local uchar shared_pattern[LONGEST];
  for (uint i = get_local_id(0); i < length; i += get_local_size(0)) shared_pattern[i] = pattern[i];
  barrier(CLK_LOCAL_MEM_FENCE);

  const uint thread = get_global_id(0);
  const uint end = start[thread + 1];
  uint line = first_line[thread];
  for (uint from = start[thread], to; from < end; from = to + 1, line++) {
    for (to = from; to < end && text[to] != '\n';) to++;
    if (matches(shared_pattern, length, text, from, to)) selected[line] = 1;
  }
}
