// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The few functions of CUDA's driver API that programs of the runtime API call beside it (binary/driver_calls.def).
#ifndef WEIR_CUDART_DRIVER_API_H
#define WEIR_CUDART_DRIVER_API_H

// Of that name; NULL: there is none.
void *weir_cuda_driver_function(const char *name);

#endif
