// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "cli/options.h"

#include "exec/isa.h"

#include <signal.h>
#include <string.h>

static const struct command *const commands[] = {
  &command_run,    &command_compare, &command_sweep, &command_advise, &command_look,  &command_study,
  &command_check,  &command_sl1,     &command_hint,  &command_list,   &command_store, &command_report,
  &command_record, &command_replay,  &command_bench, &command_gpu,    &command_trace, &command_help};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

const struct command *const *weir_commands(unsigned *count) {
  *count = COMMANDS;
  return commands;
}

void weir_print_commands(FILE *to) {
  for (int i = 0; i < COMMANDS; i++) fprintf(to, "  %-8s  %s\n", commands[i]->name, commands[i]->summary);
}

static const struct command *find_command(const char *name) {
  for (int i = 0; i < COMMANDS; i++)
    if (!strcmp(commands[i]->name, name)) return commands[i];
  return NULL;
}

static int unknown_command(const char *name) {
  const char *names[COMMANDS];
  for (int i = 0; i < COMMANDS; i++) names[i] = commands[i]->name;
  const char *nearest = weir_nearest(name, names, COMMANDS);
  fprintf(stderr, "weir: unknown %s '%s'", name[0] == '-' ? "option" : "command", name);
  if (nearest) fprintf(stderr, "; did you mean '%s'?", nearest);
  fputs("\nTry 'weir --help'.\n", stderr);
  return WEIR_EXIT_USER;
}

static int no_command(void) {
  fputs("weir: no command given; it is one of\n\n", stderr);
  weir_print_commands(stderr);
  fputs("\nTry 'weir --help'.\n", stderr);
  return WEIR_EXIT_USER;
}

static int call(const struct command *c, int argc, char **argv) {
  struct options o;
  struct weir_sink sink = {0};
  if (!weir_isa_check(&sink)) return weir_conclude(&sink);
  weir_options_read(c, argc, argv, &o);
  int status = c->run(&o);
  weir_options_free(&o);
  if (fflush(stdout) || ferror(stdout)) {
    perror("weir: standard output");
    return WEIR_EXIT_INTERNAL;
  }
  return status;
}

int main(int argc, char **argv) {
  signal(SIGCHLD, SIG_DFL); // ignored by who started us, it would hide how our children end
  if (argc < 2) return no_command();
  const char *name = argv[1];
  if (!strcmp(name, "--version") || !strcmp(name, "-V")) return puts(argp_program_version) < 0;
  if (!strcmp(name, "--help") || !strcmp(name, "-?") || !strcmp(name, "-h")) name = "help", argc = 2;
  const struct command *c = find_command(name);
  return c ? call(c, argc - 1, argv + 1) : unknown_command(name);
}
