// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "sssp/sssp.h"

#include "base/alloc.h"

// A binary heap, least distance at the top. A node is in it once for every time that its distance shrank; all but the
// last are too long when they come up, and are dropped then.
struct heap {
  struct entry {
    uint64_t distance;
    uint32_t node;
  } * item;
  size_t count, capacity;
};

static void push(struct heap *h, struct entry new) {
  weir_push(h->item, h->count, h->capacity);
  size_t at = h->count - 1;
  for (; at && h->item[(at - 1) / 2].distance > new.distance; at = (at - 1) / 2) h->item[at] = h->item[(at - 1) / 2];
  h->item[at] = new;
}

static struct entry pop(struct heap *h) {
  struct entry top = h->item[0], last = h->item[--h->count];
  size_t at = 0;
  for (size_t child = 1; child < h->count; child = 2 * at + 1) {
    if (child + 1 < h->count && h->item[child + 1].distance < h->item[child].distance) child++;
    if (h->item[child].distance >= last.distance) break;
    h->item[at] = h->item[child];
    at = child;
  }
  h->item[at] = last;
  return top;
}

void weir_sssp_reference(const struct weir_graph *g, uint32_t source, uint64_t *distance) {
  struct heap heap = {0};
  for (uint32_t i = 0; i < g->rows; i++) distance[i] = UINT64_MAX;
  distance[source] = 0;
  push(&heap, (struct entry){0, source});
  while (heap.count) {
    struct entry e = pop(&heap);
    if (e.distance > distance[e.node]) continue;
    for (uint32_t i = g->start[e.node]; i < g->start[e.node + 1]; i++) {
      uint64_t along = e.distance + (uint64_t)g->value[i];
      if (along >= distance[g->column[i]]) continue;
      distance[g->column[i]] = along;
      push(&heap, (struct entry){along, g->column[i]});
    }
  }
  weir_free(heap.item);
}
