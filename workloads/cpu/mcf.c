// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// mcf [NODES] [ROUNDS]: transports goods through a network at least cost, by successive shortest paths (a queue of
// nodes whose distance fell, after Bellman and Ford). Nodes and arcs are large records that point at each other, as
// those of a network simplex do. Prints the cost.
#include "random.h"

#include <stdio.h>
#include <stdlib.h>

enum { ARCS_OF_NODE = 6, FAR = 1 << 29 };

struct arc {
  struct node *from, *to;
  struct arc *back, *next; // the same arc the other way round; the next one of its node
  int32_t cost, room;
  int64_t flow;
};

struct node {
  struct arc *first, *reached_by;
  struct node *next_in_queue;
  int32_t distance, queued;
  int64_t supply, visits;
};

static struct node *nodes;
static struct arc *arcs;
static uint32_t node_count, arc_count;

static void connect(uint32_t from, uint32_t to, int32_t cost, int32_t room) {
  struct arc *there = &arcs[arc_count++], *back = &arcs[arc_count++];
  *there = (struct arc){&nodes[from], &nodes[to], back, nodes[from].first, cost, room, 0};
  nodes[from].first = there;
  *back = (struct arc){&nodes[to], &nodes[from], there, nodes[to].first, -cost, 0, 0};
  nodes[to].first = back;
}

static struct node *queue_first, *queue_last;

static void enqueue(struct node *n) {
  if (n->queued) return;
  n->queued = 1;
  n->next_in_queue = NULL;
  if (queue_first) queue_last->next_in_queue = n;
  else queue_first = n;
  queue_last = n;
}

static void distances(struct node *from) {
  for (uint32_t i = 0; i < node_count; i++) nodes[i].distance = FAR, nodes[i].reached_by = NULL;
  from->distance = 0;
  enqueue(from);
  while (queue_first) {
    struct node *n = queue_first;
    queue_first = n->next_in_queue;
    n->queued = 0;
    n->visits++;
    for (struct arc *a = n->first; a; a = a->next) {
      if (!a->room || n->distance + a->cost >= a->to->distance) continue;
      a->to->distance = n->distance + a->cost;
      a->to->reached_by = a;
      enqueue(a->to);
    }
  }
}

static int64_t send(struct node *from, struct node *to) {
  int32_t most = FAR;
  int64_t cost = 0;
  if (to->distance == FAR) return 0;
  for (struct node *n = to; n != from; n = n->reached_by->from)
    if (n->reached_by->room < most) most = n->reached_by->room;
  for (struct node *n = to; n != from; n = n->reached_by->from) {
    n->reached_by->room -= most;
    n->reached_by->back->room += most;
    n->reached_by->flow += most;
    cost += (int64_t)n->reached_by->cost * most;
  }
  return cost;
}

int main(int count, char **arguments) {
  node_count = count > 1 ? (uint32_t)atoi(arguments[1]) : 12000;
  const unsigned rounds = count > 2 ? (unsigned)atoi(arguments[2]) : 8;
  nodes = calloc(node_count, sizeof *nodes);
  arcs = calloc((size_t)node_count * ARCS_OF_NODE * 2, sizeof *arcs);
  if (node_count < 2 || !nodes || !arcs) return 1;
  for (uint32_t i = 0; i < node_count * ARCS_OF_NODE; i++)
    connect(random_below(node_count), random_below(node_count), (int32_t)random_below(1000),
            1 + (int32_t)random_below(20));
  int64_t cost = 0;
  for (unsigned i = 0; i < rounds; i++) {
    struct node *from = &nodes[random_below(node_count)], *to = &nodes[random_below(node_count)];
    distances(from);
    if (from != to) cost += send(from, to);
  }
  printf("%lld\n", (long long)cost);
  return 0;
}
