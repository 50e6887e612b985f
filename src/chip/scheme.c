// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Schemes: NAME[,key=value…] resolved for one chip.
#include "chip/scheme.h"

#include "base/alloc.h"
#include "chip/scheme_file.h"
#include "chip/set.h"

#include <stdio.h>
#include <string.h>

enum { MAX_OVERRIDES = 64, MAX_CANDIDATES = 1024 };

struct override {
  char *text;  // "key=value"
  char *key, *value; // the same, apart
};

struct request { // a spec taken apart
  struct weir_chip_config *chip;
  struct weir_sink *sink;
  char *name;
  struct override overrides[MAX_OVERRIDES];
  unsigned count;
  char where[100]; // "scheme pcbp"
};

static bool split_override(struct request *r, const char *text, size_t length) {
  const char *equals = memchr(text, '=', length);
  if (!equals || equals == text)
    return weir_fail_plain(r->sink, "%s: '%.*s' is not of the form key=value", r->where, (int)length, text);
  if (r->count == MAX_OVERRIDES) return weir_fail_plain(r->sink, "%s: more than %d overrides", r->where, MAX_OVERRIDES);
  struct override *o = &r->overrides[r->count++];
  o->text = weir_text_copy(text);
  o->text[length] = '\0';
  o->key = weir_text_copy(o->text);
  o->key[equals - text] = '\0';
  o->value = o->text + (equals - text) + 1;
  return true;
}

static bool split_spec(struct request *r, const char *spec) {
  size_t length = strcspn(spec, ",");
  r->name = weir_text_copy(spec);
  r->name[length] = '\0';
  snprintf(r->where, sizeof r->where, "scheme %s", r->name);
  bool ok = true;
  for (const char *at = spec + length; *at; at += length) {
    length = strcspn(++at, ",");
    ok &= split_override(r, at, length);
  }
  return ok;
}

static void free_request(struct request *r) {
  for (unsigned i = 0; i < r->count; i++) {
    weir_free(r->overrides[i].text);
    weir_free(r->overrides[i].key);
  }
  weir_free(r->name);
}

// ---- overrides of knobs ----------------------------------------------------------------------------------------------

// What a key asks for: a knob, at the levels and of the policy that it names, if it does.
struct target {
  unsigned levels;
  char *policy; // NULL: any
  const char *knob;
  char *copy;
};

// "knob", "cache.knob", "policy.knob" or "cache.policy.knob".
static struct target target_of(const struct request *r, const char *key) {
  struct target t = {.levels = weir_scheme_levels(r->chip, "all"), .copy = weir_text_copy(key)};
  char *part = t.copy;
  for (char *dot; (dot = strchr(part, '.')); part = dot + 1) {
    *dot = '\0';
    unsigned levels = weir_scheme_levels(r->chip, part);
    if (levels)
      t.levels &= levels;
    else
      t.policy = part;
  }
  t.knob = part;
  return t;
}

static struct weir_policy_choice *choice_at(struct weir_level_policies *l, unsigned i) {
  return i ? &l->companions[i - 1] : &l->replace;
}

// Calls `each` for every policy of the scheme until it answers false.
static bool each_choice(struct weir_scheme *s, bool (*each)(void *context, unsigned level, struct weir_policy_choice *c),
                        void *context) {
  for (unsigned level = 0; level < s->levels_count; level++)
    for (unsigned i = 0; i <= s->levels[level].companion_count; i++)
      if (!each(context, level, choice_at(&s->levels[level], i))) return false;
  return true;
}

struct assign {
  struct request *request;
  const struct override *override;
  struct target target;
  const struct weir_policy *found;
};

static bool meant(const struct assign *a, unsigned level, const struct weir_policy_choice *c) {
  return a->target.levels >> level & 1 && (!a->target.policy || !strcmp(a->target.policy, c->policy->name)) &&
         weir_scheme_knob(c->policy, a->target.knob);
}

// Looks for the only policy that is meant.
static bool find_meant(void *context, unsigned level, struct weir_policy_choice *c) {
  struct assign *a = context;
  if (!meant(a, level, c)) return true;
  if (a->found && a->found != c->policy)
    return weir_fail_plain(a->request->sink, "%s: '%s' may mean %s.%s or %s.%s; say which", a->request->where,
                           a->override->key, a->found->name, a->target.knob, c->policy->name, a->target.knob);
  a->found = c->policy;
  return true;
}

static bool set_meant(void *context, unsigned level, struct weir_policy_choice *c) {
  struct assign *a = context;
  char message[400];
  if (!meant(a, level, c) || !weir_policy_set(c, a->target.knob, a->override->value, message, sizeof message))
    return true;
  return weir_fail_plain(a->request->sink, "%s: %s", a->request->where, message);
}

struct candidates {
  const char *names[MAX_CANDIDATES];
  unsigned count;
};

static bool add_knobs(void *context, unsigned level, struct weir_policy_choice *c) {
  (void)level;
  struct candidates *all = context;
  for (const struct weir_knob *k = c->policy->knobs; k && k->name; k++)
    if (all->count < MAX_CANDIDATES) all->names[all->count++] = weir_text_copy(k->name);
  return true;
}

