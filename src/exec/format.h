// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The formatting of device-side printf: C's conversions as the CUDA C++ Programming Guide lists them ("Formatted
// Output"), and OpenCL C's vectors (%v4hlf; OpenCL 1.2, 6.12.13). Invariant: format, strings and arguments lie in device
// memory and are read through `read` alone, so that a bad pointer is found by whoever checks it; a conversion that none
// of both languages has is printed as it is written and takes no argument.
#ifndef WEIR_EXEC_FORMAT_H
#define WEIR_EXEC_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weir_text {
  char *bytes; // no terminator
  size_t count, capacity;
};

struct weir_format_source {
  void *context;
  // 1, 2, 4 or 8 bytes of device memory; false: they cannot be read, and the formatting ends.
  bool (*read)(void *context, uint64_t address, void *to, unsigned bytes);
};

// Appends the text to `to`. `arguments` is the address of the buffer in which they lie one after the other, each at a
// multiple of its size, as C promotes them. *taken: how many were read. False if `read` said so.
bool weir_format(const struct weir_format_source *source, uint64_t format, uint64_t arguments, struct weir_text *to,
                 unsigned *taken);

// The string at a device address, up to its NUL, `limit` characters or 1 MiB, of characters `width` bytes apart.
bool weir_format_string(const struct weir_format_source *source, uint64_t address, uint64_t limit, unsigned width,
                        struct weir_text *to);

void weir_text_append(struct weir_text *to, const char *bytes, size_t count);

#endif
