// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "opencl/context.h"

#include "base/alloc.h"

void weir_cl_context_retain(cl_context c) {
  c->object.references++;
}

// The last callback registered is called first (OpenCL 3.0 section 4.4).
static void end(void *data) {
  cl_context c = data;
  for (size_t i = c->destructor_count; i-- > 0;) c->destructors[i].call(c, c->destructors[i].user_data);
  weir_free(c->destructors);
  weir_free(c);
}

void weir_cl_context_release(cl_context c) {
  if (weir_cl_head_release(&c->object)) weir_cl_later(end, c);
}

struct notice {
  void(CL_CALLBACK *notify)(const char *what, const void *private_info, size_t bytes, void *user_data);
  void *user_data;
  const char *what;
};

static void deliver(void *data) {
  struct notice *n = data;
  n->notify(n->what, NULL, 0, n->user_data);
  weir_free(n);
}

void weir_cl_context_notify(cl_context c, const char *what) {
  if (!c->notify) return;
  struct notice *n = weir_new(struct notice);
  *n = (struct notice){c->notify, c->user_data, what};
  weir_cl_later(deliver, n);
}

static cl_int read_properties(cl_context c, const cl_context_properties *p) {
  if (!p) return CL_SUCCESS;
  bool platform = false, sync = false;
  for (; *p; p += 2) {
    bool *seen;
    if (p[0] == CL_CONTEXT_PLATFORM) {
      seen = &platform;
      if (p[1] != (cl_context_properties)&weir_cl_platform) return CL_INVALID_PLATFORM;
    } else if (p[0] == CL_CONTEXT_INTEROP_USER_SYNC) {
      seen = &sync;
    } else {
      return CL_INVALID_PROPERTY;
    }
    if (*seen) return CL_INVALID_PROPERTY;
    *seen = true;
    c->properties[c->property_count++] = p[0];
    c->properties[c->property_count++] = p[1];
  }
  c->property_count++;
  return CL_SUCCESS;
}

static cl_context create(const cl_context_properties *properties,
                         void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user_data,
                         cl_int *errcode_ret) {
  if (!notify && user_data) return weir_cl_refuse(errcode_ret, CL_INVALID_VALUE);
  cl_context c = weir_new(struct _cl_context);
  const cl_int code = read_properties(c, properties);
  if (code != CL_SUCCESS) {
    weir_free(c);
    return weir_cl_refuse(errcode_ret, code);
  }
  weir_cl_head_init(&c->object, WEIR_CL_MAGIC_CONTEXT);
  c->notify = notify;
  c->user_data = user_data;
  weir_cl_code(errcode_ret, CL_SUCCESS);
  return c;
}

CL_API_ENTRY cl_context CL_API_CALL clCreateContext(
  const cl_context_properties *properties, cl_uint num_devices, const cl_device_id *devices,
  void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user_data, cl_int *errcode_ret) {
  WEIR_CL_ENTER;
  if (!devices || !num_devices) return weir_cl_refuse(errcode_ret, CL_INVALID_VALUE);
  if (!weir_cl_devices_valid(num_devices, devices)) return weir_cl_refuse(errcode_ret, CL_INVALID_DEVICE);
  if (!weir_cl_modelled()) return weir_cl_refuse(errcode_ret, CL_DEVICE_NOT_AVAILABLE);
  return create(properties, notify, user_data, errcode_ret);
}

CL_API_ENTRY cl_context CL_API_CALL clCreateContextFromType(
  const cl_context_properties *properties, cl_device_type device_type,
  void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user_data, cl_int *errcode_ret) {
  WEIR_CL_ENTER;
  const cl_int found = weir_cl_device_type(device_type);
  if (found != CL_SUCCESS) return weir_cl_refuse(errcode_ret, found);
  return create(properties, notify, user_data, errcode_ret);
}

CL_API_ENTRY cl_int CL_API_CALL clRetainContext(cl_context c) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(c, CONTEXT)) return CL_INVALID_CONTEXT;
  weir_cl_context_retain(c);
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseContext(cl_context c) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(c, CONTEXT)) return CL_INVALID_CONTEXT;
  weir_cl_context_release(c);
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetContextInfo(cl_context c, cl_context_info key, size_t size, void *to,
                                                 size_t *size_ret) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(c, CONTEXT)) return CL_INVALID_CONTEXT;
  switch (key) {
  case CL_CONTEXT_REFERENCE_COUNT: return WEIR_CL_ANSWER(cl_uint, c->object.references);
  case CL_CONTEXT_NUM_DEVICES: return WEIR_CL_ANSWER(cl_uint, 1);
  case CL_CONTEXT_DEVICES: return WEIR_CL_ANSWER(cl_device_id, &weir_cl_device);
  case CL_CONTEXT_PROPERTIES:
    return weir_cl_answer(c->properties, c->property_count * sizeof *c->properties, size, to, size_ret);
  default: return CL_INVALID_VALUE;
  }
}

CL_API_ENTRY cl_int CL_API_CALL clSetContextDestructorCallback(cl_context c,
                                                               void(CL_CALLBACK *call)(cl_context, void *),
                                                               void *user_data) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(c, CONTEXT)) return CL_INVALID_CONTEXT;
  if (!call) return CL_INVALID_VALUE;
  *weir_push(c->destructors, c->destructor_count, c->destructor_capacity) =
    (struct weir_cl_context_callback){call, user_data};
  return CL_SUCCESS;
}