static void add_path(void *context, const char *path, const char *value, const char *type, const char *help) {
  (void)value, (void)type, (void)help;
  struct candidates *all = context;
  if (all->count < MAX_CANDIDATES) all->names[all->count++] = weir_text_copy(path);
}

static bool fail_unknown(struct request *r, struct weir_scheme *s, const char *key) {
  struct candidates all = {0};
  each_choice(s, add_knobs, &all);
  weir_chip_paths(r->chip, add_path, &all);
  const char *nearest = weir_nearest(key, all.names, all.count);
  if (nearest)
    weir_fail_plain(r->sink, "%s: '%s' is neither a knob of its policies nor a value of the chip; did you mean '%s'?",
                    r->where, key, nearest);
  else
    weir_fail_plain(r->sink, "%s: '%s' is neither a knob of its policies nor a value of the chip", r->where, key);
  for (unsigned i = 0; i < all.count; i++) weir_free((char *)all.names[i]);
  return false;
}

static bool assign_knob(struct request *r, struct weir_scheme *s, const struct override *o) {
  struct assign a = {.request = r, .override = o, .target = target_of(r, o->key)};
  bool ok = each_choice(s, find_meant, &a);
  if (ok) ok = a.found ? each_choice(s, set_meant, &a) : fail_unknown(r, s, o->key);
  weir_free(a.target.copy);
  return ok;
}

// ---- a scheme's levels -----------------------------------------------------------------------------------------------

static bool chip_overrides(struct request *r) {
  bool ok = true;
  for (unsigned i = 0; i < r->count; i++)
    if (weir_chip_has(r->chip, r->overrides[i].key))
      ok &= weir_chip_set(r->chip, r->overrides[i].text, r->where, r->sink);
  return ok;
}

// The chip's own replace policy of a level.
static bool own_replace(struct request *r, unsigned level, struct weir_scheme *s) {
  const struct weir_cache_config *c = &r->chip->caches[level];
  const struct weir_policy *policy = weir_policy_find(WEIR_POLICY_REPLACE, c->replace);
  if (!policy)
    return weir_fail_plain(r->sink, "%s: %s.replace names no replacement policy: '%s'", r->where, c->name, c->replace);
  return weir_scheme_add(&s->levels[level], policy);
}

static bool start_levels(struct request *r, struct weir_scheme *s) {
  bool ok = true;
  s->levels_count = r->chip->caches_count;
  for (unsigned level = 0; level < s->levels_count; level++) ok &= own_replace(r, level, s);
  return ok;
}

// "l1.replace=fifo" behind a scheme's name is said after the scheme, and so wins over it.
static bool restore_replace(struct request *r, struct weir_scheme *s) {
  bool ok = true;
  for (unsigned i = 0; i < r->count; i++)
    for (unsigned level = 0; level < s->levels_count; level++) {
      char path[64];
      snprintf(path, sizeof path, "%s.replace", r->chip->caches[level].name);
      if (!strcmp(path, r->overrides[i].key)) ok &= own_replace(r, level, s);
    }
  return ok;
}

static bool knob_overrides(struct request *r, struct weir_scheme *s) {
  bool ok = true;
  for (unsigned i = 0; i < r->count; i++)
    if (!weir_chip_has(r->chip, r->overrides[i].key)) ok &= assign_knob(r, s, &r->overrides[i]);
  return ok;
}

static bool resolve(struct request *r, struct weir_scheme *s) {
  struct weir_scheme_file f;
  bool ok = weir_scheme_open(&f, r->name, s, r->sink);
  ok = ok && weir_scheme_apply_set(&f, r->chip);
  ok = ok && chip_overrides(r) && start_levels(r, s);
  ok = ok && weir_scheme_apply_policies(&f, r->chip, s) && restore_replace(r, s) && knob_overrides(r, s);
  weir_scheme_close(&f);
  return ok;
}

struct weir_scheme *weir_scheme_read(const char *spec, struct weir_chip_config *chip, struct weir_sink *sink) {
  struct weir_scheme *s = weir_new(struct weir_scheme);
  s->spec = weir_text_copy(spec);
  struct request r = {.chip = chip, .sink = sink};
  bool ok = split_spec(&r, spec) && resolve(&r, s);
  free_request(&r);
  if (ok) return s;
  weir_scheme_free(s);
  return NULL;
}

void weir_scheme_free(struct weir_scheme *s) {
  if (!s) return;
  weir_free(s->name);
  weir_free(s->spec);
  weir_free(s->summary);
  weir_free(s->citation);
  weir_free(s);
}

// ---- what it says ----------------------------------------------------------------------------------------------------

const char *weir_scheme_name(const struct weir_scheme *s) {
  return s->name;
}

const char *weir_scheme_spec(const struct weir_scheme *s) {
  return s->spec;
}

const char *weir_scheme_summary(const struct weir_scheme *s) {
  return s->summary;
}

const char *weir_scheme_citation(const struct weir_scheme *s) {
  return s->citation;
}

const struct weir_level_policies *weir_scheme_level(const struct weir_scheme *s, unsigned level) {
  return &s->levels[level];
}
