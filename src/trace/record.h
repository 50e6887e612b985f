// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Recording a program by qemu-user, with weir's recorder as its plugin. Invariant: the trace gets its name when it is
// whole; until then, and if anything goes wrong, what was there before under that name stays.
#ifndef WEIR_TRACE_RECORD_H
#define WEIR_TRACE_RECORD_H

#include "trace/phases.h"
#include "trace/trace.h"

#define WEIR_ENV_QEMU "WEIR_QEMU" // the qemu-x86_64 to use, if not the one on the PATH

struct weir_trace_window {
  uint64_t first, instructions; // instructions 0: to the end
  double weight;
};

struct weir_trace_command {
  const char *file;       // the program's file
  char *const *arguments; // its name and arguments, NULL-terminated
};

// Records windows, in order and apart, of each thread by its own count of instructions, or of the first thread alone.
// The program is stopped where the first thread's last window ends. False and a diagnostic if there is no trace.
bool weir_trace_record(const struct weir_trace_command *command, const struct weir_trace_window *windows,
                       unsigned count, bool first_thread, const char *path, struct weir_sink *sink);

// Runs it to its end and profiles its first thread. Intervals are freed by weir_free. False and a diagnostic if there
// is no profile.
bool weir_trace_profile(const struct weir_trace_command *command, uint64_t interval,
                        struct weir_phase_interval **intervals, size_t *count, struct weir_sink *sink);

#endif
