// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A scheme file's section `program`.
#include "base/alloc.h"
#include "scheme/file.h"

#include <string.h>

static bool give(struct weir_scheme_file *f, yaml_node_t *node, const char *key, const char *value,
                 struct weir_chip_config *chip, struct weir_scheme *s) {
  char *assignment = weir_text_format("%s=%s", key, value);
  char *where = weir_text_format("%s:%u", f->path, weir_yaml_place(&f->yaml, node).line);
  bool ok = weir_scheme_give_path(s, chip, assignment, WEIR_OF_FILE, where, f->yaml.sink);
  weir_free(where);
  weir_free(assignment);
  return ok;
}

static bool give_member(struct weir_scheme_file *f, const char *section, yaml_node_pair_t *p,
                        struct weir_chip_config *chip, struct weir_scheme *s) {
  yaml_node_t *name = weir_yaml_node(&f->yaml, p->key), *node = weir_yaml_node(&f->yaml, p->value);
  const char *key = weir_yaml_text(&f->yaml, name, "a key"), *value = weir_yaml_text(&f->yaml, node, "a value");
  if (!key || !value) return false;
  char *path = weir_text_format("%s.%s", section, key);
  bool ok = give(f, node, path, value, chip, s);
  weir_free(path);
  return ok;
}

// `sl1: on`, or a mapping of options, which may be empty.
static bool give_section(struct weir_scheme_file *f, const char *section, yaml_node_t *node,
                         struct weir_chip_config *chip, struct weir_scheme *s) {
  if (!node) return true;
  bool sl1 = !strcmp(section, "sl1");
  if (sl1 && node->type == YAML_SCALAR_NODE) {
    const char *text = weir_yaml_text(&f->yaml, node, section);
    return text && give(f, node, section, text, chip, s);
  }
  if (node->type != YAML_MAPPING_NODE)
    return weir_fail(f->yaml.sink, weir_yaml_place(&f->yaml, node), "%s must be a mapping of keys to values%s", section,
                     sl1 ? ", or on or off" : "");
  bool ok = !sl1 || give(f, node, section, "on", chip, s);
  for (yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top; p++)
    ok &= give_member(f, section, p, chip, s);
  return ok;
}

bool weir_scheme_apply_program(struct weir_scheme_file *f, struct weir_chip_config *chip, struct weir_scheme *s) {
  enum { SL1, LAUNCH, KEYS };
  static const struct weir_yaml_key keys[KEYS] = {{"sl1", false}, {"launch", false}};
  yaml_node_t *values[KEYS];
  if (!f->program) return true;
  if (!weir_yaml_map(&f->yaml, f->program, "program", keys, KEYS, values)) return false;
  bool ok = give_section(f, "sl1", values[SL1], chip, s);
  return give_section(f, "launch", values[LAUNCH], chip, s) && ok;
}
