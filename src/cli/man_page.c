// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "cli/options.h"
#include "cli/pages.h"

#include <ctype.h>
#include <string.h>

// Text for troff: hyphens that are hyphens, and no line that begins with a control character.
static void put_text(const char *text, FILE *to) {
  if (*text == '.' || *text == '\'') fputs("\\&", to);
  for (; *text; text++) {
    if (*text == '-' || *text == '\\') fputc('\\', to);
    fputc(*text, to);
  }
}

static void put_line(const char *text, FILE *to) {
  char *line = weir_text_format("%.*s", (int)strcspn(text, "\n"), text);
  put_text(line, to);
  weir_free(line);
}

static void put_option(const struct argp_option *o, FILE *to) {
  fputs(".TP\n\\fB", to);
  if (isprint(o->key)) fprintf(to, "\\-%c\\fR, \\fB", o->key);
  put_text("--", to);
  put_text(o->name, to);
  fputs("\\fR", to);
  if (o->arg) {
    bool optional = o->flags & OPTION_ARG_OPTIONAL;
    fprintf(to, "%s=\\fI", optional ? "[" : "");
    put_text(o->arg, to);
    fprintf(to, "\\fR%s", optional ? "]" : "");
  }
  fputc('\n', to);
  put_text(o->doc, to);
  fputs(".\n", to);
}

static void put_row(const struct weir_param *p, FILE *to) {
  char values[200];
  weir_param_describe(p, values, sizeof values);
  fputs(".TP\n", to);
  put_text(p->name, to);
  fprintf(to, "=%s (%s)\n", p->initial, values);
  put_text(p->help, to);
  fputs(".\n", to);
}

static void put_head(const char *title, FILE *to) {
  fprintf(to,
          ".\\\" Made by 'weir help --man' from the tables that parse the options.\n"
          ".TH %s 1 \"\" \"weir " WEIR_VERSION "\" \"User Commands\"\n"
          ".SH NAME\n",
          title);
}

static void put_title(const struct command *c, FILE *to) {
  char *title = weir_text_format("WEIR\\-%s", c->name);
  for (char *p = title; *p; p++) *p = (char)toupper((unsigned char)*p);
  put_head(title, to);
  weir_free(title);
  fprintf(to, "weir\\-%s \\- ", c->name);
  put_text(c->summary, to);
}

static void put_synopsis(const struct command *c, FILE *to) {
  fputs("\n.SH SYNOPSIS\n", to);
  for (const char *arguments = c->arguments; arguments; arguments = strchr(arguments, '\n')) { // one line per way
    arguments += *arguments == '\n';
    fprintf(to, "%s.B weir %s\n[\\fIOPTION\\fR...] ", arguments == c->arguments ? "" : ".br\n", c->name);
    put_line(arguments, to);
    fputc('\n', to);
  }
}

void weir_print_command_man(const struct command *c, FILE *to) {
  put_title(c, to);
  put_synopsis(c, to);
  if (c->description) {
    fputs(".SH DESCRIPTION\n", to);
    put_text(c->description, to);
    fputc('\n', to);
  }
  if (c->keys) fputs(".SH KEYS\n", to);
  for (unsigned i = 0; c->keys && i < c->keys->count; i++) put_row(&c->keys->rows[i], to);
  fputs(".SH OPTIONS\n", to);
  for (const struct argp_option *o = c->options; o->name; o++)
    if (!(o->flags & OPTION_HIDDEN)) put_option(o, to);
  fputs(".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nprint this and exit.\n.SH SEE ALSO\n.BR weir (1)\n", to);
}

void weir_print_man(FILE *to) {
  unsigned count;
  const struct command *const *commands = weir_commands(&count);
  put_head("WEIR", to);
  fputs(
    "weir \\- a laboratory for GPU cache management\n"
    ".SH SYNOPSIS\n.B weir\n\\fICOMMAND\\fR [\\fIOPTION\\fR...] [\\fIARGUMENT\\fR...]\n"
    ".SH DESCRIPTION\nRuns GPU kernels (PTX) on a modelled chip under published cache\\-management schemes and says "
    "what each did to which cache.\nEvery command takes \\fB\\-\\-help\\fR and has a page of its own.\n"
    ".SH COMMANDS\n",
    to);
  for (unsigned i = 0; i < count; i++) {
    fprintf(to, ".TP\n.BR weir\\-%s (1)\n", commands[i]->name);
    put_text(commands[i]->summary, to);
    fputs(".\n", to);
  }
  fputs(
    ".SH EXIT STATUS\n"
    ".TP\n0\nAll went well.\n"
    ".TP\n1\nA program computed wrong results, or weir itself failed.\n"
    ".TP\n2\nSomething given to weir is wrong: the message names file, line and column.\n"
    ".TP\n3\n\\fBweir gpu\\fR found no CUDA driver, or no device.\n"
    ".TP\n130\nInterrupted.\n"
    ".SH ENVIRONMENT\n"
    ".TP\nWEIR_CPU_TRACES\nA folder with traces of CPU programs, NAME.wtrace, that go before weir's own short ones.\n"
    ".TP\nWEIR_DATA\nThe folder that has weir's chips, schemes and workloads, if not the installed one.\n"
    ".TP\nWEIR_ISA\nsse, avx2 or avx512: execute kernels by that instruction set, not by the best one that is there.\n"
    ".TP\nWEIR_STORE\nThe file where \\fBweir compare\\fR and \\fBweir study\\fR keep results; empty: \\fBcompare\\fR keeps none.\n"
    ".TP\nXDG_CACHE_HOME\nWhere that file is without it, as weir/results.sqlite; ~/.cache.\n",
    to);
}
