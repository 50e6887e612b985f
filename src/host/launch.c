// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "host/launch.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "host/host_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// Limits of every PTX target since sm_30 (CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability").
enum { MAX_BLOCK_THREADS = 1024, MAX_BLOCK_Z = 64, MAX_GRID_X = INT32_MAX, MAX_GRID_YZ = 65535 };

// The widest access to shared memory, and so the strictest alignment that a __local argument can need.
enum { LOCAL_ARG_ALIGN = 16 };

enum { MAX_SHARED_BYTES = 1 << 20 }; // the generic window (exec/memory.h)

static uint32_t one_if_zero(uint32_t n) {
  return n ? n : 1;
}

static uint64_t threads(const struct weir_dim *d) {
  return (uint64_t)one_if_zero(d->x) * one_if_zero(d->y) * one_if_zero(d->z);
}

const struct weir_kernel *weir_launch_kernel(const struct weir_program *p, const char *name, struct weir_place place,
                                             struct weir_sink *sink) {
  const struct weir_kernel *k = weir_program_kernel(p, name);
  if (k) return k;
  uint32_t count;
  const struct weir_kernel *all = weir_program_kernels(p, &count);
  const char **names = weir_new_array(const char *, count);
  for (uint32_t i = 0; i < count; i++) names[i] = all[i].name;
  enum { SUGGESTING_ERRORS = 20 }; // to look for near names takes its time
  const char *nearest = sink->errors < SUGGESTING_ERRORS ? weir_nearest(name, names, count) : NULL;
  if (!count)
    weir_fail(sink, place, "%s has no kernel at all", weir_program_path(p));
  else if (nearest)
    weir_fail(sink, place, "%s has no kernel '%s'; did you mean '%s'?", weir_program_path(p), name, nearest);
  else
    weir_fail(sink, place, "%s has no kernel '%s'; its first is '%s'", weir_program_path(p), name, names[0]);
  weir_free(names);
  return NULL;
}

static bool check_grid(const struct weir_dim *grid, struct weir_place place, struct weir_sink *sink) {
  if (grid->x <= MAX_GRID_X && grid->y <= MAX_GRID_YZ && grid->z <= MAX_GRID_YZ) return true;
  return weir_fail(sink, place, "a grid of %" PRIu32 " × %" PRIu32 " × %" PRIu32 " blocks is larger than %d × %d × %d",
                   grid->x, grid->y, grid->z, MAX_GRID_X, MAX_GRID_YZ, MAX_GRID_YZ);
}

// .reqntid is met dimension by dimension, .maxntid by the number of threads (PTX ISA, "Performance-Tuning Directives").
static bool check_block(const struct weir_kernel *k, const struct weir_dim *block, struct weir_place place,
                        struct weir_sink *sink) {
  uint64_t n = threads(block);
  if (block->x > MAX_BLOCK_THREADS || block->y > MAX_BLOCK_THREADS || block->z > MAX_BLOCK_Z || n > MAX_BLOCK_THREADS)
    return weir_fail(
      sink, place,
      "a block of %" PRIu32 " × %" PRIu32 " × %" PRIu32 " threads is too large: at most %d in all, and %d in z",
      one_if_zero(block->x), one_if_zero(block->y), one_if_zero(block->z), MAX_BLOCK_THREADS, MAX_BLOCK_Z);
  const uint32_t *r = k->reqntid, *m = k->maxntid;
  if (r[0] &&
      (one_if_zero(block->x) != r[0] || one_if_zero(block->y) != one_if_zero(r[1]) ||
       one_if_zero(block->z) != one_if_zero(r[2])))
    return weir_fail(sink, place,
                     "kernel '%s' requires blocks of %" PRIu32 " × %" PRIu32 " × %" PRIu32 " threads (.reqntid)",
                     k->name, r[0], one_if_zero(r[1]), one_if_zero(r[2]));
  uint64_t most = threads(&(struct weir_dim){m[0], m[1], m[2]});
  return !m[0] || n <= most ||
    weir_fail(sink, place, "kernel '%s' allows at most %" PRIu64 " threads in a block (.maxntid), not %" PRIu64,
              k->name, most, n);
}

static bool check_arg(const struct weir_kernel *k, unsigned i, const struct weir_arg *arg, struct weir_place place,
                      struct weir_sink *sink) {
  const struct weir_kernel_param *p = &k->params[i];
  if (!arg->bytes && !p->is_shared_pointer)
    return weir_fail(sink, place, "argument %u of '%s' is no pointer to local (shared) memory", i + 1, k->name);
  if (arg->bytes && p->is_shared_pointer)
    return weir_fail(sink, place, "argument %u of '%s' points to local (shared) memory: it takes a number of bytes",
                     i + 1, k->name);
  return !arg->bytes || arg->size == p->bytes ||
    weir_fail(sink, place, "argument %u of '%s' has %" PRIu32 " bytes, but the parameter '%s' has %" PRIu32, i + 1,
              k->name, arg->size, p->name, p->bytes);
}

// Where shared memory ends: static, then dynamic, then the __local arguments.
static uint64_t shared_end(const struct weir_kernel *k, uint64_t dynamic, const struct weir_arg *args, unsigned count) {
  uint64_t end = weir_dynamic_shared_base(k) + dynamic;
  for (unsigned i = 0; i < count; i++)
    if (!args[i].bytes) end = weir_align_up(end, LOCAL_ARG_ALIGN) + args[i].size;
  return end;
}

