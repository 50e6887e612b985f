// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#define _GNU_SOURCE // twalk_r

#include "cudart/set.h"

#include "base/alloc.h"

#include <search.h>
#include <stddef.h>
#include <stdint.h>

struct known {
  const void *key;
  void *value;
};

static int by_key(const void *a, const void *b) {
  const uintptr_t x = (uintptr_t)((const struct known *)a)->key, y = (uintptr_t)((const struct known *)b)->key;
  return (x > y) - (x < y);
}

static struct known *lookup(const struct weir_cuda_set *s, const void *key) {
  const struct known sought = {.key = key};
  struct known **at = tfind(&sought, &s->root, by_key);
  return at ? *at : NULL;
}

void weir_cuda_set_add(struct weir_cuda_set *s, const void *key, void *value) {
  struct known *e = lookup(s, key);
  if (!e) {
    e = weir_new(struct known);
    e->key = key;
    tsearch(e, &s->root, by_key);
  }
  e->value = value;
}

void *weir_cuda_set_find(const struct weir_cuda_set *s, const void *key) {
  const struct known *e = lookup(s, key);
  return e ? e->value : NULL;
}

bool weir_cuda_set_remove(struct weir_cuda_set *s, const void *key) {
  struct known *e = lookup(s, key);
  if (!e) return false;
  tdelete(e, &s->root, by_key);
  weir_free(e);
  return true;
}

void weir_cuda_set_clear(struct weir_cuda_set *s, void (*done)(void *value)) {
  while (s->root) {
    struct known *e = *(struct known **)s->root;
    void *value = e->value;
    tdelete(e, &s->root, by_key);
    weir_free(e);
    if (done) done(value);
  }
}

static void visit_entry(const void *node, VISIT which, void *visit) {
  const struct known *e = *(struct known *const *)node;
  if (which == preorder || which == leaf) (*(void (**)(void *))visit)(e->value);
}

void weir_cuda_set_each(const struct weir_cuda_set *s, void (*visit)(void *value)) {
  twalk_r(s->root, visit_entry, &visit);
}
