// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Buffers: creation, and the commands on plain ranges of bytes.
#include "opencl/transfer.h"

#include <string.h>

CL_API_ENTRY cl_mem CL_API_CALL clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host_ptr,
                                               cl_int *errcode_ret) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(context, CONTEXT)) return weir_cl_refuse(errcode_ret, CL_INVALID_CONTEXT);
  const cl_int code = weir_cl_mem_check_flags(flags, host_ptr);
  if (code != CL_SUCCESS) return weir_cl_refuse(errcode_ret, code);
  struct weir_device *d = weir_cl_modelled();
  if (!d) return weir_cl_refuse(errcode_ret, CL_OUT_OF_RESOURCES);
  const struct weir_device_facts f = weir_device_facts(d);
  if (!size || size > weir_cl_max_alloc_bytes(&f)) return weir_cl_refuse(errcode_ret, CL_INVALID_BUFFER_SIZE);
  cl_mem m = weir_cl_mem_new(context, CL_MEM_OBJECT_BUFFER, flags);
  m->size = size;
  m->pinned = flags & CL_MEM_ALLOC_HOST_PTR;
  if (!weir_cl_mem_allocate(m, "buffer")) {
    weir_cl_mem_release(m);
    return weir_cl_refuse(errcode_ret, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  }
  if (flags & CL_MEM_USE_HOST_PTR) m->host_ptr = host_ptr;
  if (host_ptr) {
    memcpy(weir_device_at(d, m->address, size), host_ptr, size);
    weir_device_wrote(d, m->address, size);
    weir_cl_mem_created(m, size);
  }
  weir_cl_code(errcode_ret, CL_SUCCESS);
  return m;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateBufferWithProperties(cl_context context, const cl_mem_properties *properties,
                                                             cl_mem_flags flags, size_t size, void *host_ptr,
                                                             cl_int *errcode_ret) {
  if (properties && *properties) return weir_cl_refuse(errcode_ret, CL_INVALID_PROPERTY);
  return clCreateBuffer(context, flags, size, host_ptr, errcode_ret);
}

// What a sub-buffer may add to its parent's flags (OpenCL 1.2 table 5.4).
static bool inherit(cl_mem parent, cl_mem_flags flags, cl_mem_flags *result) {
  const cl_mem_flags device = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY,
                     host = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, p = parent->flags;
  if (flags & (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)) return false;
  if (weir_cl_mem_check_flags(flags, NULL) != CL_SUCCESS) return false;
  if ((p & CL_MEM_WRITE_ONLY) && (flags & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY))) return false;
  if ((p & CL_MEM_READ_ONLY) && (flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY))) return false;
  if ((p & CL_MEM_HOST_WRITE_ONLY) && (flags & CL_MEM_HOST_READ_ONLY)) return false;
  if ((p & CL_MEM_HOST_READ_ONLY) && (flags & CL_MEM_HOST_WRITE_ONLY)) return false;
  if ((p & CL_MEM_HOST_NO_ACCESS) && (flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY))) return false;
  *result = (flags & device ? flags & device : p & device) | (flags & host ? flags & host : p & host) |
    (p & (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR));
  return true;
}

