// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// BigKernel's other stages on the GPU (Mokhtari and Stumm, IPDPS 2014), of a kernel whose text does not fit in the GPU's memory: one kernel that works
// out which bytes of the text each thread will load, and one that computes on those bytes as the host has gathered them. Invariant: if the host puts
// behind one another, per thread, the bytes that the first names, the second computes what the original computes; neither touches the text.
//
// The text is what the kernel's first parameter points to; grids have one dimension. The first kernel is a slice of the original (Weiser's): what
// addresses of loads of the text, and whether and in which order they are executed, depend on. It is refused if that is something of the text itself,
// that the kernel may write, or that two kernels need not agree in, such as a clock or which SM it is. Structures are taken not to overlap.
#ifndef WEIR_SL1_GATHER_H
#define WEIR_SL1_GATHER_H

#include "base/diag.h"
#include "ptx/ir.h"

// .const .u64, which the host fills: the device addresses of entries and of counts; how many entries a thread has room for; where the gathered bytes
// are; and, for the host itself, the text. Entry k of thread t is a u32, the offset of a byte into the text, at index k × threads + t; the byte itself is in row
// (k / row_bytes) × threads + t of as many bytes. S-L1's lines hold such rows, if row_bytes is theirs and the first begins at a multiple of it.
// counts[t], u32, is how many thread t has: more than there is room for if some were left out.
#define WEIR_GATHER_NAME "weir_gather"
enum { WEIR_GATHER_ENTRIES, WEIR_GATHER_COUNTS, WEIR_GATHER_ROOM, WEIR_GATHER_BYTES, WEIR_GATHER_TEXT };
#define WEIR_GATHER_ADDRESSES "_addresses" // behind the kernel's name: the first one's

// The module with two kernels for each that has a text; parsed anew. row_bytes is a power of two. NULL and a diagnostic: a kernel does more with its text than it may.
struct weir_module *weir_gather_apply(const struct weir_module *m, uint32_t row_bytes, struct weir_sink *sink);

#endif
