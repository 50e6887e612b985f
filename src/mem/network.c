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
  return (weir_network_bytes(n, r) + n->params.flit_bytes - 1) / n->params.flit_bytes;
}

bool weir_network_accepts(const struct weir_network *n, uint32_t input, const struct weir_mreq *r) {
  return n->in[input].flits + flits_of(n, r) <= n->params.input_flits;
}

// An input has a new head: its output is told.
static void ask(struct weir_network *n, uint32_t input) {
  struct weir_network_input *in = &n->in[input];
  in->wants = n->route(n->route_context, in->queue.head);
  n->out[in->wants].wanted_by |= UINT64_C(1) << input;
  n->wanted |= UINT64_C(1) << in->wants;
}

void weir_network_send(struct weir_network *n, uint32_t input, struct weir_mreq *r) {
  struct weir_network_input *in = &n->in[input];
  in->flits += flits_of(n, r);
  weir_queue_push(&in->queue, r);
  if (in->queue.count > 1) return;
  n->waiting |= UINT64_C(1) << input;
  ask(n, input);
}

// The head of an input's queue leaves it.
static struct weir_mreq *take(struct weir_network *n, uint32_t input, uint32_t output) {
  uint64_t bit = UINT64_C(1) << input;
  struct weir_network_input *in = &n->in[input];
  struct weir_mreq *r = weir_queue_pop(&in->queue);
  n->out[output].wanted_by &= ~bit;
  if (!n->out[output].wanted_by) n->wanted &= ~(UINT64_C(1) << output);
  if (in->queue.count) ask(n, input);
  else n->waiting &= ~bit;
  return r;
}

static void count(struct weir_network *n, const struct weir_mreq *r, uint32_t flits) {
  const uint32_t bytes = weir_network_bytes(n, r);
  n->flits_moved += flits;
  n->bytes_moved += bytes;
  if (!n->ports) return;
  n->ports[r->core].network_flits += flits;
  n->ports[r->core].network_bytes += bytes;
}

static void grant(struct weir_network *n, uint32_t input, uint32_t output, weir_cycle now,
                  void (*arrives)(void *context, uint32_t output, weir_cycle when), void *context) {
  struct weir_network_input *in = &n->in[input];
  struct weir_network_output *out = &n->out[output];
  struct weir_mreq *r = take(n, input, output);
  uint32_t flits = flits_of(n, r);
  in->flits -= flits;
  in->busy_until = now + flits;
  n->busy |= UINT64_C(1) << input;
  out->last_input = input;
  weir_cycle entered = now + n->params.latency_cycles;
  if (n->params.mesh.columns) {
    r->ready = weir_mesh_carry(&n->mesh, &n->params.mesh, input, output, flits, entered);
  } else {
    out->busy_until = in->busy_until;
    r->ready = entered + flits - 1;
  }
  count(n, r, flits);
  weir_queue_push(&out->queue, r);
  arrives(context, output, r->ready);
}

// Inputs that move nothing now.
static uint64_t free_inputs(struct weir_network *n, weir_cycle now) {
  for (uint64_t left = n->busy; left; left &= left - 1) {
    uint32_t i = weir_lowest(left);
    if (n->in[i].busy_until <= now) n->busy &= ~(UINT64_C(1) << i);
  }
  return ~n->busy;
}

weir_cycle weir_network_tick(struct weir_network *n, weir_cycle now,
                             void (*arrives)(void *context, uint32_t output, weir_cycle when), void *context) {
  uint64_t free_now = free_inputs(n, now);
  for (uint64_t wanted = n->wanted; wanted; wanted &= wanted - 1) {
    uint32_t o = weir_lowest(wanted);
    struct weir_network_output *out = &n->out[o];
    uint64_t inputs = out->wanted_by & free_now;
    if (!inputs || out->busy_until > now || weir_queue_full(&out->queue)) continue;
    uint64_t after = inputs & ~weir_mask(out->last_input + 1);
    uint32_t i = weir_lowest(after ? after : inputs);
    free_now &= ~(UINT64_C(1) << i); // what comes behind the packet waits for the next cycle
    grant(n, i, o, now, arrives, context);
  }
  return n->waiting ? now + 1 : WEIR_NEVER;
}
