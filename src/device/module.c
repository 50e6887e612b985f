// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// PTX modules on the device. Invariant: d->modules is in the order of PCs; a module that has launched stays in it, since
// the report names its kernels and the lines of its loads.
#include "device/device_private.h"

#include "base/alloc.h"
#include "ptx/link.h"
#include "ptx/parse.h"

#include <string.h>

static void free_all(struct weir_module **modules, unsigned count) {
  for (unsigned i = 0; i < count; i++)
    if (modules[i]) weir_module_free(modules[i]);
}

// All of them, or none and what is wrong with each.
static bool parse(struct weir_module **modules, const struct weir_device_text *texts, unsigned count,
                  struct weir_sink *sink) {
  bool ok = true;
  for (unsigned i = 0; i < count; i++) {
    modules[i] = weir_ptx_parse(texts[i].path, texts[i].text, texts[i].bytes, sink);
    ok &= modules[i] != NULL;
  }
  if (!ok) free_all(modules, count);
  return ok;
}

static struct weir_module *read(const struct weir_device_text *texts, unsigned count, struct weir_sink *sink) {
  struct weir_module **modules = weir_new_array(struct weir_module *, count), *whole = NULL;
  if (parse(modules, texts, count, sink)) whole = count == 1 ? modules[0] : weir_ptx_link(modules, count, sink);
  weir_free(modules);
  return whole;
}

static const struct weir_program *load(struct weir_device *d, const struct weir_device_text *texts, unsigned count,
                                       struct weir_sink *sink) {
  struct weir_module *module = read(texts, count, sink);
  struct weir_program *program = module ? weir_program_build_partly(module, d->setup.lanes, d->memory, sink) : NULL;
  if (!program) {
    if (module) weir_module_free(module);
    return NULL;
  }
  uint64_t used = weir_memory_bytes(d->memory);
  if (used > d->peak_bytes) d->peak_bytes = used;
  *weir_push(d->modules, d->module_count, d->module_capacity) = (struct weir_device_module){module, program, false};
  return program;
}

const struct weir_program *weir_device_load(struct weir_device *d, const struct weir_device_text *texts, unsigned count,
                                            struct weir_sink *sink) {
  struct weir_device_own own;
  weir_device_enter(&own);
  const struct weir_program *program = load(d, texts, count, sink);
  weir_device_leave(&own);
  return program;
}

void weir_device_unload(struct weir_device *d, const struct weir_program *p) {
  unsigned i = 0;
  while (i < d->module_count && d->modules[i].program != p) i++;
  if (i == d->module_count || d->modules[i].launched) return;
  weir_program_free(d->modules[i].program);
  weir_module_free(d->modules[i].module);
  memmove(&d->modules[i], &d->modules[i + 1], (--d->module_count - i) * sizeof *d->modules);
}
