// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The keys of a chip file, declared once. Invariant: a section describes one struct of config.h member by member, in the
// order of that struct; reading, ranges, --set and `weir list` walk these tables and know no key by name. An element of a
// list is named by its first key, "name", which stands for the list's own key in a path: "l1.size_kib".
#ifndef WEIR_CONFIG_KEYS_H
#define WEIR_CONFIG_KEYS_H

#include "config/config.h"

#include <stddef.h>

enum weir_key_type {
  WEIR_KEY_UINT,    // uint32_t
  WEIR_KEY_REAL,    // double
  WEIR_KEY_BOOL,    // bool
  WEIR_KEY_ENUM,    // an enum of `choices`
  WEIR_KEY_TEXT,    // char *, owned
  WEIR_KEY_NAME,    // the same, but no override changes it
  WEIR_KEY_SECTION, // a struct described by `section`
  WEIR_KEY_LIST,    // a pointer to structs described by `section`, and their uint32_t count behind it
};

struct weir_section;

struct weir_key {
  const char *name;
  enum weir_key_type type;
  size_t offset;              // of the member
  double lowest, highest;     // UINT, REAL; LIST: how many
  bool power_of_two;          // UINT
  const char *const *choices; // ENUM, by value, ends with NULL
  const struct weir_section *section;
  const char *help;   // one line
  const char *absent; // what a file that leaves it out means by that; NULL: it must be there. A LIST: "", no elements;
                      // a SECTION: "none", all zero, or that of its neighbours by which it is filled in later
};

struct weir_section {
  const char *what; // "a cache": opens diagnostics
  size_t size;      // of the struct
  const struct weir_key *keys;
  unsigned count;
};

extern const struct weir_section weir_chip_section, weir_cpu_cluster_section, weir_energy_section;

// Stores the value that `text` spells in `at`. NULL, or what was expected instead ("an integer from 1 to 64"), in
// `message`; then nothing was stored.
const char *weir_key_parse(const struct weir_key *key, const char *text, void *at, char *message, size_t size);

// What a key takes, in words.
void weir_key_describe(const struct weir_key *key, char *text, size_t size);

// The value at `at`, spelled as a chip file spells it.
void weir_key_show(const struct weir_key *key, const void *at, char *text, size_t size);

// The elements of a LIST at `at`, and how many.
void *weir_list_items(const void *at, uint32_t *count);
void weir_list_put(void *at, void *items, uint32_t count);

enum { WEIR_MAX_PATH = 96 };

struct weir_leaf {
  const struct weir_key *key;
  void *at;
  const char *path;
  uint32_t index; // in the order of the keys
};

// Calls `each` for every single value of the chip, in the order of the keys, until it answers false.
void weir_chip_leaves(struct weir_chip_config *c, bool (*each)(void *context, const struct weir_leaf *leaf),
                      void *context);

#endif
