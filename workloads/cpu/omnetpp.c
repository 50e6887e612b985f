// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// omnetpp [HOSTS] [EVENTS]: a simulator of discrete events: hosts send packets to each other through switches with
// queues; pending events lie in a binary heap of pointers, packets and events on the heap. Prints how many arrived, and
// when.
#include "random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOSTS_OF_SWITCH = 16, PAYLOAD = 160 };

struct packet {
  uint32_t from, to, hops;
  uint64_t sent;
  struct packet *next; // in a queue
  char payload[PAYLOAD];
};

struct event {
  uint64_t time;
  struct switch_ *at; // NULL: at a host
  struct packet *packet;
};

struct switch_ {
  struct packet *first, *last;
  uint32_t number, queued;
  uint64_t forwarded, table[HOSTS_OF_SWITCH * 4]; // what it learned
};

static struct event **heap;
static uint32_t heap_count, heap_capacity, host_count;
static struct switch_ *switches;
static uint64_t now, arrived, delay;

static void schedule(uint64_t time, struct switch_ *at, struct packet *p) {
  struct event *e = malloc(sizeof *e);
  *e = (struct event){time, at, p};
  if (heap_count == heap_capacity) heap = realloc(heap, (heap_capacity = heap_capacity * 2 + 64) * sizeof *heap);
  uint32_t i = heap_count++;
  for (; i && heap[(i - 1) / 2]->time > time; i = (i - 1) / 2) heap[i] = heap[(i - 1) / 2];
  heap[i] = e;
}

static struct event *next_event(void) {
  struct event *result = heap[0], *last = heap[--heap_count];
  uint32_t i = 0;
  for (uint32_t child; (child = 2 * i + 1) < heap_count; i = child) {
    if (child + 1 < heap_count && heap[child + 1]->time < heap[child]->time) child++;
    if (heap[child]->time >= last->time) break;
    heap[i] = heap[child];
  }
  heap[i] = last;
  return result;
}

static void send(uint32_t from) {
  struct packet *p = malloc(sizeof *p);
  *p = (struct packet){.from = from, .to = random_below(host_count), .sent = now};
  memset(p->payload, (int)from, sizeof p->payload);
  schedule(now + 1 + random_below(100), &switches[from / HOSTS_OF_SWITCH], p);
}

static void arrive(struct packet *p) {
  arrived++;
  delay += now - p->sent + (uint64_t)p->payload[p->hops % PAYLOAD] % 2;
  send(p->to);
  free(p);
}

// A switch forwards one packet at a time; with its queue empty the event is the packet's own.
static void forward(struct switch_ *s, struct packet *p) {
  if (s->last)
    s->last->next = p;
  else
    s->first = p;
  s->last = p;
  s->queued++;
  struct packet *first = s->first;
  s->first = first->next;
  if (!s->first) s->last = NULL;
  first->next = NULL;
  s->queued--;
  s->forwarded++;
  first->hops++;
  s->table[(first->from ^ first->to) % (HOSTS_OF_SWITCH * 4)] += first->from;
  const uint32_t goal = first->to / HOSTS_OF_SWITCH;
  if (goal == s->number)
    schedule(now + 5, NULL, first);
  else
    schedule(now + 10 + s->queued,
             &switches[first->hops > 3 ? goal : (s->number * 7 + goal) % (host_count / HOSTS_OF_SWITCH)], first);
}

int main(int count, char **arguments) {
  host_count = (count > 1 ? (uint32_t)atoi(arguments[1]) : 16384) / HOSTS_OF_SWITCH * HOSTS_OF_SWITCH;
  const unsigned long events = count > 2 ? strtoul(arguments[2], NULL, 10) : 1000000;
  switches = calloc(host_count / HOSTS_OF_SWITCH, sizeof *switches);
  if (!host_count || !switches) return 1;
  for (uint32_t i = 0; i < host_count / HOSTS_OF_SWITCH; i++) switches[i].number = i;
  for (uint32_t i = 0; i < host_count; i++) send(i);
  for (unsigned long i = 0; i < events; i++) {
    struct event *e = next_event();
    now = e->time;
    if (e->at)
      forward(e->at, e->packet);
    else
      arrive(e->packet);
    free(e);
  }
  printf("%llu %llu %llu\n", (unsigned long long)arrived, (unsigned long long)delay, (unsigned long long)now);
  return 0;
}
