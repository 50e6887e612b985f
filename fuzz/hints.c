// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Requests of hints, and behind a line of three hyphens the module that they are for: each is refused, with a reason, or the
// module then prints as what parses again, and prints the same.
#define _GNU_SOURCE // memmem
#include "mutate.h"

#include "ptx/hints.h"
#include "ptx/parse.h"
#include "ptx/print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// As --hints reads a file: each line a request, from "--hint".
static char *requests_of(const char *text, size_t size) {
  char *lines = NULL;
  size_t bytes;
  FILE *to = open_memstream(&lines, &bytes);
  for (size_t i = 0, start = 0; i <= size; i++) {
    if (i < size && text[i] != '\n' && text[i]) continue;
    if (i > start) fprintf(to, "--hint\t%.*s\n", (int)(i - start), text + start);
    start = i + 1;
  }
  fclose(to);
  return lines;
}

static char *printed(const struct weir_module *m) {
  char *text = NULL;
  size_t bytes;
  FILE *to = open_memstream(&text, &bytes);
  weir_ptx_print(m, to);
  fclose(to);
  return text;
}

static void check_print(const struct weir_module *m) {
  struct weir_sink sink = {0};
  char *once = printed(m);
  struct weir_module *again = weir_ptx_parse("fuzz.ptx", once, strlen(once), &sink);
  if (!again) abort();
  char *twice = printed(again);
  if (strcmp(once, twice)) abort();
  free(once);
  free(twice);
  weir_module_free(again);
  weir_sink_free(&sink);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *text = (const char *)data, *cut = memmem(text, size, "\n---\n", 5);
  if (!cut) return 0;
  struct weir_sink sink = {0}, parsing = {0};
  char *lines = requests_of(text, (size_t)(cut - text));
  const size_t head = (size_t)(cut - text) + 5;
  struct weir_hints *h = weir_hints_read(lines, &sink);
  struct weir_module *m = weir_ptx_parse("fuzz.ptx", text + head, size - head, &parsing);
  if (!h != (sink.errors > 0)) abort(); // says why exactly when it refuses
  if (h && m) {
    const bool fits = weir_hints_apply(h, m, &sink);
    if (fits != !sink.errors) abort();
    if (weir_hints_all_found(h, &sink) && fits != !sink.errors) abort();
    check_print(m);
  }
  weir_module_free(m);
  weir_hints_free(h);
  weir_sink_free(&sink);
  weir_sink_free(&parsing);
  free(lines);
  return 0;
}
