// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Whole files, plain or gzipped, in and out.
#ifndef WEIR_BASE_FILE_H
#define WEIR_BASE_FILE_H

#include "base/diag.h"

#include <stddef.h>
#include <sys/stat.h>

// Reads a whole file (gunzips it if it is gzipped). The result is NUL-terminated after *size bytes and is freed by
// weir_free. NULL and a diagnostic if it cannot be read or is larger than `limit` bytes (0: 1 GiB), or is a
// device that has no end.
char *weir_file_read(const char *path, size_t limit, size_t *size, struct weir_sink *sink);

// Whether it can be read for ever: /dev/zero and its kind.
bool weir_file_is_endless(const char *path);

// Whether a file of which stat said `before` is, by what it says now, still the same and unchanged.
bool weir_file_same(const struct stat *before, const struct stat *now);

// Writes a file whole or not at all: to a temporary name beside it, then renamed over `path`. What is no regular file (a
// device, a pipe, a link to either) stays what it is, and is written to.
bool weir_file_write(const char *path, const void *bytes, size_t size, struct weir_sink *sink);

// Whether it could be written now, for what takes long before it has something to write; NULL, which is no file to be written, could.
// False and a diagnostic if not.
bool weir_file_writable(const char *path, struct weir_sink *sink);

// The same as weir_file_write, piece by piece: what is written to `to` is there under the path once it is closed and kept. Closing
// says whether all of it could be written, with a diagnostic if it was to be kept.
struct weir_draft {
  FILE *to;
  char *path, *beside; // beside: NULL if `to` is the path itself
};
bool weir_draft_open(struct weir_draft *d, const char *path, struct weir_sink *sink); // false and a diagnostic
bool weir_draft_close(struct weir_draft *d, bool keep, struct weir_sink *sink);

// A file gets another name, in another file system if need be. False and a diagnostic if it cannot; it is gone then.
bool weir_file_move(const char *from, const char *to, struct weir_sink *sink);

// The part of a path behind its last slash.
const char *weir_path_name(const char *path);

// `name` relative to the folder of `beside` (unless absolute); freed by weir_free.
char *weir_path_beside(const char *beside, const char *name);

// The path of a file of weir's own data (chips, schemes, workloads): $WEIR_DATA, then where weir is installed, then
// the source tree it was built from. NULL if it is in none of them; freed by weir_free.
char *weir_data_path(const char *relative);

#endif
