// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A recording of instructions as a program whose launches can be run again. Invariant: each launch has a frame for each of its blocks.
#ifndef WEIR_WARPTRACE_READER_H
#define WEIR_WARPTRACE_READER_H

#include "warptrace/about.h"

struct weir_warptrace;

// NULL and a diagnostic if it is no recording of instructions, or damaged.
struct weir_warptrace *weir_warptrace_open(const char *path, struct weir_sink *sink);
void weir_warptrace_free(struct weir_warptrace *t); // may be NULL

const struct weir_streamed_program *weir_warptrace_program(const struct weir_warptrace *t);
const struct weir_warptrace_call *weir_warptrace_call(const struct weir_warptrace *t, size_t i); // NULL: no more

// The streams of a launch, until the next call of this. Reading them needs no sink: what is damaged is a fault of the launch.
const struct weir_streams *weir_warptrace_streams(struct weir_warptrace *t, const struct weir_warptrace_call *launch);

#endif