bool weir_launch_check_shape(const struct weir_kernel *k, const struct weir_dim *grid, const struct weir_dim *block,
                             const struct weir_launch_places *places, struct weir_sink *sink) {
  bool ok = check_grid(grid, places->grid, sink);
  return check_block(k, block, places->block, sink) && ok;
}

bool weir_launch_check(const struct weir_kernel *k, const struct weir_dim *grid, const struct weir_dim *block,
                       uint32_t dynamic_shared_bytes, const struct weir_arg *args, unsigned count,
                       const struct weir_launch_places *places, struct weir_sink *sink) {
  bool ok = weir_launch_check_shape(k, grid, block, places, sink);
  if (count != k->param_count)
    return weir_fail(sink, places->args, "kernel '%s' takes %" PRIu32 " arguments, not %u", k->name, k->param_count,
                     count);
  for (unsigned i = 0; i < count; i++)
    ok &= check_arg(k, i, &args[i], places->arg ? places->arg[i] : places->args, sink);
  uint64_t shared = shared_end(k, dynamic_shared_bytes, args, count);
  if (shared > MAX_SHARED_BYTES)
    ok = weir_fail(sink, places->shared, "kernel '%s' would have %" PRIu64 " bytes of shared memory; %d are the most",
                   k->name, shared, MAX_SHARED_BYTES);
  return ok;
}

uint32_t weir_launch_pack(const struct weir_kernel *k, uint32_t dynamic_shared_bytes, const struct weir_arg *args,
                          unsigned count, void *params) {
  uint64_t end = weir_dynamic_shared_base(k) + dynamic_shared_bytes;
  for (unsigned i = 0; i < count; i++) {
    const struct weir_kernel_param *p = &k->params[i];
    uint8_t *at = (uint8_t *)params + p->offset;
    if (args[i].bytes) {
      memcpy(at, args[i].bytes, p->bytes);
    } else { // a shared-space address: the offset from the block's shared memory's start
      uint64_t offset = weir_align_up(end, LOCAL_ARG_ALIGN);
      memcpy(at, &offset, p->bytes < sizeof offset ? p->bytes : sizeof offset);
      end = offset + args[i].size;
    }
  }
  return (uint32_t)(end - weir_dynamic_shared_base(k));
}

void weir_host_set_registers(struct weir_host *h, uint32_t registers) {
  h->registers = registers;
}

void weir_host_set_shared_preference(struct weir_host *h, uint8_t preference) {
  h->shared_preference = preference;
}

void weir_host_set_cluster(struct weir_host *h, struct weir_dim blocks) {
  h->cluster[0] = blocks.x;
  h->cluster[1] = blocks.y;
  h->cluster[2] = blocks.z;
}

bool weir_launch_check_cluster(const struct weir_launch *launch, struct weir_place place, struct weir_sink *sink) {
  char *flaw = weir_cluster_flaw(launch);
  if (flaw) weir_fail(sink, place, "%s", flaw);
  weir_free(flaw);
  return !flaw;
}

bool weir_host_start(struct weir_host *h, const struct weir_launch *launch) {
  struct weir_fault fault = {0};
  if (h->backend.launch(h->backend.context, launch, &fault)) return true;
  if (fault.raised) weir_fault_report(&fault, launch, h->sink);
  return false;
}

static bool start(struct weir_host *h, const struct weir_kernel *k, struct weir_dim grid, struct weir_dim block,
                  uint32_t dynamic, const void *params) {
  uint64_t steps = 0;
  struct weir_launch launch = {
    .program = h->program,
    .kernel = k,
    .memory = h->memory,
    .grid = {one_if_zero(grid.x), one_if_zero(grid.y), one_if_zero(grid.z)},
    .block = {one_if_zero(block.x), one_if_zero(block.y), one_if_zero(block.z)},
    .cluster = {h->cluster[0], h->cluster[1], h->cluster[2]},
    .dynamic_shared_bytes = dynamic,
    .registers = h->registers,
    .shared_preference = h->shared_preference,
    .params = params,
    .step_limit = h->step_limit,
    .steps = &steps,
  };
  return weir_launch_check_cluster(&launch, (struct weir_place){0}, h->sink) && weir_host_start(h, &launch);
}

bool weir_host_launch(struct weir_host *h, const char *kernel, struct weir_dim grid, struct weir_dim block,
                      uint32_t dynamic_shared_bytes, const struct weir_arg *args, unsigned count) {
  static const struct weir_launch_places nowhere;
  if (!h->backend.launch) abort(); // prepared programs launch nothing
  const struct weir_kernel *k = weir_launch_kernel(h->program, kernel, nowhere.kernel, h->sink);
  if (!k || !weir_launch_check(k, &grid, &block, dynamic_shared_bytes, args, count, &nowhere, h->sink)) return false;
  uint8_t *params = weir_alloc_aligned(16, k->param_bytes);
  uint32_t dynamic = weir_launch_pack(k, dynamic_shared_bytes, args, count, params);
  bool ok = start(h, k, grid, block, dynamic, params);
  weir_free(params);
  return ok;
}
