// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Commands on boxes of texels.
#include "opencl/image.h"
#include "opencl/map.h"

#include <string.h>

static cl_int check_box(cl_mem m, const size_t *origin, const size_t *region) {
  if (!origin || !region) return CL_INVALID_VALUE;
  for (unsigned i = 0; i < 3; i++)
    if (!region[i] || origin[i] > m->extent[i] || region[i] > m->extent[i] - origin[i]) return CL_INVALID_VALUE;
  return CL_SUCCESS;
}

static cl_int check(cl_command_queue q, cl_mem m) {
  const cl_int code = weir_cl_mem_check_queue(q, m);
  return code == CL_SUCCESS && !weir_cl_is_image(m) ? CL_INVALID_MEM_OBJECT : code;
}

// The box's size, x in bytes.
struct size {
  size_t n[3];
};

static struct size in_bytes(cl_mem m, const size_t box[3]) {
  return (struct size){{box[0] * weir_cl_texel_bytes(&m->format), box[1], box[2]}};
}

static struct weir_cl_box box_of(cl_mem m, const size_t origin[3], const size_t region[3]) {
  struct weir_cl_box b = {.mem = m, .address = m->address, .row_bytes = m->row_bytes, .slice_bytes = m->slice_bytes};
  weir_cl_box_place(&b, in_bytes(m, origin).n, in_bytes(m, region).n);
  return b;
}

// Host memory of the pitches given: those of one-dimensional layers are a row's.
static bool host_box(struct weir_cl_box *b, cl_mem m, void *host, size_t row, size_t slice, const size_t region[3]) {
  const bool array_1d = m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
  const struct size r = in_bytes(m, region);
  if (array_1d && row && row < r.n[0]) return false;
  if (array_1d) {
    row = slice ? slice : row;
    slice = 0;
  } else if (m->type == CL_MEM_OBJECT_IMAGE1D || m->type == CL_MEM_OBJECT_IMAGE2D ||
             m->type == CL_MEM_OBJECT_IMAGE1D_BUFFER) {
    if (slice) return false;
  }
  *b = (struct weir_cl_box){.host = host, .row_bytes = row, .slice_bytes = slice};
  return weir_cl_box_place(b, (size_t[]){0, 0, 0}, r.n);
}

