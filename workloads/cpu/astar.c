// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// astar [SIDE] [WAYS]: shortest ways on a map of SIDE × SIDE fields (1024), found by A* with a binary heap, as in a
// game with many units. Prints the sum of their lengths.
#include "random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct field {
  uint32_t cost, way; // to enter it, 0: a wall; length of the best way found, in search `search`
  uint32_t search, closed;
};

struct entry {
  uint32_t estimate, field;
};

static struct field *map;
static struct entry *heap;
static uint32_t side, heap_count, search;

static void push(uint32_t estimate, uint32_t field) {
  uint32_t at = heap_count++;
  for (; at && heap[(at - 1) / 2].estimate > estimate; at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
  heap[at] = (struct entry){estimate, field};
}

static uint32_t pop(void) {
  const uint32_t result = heap[0].field;
  const struct entry last = heap[--heap_count];
  uint32_t at = 0;
  for (uint32_t child; (child = 2 * at + 1) < heap_count; at = child) {
    if (child + 1 < heap_count && heap[child + 1].estimate < heap[child].estimate) child++;
    if (heap[child].estimate >= last.estimate) break;
    heap[at] = heap[child];
  }
  heap[at] = last;
  return result;
}

static uint32_t apart(uint32_t a, uint32_t b) {
  const uint32_t x = a % side > b % side ? a % side - b % side : b % side - a % side;
  const uint32_t y = a / side > b / side ? a / side - b / side : b / side - a / side;
  return x + y;
}

static void visit(uint32_t at, uint32_t way, uint32_t goal) {
  struct field *f = &map[at];
  if (!f->cost || (f->search == search && f->way <= way + f->cost)) return;
  f->way = way + f->cost;
  f->search = search;
  push(f->way + apart(at, goal), at);
}

static uint32_t find(uint32_t from, uint32_t goal) {
  heap_count = 0;
  search++;
  map[from].search = search;
  map[from].way = 0;
  push(apart(from, goal), from);
  while (heap_count) {
    const uint32_t at = pop();
    if (at == goal) return map[at].way;
    if (map[at].closed == search) continue;
    map[at].closed = search;
    if (heap_count + 4 >= side * side) return 0;
    if (at % side) visit(at - 1, map[at].way, goal);
    if ((at + 1) % side) visit(at + 1, map[at].way, goal);
    if (at >= side) visit(at - side, map[at].way, goal);
    if (at < side * (side - 1)) visit(at + side, map[at].way, goal);
  }
  return 0;
}

int main(int count, char **arguments) {
  side = count > 1 ? (uint32_t)atoi(arguments[1]) : 1024;
  const unsigned ways = count > 2 ? (unsigned)atoi(arguments[2]) : 10;
  const uint32_t fields = side * side;
  map = calloc(fields, sizeof *map);
  heap = calloc(fields, sizeof *heap);
  if (!side || !map || !heap) return 1;
  for (uint32_t i = 0; i < fields; i++) map[i].cost = random_below(5) ? 1 + random_below(4) : 0;
  uint64_t sum = 0;
  for (unsigned i = 0; i < ways; i++) sum += find(random_below(fields), random_below(fields));
  printf("%llu\n", (unsigned long long)sum);
  return 0;
}
