// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A scheme while it is read: its file, then its policies per level. Invariant: a level of the scheme always has its
// replace policy, the chip's own unless something else was said; a value left open (scheme/values.h) holds the first of its
// list, and the scheme has one sweep of it until something later in the spec decides it.
#ifndef WEIR_SCHEME_FILE_H
#define WEIR_SCHEME_FILE_H

#include "scheme/policies.h"
#include "scheme/program.h"
#include "scheme/values.h"
#include "host/host.h"
#include "base/yaml.h"

// Where a policy is in a scheme: bit 0 is the first level's replace policy, its companions follow, then the next level's.
typedef uint32_t weir_places;
_Static_assert(WEIR_MAX_LEVELS *(1 + WEIR_MAX_COMPANIONS) <= 32, "a place is a bit");

enum { WEIR_OF_FILE = -1 };

struct weir_scheme_sweep {
  struct weir_sweep sweep;      // its key is NULL until the scheme is resolved, if a file's knob is swept
  struct weir_values values;    // that it points into
  const struct weir_knob *knob; // NULL: a value of the chip or of the program
  weir_places given, left;      // whose knob it is; without those that got another value later
  int override;                 // which one of the spec, or WEIR_OF_FILE
  struct weir_place where;      // its line, or the spec's scheme; while the scheme is read
  char *cache, *name;           // of a file's knob: its entry's word for the caches, its name
};

struct weir_scheme {
  char *name, *spec, *summary, *citation;
  struct weir_program_options program;
  struct weir_level_policies levels[WEIR_MAX_LEVELS];
  unsigned levels_count;
  struct weir_scheme_sweep *sweeps;
  unsigned sweeps_count, sweeps_capacity;
};

struct weir_scheme_file {
  char *path, *text;
  struct weir_yaml yaml;
  bool loaded;
  char *name, *summary, *citation;       // of the scheme, which takes them
  yaml_node_t *policies, *set, *program; // the latter two: NULL if there is none
};

// Opens the file of the scheme called `name` (or at that path) and reads who it is into `s`.
bool weir_scheme_open(struct weir_scheme_file *f, const char *name, struct weir_scheme *s, struct weir_sink *sink);
void weir_scheme_close(struct weir_scheme_file *f);

// Its overrides of the chip's values.
bool weir_scheme_apply_set(struct weir_scheme_file *f, struct weir_chip_config *chip, struct weir_scheme *s);

// Its section `program`: S-L1 and thread configuration (scheme/file_program.c).
bool weir_scheme_apply_program(struct weir_scheme_file *f, struct weir_chip_config *chip, struct weir_scheme *s);

// Its policies, over what the levels have.
bool weir_scheme_apply_policies(struct weir_scheme_file *f, const struct weir_chip_config *chip, struct weir_scheme *s);

// The levels that a cache's name, or "first", "shared" or "all", stands for: bit per level; 0: none.
unsigned weir_scheme_levels(const struct weir_chip_config *chip, const char *cache);

// The known policy of the kind whose name is most like this one, or NULL.
const char *weir_scheme_nearest_policy(enum weir_policy_kind kind, const char *name);

// Gives a level one more policy of the kind. False if it takes no more.
bool weir_scheme_add(struct weir_level_policies *level, const struct weir_policy *policy);

// A level's replace policy (0) and companions (1…).
struct weir_policy_choice *weir_scheme_choice(struct weir_scheme *s, unsigned level, unsigned i);
weir_places weir_scheme_place(unsigned level, unsigned i);

// Gives the knob of the policy at a place each of the values, at last the first one. NULL, or what is wrong with them.
const char *weir_scheme_give(struct weir_scheme *s, unsigned level, unsigned i, const char *knob,
                             const struct weir_values *v, char *message, size_t size);

// Does the same for a value of the chip or of the program, "path=value" in override `override`, and keeps the sweep.
bool weir_scheme_give_path(struct weir_scheme *s, struct weir_chip_config *chip, const char *assignment, int override,
                           struct weir_place where, struct weir_sink *sink);

// Gives the caches that the key names ("l1.bypass") the bypass policy of that name, or leaves it open ("best:pcbp|counter"):
// scheme/bypass.c.
bool weir_scheme_give_bypass(struct weir_scheme *s, const struct weir_chip_config *chip, const char *key,
                             const char *value, int override, struct weir_place where, struct weir_sink *sink);

// What was left open of the bypass policies at these places is decided.
void weir_scheme_forget_bypass(struct weir_scheme *s, weir_places places);

// The level has got a replacement policy anew, with its knobs as they come: what was left open of the last one is no more.
void weir_scheme_close_replace(struct weir_scheme *s, unsigned level);

// Keeps a sweep of a knob that was given; takes the values and the sweep's texts.
void weir_scheme_keep_sweep(struct weir_scheme *s, const struct weir_scheme_sweep *sweep);

// Once all is resolved: forgets sweeps that something later decided. False and a diagnostic if there are too many
// combinations.
bool weir_scheme_settle_sweeps(struct weir_scheme *s, const struct weir_chip_config *chip, struct weir_place where,
                               struct weir_sink *sink);
void weir_scheme_free_sweeps(struct weir_scheme *s);

#endif
