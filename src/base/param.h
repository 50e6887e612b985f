// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Parameters. A table says of each member of a struct which values it takes: type, range, choices, unit, default, help.
// Values come from YAML (base/param_yaml.h) and from "name=value"; lists, --help and diagnostics come from the same rows.
// Invariant: no other place knows a parameter by name or parses its values, so that all files and options of weir are one
// dialect (docs/VALUES.md).
#ifndef WEIR_BASE_PARAM_H
#define WEIR_BASE_PARAM_H

#include "base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum weir_param_type {
  WEIR_PARAM_BOOL,    // bool: true or false; also on|off, yes|no, 1|0
  WEIR_PARAM_UINT,    // an unsigned integer of `bytes`
  WEIR_PARAM_INT,     // a signed one
  WEIR_PARAM_REAL,    // a double or float
  WEIR_PARAM_CHOICE,  // an enum of `choices`
  WEIR_PARAM_TEXT,    // char *, owned by the struct or by the reader's arena
  WEIR_PARAM_NAME,    // the same, but no "name=value" changes it
  WEIR_PARAM_SECTION, // a struct described by `table`
  WEIR_PARAM_LIST,    // a pointer to structs described by `table`, and their uint32_t count behind it
  WEIR_PARAM_CUSTOM,  // YAML that `read` reads
};

struct weir_param_table;
struct yaml_node_s;

struct weir_param {
  const char *name;
  enum weir_param_type type;
  uint8_t bytes;          // UINT, INT, REAL: of the member
  bool power_of_two;      // UINT, INT
  bool suffixes;          // UINT: K, M or G behind a number stand for thousands, millions, billions
  bool as_real;           // BOOL, INT, REAL, CHOICE: the member is a double, and `lowest` and `highest` are its range
  bool optional;          // a file may leave it out, and nothing is stored; a SECTION of zeroes is then no part at all
  size_t offset;          // of the member
  size_t place;           // of a struct weir_place that says where it was given; 0: none
  int64_t low;            // UINT, INT; LIST: how many
  uint64_t high;          //
  double lowest, highest; // REAL; infinite: .inf and .nan, too
  const char *const *choices; // CHOICE: by value; UINT: the only ones it takes. Ends with NULL
  const struct weir_param_table *table;
  bool (*read)(void *context, const struct weir_param *p, struct yaml_node_s *node, void *at); // reports what is wrong
  const char *unit;    // NULL: as the name's end says ("_mhz"), or none
  const char *initial; // what a file that leaves it out means by that; NULL: it must be there; SECTION: ""
  const char *like;    // SECTION: while nothing is given of it, a copy of the section called so beside it
  const char *help;    // one line
};

struct weir_param_table {
  const char *what; // "the core": opens diagnostics
  const char *item; // what a row is: "knob"; NULL: a key, called by its name alone; "": the same, and not even a key
  const char *hint; // where all are listed; may be NULL
  size_t size;      // of the struct
  size_t place;     // of a struct weir_place in it that says where it stands; 0: none
  const struct weir_param *rows;
  unsigned count;
};

// ---- single values -----------------------------------------------------------------------------------------------------

// What a row takes, in words: "an integer from 1 to 64 cycles".
void weir_param_describe(const struct weir_param *p, char *text, size_t size);

// The value of the member at `at`, spelled as the readers take it.
void weir_param_show(const struct weir_param *p, const void *at, char *text, size_t size);

// Stores the value that `text` spells in the member at `at`. False if it spells none; then nothing was stored.
bool weir_param_parse(const struct weir_param *p, const char *text, void *at);

// What is wrong with a text that weir_param_parse refused: "ways must be an integer from 1 to 64, not '65'".
void weir_param_refuse(const struct weir_param_table *t, const struct weir_param *p, const char *path, const char *text,
                       char *message, size_t size);

// ---- tables ------------------------------------------------------------------------------------------------------------

enum { WEIR_MAX_PATH = 96 };

// A single value in a struct: rows of sections and lists are followed. An element of a list is named by its first row, a
// NAME, which stands for the list's own name in a path: "l1.size_kib".
struct weir_leaf {
  const struct weir_param *param;
  void *at;
  const char *path; // "core.latency.int_add.unit"; lasts for the call
};

// Calls `each` for every single value, in the order of the rows, until it answers false.
void weir_param_leaves(const struct weir_param_table *t, void *base,
                       bool (*each)(void *context, const struct weir_leaf *leaf), void *context);

// The value at a path that "path=value" may name; false: there is none.
bool weir_param_find(const struct weir_param_table *t, void *base, const char *path, struct weir_leaf *leaf);

const struct weir_param *weir_param_row(const struct weir_param_table *t, const char *name); // NULL: there is none

// Stores every default.
void weir_param_defaults(const struct weir_param_table *t, void *base);

// Sets one value. NULL, or what is wrong with name or value ("the core has no key 'cuont'; did you mean 'count'?").
const char *weir_param_assign(const struct weir_param_table *t, void *base, const char *path, const char *text,
                              char *message, size_t size);

// The same of "path=value", of what `where` gives. False and a diagnostic.
bool weir_param_set(const struct weir_param_table *t, void *base, const char *assignment, struct weir_place where,
                    struct weir_sink *sink);

// The same of "path=value,path=value"; "" sets nothing. Reports all that is wrong.
bool weir_param_set_list(const struct weir_param_table *t, void *base, const char *list, struct weir_place where,
                         struct weir_sink *sink);

// Those values that differ from their defaults, as weir_param_set_list reads them: equal texts are equal values. Freed by
// weir_free.
char *weir_param_changes(const struct weir_param_table *t, const void *base);

// What is wrong with a name that no row has; `names` are those that could be meant.
void weir_param_unknown(const struct weir_param_table *t, const char *name, const char *const *names, unsigned count,
                        char *message, size_t size);

// The elements of a LIST at `at`, and how many.
void *weir_list_items(const void *at, uint32_t *count);
void weir_list_put(void *at, void *items, uint32_t count);

// ---- where values come from ----------------------------------------------------------------------------------------------

struct weir_origin {
  char *path;
  uint32_t source, line; // of the sources; line 0: an option gave it
};

// What gave the values of a struct: a file's line (its own, or of the file that it builds on) or an option. Invariant: a
// path that is not in it has its default.
struct weir_origins {
  char **sources; // files and options
  struct weir_origin *of;
  uint32_t sources_count, sources_capacity, count, capacity;
};

void weir_origins_note(struct weir_origins *o, const char *path, struct weir_place where);
struct weir_place weir_origins_place(const struct weir_origins *o, const char *path); // all 0: the default
struct weir_origins weir_origins_copy(const struct weir_origins *o);
void weir_origins_free(struct weir_origins *o);

// Sections that are like another while nothing is given of them are made so.
void weir_param_settle(const struct weir_param_table *t, void *base, const struct weir_origins *o);

#endif
