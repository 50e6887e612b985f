// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Writes what each warp of a program does (docs/STREAMS.md): launch by launch, a frame for each block once its last warp has exited.
#ifndef WEIR_WARPTRACE_WRITER_H
#define WEIR_WARPTRACE_WRITER_H

#include "warptrace/about.h"

struct weir_warptrace_writer;

// `about` says where the recording comes from, and stays the caller's. NULL and a diagnostic if the file cannot be made.
struct weir_warptrace_writer *weir_warptrace_create(const char *path, const json_t *about, unsigned lanes,
                                                    struct weir_sink *sink);

void weir_warptrace_copy(struct weir_warptrace_writer *w, uint64_t address, uint64_t bytes);

// A launch begins: a call of which the kernel, the shape and what else is not about frames are filled in. `entry`: of its kernel.
void weir_warptrace_launch(struct weir_warptrace_writer *w, const struct weir_warptrace_call *call, uint32_t entry);
// Of a program with code: the launch begins, and the listener writes what its warps do. All programs are in one memory.
struct weir_listener weir_warptrace_listen(struct weir_warptrace_writer *w, const struct weir_launch *launch);
// Those that were listened to, in the order of their first launches, which is that of their kernels (known.h).
const struct weir_program *const *weir_warptrace_listened(const struct weir_warptrace_writer *w, size_t *count);

// Warp `warp` of block `block` executes instruction `index`.
void weir_warptrace_step(struct weir_warptrace_writer *w, uint64_t block, unsigned warp, uint32_t index,
                         const struct weir_winstr *what, bool exits);

// Ends the file; `program` NULL: drops it. False and a diagnostic if not all of it could be written. Frees the writer.
bool weir_warptrace_close(struct weir_warptrace_writer *w, const struct weir_streamed_program *program,
                          struct weir_sink *sink);

uint64_t weir_warptrace_instructions(const struct weir_warptrace_writer *w); // so far
uint64_t weir_warptrace_launches(const struct weir_warptrace_writer *w);

#endif
