// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "driver/library.h"

#include <dlfcn.h>
#include <string.h>

#define LIBRARY "libcuda.so.1"

static const struct function {
  const char *name;
  size_t offset;
  bool needed;
} functions[] = {
#define NEEDED(name, parameters) {#name, offsetof(struct weir_cuda, name), true},
#define OPTIONAL(name, parameters) {#name, offsetof(struct weir_cuda, name), false},
#include "driver/functions.def"
#undef OPTIONAL
#undef NEEDED
};

bool weir_cuda_open(struct weir_cuda *cuda, struct weir_sink *sink) {
  void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
  bool ok = true;
  if (!library) return weir_fail_plain(sink, "no CUDA driver library here: %s", dlerror());
  for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
    void *address = dlsym(library, functions[k].name);
    memcpy((char *)cuda + functions[k].offset, &address, sizeof address); // ISO C has no cast from object to function
    if (!address && functions[k].needed)
      ok = weir_fail_plain(sink, LIBRARY " has no function %s: the driver is older than CUDA 7.0", functions[k].name);
  }
  return ok;
}

const char *weir_cuda_error(const struct weir_cuda *cuda, CUresult error) {
  static char text[256];
  const char *name = NULL, *meaning = NULL;
  if (cuda->cuGetErrorName(error, &name) || !name) name = "an error that the driver has no name for";
  if (cuda->cuGetErrorString(error, &meaning) || !meaning) meaning = "no text";
  snprintf(text, sizeof text, "%s (%d: %s)", name, (int)error, meaning);
  return text;
}
