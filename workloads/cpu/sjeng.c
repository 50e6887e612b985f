// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// sjeng [DEPTH] [MOVES]: plays a game of Othello against itself by alpha-beta search to DEPTH half-moves (5), deepening
// step by step, with a small table of positions seen and the moves that were best there. Prints discs and positions
// searched.
#include "random.h"

#include <stdio.h>
#include <stdlib.h>

enum { TABLE_BITS = 12, SQUARES = 64, WIN = 10000 };

struct position { // whose turn it is, and the other
  uint64_t own, other;
};

struct seen {
  struct position at;
  int best;
};

static struct seen table[1 << TABLE_BITS];
static uint64_t searched;

static const int8_t worth[SQUARES] = {20, -3, 11, 8,  8,  11, -3, 20, -3, -7, -4, 1,  1,  -4, -7, -3,
                                      11, -4, 2,  2,  2,  2,  -4, 11, 8,  1,  2,  -3, -3, 2,  1,  8,
                                      8,  1,  2,  -3, -3, 2,  1,  8,  11, -4, 2,  2,  2,  2,  -4, 11,
                                      -3, -7, -4, 1,  1,  -4, -7, -3, 20, -3, 11, 8,  8,  11, -3, 20};

static uint64_t shift(uint64_t b, int direction) {
  const uint64_t not_left = UINT64_C(0xfefefefefefefefe), not_right = UINT64_C(0x7f7f7f7f7f7f7f7f);
  switch (direction) {
  case 0: return b << 8;
  case 1: return b >> 8;
  case 2: return (b << 1) & not_left;
  case 3: return (b >> 1) & not_right;
  case 4: return (b << 9) & not_left;
  case 5: return (b >> 9) & not_right;
  case 6: return (b << 7) & not_right;
  default: return (b >> 7) & not_left;
  }
}

static uint64_t moves_of(struct position p) {
  uint64_t moves = 0;
  for (int d = 0; d < 8; d++) {
    uint64_t line = shift(p.own, d) & p.other;
    for (int i = 0; i < 5; i++) line |= shift(line, d) & p.other;
    moves |= shift(line, d) & ~(p.own | p.other);
  }
  return moves;
}

static struct position after(struct position p, int square) {
  const uint64_t move = UINT64_C(1) << square;
  uint64_t turned = 0;
  for (int d = 0; d < 8; d++) {
    uint64_t line = 0, at = shift(move, d);
    for (; at & p.other; at = shift(at, d)) line |= at;
    if (at & p.own) turned |= line;
  }
  return (struct position){p.other & ~turned, p.own | move | turned};
}

static int value(struct position p) {
  int sum = 3 * (__builtin_popcountll(moves_of(p)) - __builtin_popcountll(moves_of((struct position){p.other, p.own})));
  for (uint64_t b = p.own; b; b &= b - 1) sum += worth[__builtin_ctzll(b)];
  for (uint64_t b = p.other; b; b &= b - 1) sum -= worth[__builtin_ctzll(b)];
  return sum;
}

static int search(struct position p, int depth, int low, int high) {
  searched++;
  if (!depth) return value(p);
  uint64_t moves = moves_of(p);
  if (!moves) {
    const struct position passed = {p.other, p.own};
    if (moves_of(passed)) return -search(passed, depth - 1, -high, -low);
    return WIN * (__builtin_popcountll(p.own) - __builtin_popcountll(p.other)) / SQUARES;
  }
  struct seen *s =
    &table[(p.own * UINT64_C(0x9E3779B97F4A7C15) ^ p.other * UINT64_C(0xD1342543DE82EF95)) >> (64 - TABLE_BITS)];
  int best = s->at.own == p.own && s->at.other == p.other ? s->best : __builtin_ctzll(moves), most = -WIN;
  for (int square = best; moves; square = moves ? __builtin_ctzll(moves) : 0) { // what was best before goes first
    moves &= ~(UINT64_C(1) << square);
    const int here = -search(after(p, square), depth - 1, -high, -low);
    if (here > most) most = here, best = square;
    if (most > low) low = most;
    if (low >= high) break;
  }
  *s = (struct seen){p, best};
  return most;
}

int main(int count, char **arguments) {
  const int depth = count > 1 ? atoi(arguments[1]) : 5, most_moves = count > 2 ? atoi(arguments[2]) : 60;
  struct position p = {UINT64_C(0x0000000810000000), UINT64_C(0x0000001008000000)};
  for (int m = 0; m < most_moves; m++) {
    const uint64_t moves = moves_of(p);
    struct position best = {p.other, p.own};
    int most = -2 * WIN;
    for (int d = 1; d <= depth; d++) {
      most = -2 * WIN;
      for (uint64_t left = moves; left; left &= left - 1) {
        const struct position next = after(p, __builtin_ctzll(left));
        const int here = -search(next, d - 1, -WIN, WIN) + (int)random_below(2);
        if (here > most) most = here, best = next;
      }
    }
    p = best;
  }
  printf("%d %d %llu\n", __builtin_popcountll(p.own), __builtin_popcountll(p.other), (unsigned long long)searched);
  return 0;
}
