// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "mem/network.h"

#include "base/alloc.h"
#include "base/bits.h"

// Without headers an answer to a store has no bytes: it is a flit nevertheless.
static uint32_t flits_with(const struct weir_network_params *p, uint32_t data) {
  const uint32_t flits = (p->header_bytes + data + p->flit_bytes - 1) / p->flit_bytes;
  return flits ? flits : 1;
}

static void add_group(struct weir_network *n, uint32_t first, uint32_t end) {
  if (first < end)
    n->groups[n->group_count++] = (struct weir_network_group){.first = first, .count = end - first, .next = first};
}

static void make_groups(struct weir_network *n, const struct weir_network_params *p) {
  if (!p->groups) return;
  const uint32_t end = p->group_first[p->groups];
  n->groups = weir_new_array(struct weir_network_group, p->groups + p->outputs - end);
  for (uint32_t g = 0; g < p->groups; g++) add_group(n, p->group_first[g], p->group_first[g + 1]);
  for (uint32_t o = end; o < p->outputs; o++) add_group(n, o, o + 1);
  n->params.group_first = NULL;
}

void weir_network_init(struct weir_network *n, const struct weir_network_params *p,
                       uint32_t (*route)(const void *context, const struct weir_mreq *r), const void *context) {
  *n = (struct weir_network){.params = *p, .route = route, .route_context = context};
  for (uint32_t data = 0; data <= WEIR_LINE_PACKET_BYTES; data++) n->flits_of[data] = flits_with(p, data);
  n->input_words = (uint32_t)weir_div_up(p->inputs, 64);
  n->output_words = (uint32_t)weir_div_up(p->outputs, 64);
  n->in = weir_new_array(struct weir_network_input, p->inputs);
  const uint32_t queues = p->queue_per_output ? p->outputs : 1;
  n->queues = weir_new_array(struct weir_mreq_queue, (size_t)p->inputs * queues);
  for (uint32_t i = 0; i < p->inputs; i++) n->in[i].queues = n->queues + (size_t)i * queues;
  n->out = weir_new_array(struct weir_network_output, p->outputs);
  n->wanted = weir_new_array(uint64_t, n->output_words);
  n->wanted_by = weir_new_array(uint64_t, (size_t)p->outputs * n->input_words);
  n->busy = weir_new_array(uint64_t, n->input_words);
  n->free_now = weir_new_array(uint64_t, n->input_words);
  for (uint32_t o = 0; o < p->outputs; o++) {
    n->out[o].queue.capacity = p->output_packets;
    n->out[o].last_input = p->inputs - 1;
  }
  make_groups(n, p);
}

void weir_network_free(struct weir_network *n) {
  weir_free(n->in);
  weir_free(n->queues);
  weir_free(n->out);
  weir_free(n->wanted);
  weir_free(n->wanted_by);
  weir_free(n->busy);
  weir_free(n->free_now);
  weir_free(n->asks);
  weir_free(n->groups);
}

static inline uint32_t data_bytes(const struct weir_mreq *r) {
  const uint32_t down = 1u << WEIR_MREQ_STORE | 1u << WEIR_MREQ_ATOMIC | 1u << WEIR_MREQ_WRITEBACK,
                 up = ~(1u << WEIR_MREQ_STORE);
  return (r->is_reply ? up : down) >> r->kind & 1 ? r->bytes : 0;
}

uint32_t weir_network_bytes(const struct weir_network *n, const struct weir_mreq *r) {
  return n->params.header_bytes + data_bytes(r);
}

static inline uint32_t flits_for(const struct weir_network *n, uint32_t data) {
  return data <= WEIR_LINE_PACKET_BYTES ? n->flits_of[data] : flits_with(&n->params, data);
}

static inline uint32_t flits_of(const struct weir_network *n, const struct weir_mreq *r) {
  return flits_for(n, data_bytes(r));
}

bool weir_network_accepts(const struct weir_network *n, uint32_t input, const struct weir_mreq *r) {
  return n->in[input].flits + flits_of(n, r) <= n->params.input_flits;
}

// ---- sets of ports --------------------------------------------------------------------------------------------------

static void include(uint64_t *set, uint32_t port) {
  set[port / 64] |= UINT64_C(1) << port % 64;
}

static void exclude(uint64_t *set, uint32_t port) {
  set[port / 64] &= ~(UINT64_C(1) << port % 64);
}

static inline uint64_t *askers(const struct weir_network *n, uint32_t words, uint32_t output) {
  return n->wanted_by + (size_t)output * words;
}

// ---- packets ----------------------------------------------------------------------------------------------------------

