// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A scheme file's section `program`.
#include "base/alloc.h"
#include "base/param_rows.h"
#include "base/param_yaml.h"
#include "scheme/file.h"

struct sections {
  yaml_node_t *sl1, *launch;
};
static const struct weir_param rows[] = {
  CUSTOM(sections, sl1, weir_param_keep, .optional = true),
  CUSTOM(sections, launch, weir_param_keep, .optional = true),
};
static const struct weir_param_table table = TABLE_OF("program", sections, rows);

struct giving {
  struct weir_scheme_file *file;
  struct weir_chip_config *chip;
  struct weir_scheme *scheme;
  const char *section;
};

static bool give(struct giving *g, const char *path, const char *value, const yaml_node_t *node) {
  struct weir_yaml *y = &g->file->yaml;
  char *assignment = weir_text_format("%s=%s", path, value);
  const bool ok =
    weir_scheme_give_path(g->scheme, g->chip, assignment, WEIR_OF_FILE, weir_yaml_place(y, node), y->sink);
  weir_free(assignment);
  return ok;
}

static bool give_member(void *context, const char *name, yaml_node_t *key, yaml_node_t *node) {
  struct giving *g = context;
  struct weir_leaf known;
  const char *value = weir_yaml_text(&g->file->yaml, node, name);
  if (!value) return false;
  char *path = weir_text_format("%s.%s", g->section, name);
  const bool ok =
    give(g, path, value, weir_param_find(&weir_program_table, &g->scheme->program, path, &known) ? node : key);
  weir_free(path);
  return ok;
}

// `sl1: true`, or a mapping of options, which may be empty.
static bool give_sl1(struct giving *g, yaml_node_t *node) {
  if (node->type == YAML_SCALAR_NODE) return give(g, "sl1", (const char *)node->data.scalar.value, node);
  return give(g, "sl1", "true", node) &&
    weir_yaml_each(&g->file->yaml, node, "sl1 (unless true or false)", give_member, g);
}

bool weir_scheme_apply_program(struct weir_scheme_file *f, struct weir_chip_config *chip, struct weir_scheme *s) {
  struct sections in = {0};
  if (!f->program) return true;
  if (!weir_param_read(&(struct weir_param_reader){.yaml = &f->yaml}, f->program, &table, &in, false)) return false;
  struct giving sl1 = {f, chip, s, "sl1"}, launch = {f, chip, s, "launch"};
  const bool ok = !in.sl1 || give_sl1(&sl1, in.sl1);
  return (!in.launch || weir_yaml_each(&f->yaml, in.launch, "launch", give_member, &launch)) && ok;
}
