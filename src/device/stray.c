// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Accesses outside all buffers that a real device would let pass: the program goes on, its user is told.
#include "device/device_private.h"

#include "base/alloc.h"

enum { STRAYS_TOLD = 64 }; // instructions

static bool is_told(const struct weir_device *d, uint32_t pc) {
  for (unsigned i = 0; i < d->stray_pc_count; i++)
    if (d->stray_pcs[i] == pc) return true;
  return d->stray_pc_count == STRAYS_TOLD;
}

void weir_device_strayed(void *context, const struct weir_launch *launch, const struct weir_fault *where) {
  struct weir_device *d = context;
  if (is_told(d, where->pc)) return;
  *weir_push(d->stray_pcs, d->stray_pc_count, d->stray_pc_capacity) = where->pc;
  struct weir_sink sink = {0};
  weir_fault_warn(where, launch, &sink);
  for (size_t i = 0; i < sink.count; i++)
    *weir_push(d->strays, d->stray_count, d->stray_capacity) = weir_text_copy(sink.diags[i].message);
  weir_sink_print(&sink, stderr);
  weir_sink_free(&sink);
  weir_device_say("a real device would not notice, since it protects whole pages: such loads give 0 here, and such stores "
                  "are lost (with --strict the launch stops)");
}
