// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// NVIDIA's fat binaries: containers of PTX and machine code that nvcc and clang embed in a program. Invariant: nothing is
// read outside [data, data + size), whatever the bytes say; a malformed container is a diagnostic.
#ifndef WEIR_BINARY_FATBIN_H
#define WEIR_BINARY_FATBIN_H

#include "base/diag.h"

#include <stddef.h>
#include <stdint.h>

enum weir_fatbin_kind { WEIR_FATBIN_PTX = 1, WEIR_FATBIN_ELF = 2 };

struct weir_fatbin_entry {
  uint16_t kind;         // enum weir_fatbin_kind, or something newer
  uint32_t arch;         // 75 of sm_75
  uint16_t major, minor; // PTX ISA version
  uint64_t flags;
  const uint8_t *payload;
  size_t payload_bytes; // as stored, padding left out
  size_t text_bytes;    // when decompressed
};

// The container's size by its own header: how far may be read where only a pointer to it is known (a registered fat
// binary). 0: that is no fat binary. Reads 16 bytes.
size_t weir_fatbin_size(const void *data);

// The entries of one container, in order; freed by weir_free. NULL and a diagnostic if it is malformed.
struct weir_fatbin_entry *weir_fatbin_entries(const void *data, size_t size, struct weir_place place, unsigned *count,
                                              struct weir_sink *sink);

// The PTX entry that a device of that compute capability (times ten) compiles: the newest that is not above it (CUDA C++
// Programming Guide, "PTX Compatibility"). Where all are above it, as no device would run it: the oldest. 0: no device is
// known; the newest. NULL: there is no PTX.
const struct weir_fatbin_entry *weir_fatbin_best(const struct weir_fatbin_entry *entries, unsigned count,
                                                 unsigned capability);

// An entry's text (plain, zstd or LZ4), NUL-terminated, without leading newlines and trailing NULs; freed by weir_free.
// NULL and a diagnostic if it cannot be decompressed, or would be larger than 1 GiB.
char *weir_fatbin_text(const struct weir_fatbin_entry *e, struct weir_place place, size_t *bytes,
                       struct weir_sink *sink);

// The machine code that a device of compute capability major.minor runs: of the same major and the highest minor that is
// not above (CUDA C++ Programming Guide, "Binary Compatibility"); NULL: there is none.
const struct weir_fatbin_entry *weir_fatbin_machine_code(const struct weir_fatbin_entry *entries, unsigned count,
                                                         unsigned major, unsigned minor);

// An entry's bytes as they are, decompressed (binary/cubin.h reads them); freed by weir_free. Errors as above.
uint8_t *weir_fatbin_bytes(const struct weir_fatbin_entry *e, struct weir_place place, size_t *bytes,
                           struct weir_sink *sink);

#endif
