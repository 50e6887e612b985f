// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// mcf [NODES] [ROUNDS]: transports goods through a network at least cost: shortest paths from many nodes (a queue of
// nodes whose distance fell, after Bellman and Ford), goods sent along them, then prices for the nodes and the arcs
// that are worth less than they cost, as a network simplex looks for. Nodes and arcs point at each other. Prints costs
// and such arcs.
#include "random.h"

#include <stdio.h>
#include <stdlib.h>

enum { ARCS_OF_NODE = 6, NEAR = 64, PRICINGS = 3, FAR = 1 << 29 };

struct arc { // the same one the other way round is its neighbour in memory
  struct node *to;
  struct arc *next; // of its node
  int32_t cost, room;
};

struct node {
  struct arc *first, *reached_by;
  struct node *next_in_queue;
  int32_t distance, queued;
  int64_t price, visits;
};

static struct node *nodes;
static struct arc *arcs;
static uint32_t node_count, arc_count;

static struct arc *back_of(struct arc *a) {
  return &arcs[(a - arcs) ^ 1];
}

static void connect(uint32_t from, uint32_t to, int32_t cost, int32_t room) {
  struct arc *there = &arcs[arc_count++], *back = &arcs[arc_count++];
  *there = (struct arc){&nodes[to], nodes[from].first, cost, room};
  nodes[from].first = there;
  *back = (struct arc){&nodes[from], nodes[to].first, -cost, 0};
  nodes[to].first = back;
}

// Most arcs go to places near by, as those of timetables do.
static uint32_t any_goal(uint32_t from) {
  return random_below(8) ? (from + random_below(NEAR)) % node_count : random_below(node_count);
}

static struct node *queue_first, *queue_last;

static void enqueue(struct node *n) {
  if (n->queued) return;
  n->queued = 1;
  n->next_in_queue = NULL;
  if (queue_first)
    queue_last->next_in_queue = n;
  else
    queue_first = n;
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
  for (struct node *n = to; n != from; n = back_of(n->reached_by)->to)
    if (n->reached_by->room < most) most = n->reached_by->room;
  for (struct node *n = to; n != from; n = back_of(n->reached_by)->to) {
    n->reached_by->room -= most;
    back_of(n->reached_by)->room += most;
    cost += (int64_t)n->reached_by->cost * most;
  }
  return cost;
}

// Prices follow the distances step by step; which arcs they make worth it is looked for among all of them.
static uint64_t worth_entering(void) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < node_count; i++)
    if (nodes[i].distance < FAR) nodes[i].price += (nodes[i].distance - nodes[i].price) / 4;
  for (struct arc *a = arcs; a < arcs + arc_count; a += 2) {
    const int64_t reduced = a->cost + a[1].to->price - a->to->price;
    count += reduced < 0 ? a->room > 0 : reduced > 0 && a[1].room > 0;
  }
  return count;
}

int main(int count, char **arguments) {
  node_count = count > 1 ? (uint32_t)atoi(arguments[1]) : 8000;
  const unsigned rounds = count > 2 ? (unsigned)atoi(arguments[2]) : 40;
  nodes = calloc(node_count, sizeof *nodes);
  arcs = calloc((size_t)node_count * ARCS_OF_NODE * 2, sizeof *arcs);
  if (node_count < 2 || !nodes || !arcs) return 1;
  for (uint32_t i = 0; i < node_count * ARCS_OF_NODE; i++)
    connect(i / ARCS_OF_NODE, any_goal(i / ARCS_OF_NODE), (int32_t)random_below(1000), 1 + (int32_t)random_below(20));
  int64_t cost = 0;
  uint64_t worth = 0;
  for (unsigned i = 0; i < rounds; i++) {
    struct node *from = &nodes[random_below(node_count)], *to = &nodes[random_below(node_count)];
    distances(from);
    if (from != to) cost += send(from, to);
    for (unsigned k = 0; k < PRICINGS; k++) worth += worth_entering();
  }
  printf("%lld %llu\n", (long long)cost, (unsigned long long)worth);
  return 0;
}
