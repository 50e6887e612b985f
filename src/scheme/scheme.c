// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Schemes: NAME[,key=value…] resolved for one chip.
#include "config/chip_file.h"
#include "scheme/policies.h"

#include "base/alloc.h"
#include "scheme/file.h"
#include "config/keys.h"
#include "config/set.h"

#include <stdio.h>
#include <string.h>

enum { MAX_OVERRIDES = 64, MAX_CANDIDATES = 1024 };

struct override {
  int index;         // in the spec
  char *text;        // "key=value"
  char *key, *value; // the same, apart
  bool of_bypass;    // it says which bypass policy a cache has
};

struct request { // a spec taken apart
  struct weir_chip_config *chip;
  struct weir_sink *sink;
  char *name;
  struct override overrides[MAX_OVERRIDES];
  unsigned count;
  char title[100]; // "scheme pcbp"
  struct weir_place where;
};

static bool split_override(struct request *r, const char *text, size_t length) {
  const char *equals = memchr(text, '=', length);
  if (!equals || equals == text)
    return weir_fail(r->sink, r->where, "'%.*s' is not of the form key=value", (int)length, text);
  if (r->count == MAX_OVERRIDES) return weir_fail(r->sink, r->where, "more than %d overrides", MAX_OVERRIDES);
  struct override *o = &r->overrides[r->count];
  o->index = (int)r->count++;
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
  snprintf(r->title, sizeof r->title, "scheme %s", r->name);
  r->where = weir_option_place(r->title);
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

// What a key means in a scheme: the places of one policy. `other` is a second policy that it may mean as well.
struct meaning {
  weir_places places;
  const struct weir_policy *policy, *other;
};

static struct meaning meaning_of(struct weir_scheme *s, const struct target *t) {
  struct meaning m = {0};
  for (unsigned level = 0; level < s->levels_count; level++)
    for (unsigned i = 0; i <= s->levels[level].companion_count && t->levels >> level & 1; i++) {
      const struct weir_policy *policy = weir_scheme_choice(s, level, i)->policy;
      if ((t->policy && strcmp(t->policy, policy->name)) || !weir_policy_knob(policy, t->knob)) continue;
      if (m.policy && m.policy != policy && !m.other) m.other = policy;
      if (!m.policy) m.policy = policy;
      m.places |= weir_scheme_place(level, i);
    }
  return m;
}

struct candidates {
  const char *names[MAX_CANDIDATES];
  unsigned count;
};

static bool add_path(void *context, const struct weir_leaf *leaf) {
  struct candidates *all = context;
  if (leaf->param->type != WEIR_PARAM_NAME && all->count < MAX_CANDIDATES)
    all->names[all->count++] = weir_text_copy(leaf->path);
  return true;
}

static void add_knobs(struct candidates *all, const struct weir_policy *policy) {
  for (const struct weir_knob *k = policy->knobs; k && k->name; k++)
    if (all->count < MAX_CANDIDATES) all->names[all->count++] = weir_text_copy(k->name);
}

static bool fail_unknown(struct request *r, struct weir_scheme *s, const char *key) {
  struct candidates all = {0};
  for (unsigned level = 0; level < s->levels_count; level++)
    for (unsigned i = 0; i <= s->levels[level].companion_count; i++)
      add_knobs(&all, weir_scheme_choice(s, level, i)->policy);
  weir_param_leaves(&weir_chip_table, r->chip, add_path, &all);
  weir_param_leaves(&weir_program_table, &s->program, add_path, &all);
  const char *dot = strrchr(key, '.'), *now = weir_policy_old_knob(dot ? dot + 1 : key);
  const char *nearest = weir_nearest(key, all.names, all.count);
  if (now)
    weir_fail(r->sink, r->where, "'%s' is no knob any more: %s", key, now);
  else if (nearest)
    weir_fail(r->sink, r->where, "'%s' is neither a knob of its policies nor a value of the chip; did you mean '%s'?",
              key, nearest);
  else
    weir_fail(r->sink, r->where, "'%s' is neither a knob of its policies nor a value of the chip", key);
  for (unsigned i = 0; i < all.count; i++) weir_free((char *)all.names[i]);
  return false;
}

static bool give_values(struct request *r, struct weir_scheme *s, const char *knob, weir_places places,
                        const struct weir_values *v) {
  char message[400];
  for (unsigned level = 0; level < s->levels_count; level++)
    for (unsigned i = 0; i <= s->levels[level].companion_count; i++)
      if (places & weir_scheme_place(level, i) && weir_scheme_give(s, level, i, knob, v, message, sizeof message))
        return weir_fail(r->sink, r->where, "%s", message);
  return true;
}

static bool give_knob(struct request *r, struct weir_scheme *s, const struct override *o, const char *knob,
                      const struct meaning *m) {
  char message[200];
  struct weir_scheme_sweep w = {.override = o->index, .given = m->places};
  bool ok = !weir_values_read(&w.values, o->value, message, sizeof message) ||
    weir_fail(r->sink, r->where, "%s: %s", o->key, message);
  ok = ok && give_values(r, s, knob, m->places, &w.values);
  if (!ok || !w.values.open) {
    weir_values_free(&w.values);
    return ok;
  }
  w.knob = weir_policy_knob(m->policy, knob);
  w.sweep.key = weir_text_copy(o->key);
  weir_scheme_keep_sweep(s, &w);
  return true;
}

static bool assign_knob(struct request *r, struct weir_scheme *s, const struct override *o) {
  struct target t = target_of(r, o->key);
  struct meaning m = meaning_of(s, &t);
  bool ok = !m.policy ? fail_unknown(r, s, o->key)
    : m.other ? weir_fail(r->sink, r->where, "'%s' may mean %s.%s or %s.%s; say which", o->key, m.policy->name, t.knob,
                          m.other->name, t.knob)
              : give_knob(r, s, o, t.knob, &m);
  weir_free(t.copy);
  return ok;
}

// ---- keys for what a file leaves open --------------------------------------------------------------------------------

// Takes the key if it means just the sweep's knobs.
static bool try_key(struct request *r, struct weir_scheme *s, struct weir_scheme_sweep *w, char *key) {
  struct target t = target_of(r, key);
  struct meaning m = meaning_of(s, &t);
  bool fits = !m.other && m.places == w->given && !weir_chip_has(r->chip, key);
  weir_free(t.copy);
  if (fits)
    w->sweep.key = key;
  else
    weir_free(key);
  return fits;
}

static bool name_sweep(struct request *r, struct weir_scheme *s, struct weir_scheme_sweep *w) {
  const char *policy = NULL;
  for (unsigned level = 0; level < s->levels_count; level++)
    for (unsigned i = 0; i <= s->levels[level].companion_count; i++)
      if (w->given & weir_scheme_place(level, i)) policy = weir_scheme_choice(s, level, i)->policy->name;
  return try_key(r, s, w, weir_text_copy(w->name)) || try_key(r, s, w, weir_text_format("%s.%s", policy, w->name)) ||
    try_key(r, s, w, weir_text_format("%s.%s", w->cache, w->name)) ||
    try_key(r, s, w, weir_text_format("%s.%s.%s", w->cache, policy, w->name)) ||
    weir_fail(r->sink, w->where,
              "knob '%s' is left open for one '%s' of these caches and not for another; no key says so", w->name,
              policy);
}

static bool name_sweeps(struct request *r, struct weir_scheme *s) {
  bool ok = true;
  for (unsigned k = 0; k < s->sweeps_count; k++)
    if (!s->sweeps[k].sweep.key) ok &= name_sweep(r, s, &s->sweeps[k]);
  return ok;
}

// ---- a scheme's levels -----------------------------------------------------------------------------------------------

// A value of the chip or of the program, not a policy's knob.
static bool is_path(const struct request *r, const char *key) {
  return weir_chip_has(r->chip, key) || weir_scheme_is_program(key);
}

static bool path_overrides(struct request *r, struct weir_scheme *s) {
  bool ok = true;
  for (unsigned i = 0; i < r->count; i++)
    if (is_path(r, r->overrides[i].key))
      ok &= weir_scheme_give_path(s, r->chip, r->overrides[i].text, (int)i, r->where, r->sink);
  return ok;
}

// The chip's own replace policy of a level.
static bool own_replace(struct request *r, unsigned level, struct weir_scheme *s) {
  const struct weir_cache_config *c = &r->chip->caches[level];
  const struct weir_policy *policy = weir_policy_find(WEIR_POLICY_REPLACE, c->replace);
  if (!policy) {
    const char *nearest = weir_scheme_nearest_policy(WEIR_POLICY_REPLACE, c->replace);
    return weir_fail(r->sink, r->where, "%s.replace names no replacement policy: '%s'%s%s%s", c->name, c->replace,
                     nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
  }
  return weir_scheme_add(&s->levels[level], policy);
}

static bool start_levels(struct request *r, struct weir_scheme *s) {
  bool ok = true;
  s->levels_count = r->chip->caches_count;
  for (unsigned level = 0; level < s->levels_count; level++) ok &= own_replace(r, level, s);
  return ok;
}

// "l1.replace=fifo" behind a scheme's name is said after the scheme, and so wins over it; a policy that is there already
// keeps its knobs.
static bool restore_replace(struct request *r, struct weir_scheme *s) {
  bool ok = true;
  for (unsigned i = 0; i < r->count; i++)
    for (unsigned level = 0; level < s->levels_count; level++) {
      char path[64];
      snprintf(path, sizeof path, "%s.replace", r->chip->caches[level].name);
      if (!strcmp(path, r->overrides[i].key) &&
          strcmp(r->chip->caches[level].replace, s->levels[level].replace.policy->name))
        ok &= own_replace(r, level, s);
    }
  return ok;
}

// "l1.bypass=pcbp". Some policies have a knob called `bypass`: what such a knob takes ("l1.bypass=off") is for it.
static bool says_bypass(const struct request *r, struct weir_scheme *s, const struct override *o) {
  const char *dot = strchr(o->key, '.');
  if (!dot || strcmp(dot, ".bypass")) return false;
  struct target t = target_of(r, o->key);
  const struct meaning m = meaning_of(s, &t);
  struct weir_policy_choice trial;
  struct weir_values v;
  char message[400];
  const bool read = !weir_values_read(&v, o->value, message, sizeof message);
  bool knob = m.policy && t.policy;
  if (m.policy && !knob && read) {
    weir_policy_defaults(&trial, m.policy);
    knob = !weir_policy_set(&trial, t.knob, v.text[0], message, sizeof message);
  }
  weir_values_free(&v);
  weir_free(t.copy);
  return !knob;
}

// Before the knobs: "threshold=5,l1.bypass=pcbp" is pcbp's.
static bool bypass_overrides(struct request *r, struct weir_scheme *s) {
  bool ok = true;
  for (unsigned i = 0; i < r->count; i++) {
    struct override *o = &r->overrides[i];
    o->of_bypass = says_bypass(r, s, o);
    if (o->of_bypass) ok &= weir_scheme_give_bypass(s, r->chip, o->key, o->value, o->index, r->where, r->sink);
  }
  return ok;
}

static bool knob_overrides(struct request *r, struct weir_scheme *s) {
  bool ok = true;
  for (unsigned i = 0; i < r->count; i++)
    if (!is_path(r, r->overrides[i].key) && !r->overrides[i].of_bypass) ok &= assign_knob(r, s, &r->overrides[i]);
  return ok;
}

static bool resolve(struct request *r, struct weir_scheme *s) {
  struct weir_scheme_file f;
  bool ok = weir_scheme_open(&f, r->name, s, r->sink);
  ok = ok && weir_scheme_apply_set(&f, r->chip, s) && weir_scheme_apply_program(&f, r->chip, s);
  ok = ok && path_overrides(r, s) && start_levels(r, s);
  ok = ok && weir_scheme_apply_policies(&f, r->chip, s) && restore_replace(r, s) && bypass_overrides(r, s) &&
    knob_overrides(r, s);
  ok = ok && weir_scheme_settle_sweeps(s, r->chip, r->where, r->sink) && name_sweeps(r, s);
  weir_scheme_close(&f);
  return ok;
}

struct weir_scheme *weir_scheme_read(const char *spec, struct weir_chip_config *chip, struct weir_sink *sink) {
  const struct weir_program_options plain = weir_program_defaults();
  return weir_scheme_read_over(spec, chip, &plain, sink);
}

struct weir_scheme *weir_scheme_read_over(const char *spec, struct weir_chip_config *chip,
                                          const struct weir_program_options *program, struct weir_sink *sink) {
  struct weir_scheme *s = weir_new(struct weir_scheme);
  s->spec = weir_text_copy(spec);
  s->program = *program;
  struct request r = {.chip = chip, .sink = sink};
  bool ok = split_spec(&r, spec) && resolve(&r, s);
  free_request(&r);
  if (ok) return s;
  weir_scheme_free(s);
  return NULL;
}

void weir_scheme_free(struct weir_scheme *s) {
  if (!s) return;
  weir_scheme_free_sweeps(s);
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

const struct weir_program_options *weir_scheme_program(const struct weir_scheme *s) {
  return &s->program;
}

const struct weir_level_policies *weir_scheme_level(const struct weir_scheme *s, unsigned level) {
  return &s->levels[level];
}