static struct weir_mreq_queue *queue_of(const struct weir_network *n, uint32_t input, uint32_t output) {
  return &n->in[input].queues[n->params.queue_per_output ? output : 0];
}

// A queue of the input has a new head: its output is told.
static inline void ask(struct weir_network *n, uint32_t words, uint32_t input, uint32_t output) {
  include(askers(n, words, output), input);
  if (!n->out[output].asking++) include(n->wanted, output);
}

static bool holds_write_back(const struct weir_mreq_queue *q, uint32_t inputs) {
  for (const struct weir_mreq *r = q->head; r; r = r->next)
    if (r->kind == WEIR_MREQ_WRITEBACK && r->core < inputs) return true;
  return false;
}

bool weir_network_writes_back(const struct weir_network *n, uint32_t inputs) {
  const uint32_t queues = n->params.queue_per_output ? n->params.outputs : 1;
  for (uint32_t i = 0; i < inputs * queues; i++)
    if (holds_write_back(&n->queues[i], inputs)) return true;
  for (uint32_t i = 0; i < n->params.outputs; i++)
    if (holds_write_back(&n->out[i].queue, inputs)) return true;
  return false;
}

void weir_network_send(struct weir_network *n, uint32_t input, struct weir_mreq *r) {
  const uint32_t output = n->route(n->route_context, r);
  struct weir_mreq_queue *queue = queue_of(n, input, output);
  const uint32_t data = data_bytes(r);
  n->in[input].flits += flits_for(n, data);
  r->ready = data; // until it is granted: nobody waits for a time in an input
  weir_queue_push(queue, r);
  if (queue->count > 1) return;
  if (n->asks) {
    struct weir_network_asks *a = n->asks[input];
    *weir_push(a->asks, a->count, a->capacity) = (struct weir_network_ask){input, output};
    return;
  }
  n->waiting++;
  ask(n, n->input_words, input, output);
}

void weir_network_send_copied(struct weir_network *n, uint32_t input, struct weir_mreq *r, struct weir_mreq *copies) {
  struct weir_mreq_queue *queue = queue_of(n, input, n->route(n->route_context, r));
  weir_network_send(n, input, r);
  while (copies) {
    struct weir_mreq *copy = copies;
    copies = copy->next;
    queue->tail->copied = true;
    weir_queue_push(queue, copy);
  }
}

void weir_network_see(struct weir_network *n, struct weir_network_asks *sent) {
  for (uint32_t k = 0; k < sent->count; k++) ask(n, n->input_words, sent->asks[k].input, sent->asks[k].output);
  n->waiting += sent->count;
  sent->count = 0;
}

// ---- flits of a port ----------------------------------------------------------------------------------------------------------

static inline bool has_room(uint64_t taken_until, uint32_t per_cycle, weir_cycle now) {
  return taken_until < (now + 1) * per_cycle;
}

static inline void take_flits(uint64_t *taken_until, uint32_t per_cycle, uint32_t flits, weir_cycle now) {
  if (per_cycle == 1) { // it has room: nothing is taken beyond now
    *taken_until = now + flits;
    return;
  }
  const uint64_t first = now * per_cycle;
  *taken_until = (*taken_until > first ? *taken_until : first) + flits;
}

// ---- a cycle ---------------------------------------------------------------------------------------------------------

// What follows is compiled for one word of inputs and for any number, and for ports that move a flit per cycle and any number: most chips
// need only the one.
#define FOR_WORDS static inline __attribute__((always_inline))

struct width {
  uint32_t words, input, output; // of inputs; flits per cycle of a port
  bool copies;                   // packets may have copies
};

// The copies of a packet that has been popped from the queue leave it, too, linked through `next`.
static __attribute__((noinline)) struct weir_mreq *pop_copies(struct weir_mreq_queue *queue, struct weir_mreq *r) {
  struct weir_mreq_queue copies = {0};
  for (struct weir_mreq *last = r; last->copied;) {
    last->copied = false;
    last = weir_queue_pop(queue);
    weir_queue_push(&copies, last);
  }
  return copies.head;
}

// The head of an input's queue leaves it, with its copies.
FOR_WORDS struct weir_mreq *take(struct weir_network *n, struct width width, uint32_t input, uint32_t output,
                                 struct weir_mreq **copies) {
  const uint32_t words = width.words;
  struct weir_mreq_queue *queue = queue_of(n, input, output);
  struct weir_mreq *r = weir_queue_pop(queue);
  *copies = width.copies && r->copied ? pop_copies(queue, r) : NULL;
  exclude(askers(n, words, output), words == 1 ? input % 64 : input);
  if (!--n->out[output].asking) exclude(n->wanted, output);
  if (queue->count)
    ask(n, words, input, n->route(n->route_context, queue->head));
  else
    n->waiting--;
  return r;
}

