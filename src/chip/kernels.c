// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "chip/kernels.h"

#include "base/alloc.h"

#include <string.h>

static const char *name_of(struct weir_kernel_log *l, const char *name) {
  for (uint32_t i = 0; i < l->name_count; i++)
    if (!strcmp(l->names[i], name)) return l->names[i];
  return *weir_push(l->names, l->name_count, l->name_capacity) = weir_text_copy(name);
}

struct weir_kernel_stats *weir_kernel_log_add(struct weir_kernel_log *l, const char *name) {
  struct weir_kernel_stats *k = weir_push(l->kernels, l->count, l->capacity);
  *k = (struct weir_kernel_stats){.name = name_of(l, name), .launch = l->recorded++, .launches = 1};
  return k;
}

void weir_kernel_log_free(struct weir_kernel_log *l) {
  weir_free(l->kernels);
  for (uint32_t i = 0; i < l->name_count; i++) weir_free(l->names[i]);
  weir_free(l->names);
}
