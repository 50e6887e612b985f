// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "mem/l2_coalescer.h"

#include "base/alloc.h"

enum { BUCKETS = 256, NONE = 0 };

struct joint_read {
  const struct weir_mreq *first;
  struct weir_mreq_queue joined;
  uint64_t sector;
  weir_cycle until; // the last that others may be ready in
  uint32_t next;    // in its bucket, or of those that are free: a place in `reads`, or NONE
  uint8_t group;
};

struct weir_l2_coalescer {
  struct weir_l2_coalescer_params params;
  uint32_t buckets[BUCKETS]; // places in `reads`
  struct joint_read *reads;  // from 1 on
  uint32_t count, capacity, free;
};

struct weir_l2_coalescer *weir_l2_coalescer_create(const struct weir_l2_coalescer_params *p) {
  struct weir_l2_coalescer *c = weir_new(struct weir_l2_coalescer);
  c->params = *p;
  *weir_push(c->reads, c->count, c->capacity) = (struct joint_read){0};
  return c;
}

void weir_l2_coalescer_free(struct weir_l2_coalescer *c) {
  if (!c) return;
  weir_free(c->reads);
  weir_free(c);
}

static uint32_t *bucket_of(struct weir_l2_coalescer *c, uint64_t sector, uint8_t group) {
  const uint64_t mixed = (sector ^ (uint64_t)group << 56) * UINT64_C(0x9e3779b97f4a7c15);
  return &c->buckets[mixed >> 56];
}

static bool is_coalesced(const struct weir_l2_coalescer *c, const struct weir_mreq *r) {
  return r->kind == WEIR_MREQ_LOAD && r->core < c->params.cores;
}

static uint32_t place_for(struct weir_l2_coalescer *c) {
  const uint32_t place = c->free;
  if (place == NONE) {
    weir_push(c->reads, c->count, c->capacity);
    return c->count - 1;
  }
  c->free = c->reads[place].next;
  return place;
}

bool weir_l2_coalescer_joins(struct weir_l2_coalescer *c, struct weir_mreq *r) {
  if (!is_coalesced(c, r)) return false;
  const uint64_t sector = r->address >> c->params.sector_shift;
  const uint8_t group = c->params.groups[r->core];
  uint32_t *bucket = bucket_of(c, sector, group);
  for (uint32_t at = *bucket; at != NONE; at = c->reads[at].next) {
    struct joint_read *j = &c->reads[at];
    if (j->sector != sector || j->group != group || j->joined.count + 1 == c->params.most || r->ready > j->until)
      continue;
    weir_queue_push(&j->joined, r);
    return true;
  }
  const uint32_t place = place_for(c);
  c->reads[place] = (struct joint_read){
    .first = r, .sector = sector, .until = r->ready + c->params.cycles, .next = *bucket, .group = group};
  *bucket = place;
  return false;
}

struct weir_mreq *weir_l2_coalescer_leave(struct weir_l2_coalescer *c, const struct weir_mreq *r) {
  if (!is_coalesced(c, r)) return NULL;
  uint32_t *link = bucket_of(c, r->address >> c->params.sector_shift, c->params.groups[r->core]);
  while (*link != NONE && c->reads[*link].first != r) link = &c->reads[*link].next;
  const uint32_t place = *link;
  if (place == NONE) return NULL;
  struct joint_read *j = &c->reads[place];
  *link = j->next;
  j->next = c->free;
  c->free = place;
  return j->joined.head;
}
