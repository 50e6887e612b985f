// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Pages made from the tables that parse and that write: manual pages and completion for bash from the commands' options,
// docs/OUTPUT.md and docs/run.schema.json from the members of the run object.
#ifndef WEIR_CLI_PAGES_H
#define WEIR_CLI_PAGES_H

#include <stdio.h>

struct command;

void weir_print_man(FILE *to);
void weir_print_command_man(const struct command *c, FILE *to);
void weir_print_output_doc(FILE *to);
void weir_print_schema(FILE *to);
void weir_print_completion(FILE *to);

#endif
