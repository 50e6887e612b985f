// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// PTX text to IR: versions 3.0 to 9.x, 64-bit addresses, any target.
#ifndef WEIR_PTX_PARSE_H
#define WEIR_PTX_PARSE_H

#include "base/diag.h"
#include "ptx/ir.h"

// Parses `size` bytes of text (copied). Reports every error it finds; NULL if there was any. Instructions that are
// well-formed but that weir cannot run are not errors here: they carry `runnable` (see ptx/check.h).
struct weir_module *weir_ptx_parse(const char *path, const char *text, size_t size, struct weir_sink *sink);

// The same for a file (plain or gzipped).
struct weir_module *weir_ptx_read(const char *path, struct weir_sink *sink);

#endif
