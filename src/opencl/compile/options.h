// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Options of clBuildProgram, clCompileProgram and clLinkProgram (OpenCL 1.2, 5.6.4 and 5.6.5) as arguments of clang.
// Invariant: an option is passed on, or has no effect here and the log says so, or is wrong; none is dropped silently.
#ifndef WEIR_OPENCL_COMPILE_OPTIONS_H
#define WEIR_OPENCL_COMPILE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct weir_cl_text { // a growing text; `bytes` is NULL or ends in NUL
  char *bytes;
  size_t count, capacity;
};
void weir_cl_text_add(struct weir_cl_text *t, const char *bytes, size_t count);
void weir_cl_text_print(struct weir_cl_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct weir_cl_arguments { // of a child process; a copy of each, and a NULL that is not counted
  char **items;
  size_t count, capacity;
};
void weir_cl_arguments_add(struct weir_cl_arguments *a, const char *argument);
void weir_cl_arguments_free(struct weir_cl_arguments *a);

struct weir_cl_options {
  struct weir_cl_arguments clang; // what clang is told
  char level[4];                  // "-O0" to "-O3" (the default)
  bool create_library;            // -create-library (linking alone)
  bool includes;                  // there is an -I
};

enum weir_cl_stage { WEIR_CL_STAGE_COMPILE, WEIR_CL_STAGE_BUILD, WEIR_CL_STAGE_LINK };

// False and a message in the log: an option is wrong. `options` may be NULL.
bool weir_cl_options_parse(struct weir_cl_options *o, const char *options, enum weir_cl_stage stage,
                           struct weir_cl_text *log);
void weir_cl_options_free(struct weir_cl_options *o);

#endif
