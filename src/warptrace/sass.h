// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// NVIDIA's machine instructions (SASS), as far as timing asks: class, space, width and hints, from an opcode's text.
#ifndef WEIR_WARPTRACE_SASS_H
#define WEIR_WARPTRACE_SASS_H

#include "exec/winstr.h"

// Fills `s` but for registers, line and function. False: the table (sass.def) has no such opcode, and it runs as class DEFAULT.
bool weir_sass_describe(const char *opcode, struct weir_static *s);

// Which instruction it is, of those of a machine of this version (70: Volta) one after the other; UINT32_MAX: there can be none at that
// offset in its function.
uint32_t weir_sass_index(uint64_t offset, unsigned version);

#endif
