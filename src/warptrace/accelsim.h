// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Traces of Accel-Sim's tracer (Khairy et al., ISCA 2020), which runs under NVBit: a list of copies and kernels (kernelslist.g), and for each
// kernel the machine instructions of each warp (.traceg), packed or not. docs/STREAMS.md says what is taken from them.
#ifndef WEIR_WARPTRACE_ACCELSIM_H
#define WEIR_WARPTRACE_ACCELSIM_H

#include "base/diag.h"

#include <stdbool.h>

// Writes the list at `path`, or a single kernel's trace, as a recording at `to`. False and diagnostics if it is none. What runs as class
// DEFAULT, since nothing is known of it, is named.
bool weir_accelsim_convert(const char *path, bool is_list, const char *to, struct weir_sink *sink);

// Calls `each` for each kernel's file of a list, until it answers false. False also if the list cannot be read.
bool weir_accelsim_files(const char *list, bool (*each)(void *context, const char *path), void *context,
                         struct weir_sink *sink);

#endif
