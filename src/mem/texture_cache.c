// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "mem/texture_cache.h"

#include "base/alloc.h"

#include <assert.h>
#include <string.h>

void weir_texture_cache_init(struct weir_texture_cache *c, const struct weir_texture_params *params,
                             struct weir_mreq_pool *pool) {
  *c = (struct weir_texture_cache){.params = *params, .pool = pool};
  if (!params->sets) return;
  assert(params->reorder_buffer < WEIR_NO_MSHR);
  c->lines = weir_new_array(struct weir_texture_line, (size_t)params->sets * params->ways);
  c->pieces = weir_new_array(uint32_t, params->reorder_buffer);
  c->fragments.capacity = params->fragment_fifo;
  c->requests.capacity = params->request_fifo;
  c->results.capacity = params->result_fifo;
}

void weir_texture_cache_free(struct weir_texture_cache *c) {
  weir_free(c->lines);
  weir_free(c->pieces);
}

void weir_texture_cache_empty(struct weir_texture_cache *c) {
  assert(!c->used && !c->fragments.head && !c->results.head);
  if (c->lines) memset(c->lines, 0, (size_t)c->params.sets * c->params.ways * sizeof *c->lines);
}

// False: the line was not here, and has taken the way of the one used longest ago.
static bool look_up(struct weir_texture_cache *c, uint64_t address) {
  const uint64_t number = address / c->params.line_bytes;
  struct weir_texture_line *set = c->lines + (size_t)(number & (c->params.sets - 1)) * c->params.ways, *oldest = set;
  c->accesses++;
  for (uint32_t i = 0; i < c->params.ways; i++) {
    if (set[i].tag == number + 1) {
      set[i].used = c->accesses;
      return true;
    }
    if (set[i].used < oldest->used) oldest = &set[i]; // an invalid one was never used
  }
  *oldest = (struct weir_texture_line){.tag = number + 1, .used = c->accesses};
  return false;
}

static void fetch(struct weir_texture_cache *c, struct weir_mreq *r) {
  const uint32_t place = (c->first + c->used++) % c->params.reorder_buffer;
  c->pieces[place] = c->params.fetch_pieces;
  r->mshr = (uint16_t)place;
  struct weir_mreq *f = weir_mreq_new(c->pool);
  *f = *r;
  f->address = r->address & ~(uint64_t)(c->params.line_bytes - 1);
  f->place = r->place - (r->address - f->address);
  f->bytes = (uint16_t)c->params.line_bytes;
  weir_queue_push(&c->requests, f);
}

// Hits, too, wait for room in all three (gpu-cache.cc, tex_cache::access).
bool weir_texture_cache_access(struct weir_texture_cache *c, struct weir_mreq *r, bool *hit) {
  if (weir_queue_full(&c->fragments) || weir_queue_full(&c->requests) || c->used == c->params.reorder_buffer)
    return false;
  *hit = look_up(c, r->address);
  r->mshr = WEIR_NO_MSHR;
  if (!*hit) fetch(c, r);
  weir_queue_push(&c->fragments, r);
  return true;
}

void weir_texture_cache_fill(struct weir_texture_cache *c, struct weir_mreq *answer) {
  assert(c->pieces[answer->mshr]);
  c->pieces[answer->mshr]--;
  weir_mreq_release(c->pool, answer);
}

void weir_texture_cache_read(struct weir_texture_cache *c) {
  if (!weir_texture_cache_can_read(c)) return;
  struct weir_mreq *r = weir_queue_pop(&c->fragments);
  if (r->mshr != WEIR_NO_MSHR) {
    assert(r->mshr == c->first);
    c->first = (c->first + 1) % c->params.reorder_buffer;
    c->used--;
  }
  weir_queue_push(&c->results, r);
}
