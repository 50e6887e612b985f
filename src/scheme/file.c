// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Scheme files: a name, a summary, a citation, policies per cache, and overrides of the chip.
#include "scheme/file.h"

#include "base/alloc.h"
#include "base/param_rows.h"
#include "base/param_yaml.h"
#include "base/file.h"
#include "base/bundled.h"

#include <stdio.h>
#include <string.h>

enum { MAX_FILE_BYTES = 1 << 20, MAX_NAMES = 256 };

#define FILE_OF weir_scheme_file
static const struct weir_param file_rows[] = {
  TEXT(FILE_OF, name, "the scheme's name"),
  TEXT(FILE_OF, summary, "the scheme in one line"),
  TEXT(FILE_OF, citation, "where it is described"),
  CUSTOM(FILE_OF, policies, weir_param_keep),
  CUSTOM(FILE_OF, set, weir_param_keep, .optional = true),
  CUSTOM(FILE_OF, program, weir_param_keep, .optional = true),
};
static const struct weir_param_table file_table = TABLE_OF("a scheme", FILE_OF, file_rows);

static bool read_head(struct weir_scheme_file *f, struct weir_scheme *s) {
  const bool ok = weir_param_read(&(struct weir_param_reader){.yaml = &f->yaml},
                                  yaml_document_get_root_node(&f->yaml.document), &file_table, f, false);
  s->name = f->name;
  s->summary = f->summary;
  s->citation = f->citation;
  return ok;
}

bool weir_scheme_open(struct weir_scheme_file *f, const char *name, struct weir_scheme *s, struct weir_sink *sink) {
  *f = (struct weir_scheme_file){0};
  f->path = weir_bundled_path("schemes", "scheme", name, sink);
  size_t size;
  if (f->path) f->text = weir_file_read(f->path, MAX_FILE_BYTES, &size, sink);
  f->loaded = f->text && weir_yaml_load(&f->yaml, f->path, f->text, size, sink);
  return f->loaded && read_head(f, s);
}

void weir_scheme_close(struct weir_scheme_file *f) {
  if (f->loaded) weir_yaml_free(&f->yaml);
  weir_free(f->text);
  weir_free(f->path);
}

