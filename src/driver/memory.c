// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Where weir's buffers lie on the device, and the copies. At weir's own addresses if the driver grants them: an address
// range is reserved there once, and memory mapped into it as the heap grows. Else wherever the driver puts them.
#include "base/alloc.h"
#include "base/bits.h"
#include "driver/driver_private.h"

// Addresses cost nothing; reserved once, a heap that grows finds its own free.
#define ROOMY_BYTES (UINT64_C(64) << 30)

// What may be read beside a buffer: the cache in software (src/sl1) fills whole lines.
enum { MARGIN = 256 };

static CUmemAllocationProp properties(const struct weir_driver *d) {
  return (CUmemAllocationProp){.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                               .location = {CU_MEM_LOCATION_TYPE_DEVICE, d->handle}};
}

static bool reserve(struct weir_driver *d, uint64_t bytes) {
  CUdeviceptr address;
  if (d->cuda.cuMemAddressReserve(&address, bytes, d->granularity, WEIR_HEAP_BASE, 0)) return false;
  if (address == WEIR_HEAP_BASE)
    d->range_bytes = bytes;
  else
    d->cuda.cuMemAddressFree(address, bytes);
  return d->range_bytes;
}

static void try_range(struct weir_driver *d, uint64_t bytes) {
  const CUmemAllocationProp p = properties(d);
  size_t granularity;
  d->range_tried = true;
  if (!d->has_virtual_memory ||
      d->cuda.cuMemGetAllocationGranularity(&granularity, &p, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED))
    return;
  d->granularity = granularity;
  if (WEIR_HEAP_BASE % granularity) return;
  for (uint64_t roomy = ROOMY_BYTES; roomy > bytes; roomy /= 2) // others may have taken addresses behind
    if (reserve(d, weir_align_up(roomy, granularity))) return;
  reserve(d, weir_align_up(bytes, granularity));
}

static bool in_range(const struct weir_driver *d, const struct weir_allocation *a) {
  return a->base >= WEIR_HEAP_BASE && a->base - WEIR_HEAP_BASE + a->bytes + MARGIN <= d->range_bytes;
}

// Gives the range memory up to `end` bytes.
static CUresult map(struct weir_driver *d, uint64_t end) {
  const CUmemAllocationProp p = properties(d);
  const CUmemAccessDesc access = {p.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  const uint64_t bytes = weir_align_up(end, d->granularity) - d->mapped;
  const CUdeviceptr at = WEIR_HEAP_BASE + d->mapped;
  CUmemGenericAllocationHandle memory;
  CUresult e = d->cuda.cuMemCreate(&memory, bytes, &p, 0);
  if (e) return e;
  e = d->cuda.cuMemMap(at, bytes, 0, memory, 0);
  d->cuda.cuMemRelease(memory); // what is mapped keeps it
  if (e) return e;
  d->mapped += bytes;
  return d->cuda.cuMemSetAccess(at, bytes, &access, 1);
}

static const struct weir_placed *find(const struct weir_driver *d, uint64_t base) {
  for (uint32_t k = 0; k < d->placed_count; k++)
    if (d->placed[k].base == base) return &d->placed[k];
  return NULL;
}

static CUresult place(struct weir_driver *d, const struct weir_allocation *a, CUdeviceptr *device) {
  const struct weir_placed *known = find(d, a->base);
  if (known) return *device = known->device, CUDA_SUCCESS;
  CUresult e = CUDA_SUCCESS;
  const uint64_t end = a->base - WEIR_HEAP_BASE + a->bytes + MARGIN;
  const bool own = !in_range(d, a);
  if (own) {
    e = d->cuda.cuMemAlloc_v2(device, MARGIN + a->bytes + MARGIN);
    *device += MARGIN;
    d->totals.same_addresses = false;
  } else {
    *device = a->base;
    if (end > d->mapped) e = map(d, end);
  }
  if (!e) *weir_push(d->placed, d->placed_count, d->placed_capacity) = (struct weir_placed){a->base, *device, own};
  return e;
}

static bool is_variable(const struct weir_allocation *a) {
  return a->base < WEIR_HEAP_BASE && !a->mapped;
}

enum direction { STAY, IN, BACK };

static CUresult copy(struct weir_driver *d, const struct weir_allocation *a, CUdeviceptr device, enum direction way) {
  if (!a->bytes || way == STAY) return CUDA_SUCCESS;
  return way == IN ? d->cuda.cuMemcpyHtoD_v2(device, a->host, a->bytes)
                   : d->cuda.cuMemcpyDtoH_v2(a->host, device, a->bytes);
}

// Allocations from the last to the first: the heap's end, which is mapped first, then covers the others.
static CUresult copy_heap(struct weir_driver *d, const struct weir_memory *m, enum direction way) {
  CUresult e = CUDA_SUCCESS;
  const struct weir_allocation *a = weir_memory_find(m, UINT64_MAX);
  if (a && !is_variable(a) && !d->range_tried) try_range(d, a->base - WEIR_HEAP_BASE + a->bytes + MARGIN);
  for (; a && !e; a = a->base ? weir_memory_find(m, a->base - 1) : NULL) {
    CUdeviceptr device;
    if (is_variable(a)) continue;
    e = place(d, a, &device);
    if (!e) e = copy(d, a, device, way);
  }
  return e;
}

static CUresult copy_all(struct weir_driver *d, const struct weir_memory *m, enum direction way) {
  CUresult e = copy_heap(d, m, way);
  for (uint32_t k = 0; k < d->variable_count && !e; k++) {
    const struct weir_driver_variable *v = &d->variables[k];
    if (way == BACK ? v->copied_back : v->copied_in) e = copy(d, weir_memory_find(m, v->base), v->device, way);
  }
  return e;
}

CUresult weir_driver_place(struct weir_driver *d, const struct weir_memory *m) {
  return copy_all(d, m, STAY);
}

CUresult weir_driver_copy_in(struct weir_driver *d, const struct weir_memory *m) {
  return copy_all(d, m, IN);
}

CUresult weir_driver_copy_back(struct weir_driver *d, const struct weir_memory *m) {
  return copy_all(d, m, BACK);
}

uint64_t weir_driver_translate(const struct weir_driver *d, const struct weir_memory *m, uint64_t address) {
  const struct weir_allocation *a = weir_memory_find(m, address);
  if (!a || address - a->base > a->bytes) return address; // one past the end is a pointer that C knows
  const struct weir_placed *p = find(d, a->base);
  return p ? p->device + (address - a->base) : address;
}

void weir_driver_release(struct weir_driver *d) {
  for (uint32_t k = 0; k < d->placed_count; k++)
    if (d->placed[k].own) d->cuda.cuMemFree_v2(d->placed[k].device - MARGIN);
  if (d->mapped) d->cuda.cuMemUnmap(WEIR_HEAP_BASE, d->mapped);
  if (d->range_bytes) d->cuda.cuMemAddressFree(WEIR_HEAP_BASE, d->range_bytes);
  weir_free(d->placed);
}