static inline void count(struct weir_network *n, const struct weir_mreq *r, uint32_t flits, uint32_t bytes) {
  n->flits_moved += flits;
  n->bytes_moved += bytes;
  if (!n->ports) return;
  n->ports[r->core].network_flits += flits;
  n->ports[r->core].network_bytes += bytes;
}

// Packets of so many bytes of data that go along with one that has just been granted.
static __attribute__((noinline)) void grant_copies(struct weir_network *n, struct weir_mreq *copies, uint32_t data,
                                                   uint32_t per_cycle, weir_cycle now,
                                                   void (*arrives)(void *context, uint32_t output, weir_cycle when),
                                                   void *context) {
  const uint32_t flits = flits_for(n, data);
  for (struct weir_mreq *r = copies, *next; r; r = next) {
    const uint32_t output = n->route(n->route_context, r);
    struct weir_network_output *out = &n->out[output];
    next = r->next;
    if (out->taken_until < now * per_cycle) out->taken_until = now * per_cycle;
    r->ready = out->taken_until / per_cycle + n->params.latency_cycles + flits - 1;
    out->taken_until += flits;
    if (out->queue.head && out->queue.tail->ready > r->ready) r->ready = out->queue.tail->ready;
    count(n, r, flits, n->params.header_bytes + data);
    weir_queue_push(&out->queue, r);
    arrives(context, output, r->ready);
  }
}

// The flits that it has.
FOR_WORDS uint32_t grant(struct weir_network *n, struct width width, uint32_t input, uint32_t output, weir_cycle now,
                         void (*arrives)(void *context, uint32_t output, weir_cycle when), void *context) {
  struct weir_network_input *in = &n->in[input];
  struct weir_network_output *out = &n->out[output];
  struct weir_mreq *copies, *r = take(n, width, input, output, &copies);
  const uint32_t data = (uint32_t)r->ready, flits = flits_for(n, data);
  in->flits -= flits;
  take_flits(&in->taken_until, width.input, flits, now);
  if (width.input == 1 || !has_room(in->taken_until, width.input, now)) {
    include(n->busy, input);
    exclude(n->free_now, input); // what comes behind the packet waits for the next cycle
  }
  out->last_input = input;
  weir_cycle entered = now + n->params.latency_cycles;
  if (n->params.mesh.columns) {
    r->ready = weir_mesh_carry(&n->mesh, &n->params.mesh, input, output, flits, entered);
  } else {
    take_flits(&out->taken_until, width.output, flits, now);
    r->ready = entered + flits - 1;
    // What was granted before, with more flits, may still be on its way.
    if (width.output > 1 && out->queue.head && out->queue.tail->ready > r->ready) r->ready = out->queue.tail->ready;
  }
  count(n, r, flits, n->params.header_bytes + data);
  weir_queue_push(&out->queue, r);
  arrives(context, output, r->ready);
  if (copies) grant_copies(n, copies, data, width.output, now, arrives, context);
  return flits;
}

// Finds the inputs that have room now.
FOR_WORDS void find_free(struct weir_network *n, struct width width, weir_cycle now) {
  for (uint32_t w = 0; w < width.words; w++) {
    for (uint64_t left = n->busy[w]; left; left &= left - 1) {
      const uint32_t bit = weir_lowest(left);
      if (has_room(n->in[w * 64 + bit].taken_until, width.input, now)) n->busy[w] &= ~(UINT64_C(1) << bit);
    }
    n->free_now[w] = ~n->busy[w];
  }
}

enum { NO_INPUT = UINT32_MAX };

// The first input after `last`, in turn, that is free and whose head goes to the output.
FOR_WORDS uint32_t next_input(const struct weir_network *n, uint32_t words, uint32_t output, uint32_t last) {
  const uint64_t *asking = n->wanted_by + (size_t)output * words;
  const uint32_t first = words == 1 ? 0 : last / 64;
  const uint64_t upto = weir_upto(last % 64); // of the word that the turn begins in: these come last
  uint64_t some = asking[first] & n->free_now[first] & ~upto;
  for (uint32_t k = 0, w = first;; k++) {
    if (some) return w * 64 + weir_lowest(some);
    if (k == words) return NO_INPUT;
    w = w + 1 < words ? w + 1 : 0;
    some = asking[w] & n->free_now[w];
    if (w == first) some &= upto;
  }
}

// Whoever is served first may take an input from the others: each in its turn.
FOR_WORDS uint32_t first_of_next(const struct weir_network *n) {
  return n->first_output + 1 < n->params.outputs ? n->first_output + 1 : 0;
}

