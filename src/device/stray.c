// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Accesses outside all buffers that a real device would let pass: the program goes on, its user is told.
#include "device/device_private.h"

#include "base/alloc.h"

static bool is_told(const struct weir_device *d, uint32_t pc) {
  for (unsigned i = 0; i < d->stray_count; i++)
    if (d->stray_pcs[i] == pc) return true;
  return d->stray_count == WEIR_DEVICE_STRAYS;
}

void weir_device_strayed(void *context, const struct weir_launch *launch, const struct weir_fault *where) {
  struct weir_device *d = context;
  if (is_told(d, where->pc)) return;
  struct weir_sink sink = {0};
  weir_fault_warn(where, launch, &sink);
  d->strays[d->stray_count] = weir_text_copy(sink.diags[0].message);
  d->stray_pcs[d->stray_count++] = where->pc;
  weir_sink_print(&sink, stderr);
  weir_sink_free(&sink);
  weir_device_say(
    "a real device would not notice, since it protects whole pages, and constants not at all: such loads give 0 here, and such stores "
    "are lost (with --strict the launch stops)");
}