static cl_int move(cl_command_queue q, cl_mem m, bool read, bool blocking, const size_t *origin, const size_t *region,
                   size_t row, size_t slice, void *host, cl_uint wait_count, const cl_event *waits, cl_event *event) {
  cl_int code = check(q, m);
  if (code == CL_SUCCESS) code = check_box(m, origin, region);
  if (code != CL_SUCCESS) return code;
  struct weir_cl_box there;
  if (!host || !host_box(&there, m, host, row, slice, region)) return CL_INVALID_VALUE;
  code = weir_cl_mem_check_access(m, read, !read);
  if (code != CL_SUCCESS) return code;
  const struct weir_cl_box here = box_of(m, origin, region);
  return weir_cl_transfer(q, read ? CL_COMMAND_READ_IMAGE : CL_COMMAND_WRITE_IMAGE, read ? &here : &there,
                          read ? &there : &here, in_bytes(m, region).n, blocking, wait_count, waits, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadImage(cl_command_queue q, cl_mem m, cl_bool blocking, const size_t *origin,
                                                   const size_t *region, size_t row, size_t slice, void *to,
                                                   cl_uint wait_count, const cl_event *waits, cl_event *event) {
  WEIR_CL_ENTER;
  return move(q, m, true, blocking, origin, region, row, slice, to, wait_count, waits, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteImage(cl_command_queue q, cl_mem m, cl_bool blocking,
                                                    const size_t *origin, const size_t *region, size_t row,
                                                    size_t slice, const void *from, cl_uint wait_count,
                                                    const cl_event *waits, cl_event *event) {
  WEIR_CL_ENTER;
  return move(q, m, false, blocking, origin, region, row, slice, (void *)(uintptr_t)from, wait_count, waits, event);
}

static bool overlap(const size_t a[3], const size_t b[3], const size_t region[3]) {
  for (unsigned i = 0; i < 3; i++)
    if (a[i] >= b[i] + region[i] || b[i] >= a[i] + region[i]) return false;
  return true;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyImage(cl_command_queue q, cl_mem from, cl_mem to,
                                                   const size_t *from_origin, const size_t *to_origin,
                                                   const size_t *region, cl_uint wait_count, const cl_event *waits,
                                                   cl_event *event) {
  WEIR_CL_ENTER;
  cl_int code = check(q, from);
  if (code == CL_SUCCESS) code = check(q, to);
  if (code == CL_SUCCESS && memcmp(&from->format.format, &to->format.format, sizeof from->format.format) != 0)
    code = CL_IMAGE_FORMAT_MISMATCH;
  if (code == CL_SUCCESS) code = check_box(from, from_origin, region);
  if (code == CL_SUCCESS) code = check_box(to, to_origin, region);
  if (code != CL_SUCCESS) return code;
  if (from == to && overlap(from_origin, to_origin, region)) return CL_MEM_COPY_OVERLAP;
  const struct weir_cl_box a = box_of(from, from_origin, region), b = box_of(to, to_origin, region);
  return weir_cl_transfer(q, CL_COMMAND_COPY_IMAGE, &a, &b, in_bytes(from, region).n, false, wait_count, waits, event);
}

// Between an image and consecutive bytes of a buffer.
static cl_int move_buffer(cl_command_queue q, cl_mem image, cl_mem buffer, bool to_buffer, const size_t *origin,
                          const size_t *region, size_t offset, cl_uint wait_count, const cl_event *waits,
                          cl_event *event) {
  cl_int code = check(q, image);
  if (code == CL_SUCCESS) code = weir_cl_mem_check_queue(q, buffer);
  if (code == CL_SUCCESS && !weir_cl_is_buffer(buffer)) code = CL_INVALID_MEM_OBJECT;
  if (code == CL_SUCCESS) code = check_box(image, origin, region);
  if (code != CL_SUCCESS) return code;
  const struct size r = in_bytes(image, region);
  const size_t bytes = r.n[0] * r.n[1] * r.n[2];
  if (offset > buffer->size || bytes > buffer->size - offset) return CL_INVALID_VALUE;
  const struct weir_cl_box here = box_of(image, origin, region),
                           there = {.mem = buffer,
                                    .address = buffer->address + offset,
                                    .row_bytes = r.n[0],
                                    .slice_bytes = r.n[0] * r.n[1]};
  return weir_cl_transfer(q, to_buffer ? CL_COMMAND_COPY_IMAGE_TO_BUFFER : CL_COMMAND_COPY_BUFFER_TO_IMAGE,
                          to_buffer ? &here : &there, to_buffer ? &there : &here, r.n, false, wait_count, waits, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyImageToBuffer(cl_command_queue q, cl_mem from, cl_mem to,
                                                           const size_t *origin, const size_t *region, size_t offset,
                                                           cl_uint wait_count, const cl_event *waits, cl_event *event) {
  WEIR_CL_ENTER;
  return move_buffer(q, from, to, true, origin, region, offset, wait_count, waits, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyBufferToImage(cl_command_queue q, cl_mem from, cl_mem to, size_t offset,
                                                           const size_t *origin, const size_t *region,
                                                           cl_uint wait_count, const cl_event *waits, cl_event *event) {
  WEIR_CL_ENTER;
  return move_buffer(q, to, from, false, origin, region, offset, wait_count, waits, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueFillImage(cl_command_queue q, cl_mem m, const void *color,
                                                   const size_t *origin, const size_t *region, cl_uint wait_count,
                                                   const cl_event *waits, cl_event *event) {
  WEIR_CL_ENTER;
  cl_int code = check(q, m);
  if (code == CL_SUCCESS && !color) code = CL_INVALID_VALUE;
  if (code == CL_SUCCESS) code = check_box(m, origin, region);
  if (code != CL_SUCCESS) return code;
  uint8_t texel[16];
  weir_cl_image_pack(&m->format, color, texel);
  const struct weir_cl_box to = box_of(m, origin, region);
  return weir_cl_fill(q, CL_COMMAND_FILL_IMAGE, &to, in_bytes(m, region).n, texel, weir_cl_texel_bytes(&m->format),
                      wait_count, waits, event);
}

CL_API_ENTRY void *CL_API_CALL clEnqueueMapImage(cl_command_queue q, cl_mem m, cl_bool blocking, cl_map_flags flags,
                                                 const size_t *origin, const size_t *region, size_t *row, size_t *slice,
                                                 cl_uint wait_count, const cl_event *waits, cl_event *event,
                                                 cl_int *errcode_ret) {
  WEIR_CL_ENTER;
  cl_int code = check(q, m);
  if (code == CL_SUCCESS) code = check_box(m, origin, region);
  const bool slices = code == CL_SUCCESS && weir_cl_image_shown_slice(m);
  if (code == CL_SUCCESS && (!row || (slices && !slice))) code = CL_INVALID_VALUE;
  if (code != CL_SUCCESS) return weir_cl_refuse(errcode_ret, code);
  *row = weir_cl_image_shown_row(m);
  if (slice) *slice = weir_cl_image_shown_slice(m);
  return weir_cl_map(q, CL_COMMAND_MAP_IMAGE, m, flags, in_bytes(m, origin).n, in_bytes(m, region).n, blocking,
                     wait_count, waits, event, errcode_ret);
}
