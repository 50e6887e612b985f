// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "policy/host.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "policy/registry.h"
#include "policy/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// ---- the registry ----------------------------------------------------------------------------------------------------------

// The built-in policies, then the plugins'. A process loads plugins before it builds its first cache; nothing is removed.
static const struct weir_policy *registry[WEIR_MAX_POLICIES] = {
#define POLICY(name) &weir_##name,
#include "policy/table.def"
#undef POLICY
};

static unsigned registered =
#define POLICY(name) 1 +
#include "policy/table.def"
#undef POLICY
  0;

const struct weir_policy *const *weir_policies(unsigned *count) {
  *count = registered;
  return registry;
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

static const char *say(char *message, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

static const char *say(char *message, size_t size, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, size, format, arguments);
  va_end(arguments);
  return message;
}

const char *weir_policy_old_knob(const char *name) {
  return strcmp(name, "per_part") ? NULL
                                  : "scope=part says what per_part=true said, scope=level what per_part=false said";
}

static const char *unknown_knob(const struct weir_policy *policy, const char *name, char *message, size_t size) {
  const char *names[WEIR_MAX_KNOBS];
  unsigned count = knob_count(policy);
  for (unsigned i = 0; i < count; i++) names[i] = policy->knobs[i].name;
  if (!count) return say(message, size, "policy '%s' has no knobs, so none is called '%s'", policy->name, name);
  const char *now = weir_policy_old_knob(name);
  if (now && weir_policy_knob(policy, "scope"))
    return say(message, size, "policy '%s' has no knob '%s' any more: %s", policy->name, name, now);
  const char *nearest = weir_nearest(name, names, count);
  if (nearest)
    return say(message, size, "policy '%s' has no knob '%s'; did you mean '%s'?", policy->name, name, nearest);
  int used = snprintf(message, size, "policy '%s' has no knob '%s'; it has", policy->name, name);
  for (unsigned i = 0; i < count && used > 0 && (size_t)used < size; i++)
    used += snprintf(message + used, size - (size_t)used, "%s %s", i ? "," : "", names[i]);
  return message;
}

static bool parse_number(const char *text, double *value) {
  char *end;
  *value = strtod(text, &end);
  return end != text && !*end && isfinite(*value);
}

static bool parse_bool(const char *text, double *value) {
  static const char *const words[] = {"false", "true", "off", "on", "no", "yes", "0", "1"};
  for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
    if (!strcasecmp(text, words[i])) {
      *value = i & 1;
      return true;
    }
  return false;
}

static bool parse_choice(const struct weir_knob *knob, const char *text, double *value) {
  for (unsigned i = 0; knob->choices[i]; i++)
    if (!strcmp(text, knob->choices[i])) {
      *value = i;
      return true;
    }
  return false;
}

static bool parse_knob(const struct weir_knob *knob, const char *text, double *value) {
  if (knob->type == WEIR_KNOB_BOOL) return parse_bool(text, value);
  if (knob->type == WEIR_KNOB_CHOICE) return parse_choice(knob, text, value);
  return parse_number(text, value) && weir_knob_takes(knob, *value);
}

bool weir_knob_takes(const struct weir_knob *knob, double value) {
  if (!(value >= knob->lowest && value <= knob->highest)) return false;
  if (knob->type == WEIR_KNOB_REAL) return true;
  return value == floor(value) && (!knob->power_of_two || weir_is_pow2((uint64_t)value));
}

static void describe_choices(const struct weir_knob *knob, char *text, size_t size) {
  size_t used = (size_t)snprintf(text, size, "one of");
  for (unsigned i = 0; knob->choices[i] && used < size; i++)
    used += (size_t)snprintf(text + used, size - used, "%s %s", i ? "," : "", knob->choices[i]);
}

// What a knob takes, in words: "a power of two from 16 to 65536".
static void describe_knob(const struct weir_knob *knob, char *text, size_t size) {
  switch (knob->type) {
  case WEIR_KNOB_BOOL: snprintf(text, size, "true or false"); break;
  case WEIR_KNOB_CHOICE: describe_choices(knob, text, size); break;
  case WEIR_KNOB_REAL: snprintf(text, size, "a number from %g to %g", knob->lowest, knob->highest); break;
  case WEIR_KNOB_INT:
    snprintf(text, size, "%s from %.0f to %.0f", knob->power_of_two ? "a power of two" : "an integer", knob->lowest,
             knob->highest);
    break;
  }
}

const char *weir_policy_set(struct weir_policy_choice *choice, const char *name, const char *text, char *message,
                            size_t size) {
  const struct weir_policy *policy = choice->policy;
  for (unsigned i = 0, count = knob_count(policy); i < count; i++) {
    const struct weir_knob *knob = &policy->knobs[i];
    if (strcmp(knob->name, name)) continue;
    double value;
    if (parse_knob(knob, text, &value)) {
      choice->knobs[i] = value;
      return NULL;
    }
    char expected[200];
    describe_knob(knob, expected, sizeof expected);
    return say(message, size, "knob '%s' of policy '%s' must be %s, not '%s'", name, policy->name, expected, text);
  }
  return unknown_knob(policy, name, message, size);
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

void weir_policy_start(struct weir_policy_instance *i, const struct weir_policy_instance *first,
                       const struct weir_policy_choice *choice, const struct weir_geometry *g, uint64_t seed,
                       uint64_t user) {
  const struct weir_policy *policy = choice->policy;
  *i = (struct weir_policy_instance){.policy = policy, .rng = weir_rng_seed(seed, user)};
  memcpy(i->knobs, choice->knobs, sizeof i->knobs);
  struct weir_geometry own = *g;
  own.knobs = i->knobs;
  i->view = (struct weir_cache_view){
    .sets = g->sets,
    .ways = g->ways,
    .line_bytes = g->line_bytes,
    .instance = g->instance,
    .instances = g->instances,
    .owners = weir_owner_count(g),
    .core = policy->kind == WEIR_POLICY_THROTTLE ? g->core : NULL,
    .knobs = i->knobs,
    .counters = i->counters,
    .rng = &i->rng,
    .state = zeroed(policy->cache_bytes ? policy->cache_bytes(&own) : 0),
    .set_state = zeroed((size_t)g->sets * policy->set_bytes),
    .line_state = zeroed((size_t)g->sets * g->ways * policy->line_bytes),
    .set_bytes = policy->set_bytes,
    .line_state_bytes = policy->line_bytes,
  };
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
