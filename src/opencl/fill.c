// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "opencl/transfer.h"

#include <string.h>

struct fill {
  struct weir_cl_command command;
  struct weir_cl_box to;
  size_t region[3], pattern_bytes;
  uint8_t pattern[WEIR_CL_MAX_PATTERN];
};

static cl_int execute(struct weir_cl_command *c) {
  const struct fill *f = (const struct fill *)c;
  weir_cl_box_fill(&f->to, f->region, f->pattern, f->pattern_bytes);
  if (f->to.mem->pinned)
    weir_cl_box_copied(c, true, false, false, f->region); // written over the link
  else if (c->line)
    weir_device_filled(weir_cl_modelled(), c->line, f->region[0] * f->region[1] * f->region[2]);
  return CL_SUCCESS;
}

static void discard(struct weir_cl_command *c) {
  weir_cl_mem_release(((struct fill *)c)->to.mem);
}

cl_int weir_cl_fill(cl_command_queue q, cl_command_type type, const struct weir_cl_box *to, const size_t region[3],
                    const void *pattern, size_t pattern_bytes, cl_uint wait_count, const cl_event *waits,
                    cl_event *event) {
  struct fill *f = weir_cl_command_new(sizeof *f, q, type, execute, discard);
  f->to = *to;
  weir_cl_mem_retain(to->mem);
  memcpy(f->region, region, sizeof f->region);
  memcpy(f->pattern, pattern, pattern_bytes);
  f->pattern_bytes = pattern_bytes;
  return weir_cl_enqueue(&f->command, wait_count, waits, false, event);
}
