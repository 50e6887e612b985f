// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Between the registration calls (register.c) and the look-ups (modules.c).
#ifndef WEIR_CUDART_MODULES_PRIVATE_H
#define WEIR_CUDART_MODULES_PRIVATE_H

#include "cudart/modules.h"
#include "cudart/set.h"

struct weir_cuda_variable {
  struct weir_cuda_module *module;
  const void *host;
  const char *name;
  char *own_name; // `name`, if it is not the text that the program gave; NULL
  void **managed; // where host code keeps the address of a __managed__ variable; NULL: an ordinary one
  void *placed;   // that address; NULL: its module is not read
  bool is_reference,
    normalized_float;              // a texture or surface reference; it reads integers as floats in [0, 1] or [−1, 1]
  struct weir_cuda_variable *next; // of the module
};

struct weir_cuda_module {
  const void *data;         // a fat binary …
  const void *const *parts; // … or, of separately compiled code, several that are linked; NULL-terminated
  char *path;               // for diagnostics and the report
  bool loaded;              // tried to
  cudaError_t error;        // how that went
  const struct weir_program *program;
  unsigned arch; // that the program's PTX was compiled for
  struct weir_cuda_function **functions;
  unsigned function_count, function_capacity;
  struct weir_cuda_variable *variables;
};

extern struct weir_cuda_set weir_cuda_modules;   // by handle
extern struct weir_cuda_set weir_cuda_functions; // by stub and by handle
extern struct weir_cuda_set weir_cuda_variables; // by shadow

// Reads the module's PTX if that was not tried yet. The result is remembered.
cudaError_t weir_cuda_module_load(struct weir_device *d, struct weir_cuda_module *m);

// Its module goes.
void weir_cuda_forget_placed(struct weir_cuda_variable *v);

#endif
