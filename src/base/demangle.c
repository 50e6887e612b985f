// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/demangle.h"

#include "base/alloc.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef char *(*demangler)(const char *symbol, char *room, size_t *bytes, int *status);

static demangler find_demangler(void) {
  static const char *const runtimes[] = {"libstdc++.so.6", "libc++abi.so.1"};
  for (unsigned i = 0; i < sizeof runtimes / sizeof *runtimes; i++) {
    void *library = dlopen(runtimes[i], RTLD_LAZY | RTLD_LOCAL);
    demangler found = library ? (demangler)dlsym(library, "__cxa_demangle") : NULL;
    if (found) return found;
  }
  return NULL;
}

// With everything that the runtime tells.
static char *whole_name(const char *symbol) {
  static demangler demangle;
  static bool looked;
  int status = -1;
  if (!looked) demangle = find_demangler();
  looked = true;
  char *name = demangle ? demangle(symbol, NULL, NULL, &status) : NULL, *copy = weir_text_copy(name ? name : symbol);
  free(name); // the runtime's allocation
  return copy;
}

// Where the list that the bracket before `end` closes begins.
static char *opening(char *name, char *end, char open, char close) {
  unsigned depth = 0;
  for (char *at = end; at-- > name;) {
    depth += *at == close;
    depth -= *at == open;
    if (!depth) return at;
  }
  return end;
}

static char *part_of(const char *symbol, bool arguments) {
  if (strncmp(symbol, "_Z", 2) != 0) return weir_text_copy(symbol);
  char *name = whole_name(symbol), *end = name + strlen(name), *start;
  if (end > name && end[-1] == ')') end = opening(name, end, '(', ')');
  if (!arguments && end > name && end[-1] == '>') end = opening(name, end, '<', '>');
  *end = 0;
  unsigned depth = 0; // a template's return type comes first, before a blank
  for (start = end; start > name && !(start[-1] == ' ' && !depth); start--) {
    depth += start[-1] == '>' || start[-1] == ')';
    depth -= start[-1] == '<' || start[-1] == '(';
  }
  char *kept = weir_text_copy(start);
  weir_free(name);
  return kept;
}

char *weir_demangle(const char *symbol) {
  return part_of(symbol, true);
}

char *weir_demangle_short(const char *symbol) {
  return part_of(symbol, false);
}
