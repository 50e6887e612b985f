// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// How fast PTX is read: ptx_parse FILE [MEGABYTES]. The functions of FILE are repeated under new names until the text
// has that size (10 MB), and the text is parsed five times; prints the best in seconds of processor time and MB/s.
#include "base/alloc.h"
#include "base/file.h"
#include "ptx/parse.h"
#include "ptx/print.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPEATS = 5 };

static double now(void) { // of this process: one thread, whatever else runs
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// One copy of the module's kernels; the printer takes their names from the symbols.
static void put_copy(struct weir_module *m, unsigned copy, FILE *to) {
  for (uint32_t i = 0; i < m->function_count; i++) {
    struct weir_symbol *s = m->functions[i]->symbol;
    const char *name = s->name;
    char renamed[512];
    snprintf(renamed, sizeof renamed, "%.400s_%u", name, copy);
    s->name = renamed;
    struct weir_item item = {.kind = WEIR_ITEM_FUNCTION, .function = m->functions[i]};
    struct weir_module one = {.items = &item, .item_count = 1};
    if (m->functions[i]->entry) weir_ptx_print(&one, to);
    s->name = name;
  }
}

static char *repeat(struct weir_module *m, size_t bytes, size_t *size) {
  char *text = NULL;
  FILE *to = open_memstream(&text, size);
  weir_ptx_print(m, to);
  for (unsigned copy = 0; (size_t)ftell(to) < bytes; copy++) put_copy(m, copy, to);
  fclose(to);
  return text;
}

static double parse_time(const char *text, size_t size) {
  struct weir_sink sink = {0};
  double start = now();
  struct weir_module *m = weir_ptx_parse("repeated.ptx", text, size, &sink);
  double seconds = now() - start;
  weir_sink_print(&sink, stderr);
  if (!m) exit(WEIR_EXIT_USER);
  weir_module_free(m);
  return seconds;
}

int main(int count, char **arguments) {
  if (count < 2) return fprintf(stderr, "usage: ptx_parse FILE [MEGABYTES]\n"), WEIR_EXIT_USER;
  struct weir_sink sink = {0};
  struct weir_module *m = weir_ptx_read(arguments[1], &sink);
  weir_sink_print(&sink, stderr);
  if (!m) return WEIR_EXIT_USER;
  size_t size;
  char *text = repeat(m, (size_t)(count > 2 ? atoi(arguments[2]) : 10) * 1000000, &size);
  double best = 1e9;
  for (unsigned i = 0; i < REPEATS; i++) {
    double seconds = parse_time(text, size);
    if (seconds < best) best = seconds;
  }
  printf("%.1f MB parsed in %.3f s: %.0f MB/s\n", (double)size * 1e-6, best, (double)size * 1e-6 / best);
  free(text);
  weir_module_free(m);
  return 0;
}
