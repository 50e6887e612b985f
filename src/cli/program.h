// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What run and compare do with a program behind "--", and where a report goes.
#ifndef WEIR_CLI_PROGRAM_H
#define WEIR_CLI_PROGRAM_H

#include "cli/options.h"
#include "launcher/command.h"

// weir run -- ./program: its exit status is the program's, 128 + n if signal n ended it.
int weir_run_program(const struct options *o);

int weir_program_status(const struct weir_command_result *r); // that

// False and a diagnostic if --ncu is given and the chip does not count as Nsight Compute does.
bool weir_ncu_fits(const struct options *o, const struct weir_setup *setup, struct weir_sink *sink);

// False and a usage error if options are given that have no meaning for a program behind "--".
bool weir_program_options(const char *command, const struct options *o);

// False and a usage error if --clock is no clock, or there is no program behind "--" to have one.
bool weir_clock_option(const char *command, const struct options *o);

// Prints run objects as the options say: reports or JSON, on stdout or into the file of --output. False if it cannot be
// written.
bool weir_print_runs(const struct options *o, json_t *const *runs, unsigned count, bool as_list,
                     struct weir_sink *sink);

#endif
