// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Child processes and the folder that they work in. Invariant: a child gets standard streams of our making and no other
// descriptor, default signal handling, and an environment without what would change clang; when a call returns, its
// child has ended.
#ifndef WEIR_OPENCL_COMPILE_PROCESS_H
#define WEIR_OPENCL_COMPILE_PROCESS_H

#include "opencl/compile/options.h"

// Runs argv[0] (an absolute path), its standard output and error into `log` by way of a file in `folder`. False: it
// could not be started, or ended with another status than 0 (or, where the host program reaps children itself and the
// status is lost, without having made the file `output`).
bool weir_cl_process_run(char *const argv[], const char *folder, const char *output, struct weir_cl_text *log);

// An executable by that name in $PATH, or at that path. NULL: there is none. Freed by weir_free.
char *weir_cl_process_find(const char *name);

// A new folder for temporary files, and its end with all that is in it. NULL: none could be made.
char *weir_cl_folder_new(void);
void weir_cl_folder_remove(char *folder);

#endif
