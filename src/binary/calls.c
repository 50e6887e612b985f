// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "binary/calls.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct row {
  const char *name;
  enum weir_cuda_call call;
};

static const struct row rows[] = {
#define X(name, state) {#name, WEIR_CUDA_##state},
#include "binary/cuda_calls.def"
#undef X
};

static int compare(const void *name, const void *row) {
  return strcmp(name, ((const struct row *)row)->name);
}

enum weir_cuda_call weir_cuda_call(const char *name) {
  const struct row *row = bsearch(name, rows, sizeof rows / sizeof *rows, sizeof *rows, compare);
  if (row) return row->call;
  if (strncmp(name, "__", 2) == 0) name += 2;
  return strncmp(name, "cuda", 4) == 0 && isupper((unsigned char)name[4]) ? WEIR_CUDA_MISSING : WEIR_CUDA_NONE;
}
