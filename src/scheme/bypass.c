// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// "l1.bypass=pcbp" behind a scheme's name: the bypass policy of one cache (or of first, shared, all), over the scheme's. It
// is said after the scheme, and so wins over its list; a policy that is in the list already keeps its knobs.
#include "base/alloc.h"
#include "scheme/file.h"

#include <stdio.h>
#include <string.h>

// Bits of a level's companions among its places.
static weir_places companions_of(unsigned level) {
  weir_places all = 0;
  for (unsigned i = 1; i <= WEIR_MAX_COMPANIONS; i++) all |= weir_scheme_place(level, i);
  return all;
}

// The place's bit leaves; those of the level's later companions move down.
static weir_places without(weir_places places, unsigned level, unsigned i) {
  weir_places later = 0;
  for (unsigned k = i + 1; k <= WEIR_MAX_COMPANIONS; k++) later |= weir_scheme_place(level, k);
  return (places & ~later & ~weir_scheme_place(level, i)) | (places & later) >> 1;
}

static void remove_companion(struct weir_scheme *s, unsigned level, unsigned i) {
  struct weir_level_policies *l = &s->levels[level];
  l->companion_count--;
  memmove(&l->companions[i - 1], &l->companions[i], (l->companion_count - (i - 1)) * sizeof *l->companions);
  for (unsigned k = 0; k < s->sweeps_count; k++) {
    if (!s->sweeps[k].knob) continue;
    s->sweeps[k].given = without(s->sweeps[k].given, level, i);
    s->sweeps[k].left = without(s->sweeps[k].left, level, i);
  }
}

// The level has this bypass policy and no other.
static bool give_level(struct weir_scheme *s, unsigned level, const struct weir_policy *policy) {
  bool has = false;
  for (unsigned i = s->levels[level].companion_count; i > 0; i--) {
    const struct weir_policy *old = weir_scheme_choice(s, level, i)->policy;
    if (old->kind != WEIR_POLICY_BYPASS) continue;
    if (old == policy && !has)
      has = true;
    else
      remove_companion(s, level, i);
  }
  return has || weir_scheme_add(&s->levels[level], policy);
}

static bool fail_policy(struct weir_place where, const char *key, const char *name, struct weir_sink *sink) {
  const char *nearest = weir_scheme_nearest_policy(WEIR_POLICY_BYPASS, name);
  return weir_fail(sink, where, "%s names no bypass policy: '%s'%s%s%s", key, name, nearest ? "; did you mean '" : "",
                   nearest ? nearest : "", nearest ? "'?" : "");
}

static unsigned levels_of(const struct weir_chip_config *chip, const char *key) {
  char *cache = weir_text_format("%.*s", (int)strcspn(key, "."), key);
  unsigned levels = weir_scheme_levels(chip, cache);
  weir_free(cache);
  return levels;
}

static bool fail_level(const struct weir_chip_config *chip, struct weir_place where, const char *key,
                       struct weir_sink *sink) {
  const char *names[WEIR_MAX_LEVELS + 3] = {"first", "shared", "all"};
  for (unsigned i = 0; i < chip->caches_count; i++) names[3 + i] = chip->caches[i].name;
  char *cache = weir_text_format("%.*s", (int)strcspn(key, "."), key);
  const char *nearest = weir_nearest(cache, names, 3 + chip->caches_count);
  weir_fail(sink, where, "%s: chip '%s' has no cache '%s'%s%s%s", key, chip->name, cache,
            nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
  weir_free(cache);
  return false;
}

static bool give_levels(struct weir_scheme *s, unsigned levels, const char *key, const char *name,
                        struct weir_place where, struct weir_sink *sink) {
  const struct weir_policy *policy = weir_policy_find(WEIR_POLICY_BYPASS, name);
  if (!policy) return fail_policy(where, key, name, sink);
  for (unsigned level = 0; level < s->levels_count; level++)
    if (levels >> level & 1 && !give_level(s, level, policy))
      return weir_fail(sink, where, "%s: a cache takes at most %d bypass and throttle policies", key,
                       WEIR_MAX_COMPANIONS);
  return true;
}

bool weir_scheme_give_bypass(struct weir_scheme *s, const struct weir_chip_config *chip, const char *key,
                             const char *value, int override, struct weir_place where, struct weir_sink *sink) {
  const unsigned levels = levels_of(chip, key);
  if (!levels) return fail_level(chip, where, key, sink);
  char message[200];
  struct weir_scheme_sweep w = {.override = override};
  for (unsigned level = 0; level < s->levels_count; level++) w.given |= levels >> level & 1 ? companions_of(level) : 0;
  bool ok =
    !weir_values_read(&w.values, value, message, sizeof message) || weir_fail(sink, where, "%s: %s", key, message);
  for (unsigned k = 0; ok && k < w.values.count; k++)
    ok = weir_policy_find(WEIR_POLICY_BYPASS, w.values.text[k]) || fail_policy(where, key, w.values.text[k], sink);
  ok = ok && give_levels(s, levels, key, w.values.text[0], where, sink);
  weir_scheme_forget_bypass(s, w.given);
  if (!ok || !w.values.open) {
    weir_values_free(&w.values);
    return ok;
  }
  w.sweep.key = weir_text_copy(key);
  weir_scheme_keep_sweep(s, &w);
  return true;
}
