// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Kernels that read a text of which each thread has a chunk, made to read the same text with the threads' chunks interleaved: the computation
// stage of BigKernel (Mokhtari and Stumm, IPDPS 2014), whose CPU lays the data out as the GPU's threads will read them, so that their accesses
// coalesce. Invariant: a transformed kernel computes what the original computes on the text as it was.
//
// The text is what the kernel's first parameter points to; it is only read, by accesses of at most a unit. Chunks are of one length: byte o of
// chunk c lies at (o - o % unit) × row + c × unit + o % unit. Every access is moved there: in the thread's own chunk by one multiplication,
// else by a division first. What the host tells: `WEIR_INTERLEAVE_NAME`.
#ifndef WEIR_SL1_INTERLEAVE_H
#define WEIR_SL1_INTERLEAVE_H

#include "base/diag.h"
#include "ptx/ir.h"

// .const .u32 [4]: bytes of a chunk; units of a row, one per chunk and more; 2^40 over the bytes of a chunk, rounded up; 0.
#define WEIR_INTERLEAVE_NAME "weir_interleave"
enum { WEIR_INTERLEAVE_SHIFT = 40 };

// The module transformed; its text is parsed anew. NULL and a diagnostic: a kernel does more with its text than it may.
struct weir_module *weir_interleave_apply(const struct weir_module *m, uint32_t unit_bytes, struct weir_sink *sink);

#endif
