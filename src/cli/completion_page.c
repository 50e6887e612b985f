// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Completion for bash: of commands, of their options, and of the names that weir list knows.
#include "cli/options.h"
#include "cli/pages.h"

#include <string.h>

static void put_options(const struct command *c, FILE *to) {
  fprintf(to, "  %s) options='", c->name);
  for (const struct argp_option *o = c->options; o->name; o++)
    if (!(o->flags & OPTION_HIDDEN))
      fprintf(to, "--%s%s ", o->name, o->arg && !(o->flags & OPTION_ARG_OPTIONAL) ? "=" : "");
  fputs("--help' ;;\n", to);
}

void weir_print_completion(FILE *to) {
  unsigned count;
  const struct command *const *commands = weir_commands(&count);
  fputs(
    "# Made by 'weir help --completion' from the tables that parse the options: completion for bash, and for zsh\n"
    "# behind `autoload -U bashcompinit && bashcompinit`.\n"
    "_weir_names() { # KIND...: their names\n"
    "  local kind\n"
    "  for kind; do weir list \"$kind\" 2>/dev/null | awk '/^[^ ]/ {print $1}'; done\n"
    "}\n"
    "_weir() {\n"
    "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} options= i\n"
    "  COMPREPLY=()\n"
    "  for ((i = 1; i < COMP_CWORD; i++)); do # behind --: a program and its arguments\n"
    "    [ \"${COMP_WORDS[i]}\" != -- ] || { COMPREPLY=($(compgen -f -- \"$word\")); return; }\n"
    "  done\n"
    "  [ \"$before\" != = ] || before=${COMP_WORDS[COMP_CWORD-2]}\n"
    "  [ \"$word\" != = ] || { before=${COMP_WORDS[COMP_CWORD-1]} word=; }\n"
    "  if [ \"$COMP_CWORD\" = 1 ]; then\n"
    "    COMPREPLY=($(compgen -W '",
    to);
  for (unsigned i = 0; i < count; i++) fprintf(to, "%s ", commands[i]->name);
  fputs("--help --version' -- \"$word\"))\n    return\n  fi\n  case $command in\n", to);
  for (unsigned i = 0; i < count; i++) put_options(commands[i], to);
  fputs("  esac\n"
        "  case $before in\n"
        "  --chip | --chips) COMPREPLY=($(compgen -W \"$(_weir_names chips)\" -f -- \"$word\")); return ;;\n"
        "  --scheme | --schemes) COMPREPLY=($(compgen -W \"$(_weir_names schemes)\" -f -- \"$word\")); return ;;\n"
        "  --size) COMPREPLY=($(compgen -W 'small paper' -- \"$word\")); return ;;\n"
        "  --clock) COMPREPLY=($(compgen -W 'real modelled still' -- \"$word\")); return ;;\n"
        "  esac\n"
        "  case $command:$word in\n"
        "  *:-*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
        "  help:*) COMPREPLY=($(compgen -W '",
        to);
  for (unsigned i = 0; i < count; i++) fprintf(to, "%s%s", i ? " " : "", commands[i]->name);
  fputs(
    "' -- \"$word\")) ;;\n"
    "  list:*) COMPREPLY=($(compgen -W 'workloads cpu-programs chips schemes policies' -- \"$word\")) ;;\n"
    "  run:* | compare:* | advise:* | look:*) COMPREPLY=($(compgen -W \"$(_weir_names workloads cpu-programs)\" -f -- \"$word\")) ;;\n"
    "  *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
    "  esac\n"
    "  case ${COMPREPLY[0]-} in *=) compopt -o nospace 2>/dev/null ;; esac\n"
    "}\n"
    "complete -o filenames -F _weir weir\n",
    to);
}
