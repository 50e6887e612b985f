// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "mem/network.h"

#include "base/bits.h"

void weir_network_init(struct weir_network *n, const struct weir_network_params *p,
                       uint8_t (*route)(const void *context, const struct weir_mreq *r), const void *context) {
  *n = (struct weir_network){.params = *p, .route = route, .route_context = context};
  for (uint32_t o = 0; o < p->outputs; o++) {
    n->out[o].queue.capacity = p->output_packets;
    n->out[o].last_input = p->inputs - 1;
  }
}

uint32_t weir_network_bytes(const struct weir_network *n, const struct weir_mreq *r) {
  bool carries_data = r->is_reply ? r->kind != WEIR_MREQ_STORE
                                  : r->kind == WEIR_MREQ_STORE || r->kind == WEIR_MREQ_ATOMIC ||
                                      r->kind == WEIR_MREQ_WRITEBACK;
  return n->params.header_bytes + (carries_data ? r->bytes : 0);
}

static uint32_t flits_of(const struct weir_network *n, const struct weir_mreq *r) {
  return (uint32_t)weir_div_up(weir_network_bytes(n, r), n->params.flit_bytes);
}

bool weir_network_accepts(const struct weir_network *n, uint32_t input, const struct weir_mreq *r) {
  return n->in[input].flits + flits_of(n, r) <= n->params.input_flits;
}

void weir_network_send(struct weir_network *n, uint32_t input, struct weir_mreq *r) {
  n->in[input].flits += flits_of(n, r);
  weir_queue_push(&n->in[input].queue, r);
  n->waiting |= UINT64_C(1) << input;
}

static void grant(struct weir_network *n, uint32_t input, uint32_t output, weir_cycle now,
                  void (*arrives)(void *context, uint32_t output, weir_cycle when), void *context) {
  struct weir_network_input *in = &n->in[input];
  struct weir_network_output *out = &n->out[output];
  struct weir_mreq *r = weir_queue_pop(&in->queue);
  uint32_t flits = flits_of(n, r);
  in->flits -= flits;
  in->busy_until = out->busy_until = now + flits;
  out->last_input = input;
  r->ready = now + n->params.latency_cycles + flits - 1;
  n->flits_moved += flits;
  n->bytes_moved += weir_network_bytes(n, r);
  weir_queue_push(&out->queue, r);
  if (!in->queue.count) n->waiting &= ~(UINT64_C(1) << input);
  arrives(context, output, r->ready);
}

// Which output each waiting input's head wants; requests[o] has a bit per input.
static uint64_t collect(struct weir_network *n, weir_cycle now, uint64_t *requests) {
  uint64_t wanted = 0;
  for (uint64_t left = n->waiting; left; left &= left - 1) {
    uint32_t i = weir_lowest(left);
    if (n->in[i].busy_until > now) continue;
    uint32_t o = n->route(n->route_context, n->in[i].queue.head);
    if (!(wanted >> o & 1)) requests[o] = 0;
    wanted |= UINT64_C(1) << o;
    requests[o] |= UINT64_C(1) << i;
  }
  return wanted;
}

weir_cycle weir_network_tick(struct weir_network *n, weir_cycle now,
                             void (*arrives)(void *context, uint32_t output, weir_cycle when), void *context) {
  uint64_t requests[WEIR_MAX_PORTS];
  for (uint64_t wanted = collect(n, now, requests); wanted; wanted &= wanted - 1) {
    uint32_t o = weir_lowest(wanted);
    struct weir_network_output *out = &n->out[o];
    if (out->busy_until > now || weir_queue_full(&out->queue)) continue;
    uint64_t after = requests[o] & ~weir_mask(out->last_input + 1);
    grant(n, weir_lowest(after ? after : requests[o]), o, now, arrives, context);
  }
  return n->waiting ? now + 1 : WEIR_NEVER;
}

struct weir_mreq *weir_network_peek(const struct weir_network *n, uint32_t output, weir_cycle now) {
  struct weir_mreq *r = n->out[output].queue.head;
  return r && r->ready <= now ? r : NULL;
}

struct weir_mreq *weir_network_receive(struct weir_network *n, uint32_t output) {
  return weir_queue_pop(&n->out[output].queue);
}
