// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Hints written into the CUDA source that a program was compiled from, as a unified diff. Invariant: a file is read once, and what it
// was is kept beside what it becomes; nothing on disk changes.
#ifndef WEIR_ADVISE_PATCH_H
#define WEIR_ADVISE_PATCH_H

#include "base/diag.h"

struct weir_patch_file {
  const char *name; // in the debug information
  char *path;       // where it was found
  char *before, *now;
  char *headers; // the text of what it includes
};

struct weir_patch {
  const char *program; // beside which sources are looked for
  struct weir_patch_file *files;
  unsigned count, capacity;
  char **refusals; // what was said, each once
  unsigned refused, room;
};

struct weir_patch_wish {
  const char *file, *function; // of the debug information, which outlives the patch; the kernel's symbol
  unsigned line;
  const char *array; // "param_2", "k_param_2" or a variable's name; "": unknown
  bool store;
  const char *hint;
};

// Writes the hint into the text. False, and a note to the sink with the reason, where that cannot be done.
bool weir_patch_add(struct weir_patch *p, const struct weir_patch_wish *w, struct weir_sink *sink);

// The diff of all files, "" if nothing has changed; to be freed. Its paths are relative to the working directory, or of files
// elsewhere to the root: `patch -p1` takes it there.
char *weir_patch_text(const struct weir_patch *p);

void weir_patch_free(struct weir_patch *p);

#endif
