// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#define _GNU_SOURCE // twalk_r

#include "opencl/mem.h"

#include "base/alloc.h"

#include <search.h>

static void *living; // a tree of all memory objects, by address

static int by_address(const void *a, const void *b) {
  return (a > b) - (a < b);
}

bool weir_cl_mem_lives(cl_mem m) {
  return tfind(m, &living, by_address);
}

cl_mem weir_cl_mem_new(cl_context context, cl_mem_object_type type, cl_mem_flags flags) {
  cl_mem m = weir_new(struct _cl_mem);
  weir_cl_head_init(&m->object, WEIR_CL_MAGIC_MEM);
  m->context = context;
  m->type = type;
  m->flags = flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY) ? flags : flags | CL_MEM_READ_WRITE;
  weir_cl_context_retain(context);
  tsearch(m, &living, by_address);
  return m;
}

bool weir_cl_mem_allocate(cl_mem m, const char *what) {
  static unsigned long count;
  struct weir_device *d = weir_cl_modelled();
  if (!d) return false;
  char *name = weir_text_format("%s %lu", what, ++count); // in the order of their creation: "buffer 3"
  m->address = weir_device_alloc(d, name, m->size);
  weir_free(name);
  if (m->address && m->pinned) weir_device_maps(d, m->address, m->size, false);
  return m->address;
}

void weir_cl_mem_created(cl_mem m, uint64_t bytes) {
  static struct weir_stream none = {.kind = WEIR_STREAM_NON_BLOCKING}; // no queue's
  if (!m->pinned) weir_device_copied(weir_cl_modelled(), &none, WEIR_COPY_TO_DEVICE, true, bytes, true);
}

struct sought {
  const char *pointer;
  bool found;
};

static void look_in(const void *node, VISIT visit, void *context) {
  struct sought *s = context;
  cl_mem m = *(void *const *)node;
  if ((visit != preorder && visit != leaf) || m->host_ptr || !m->mapping_count) return;
  const char *bytes = weir_device_at(weir_cl_modelled(), m->address, m->size);
  s->found |= s->pointer >= bytes && s->pointer < bytes + m->size;
}

bool weir_cl_mem_is_mapped(const void *pointer) {
  struct sought s = {.pointer = pointer};
  twalk_r(living, look_in, &s);
  return s.found;
}

void weir_cl_mem_retain(cl_mem m) {
  m->object.references++;
}

// The last callback registered is called first, when the object's host memory is no longer used (OpenCL 1.2
// section 5.4.1).
static void end(void *data) {
  cl_mem m = data;
  for (size_t i = m->destructor_count; i-- > 0;) m->destructors[i].call(m, m->destructors[i].user_data);
  weir_free(m->destructors);
  weir_free(m);
}

void weir_cl_mem_release(cl_mem m) {
  if (!weir_cl_head_release(&m->object)) return;
  tdelete(m, &living, by_address);
  struct weir_device *d = weir_cl_modelled();
  if (d && m->texture) weir_texture_remove(weir_device_memory(d), m->texture);
  if (d && !m->parent && m->pinned) weir_device_unmaps(d, m->address);
  if (d && !m->parent && m->address) weir_device_release(d, m->address);
  if (m->parent) weir_cl_mem_release(m->parent);
  weir_cl_context_release(m->context);
  weir_free(m->mappings);
  weir_cl_later(end, m);
}

cl_int weir_cl_mem_check_flags(cl_mem_flags flags, const void *host_ptr) {
  const cl_mem_flags device = flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY),
                     host = flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS),
                     pointer = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR);
  if ((device & (device - 1)) || (host & (host - 1)) || (flags & ~(device | host | pointer))) return CL_INVALID_VALUE;
  if ((pointer & CL_MEM_USE_HOST_PTR) && (pointer & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)))
    return CL_INVALID_VALUE;
  const bool wanted = pointer & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
  return wanted == (host_ptr != NULL) ? CL_SUCCESS : CL_INVALID_HOST_PTR;
}

cl_int weir_cl_mem_check_access(cl_mem m, bool reads, bool writes) {
  if (reads && (m->flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS))) return CL_INVALID_OPERATION;
  if (writes && (m->flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS))) return CL_INVALID_OPERATION;
  return CL_SUCCESS;
}

cl_int weir_cl_mem_check_queue(cl_command_queue q, cl_mem m) {
  if (!weir_cl_is(q, QUEUE)) return CL_INVALID_COMMAND_QUEUE;
  if (!weir_cl_is(m, MEM)) return CL_INVALID_MEM_OBJECT;
  if (m->context != q->context) return CL_INVALID_CONTEXT;
  return weir_cl_modelled() ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
}

CL_API_ENTRY cl_int CL_API_CALL clRetainMemObject(cl_mem m) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(m, MEM)) return CL_INVALID_MEM_OBJECT;
  weir_cl_mem_retain(m);
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseMemObject(cl_mem m) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(m, MEM)) return CL_INVALID_MEM_OBJECT;
  weir_cl_mem_release(m);
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clSetMemObjectDestructorCallback(cl_mem m, void(CL_CALLBACK *call)(cl_mem, void *),
                                                                 void *user_data) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(m, MEM)) return CL_INVALID_MEM_OBJECT;
  if (!call) return CL_INVALID_VALUE;
  *weir_push(m->destructors, m->destructor_count, m->destructor_capacity) =
    (struct weir_cl_mem_callback){call, user_data};
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetMemObjectInfo(cl_mem m, cl_mem_info key, size_t size, void *to, size_t *size_ret) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(m, MEM)) return CL_INVALID_MEM_OBJECT;
  switch (key) {
  case CL_MEM_TYPE: return WEIR_CL_ANSWER(cl_mem_object_type, m->type);
  case CL_MEM_FLAGS: return WEIR_CL_ANSWER(cl_mem_flags, m->flags);
  case CL_MEM_SIZE: return WEIR_CL_ANSWER(size_t, m->size);
  case CL_MEM_HOST_PTR: return WEIR_CL_ANSWER(void *, m->host_ptr);
  case CL_MEM_MAP_COUNT: return WEIR_CL_ANSWER(cl_uint, (cl_uint)m->mapping_count);
  case CL_MEM_REFERENCE_COUNT: return WEIR_CL_ANSWER(cl_uint, m->object.references);
  case CL_MEM_CONTEXT: return WEIR_CL_ANSWER(cl_context, m->context);
  case CL_MEM_ASSOCIATED_MEMOBJECT: return WEIR_CL_ANSWER(cl_mem, m->parent);
  case CL_MEM_OFFSET: return WEIR_CL_ANSWER(size_t, m->origin);
  default: return CL_INVALID_VALUE;
  }
}
