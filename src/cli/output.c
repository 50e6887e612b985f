// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "cli/output.h"

#include "base/alloc.h"
#include "base/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool make_folder(const char *path, struct weir_sink *sink) {
  struct stat st;
  if (!path || !mkdir(path, 0777)) return true;
  if (errno == EEXIST && !stat(path, &st)) errno = !S_ISDIR(st.st_mode) ? ENOTDIR : access(path, W_OK) ? errno : 0;
  return !errno || weir_fail(sink, (struct weir_place){path, NULL, 0, 0}, "cannot be used: %s", strerror(errno));
}

static bool set_plot(struct weir_plot *p, const char *list, struct weir_sink *sink) {
  if (!weir_param_set_list(&weir_plot_table, p, list, weir_option_place("--plot"), sink)) return false;
  return !p->font[strcspn(p->font, "\"'\\<>&;")] || // an SVG has the name among others, unquoted
    weir_fail_plain(sink, "--plot: font is a family's name, not '%s'", p->font);
}

bool weir_output_start(struct output *out, const struct options *o, struct weir_sink *sink) {
  *out = (struct output){.options = o, .sink = sink};
  weir_plot_start(&out->plot);
  if (o->plot && !set_plot(&out->plot, o->plot, sink)) return false;
  if ((o->svg_path || o->pdf_path) && !(out->gnuplot = weir_gnuplot_find(sink))) return false;
  if (o->pdf_path && !weir_gnuplot_writes_pdf(out->gnuplot, sink)) return false;
  return make_folder(o->csv_path, sink) && make_folder(o->svg_path, sink) && make_folder(o->pdf_path, sink);
}

void weir_output_end(struct output *out) {
  weir_free(out->gnuplot);
  weir_plot_free(&out->plot);
}

void weir_output_print(const struct output *out, const struct weir_table *t) {
  struct weir_chart_style style = weir_chart_style(STDOUT_FILENO);
  style.ascii |= out->options->ascii;
  if (out->options->format == OUTPUT_CHART && t->chart)
    weir_chart_print(t, &style, stdout);
  else
    weir_table_print(t, stdout);
}

static void write_csv(const char *path, const struct weir_table *t, struct weir_sink *sink) {
  char *text = NULL;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  if (!f) abort();
  weir_table_csv(t, f);
  fclose(f);
  weir_file_write(path, text, size, sink);
  free(text);
}

static void draw(const struct output *out, const struct weir_table *t, const char *folder,
                 enum weir_plot_format format) {
  if (!folder || !t->chart) return;
  char *path = weir_text_format("%s/%s.%s", folder, t->name, format == WEIR_PLOT_PDF ? "pdf" : "svg");
  weir_chart_draw(t, &out->plot, format, out->gnuplot, path, out->sink);
  weir_free(path);
}

void weir_output_files(const struct output *out, const struct weir_table *t) {
  if (out->options->csv_path) {
    char *path = weir_text_format("%s/%s.csv", out->options->csv_path, t->name);
    write_csv(path, t, out->sink);
    weir_free(path);
  }
  draw(out, t, out->options->svg_path, WEIR_PLOT_SVG);
  draw(out, t, out->options->pdf_path, WEIR_PLOT_PDF);
}
