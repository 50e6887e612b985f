// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a scheme says of the program: S-L1 and its options, and how many threads to launch with.
#include "base/alloc.h"
#include "scheme/file.h"

#include <stdlib.h>
#include <string.h>

static const char sl1_prefix[] = "sl1.", launch_prefix[] = "launch.";

enum { MOST_BLOCKS = 1 << 16, MOST_THREADS = 1024 };

static const char *behind(const char *key, const char *prefix) {
  size_t length = strlen(prefix);
  return strncmp(key, prefix, length) ? NULL : key + length;
}

bool weir_scheme_is_program(const char *key) {
  return !strcmp(key, "sl1") || behind(key, sl1_prefix) || behind(key, launch_prefix);
}

static bool set_switch(struct weir_scheme *s, const char *value, const char *where, struct weir_sink *sink) {
  s->program.sl1 = !strcmp(value, "on");
  return s->program.sl1 || !strcmp(value, "off") ||
    weir_fail_plain(sink, "%s: sl1 is on or off, not '%s'", where, value);
}

static bool set_option(struct weir_scheme *s, const char *key, const char *value, const char *where,
                       struct weir_sink *sink) {
  char *assignment = weir_text_format("%s=%s", key, value);
  bool ok = weir_sl1_set(&s->program.sl1_options, assignment, where, sink);
  weir_free(assignment);
  s->program.sl1 = true;
  return ok;
}

static bool set_launch(struct weir_scheme *s, const char *key, const char *value, const char *where,
                       struct weir_sink *sink) {
  bool blocks = !strcmp(key, "blocks");
  if (!blocks && strcmp(key, "threads"))
    return weir_fail_plain(sink, "%s: '%s%s' is neither launch.blocks nor launch.threads", where, launch_prefix, key);
  unsigned long most = blocks ? MOST_BLOCKS : MOST_THREADS, n = strtoul(value, NULL, 10);
  if (!*value || value[strspn(value, "0123456789")] || strlen(value) > 9 || !n || n > most)
    return weir_fail_plain(sink, "%s: launch.%s is a whole number from 1 to %lu, not '%s'", where, key, most, value);
  *(blocks ? &s->program.threads.blocks : &s->program.threads.block) = (uint32_t)n;
  return true;
}

bool weir_scheme_set_program(struct weir_scheme *s, const char *key, const char *value, const char *where,
                             struct weir_sink *sink) {
  const char *option = behind(key, sl1_prefix), *launch = behind(key, launch_prefix);
  return option ? set_option(s, option, value, where, sink)
    : launch    ? set_launch(s, launch, value, where, sink)
                : set_switch(s, value, where, sink);
}

const char *const weir_scheme_program_keys[] = {"sl1", "launch.blocks", "launch.threads", NULL};

// ---- a file's section `program` ----------------------------------------------------------------------------------------

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
