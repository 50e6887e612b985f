// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// One launch: room for the lines of S-L1, contents in, repetitions between two events, contents out.
#include "base/alloc.h"
#include "base/bits.h"
#include "driver/driver_private.h"
#include "sl1/launch.h"

#include <stdlib.h>
#include <string.h>

// Of dynamic shared memory behind static: more than any driver rounds static shared memory up to.
enum { SHARED_ALIGN = 128 };

enum { UNASKED_BYTES = 48 << 10 }; // of shared memory that any block may have

struct run {
  struct weir_driver *d;
  const struct weir_launch *launch;
  CUfunction function;
  uint32_t threads, static_bytes, dynamic_bytes; // of a block; shared memory
  uint32_t lines;
};

static bool fail(const struct weir_driver *d, struct weir_fault *fault, const char *what, CUresult e) {
  return weir_driver_fault(fault, "%s: %s", what, weir_cuda_error(&d->cuda, e));
}

static CUresult open_function(struct run *r) {
  const struct weir_launch *l = r->launch;
  int bytes = 0;
  CUresult e = r->d->cuda.cuModuleGetFunction(&r->function, r->d->module, l->kernel->name);
  if (!e) e = r->d->cuda.cuFuncGetAttribute(&bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, r->function);
  r->threads = (uint32_t)weir_block_threads(l);
  r->static_bytes = (uint32_t)bytes;
  return e;
}

// __local arguments lie in dynamic shared memory, behind static shared memory wherever the driver has that. Returns how
// much further than in weir's layout.
static uint64_t place_locals(struct run *r) {
  const struct weir_kernel *k = r->launch->kernel;
  r->dynamic_bytes = r->launch->dynamic_shared_bytes;
  if (!weir_driver_has_locals(k)) return 0;
  const uint32_t ours = (uint32_t)weir_dynamic_shared_base(k);
  const uint32_t theirs = r->d->shared_start + (uint32_t)weir_align_up(r->static_bytes, SHARED_ALIGN);
  r->dynamic_bytes += theirs - (r->d->shared_start + r->static_bytes);
  return (uint64_t)theirs - ours;
}

static uint32_t most_dynamic(const struct run *r) {
  const uint32_t most = r->d->device.block_shared_bytes;
  return most > r->static_bytes ? most - r->static_bytes : 0;
}

static uint32_t resident_blocks(const struct run *r, uint32_t dynamic_bytes) {
  int blocks = 0;
  r->d->cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, r->function, (int)r->threads, dynamic_bytes);
  return (uint32_t)blocks;
}

// The paper's rule, then fewer lines until the device agrees: it rounds shared memory in its own way, and bounds a
// block's.
static void make_room(struct run *r) {
  struct weir_sl1_need need;
  struct weir_memory *m = r->launch->memory;
  const struct weir_driver_device *device = &r->d->device;
  if (!weir_sl1_need(r->launch->program, r->launch->kernel->name, m, &need)) return;
  const uint32_t resident = resident_blocks(r, r->dynamic_bytes), own = r->dynamic_bytes;
  r->lines = weir_sl1_lines(&need, device->core_shared_bytes, resident, r->threads,
                            (uint64_t)r->static_bytes + own + device->reserved_shared_bytes);
  for (;; r->lines--) {
    r->dynamic_bytes = weir_sl1_extend(&need, m, r->threads, own, r->lines);
    if (!r->lines || (r->dynamic_bytes <= most_dynamic(r) && resident_blocks(r, r->dynamic_bytes) >= resident)) return;
  }
}

static bool fits(const struct run *r, struct weir_fault *fault) {
  return r->dynamic_bytes <= most_dynamic(r) ||
    weir_driver_fault(fault, "a block needs %u bytes of shared memory; this device gives a block %u",
                      r->static_bytes + r->dynamic_bytes, r->d->device.block_shared_bytes);
}

// More must be asked for, and before it is known how many blocks fit.
static CUresult configure(struct run *r) {
  const struct weir_cuda *cuda = &r->d->cuda;
  struct weir_sl1_need need;
  const bool sl1 = weir_sl1_need(r->launch->program, r->launch->kernel->name, r->launch->memory, &need);
  CUresult e = CUDA_SUCCESS;
  if (cuda->cuFuncSetAttribute && r->d->device.block_shared_bytes > UNASKED_BYTES && (sl1 || r->dynamic_bytes))
    e = cuda->cuFuncSetAttribute(r->function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)most_dynamic(r));
  if (!e && cuda->cuFuncSetAttribute && r->launch->shared_preference && !sl1)
    e = cuda->cuFuncSetAttribute(r->function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                                 r->launch->shared_preference - 1);
  const CUfunc_cache preference = sl1      ? CU_FUNC_CACHE_PREFER_SHARED
    : r->d->options.loads == WEIR_CACHE_CA ? CU_FUNC_CACHE_PREFER_L1
                                           : CU_FUNC_CACHE_PREFER_NONE;
  return e ? e : cuda->cuFuncSetCacheConfig(r->function, preference);
}

