// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The program's PTX through the driver's compiler, and what the host must know of the result.
#include "base/alloc.h"
#include "driver/driver_private.h"

#include <string.h>

enum { LOG_BYTES = 8192 };

// The newest PTX that a driver takes, as 85 for 8.5 (PTX ISA, "Release Notes": CUDA 12.6 kept the version of 12.5).
static unsigned newest_ptx(int cuda) {
  const unsigned major = (unsigned)cuda / 1000, minor = (unsigned)cuda % 1000 / 10;
  if (major < 10) return 60;
  if (major == 10) return 63 + minor;
  return (major - 4) * 10 + (major == 12 && minor >= 6 ? minor - 1 : minor);
}

static bool compile(struct weir_driver *d, const char *text, struct weir_sink *sink) {
  char log[LOG_BYTES] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)(uintptr_t)sizeof log}; // numbers go in the pointer itself
  const CUresult e = d->cuda.cuModuleLoadDataEx(&d->module, text, 2, options, values);
  if (!e) return true;
  log[sizeof log - 1] = 0;
  return weir_fail(sink, (struct weir_place){.file = d->ptx->path},
                   "the driver (CUDA %d.%d) does not take this PTX (version %s, target %s) for a device of compute "
                   "capability %d.%d: %s%s%s",
                   d->device.version / 1000, d->device.version % 1000 / 10, d->ptx->version, d->ptx->target,
                   d->device.major, d->device.minor, weir_cuda_error(&d->cuda, e), log[0] ? "\n" : "", log);
}

static bool holds_addresses(const struct weir_symbol *s) {
  for (uint32_t k = 0; k < s->initial_count; k++)
    if (s->initial[k].symbol) return true;
  return false;
}

static bool is_data(const struct weir_symbol *s) {
  return (s->space == WEIR_SPACE_GLOBAL || s->space == WEIR_SPACE_CONST) && s->bytes && weir_type_class(s->type) != 'o';
}

static bool find_variable(struct weir_driver *d, const struct weir_program *p, const struct weir_symbol *s,
                          struct weir_sink *sink) {
  struct weir_driver_variable v = {.name = s->name, .copied_in = !holds_addresses(s)};
  size_t bytes;
  v.base = weir_program_variable(p, s->name, &v.bytes);
  v.copied_back = v.copied_in && s->space == WEIR_SPACE_GLOBAL;
  const CUresult e = d->cuda.cuModuleGetGlobal_v2(&v.device, &bytes, d->module, s->name);
  if (e) return weir_fail_plain(sink, "the variable '%s': %s", s->name, weir_cuda_error(&d->cuda, e));
  if (bytes < v.bytes)
    return weir_fail_plain(sink, "the variable '%s' has %zu bytes on the device instead of %llu", s->name, bytes,
                           (unsigned long long)v.bytes);
  d->variables[d->variable_count++] = v;
  return true;
}

static bool find_variables(struct weir_driver *d, const struct weir_program *p, struct weir_sink *sink) {
  d->variables = weir_new_array(struct weir_driver_variable, d->ptx->item_count + 1);
  for (uint32_t k = 0; k < d->ptx->item_count; k++) {
    const struct weir_item *item = &d->ptx->items[k];
    if (item->kind != WEIR_ITEM_VARIABLE || !is_data(item->variable)) continue;
    if (item->variable->linkage == WEIR_LINK_EXTERN) continue; // the module that defines it is another item
    if (!find_variable(d, p, item->variable, sink)) return false;
  }
  return true;
}

// Runs the probe kernel (text.c), which says where shared memory begins: newer devices keep the first bytes of each
// block's.
static CUresult measure_shared_start(struct weir_driver *d) {
  CUfunction f;
  CUdeviceptr result;
  void *parameters[] = {&result};
  CUresult e = d->cuda.cuModuleGetFunction(&f, d->module, WEIR_PROBE);
  if (e || (e = d->cuda.cuMemAlloc_v2(&result, sizeof d->shared_start))) return e;
  e = d->cuda.cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 16, NULL, parameters, NULL);
  if (!e) e = d->cuda.cuMemcpyDtoH_v2(&d->shared_start, result, sizeof d->shared_start);
  d->cuda.cuMemFree_v2(result);
  return e;
}

static bool needs_shared_start(const struct weir_program *p) {
  uint32_t count;
  const struct weir_kernel *kernels = weir_program_kernels(p, &count);
  for (uint32_t k = 0; k < count; k++)
    if (weir_driver_has_locals(&kernels[k])) return true;
  return false;
}

bool weir_driver_load(struct weir_driver *d, const struct weir_program *p, const struct weir_driver_options *options,
                      struct weir_sink *sink) {
  const bool probe = needs_shared_start(p);
  d->ptx = weir_program_module(p);
  d->options = *options;
  char *text = weir_driver_text(d->ptx, options->loads, probe, newest_ptx(d->device.version));
  const bool compiled = compile(d, text, sink);
  weir_free(text);
  if (!compiled || !find_variables(d, p, sink)) return false;
  const CUresult e = probe ? measure_shared_start(d) : CUDA_SUCCESS;
  return !e || weir_fail_plain(sink, "the first launch on the device: %s", weir_cuda_error(&d->cuda, e));
}
