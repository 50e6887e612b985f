// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// clEnqueueNDRangeKernel: from work-items and work-groups to threads and blocks.
#include "opencl/kernel.h"

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

// A group of at most so many work-items where the program leaves the choice open: enough warps to hide latency, small
// enough that several are resident.
enum { CHOSEN_GROUP = 256 };

static size_t largest_divisor(size_t n, size_t most) {
  for (size_t d = most < n ? most : n; d > 1; d--)
    if (n % d == 0) return d;
  return 1;
}

static void choose_local(cl_kernel k, const size_t global[3], size_t local[3]) {
  size_t room = weir_cl_kernel_group_size(k);
  if (room > CHOSEN_GROUP) room = CHOSEN_GROUP;
  for (unsigned i = 0; i < 3; i++) {
    local[i] = largest_divisor(global[i], i == 2 && room > 64 ? 64 : room);
    room /= local[i];
  }
}

// Device code's global ids are 32 bits wide (compile.h).
static cl_int check_global(cl_uint work_dim, const size_t *offset, const size_t *global) {
  if (work_dim < 1 || work_dim > 3) return CL_INVALID_WORK_DIMENSION;
  if (!global) return CL_INVALID_GLOBAL_WORK_SIZE;
  for (cl_uint i = 0; i < work_dim; i++) {
    if (!global[i] || global[i] > INT32_MAX) return CL_INVALID_GLOBAL_WORK_SIZE;
    if (offset && offset[i] > INT32_MAX - global[i]) return CL_INVALID_GLOBAL_OFFSET;
  }
  return CL_SUCCESS;
}

// `given` is NULL where the program left the choice open.
static cl_int check_local(cl_kernel k, const size_t *given, const size_t global[3], const size_t local[3]) {
  size_t required[3];
  weir_cl_kernel_required(k, required);
  if (required[0] && (!given || memcmp(required, local, sizeof required) != 0)) return CL_INVALID_WORK_GROUP_SIZE;
  const struct weir_device_facts f = weir_device_facts(weir_cl_modelled());
  const size_t most[3] = {f.max_block_threads, f.max_block_threads, 64};
  size_t items = 1;
  for (unsigned i = 0; i < 3; i++) {
    if (!local[i]) return CL_INVALID_WORK_GROUP_SIZE;
    if (local[i] > most[i]) return CL_INVALID_WORK_ITEM_SIZE;
    items *= local[i];
  }
  if (items > weir_cl_kernel_group_size(k)) return CL_INVALID_WORK_GROUP_SIZE;
  for (unsigned i = 0; i < 3; i++)
    if (global[i] % local[i]) return CL_INVALID_WORK_GROUP_SIZE;
  return CL_SUCCESS;
}

static cl_int check_args(cl_kernel k) {
  for (uint32_t i = 0; i < k->kernel->param_count; i++)
    if (!k->args[i].set || (k->args[i].mem && !weir_cl_mem_lives(k->args[i].mem))) return CL_INVALID_KERNEL_ARGS;
  const struct weir_device_facts f = weir_device_facts(weir_cl_modelled());
  return weir_cl_kernel_local_bytes(k) <= f.shared_bytes ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
}

// PTX ISA: grids have at most 2³¹ − 1 blocks in x and 65535 in y and z.
static bool to_grid(const size_t global[3], const size_t local[3], struct weir_dim *grid) {
  const size_t n[3] = {global[0] / local[0], global[1] / local[1], global[2] / local[2]};
  *grid = (struct weir_dim){(uint32_t)n[0], (uint32_t)n[1], (uint32_t)n[2]};
  return n[0] <= INT32_MAX && n[1] <= UINT16_MAX && n[2] <= UINT16_MAX;
}

static uint64_t device_value(cl_mem m) {
  return weir_cl_is_image(m) ? m->texture : m->address;
}

static cl_int execute(struct weir_cl_command *c) {
  const struct ndrange *n = (const struct ndrange *)c;
  struct weir_device *d = weir_cl_modelled();
  uint64_t bytes;
  const uint64_t address = weir_program_variable(n->launch.program, WEIR_CL_NDRANGE, &bytes);
  if (address) memcpy(weir_device_at(d, address, sizeof n->facts), &n->facts, sizeof n->facts);
  const struct weir_device_result r = weir_device_launch(d, &n->launch);
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
                      const size_t *given_global, const size_t *given_local, cl_uint wait_count, const cl_event *waits,
                      cl_event *event) {
  cl_int code = check_kernel(q, k);
  if (code == CL_SUCCESS) code = check_args(k);
  if (code == CL_SUCCESS) code = check_global(work_dim, offset, given_global);
  if (code != CL_SUCCESS) return code;
  size_t global[3] = {1, 1, 1}, local[3] = {1, 1, 1};
  memcpy(global, given_global, work_dim * sizeof *global);
  if (given_local)
    memcpy(local, given_local, work_dim * sizeof *local);
  else
    choose_local(k, global, local);
  code = check_local(k, given_local, global, local);
  struct weir_dim grid;
  if (code == CL_SUCCESS && !to_grid(global, local, &grid)) code = CL_INVALID_GLOBAL_WORK_SIZE;
  if (code != CL_SUCCESS) return code;
  struct ndrange *n = weir_cl_command_new(sizeof *n, q, type, execute, discard);
  n->kernel = k;
  weir_cl_kernel_retain(k);
  n->launch.program = k->program->loaded;
  n->launch.kernel = k->kernel;
  n->launch.grid = grid;
  n->launch.block = (struct weir_dim){(uint32_t)local[0], (uint32_t)local[1], (uint32_t)local[2]};
  n->facts.work_dim = work_dim;
  for (cl_uint i = 0; offset && i < work_dim; i++) n->facts.global_offset[i] = (uint32_t)offset[i];
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
