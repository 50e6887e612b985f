// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The device's memory: as much of it as the chip has.
#include "device/device_private.h"

#include "config/config.h"

#include <search.h>

static int by_address(const void *a, const void *b) {
  return (a > b) - (a < b);
}

static void *key(uint64_t address) {
  return (void *)(uintptr_t)address;
}

uint64_t weir_device_alloc(struct weir_device *d, const char *name, uint64_t bytes) {
  uint64_t most = weir_device_facts(d).memory_bytes, used = weir_memory_bytes(d->memory);
  if (bytes > most || used > most - bytes) return 0;
  uint64_t address = weir_memory_alloc(d->memory, name, bytes);
  if (used + bytes > d->peak_bytes) d->peak_bytes = used + bytes;
  tsearch(key(address), &d->heap, by_address);
  return address;
}

bool weir_device_release(struct weir_device *d, uint64_t address) {
  if (!tfind(key(address), &d->heap, by_address)) return false;
  tdelete(key(address), &d->heap, by_address);
  return weir_memory_release(d->memory, address);
}

void *weir_device_at(struct weir_device *d, uint64_t address, uint64_t bytes) {
  return weir_memory_at(d->memory, address, bytes);
}

// What is the host's passes through no cache of a device that reaches it over the link.
static bool is_remote(const struct weir_device *d, uint64_t address) {
  const struct weir_chip_config *c = d->setup.chip;
  return d->chip && c->link.raw_mb_per_s && c->link.kernels.reads &&
    weir_host_memory_access(&d->host, address, true) == WEIR_ACCESS_REMOTE;
}

void weir_device_wrote(struct weir_device *d, uint64_t address, uint64_t bytes) {
  if (d->recording && bytes) weir_warptrace_copy(d->recording, address, bytes);
  if (d->backend.copied_in && bytes && !is_remote(d, address)) d->backend.copied_in(d->backend.context, address, bytes);
}
