// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// CUDA C++ for clang without an SDK: what weir's own test programs use of the language and of the runtime, written from
// the CUDA C++ Programming Guide and the runtime API's reference. Invariant: nothing here knows of weir; a program that
// compiles with it compiles with NVIDIA's headers, too (tests/850-cudart/build.sh does both).
//
// CUDART_VERSION says which runtime a program is built for: 11080, 12000 or 13000 (default).
#ifndef WEIR_TEST_CUDA_RUNTIME_H
#define WEIR_TEST_CUDA_RUNTIME_H

#ifndef CUDART_VERSION
  #define CUDART_VERSION 13000
#endif

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_qualifiers.h"

#include "cuda_vectors.h"

#include "cuda_types.h"

#include "cuda_host.h"
#include "cuda_graphs.h"

#include "cuda_device.h"

#include "cuda_images.h"

#endif