static cl_int check_region(cl_mem parent, cl_buffer_create_type type, const cl_buffer_region *r) {
  if (type != CL_BUFFER_CREATE_TYPE_REGION || !r) return CL_INVALID_VALUE;
  if (r->origin > parent->size || r->size > parent->size - r->origin) return CL_INVALID_VALUE;
  if (!r->size) return CL_INVALID_BUFFER_SIZE;
  return r->origin % (WEIR_CL_BASE_ALIGN_BITS / 8) ? CL_MISALIGNED_SUB_BUFFER_OFFSET : CL_SUCCESS;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateSubBuffer(cl_mem parent, cl_mem_flags flags, cl_buffer_create_type type,
                                                  const void *info, cl_int *errcode_ret) {
  WEIR_CL_ENTER;
  if (!weir_cl_is_buffer(parent) || parent->parent) return weir_cl_refuse(errcode_ret, CL_INVALID_MEM_OBJECT);
  cl_mem_flags inherited;
  if (!inherit(parent, flags, &inherited)) return weir_cl_refuse(errcode_ret, CL_INVALID_VALUE);
  const cl_buffer_region *r = info;
  const cl_int code = check_region(parent, type, r);
  if (code != CL_SUCCESS) return weir_cl_refuse(errcode_ret, code);
  cl_mem m = weir_cl_mem_new(parent->context, CL_MEM_OBJECT_BUFFER, inherited);
  m->parent = parent;
  weir_cl_mem_retain(parent);
  m->origin = r->origin;
  m->size = r->size;
  m->address = parent->address + r->origin;
  m->pinned = parent->pinned;
  if (parent->host_ptr) m->host_ptr = (char *)parent->host_ptr + r->origin;
  weir_cl_code(errcode_ret, CL_SUCCESS);
  return m;
}

static bool inside(cl_mem m, size_t offset, size_t size) {
  return size && offset <= m->size && size <= m->size - offset;
}

static cl_int check_range(cl_command_queue q, cl_mem m, size_t offset, size_t size) {
  const cl_int code = weir_cl_mem_check_queue(q, m);
  if (code != CL_SUCCESS) return code;
  if (!weir_cl_is_buffer(m)) return CL_INVALID_MEM_OBJECT;
  return inside(m, offset, size) ? CL_SUCCESS : CL_INVALID_VALUE;
}

static struct weir_cl_box range(cl_mem m, size_t offset) {
  return (struct weir_cl_box){.mem = m, .address = m->address + offset};
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue q, cl_mem m, cl_bool blocking, size_t offset,
                                                    size_t size, void *to, cl_uint wait_count, const cl_event *waits,
                                                    cl_event *event) {
  WEIR_CL_ENTER;
  cl_int code = check_range(q, m, offset, size);
  if (code == CL_SUCCESS && !to) code = CL_INVALID_VALUE;
  if (code == CL_SUCCESS) code = weir_cl_mem_check_access(m, true, false);
  if (code != CL_SUCCESS) return code;
  const struct weir_cl_box device = range(m, offset), host = {.host = to};
  return weir_cl_transfer(q, CL_COMMAND_READ_BUFFER, &device, &host, (size_t[]){size, 1, 1}, blocking, wait_count,
                          waits, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteBuffer(cl_command_queue q, cl_mem m, cl_bool blocking, size_t offset,
                                                     size_t size, const void *from, cl_uint wait_count,
                                                     const cl_event *waits, cl_event *event) {
  WEIR_CL_ENTER;
  cl_int code = check_range(q, m, offset, size);
  if (code == CL_SUCCESS && !from) code = CL_INVALID_VALUE;
  if (code == CL_SUCCESS) code = weir_cl_mem_check_access(m, false, true);
  if (code != CL_SUCCESS) return code;
  const struct weir_cl_box device = range(m, offset), host = {.host = (void *)(uintptr_t)from};
  return weir_cl_transfer(q, CL_COMMAND_WRITE_BUFFER, &host, &device, (size_t[]){size, 1, 1}, blocking, wait_count,
                          waits, event);
}

// Sub-buffers of one parent overlap like ranges of it.
static bool overlap(const struct weir_cl_box *a, const struct weir_cl_box *b, size_t size) {
  return a->address < b->address + size && b->address < a->address + size;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyBuffer(cl_command_queue q, cl_mem from, cl_mem to, size_t from_offset,
                                                    size_t to_offset, size_t size, cl_uint wait_count,
                                                    const cl_event *waits, cl_event *event) {
  WEIR_CL_ENTER;
  cl_int code = check_range(q, from, from_offset, size);
  if (code == CL_SUCCESS) code = check_range(q, to, to_offset, size);
  if (code != CL_SUCCESS) return code;
  const struct weir_cl_box a = range(from, from_offset), b = range(to, to_offset);
  if (overlap(&a, &b, size)) return CL_MEM_COPY_OVERLAP;
  return weir_cl_transfer(q, CL_COMMAND_COPY_BUFFER, &a, &b, (size_t[]){size, 1, 1}, false, wait_count, waits, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueFillBuffer(cl_command_queue q, cl_mem m, const void *pattern,
                                                    size_t pattern_bytes, size_t offset, size_t size,
                                                    cl_uint wait_count, const cl_event *waits, cl_event *event) {
  WEIR_CL_ENTER;
  const cl_int code = check_range(q, m, offset, size);
  if (code != CL_SUCCESS) return code;
  const bool sized = pattern_bytes && pattern_bytes <= WEIR_CL_MAX_PATTERN && !(pattern_bytes & (pattern_bytes - 1));
  if (!pattern || !sized || offset % pattern_bytes || size % pattern_bytes) return CL_INVALID_VALUE;
  const struct weir_cl_box to = range(m, offset);
  return weir_cl_fill(q, CL_COMMAND_FILL_BUFFER, &to, (size_t[]){size, 1, 1}, pattern, pattern_bytes, wait_count, waits,
                      event);
}
