// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Overrides of single values, by path.
#include "base/alloc.h"
#include "base/file.h"
#include "config/chip_file.h"
#include "config/keys.h"
#include "config/set.h"

#include <stdio.h>
#include <string.h>

enum { MAX_PATHS = 1024 };

struct search {
  const char *path;
  struct weir_leaf leaf; // found; .key is NULL: none
  const char *paths[MAX_PATHS];
  unsigned paths_count;
};

static bool settable(const struct weir_leaf *leaf) {
  return leaf->key->type != WEIR_KEY_NAME;
}

static bool match(void *context, const struct weir_leaf *leaf) {
  struct search *s = context;
  if (strcmp(leaf->path, s->path) || !settable(leaf)) return true;
  s->leaf = *leaf;
  return false;
}

static bool collect(void *context, const struct weir_leaf *leaf) {
  struct search *s = context;
  if (settable(leaf) && s->paths_count < MAX_PATHS) s->paths[s->paths_count++] = weir_text_copy(leaf->path);
  return true;
}

static bool fail_unknown(struct weir_chip_config *c, struct search *s, const char *where, struct weir_sink *sink) {
  weir_chip_leaves(c, collect, s);
  const char *nearest = weir_nearest(s->path, s->paths, s->paths_count);
  if (nearest)
    weir_fail_plain(sink, "%s: chip '%s' has no '%s'; did you mean '%s'?", where, c->name, s->path, nearest);
  else
    weir_fail_plain(sink, "%s: chip '%s' has no '%s'; `weir list chips %s` shows what it has", where, c->name, s->path,
                    c->name);
  for (unsigned i = 0; i < s->paths_count; i++) weir_free((char *)s->paths[i]);
  return false;
}

bool weir_chip_has(const struct weir_chip_config *c, const char *path) {
  struct search s = {.path = path};
  weir_chip_leaves((struct weir_chip_config *)c, match, &s);
  return s.leaf.key;
}

void weir_chip_own_latency(struct weir_chip_config *c, const void *at) {
  for (unsigned i = 0; i < WEIR_CLASS_FENCE; i++) {
    struct weir_latency_config *l = &c->core.latency[i];
    if (at == &l->latency_cycles || at == &l->interval_cycles || at == &l->unit) l->own = true;
  }
}

void weir_chip_fill_latencies(struct weir_chip_config *c) {
  for (unsigned i = 0; i < WEIR_CLASS_FENCE; i++)
    if (!c->core.latency[i].own) {
      c->core.latency[i] = c->core.latency[WEIR_CLASS_DEFAULT];
      c->core.latency[i].own = false;
    }
}

static bool set(struct weir_chip_config *c, const char *path, const char *text, const char *where,
                struct weir_sink *sink) {
  struct search s = {.path = path};
  weir_chip_leaves(c, match, &s);
  if (!s.leaf.key) return fail_unknown(c, &s, where, sink);
  char expected[200];
  if (weir_key_parse(s.leaf.key, text, s.leaf.at, expected, sizeof expected))
    return weir_fail_plain(sink, "%s: %s must be %s, not '%s'", where, path, expected, text);
  c->origins[s.leaf.index] = (struct weir_origin){0};
  weir_chip_own_latency(c, s.leaf.at);
  weir_chip_fill_latencies(c);
  return true;
}

bool weir_chip_set(struct weir_chip_config *c, const char *assignment, const char *where, struct weir_sink *sink) {
  const char *equals = strchr(assignment, '=');
  if (!equals || equals == assignment)
    return weir_fail_plain(sink, "%s: '%s' is not of the form path=value, such as l1.size_kib=32", where, assignment);
  char *path = weir_text_copy(assignment);
  path[equals - assignment] = '\0';
  bool ok = set(c, path, equals + 1, where, sink);
  weir_free(path);
  return ok;
}

// The comment behind a value tells where it comes from. NULL: there is none.
static char *source_of(const char *text, uint32_t line) {
  while (--line)
    if (!(text = strchr(text, '\n')))
      return NULL; // the file is not what it was
    else
      text++;
  const size_t length = strcspn(text, "\n");
  const char *hash = NULL;
  for (const char *at = text; !hash && (at = memchr(at, '#', length - (size_t)(at - text))); at++)
    if (at > text && (at[-1] == ' ' || at[-1] == '\t')) hash = at + 1;
  if (!hash) return NULL;
  hash += strspn(hash, " ");
  return weir_text_format("%.*s", (int)(text + length - hash), hash);
}

struct listing {
  const struct weir_chip_config *chip;
  char **texts; // of its files, as they are now; NULL: one cannot be read
  void (*each)(void *context, const struct weir_chip_setting *s);
  void *context;
};

static bool list(void *context, const struct weir_leaf *leaf) {
  struct listing *l = context;
  char value[200], type[200];
  weir_key_show(leaf->key, leaf->at, value, sizeof value);
  weir_key_describe(leaf->key, type, sizeof type);
  const struct weir_origin *o = &l->chip->origins[leaf->index];
  const char *text = o->line ? l->texts[o->file] : NULL;
  char *source = text ? source_of(text, o->line) : NULL;
  const struct weir_chip_setting setting = {.path = leaf->path,
                                            .value = value,
                                            .type = type,
                                            .help = leaf->key->help,
                                            .file = o->line ? l->chip->files[o->file] : NULL,
                                            .line = o->line,
                                            .source = source};
  if (settable(leaf)) l->each(l->context, &setting);
  weir_free(source);
  return true;
}

void weir_chip_settings(const struct weir_chip_config *c,
                        void (*each)(void *context, const struct weir_chip_setting *s), void *context) {
  struct listing l = {c, weir_new_array(char *, c->files_count), each, context};
  struct weir_sink unheard = {0};
  size_t size;
  for (uint32_t i = 0; i < c->files_count; i++) l.texts[i] = weir_file_read(c->files[i], 0, &size, &unheard);
  weir_sink_free(&unheard);
  weir_chip_leaves((struct weir_chip_config *)c, list, &l);
  for (uint32_t i = 0; i < c->files_count; i++) weir_free(l.texts[i]);
  weir_free(l.texts);
}
