// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a program on disk needs of CUDA and OpenCL, read from its ELF file (by libelf): so that what cannot run is said
// before it runs. Invariant: nothing is executed, and nothing is read outside the file, whatever its tables say.
#ifndef WEIR_BINARY_ELF_H
#define WEIR_BINARY_ELF_H

#include "base/diag.h"

#include <stdbool.h>
#include <stdint.h>

// A container of device code (binary/fatbin.h) within the file.
struct weir_binary_image {
  const uint8_t *data;
  size_t bytes;
  bool relocatable; // built by -rdc=true: one of several modules to be linked (ptx/link.h)
};

struct weir_binary {
  char **needed; // DT_NEEDED
  unsigned needed_count, needed_capacity;
  char **imports; // undefined dynamic symbols
  unsigned import_count, import_capacity;
  struct weir_binary_image *images;
  unsigned image_count, image_capacity;
  char *file;     // its bytes, which the images point into
  bool is_script; // "#!": no ELF file, but something that starts others; all below is false
  bool is_32bit;
  bool is_static;         // needs no library, so that none is loaded
  bool static_cudart;     // has the CUDA runtime's own code inside: ours cannot be put in front of it
  bool has_fatbin;        // device code is embedded
  bool has_ptx;           // … with PTX among it
  bool fixed_paths;       // has DT_RPATH and no DT_RUNPATH: its libraries are looked for there before LD_LIBRARY_PATH
  bool needs_device_code; // its host code registers kernels or variables: without them, a fat binary may be empty
  bool driver_api;        // imports cu* functions that weir does not provide (driver_calls.def)
};

// False and a diagnostic if the file cannot be read, or is no program; `b` is then empty.
bool weir_binary_read(struct weir_binary *b, const char *path, struct weir_sink *sink);
void weir_binary_free(struct weir_binary *b);

bool weir_binary_imports(const struct weir_binary *b, const char *name);

// Reports what in it cannot run on a modelled device, with what to do about it (the relink line, the -gencode line).
// True if there is nothing.
bool weir_binary_check(const struct weir_binary *b, const char *path, struct weir_sink *sink);

// Reports each of NVIDIA's libraries that bring kernels of their own (cuBLAS, …) and that the program is linked against: that it is, and
// `what` of it.
void weir_binary_report_libraries(const struct weir_binary *b, const char *path, enum weir_severity severity,
                                  const char *what, struct weir_sink *sink);

#endif
