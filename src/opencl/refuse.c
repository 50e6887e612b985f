// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Calls of later versions (shared virtual memory, pipes, intermediate language) that a device of 1.2 does not serve.
// The loader passes them on all the same: each answers as OpenCL 3.0 asks of a device without that feature.
#include "opencl/kernel.h"

CL_API_ENTRY cl_mem CL_API_CALL clCreatePipe(cl_context c, cl_mem_flags flags, cl_uint packet_bytes, cl_uint packets,
                                             const cl_pipe_properties *properties, cl_int *errcode_ret) {
  (void)flags, (void)packet_bytes, (void)packets, (void)properties;
  return weir_cl_refuse(errcode_ret, weir_cl_is(c, CONTEXT) ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT);
}

CL_API_ENTRY cl_int CL_API_CALL clGetPipeInfo(cl_mem pipe, cl_pipe_info key, size_t size, void *to, size_t *size_ret) {
  (void)pipe, (void)key, (void)size, (void)to, (void)size_ret;
  return CL_INVALID_MEM_OBJECT;
}

CL_API_ENTRY void *CL_API_CALL clSVMAlloc(cl_context c, cl_svm_mem_flags flags, size_t size, cl_uint alignment) {
  (void)c, (void)flags, (void)size, (void)alignment;
  return NULL;
}

CL_API_ENTRY void CL_API_CALL clSVMFree(cl_context c, void *pointer) {
  (void)c, (void)pointer;
}

static cl_int refuse_command(cl_command_queue q) {
  return weir_cl_is(q, QUEUE) ? CL_INVALID_OPERATION : CL_INVALID_COMMAND_QUEUE;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMFree(cl_command_queue q, cl_uint count, void *pointers[],
                                                 void(CL_CALLBACK *call)(cl_command_queue, cl_uint, void *[], void *),
                                                 void *user_data, cl_uint wait_count, const cl_event *waits,
                                                 cl_event *event) {
  (void)count, (void)pointers, (void)call, (void)user_data, (void)wait_count, (void)waits, (void)event;
  return refuse_command(q);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMMemcpy(cl_command_queue q, cl_bool blocking, void *to, const void *from,
                                                   size_t size, cl_uint wait_count, const cl_event *waits,
                                                   cl_event *event) {
  (void)blocking, (void)to, (void)from, (void)size, (void)wait_count, (void)waits, (void)event;
  return refuse_command(q);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMMemFill(cl_command_queue q, void *to, const void *pattern,
                                                    size_t pattern_bytes, size_t size, cl_uint wait_count,
                                                    const cl_event *waits, cl_event *event) {
  (void)to, (void)pattern, (void)pattern_bytes, (void)size, (void)wait_count, (void)waits, (void)event;
  return refuse_command(q);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMMap(cl_command_queue q, cl_bool blocking, cl_map_flags flags, void *pointer,
                                                size_t size, cl_uint wait_count, const cl_event *waits,
                                                cl_event *event) {
  (void)blocking, (void)flags, (void)pointer, (void)size, (void)wait_count, (void)waits, (void)event;
  return refuse_command(q);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMUnmap(cl_command_queue q, void *pointer, cl_uint wait_count,
                                                  const cl_event *waits, cl_event *event) {
  (void)pointer, (void)wait_count, (void)waits, (void)event;
  return refuse_command(q);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMMigrateMem(cl_command_queue q, cl_uint count, const void **pointers,
                                                       const size_t *sizes, cl_mem_migration_flags flags,
                                                       cl_uint wait_count, const cl_event *waits, cl_event *event) {
  (void)count, (void)pointers, (void)sizes, (void)flags, (void)wait_count, (void)waits, (void)event;
  return refuse_command(q);
}

CL_API_ENTRY cl_int CL_API_CALL clSetKernelArgSVMPointer(cl_kernel k, cl_uint index, const void *value) {
  (void)index, (void)value;
  return weir_cl_is(k, KERNEL) ? CL_INVALID_OPERATION : CL_INVALID_KERNEL;
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithIL(cl_context c, const void *il, size_t bytes,
                                                          cl_int *errcode_ret) {
  (void)il, (void)bytes;
  return weir_cl_refuse(errcode_ret, weir_cl_is(c, CONTEXT) ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT);
}

CL_API_ENTRY cl_int CL_API_CALL clSetProgramReleaseCallback(cl_program p, void(CL_CALLBACK *call)(cl_program, void *),
                                                            void *user_data) {
  (void)call, (void)user_data;
  return weir_cl_is(p, PROGRAM) ? CL_INVALID_OPERATION : CL_INVALID_PROGRAM;
}

CL_API_ENTRY cl_int CL_API_CALL clSetProgramSpecializationConstant(cl_program p, cl_uint id, size_t size,
                                                                   const void *value) {
  (void)id, (void)size, (void)value;
  return weir_cl_is(p, PROGRAM) ? CL_INVALID_OPERATION : CL_INVALID_PROGRAM;
}
