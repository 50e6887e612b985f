// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "report/reproduce.h"

#include "base/alloc.h"
#include "run/object.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A word that the shell reads as it is.
static void put_word(FILE *to, const char *text) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  fputc(' ', to);
  if (*text && !text[strspn(text, plain)]) {
    fputs(text, to);
    return;
  }
  fputc('\'', to);
  for (; *text; text++)
    if (*text == '\'')
      fputs("'\\''", to);
    else
      fputc(*text, to);
  fputc('\'', to);
}

static void put_option(FILE *to, const char *name, const char *value) {
  if (!*value) return;
  fprintf(to, " --%s", name);
  put_word(to, value);
}

// A line each: where it was given, a tab, the hint.
static void put_hints(FILE *to, const char *hints) {
  for (const char *line = hints; *line;) {
    const size_t length = strcspn(line, "\n");
    char *is = weir_text_format("%.*s", (int)length, line), *tab = strchr(is, '\t');
    put_option(to, "hint", tab ? tab + 1 : is);
    weir_free(is);
    line += length + (line[length] == '\n');
  }
}

static void put_sl1(FILE *to, const json_t *run) {
  if (!json_is_object(json_object_get(run, "sl1"))) return;
  const char *name, *before = "=";
  json_t *value;
  fputs(" --sl1", to);
  json_object_foreach(weir_run_member(run, "sl1.options"), name, value) {
    fprintf(to, "%s%s=%s", before, name, json_string_value(value));
    before = ",";
  }
}

static void put_list(FILE *to, const json_t *list, const char *option) {
  size_t i;
  json_t *text;
  json_array_foreach((json_t *)list, i, text) {
    if (option)
      put_option(to, option, json_string_value(text));
    else
      put_word(to, json_string_value(text));
  }
}

static void put_selection(FILE *to, const json_t *run) {
  const double most = weir_run_number(run, "selection.max_launches");
  put_option(to, "kernels", weir_run_text(run, "selection.kernels"));
  put_option(to, "launches", weir_run_text(run, "selection.launches"));
  if (most > 0) fprintf(to, " --max-launches %.0f", most);
  if (json_is_true(weir_run_member(run, "selection.warm"))) fputs(" --warm", to);
  if (weir_run_member(run, "sampling")) fputs(" --sample auto", to);
}

char *weir_reproduce(const json_t *run) {
  char *text = NULL;
  size_t size;
  FILE *to = open_memstream(&text, &size);
  if (!to) abort();
  const json_t *command = weir_run_member(run, "process.command");
  fputs("weir run", to);
  if (!command) put_word(to, weir_run_text(run, "program"));
  put_option(to, "chip", weir_run_text(run, "chip"));
  put_option(to, "scheme", weir_run_text(run, "scheme"));
  if (!*weir_run_text(run, "chip")) fputs(" --functional", to);
  if (!command && strcmp(weir_run_text(run, "size"), "small") != 0) put_option(to, "size", weir_run_text(run, "size"));
  put_list(to, weir_run_member(run, "set"), "set");
  put_hints(to, weir_run_text(run, "hints"));
  put_sl1(to, run);
  put_selection(to, run);
  fprintf(to, " --seed %.0f", weir_run_number(run, "seed"));
  if (command) fputs(" --", to);
  put_list(to, command, NULL);
  fclose(to);
  char *copy = weir_text_copy(text);
  free(text);
  return copy;
}
