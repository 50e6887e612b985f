// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "run/run.h"

json_t *weir_foreign_text(const char *text) {
  json_t *value = json_string(text);
  if (value) return value;
  char *plain = weir_text_copy(text);
  for (char *c = plain; *c; c++)
    if ((unsigned char)*c > 127) *c = '?';
  value = json_string(plain);
  weir_free(plain);
  return value;
}
