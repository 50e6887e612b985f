// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Values of a chip by path: overridden, and listed with where they come from.
#include "base/alloc.h"
#include "base/file.h"
#include "config/chip_file.h"
#include "config/keys.h"
#include "config/set.h"

#include <stdio.h>
#include <string.h>

bool weir_chip_has(const struct weir_chip_config *c, const char *path) {
  struct weir_leaf leaf;
  return weir_param_find(&weir_chip_table, (struct weir_chip_config *)c, path, &leaf);
}

bool weir_chip_give(struct weir_chip_config *c, const char *path, const char *value, struct weir_place where,
                    struct weir_sink *sink) {
  char what[100], hint[100], message[600];
  snprintf(what, sizeof what, "chip '%s'", c->name);
  snprintf(hint, sizeof hint, "`weir list chips %s` shows what it has", c->name);
  struct weir_param_table t = weir_chip_table;
  t.what = what;
  t.item = "";
  t.hint = hint;
  if (weir_param_assign(&t, c, path, value, message, sizeof message)) return weir_fail(sink, where, "%s", message);
  weir_origins_note(&c->origins, path, where);
  weir_param_settle(&weir_chip_table, c, &c->origins);
  return true;
}

bool weir_chip_set_at(struct weir_chip_config *c, const char *assignment, struct weir_place where,
                      struct weir_sink *sink) {
  const char *equals = strchr(assignment, '=');
  if (!equals || equals == assignment)
    return weir_fail(sink, where, "'%s' is not of the form path=value, such as l1.size_kib=32", assignment);
  char *path = weir_text_format("%.*s", (int)(equals - assignment), assignment);
  const bool ok = weir_chip_give(c, path, equals + 1, where, sink);
  weir_free(path);
  return ok;
}

bool weir_chip_set(struct weir_chip_config *c, const char *assignment, const char *option, struct weir_sink *sink) {
  return weir_chip_set_at(c, assignment, weir_option_place(option), sink);
}

// ---- lists -------------------------------------------------------------------------------------------------------------

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
  const struct weir_origins *origins;
  char **texts; // of the files among the sources, as they are now; NULL: one cannot be read
  void (*each)(void *context, const struct weir_chip_setting *s);
  void *context;
};

static const char *text_of(const struct listing *l, const char *file) {
  for (uint32_t i = 0; i < l->origins->sources_count; i++)
    if (l->origins->sources[i] == file) return l->texts[i];
  return NULL;
}

static bool list(void *context, const struct weir_leaf *leaf) {
  struct listing *l = context;
  if (leaf->param->type == WEIR_PARAM_NAME) return true;
  char value[200], type[200];
  weir_param_show(leaf->param, leaf->at, value, sizeof value);
  weir_param_describe(leaf->param, type, sizeof type);
  const struct weir_place o = weir_origins_place(l->origins, leaf->path);
  const char *text = o.file ? text_of(l, o.file) : NULL;
  char *source = text ? source_of(text, o.line) : NULL;
  l->each(l->context,
          &(struct weir_chip_setting){.path = leaf->path,
                                      .value = value,
                                      .type = type,
                                      .help = leaf->param->help,
                                      .file = o.file,
                                      .line = o.line,
                                      .source = source});
  weir_free(source);
  return true;
}

void weir_chip_settings(const struct weir_chip_config *c,
                        void (*each)(void *context, const struct weir_chip_setting *s), void *context) {
  const uint32_t count = c->origins.sources_count;
  struct listing l = {&c->origins, weir_new_array(char *, count), each, context};
  struct weir_sink unheard = {0};
  size_t size;
  for (uint32_t i = 0; i < count; i++) l.texts[i] = weir_file_read(c->origins.sources[i], 0, &size, &unheard);
  weir_sink_free(&unheard);
  weir_param_leaves(&weir_chip_table, (struct weir_chip_config *)c, list, &l);
  for (uint32_t i = 0; i < count; i++) weir_free(l.texts[i]);
  weir_free(l.texts);
}
