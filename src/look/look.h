// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A program's run, with one cache watched in one launch.
#ifndef WEIR_LOOK_LOOK_H
#define WEIR_LOOK_LOOK_H

#include "look/record.h"
#include "run/experiment.h"

#include <jansson.h>

struct weir_look_options {
  const struct weir_experiment *experiment;
  const char *cache; // a level's name; NULL: the first
  uint32_t instance; // the core, or the slice, it belongs to
  bool by_slice;     // --slice was given; by_core: --core was
  bool by_core;
  uint64_t launch;      // 0 is the first
  uint32_t set;         // WEIR_LOOK_ANY: all
  uint64_t most_events; // in the log
};

struct weir_look_place { // of an instruction
  char *function, *file;
  char *source;     // the line's text, or NULL
  char *array;      // what is accessed, as --hint names it, or NULL
  char *allocation; // of no array: the only one accessed, by name and address, or NULL
  uint32_t line;
};

struct weir_look {
  struct weir_look_record record;
  struct weir_setup setup;
  const struct weir_experiment *experiment;
  unsigned level;
  uint32_t instance, line_bytes, sector_bytes;
  uint64_t launch, launches;      // how many there were
  char *kernel;                   // of the launch looked at
  struct weir_look_place *places; // by load of the record
};

// False and a diagnostic if there is no such cache, core, slice, launch or set, or the program did not end.
bool weir_look(struct weir_look *l, const struct weir_look_options *o, struct weir_sink *sink);
void weir_look_free(struct weir_look *l);

// Its array or its allocation; NULL: neither is known.
static inline const char *weir_look_array(const struct weir_look_place *p) {
  return p->array ? p->array : p->allocation;
}

const char *weir_look_cache(const struct weir_look *l); // "l1"

#endif
