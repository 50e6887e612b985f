// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Launches: arguments become parameters, and the modelled device runs the kernel to its end.
#include "opencl/ndrange.h"

#include "base/alloc.h"
#include "host/launch.h"

#include <string.h>

struct ndrange {
  struct weir_cl_command command;
  cl_kernel kernel;
  cl_mem *mems; // by argument
  struct weir_device_launch launch;
  struct weir_cl_ndrange facts;
};

static uint64_t device_value(cl_mem m) {
  return weir_cl_is_image(m) ? m->texture : m->address;
}

static cl_int execute(struct weir_cl_command *c) {
  const struct ndrange *n = (const struct ndrange *)c;
  struct weir_device *d = weir_cl_modelled();
  uint64_t bytes;
  const uint64_t address = weir_program_variable(n->launch.program, WEIR_CL_NDRANGE, &bytes);
  if (address) memcpy(weir_device_at(d, address, sizeof n->facts), &n->facts, sizeof n->facts);
  struct weir_device_launch launch = n->launch;
  launch.stream = c->line;
  const struct weir_device_result r = weir_device_launch(d, &launch);
  if (r.outcome == WEIR_LAUNCH_DONE) return CL_SUCCESS;
  weir_cl_context_notify(c->queue->context, "weir: a kernel did not run to its end; standard error says why");
  return CL_OUT_OF_RESOURCES;
}

static void discard(struct weir_cl_command *c) {
  struct ndrange *n = (struct ndrange *)c;
  for (uint32_t i = 0; i < n->launch.kernel->param_count; i++)
    if (n->mems[i]) weir_cl_mem_release(n->mems[i]);
  weir_free(n->mems);
  weir_free((void *)(uintptr_t)n->launch.params);
  weir_cl_kernel_release(n->kernel);
}

static void take_args(struct ndrange *n, cl_kernel k) {
  const uint32_t count = k->kernel->param_count;
  struct weir_arg *args = weir_new_array(struct weir_arg, count);
  uint64_t *values = weir_new_array(uint64_t, count);
  n->mems = weir_new_array(cl_mem, count);
  for (uint32_t i = 0; i < count; i++) {
    const struct weir_cl_set_arg *a = &k->args[i];
    args[i] = (struct weir_arg){a->value, a->bytes};
    if (!a->mem) continue;
    weir_cl_mem_retain(n->mems[i] = a->mem);
    values[i] = device_value(a->mem);
    args[i].bytes = &values[i];
  }
  void *params = weir_alloc_aligned(16, k->kernel->param_bytes);
  n->launch.dynamic_shared_bytes = weir_launch_pack(k->kernel, 0, args, count, params);
  n->launch.params = params;
  weir_free(args);
  weir_free(values);
}

static cl_int check_kernel(cl_command_queue q, cl_kernel k) {
  if (!weir_cl_is(q, QUEUE)) return CL_INVALID_COMMAND_QUEUE;
  if (!weir_cl_is(k, KERNEL)) return CL_INVALID_KERNEL;
  if (q->context != k->program->context) return CL_INVALID_CONTEXT;
  return weir_cl_modelled() ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
}

static cl_int enqueue(cl_command_queue q, cl_kernel k, cl_command_type type, cl_uint work_dim, const size_t *offset,
                      const size_t *global, const size_t *local, cl_uint wait_count, const cl_event *waits,
                      cl_event *event) {
  struct weir_cl_shape shape;
  cl_int code = check_kernel(q, k);
  if (code == CL_SUCCESS) code = weir_cl_ndrange_check_args(k);
  if (code == CL_SUCCESS) code = weir_cl_ndrange_shape(k, work_dim, offset, global, local, &shape);
  if (code != CL_SUCCESS) return code;
  struct ndrange *n = weir_cl_command_new(sizeof *n, q, type, execute, discard);
  n->kernel = k;
  weir_cl_kernel_retain(k);
  n->facts = shape.facts;
  n->launch.program = k->program->loaded;
  n->launch.kernel = k->kernel;
  n->launch.grid = shape.grid;
  n->launch.block = shape.block;
  take_args(n, k);
  return weir_cl_enqueue(&n->command, wait_count, waits, false, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue q, cl_kernel k, cl_uint work_dim,
                                                       const size_t *offset, const size_t *global, const size_t *local,
                                                       cl_uint wait_count, const cl_event *waits, cl_event *event) {
  WEIR_CL_ENTER;
  return enqueue(q, k, CL_COMMAND_NDRANGE_KERNEL, work_dim, offset, global, local, wait_count, waits, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueTask(cl_command_queue q, cl_kernel k, cl_uint wait_count,
                                              const cl_event *waits, cl_event *event) {
  WEIR_CL_ENTER;
  const size_t one = 1;
  return enqueue(q, k, CL_COMMAND_TASK, 1, NULL, &one, &one, wait_count, waits, event);
}

// The device runs kernels alone (CL_DEVICE_EXECUTION_CAPABILITIES).
CL_API_ENTRY cl_int CL_API_CALL clEnqueueNativeKernel(cl_command_queue q, void(CL_CALLBACK *function)(void *),
                                                      void *args, size_t bytes, cl_uint mem_count, const cl_mem *mems,
                                                      const void **places, cl_uint wait_count, const cl_event *waits,
                                                      cl_event *event) {
  (void)function, (void)args, (void)bytes, (void)mem_count, (void)mems, (void)places, (void)wait_count, (void)waits,
    (void)event;
  return weir_cl_is(q, QUEUE) ? CL_INVALID_OPERATION : CL_INVALID_COMMAND_QUEUE;
}