static CUresult start(const struct run *r, void **parameters) {
  const uint32_t *grid = r->launch->grid, *block = r->launch->block;
  return r->d->cuda.cuLaunchKernel(r->function, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                                   r->dynamic_bytes, NULL, parameters, NULL);
}

static CUresult time_once(const struct run *r, void **parameters, float *milliseconds) {
  const struct weir_cuda *cuda = &r->d->cuda;
  CUresult e = weir_driver_copy_in(r->d, r->launch->memory);
  if (!e) e = cuda->cuEventRecord(r->d->start, NULL);
  if (!e) e = start(r, parameters);
  if (!e) e = cuda->cuEventRecord(r->d->stop, NULL);
  if (!e) e = cuda->cuEventSynchronize(r->d->stop);
  return e ? e : cuda->cuEventElapsedTime(milliseconds, r->d->start, r->d->stop);
}

static int by_size(const void *a, const void *b) {
  const float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

static CUresult time_all(const struct run *r, void **parameters, double *median) {
  const unsigned n = r->d->options.repeat;
  float *times = weir_new_array(float, n);
  CUresult e = CUDA_SUCCESS;
  for (unsigned k = 0; k < n && !e; k++) e = time_once(r, parameters, &times[k]);
  qsort(times, n, sizeof *times, by_size);
  *median = ((double)times[(n - 1) / 2] + (double)times[n / 2]) / 2;
  weir_free(times);
  return e;
}

// What the kernel of S-L1 has counted until now, over all launches: the difference is this one's.
static void count(const struct run *r, uint64_t *accesses, uint64_t *hits) {
  uint32_t structures;
  const uint64_t *c = weir_sl1_counts(r->launch->program, r->launch->kernel->name, r->launch->memory, &structures);
  *accesses = *hits = 0;
  for (uint32_t k = 0; c && k < structures; k++, c += WEIR_SL1_COUNTERS) {
    *accesses += c[WEIR_SL1_ACCESSES];
    *hits += c[WEIR_SL1_HITS];
  }
}

static bool copy_back(const struct run *r, struct weir_fault *fault) {
  struct weir_driver_totals *t = &r->d->totals;
  uint64_t accesses, hits, more_accesses, more_hits;
  count(r, &accesses, &hits);
  const CUresult e = weir_driver_copy_back(r->d, r->launch->memory);
  if (e) return fail(r->d, fault, "copying back from the device", e);
  count(r, &more_accesses, &more_hits);
  t->sl1_accesses += more_accesses - accesses;
  t->sl1_hits += more_hits - hits;
  return true;
}

static bool measure(const struct run *r, uint8_t *params, struct weir_fault *fault) {
  const struct weir_kernel *k = r->launch->kernel;
  struct weir_driver_totals *t = &r->d->totals;
  void **parameters = weir_new_array(void *, k->param_count + 1);
  double median = 0;
  for (uint32_t i = 0; i < k->param_count; i++) parameters[i] = params + k->params[i].offset;
  const CUresult e = time_all(r, parameters, &median);
  weir_free(parameters);
  if (e) return fail(r->d, fault, "the launch failed on the device", e);
  t->launches++;
  t->milliseconds += median;
  if (r->lines > t->sl1_lines) t->sl1_lines = r->lines;
  return copy_back(r, fault);
}

// cuLaunchKernel has the clusters that the kernel requires, and no others.
static bool has_clusters(const struct weir_launch *l, struct weir_fault *fault) {
  if (l->kernel->reqnctapercluster[0] || weir_cluster_blocks(l) == 1) return true;
  return weir_driver_fault(fault, "on a GPU clusters are those that the kernel requires (.reqnctapercluster)");
}

bool weir_driver_launch(void *context, const struct weir_launch *l, struct weir_fault *fault) {
  struct run r = {.d = context, .launch = l};
  if (!has_clusters(l, fault)) return false;
  CUresult e = weir_driver_place(r.d, l->memory);
  if (e) return fail(r.d, fault, "memory for the buffers", e);
  if ((e = open_function(&r))) return fail(r.d, fault, "the kernel is not in the compiled module", e);
  const uint64_t shift = place_locals(&r);
  if (!fits(&r, fault)) return false;
  if ((e = configure(&r))) return fail(r.d, fault, "the kernel's shared memory", e);
  make_room(&r);
  uint8_t *params = weir_alloc_aligned(16, l->kernel->param_bytes);
  memcpy(params, l->params, l->kernel->param_bytes);
  const bool ok = weir_driver_arguments(r.d, l, shift, params, fault) && measure(&r, params, fault);
  weir_free(params);
  return ok;
}
