// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "policy/hooks.h"

#include <assert.h>

#define ADD(list, hook)                                                                                                \
  do {                                                                                                                 \
    if (!i->policy->hook) break;                                                                                       \
    assert((list).count <= WEIR_MAX_COMPANIONS);                                                                       \
    (list).at[(list).count].call = i->policy->hook;                                                                    \
    (list).at[(list).count++].view = &i->view;                                                                         \
  } while (0)

void weir_cache_hooks_add(struct weir_cache_hooks *h, struct weir_policy_instance *i) {
  ADD(h->look, look);
  ADD(h->hit, hit);
  ADD(h->insert, insert);
  ADD(h->evict, evict);
  ADD(h->victim, victim);
  ADD(h->dead, dead);
  ADD(h->miss, miss);
  ADD(h->load, load);
  ADD(h->store, store);
  ADD(h->store_miss, store_miss);
  ADD(h->keep, keep);
  ADD(h->stall, stall);
  ADD(h->reply, reply);
  ADD(h->invalidate, invalidate);
  ADD(h->launch, launch);
  ADD(h->warmed_up, warmed_up);
  if (i->policy->kind == WEIR_POLICY_THROTTLE) ADD(h->throttles.miss, miss);
}

void weir_throttle_hooks_add(struct weir_throttle_hooks *h, struct weir_policy_instance *i) {
  ADD(h->allowed, allowed);
  ADD(h->issued, issued);
  ADD(h->start, start);
  ADD(h->end, end);
}
