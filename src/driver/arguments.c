// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Kernel arguments: addresses that the device has elsewhere, and __local arguments, which lie behind shared memory that
// the driver lays out.
#include "driver/driver_private.h"

#include <inttypes.h>
#include <string.h>

bool weir_driver_has_locals(const struct weir_kernel *k) {
  for (uint32_t i = 0; i < k->param_count; i++)
    if (k->params[i].is_shared_pointer) return true;
  return false;
}

// Compilers write .ptr of all pointers (OpenCL) or of none (CUDA), whose pointers then look like 64-bit integers.
static bool says_pointers(const struct weir_driver *d, const struct weir_kernel *k) {
  const struct weir_function *f = d->ptx->functions[k->function];
  for (uint32_t i = 0; i < f->param_count; i++)
    if (f->params[i]->ptr_written) return true;
  return false;
}

static bool is_pointer(const struct weir_driver *d, const struct weir_kernel *k, uint32_t i, bool said) {
  const struct weir_kernel_param *p = &k->params[i];
  return said ? d->ptx->functions[k->function]->params[i]->ptr_written : p->is_pointer;
}

// A struct by value is copied as it is: what in it is an address nobody says.
static bool check_struct(const struct weir_driver *d, const struct weir_launch *l, const struct weir_kernel_param *p,
                         const uint8_t *bytes, struct weir_fault *fault) {
  uint64_t word;
  for (uint32_t at = 0; at + sizeof word <= p->bytes; at += (uint32_t)sizeof word) {
    memcpy(&word, bytes + at, sizeof word);
    if (weir_driver_translate(d, l->memory, word) == word) continue;
    return weir_driver_fault(fault,
                             "parameter '%s' seems to hold an address in its bytes %" PRIu32 " to %" PRIu32
                             ", and this device has that buffer at another one",
                             p->name, at, at + 7);
  }
  return true;
}

// An address in constant memory, not in global: only OpenCL's own driver can give one.
static bool points_to_constants(const struct weir_driver *d, const struct weir_kernel *k, uint32_t i) {
  const struct weir_symbol *s = d->ptx->functions[k->function]->params[i];
  return s->ptr_written && s->ptr_space == WEIR_SPACE_CONST;
}

bool weir_driver_arguments(const struct weir_driver *d, const struct weir_launch *l, uint64_t shift, void *params,
                           struct weir_fault *fault) {
  const struct weir_kernel *k = l->kernel;
  const bool said = says_pointers(d, k);
  for (uint32_t i = 0; i < k->param_count; i++) {
    const struct weir_kernel_param *p = &k->params[i];
    uint8_t *at = (uint8_t *)params + p->offset;
    uint64_t value = 0;
    if (points_to_constants(d, k, i))
      return weir_driver_fault(fault, "parameter '%s' points to constant memory, which CUDA cannot give it", p->name);
    if (p->type == WEIR_T_NONE && !check_struct(d, l, p, at, fault)) return false;
    memcpy(&value, at, p->bytes < sizeof value ? p->bytes : sizeof value);
    if (p->is_shared_pointer)
      value += shift;
    else if (p->bytes == sizeof value && is_pointer(d, k, i, said))
      value = weir_driver_translate(d, l->memory, value);
    else
      continue;
    memcpy(at, &value, p->bytes < sizeof value ? p->bytes : sizeof value);
  }
  return true;
}
