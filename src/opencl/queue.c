// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "opencl/command.h"

#include "base/alloc.h"

#include <string.h>

void weir_cl_queue_retain(cl_command_queue q) {
  q->object.references++;
}

void weir_cl_queue_release(cl_command_queue q) {
  if (!weir_cl_head_release(&q->object)) return;
  weir_cl_context_release(q->context);
  weir_cl_line_close(q);
  weir_free(q->list);
  weir_free(q);
}

static cl_int check(cl_context c, cl_device_id device) {
  if (!weir_cl_is(c, CONTEXT)) return CL_INVALID_CONTEXT;
  return weir_cl_is(device, DEVICE) ? CL_SUCCESS : CL_INVALID_DEVICE;
}

static cl_command_queue create(cl_context c, cl_command_queue_properties properties, cl_int *errcode_ret) {
  if (properties &
      ~(cl_command_queue_properties)(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE |
                                     CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT))
    return weir_cl_refuse(errcode_ret, CL_INVALID_VALUE);
  if (properties & (CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT))
    return weir_cl_refuse(errcode_ret, CL_INVALID_QUEUE_PROPERTIES);
  static unsigned queues;
  cl_command_queue q = weir_new(struct _cl_command_queue);
  weir_cl_head_init(&q->object, WEIR_CL_MAGIC_QUEUE);
  q->context = c;
  q->properties = properties;
  q->number = ++queues;
  q->line = (struct weir_stream){.kind = WEIR_STREAM_NON_BLOCKING, .number = q->number};
  weir_cl_context_retain(c);
  weir_cl_code(errcode_ret, CL_SUCCESS);
  return q;
}

CL_API_ENTRY cl_command_queue CL_API_CALL clCreateCommandQueue(cl_context c, cl_device_id device,
                                                               cl_command_queue_properties properties,
                                                               cl_int *errcode_ret) {
  WEIR_CL_ENTER;
  const cl_int code = check(c, device);
  return code == CL_SUCCESS ? create(c, properties, errcode_ret) : weir_cl_refuse(errcode_ret, code);
}

CL_API_ENTRY cl_command_queue CL_API_CALL clCreateCommandQueueWithProperties(cl_context c, cl_device_id device,
                                                                             const cl_queue_properties *list,
                                                                             cl_int *errcode_ret) {
  WEIR_CL_ENTER;
  const cl_int code = check(c, device);
  if (code != CL_SUCCESS) return weir_cl_refuse(errcode_ret, code);
  cl_command_queue_properties properties = 0;
  unsigned count = 0;
  for (; list && list[count]; count += 2) {
    if (list[count] == CL_QUEUE_SIZE) return weir_cl_refuse(errcode_ret, CL_INVALID_QUEUE_PROPERTIES);
    if (list[count] != CL_QUEUE_PROPERTIES) return weir_cl_refuse(errcode_ret, CL_INVALID_VALUE);
    properties = list[count + 1];
  }
  cl_command_queue q = create(c, properties, errcode_ret);
  if (q && list) {
    q->list_count = count + 1;
    q->list = weir_new_array(cl_queue_properties, q->list_count);
    memcpy(q->list, list, q->list_count * sizeof *list);
  }
  return q;
}

CL_API_ENTRY cl_int CL_API_CALL clRetainCommandQueue(cl_command_queue q) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(q, QUEUE)) return CL_INVALID_COMMAND_QUEUE;
  weir_cl_queue_retain(q);
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseCommandQueue(cl_command_queue q) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(q, QUEUE)) return CL_INVALID_COMMAND_QUEUE;
  weir_cl_queue_release(q);
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetCommandQueueInfo(cl_command_queue q, cl_command_queue_info key, size_t size,
                                                      void *to, size_t *size_ret) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(q, QUEUE)) return CL_INVALID_COMMAND_QUEUE;
  switch (key) {
  case CL_QUEUE_CONTEXT: return WEIR_CL_ANSWER(cl_context, q->context);
  case CL_QUEUE_DEVICE: return WEIR_CL_ANSWER(cl_device_id, &weir_cl_device);
  case CL_QUEUE_REFERENCE_COUNT: return WEIR_CL_ANSWER(cl_uint, q->object.references);
  case CL_QUEUE_PROPERTIES: return WEIR_CL_ANSWER(cl_command_queue_properties, q->properties);
  case CL_QUEUE_PROPERTIES_ARRAY: return weir_cl_answer(q->list, q->list_count * sizeof *q->list, size, to, size_ret);
  default: return CL_INVALID_VALUE;
  }
}

CL_API_ENTRY cl_int CL_API_CALL clSetCommandQueueProperty(cl_command_queue q, cl_command_queue_properties properties,
                                                          cl_bool enable, cl_command_queue_properties *old) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(q, QUEUE)) return CL_INVALID_COMMAND_QUEUE;
  if (properties & ~(cl_command_queue_properties)(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE))
    return CL_INVALID_VALUE;
  if (old) *old = q->properties;
  q->properties = enable ? q->properties | properties : q->properties & ~properties;
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clSetDefaultDeviceCommandQueue(cl_context c, cl_device_id device, cl_command_queue q) {
  const cl_int code = check(c, device);
  return code != CL_SUCCESS ? code : weir_cl_is(q, QUEUE) ? CL_INVALID_OPERATION : CL_INVALID_COMMAND_QUEUE;
}

// Nothing is held back: what can run has run.
CL_API_ENTRY cl_int CL_API_CALL clFlush(cl_command_queue q) {
  WEIR_CL_ENTER;
  return weir_cl_is(q, QUEUE) ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
}

// As drivers of real devices do: a command that nobody waited for and that failed is told here.
CL_API_ENTRY cl_int CL_API_CALL clFinish(cl_command_queue q) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(q, QUEUE)) return CL_INVALID_COMMAND_QUEUE;
  weir_cl_queue_retain(q);
  while (weir_cl_queue_busy(q)) weir_cl_wait("clFinish");
  weir_cl_line_wait(q);
  const cl_int failed = q->failed;
  q->failed = CL_SUCCESS;
  weir_cl_queue_release(q);
  return failed == CL_SUCCESS ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
}
