// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "policy/host.h"

#include "base/alloc.h"
#include "base/param.h"
#include "policy/registry.h"
#include "policy/table.h"

#include <stdio.h>
#include <string.h>

// ---- the registry ----------------------------------------------------------------------------------------------------------

// The built-in policies, then the plugins'. A process loads plugins before it builds its first cache; nothing is removed.
static const struct weir_policy *registry[WEIR_MAX_POLICIES] = {
#define POLICY(name) &weir_##name,
#include "policy/table.def"
#undef POLICY
};

enum {
  BUILT_IN =
#define POLICY(name) 1 +
#include "policy/table.def"
#undef POLICY
    0
};

static unsigned registered = BUILT_IN;

const struct weir_policy *const *weir_policies(unsigned *count) {
  *count = registered;
  return registry;
}

unsigned weir_policies_built_in(void) {
  return BUILT_IN;
}

const char *weir_policy_kind_name(enum weir_policy_kind kind) {
  static const char *const names[] = {
    [WEIR_POLICY_REPLACE] = "replace", [WEIR_POLICY_BYPASS] = "bypass", [WEIR_POLICY_THROTTLE] = "throttle"};
  return names[kind];
}

const struct weir_policy *weir_policy_find(enum weir_policy_kind kind, const char *name) {
  for (unsigned i = 0; i < registered; i++)
    if (registry[i]->kind == kind && !strcmp(registry[i]->name, name)) return registry[i];
  return NULL;
}

bool weir_policy_register(const struct weir_policy *policy) {
  if (registered == WEIR_MAX_POLICIES) return false;
  registry[registered++] = policy;
  return true;
}

// ---- knobs -----------------------------------------------------------------------------------------------------------------

static unsigned knob_count(const struct weir_policy *policy) {
  unsigned count = 0;
  while (policy->knobs && policy->knobs[count].name) count++;
  return count;
}

const struct weir_knob *weir_policy_knob(const struct weir_policy *policy, const char *name) {
  for (const struct weir_knob *k = policy->knobs; k && k->name; k++)
    if (!strcmp(k->name, name)) return k;
  return NULL;
}

void weir_policy_defaults(struct weir_policy_choice *choice, const struct weir_policy *policy) {
  *choice = (struct weir_policy_choice){.policy = policy};
  for (unsigned i = 0, count = knob_count(policy); i < count; i++) choice->knobs[i] = policy->knobs[i].initial;
}

const char *weir_policy_old_knob(const char *name) {
  return strcmp(name, "per_part") ? NULL
                                  : "scope=part says what per_part=true said, scope=level what per_part=false said";
}

struct weir_param weir_knob_row(const struct weir_knob *k, unsigned index) {
  static const enum weir_param_type types[] = {[WEIR_KNOB_INT] = WEIR_PARAM_INT,
                                               [WEIR_KNOB_REAL] = WEIR_PARAM_REAL,
                                               [WEIR_KNOB_BOOL] = WEIR_PARAM_BOOL,
                                               [WEIR_KNOB_CHOICE] = WEIR_PARAM_CHOICE};
  return (struct weir_param){.name = k->name,
                             .type = types[k->type],
                             .bytes = sizeof(double),
                             .offset = index * sizeof(double),
                             .as_real = true,
                             .power_of_two = k->power_of_two,
                             .lowest = k->lowest,
                             .highest = k->highest,
                             .choices = k->choices,
                             .help = k->help};
}

const char *weir_policy_set(struct weir_policy_choice *choice, const char *name, const char *text, char *message,
                            size_t size) {
  struct weir_param rows[WEIR_MAX_KNOBS];
  char what[80];
  const struct weir_policy *policy = choice->policy;
  const unsigned count = knob_count(policy);
  const char *now = weir_policy_knob(policy, "scope") ? weir_policy_old_knob(name) : NULL;
  if (now && !weir_policy_knob(policy, name)) {
    snprintf(message, size, "policy '%s' has no knob '%s' any more: %s", policy->name, name, now);
    return message;
  }
  for (unsigned i = 0; i < count; i++) rows[i] = weir_knob_row(&policy->knobs[i], i);
  snprintf(what, sizeof what, "policy '%s'", policy->name);
  const struct weir_param_table table = {.what = what, .item = "knob", .rows = rows, .count = count};
  return weir_param_assign(&table, choice->knobs, name, text, message, size);
}

