// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "ptx/ir.h"
#include "ptx/parser.h"

#include <assert.h>
#include <string.h>

static const struct {
  const char *name;
  uint8_t bytes;
  char class;
} types[WEIR_TYPE_COUNT] = {
#define X(name, spelling, bytes, class) {spelling, bytes, class},
  WEIR_PTX_TYPES(X)
#undef X
};

const char *weir_type_name(enum weir_type t) {
  assert(t < WEIR_TYPE_COUNT);
  return types[t].name;
}

unsigned weir_type_bytes(enum weir_type t) {
  assert(t < WEIR_TYPE_COUNT);
  return types[t].bytes;
}

char weir_type_class(enum weir_type t) {
  assert(t < WEIR_TYPE_COUNT);
  return types[t].class;
}

enum weir_type weir_type_named(const char *text, size_t length) {
  for (enum weir_type t = WEIR_T_NONE + 1; t < WEIR_TYPE_COUNT; t++)
    if (strlen(types[t].name) == length && memcmp(types[t].name, text, length) == 0) return t;
  return WEIR_T_NONE;
}
