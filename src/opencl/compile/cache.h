// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What was compiled before, on disk: $XDG_CACHE_HOME/weir/opencl or ~/.cache/weir/opencl; WEIR_CL_CACHE names another
// folder, or "none". Invariant: an entry is written whole or not at all, holds only what was built without errors, and
// is valid as long as the files that were included still have the contents they had. A folder that cannot be written,
// or read, costs time and nothing else.
#ifndef WEIR_OPENCL_COMPILE_CACHE_H
#define WEIR_OPENCL_COMPILE_CACHE_H

#include "base/hash.h"
#include "opencl/compile/compile.h"
#include "opencl/compile/options.h"

// The folder; NULL: there is no cache. Freed by weir_free.
char *weir_cl_cache_folder(void);

// Fills status, output and log. `cache` may be NULL.
bool weir_cl_cache_load(const char *cache, weir_hash key, struct weir_cl_result *r);
// `included`: the files that the result depends on beside what is in the key.
void weir_cl_cache_store(const char *cache, weir_hash key, const struct weir_cl_result *r,
                         const struct weir_cl_arguments *included);

// Keeps a program's text where the line table can name it: CACHE/source/KERNEL-HASH.cl. NULL: it cannot be kept.
char *weir_cl_cache_source(const char *cache, const char *text, size_t bytes);

#endif
