// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "ptx/builtin.h"

#include <string.h>

static const struct {
  const char *name;
  uint64_t result;
  const char *parameters;
} builtins[] = {
#define X(name, spelling, result, parameters) [WEIR_BUILTIN_##name] = {spelling, result, parameters},
  WEIR_PTX_BUILTINS(X)
#undef X
};

static bool has_parameters(const struct weir_function *f, const char *bytes) {
  if (f->param_count != strlen(bytes)) return false;
  for (uint32_t k = 0; k < f->param_count; k++)
    if (f->params[k]->bytes != (uint64_t)(bytes[k] - '0')) return false;
  return true;
}

static bool has_result(const struct weir_function *f, uint64_t bytes) {
  return bytes ? f->return_count == 1 && f->returns[0]->bytes == bytes : f->return_count == 0;
}

enum weir_builtin weir_builtin_of(const struct weir_function *f) {
  if (f->has_body || f->entry) return WEIR_BUILTIN_NONE;
  for (unsigned k = 1; k < sizeof builtins / sizeof *builtins; k++)
    if (!strcmp(f->symbol->name, builtins[k].name) && has_result(f, builtins[k].result) &&
        has_parameters(f, builtins[k].parameters))
      return (enum weir_builtin)k;
  return WEIR_BUILTIN_NONE;
}
