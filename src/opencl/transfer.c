// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "opencl/transfer.h"

#include <string.h>

size_t weir_cl_box_bytes(const struct weir_cl_box *b, const size_t region[3]) {
  return (region[2] - 1) * b->slice_bytes + (region[1] - 1) * b->row_bytes + region[0];
}

// a · b + c; false if that does not fit.
static bool multiply_add(size_t a, size_t b, size_t c, size_t *result) {
  return !__builtin_mul_overflow(a, b, result) && !__builtin_add_overflow(*result, c, result);
}

bool weir_cl_box_place(struct weir_cl_box *b, const size_t origin[3], const size_t region[3]) {
  if (!b->row_bytes) b->row_bytes = region[0];
  size_t least, end, offset;
  if (b->row_bytes < region[0] || !multiply_add(region[1], b->row_bytes, 0, &least)) return false;
  if (!b->slice_bytes) b->slice_bytes = least;
  if (b->slice_bytes < least || b->slice_bytes % b->row_bytes) return false;
  if (!multiply_add(region[2], b->slice_bytes, 0, &end)) return false;
  if (!multiply_add(origin[1], b->row_bytes, origin[0], &offset) ||
      !multiply_add(origin[2], b->slice_bytes, offset, &offset) || __builtin_add_overflow(offset, end, &end))
    return false;
  if (b->mem)
    b->address += offset;
  else
    b->host = (char *)b->host + offset;
  return end < SIZE_MAX / 2;
}

static char *bytes_of(const struct weir_cl_box *b, const size_t region[3]) {
  return b->mem ? weir_device_at(weir_cl_modelled(), b->address, weir_cl_box_bytes(b, region)) : b->host;
}

void weir_cl_box_wrote(const struct weir_cl_box *to, const size_t region[3]) {
  struct weir_device *d = weir_cl_modelled();
  if (to->row_bytes == region[0] && (region[2] == 1 || to->slice_bytes == region[0] * region[1])) {
    weir_device_wrote(d, to->address, weir_cl_box_bytes(to, region));
    return;
  }
  for (size_t z = 0; z < region[2]; z++)
    for (size_t y = 0; y < region[1]; y++)
      weir_device_wrote(d, to->address + z * to->slice_bytes + y * to->row_bytes, region[0]);
}

void weir_cl_box_copy(const struct weir_cl_box *from, const struct weir_cl_box *to, const size_t region[3]) {
  const char *source = bytes_of(from, region);
  char *target = bytes_of(to, region);
  for (size_t z = 0; z < region[2]; z++)
    for (size_t y = 0; y < region[1]; y++)
      memmove(target + z * to->slice_bytes + y * to->row_bytes, source + z * from->slice_bytes + y * from->row_bytes,
              region[0]);
  if (to->mem && !from->mem) weir_cl_box_wrote(to, region);
}

// What is filled doubles with each step.
static void fill_row(char *row, size_t bytes, const void *pattern, size_t pattern_bytes) {
  memcpy(row, pattern, pattern_bytes);
  for (size_t done = pattern_bytes, more; done < bytes; done += more) {
    more = done < bytes - done ? done : bytes - done;
    memcpy(row + done, row, more);
  }
}

void weir_cl_box_fill(const struct weir_cl_box *to, const size_t region[3], const void *pattern, size_t pattern_bytes) {
  char *target = bytes_of(to, region);
  for (size_t z = 0; z < region[2]; z++)
    for (size_t y = 0; y < region[1]; y++)
      fill_row(target + z * to->slice_bytes + y * to->row_bytes, region[0], pattern, pattern_bytes);
}

void weir_cl_box_copied(struct weir_cl_command *c, bool from_device, bool to_device, bool pageable,
                        const size_t region[3]) {
  if (!c->line || (!from_device && !to_device)) return;
  const enum weir_device_copy what = !from_device ? WEIR_COPY_TO_DEVICE
    : to_device                                   ? WEIR_COPY_WITHIN
                                                  : WEIR_COPY_TO_HOST;
  weir_device_copied(weir_cl_modelled(), c->line, what, pageable, region[0] * region[1] * region[2], false);
}

static cl_int execute(struct weir_cl_command *c) {
  const struct weir_cl_transfer *t = (const struct weir_cl_transfer *)c;
  weir_cl_box_copy(&t->from, &t->to, t->region);
  const cl_mem from = t->from.mem, to = t->to.mem;
  const bool pageable = (!from && !weir_cl_mem_is_mapped(t->from.host)) || (!to && !weir_cl_mem_is_mapped(t->to.host));
  weir_cl_box_copied(c, from && !from->pinned, to && !to->pinned, pageable, t->region);
  return CL_SUCCESS;
}

static void discard(struct weir_cl_command *c) {
  struct weir_cl_transfer *t = (struct weir_cl_transfer *)c;
  if (t->from.mem) weir_cl_mem_release(t->from.mem);
  if (t->to.mem) weir_cl_mem_release(t->to.mem);
}

cl_int weir_cl_transfer(cl_command_queue q, cl_command_type type, const struct weir_cl_box *from,
                        const struct weir_cl_box *to, const size_t region[3], bool blocking, cl_uint wait_count,
                        const cl_event *waits, cl_event *event) {
  struct weir_cl_transfer *t = weir_cl_command_new(sizeof *t, q, type, execute, discard);
  t->from = *from;
  t->to = *to;
  memcpy(t->region, region, sizeof t->region);
  if (from->mem) weir_cl_mem_retain(from->mem);
  if (to->mem) weir_cl_mem_retain(to->mem);
  return weir_cl_enqueue(&t->command, wait_count, waits, blocking, event);
}
