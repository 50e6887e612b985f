// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// weir help: the commands, one command, and the pages made from the same tables (manual pages, docs/OUTPUT.md).
#include "cli/options.h"
#include "cli/pages.h"

#include <string.h>

static void print_overview(void) {
  puts("Usage: weir COMMAND [OPTION...] [ARGUMENT...]\n"
       "A laboratory for GPU cache management: runs GPU kernels (PTX) on a modelled chip under\n"
       "published cache-management schemes and says what each did to which cache.\n");
  weir_print_commands(stdout);
  puts("\n'weir COMMAND --help' explains a command; 'weir --version' prints the version.");
}

static int no_command(const char *name) {
  enum { MOST = 64 };
  unsigned count;
  const struct command *const *commands = weir_commands(&count);
  const char *names[MOST];
  for (unsigned i = 0; i < count && i < MOST; i++) names[i] = commands[i]->name;
  const char *nearest = weir_nearest(name, names, count < MOST ? count : MOST);
  return nearest ? weir_usage_error("help", "there is no command '%s'; did you mean '%s'?", name, nearest)
                 : weir_usage_error("help", "there is no command '%s'", name);
}

static int print_command(const char *name, bool man) {
  unsigned count;
  const struct command *const *commands = weir_commands(&count);
  for (unsigned i = 0; i < count; i++) {
    if (strcmp(commands[i]->name, name)) continue;
    if (man) return weir_print_command_man(commands[i], stdout), WEIR_EXIT_OK;
    char *argv[] = {(char *)name, (char[]){"--help"}, NULL};
    struct options unused;
    weir_options_read(commands[i], 2, argv, &unused); // prints and ends the process
  }
  return no_command(name);
}

static int run(const struct options *o) {
  if (o->argument_count) return print_command(o->arguments[0], o->man);
  if (o->man) weir_print_man(stdout);
  if (o->output_doc) weir_print_output_doc(stdout);
  if (o->schema) weir_print_schema(stdout);
  if (o->completion) weir_print_completion(stdout);
  if (o->man || o->output_doc || o->schema || o->completion) return WEIR_EXIT_OK;
  print_overview();
  return WEIR_EXIT_OK;
}

static const struct argp_option options[] = {
  {"man", KEY_MAN, 0, 0, "print the manual page of weir, or of COMMAND", 0},
  {"output-doc", KEY_OUTPUT_DOC, 0, OPTION_HIDDEN, "print docs/OUTPUT.md", 0},
  {"schema", KEY_SCHEMA, 0, 0, "print the JSON Schema of the run object", 0},
  {"completion", KEY_COMPLETION, 0, 0, "print a script that has bash complete commands, options and names", 0},
  {0},
};

const struct command command_help = {
  .name = "help",
  .arguments = "[COMMAND]",
  .summary = "explain weir or one of its commands",
  .options = options,
  .least = 0,
  .most = 1,
  .run = run,
};
