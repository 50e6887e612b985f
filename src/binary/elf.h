// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a program on disk needs of CUDA and OpenCL, read from its ELF file (by libelf): so that what cannot run is said
// before it runs. Invariant: nothing is executed.
#ifndef WEIR_BINARY_ELF_H
#define WEIR_BINARY_ELF_H

#include "base/diag.h"

#include <stdbool.h>

struct weir_binary {
  char **needed;        // DT_NEEDED
  unsigned needed_count, needed_capacity;
  char **imports;       // undefined dynamic symbols
  unsigned import_count, import_capacity;
  bool is_script;       // "#!": no ELF file, but something that starts others
  bool is_static;       // no dynamic section at all
  bool static_cudart;   // has the CUDA runtime's own code inside: ours cannot be put in front of it
  bool has_fatbin;      // device code is embedded (.nv_fatbin)
  bool has_ptx;         // … with PTX among it
  bool driver_api;      // needs libcuda.so or imports cu* functions
};

// False and a diagnostic if the file cannot be read.
bool weir_binary_read(struct weir_binary *b, const char *path, struct weir_sink *sink);
void weir_binary_free(struct weir_binary *b);

// Reports what in it cannot run on a modelled device, with what to do about it (the relink line, the -gencode line).
// True if there is nothing.
bool weir_binary_check(const struct weir_binary *b, const char *path, struct weir_sink *sink);

#endif
