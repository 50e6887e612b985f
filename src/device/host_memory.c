// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The host's memory that kernels may touch: where it is, and what moves of it outside of kernels.
#include "device/device_private.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "config/config.h"
#include "exec/memory.h"

struct weir_managed_home {
  struct weir_device *device;
  struct weir_device_module *module;
};

// Of chips whose kernels do not use the link nobody asks where a page is.
void weir_device_open_host(struct weir_device *d) {
  const struct weir_link_kernels *k = d->setup.chip ? &d->setup.chip->link.kernels : NULL;
  d->host.page_bytes = k && k->reads ? k->page_kib << 10 : WEIR_HOST_BLOCK_BYTES;
  d->host.density_percent = k ? k->density_percent : 0;
}

// A recording has no pages that are elsewhere.
static void tell_recording(const struct weir_device *d) {
  static bool told;
  const struct weir_link_kernels *k = d->setup.chip ? &d->setup.chip->link.kernels : NULL;
  if (told || !d->recording || !k || !k->reads) return;
  told = true;
  weir_device_say("pinned or managed memory that kernels touch is device memory in what is recorded");
}

void weir_device_maps(struct weir_device *d, uint64_t base, uint64_t bytes, bool managed) {
  tell_recording(d);
  weir_host_memory_add(&d->host, base, bytes, managed);
}

void weir_device_unmaps(struct weir_device *d, uint64_t base) {
  weir_host_memory_remove(&d->host, base);
}

// A module's variables lie together, so that they are few pages; in blocks as those that move.
static uint64_t alloc_managed(void *context, const char *name, uint64_t bytes, uint64_t align) {
  struct weir_managed_home *home = context;
  struct weir_device_module *m = home->module;
  struct weir_managed_pages *p = m->managed_count ? &m->managed[m->managed_count - 1] : NULL;
  if (!p || weir_align_up(p->used, align) + bytes > p->pages.bytes) {
    struct weir_pages pages;
    if (!weir_device_map_pages(home->device, weir_align_up(bytes, WEIR_HOST_BLOCK_BYTES), &pages)) return 0;
    p = weir_push(m->managed, m->managed_count, m->managed_capacity);
    *p = (struct weir_managed_pages){pages, 0};
    weir_device_maps(home->device, (uintptr_t)pages.base, pages.bytes, true);
  }
  const uint64_t past = weir_align_up((uintptr_t)p->pages.base + p->used, align) - (uintptr_t)p->pages.base;
  const uint64_t at = (uintptr_t)p->pages.base + past;
  if (!weir_memory_map(home->device->memory, name, at, (uint8_t *)p->pages.own + past, bytes)) return 0;
  p->used = past + bytes;
  return at;
}

void weir_device_place_managed(struct weir_device *d, struct weir_device_module *m) {
  static struct weir_managed_home home;
  home = (struct weir_managed_home){d, m};
  weir_memory_set_managed(d->memory, (struct weir_managed_source){m ? alloc_managed : NULL, &home});
}

void weir_device_release_managed(struct weir_device *d, struct weir_device_module *m) {
  for (unsigned i = 0; i < m->managed_count; i++) {
    const struct weir_pages *p = &m->managed[i].pages;
    const uint64_t base = (uintptr_t)p->base;
    const struct weir_allocation *a;
    while ((a = weir_memory_find(d->memory, base + p->bytes - 1)) && a->base >= base)
      weir_memory_release(d->memory, a->base);
    weir_device_unmaps(d, base);
    weir_device_unmap_pages(p);
  }
  weir_free(m->managed);
  m->managed = NULL;
  m->managed_count = m->managed_capacity = 0;
}

void weir_device_make_room(struct weir_device *d) {
  const uint64_t used = weir_memory_bytes(d->memory);
  d->host.room = d->setup.memory_bytes > used ? d->setup.memory_bytes - used : 0;
}

void weir_device_prefetched(struct weir_device *d, struct weir_stream *s, uint64_t address, uint64_t bytes,
                            bool to_device) {
  if (!weir_device_timeline(d) || !d->setup.chip->link.kernels.reads) return;
  weir_device_make_room(d);
  const struct weir_host_moved moved = weir_host_memory_prefetch(&d->host, address, bytes, to_device);
  if (moved.out) weir_device_copied(d, s, WEIR_COPY_TO_HOST, false, moved.out, false);
  if (moved.in) weir_device_copied(d, s, WEIR_COPY_TO_DEVICE, false, moved.in, false);
  weir_device_hide_pages(d);
}

void weir_device_advised(struct weir_device *d, uint64_t address, uint64_t bytes, enum weir_device_advice advice,
                         bool given) {
  static const enum weir_host_advice advices[] = {[WEIR_DEVICE_READ_MOSTLY] = WEIR_ADVICE_READ_MOSTLY,
                                                  [WEIR_DEVICE_AT_HOST] = WEIR_ADVICE_AT_HOST,
                                                  [WEIR_DEVICE_MAPPED] = WEIR_ADVICE_MAPPED};
  weir_host_memory_advise(&d->host, address, bytes, advices[advice], given);
  weir_device_hide_pages(d);
}
