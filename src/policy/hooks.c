// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "policy/hooks.h"

#include <assert.h>

#define ADD(name, hook_)                                                                                               \
  do {                                                                                                                 \
    if (!i->policy->hook_) break;                                                                                      \
    assert(h->count.name <= WEIR_MAX_COMPANIONS);                                                                      \
    h->name[h->count.name].call = i->policy->hook_;                                                                    \
    h->name[h->count.name++].view = &i->view;                                                                          \
  } while (0);

void weir_cache_hooks_add(struct weir_cache_hooks *h, struct weir_policy_instance *i) {
#define X(hook) ADD(hook, hook)
  WEIR_CACHE_HOOKS(X)
#undef X
  if (i->policy->kind == WEIR_POLICY_THROTTLE) ADD(throttled_miss, miss)
}

void weir_throttle_hooks_add(struct weir_throttle_hooks *h, struct weir_policy_instance *i) {
#define X(hook) ADD(hook, hook)
  WEIR_THROTTLE_HOOKS(X)
#undef X
}
