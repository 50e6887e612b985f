// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A scheme while it is read: its file, then its policies per level. Invariant: a level of the scheme always has its
// replace policy, the chip's own unless something else was said.
#ifndef WEIR_CHIP_SCHEME_FILE_H
#define WEIR_CHIP_SCHEME_FILE_H

#include "chip/scheme.h"
#include "host/yaml.h"

struct weir_scheme {
  char *name, *spec, *summary, *citation;
  struct weir_level_policies levels[WEIR_MAX_LEVELS];
  unsigned levels_count;
};

struct weir_scheme_file {
  char *path, *text;
  struct weir_yaml yaml;
  bool loaded;
  yaml_node_t *policies, *set; // set: NULL if there is none
};

// Opens the file of the scheme called `name` (or at that path) and reads who it is into `s`.
bool weir_scheme_open(struct weir_scheme_file *f, const char *name, struct weir_scheme *s, struct weir_sink *sink);
void weir_scheme_close(struct weir_scheme_file *f);

// Its overrides of the chip's values.
bool weir_scheme_apply_set(struct weir_scheme_file *f, struct weir_chip_config *chip);

// Its policies, over what the levels have.
bool weir_scheme_apply_policies(struct weir_scheme_file *f, const struct weir_chip_config *chip,
                                struct weir_scheme *s);

// The knob of that name of a policy, or NULL.
const struct weir_knob *weir_scheme_knob(const struct weir_policy *policy, const char *name);

// The levels that a cache's name, or "first", "shared" or "all", stands for: bit per level; 0: none.
unsigned weir_scheme_levels(const struct weir_chip_config *chip, const char *cache);

// Gives a level one more policy of the kind. False if it takes no more.
bool weir_scheme_add(struct weir_level_policies *level, const struct weir_policy *policy);

#endif
