// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Commands on boxes of bytes inside buffers.
#include "opencl/transfer.h"

// A box in a buffer: placed, and wholly inside it.
static bool device_box(struct weir_cl_box *b, cl_mem m, const size_t origin[3], const size_t region[3], size_t row,
                       size_t slice) {
  *b = (struct weir_cl_box){.mem = m, .address = m->address, .row_bytes = row, .slice_bytes = slice};
  if (!origin || !region || !region[0] || !region[1] || !region[2]) return false;
  if (!weir_cl_box_place(b, origin, region)) return false;
  const uint64_t offset = b->address - m->address;
  return offset < m->size && weir_cl_box_bytes(b, region) <= m->size - offset;
}

static cl_int move(cl_command_queue q, cl_mem m, bool read, bool blocking, const size_t *buffer_origin,
                   const size_t *host_origin, const size_t *region, const size_t pitches[4], void *host,
                   cl_uint wait_count, const cl_event *waits, cl_event *event) {
  cl_int code = weir_cl_mem_check_queue(q, m);
  if (code != CL_SUCCESS) return code;
  if (!weir_cl_is_buffer(m)) return CL_INVALID_MEM_OBJECT;
  struct weir_cl_box device, there = {.host = host, .row_bytes = pitches[2], .slice_bytes = pitches[3]};
  if (!host || !host_origin || !device_box(&device, m, buffer_origin, region, pitches[0], pitches[1]) ||
      !weir_cl_box_place(&there, host_origin, region))
    return CL_INVALID_VALUE;
  code = weir_cl_mem_check_access(m, read, !read);
  if (code != CL_SUCCESS) return code;
  return weir_cl_transfer(q, read ? CL_COMMAND_READ_BUFFER_RECT : CL_COMMAND_WRITE_BUFFER_RECT, read ? &device : &there,
                          read ? &there : &device, region, blocking, wait_count, waits, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadBufferRect(cl_command_queue q, cl_mem m, cl_bool blocking,
                                                        const size_t *buffer_origin, const size_t *host_origin,
                                                        const size_t *region, size_t row, size_t slice, size_t host_row,
                                                        size_t host_slice, void *to, cl_uint wait_count,
                                                        const cl_event *waits, cl_event *event) {
  WEIR_CL_ENTER;
  return move(q, m, true, blocking, buffer_origin, host_origin, region, (size_t[]){row, slice, host_row, host_slice},
              to, wait_count, waits, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteBufferRect(cl_command_queue q, cl_mem m, cl_bool blocking,
                                                         const size_t *buffer_origin, const size_t *host_origin,
                                                         const size_t *region, size_t row, size_t slice,
                                                         size_t host_row, size_t host_slice, const void *from,
                                                         cl_uint wait_count, const cl_event *waits, cl_event *event) {
  WEIR_CL_ENTER;
  return move(q, m, false, blocking, buffer_origin, host_origin, region, (size_t[]){row, slice, host_row, host_slice},
              (void *)(uintptr_t)from, wait_count, waits, event);
}

// Do two boxes of the same buffer and pitches share a byte? Boxes interleave (columns of a matrix), so their extents in
// each dimension decide.
static bool overlap(const size_t a[3], const size_t b[3], const size_t region[3]) {
  for (unsigned i = 0; i < 3; i++)
    if (a[i] >= b[i] + region[i] || b[i] >= a[i] + region[i]) return false;
  return true;
}

static bool overlap_in_memory(const struct weir_cl_box *a, const struct weir_cl_box *b, const size_t region[3]) {
  return a->address < b->address + weir_cl_box_bytes(b, region) &&
    b->address < a->address + weir_cl_box_bytes(a, region);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyBufferRect(cl_command_queue q, cl_mem from, cl_mem to,
                                                        const size_t *from_origin, const size_t *to_origin,
                                                        const size_t *region, size_t from_row, size_t from_slice,
                                                        size_t to_row, size_t to_slice, cl_uint wait_count,
                                                        const cl_event *waits, cl_event *event) {
  WEIR_CL_ENTER;
  cl_int code = weir_cl_mem_check_queue(q, from);
  if (code == CL_SUCCESS) code = weir_cl_mem_check_queue(q, to);
  if (code != CL_SUCCESS) return code;
  if (!weir_cl_is_buffer(from) || !weir_cl_is_buffer(to)) return CL_INVALID_MEM_OBJECT;
  struct weir_cl_box a, b;
  if (!device_box(&a, from, from_origin, region, from_row, from_slice) ||
      !device_box(&b, to, to_origin, region, to_row, to_slice))
    return CL_INVALID_VALUE;
  if (from == to) {
    if (a.row_bytes != b.row_bytes || a.slice_bytes != b.slice_bytes) return CL_INVALID_VALUE;
    if (overlap(from_origin, to_origin, region)) return CL_MEM_COPY_OVERLAP;
  } else if (overlap_in_memory(&a, &b, region)) { // sub-buffers of one parent
    return CL_MEM_COPY_OVERLAP;
  }
  return weir_cl_transfer(q, CL_COMMAND_COPY_BUFFER_RECT, &a, &b, region, false, wait_count, waits, event);
}
