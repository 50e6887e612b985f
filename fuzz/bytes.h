// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A harness's bytes as a file that readers open by its path.
#ifndef WEIR_FUZZ_BYTES_H
#define WEIR_FUZZ_BYTES_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct bytes_file {
  int file;
  char path[64];
};

// Needs _GNU_SOURCE, for memfd_create.
static inline struct bytes_file bytes_open(const void *data, size_t size) {
  struct bytes_file f = {.file = memfd_create("fuzz", MFD_CLOEXEC)};
  if (f.file < 0 || write(f.file, data, size) != (ssize_t)size) abort();
  snprintf(f.path, sizeof f.path, "/proc/self/fd/%d", f.file);
  return f;
}

static inline void bytes_close(const struct bytes_file *f) {
  close(f->file);
}

#endif
