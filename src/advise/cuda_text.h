// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// CUDA C++ source as text: enough of it to find the accesses of a line to a kernel's parameter and to write a hint into one. What it
// does not understand it refuses, and says why. Invariant: a text that it has changed has as many lines as before.
#ifndef WEIR_ADVISE_CUDA_TEXT_H
#define WEIR_ADVISE_CUDA_TEXT_H

#include <stdbool.h>
#include <stddef.h>

enum { WEIR_WHY_BYTES = 256 };

struct weir_cuda_access {
  unsigned line;
  const char *kernel;   // its name in the source, without namespaces
  int parameter;        // number of the kernel's parameter, or −1: a variable of the file
  const char *variable; // its name, if it is one
  bool store;
  const char *hint;    // as --hint has it
  const char *headers; // the text of files that it includes, in which types may be defined; NULL: none
};

// The text with the hint; to be freed by weir_free. NULL and why in `why` if the access is not found, is not the only one of its line,
// or no function of CUDA C++ has the hint or takes what is accessed.
char *weir_cuda_text_hint(const char *text, const struct weir_cuda_access *a, char why[WEIR_WHY_BYTES]);

#endif