// The nodes of a list; NULL and a diagnostic if it is none.
static const yaml_node_item_t *list_of(struct weir_scheme_file *f, yaml_node_t *node, const char *what, size_t *count) {
  *count = 0;
  if (node->type != YAML_SEQUENCE_NODE) {
    weir_fail(f->yaml.sink, weir_yaml_place(&f->yaml, node), "%s must be a list", what);
    return NULL;
  }
  *count = (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
  return node->data.sequence.items.start;
}

bool weir_scheme_apply_set(struct weir_scheme_file *f, struct weir_chip_config *chip, struct weir_scheme *s) {
  if (!f->set) return true;
  size_t count, errors = f->yaml.sink->errors;
  const yaml_node_item_t *items = list_of(f, f->set, "set", &count);
  for (size_t i = 0; i < count; i++) {
    yaml_node_t *node = weir_yaml_node(&f->yaml, items[i]);
    const char *assignment = weir_yaml_text(&f->yaml, node, "an override");
    const struct weir_place where = weir_yaml_place(&f->yaml, node);
    if (assignment) weir_scheme_give_path(s, chip, assignment, WEIR_OF_FILE, where, f->yaml.sink);
  }
  return f->yaml.sink->errors == errors;
}

// ---- policies --------------------------------------------------------------------------------------------------------

unsigned weir_scheme_levels(const struct weir_chip_config *chip, const char *cache) {
  if (!strcmp(cache, "all")) return (1u << chip->caches_count) - 1;
  if (!strcmp(cache, "first")) return 1;
  if (!strcmp(cache, "shared")) return chip->caches_count > 1 ? 2 : 0;
  for (uint32_t i = 0; i < chip->caches_count; i++)
    if (!strcmp(chip->caches[i].name, cache)) return 1u << i;
  return 0;
}

bool weir_scheme_add(struct weir_level_policies *level, const struct weir_policy *policy) {
  if (policy->kind == WEIR_POLICY_REPLACE) {
    weir_policy_defaults(&level->replace, policy);
    return true;
  }
  if (level->companion_count == WEIR_MAX_COMPANIONS) return false;
  weir_policy_defaults(&level->companions[level->companion_count++], policy);
  return true;
}

const char *weir_scheme_nearest_policy(enum weir_policy_kind kind, const char *name) {
  unsigned count, names_count = 0;
  const struct weir_policy *const *all = weir_policies(&count);
  const char *names[MAX_NAMES];
  for (unsigned i = 0; i < count && i < MAX_NAMES; i++)
    if (all[i]->kind == kind) names[names_count++] = all[i]->name;
  return weir_nearest(name, names, names_count);
}

static const struct weir_policy *fail_policy(struct weir_scheme_file *f, enum weir_policy_kind kind, yaml_node_t *node,
                                             const char *name) {
  const char *what = kind == WEIR_POLICY_REPLACE ? "replacement" : weir_policy_kind_name(kind);
  const char *nearest = weir_scheme_nearest_policy(kind, name);
  weir_fail(f->yaml.sink, weir_yaml_place(&f->yaml, node), "there is no %s policy '%s'%s%s%s", what, name,
            nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
  return NULL;
}

static const struct weir_policy *find_policy(struct weir_scheme_file *f, enum weir_policy_kind kind,
                                             yaml_node_t *node) {
  const char *name = weir_yaml_text(&f->yaml, node, "a policy");
  if (!name) return NULL;
  const struct weir_policy *policy = weir_policy_find(kind, name);
  return policy ? policy : fail_policy(f, kind, node, name);
}

struct entry {       // of the list of policies
  const char *cache; // its word for the levels
  unsigned levels;
  const struct weir_policy *policies[1 + WEIR_MAX_COMPANIONS];
  unsigned count;
};

static bool read_cache(struct weir_scheme_file *f, const struct weir_chip_config *chip, yaml_node_t *node,
                       struct entry *e) {
  e->cache = weir_yaml_text(&f->yaml, node, "cache");
  if (!e->cache) return false;
  e->levels = weir_scheme_levels(chip, e->cache);
  return e->levels ||
    weir_fail(f->yaml.sink, weir_yaml_place(&f->yaml, node), "chip '%s' has no cache '%s'", chip->name, e->cache);
}

static bool fail_too_many(struct weir_scheme_file *f, yaml_node_t *node) {
  return weir_fail(f->yaml.sink, weir_yaml_place(&f->yaml, node),
                   "a cache takes at most %d bypass and throttle policies", WEIR_MAX_COMPANIONS);
}

// The entry's list of bypass, or throttle, policies.
static bool read_companions(struct weir_scheme_file *f, yaml_node_t *node, enum weir_policy_kind kind,
                            struct entry *e) {
  size_t count;
  const yaml_node_item_t *items = list_of(f, node, weir_policy_kind_name(kind), &count);
  if (!items) return false;
  for (size_t i = 0; i < count; i++) {
    if (e->count > WEIR_MAX_COMPANIONS) return fail_too_many(f, node);
    const struct weir_policy *policy = find_policy(f, kind, weir_yaml_node(&f->yaml, items[i]));
    if (!policy) return false;
    e->policies[e->count++] = policy;
  }
  return true;
}

static bool give_policies(struct weir_scheme_file *f, yaml_node_t *node, const struct entry *e, struct weir_scheme *s) {
  for (unsigned level = 0; level < s->levels_count; level++)
    for (unsigned i = 0; i < e->count && e->levels >> level & 1; i++) {
      if (!weir_scheme_add(&s->levels[level], e->policies[i])) return fail_too_many(f, node);
      if (e->policies[i]->kind == WEIR_POLICY_REPLACE) weir_scheme_close_replace(s, level);
    }
  return true;
}

// Gives the values to the knob of the entry's policies at its levels; the last policy of a name is the one just added.
// The sweep learns whose knob it is.
static bool give_values(struct weir_scheme_file *f, yaml_node_t *value, const struct entry *e, struct weir_scheme *s,
                        struct weir_scheme_sweep *w) {
  char message[400];
  for (unsigned level = 0; level < s->levels_count; level++)
    for (unsigned i = 0; i <= s->levels[level].companion_count && e->levels >> level & 1; i++) {
      const struct weir_knob *knob = weir_policy_knob(weir_scheme_choice(s, level, i)->policy, w->name);
      if (!knob) continue;
      if (w->values.open && w->knob && w->knob != knob)
        return weir_fail(f->yaml.sink, weir_yaml_place(&f->yaml, value),
                         "several policies of this cache have a knob '%s'; it cannot be left open for all", w->name);
      w->knob = knob;
      w->given |= weir_scheme_place(level, i);
      if (weir_scheme_give(s, level, i, w->name, &w->values, message, sizeof message))
        return weir_fail(f->yaml.sink, weir_yaml_place(&f->yaml, value), "%s", message);
    }
  return true;
}

static void free_sweep(struct weir_scheme_sweep *w) {
  weir_values_free(&w->values);
  weir_free(w->cache);
  weir_free(w->name);
}

struct giving {
  struct weir_scheme_file *file;
  const struct entry *entry;
  struct weir_scheme *scheme;
};

static bool fail_knob(const struct giving *g, const yaml_node_t *key, const char *name) {
  const char *names[WEIR_MAX_LEVELS * (1 + WEIR_MAX_COMPANIONS) * WEIR_MAX_KNOBS];
  unsigned count = 0;
  for (unsigned level = 0; level < g->scheme->levels_count; level++)
    for (unsigned i = 0; i <= g->scheme->levels[level].companion_count && g->entry->levels >> level & 1; i++)
      for (const struct weir_knob *k = weir_scheme_choice(g->scheme, level, i)->policy->knobs; k && k->name; k++)
        names[count++] = k->name;
  const char *nearest = weir_nearest(name, names, count), *now = weir_policy_old_knob(name);
  const struct weir_place where = weir_yaml_place(&g->file->yaml, key);
  if (now) return weir_fail(g->file->yaml.sink, where, "none of its policies has a knob '%s' any more: %s", name, now);
  return weir_fail(g->file->yaml.sink, where, "none of its policies has a knob '%s'%s%s%s", name,
                   nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

static bool give_knob(void *context, const char *name, yaml_node_t *key, yaml_node_t *value) {
  const struct giving *g = context;
  struct weir_scheme_file *f = g->file;
  const struct entry *e = g->entry;
  struct weir_scheme *s = g->scheme;
  const char *text = weir_yaml_text(&f->yaml, value, name);
  if (!text) return false;
  char message[200];
  struct weir_scheme_sweep w = {
    .override = WEIR_OF_FILE, .name = weir_text_copy(name), .cache = weir_text_copy(e->cache)};
  w.where = weir_yaml_place(&f->yaml, value);
  bool ok = !weir_values_read(&w.values, text, message, sizeof message) ||
    weir_fail(f->yaml.sink, weir_yaml_place(&f->yaml, value), "knob '%s': %s", name, message);
  ok = ok && give_values(f, value, e, s, &w);
  if (ok && !w.given) ok = fail_knob(g, key, name);
  if (ok && w.values.open)
    weir_scheme_keep_sweep(s, &w);
  else
    free_sweep(&w);
  return ok;
}

struct entry_nodes {
  yaml_node_t *cache, *replace, *bypass, *throttle, *knobs;
};
static const struct weir_param entry_rows[] = {
  CUSTOM(entry_nodes, cache, weir_param_keep),
  CUSTOM(entry_nodes, replace, weir_param_keep, .optional = true),
  CUSTOM(entry_nodes, bypass, weir_param_keep, .optional = true),
  CUSTOM(entry_nodes, throttle, weir_param_keep, .optional = true),
  CUSTOM(entry_nodes, knobs, weir_param_keep, .optional = true),
};
static const struct weir_param_table entry_table = TABLE_OF("a cache's policies", entry_nodes, entry_rows);

static bool apply_entry(struct weir_scheme_file *f, const struct weir_chip_config *chip, yaml_node_t *node,
                        struct weir_scheme *s) {
  struct entry_nodes in = {0};
  struct entry e = {0};
  if (!weir_param_read(&(struct weir_param_reader){.yaml = &f->yaml}, node, &entry_table, &in, false)) return false;
  if (!read_cache(f, chip, in.cache, &e)) return false;
  if (in.replace) {
    e.policies[e.count] = find_policy(f, WEIR_POLICY_REPLACE, in.replace);
    if (!e.policies[e.count++]) return false;
  }
  if (in.bypass && !read_companions(f, in.bypass, WEIR_POLICY_BYPASS, &e)) return false;
  if (in.throttle && e.levels != 1)
    return weir_fail(f->yaml.sink, weir_yaml_place(&f->yaml, in.throttle),
                     "a throttle sits between a core and its first-level cache: it belongs to the cache 'first'");
  if (in.throttle && !read_companions(f, in.throttle, WEIR_POLICY_THROTTLE, &e)) return false;
  return give_policies(f, node, &e, s) &&
    (!in.knobs || weir_yaml_each(&f->yaml, in.knobs, "knobs", give_knob, &(struct giving){f, &e, s}));
}

bool weir_scheme_apply_policies(struct weir_scheme_file *f, const struct weir_chip_config *chip,
                                struct weir_scheme *s) {
  size_t count;
  const yaml_node_item_t *items = list_of(f, f->policies, "policies", &count);
  bool ok = items || f->policies->type == YAML_SEQUENCE_NODE;
  for (size_t i = 0; i < count; i++) ok &= apply_entry(f, chip, weir_yaml_node(&f->yaml, items[i]), s);
  return ok;
}
