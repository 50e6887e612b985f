// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The host's side of policies: find, choose and load them, give them memory, and call them. No policy includes this.
#ifndef WEIR_POLICY_HOST_H
#define WEIR_POLICY_HOST_H

#include "policy/policy.h"

// ---- lookup and configuration ------------------------------------------------------------------------------------------

const char *weir_policy_kind_name(enum weir_policy_kind kind); // "replace", "bypass", "throttle"
const struct weir_policy *weir_policy_find(enum weir_policy_kind kind, const char *name); // NULL: none
const struct weir_policy *const *weir_policies(unsigned *count); // built in, then plugins in the order loaded
unsigned weir_policies_built_in(void);                           // how many of them are

// A policy chosen for a cache, with its knobs' values.
struct weir_policy_choice {
  const struct weir_policy *policy;
  double knobs[WEIR_MAX_KNOBS];
};

void weir_policy_defaults(struct weir_policy_choice *choice, const struct weir_policy *policy);

// What an author declares of a knob, the one of that index, as a row of the table of a choice's knobs (base/param.h).
struct weir_param;
struct weir_param weir_knob_row(const struct weir_knob *k, unsigned index);

// The knob of that name, or NULL.
const struct weir_knob *weir_policy_knob(const struct weir_policy *policy, const char *name);

// Sets knob `name` from text ("6", "0.5", "true", "off", a choice's name). NULL if it was valid, else a message (in
// `message`, of `size` bytes) that says what was expected.
const char *weir_policy_set(struct weir_policy_choice *choice, const char *name, const char *text, char *message,
                            size_t size);

// What says now what a knob of this name said in an earlier contract ("scope=part says …"), or NULL: there was none.
const char *weir_policy_old_knob(const char *name);

// NULL if the descriptor is well-formed (abi, names, knobs' defaults within their ranges, hooks of its kind, cost),
// else what is wrong with it: checked for plugins when loaded and for all by the conformance suite.
const char *weir_policy_flaw(const struct weir_policy *p);

// Loads a shared object that exports `const struct weir_policy *const weir_plugin[]` (ends with NULL). NULL if it went
// well, else a message (in `message`) that continues "FILE: ". All of its policies are taken, or none.
const char *weir_policy_load(const char *path, char *message, size_t size);

// ---- a cache's set of policies, as the cache calls them --------------------------------------------------------------------

// One policy at work in one cache: its descriptor, and its private memory.
struct weir_policy_instance {
  const struct weir_policy *policy;
  struct weir_cache_view view;
  double knobs[WEIR_MAX_KNOBS];
  uint64_t counters[WEIR_MAX_POLICY_COUNTERS];
  struct weir_rng rng;
  struct weir_policy_scope scope; // that begins with this cache; a view may point to that of another
  struct weir_cache_view **scope_caches;
};

// The private memory of one cache's policy, all zero, of the sizes that its descriptor asks for.
struct weir_policy_memory {
  void *state, *set_state, *line_state;
};

// Makes the instance and its view, all but the scope and what init does: for weir_policy_start, and for a host whose memory is
// its own (policy/conform). The choice must not be rejected.
void weir_policy_prepare(struct weir_policy_instance *i, const struct weir_policy_choice *choice,
                         const struct weir_geometry *g, struct weir_rng rng, const struct weir_policy_memory *memory);

// Carves and zeroes private memory and calls init. seed: the run's; user: unique per cache and policy slot. The instance
// must not move until it is stopped: views point into it. The choice must not be rejected.
// first: of the policy in the level's first cache, if this one is of a later part of a shared level (else NULL): it has the
// same policy and knobs, and is stopped after the last call to the others.
void weir_policy_start(struct weir_policy_instance *i, const struct weir_policy_instance *first,
                       const struct weir_policy_choice *choice, const struct weir_geometry *g, uint64_t seed,
                       uint64_t user);
void weir_policy_stop(struct weir_policy_instance *i);

// How many caches a scope of the policy has under these knobs.
uint32_t weir_policy_scope_caches(const struct weir_policy *p, const struct weir_geometry *g);

// Whether this cache is the one that is told what is told once per scope.
static inline bool weir_policy_leads_scope(const struct weir_policy_instance *i) {
  return i->view.scope == &i->scope;
}

// Hardware in one cache: its own, and its share of what its scope has once.
uint64_t weir_policy_cost_bits(const struct weir_policy *p, const struct weir_geometry *g);

// How long its epochs are in core cycles, under these knobs; 0: none.
static inline uint32_t weir_policy_epoch_cycles(const struct weir_policy *p, const struct weir_geometry *g) {
  return p->epoch && p->epoch_cycles ? p->epoch_cycles(g) : 0;
}

// Calls a hook if the policy has it; otherwise the value is 0 (nothing, for a hook that returns void).
#define weir_hook(instance, hook, ...)                                                                                 \
  ((instance)->policy->hook ? (instance)->policy->hook(&(instance)->view, ##__VA_ARGS__)                               \
                            : (__typeof__((instance)->policy->hook(&(instance)->view, ##__VA_ARGS__)))0)

#endif