// ---- a policy at work -------------------------------------------------------------------------------------------------------

static void *zeroed(size_t bytes) {
  return bytes ? weir_alloc_aligned(64, bytes) : NULL;
}

uint32_t weir_policy_scope_caches(const struct weir_policy *p, const struct weir_geometry *g) {
  const struct weir_knob *scope = p->kind == WEIR_POLICY_THROTTLE ? NULL : weir_policy_knob(p, "scope");
  bool level = scope && g->knobs[scope - p->knobs] == WEIR_SCOPE_LEVEL;
  return level && !g->warps && g->instances ? g->instances : 1;
}

uint64_t weir_policy_cost_bits(const struct weir_policy *p, const struct weir_geometry *g) {
  uint64_t once = p->scope_bits ? p->scope_bits(g) : 0, caches = weir_policy_scope_caches(p, g);
  return p->cost_bits(g) + (once + caches - 1) / caches;
}

// This cache begins a scope, or joins that of the first one.
static void join_scope(struct weir_policy_instance *i, const struct weir_policy_instance *first,
                       const struct weir_geometry *g) {
  const struct weir_policy *p = i->policy;
  uint32_t caches = weir_policy_scope_caches(p, g);
  const struct weir_policy_instance *leader = caches > 1 && first ? first : i;
  if (leader == i) {
    i->scope_caches = weir_new_array(struct weir_cache_view *, caches);
    i->scope = (struct weir_policy_scope){zeroed(p->scope_bytes ? p->scope_bytes(g) : 0), caches, i->scope_caches};
  }
  leader->scope_caches[caches > 1 ? g->instance : 0] = &i->view;
  i->view.scope = &leader->scope;
}

void weir_policy_prepare(struct weir_policy_instance *i, const struct weir_policy_choice *choice,
                         const struct weir_geometry *g, struct weir_rng rng, const struct weir_policy_memory *memory) {
  const struct weir_policy *policy = choice->policy;
  *i = (struct weir_policy_instance){.policy = policy, .rng = rng};
  memcpy(i->knobs, choice->knobs, sizeof i->knobs);
  i->view = (struct weir_cache_view){
    .sets = g->sets,
    .ways = g->ways,
    .line_bytes = g->line_bytes,
    .instance = g->instance,
    .instances = g->instances,
    .requesters = weir_requester_count(g),
    .core = policy->kind == WEIR_POLICY_THROTTLE ? g->core : NULL,
    .knobs = i->knobs,
    .counters = i->counters,
    .rng = &i->rng,
    .state = memory->state,
    .set_state = memory->set_state,
    .line_state = memory->line_state,
    .set_bytes = policy->set_bytes,
    .line_state_bytes = policy->line_bytes,
  };
}

void weir_policy_start(struct weir_policy_instance *i, const struct weir_policy_instance *first,
                       const struct weir_policy_choice *choice, const struct weir_geometry *g, uint64_t seed,
                       uint64_t user) {
  const struct weir_policy *p = choice->policy;
  struct weir_geometry own = *g;
  own.knobs = choice->knobs;
  const struct weir_policy_memory memory = {.state = zeroed(p->cache_bytes ? p->cache_bytes(&own) : 0),
                                            .set_state = zeroed((size_t)g->sets * p->set_bytes),
                                            .line_state = zeroed((size_t)g->sets * g->ways * p->line_bytes)};
  weir_policy_prepare(i, choice, g, weir_rng_seed(seed, user), &memory);
  join_scope(i, first, &own);
  weir_hook(i, init);
}

void weir_policy_stop(struct weir_policy_instance *i) {
  weir_free(i->view.state);
  weir_free(i->scope.state);
  weir_free(i->scope_caches);
  weir_free(i->view.set_state);
  weir_free(i->view.line_state);
  *i = (struct weir_policy_instance){0};
}