// A packet, if the output can take one in this cycle: the flits that it has, or 0.
FOR_WORDS uint32_t serve_one(struct weir_network *n, struct width width, uint32_t output, weir_cycle now,
                             void (*arrives)(void *context, uint32_t output, weir_cycle when), void *context) {
  const struct weir_network_output *out = &n->out[output];
  if (!has_room(out->taken_until, width.output, now) || weir_queue_full(&out->queue)) return 0;
  const uint32_t input = next_input(n, width.words, output, out->last_input);
  return input == NO_INPUT ? 0 : grant(n, width, input, output, now, arrives, context);
}

// What the output can take in this cycle.
FOR_WORDS void serve(struct weir_network *n, struct width width, uint32_t output, weir_cycle now,
                     void (*arrives)(void *context, uint32_t output, weir_cycle when), void *context) {
  for (uint32_t k = width.output; k; k--)
    if (!serve_one(n, width, output, now, arrives, context)) return;
}

FOR_WORDS void serve_all(struct weir_network *n, struct width width, weir_cycle now,
                         void (*arrives)(void *context, uint32_t output, weir_cycle when), void *context) {
  const uint32_t first = n->first_output / 64;
  const uint64_t before = weir_below(n->first_output % 64); // of the word that the turn begins in: these come last
  find_free(n, width, now);
  for (uint32_t k = 0, w = first; k <= n->output_words; k++, w = w + 1 < n->output_words ? w + 1 : 0)
    for (uint64_t wanted = n->wanted[w] &
           (k == 0                   ? ~before
              : k == n->output_words ? before
                                     : UINT64_MAX);
         wanted; wanted &= wanted - 1)
      serve(n, width, w * 64 + weir_lowest(wanted), now, arrives, context);
  if (n->params.queue_per_output) n->first_output = first_of_next(n);
}

static inline bool is_wanted(const struct weir_network *n, uint32_t output) {
  return n->wanted[output / 64] >> output % 64 & 1;
}

static inline bool is_any_wanted(const struct weir_network *n, const struct weir_network_group *g) {
  const uint32_t last = g->first + g->count - 1;
  for (uint32_t w = g->first / 64; w <= last / 64; w++) {
    uint64_t some = n->wanted[w];
    if (w == g->first / 64) some &= ~weir_below(g->first % 64);
    if (w == last / 64) some &= weir_upto(last % 64);
    if (some) return true;
  }
  return false;
}

// What a group can take: a packet of each of its outputs in turn, from the one on that comes after whoever was served last.
static void serve_group(struct weir_network *n, struct width width, struct weir_network_group *g, weir_cycle now,
                        void (*arrives)(void *context, uint32_t output, weir_cycle when), void *context) {
  if (!is_any_wanted(n, g)) return;
  const uint32_t most = n->params.flits_per_group;
  uint32_t output = g->next;
  for (uint32_t passed = 0; passed < g->count && has_room(g->taken_until, most, now);) {
    const uint32_t flits = is_wanted(n, output) ? serve_one(n, width, output, now, arrives, context) : 0;
    output = output + 1 < g->first + g->count ? output + 1 : g->first;
    passed = flits ? 0 : passed + 1;
    if (!flits) continue;
    take_flits(&g->taken_until, most, flits, now);
    g->next = output;
  }
}

static void serve_groups(struct weir_network *n, struct width width, weir_cycle now,
                         void (*arrives)(void *context, uint32_t output, weir_cycle when), void *context) {
  find_free(n, width, now);
  for (uint32_t k = 0, g = n->first_group; k < n->group_count; k++, g = g + 1 < n->group_count ? g + 1 : 0)
    serve_group(n, width, &n->groups[g], now, arrives, context);
  n->first_group = n->first_group + 1 < n->group_count ? n->first_group + 1 : 0;
}

weir_cycle weir_network_tick(struct weir_network *n, weir_cycle now,
                             void (*arrives)(void *context, uint32_t output, weir_cycle when), void *context) {
  if (!n->waiting) return WEIR_NEVER;
  const struct weir_network_params *p = &n->params;
  const struct width any = {n->input_words, p->flits_per_input, p->flits_per_output, p->copies};
  if (n->group_count)
    serve_groups(n, any, now, arrives, context);
  else if (p->copies || p->flits_per_input > 1 || p->flits_per_output > 1)
    serve_all(n, any, now, arrives, context);
  else if (n->input_words == 1)
    serve_all(n, (struct width){1, 1, 1, false}, now, arrives, context);
  else
    serve_all(n, (struct width){n->input_words, 1, 1, false}, now, arrives, context);
  return n->waiting ? now + 1 : WEIR_NEVER;
}
