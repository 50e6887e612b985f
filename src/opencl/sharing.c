// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Extensions that share objects with graphics interfaces: the device has none of them, and says so.
#include "opencl/sharing.h"
#include "opencl/mem.h"

static cl_mem refuse_mem(cl_context c, cl_int *errcode_ret) {
  return weir_cl_refuse(errcode_ret, weir_cl_is(c, CONTEXT) ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT);
}

static cl_int refuse_command(cl_command_queue q) {
  return weir_cl_is(q, QUEUE) ? CL_INVALID_OPERATION : CL_INVALID_COMMAND_QUEUE;
}

static cl_event refuse_event(cl_context c, cl_int *errcode_ret) {
  return weir_cl_refuse(errcode_ret, weir_cl_is(c, CONTEXT) ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT);
}

// Direct3D's: no program of this system can be compiled to call them, so that what they are given is never looked at.
cl_int weir_cl_refuse_call(void) {
  return CL_INVALID_OPERATION;
}

void *weir_cl_refuse_handle(void) {
  return NULL;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateFromGLBuffer(cl_context c, cl_mem_flags flags, cl_GLuint object,
                                                     cl_int *errcode_ret) {
  (void)flags, (void)object;
  return refuse_mem(c, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateFromGLTexture(cl_context c, cl_mem_flags flags, cl_GLenum target,
                                                      cl_GLint level, cl_GLuint texture, cl_int *errcode_ret) {
  (void)flags, (void)target, (void)level, (void)texture;
  return refuse_mem(c, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateFromGLTexture2D(cl_context c, cl_mem_flags flags, cl_GLenum target,
                                                        cl_GLint level, cl_GLuint texture, cl_int *errcode_ret) {
  return clCreateFromGLTexture(c, flags, target, level, texture, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateFromGLTexture3D(cl_context c, cl_mem_flags flags, cl_GLenum target,
                                                        cl_GLint level, cl_GLuint texture, cl_int *errcode_ret) {
  return clCreateFromGLTexture(c, flags, target, level, texture, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateFromGLRenderbuffer(cl_context c, cl_mem_flags flags, cl_GLuint buffer,
                                                           cl_int *errcode_ret) {
  return clCreateFromGLBuffer(c, flags, buffer, errcode_ret);
}

CL_API_ENTRY cl_int CL_API_CALL clGetGLObjectInfo(cl_mem m, cl_gl_object_type *type, cl_GLuint *name) {
  (void)type, (void)name;
  return weir_cl_is(m, MEM) ? CL_INVALID_GL_OBJECT : CL_INVALID_MEM_OBJECT;
}

CL_API_ENTRY cl_int CL_API_CALL clGetGLTextureInfo(cl_mem m, cl_gl_texture_info key, size_t size, void *to,
                                                   size_t *size_ret) {
  (void)key, (void)size, (void)to, (void)size_ret;
  return weir_cl_is(m, MEM) ? CL_INVALID_GL_OBJECT : CL_INVALID_MEM_OBJECT;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueAcquireGLObjects(cl_command_queue q, cl_uint count, const cl_mem *objects,
                                                          cl_uint wait_count, const cl_event *waits, cl_event *event) {
  (void)count, (void)objects, (void)wait_count, (void)waits, (void)event;
  return refuse_command(q);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReleaseGLObjects(cl_command_queue q, cl_uint count, const cl_mem *objects,
                                                          cl_uint wait_count, const cl_event *waits, cl_event *event) {
  return clEnqueueAcquireGLObjects(q, count, objects, wait_count, waits, event);
}

CL_API_ENTRY cl_int CL_API_CALL clGetGLContextInfoKHR(const cl_context_properties *properties, cl_gl_context_info key,
                                                      size_t size, void *to, size_t *size_ret) {
  (void)properties, (void)key, (void)size, (void)to, (void)size_ret;
  return CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR;
}

CL_API_ENTRY cl_event CL_API_CALL clCreateEventFromGLsyncKHR(cl_context c, cl_GLsync sync, cl_int *errcode_ret) {
  (void)sync;
  return refuse_event(c, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateFromEGLImageKHR(cl_context c, CLeglDisplayKHR display, CLeglImageKHR image,
                                                        cl_mem_flags flags,
                                                        const cl_egl_image_properties_khr *properties,
                                                        cl_int *errcode_ret) {
  (void)display, (void)image, (void)flags, (void)properties;
  return refuse_mem(c, errcode_ret);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueAcquireEGLObjectsKHR(cl_command_queue q, cl_uint count, const cl_mem *objects,
                                                              cl_uint wait_count, const cl_event *waits,
                                                              cl_event *event) {
  return clEnqueueAcquireGLObjects(q, count, objects, wait_count, waits, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReleaseEGLObjectsKHR(cl_command_queue q, cl_uint count, const cl_mem *objects,
                                                              cl_uint wait_count, const cl_event *waits,
                                                              cl_event *event) {
  return clEnqueueAcquireGLObjects(q, count, objects, wait_count, waits, event);
}

CL_API_ENTRY cl_event CL_API_CALL clCreateEventFromEGLSyncKHR(cl_context c, CLeglSyncKHR sync, CLeglDisplayKHR display,
                                                              cl_int *errcode_ret) {
  (void)sync, (void)display;
  return refuse_event(c, errcode_ret);
}
