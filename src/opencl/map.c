// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "opencl/map.h"

#include "base/alloc.h"

#include <string.h>

struct map {
  struct weir_cl_command command;
  cl_mem mem;
  struct weir_cl_mapping mapping;
};

static struct weir_cl_box device_side(cl_mem m, const struct weir_cl_mapping *mapping) {
  struct weir_cl_box b = {.mem = m, .address = m->address, .row_bytes = m->row_bytes, .slice_bytes = m->slice_bytes};
  weir_cl_box_place(&b, mapping->origin, mapping->region);
  return b;
}

static struct weir_cl_box host_side(cl_mem m, const struct weir_cl_mapping *mapping) {
  struct weir_cl_box b = {.host = m->host_ptr, .row_bytes = m->host_row_bytes, .slice_bytes = m->host_slice_bytes};
  weir_cl_box_place(&b, mapping->origin, mapping->region);
  return b;
}

// Memory that the program has not brought is the driver's own, and pinned.
static cl_int bring(struct weir_cl_command *c) {
  const struct map *m = (const struct map *)c;
  if (m->mapping.flags & CL_MAP_WRITE_INVALIDATE_REGION) return CL_SUCCESS;
  weir_cl_box_copied(c, !m->mem->pinned, false, m->mem->host_ptr, m->mapping.region);
  if (!m->mem->host_ptr) return CL_SUCCESS;
  const struct weir_cl_box device = device_side(m->mem, &m->mapping), host = host_side(m->mem, &m->mapping);
  weir_cl_box_copy(&device, &host, m->mapping.region);
  return CL_SUCCESS;
}

static cl_int bring_back(struct weir_cl_command *c) {
  const struct map *m = (const struct map *)c;
  if (!(m->mapping.flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION))) return CL_SUCCESS;
  const struct weir_cl_box device = device_side(m->mem, &m->mapping);
  if (m->mem->host_ptr) {
    const struct weir_cl_box host = host_side(m->mem, &m->mapping);
    weir_cl_box_copy(&host, &device, m->mapping.region);
  } else {
    weir_cl_box_wrote(&device, m->mapping.region);
  }
  weir_cl_box_copied(c, false, !m->mem->pinned, m->mem->host_ptr, m->mapping.region);
  return CL_SUCCESS;
}

static void discard(struct weir_cl_command *c) {
  weir_cl_mem_release(((struct map *)c)->mem);
}

static cl_int enqueue(cl_command_queue q, cl_command_type type, cl_mem m, const struct weir_cl_mapping *mapping,
                      bool blocking, cl_uint wait_count, const cl_event *waits, cl_event *event) {
  struct map *c =
    weir_cl_command_new(sizeof *c, q, type, type == CL_COMMAND_UNMAP_MEM_OBJECT ? bring_back : bring, discard);
  c->mem = m;
  weir_cl_mem_retain(m);
  c->mapping = *mapping;
  return weir_cl_enqueue(&c->command, wait_count, waits, blocking, event);
}

static cl_int check_flags(cl_mem m, cl_map_flags flags) {
  const cl_map_flags both = CL_MAP_READ | CL_MAP_WRITE;
  if (!flags || (flags & ~(both | CL_MAP_WRITE_INVALIDATE_REGION))) return CL_INVALID_VALUE;
  if ((flags & CL_MAP_WRITE_INVALIDATE_REGION) && (flags & both)) return CL_INVALID_VALUE;
  return weir_cl_mem_check_access(m, flags & CL_MAP_READ, flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION));
}

void *weir_cl_map(cl_command_queue q, cl_command_type type, cl_mem m, cl_map_flags flags, const size_t origin[3],
                  const size_t region[3], bool blocking, cl_uint wait_count, const cl_event *waits, cl_event *event,
                  cl_int *errcode_ret) {
  cl_int code = check_flags(m, flags);
  if (code != CL_SUCCESS) return weir_cl_refuse(errcode_ret, code);
  struct weir_cl_mapping mapping = {.flags = flags};
  memcpy(mapping.origin, origin, sizeof mapping.origin);
  memcpy(mapping.region, region, sizeof mapping.region);
  if (m->host_ptr) {
    mapping.pointer = host_side(m, &mapping).host;
  } else {
    const struct weir_cl_box b = device_side(m, &mapping);
    mapping.pointer = weir_device_at(weir_cl_modelled(), b.address, weir_cl_box_bytes(&b, region));
  }
  code = enqueue(q, type, m, &mapping, blocking, wait_count, waits, event);
  if (code != CL_SUCCESS) return weir_cl_refuse(errcode_ret, code);
  *weir_push(m->mappings, m->mapping_count, m->mapping_capacity) = mapping;
  weir_cl_code(errcode_ret, CL_SUCCESS);
  return mapping.pointer;
}

CL_API_ENTRY void *CL_API_CALL clEnqueueMapBuffer(cl_command_queue q, cl_mem m, cl_bool blocking, cl_map_flags flags,
                                                  size_t offset, size_t size, cl_uint wait_count, const cl_event *waits,
                                                  cl_event *event, cl_int *errcode_ret) {
  WEIR_CL_ENTER;
  cl_int code = weir_cl_mem_check_queue(q, m);
  if (code == CL_SUCCESS && !weir_cl_is_buffer(m)) code = CL_INVALID_MEM_OBJECT;
  if (code == CL_SUCCESS && (!size || offset > m->size || size > m->size - offset)) code = CL_INVALID_VALUE;
  if (code != CL_SUCCESS) return weir_cl_refuse(errcode_ret, code);
  return weir_cl_map(q, CL_COMMAND_MAP_BUFFER, m, flags, (size_t[]){offset, 0, 0}, (size_t[]){size, 1, 1}, blocking,
                     wait_count, waits, event, errcode_ret);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueUnmapMemObject(cl_command_queue q, cl_mem m, void *pointer, cl_uint wait_count,
                                                        const cl_event *waits, cl_event *event) {
  WEIR_CL_ENTER;
  const cl_int checked = weir_cl_mem_check_queue(q, m);
  if (checked != CL_SUCCESS) return checked;
  for (size_t i = 0; i < m->mapping_count; i++) {
    if (!pointer || m->mappings[i].pointer != pointer) continue;
    const struct weir_cl_mapping mapping = m->mappings[i];
    const cl_int code = enqueue(q, CL_COMMAND_UNMAP_MEM_OBJECT, m, &mapping, false, wait_count, waits, event);
    if (code == CL_SUCCESS) m->mappings[i] = m->mappings[--m->mapping_count];
    return code;
  }
  return CL_INVALID_VALUE;
}

// There is one device, and every object is always there.
CL_API_ENTRY cl_int CL_API_CALL clEnqueueMigrateMemObjects(cl_command_queue q, cl_uint count, const cl_mem *objects,
                                                           cl_mem_migration_flags flags, cl_uint wait_count,
                                                           const cl_event *waits, cl_event *event) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(q, QUEUE)) return CL_INVALID_COMMAND_QUEUE;
  const cl_mem_migration_flags known = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
  if (!count || !objects || (flags & ~known)) return CL_INVALID_VALUE;
  for (cl_uint i = 0; i < count; i++) {
    const cl_int code = weir_cl_mem_check_queue(q, objects[i]);
    if (code != CL_SUCCESS) return code;
  }
  struct weir_cl_command *c = weir_cl_command_new(sizeof *c, q, CL_COMMAND_MIGRATE_MEM_OBJECTS, NULL, NULL);
  return weir_cl_enqueue(c, wait_count, waits, false, event);
}
