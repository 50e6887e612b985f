// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "opencl/ndrange.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// A group of at most so many work-items where the program leaves the choice open: enough warps to hide latency, small
// enough that several are resident.
enum { CHOSEN_GROUP = 256 };

// PTX ISA: blocks have at most 64 threads in z, grids at most 65535 blocks in y and z. Device code's global ids are 32
// bits wide (compile.h).
enum { MAX_GROUP_Z = 64, MAX_GROUPS_YZ = 65535, MAX_ID = INT32_MAX };

static cl_int refuse(cl_kernel k, cl_int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

static cl_int refuse(cl_kernel k, cl_int code, const char *format, ...) {
  char why[200];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(why, sizeof why, format, arguments);
  va_end(arguments);
  weir_device_say("OpenCL kernel '%s' is not started (error %d): %s", k->kernel->name, code, why);
  return code;
}

static size_t largest_divisor(size_t n, size_t most) {
  for (size_t d = most < n ? most : n; d > 1; d--)
    if (n % d == 0) return d;
  return 1;
}

static void choose_local(cl_kernel k, const size_t global[3], size_t local[3]) {
  size_t room = weir_cl_kernel_group_size(k);
  if (room > CHOSEN_GROUP) room = CHOSEN_GROUP;
  for (unsigned i = 0; i < 3; i++) {
    local[i] = largest_divisor(global[i], i == 2 && room > MAX_GROUP_Z ? MAX_GROUP_Z : room);
    room /= local[i];
  }
}

static cl_int check_global(cl_kernel k, cl_uint work_dim, const size_t *offset, const size_t *global) {
  if (work_dim < 1 || work_dim > 3) return refuse(k, CL_INVALID_WORK_DIMENSION, "%u dimensions", work_dim);
  if (!global) return refuse(k, CL_INVALID_GLOBAL_WORK_SIZE, "no global size");
  for (cl_uint i = 0; i < work_dim; i++) {
    if (!global[i] || global[i] > MAX_ID)
      return refuse(k, CL_INVALID_GLOBAL_WORK_SIZE, "%zu work-items in dimension %u", global[i], i);
    if (offset && offset[i] > MAX_ID - global[i])
      return refuse(k, CL_INVALID_GLOBAL_OFFSET, "with offset %zu, ids in dimension %u exceed 2^31 - 1", offset[i], i);
  }
  return CL_SUCCESS;
}

static cl_int check_required(cl_kernel k, bool given, const size_t local[3]) {
  size_t r[3];
  weir_cl_kernel_required(k, r);
  if (!r[0] || (given && !memcmp(r, local, sizeof r))) return CL_SUCCESS;
  return refuse(k, CL_INVALID_WORK_GROUP_SIZE, "it requires work-groups of %zu x %zu x %zu", r[0], r[1], r[2]);
}

static cl_int check_local(cl_kernel k, const size_t global[3], const size_t local[3]) {
  const struct weir_device_facts f = weir_device_facts(weir_cl_modelled());
  const size_t most[3] = {f.max_block_threads, f.max_block_threads, MAX_GROUP_Z};
  size_t items = 1;
  for (unsigned i = 0; i < 3; i++) {
    if (local[i] > most[i])
      return refuse(k, CL_INVALID_WORK_ITEM_SIZE, "a work-group has at most %zu work-items in dimension %u, not %zu",
                    most[i], i, local[i]);
    if (!local[i] || global[i] % local[i])
      return refuse(k, CL_INVALID_WORK_GROUP_SIZE, "work-groups of %zu do not divide %zu work-items in dimension %u",
                    local[i], global[i], i);
    items *= local[i];
  }
  const size_t room = weir_cl_kernel_group_size(k);
  if (items > room)
    return refuse(k, CL_INVALID_WORK_GROUP_SIZE,
                  "work-groups of %zu; a core has room for %zu (CL_KERNEL_WORK_GROUP_SIZE)", items, room);
  return CL_SUCCESS;
}

static cl_int to_grid(cl_kernel k, const size_t global[3], const size_t local[3], struct weir_dim *grid) {
  const size_t n[3] = {global[0] / local[0], global[1] / local[1], global[2] / local[2]};
  *grid = (struct weir_dim){(uint32_t)n[0], (uint32_t)n[1], (uint32_t)n[2]};
  for (unsigned i = 1; i < 3; i++)
    if (n[i] > MAX_GROUPS_YZ)
      return refuse(k, CL_INVALID_GLOBAL_WORK_SIZE, "%zu work-groups in dimension %u; at most %d", n[i], i,
                    MAX_GROUPS_YZ);
  return CL_SUCCESS;
}

cl_int weir_cl_ndrange_shape(cl_kernel k, cl_uint work_dim, const size_t *offset, const size_t *given_global,
                             const size_t *given_local, struct weir_cl_shape *shape) {
  cl_int code = check_global(k, work_dim, offset, given_global);
  if (code != CL_SUCCESS) return code;
  size_t global[3] = {1, 1, 1}, local[3] = {1, 1, 1};
  memcpy(global, given_global, work_dim * sizeof *global);
  if (given_local)
    memcpy(local, given_local, work_dim * sizeof *local);
  else
    choose_local(k, global, local);
  code = check_required(k, given_local, local);
  if (code == CL_SUCCESS) code = check_local(k, global, local);
  if (code == CL_SUCCESS) code = to_grid(k, global, local, &shape->grid);
  shape->block = (struct weir_dim){(uint32_t)local[0], (uint32_t)local[1], (uint32_t)local[2]};
  shape->facts = (struct weir_cl_ndrange){.work_dim = work_dim};
  for (cl_uint i = 0; offset && i < work_dim; i++) shape->facts.global_offset[i] = (uint32_t)offset[i];
  return code;
}

cl_int weir_cl_ndrange_check_args(cl_kernel k) {
  for (uint32_t i = 0; i < k->kernel->param_count; i++) {
    const char *name = k->info ? k->info->args[i].name : k->kernel->params[i].name;
    if (!k->args[i].set) return refuse(k, CL_INVALID_KERNEL_ARGS, "argument %" PRIu32 " ('%s') is not set", i, name);
    if (k->args[i].mem && !weir_cl_mem_lives(k->args[i].mem))
      return refuse(k, CL_INVALID_KERNEL_ARGS, "argument %" PRIu32 " ('%s') has been released", i, name);
  }
  const struct weir_device_facts f = weir_device_facts(weir_cl_modelled());
  const uint64_t local = weir_cl_kernel_local_bytes(k);
  if (local <= f.block_shared_bytes) return CL_SUCCESS;
  return refuse(k, CL_OUT_OF_RESOURCES, "%" PRIu64 " bytes of local memory; a core has %" PRIu32, local,
                f.block_shared_bytes);
}
