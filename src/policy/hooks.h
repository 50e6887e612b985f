// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Policies at work, by hook: who calls a hook walks the list of those that have it, and nobody else. Invariant: each list is in
// the order in which the policies were added, a cache's replacement policy first.
#ifndef WEIR_POLICY_HOOKS_H
#define WEIR_POLICY_HOOKS_H

#include "policy/host.h"

// clang-format off
#define WEIR_CACHE_HOOKS(X)                                                                                            \
  X(hit) X(look) X(insert) X(evict) X(victim) X(dead) X(miss) X(load) X(store) X(store_miss) X(keep) X(stall) X(reply)   \
  X(invalidate) X(launch) X(warmed_up)
#define WEIR_THROTTLE_HOOKS(X) X(allowed) X(issued) X(start) X(end)
// clang-format on

#define WEIR_HOOK_LIST(name, hook)                                                                                     \
  struct {                                                                                                             \
    __typeof__(((struct weir_policy *)0)->hook) call;                                                                  \
    struct weir_cache_view *view;                                                                                      \
  } name[1 + WEIR_MAX_COMPANIONS]

// Of the policies of one cache. The lists' lengths lie side by side: most are empty, and are asked about at every look-up.
struct weir_cache_hooks {
  struct {
#define X(hook) uint8_t hook;
    WEIR_CACHE_HOOKS(X)
#undef X
    uint8_t throttled_miss;
  } count;
#define X(hook) WEIR_HOOK_LIST(hook, hook);
  WEIR_CACHE_HOOKS(X)
#undef X
  WEIR_HOOK_LIST(throttled_miss, miss); // of throttles alone
};

// Of the throttles of one core.
struct weir_throttle_hooks {
  struct {
#define X(hook) uint8_t hook;
    WEIR_THROTTLE_HOOKS(X)
#undef X
  } count;
#define X(hook) WEIR_HOOK_LIST(hook, hook);
  WEIR_THROTTLE_HOOKS(X)
#undef X
};

// Appends a policy to the lists of those of its hooks that are there.
void weir_cache_hooks_add(struct weir_cache_hooks *h, struct weir_policy_instance *i);
void weir_throttle_hooks_add(struct weir_throttle_hooks *h, struct weir_policy_instance *i);

// Calls all that have the hook.
#define weir_tell(hooks, hook, ...)                                                                                    \
  do {                                                                                                                 \
    for (uint32_t i_ = 0; i_ < (hooks)->count.hook; i_++)                                                              \
      (hooks)->hook[i_].call((hooks)->hook[i_].view, ##__VA_ARGS__);                                                   \
  } while (0)

// Asks all that have the hook, however they answer: whether any said yes.
#define weir_ask(hooks, hook, ...)                                                                                     \
  __extension__({                                                                                                      \
    bool yes_ = false;                                                                                                 \
    for (uint32_t i_ = 0; i_ < (hooks)->count.hook; i_++)                                                              \
      yes_ |= (hooks)->hook[i_].call((hooks)->hook[i_].view, ##__VA_ARGS__);                                           \
    yes_;                                                                                                              \
  })

// The way to evict: the replacement policy's choice among the lines that any policy believes dead, or among all candidates if
// there is none. candidates must not be 0.
static inline uint32_t weir_cache_hooks_victim(const struct weir_cache_hooks *h, struct weir_access *a,
                                               uint64_t candidates) {
  uint64_t dead = 0;
  for (uint32_t i = 0; i < h->count.dead; i++) dead |= h->dead[i].call(h->dead[i].view, a, candidates);
  return h->victim[0].call(h->victim[0].view, a, dead ? dead : candidates);
}

#endif
