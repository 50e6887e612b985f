// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "exec/memory.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "exec/heap.h"
#include "exec/image/image.h"

#include <inttypes.h>
#include <string.h>

// Between heap allocations lie bytes that belong to none, so that an access past the end of one is found.
enum { ALIGNMENT = 256, GUARD = 4096 };
// From here on an allocation has pages of its own, which cost what is touched of them.
enum { PAGES_FROM = 256 << 10 };
// The heap grows up to here at most; where Linux maps memory lies far above.
#define OWN_END (UINT64_C(1) << 40)

// Sorted by base, so that a look-up is a binary search. Entries are allocated one by one: execution keeps pointers.
struct weir_memory {
  struct weir_allocation **all, **released; // released: without their bytes, as they went
  size_t count, capacity, released_count, released_capacity;
  uint64_t next_static, next_heap, bytes, limit;
  uint32_t next_code, next_place, next_function;
  uint32_t line_bytes;
  struct weir_managed_source managed;
  struct weir_texture_table *textures;
  struct weir_heap *heap; // NULL until it is asked for
};

struct weir_memory *weir_memory_create(void) {
  struct weir_memory *m = weir_new(struct weir_memory);
  m->next_static = WEIR_STATIC_BASE;
  m->next_heap = WEIR_HEAP_BASE;
  m->limit = UINT64_MAX;
  m->line_bytes = 1;
  m->textures = weir_texture_table_create();
  return m;
}

static void discard_bytes(struct weir_allocation *a) {
  if (!a->mapped && a->bytes >= PAGES_FROM)
    weir_free_pages(a->host, a->bytes);
  else if (!a->mapped)
    weir_free(a->host);
  a->host = NULL;
}

static void discard(struct weir_allocation *a) {
  weir_free(a->name);
  weir_free(a);
}

void weir_memory_free(struct weir_memory *m) {
  if (!m) return;
  weir_heap_destroy(m->heap);
  for (size_t k = 0; k < m->count; k++) discard_bytes(m->all[k]), discard(m->all[k]);
  for (size_t k = 0; k < m->released_count; k++) discard(m->released[k]);
  weir_free(m->all);
  weir_free(m->released);
  weir_texture_table_free(m->textures);
  weir_free(m);
}

