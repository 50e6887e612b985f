// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Machine code's ELF file made by hand: every field by its offset in the ELF64 format, .nv.info as nvcc 13 writes it.
// Header of tests only.
#ifndef WEIR_TESTS_150_CUBIN_H
#define WEIR_TESTS_150_CUBIN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Where its parts begin: ELF header, section names, symbols' names, symbols, .nv.info, section headers.
enum {
  CUBIN_NAMES = 0x40,
  CUBIN_STRINGS = 0x80,
  CUBIN_SYMBOLS = 0x100,
  CUBIN_INFO = 0x180,
  CUBIN_HEADERS = 0x200,
  CUBIN_BYTES = 0x200 + 5 * 0x40
};

static inline void cubin_put(uint8_t *at, uint64_t value, size_t bytes) {
  for (size_t k = 0; k < bytes; k++) at[k] = (uint8_t)(value >> (8 * k));
}

static inline void cubin_section(uint8_t *c, unsigned index, uint32_t name, uint32_t type, uint64_t at, uint64_t bytes,
                                 uint32_t link, uint64_t entry) {
  uint8_t *h = c + CUBIN_HEADERS + index * 0x40;
  cubin_put(h, name, 4), cubin_put(h + 4, type, 4), cubin_put(h + 0x18, at, 8), cubin_put(h + 0x20, bytes, 8);
  cubin_put(h + 0x28, link, 4), cubin_put(h + 0x30, 1, 8), cubin_put(h + 0x38, entry, 8);
}

// Two kernels, "one" and "two" (symbols 1 and 2), with their registers; between the two an attribute of another kind and
// one without bytes behind it.
static inline void cubin_make(uint8_t c[CUBIN_BYTES], uint32_t one, uint32_t two) {
  static const char names[] = "\0.shstrtab\0.strtab\0.symtab\0.nv.info"; // 1, 11, 19, 27
  static const char strings[] = "\0one\0two";
  static const uint8_t ident[] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
  memset(c, 0, CUBIN_BYTES);
  memcpy(c, ident, sizeof ident);
  cubin_put(c + 0x10, 2, 2), cubin_put(c + 0x12, 190, 2), cubin_put(c + 0x14, 1, 4); // executable, EM_CUDA
  cubin_put(c + 0x28, CUBIN_HEADERS, 8), cubin_put(c + 0x34, 0x40, 2), cubin_put(c + 0x3a, 0x40, 2);
  cubin_put(c + 0x3c, 5, 2), cubin_put(c + 0x3e, 1, 2);
  memcpy(c + CUBIN_NAMES, names, sizeof names);
  memcpy(c + CUBIN_STRINGS, strings, sizeof strings);
  cubin_put(c + CUBIN_SYMBOLS + 24, 1, 4), cubin_put(c + CUBIN_SYMBOLS + 48, 5, 4);
  uint8_t *i = c + CUBIN_INFO;
  cubin_put(i, 0x00082f04, 4), cubin_put(i + 4, 1, 4), cubin_put(i + 8, one, 4); // EIATTR_REGCOUNT of symbol 1
  cubin_put(i + 12, 0x00081104, 4), cubin_put(i + 16, 1, 4);                     // EIATTR_FRAME_SIZE, 0
  cubin_put(i + 24, 0x00ff1b03, 4); // EIATTR_MAXREG_COUNT, a value of 16 bits
  cubin_put(i + 28, 0x00082f04, 4), cubin_put(i + 32, 2, 4), cubin_put(i + 36, two, 4);
  cubin_section(c, 1, 1, 3, CUBIN_NAMES, sizeof names, 0, 0);
  cubin_section(c, 2, 11, 3, CUBIN_STRINGS, sizeof strings, 0, 0);
  cubin_section(c, 3, 19, 2, CUBIN_SYMBOLS, 3 * 24, 2, 24);
  cubin_section(c, 4, 27, 0x70000000, CUBIN_INFO, 40, 0, 0);
}

#endif
