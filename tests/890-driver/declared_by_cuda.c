// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Compiled against NVIDIA's cuda.h where there is one: that every function that src/driver calls has the type that it
// is called by is found by the compiler.
#include "declarations.h"

#if __has_include(<cuda.h>)
  #define __CUDA_API_VERSION_INTERNAL // all versions of a function by their own names, as the library exports them
  #include <cuda.h>
  #include <stddef.h>

  #define NEEDED(name, parameters)                                                                                     \
    _Static_assert(__builtin_types_compatible_p(__typeof__(name), CUresult parameters), #name " is declared otherwise");
  #define OPTIONAL NEEDED
  #include "driver/functions.def"
  #undef OPTIONAL
  #undef NEEDED

const struct fact facts_of_cuda[] = {FACTS};
#else
const struct fact facts_of_cuda[] = {{0}};
#endif
