// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// astar [SIDE] [WAYS]: shortest ways on a map of SIDE × SIDE fields (320), found by A* with a binary heap, as in a
// game with many units. Fields lie in memory in no order and point at their neighbours. Prints the sum of the ways'
// lengths.
#include "random.h"

#include <stdio.h>
#include <stdlib.h>

enum { NEIGHBOURS = 4 };

struct field {
  struct field *neighbours[NEIGHBOURS]; // NULL at the map's edge
  uint32_t x, y, cost;                  // to enter it, 0: a wall
  uint32_t way, search;                 // length of the best way found in that search
  uint32_t closed;                      // the search that is done with it
  uint32_t visits;
};

struct entry {
  uint32_t estimate;
  struct field *field;
};

static struct field *map;
static uint32_t *places; // of the field at y × side + x
static struct entry *heap;
static uint32_t side, heap_count, search;

static void push(uint32_t estimate, struct field *field) {
  uint32_t at = heap_count++;
  for (; at && heap[(at - 1) / 2].estimate > estimate; at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
  heap[at] = (struct entry){estimate, field};
}

static struct field *pop(void) {
  struct field *result = heap[0].field;
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

static uint32_t apart(const struct field *a, const struct field *b) {
  return (a->x > b->x ? a->x - b->x : b->x - a->x) + (a->y > b->y ? a->y - b->y : b->y - a->y);
}

static void visit(struct field *f, uint32_t way, const struct field *goal) {
  if (!f || !f->cost || f->closed == search || (f->search == search && f->way <= way + f->cost)) return;
  f->way = way + f->cost;
  f->search = search;
  f->visits++;
  push(f->way + apart(f, goal), f);
}

static uint32_t find(struct field *from, const struct field *goal) {
  heap_count = 0;
  search++;
  from->search = search;
  from->way = 0;
  push(apart(from, goal), from);
  while (heap_count) {
    struct field *at = pop();
    if (at == goal) return at->way;
    if (at->closed == search) continue;
    at->closed = search;
    for (unsigned n = 0; n < NEIGHBOURS; n++) visit(at->neighbours[n], at->way, goal);
  }
  return 0;
}

static struct field *at(uint32_t x, uint32_t y) {
  return x < side && y < side ? &map[places[y * side + x]] : NULL;
}

static void make_map(uint32_t fields) {
  for (uint32_t i = 0; i < fields; i++) { // a random order (Fisher and Yates)
    const uint32_t other = random_below(i + 1);
    places[i] = places[other];
    places[other] = i;
  }
  for (uint32_t y = 0; y < side; y++)
    for (uint32_t x = 0; x < side; x++)
      *at(x, y) = (struct field){.neighbours = {at(x - 1, y), at(x + 1, y), at(x, y - 1), at(x, y + 1)},
                                 .x = x,
                                 .y = y,
                                 .cost = random_below(5) ? 1 + random_below(4) : 0};
}

int main(int count, char **arguments) {
  side = count > 1 ? (uint32_t)atoi(arguments[1]) : 320;
  const unsigned ways = count > 2 ? (unsigned)atoi(arguments[2]) : 60;
  const uint32_t fields = side * side;
  map = calloc(fields, sizeof *map);
  places = calloc(fields, sizeof *places);
  heap = calloc((size_t)fields * NEIGHBOURS, sizeof *heap); // a field is pushed once by each neighbour at most
  if (!side || side > 16384 || !map || !places || !heap) return 1;
  make_map(fields);
  uint64_t sum = 0;
  for (unsigned i = 0; i < ways; i++) {
    struct field *from = &map[random_below(fields)];
    sum += find(from, &map[random_below(fields)]);
  }
  printf("%llu\n", (unsigned long long)sum);
  return 0;
}
