// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "exec/snapshot.h"

#include "base/alloc.h"

#include <string.h>

struct piece {
  uint64_t base, bytes;
  uint8_t *copy; // `room` bytes, of which the first `bytes`
  uint64_t room;
};

struct weir_snapshot {
  bool taken;
  struct piece *pieces; // count of them are of the snapshot, all keep their room for the next one
  size_t count, made, capacity;
};

struct weir_snapshot *weir_snapshot_create(void) {
  return weir_new(struct weir_snapshot);
}

void weir_snapshot_free(struct weir_snapshot *s) {
  for (size_t i = 0; s && i < s->made; i++) weir_free(s->pieces[i].copy);
  if (s) weir_free(s->pieces);
  weir_free(s);
}

static void take_piece(struct weir_snapshot *s, const struct weir_allocation *a) {
  if (s->count == s->made) {
    (void)weir_push(s->pieces, s->made, s->capacity);
    s->pieces[s->count] = (struct piece){0};
  }
  struct piece *p = &s->pieces[s->count++];
  if (p->room < a->bytes) {
    weir_free(p->copy);
    p->copy = weir_alloc(a->bytes);
    p->room = a->bytes;
  }
  p->base = a->base;
  p->bytes = a->bytes;
  if (a->bytes) memcpy(p->copy, a->host, a->bytes);
}

bool weir_snapshot_take(struct weir_snapshot *s, struct weir_memory *m) {
  s->count = 0;
  s->taken = !weir_memory_has_heap(m);
  const struct weir_allocation *a;
  for (size_t i = 0; s->taken && (a = weir_memory_nth(m, i)); i++) take_piece(s, a);
  return s->taken;
}

// Calls `each` on every allocation and its copy. False: it did, or the allocations are others.
static bool walk(const struct weir_snapshot *s, const struct weir_memory *m,
                 bool (*each)(const struct weir_allocation *a, const uint8_t *copy)) {
  size_t n = 0;
  const struct weir_allocation *a;
  for (size_t i = 0; (a = weir_memory_nth(m, i)); i++) {
    const struct piece *p = n < s->count ? &s->pieces[n++] : NULL;
    if (!p || p->base != a->base || p->bytes != a->bytes || (each && a->bytes && !each(a, p->copy))) return false;
  }
  return n == s->count && s->taken && !weir_memory_has_heap(m);
}

static bool put_back(const struct weir_allocation *a, const uint8_t *copy) {
  memcpy(a->host, copy, a->bytes);
  return true;
}

static bool is_same(const struct weir_allocation *a, const uint8_t *copy) {
  return !memcmp(a->host, copy, a->bytes);
}

bool weir_snapshot_restore(const struct weir_snapshot *s, struct weir_memory *m) {
  return walk(s, m, NULL) && walk(s, m, put_back);
}

bool weir_snapshot_same(const struct weir_snapshot *s, struct weir_memory *m) {
  return walk(s, m, is_same);
}
