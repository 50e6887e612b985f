// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "trace/decode.h"

// UINT64_MAX if no surprise follows.
static uint64_t next_gap(struct weir_cursor *c) {
  return c->at == c->end ? UINT64_MAX : weir_cursor_varint(c);
}

bool weir_trace_decode_start(struct weir_trace_decoder *d, const struct weir_trace_directory *from, const void *data,
                             size_t bytes, uint32_t instructions) {
  struct weir_cursor c = {data, (const uint8_t *)data + bytes, false};
  d->items = from->items;
  d->item_count = from->info.static_count;
  const uint64_t first = weir_cursor_varint(&c);
  d->last_next_pc = weir_cursor_varint(&c);
  uint64_t sizes[WEIR_PARTS];
  for (unsigned p = 0; p < WEIR_PARTS; p++) sizes[p] = weir_cursor_varint(&c);
  for (unsigned p = 0; p < WEIR_PARTS; p++) {
    const uint8_t *at = sizes[p] > bytes ? NULL : weir_cursor_take(&c, (size_t)sizes[p]);
    if (!at) return false;
    d->parts[p] = (struct weir_cursor){at, at + sizes[p], false};
  }
  if (c.failed || c.at != c.end || first >= d->item_count) return false;
  weir_model_start(&d->model, d->item_count, from->slot_count);
  d->flow_gap = next_gap(&d->parts[WEIR_PART_FLOW_GAP]);
  d->access_gap = next_gap(&d->parts[WEIR_PART_ACCESS_GAP]);
  d->next = (uint32_t)first;
  d->left = instructions;
  return true;
}

static uint32_t surprising_next(struct weir_trace_decoder *d, uint32_t id) {
  d->flow_gap = next_gap(&d->parts[WEIR_PART_FLOW_GAP]);
  const uint64_t how = weir_cursor_varint(&d->parts[WEIR_PART_FLOW]);
  if (how == WEIR_FLOW_OTHER) return d->model.flow[id].other;
  if (how == WEIR_FLOW_LAST) return d->model.flow[id].last;
  return (uint32_t)(id + weir_unzigzag(how - WEIR_FLOW_NUMBER));
}

// What follows id; item_count or more if the chunk is damaged.
static inline uint32_t follow(struct weir_trace_decoder *d, uint32_t id) {
  uint32_t next;
  if (d->flow_gap)
    next = weir_model_next(&d->model, id), d->flow_gap -= d->flow_gap != UINT64_MAX;
  else
    next = surprising_next(d, id);
  if (next < d->item_count) weir_model_followed(&d->model, id, next);
  return next;
}

static uint64_t surprising_address(struct weir_trace_decoder *d, uint32_t slot, uint8_t base) {
  d->access_gap = next_gap(&d->parts[WEIR_PART_ACCESS_GAP]);
  const unsigned how = weir_cursor_byte(&d->parts[WEIR_PART_ACCESS]);
  struct weir_model_slot *s = &d->model.slots[slot];
  if (how < WEIR_GUESSES) return weir_model_guess(&d->model, slot, base, (unsigned)(s->best = how));
  const unsigned code = how - WEIR_GUESSES, n = (code >> 1) + 1;
  if (n > 8) return d->parts[WEIR_PART_ACCESS].failed = true, 0;
  const uint64_t from = code & WEIR_ACCESS_FROM_BASE ? d->model.bases[base] : s->last;
  return from + weir_unzigzag(weir_cursor_low(&d->parts[WEIR_PART_DIFFERENCE], n));
}

static inline void addresses_of(struct weir_trace_decoder *d, const struct weir_trace_item *item, uint64_t *to) {
  for (unsigned k = 0; k < item->what.access_count; k++) {
    const uint32_t slot = item->slot + k;
    const uint8_t base = item->what.accesses[k].base;
    if (d->access_gap) {
      to[k] = weir_model_guess(&d->model, slot, base, (unsigned)d->model.slots[slot].best);
      d->access_gap -= d->access_gap != UINT64_MAX;
    } else {
      to[k] = surprising_address(d, slot, base);
    }
    weir_model_accessed(&d->model, slot, base, to[k]);
  }
}

static bool failed(const struct weir_trace_decoder *d) {
  bool any = false;
  for (unsigned p = 0; p < WEIR_PARTS; p++) any |= d->parts[p].failed;
  return any;
}

size_t weir_trace_decode(struct weir_trace_decoder *d, struct weir_trace_inst *out, uint64_t *addresses, size_t most) {
  size_t n = 0;
  for (; n < most && d->left; n++) {
    const struct weir_trace_item *item = &d->items[d->next];
    addresses_of(d, item, addresses);
    out[n] = (struct weir_trace_inst){&item->what, addresses, d->last_next_pc};
    addresses += item->what.access_count;
    if (d->left > 1) {
      d->next = follow(d, d->next);
      if (d->next >= d->item_count) return 0;
      out[n].next_pc = d->items[d->next].what.pc;
    }
    d->left--;
  }
  if (!failed(d)) return n;
  d->left = 1;
  return 0;
}

void weir_trace_decode_free(struct weir_trace_decoder *d) {
  weir_model_free(&d->model);
}
