// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Files read and written from beginning to end, packed or not. Invariant: how a file is packed is told by its first
// bytes when it is read, and by its name's end when it is written.
#ifndef WEIR_TRACE_STREAM_H
#define WEIR_TRACE_STREAM_H

#include "base/diag.h"

#include <stdint.h>

enum weir_packing { WEIR_PLAIN, WEIR_GZIP, WEIR_XZ, WEIR_ZSTD };

enum weir_packing weir_packing_by_name(const char *path);

struct weir_stream;

// NULL and a diagnostic if it cannot be opened.
struct weir_stream *weir_stream_read_open(const char *path, struct weir_sink *sink);

// Fewer bytes than asked for at the end only, or after a diagnostic.
size_t weir_stream_read(struct weir_stream *s, void *to, size_t bytes);
bool weir_stream_failed(const struct weir_stream *s);

struct weir_stream *weir_stream_write_open(const char *path, enum weir_packing packing, struct weir_sink *sink);
void weir_stream_write(struct weir_stream *s, const void *from, size_t bytes);

// Closes it. False if anything went wrong before or now, which was said.
bool weir_stream_finish(struct weir_stream *s);

#endif
