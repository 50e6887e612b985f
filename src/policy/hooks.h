// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Policies at work, by hook: who calls a hook walks the list of those that have it, and nobody else. Invariant: each list is in
// the order in which the policies were added, a cache's replacement policy first.
#ifndef WEIR_POLICY_HOOKS_H
#define WEIR_POLICY_HOOKS_H

#include "policy/host.h"

#define WEIR_HOOK_LIST(hook)                                                                                           \
  struct {                                                                                                             \
    uint32_t count;                                                                                                    \
    struct {                                                                                                           \
      __typeof__(((struct weir_policy *)0)->hook) call;                                                                \
      struct weir_cache_view *view;                                                                                    \
    } at[1 + WEIR_MAX_COMPANIONS];                                                                                     \
  } hook

// Of the policies of one cache.
struct weir_cache_hooks {
  WEIR_HOOK_LIST(look);
  WEIR_HOOK_LIST(hit);
  WEIR_HOOK_LIST(insert);
  WEIR_HOOK_LIST(evict);
  WEIR_HOOK_LIST(victim); // the replacement policy's
  WEIR_HOOK_LIST(dead);
  WEIR_HOOK_LIST(miss); // of bypass policies and throttles
  WEIR_HOOK_LIST(load);
  WEIR_HOOK_LIST(store);
  WEIR_HOOK_LIST(store_miss);
  WEIR_HOOK_LIST(keep);
  WEIR_HOOK_LIST(stall);
  WEIR_HOOK_LIST(reply);
  WEIR_HOOK_LIST(invalidate);
  WEIR_HOOK_LIST(launch);
  WEIR_HOOK_LIST(warmed_up);
  struct {
    WEIR_HOOK_LIST(miss);
  } throttles;
};

// Of the throttles of one core.
struct weir_throttle_hooks {
  WEIR_HOOK_LIST(allowed);
  WEIR_HOOK_LIST(issued);
  WEIR_HOOK_LIST(start);
  WEIR_HOOK_LIST(end);
};

// Appends a policy to the lists of those of its hooks that are there.
void weir_cache_hooks_add(struct weir_cache_hooks *h, struct weir_policy_instance *i);
void weir_throttle_hooks_add(struct weir_throttle_hooks *h, struct weir_policy_instance *i);

// Calls all of a list.
#define weir_tell(list, ...)                                                                                           \
  do {                                                                                                                 \
    for (uint32_t i_ = 0; i_ < (list)->count; i_++) (list)->at[i_].call((list)->at[i_].view, ##__VA_ARGS__);           \
  } while (0)

// Asks all of a list, however they answer: whether any said yes.
#define weir_ask(list, ...)                                                                                            \
  __extension__({                                                                                                      \
    bool yes_ = false;                                                                                                 \
    for (uint32_t i_ = 0; i_ < (list)->count; i_++) yes_ |= (list)->at[i_].call((list)->at[i_].view, ##__VA_ARGS__);   \
    yes_;                                                                                                              \
  })

// The way to evict: the replacement policy's choice among the lines that any policy believes dead, or among all candidates if
// there is none. candidates must not be 0.
static inline uint32_t weir_cache_hooks_victim(const struct weir_cache_hooks *h, struct weir_access *a,
                                               uint64_t candidates) {
  uint64_t dead = 0;
  for (uint32_t i = 0; i < h->dead.count; i++) dead |= h->dead.at[i].call(h->dead.at[i].view, a, candidates);
  return h->victim.at[0].call(h->victim.at[0].view, a, dead ? dead : candidates);
}

#endif
