// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A run whose warps' instructions are kept in a file (docs/STREAMS.md).
#ifndef WEIR_RUN_RECORDING_H
#define WEIR_RUN_RECORDING_H

#include "run/experiment.h"
#include "warptrace/writer.h"

// NULL and a diagnostic if the file cannot be made, or the program has S-L1: its kernels ask the chip for the room of their lines.
struct weir_warptrace_writer *weir_recording_start(const char *path, const struct weir_experiment *e,
                                                   const struct weir_setup *setup, struct weir_sink *sink);
// Runs the launch on the backend, and listens.
bool weir_recording_launch(struct weir_warptrace_writer *w, const struct weir_backend *backend,
                           const struct weir_launch *launch, struct weir_fault *fault);
// While the programs are still there. Drops the file unless it is to be kept. False and a diagnostic if it could not be written.
bool weir_recording_end(struct weir_warptrace_writer *w, bool keep, struct weir_sink *sink);

#endif
