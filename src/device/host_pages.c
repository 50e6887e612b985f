// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#define _GNU_SOURCE // memfd_create

// Managed memory's pages in this process, and what the host touches of them. They are mapped twice: for weir, and for the program. When
// pages have gone to the device, the program's mapping forgets them (no byte is lost, and no access ever fails); what it has again at the
// next call (/proc/self/pagemap), the host has touched meanwhile, in system calls, too. The kernel may map all present pages of 64 KiB at once
// for one that is read (Linux, mm/memory.c, do_fault_around), so that the program's mapping begins at a multiple of that.
#include "device/device_private.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "config/config.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { AROUND = 64 << 10, OS_PAGE = 4096 };

// On chips whose kernels use no link, nobody asks where a page is.
static bool migrates(const struct weir_device *d) {
  return d->setup.chip && d->setup.chip->link.raw_mb_per_s && d->setup.chip->link.kernels.reads;
}

static void *map_at(void *at, uint64_t bytes, int flags, int file) {
  void *p = mmap(at, bytes, PROT_READ | PROT_WRITE, flags, file, 0);
  return p == MAP_FAILED ? NULL : p;
}

// The program's: at a multiple of AROUND, with nothing of another's in its last one.
static void *map_aligned(uint64_t bytes, int file) {
  const uint64_t whole = weir_align_up(bytes, AROUND);
  uint8_t *room = map_at(NULL, whole + AROUND, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
  if (!room) return NULL;
  const uint64_t skip = weir_align_up((uintptr_t)room, AROUND) - (uintptr_t)room;
  if (skip) munmap(room, skip);
  if (skip < AROUND) munmap(room + skip + whole, AROUND - skip);
  void *p = map_at(room + skip, bytes, MAP_SHARED | MAP_FIXED, file);
  if (!p) munmap(room + skip, whole);
  return p;
}

static bool map_twice(struct weir_pages *p, int file) {
  if (file < 0 || ftruncate(file, (off_t)p->bytes)) return false;
  p->own = map_at(NULL, p->bytes, MAP_SHARED, file);
  p->base = p->own ? map_aligned(p->bytes, file) : NULL;
  if (p->own && !p->base) munmap(p->own, p->bytes);
  if (!p->base) return false;
  madvise(p->own, p->bytes, MADV_NOHUGEPAGE); // the kernel may not know of it: then there are none
  madvise(p->base, p->bytes, MADV_NOHUGEPAGE);
  return true;
}

bool weir_device_map_pages(struct weir_device *d, uint64_t bytes, struct weir_pages *p) {
  *p = (struct weir_pages){.bytes = bytes};
  if (!migrates(d)) return (p->own = p->base = map_at(NULL, bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1)) != NULL;
  const int file = memfd_create("weir managed", MFD_CLOEXEC);
  const bool ok = map_twice(p, file);
  if (file >= 0) close(file);
  return ok;
}

void weir_device_unmap_pages(const struct weir_pages *p) {
  if (p->own != p->base) {
    munmap(p->own, p->bytes);
    munmap(p->base, weir_align_up(p->bytes, AROUND));
  } else {
    munmap(p->base, p->bytes);
  }
}

// ---- what the host touches ------------------------------------------------------------------------------------------------

// A process that has had no page fault since then has touched nothing that its mapping forgot.
static long faults_so_far(void) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return u.ru_minflt + u.ru_majflt;
}

void weir_device_hide_pages(struct weir_device *d) {
  uint64_t address = 0, bytes;
  if (!migrates(d) || d->host.moves == d->hidden_moves) return;
  d->hidden_moves = d->host.moves;
  while (weir_host_memory_away(&d->host, &address, &bytes)) {
    madvise((void *)(uintptr_t)address, bytes, MADV_DONTNEED);
    address += bytes;
  }
}

static bool any_present(const uint64_t *entries, uint64_t count) {
  bool any = false;
  for (uint64_t k = 0; k < count; k++) any |= entries[k] >> 63;
  return any;
}

// What is there of a stretch of pages that the host does not have. In the order of their addresses, each fault brings what it brings.
static void look_at(struct weir_device *d, int table, uint64_t address, uint64_t bytes) {
  enum { MOST = 4096 };
  uint64_t entries[MOST];
  const uint64_t per = d->host.page_bytes / OS_PAGE, end = weir_div_up(address + bytes, OS_PAGE);
  for (uint64_t page = address / OS_PAGE; page < end;) {
    const uint64_t left = end - page, count = left < MOST ? left : MOST;
    if (pread(table, entries, count * sizeof *entries, (off_t)(page * sizeof *entries)) !=
        (ssize_t)(count * sizeof *entries)) {
      weir_device_say("/proc/self/pagemap cannot be read: what the host does to managed memory takes no time");
      return;
    }
    for (uint64_t k = 0; k < count; k += per)
      if (any_present(entries + k, count - k < per ? count - k : per))
        weir_device_recalled(d, weir_host_memory_recall(&d->host, (page + k) * OS_PAGE));
    page += count;
  }
}

void weir_device_see_host(struct weir_device *d) {
  uint64_t address = 0, bytes;
  if (!d->host.resident || !migrates(d) || faults_so_far() == d->seen_faults) return;
  d->seen_faults = faults_so_far();
  const int table = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  while (weir_host_memory_away(&d->host, &address, &bytes)) {
    look_at(d, table, address, bytes);
    address += bytes;
  }
  if (table >= 0) close(table);
}
