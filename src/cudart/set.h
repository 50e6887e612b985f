// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A set of pointers: which handles are alive, and what is known by a host address. Invariant: a look-up never reads
// what its key points to, so that any value a program hands over may be asked for.
#ifndef WEIR_CUDART_SET_H
#define WEIR_CUDART_SET_H

#include <stdbool.h>

struct weir_cuda_set {
  void *root;
};

// `value` becomes known by `key`; one known by it before is replaced.
void weir_cuda_set_add(struct weir_cuda_set *s, const void *key, void *value);
void *weir_cuda_set_find(const struct weir_cuda_set *s, const void *key); // NULL: nothing is known by it
bool weir_cuda_set_remove(struct weir_cuda_set *s, const void *key);      // false: nothing was
// Removes all, calling `done` (may be NULL) with each value.
void weir_cuda_set_clear(struct weir_cuda_set *s, void (*done)(void *value));
void weir_cuda_set_each(const struct weir_cuda_set *s, void (*visit)(void *value));

#endif
