// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// How fast S-L1 is written into PTX: sl1_pass [LINES [FILE…]]. The kernels of the files (without: of all bundled workloads)
// are repeated under new names until the text has so many lines (10,000), then parsed, transformed and printed five times;
// prints the best in seconds of processor time, in all and per 10,000 lines. With LINES negative, one function has them all.
#include "base/alloc.h"
#include "base/file.h"
#include "ptx/parse.h"
#include "ptx/print.h"
#include "sl1/sl1.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPEATS = 5 };

static double now(void) { // of this process: one thread, whatever else runs
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static long lines_of(const char *text) {
  long lines = 0;
  for (; *text; text++) lines += *text == '\n';
  return lines;
}

static void put_item(struct weir_item *item, FILE *to) {
  const struct weir_module one = {.items = item, .item_count = 1};
  weir_ptx_print(&one, to);
}

static const char *name_of(const struct weir_item *item) {
  return item->kind == WEIR_ITEM_FUNCTION ? item->function->symbol->name : item->variable->name;
}

// The kernels of a module under names of their own, behind what they share if `text` so far does not have it.
static void put_copy(struct weir_module *m, unsigned copy, const char *text, FILE *to) {
  for (uint32_t i = 0; i < m->item_count; i++) {
    struct weir_item *item = &m->items[i];
    const bool entry = item->kind == WEIR_ITEM_FUNCTION && item->function->entry;
    if (!entry && item->kind != WEIR_ITEM_TEXT && !strstr(text, name_of(item))) put_item(item, to);
    if (!entry) continue;
    struct weir_symbol *s = item->function->symbol;
    const char *name = s->name;
    char renamed[512];
    snprintf(renamed, sizeof renamed, "%.400s_%u", name, copy);
    s->name = renamed;
    put_item(item, to);
    s->name = name;
  }
}

// Loops over what a pointer points to, one after the other, in one function.
static void put_loops(long lines, FILE *to) {
  fputs(
    ".entry one(.param .u64 in, .param .u64 out, .param .u32 n)\n{\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n.reg .pred %p;\n"
    "ld.param.u64 %rd0, [in];\nld.param.u64 %rd1, [out];\nld.param.u32 %r0, [n];\n",
    to);
  for (long i = 0; i < lines / 10; i++)
    fprintf(
      to,
      "mov.u32 %%r1, 0;\n$head%ld:\nld.global.u8 %%r2, [%%rd0];\nadd.s64 %%rd0, %%rd0, 1;\nadd.s32 %%r2, %%r2, 1;\n"
      "st.global.u8 [%%rd1], %%r2;\nadd.s64 %%rd1, %%rd1, 1;\nadd.s32 %%r1, %%r1, 1;\n"
      "setp.lt.u32 %%p, %%r1, %%r0;\n@%%p bra $head%ld;\n",
      i, i);
  fputs("ret;\n}\n", to);
}

static char *repeat(char **paths, size_t count, long lines, size_t *size) {
  char *text = NULL;
  FILE *to = open_memstream(&text, size);
  fputs(".version 8.5\n.target sm_80\n.address_size 64\n", to);
  if (lines < 0) put_loops(-lines, to);
  long now_lines = 0;
  for (unsigned copy = 0; now_lines < lines; copy++) {
    struct weir_sink sink = {0};
    struct weir_module *m = weir_ptx_read(paths[copy % count], &sink);
    weir_sink_print(&sink, stderr);
    if (!m) exit(WEIR_EXIT_USER);
    fflush(to);
    char *so_far = weir_text_copy(text);
    put_copy(m, copy, so_far, to);
    weir_free(so_far);
    fflush(to);
    now_lines = lines_of(text);
    weir_module_free(m);
    weir_sink_free(&sink);
  }
  fclose(to);
  return text;
}

static double transform_time(const char *text, size_t size, unsigned *transformed) {
  struct weir_sink sink = {0};
  struct weir_sl1_report report;
  const struct weir_sl1_options o = weir_sl1_defaults();
  const double start = now();
  struct weir_module *m = weir_ptx_parse("repeated.ptx", text, size, &sink);
  weir_sink_print(&sink, stderr);
  if (!m) exit(WEIR_EXIT_USER);
  weir_free(weir_sl1_transform(m, &o, &report));
  weir_module_free(m);
  const double seconds = now() - start;
  *transformed = 0;
  for (uint32_t i = 0; i < report.kernel_count; i++) *transformed += report.kernels[i].transformed;
  weir_sl1_report_free(&report);
  return seconds;
}

int main(int count, char **arguments) {
  const long lines = count > 1 ? atol(arguments[1]) : 10000;
  if (!lines) return fprintf(stderr, "usage: sl1_pass [LINES [FILE…]]\n"), WEIR_EXIT_USER;
  glob_t bundled = {0};
  char *folder = weir_data_path("workloads");
  char *pattern = weir_text_format("%s/*/*.ptx", folder ? folder : "workloads");
  glob(pattern, 0, NULL, &bundled);
  weir_free(pattern);
  weir_free(folder);
  char **paths = count > 2 ? arguments + 2 : bundled.gl_pathv;
  const size_t files = count > 2 ? (size_t)count - 2 : bundled.gl_pathc;
  if (!files) return fprintf(stderr, "sl1_pass: no PTX\n"), WEIR_EXIT_USER;
  size_t size;
  char *text = repeat(paths, files, lines, &size);
  unsigned transformed = 0;
  double best = 1e9;
  for (unsigned i = 0; i < REPEATS; i++) {
    const double seconds = transform_time(text, size, &transformed);
    if (seconds < best) best = seconds;
  }
  const double all = (double)lines_of(text);
  printf("%.0f lines, %u kernels transformed, in %.3f s: %.3f s per 10,000 lines\n", all, transformed, best,
         best / all * 1e4);
  free(text);
  globfree(&bundled);
  return 0;
}
