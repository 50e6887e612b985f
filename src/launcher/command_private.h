// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What the launcher's files share. Invariant: between start and end, SIGCHLD and the signals that end programs are blocked
// here, and in the program they are what they were.
#ifndef WEIR_LAUNCHER_COMMAND_PRIVATE_H
#define WEIR_LAUNCHER_COMMAND_PRIVATE_H

#include "binary/elf.h"
#include "launcher/command.h"

#include <signal.h>
#include <sys/types.h>
#include <time.h>

struct weir_command {
  const char *path;                 // of the program
  const struct weir_binary *binary; // what is in it
  pid_t pid;
  char *libraries;       // folder of weir's own; NULL: there is none
  char *folder;          // of results
  const char *recording; // file that gets it; NULL: nothing is recorded
  int files[2];          // what is kept of stdout and stderr; −1: nothing
  sigset_t before;       // signals blocked before it was started
  struct timespec started;
};

// What the program's processes have told in that file of what they read.
void weir_command_take_inputs(struct weir_command_result *r, const struct weir_command *c, const char *path);

char *weir_command_libraries(void); // freed by weir_free
bool weir_command_has_library(const struct weir_command *c, const char *name);

sigset_t weir_command_signals(void); // those that are blocked

// Starts the program whose path and contents are given. False and a diagnostic if that cannot be.
bool weir_command_start(struct weir_command *c, const struct weir_experiment *e, char *const argv[],
                        enum weir_command_streams streams, struct weir_sink *sink);

#endif