// Index of the last allocation whose base is at or below the address, or -1.
static ptrdiff_t below(const struct weir_memory *m, uint64_t address) {
  size_t low = 0, high = m->count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (m->all[middle]->base <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return (ptrdiff_t)low - 1;
}

static struct weir_allocation *insert(struct weir_memory *m, uint64_t base, const char *name, uint64_t bytes,
                                      void *host) {
  struct weir_allocation *a = weir_new(struct weir_allocation);
  a->base = base;
  a->bytes = bytes;
  a->name = weir_text_copy(name);
  a->host = host;
  const size_t at = (size_t)(below(m, base) + 1);
  (void)weir_push(m->all, m->count, m->capacity);
  memmove(m->all + at + 1, m->all + at, (m->count - 1 - at) * sizeof *m->all);
  m->all[at] = a;
  return a;
}

static struct weir_allocation *insert_own(struct weir_memory *m, uint64_t base, const char *name, uint64_t bytes) {
  m->bytes += bytes;
  return insert(m, base, name, bytes,
                bytes >= PAGES_FROM ? weir_alloc_pages(bytes) : weir_alloc_aligned(ALIGNMENT, bytes ? bytes : 1));
}

void weir_memory_set_limit(struct weir_memory *m, uint64_t bytes) {
  m->limit = bytes;
}

uint64_t weir_memory_left(const struct weir_memory *m) {
  return m->limit > m->bytes ? m->limit - m->bytes : 0;
}

// Whether so many bytes from `next`, and what keeps them apart from the next ones, end at or before `end`.
static bool ends_before(uint64_t next, uint64_t bytes, uint64_t end) {
  return next <= end && bytes <= end - next && weir_align_up(bytes, ALIGNMENT) + GUARD <= end - next;
}

uint64_t weir_memory_left_static(const struct weir_memory *m) {
  const uint64_t addresses = WEIR_HEAP_BASE - GUARD - m->next_static, bytes = weir_memory_left(m);
  return addresses < bytes ? addresses : bytes;
}

uint64_t weir_memory_alloc(struct weir_memory *m, const char *name, uint64_t bytes) {
  const uint64_t base = m->next_heap;
  if (bytes > weir_memory_left(m) || !ends_before(base, bytes, OWN_END)) return 0;
  m->next_heap += weir_align_up(bytes ? bytes : 1, ALIGNMENT) + GUARD;
  insert_own(m, base, name, bytes);
  return base;
}

uint64_t weir_memory_alloc_static(struct weir_memory *m, const char *name, uint64_t bytes, uint64_t align,
                                  bool read_only) {
  const uint64_t base = weir_align_up(m->next_static, align > ALIGNMENT ? align : ALIGNMENT);
  if (bytes > weir_memory_left(m) || !ends_before(base, bytes, WEIR_HEAP_BASE)) return 0;
  m->next_static = base + weir_align_up(bytes ? bytes : 1, ALIGNMENT);
  insert_own(m, base, name, bytes)->read_only = read_only;
  return base;
}

void weir_memory_set_managed(struct weir_memory *m, struct weir_managed_source source) {
  m->managed = source;
}

uint64_t weir_memory_alloc_managed(struct weir_memory *m, const char *name, uint64_t bytes, uint64_t align) {
  if (!m->managed.alloc) return weir_memory_alloc_static(m, name, bytes, align, false);
  return m->managed.alloc(m->managed.context, name, bytes, align > ALIGNMENT ? align : ALIGNMENT);
}

bool weir_memory_map(struct weir_memory *m, const char *name, uint64_t base, void *bytes, uint64_t size) {
  const ptrdiff_t k = below(m, base);
  if (base + size < base || (base + size > WEIR_PARAM_BASE && base < OWN_END)) return false;
  if (k >= 0 && base - m->all[k]->base < (m->all[k]->bytes ? m->all[k]->bytes : 1)) return false;
  if ((size_t)(k + 1) < m->count && m->all[k + 1]->base < base + size) return false;
  insert(m, base, name, size, bytes)->mapped = true;
  return true;
}

// Addresses are not used again, so that a stale pointer is found.
bool weir_memory_release(struct weir_memory *m, uint64_t base) {
  const ptrdiff_t k = below(m, base);
  if (k < 0 || m->all[k]->base != base || (base < WEIR_HEAP_BASE && !m->all[k]->mapped)) return false;
  if (!m->all[k]->mapped) m->bytes -= m->all[k]->bytes;
  discard_bytes(m->all[k]);
  *weir_push(m->released, m->released_count, m->released_capacity) = m->all[k];
  memmove(m->all + k, m->all + k + 1, (m->count - (size_t)k - 1) * sizeof *m->all);
  m->count--;
  return true;
}

uint32_t weir_memory_alloc_code(struct weir_memory *m, uint32_t count) {
  const uint32_t first = m->next_code;
  m->next_code += count;
  return first;
}

uint32_t weir_memory_alloc_places(struct weir_memory *m, uint32_t count, uint32_t align) {
  const uint32_t first = (uint32_t)weir_align_up(m->next_place, align);
  m->next_place = first + count;
  return first;
}

uint32_t weir_memory_alloc_functions(struct weir_memory *m, uint32_t count) {
  const uint32_t first = m->next_function;
  m->next_function += count;
  return first;
}

const struct weir_allocation *weir_memory_find(const struct weir_memory *m, uint64_t address) {
  const ptrdiff_t k = below(m, address);
  return k < 0 ? NULL : m->all[k];
}

const struct weir_allocation *weir_memory_nth(const struct weir_memory *m, size_t i) {
  return i < m->count ? m->all[i] : NULL;
}

bool weir_memory_has_heap(const struct weir_memory *m) {
  return m->heap != NULL;
}

void *weir_memory_at(const struct weir_memory *m, uint64_t address, uint64_t bytes) {
  const struct weir_allocation *a = weir_memory_find(m, address);
  if (!a || address - a->base > a->bytes || a->bytes - (address - a->base) < bytes) return NULL;
  return a->host + (address - a->base);
}

void weir_memory_set_line(struct weir_memory *m, uint32_t bytes) {
  m->line_bytes = bytes;
}

// Whether the line around the address has a byte of an allocation.
static bool in_line(const struct weir_memory *m, uint64_t address) {
  const uint64_t past = address % ALIGNMENT % m->line_bytes, left = ALIGNMENT - address % ALIGNMENT;
  const uint64_t start = address - past, rest = m->line_bytes - past;
  for (ptrdiff_t k = below(m, address + (rest < left ? rest : left) - 1); k >= 0; k--)
    if (m->all[k]->bytes) return start < m->all[k]->base + m->all[k]->bytes;
  return false;
}

bool weir_memory_read_line(const struct weir_memory *m, uint64_t address, uint64_t bytes, uint8_t *to) {
  for (uint64_t i = 0; i < bytes; i++) {
    if (m->line_bytes == 1 || !in_line(m, address + i)) return false;
    const uint8_t *byte = weir_memory_at(m, address + i, 1);
    to[i] = byte ? *byte : 0;
  }
  return true;
}

uint64_t weir_memory_bytes(const struct weir_memory *m) {
  return m->bytes;
}

struct weir_heap *weir_memory_heap(struct weir_memory *m) {
  if (!m->heap) m->heap = weir_heap_create(m);
  return m->heap;
}

struct weir_texture_table *weir_memory_textures(const struct weir_memory *m) {
  return m->textures;
}

static bool holds(const struct weir_allocation *a, uint64_t low, uint64_t high) {
  return a && low >= a->base && high >= low && high - a->base < a->bytes;
}

char *weir_memory_owner(const struct weir_memory *m, uint64_t low, uint64_t high) {
  const struct weir_allocation *a = weir_memory_find(m, low);
  for (size_t k = m->released_count; !holds(a, low, high) && k; k--) a = m->released[k - 1];
  if (!holds(a, low, high)) return NULL;
  return a->mapped ? weir_text_copy(a->name) : weir_text_format("%s 0x%" PRIx64, a->name, a->base);
}
