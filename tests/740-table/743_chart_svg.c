// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Charts by gnuplot: what it is told, and that what it draws is XML that holds the labels, whatever they are, or PDF of the
// size asked for. The drawing is skipped where gnuplot is not installed.
#include "made_tables.h"

#include "base/alloc.h"
#include "base/file.h"

#include <ctype.h>
#include <unistd.h>

static void assert_holds(const char *text, const char *part) {
  if (!strstr(text, part)) fail_msg("no '%s' in:\n%s", part, text);
}

// ---- what gnuplot is told -------------------------------------------------------------------------------------------

static struct weir_plot plot;

static char *script_in(const struct weir_table *t, enum weir_plot_format format) {
  char *text;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  weir_chart_script(t, &plot, format, f);
  fclose(f);
  return text;
}

static char *script_of(const struct weir_table *t) {
  return script_in(t, WEIR_PLOT_SVG);
}

// Two bars share the 0.8 around their group's place; a box is its middle, its top, left, right, bottom, top.
static void boxes(void **state) {
  (void)state;
  static const struct weir_chart chart = {WEIR_CHART_BARS, {"a", "b"}, .baseline = 1};
  struct weir_table t;
  table_start(&t, &chart, WEIR_COLUMN_CHANGE, 2, NULL);
  ROW(&t, "x", 1.5, 0.75)[1].published = 1.25;
  t.summary_row = 1;
  ROW(&t, "mean", NAN, 2); // half a place further
  char *script = script_of(&t);
  assert_holds(script, "$ours0 << END_OF_DATA\n-0.2 50 -0.4 0 0 50\nEND_OF_DATA\n");
  assert_holds(script, "$ours1 << END_OF_DATA\n0.2 -25 0 0.4 -25 0\n1.7 100 1.5 1.9 0 100\nEND_OF_DATA\n");
  assert_holds(script, "$published0 << END_OF_DATA\n-0.2 25\nEND_OF_DATA\n");
  assert_holds(script, "set label 'no data' at 1.3, 0");
  assert_holds(script, "set yrange [-32.5:107.5]"); // 6 % of 125 beyond both
  assert_holds(script, "set xtics ('x' 0, 'mean' 1.5)");
  free(script);
  weir_table_free(&t);
}

// The axis ends at 2, +100 %: a box of +400 % ends there, under its number; 6 % of the 100 are air.
static void cut_box(void **state) {
  (void)state;
  static const struct weir_chart chart = {WEIR_CHART_BARS, {"a"}, .baseline = 1, .most = 2};
  struct weir_table t;
  table_start(&t, &chart, WEIR_COLUMN_CHANGE, 1, NULL);
  ROW(&t, "x", 5);
  ROW(&t, "y", 1.5);
  char *script = script_of(&t);
  assert_holds(script, "$ours0 << END_OF_DATA\n0 100 -0.4 0.4 0 100\n1 50 0.6 1.4 0 50\nEND_OF_DATA\n");
  assert_holds(script, "set label '+400.0 %' at 0, 100 ");
  assert_null(strstr(script, "set label '+50.0 %'"));
  assert_holds(script, "set yrange [0:106]");
  free(script);
  weir_table_free(&t);
}

static void shares(void **state) {
  (void)state;
  static const struct weir_chart chart = {WEIR_CHART_STACKED, {"a", "b"}, .baseline = 0};
  struct weir_table t;
  table_start(&t, &chart, WEIR_COLUMN_PERCENT, 2, NULL);
  struct weir_cell *c = ROW(&t, "x", 0.25, 0.75);
  c[1].published = c[2].published = 0.5;
  ROW(&t, "y", NAN, 0.5);
  char *script = script_of(&t);
  assert_holds(script, "set xtics ('x' 0, 'published' 1, 'y' 2)");
  assert_holds(script, "$ours0 << END_OF_DATA\n0 25 -0.4 0.4 0 25\n1 50 0.6 1.4 0 50\nEND_OF_DATA\n");
  assert_holds(script, "$ours1 << END_OF_DATA\n0 100 -0.4 0.4 25 100\n1 100 0.6 1.4 50 100\nEND_OF_DATA\n");
  assert_holds(script, "set label 'no data' at 2, 0");
  free(script);
  weir_table_free(&t);
}

// Rising; what is not there breaks the line, and the summary does not belong to it.
static void curve(void **state) {
  (void)state;
  static const struct weir_chart chart = {WEIR_CHART_S_CURVE, {"a"}, .baseline = 0};
  struct weir_table t;
  table_start(&t, &chart, WEIR_COLUMN_REAL, 1, NULL);
  ROW(&t, "x", 3);
  ROW(&t, "y", NAN);
  ROW(&t, "z", 2);
  t.summary_row = 3;
  ROW(&t, "mean", 1);
  char *script = script_of(&t);
  assert_holds(script, "$ours0 << END_OF_DATA\n0 2\n1 3\nNaN NaN\n\n3.5 1\nEND_OF_DATA\n");
  assert_holds(script, "set xtics ('z' 0, 'x' 1, 'y' 2, 'mean' 3.5)");
  free(script);
  weir_table_free(&t);
}

static void set_plot(const char *list) {
  struct weir_sink sink = {0};
  weir_plot_free(&plot);
  weir_plot_start(&plot);
  if (!weir_param_set_list(&weir_plot_table, &plot, list, (struct weir_place){0}, &sink))
    fail_msg("%s", sink.diags[0].message);
}

// 96 pixels or 72 points to the inch of 25.4 mm; the title's font is a 13th greater.
static void size_font_and_labels(void **state) {
  (void)state;
  static const struct weir_chart chart = {WEIR_CHART_LINES, {"b"}, .by = "a"};
  struct weir_table t;
  table_start(&t, &chart, WEIR_COLUMN_REAL, 2, NULL);
  ROW(&t, "x", 1, 2);
  t.title = "own";
  set_plot("width_mm=63.5,height_mm=50.8,points=7.8,font=Linux Libertine,y=it's y,key=below");
  char *script = script_in(&t, WEIR_PLOT_SVG);
  assert_holds(script, "set terminal svg size 240,192 noenhanced font 'Linux Libertine,10.4' ");
  assert_holds(script, "set label 'own' at screen 0.02, 0.94 left font ',11.2'");
  assert_holds(script, "set xlabel 'A'\n");
  assert_holds(script, "set ylabel 'it''s y'\n");
  assert_holds(script, "set key outside below");
  free(script);
  set_plot("width_mm=63.5,height_mm=50.8,points=7.8,title=none,x=none,key=none");
  script = script_in(&t, WEIR_PLOT_PDF);
  assert_holds(script, "set terminal pdfcairo size 2.5in,2in fontscale 0.75 noenhanced font 'sans-serif,7.8' ");
  assert_null(strstr(script, "own'"));
  assert_null(strstr(script, "label"));
  assert_holds(script, "unset key");
  free(script);
  set_plot("title=other");
  script = script_of(&t);
  assert_holds(script, "set label 'other' at screen");
  assert_holds(script, ",420 noenhanced font 'sans-serif,13'");
  free(script);
  set_plot("");
  weir_table_free(&t);
}

// ---- what it draws --------------------------------------------------------------------------------------------------

static char *gnuplot;

// One tag from its '<': what follows it. Opened names are pushed on, closed ones popped from `open`.
static const char *tag(const char *at, char open[64][32], unsigned *depth) {
  if (at[1] == '?' || at[1] == '!') {
    bool comment = !strncmp(at, "<!--", 4);
    const char *end = strstr(at, comment ? "-->" : ">");
    assert_non_null(end);
    return end + (comment ? 3 : 1);
  }
  bool closing = at[1] == '/';
  at += 1 + closing;
  size_t length = strcspn(at, " \t\n/>");
  assert_true(length && length < 32 && *depth < 64);
  char name[32] = "";
  memcpy(name, at, length);
  if (closing) {
    assert_true(*depth > 0);
    assert_string_equal(open[--*depth], name);
  } else {
    strcpy(open[(*depth)++], name);
  }
  for (at += length; *at != '>' && *at != '/'; at++) {
    assert_true(*at && *at != '<' && *at != '&');
    if (*at == '"' || *at == '\'') assert_non_null(at = strchr(at + 1, *at));
  }
  if (*at == '/') --*depth;
  return strchr(at, '>') + 1;
}

// Tags are closed in the order of their opening, an & begins an entity, and ]]> stands nowhere.
static void assert_xml(const char *text) {
  char open[64][32];
  unsigned depth = 0, tags = 0;
  assert_null(strstr(text, "]]>"));
  while (*text)
    if (*text == '<') {
      text = tag(text, open, &depth), tags++;
    } else if (*text++ == '&') {
      size_t length = strspn(text, "#abcdefghijklmnopqrstuvwxyz0123456789");
      assert_true(length && text[length] == ';');
    }
  assert_int_equal(depth, 0);
  assert_true(tags > 10);
}

// Freed by weir_free.
static char *drawn_in(const struct weir_table *t, enum weir_plot_format format, size_t *bytes) {
  char folder[] = "/tmp/weir-chart-XXXXXX";
  assert_non_null(mkdtemp(folder));
  char *path = weir_text_format("%s/1", folder);
  struct weir_sink sink = {0};
  if (!weir_chart_draw(t, &plot, format, gnuplot, path, &sink)) fail_msg("%s", sink.diags[0].message);
  size_t size;
  char *svg = weir_file_read(path, 0, &size, &sink);
  assert_non_null(svg);
  if (format == WEIR_PLOT_SVG) assert_int_equal(strlen(svg), size);
  if (bytes) *bytes = size;
  unlink(path);
  assert_int_equal(rmdir(folder), 0); // nothing else was left there
  weir_free(path);
  return svg;
}

static char *drawn(const struct weir_table *t) {
  return drawn_in(t, WEIR_PLOT_SVG, NULL);
}

static const char *found(const char *text, size_t size, const char *part) {
  return memmem(text, size, part, strlen(part));
}

// A page of 2.5 × 2 inches, of 72 points each, with the font inside.
static void pdf(void **state) {
  (void)state;
  static const struct weir_chart chart = {WEIR_CHART_BARS, {"a"}, .baseline = 1};
  struct weir_sink sink = {0};
  if (!gnuplot || !weir_gnuplot_writes_pdf(gnuplot, &sink)) {
    weir_sink_free(&sink);
    skip();
  }
  struct weir_table t;
  table_start(&t, &chart, WEIR_COLUMN_RATIO, 1, NULL);
  ROW(&t, "x × y", 1.5);
  set_plot("width_mm=63.5,height_mm=50.8,points=7");
  size_t size;
  char *text = drawn_in(&t, WEIR_PLOT_PDF, &size);
  assert_ptr_equal(found(text, size, "%PDF-"), text);
  assert_non_null(found(text, size, "/MediaBox [ 0 0 180 144 ]"));
  assert_non_null(found(text, size, "/FontFile"));
  weir_free(text);
  set_plot("");
  weir_table_free(&t);
}

// Nine series have a cell each for a row: white at 1, blue at 1.5, and at 0.75, half as far below, half of the orange d55e00:
// 255 - (255 - 0xd5) / 2 = 0xea, 255 - (255 - 0x5e) / 2 = 0xaf, 255 / 2 = 0x80.
static void heat_map(void **state) {
  (void)state;
  static const struct weir_chart chart = {WEIR_CHART_BARS, {"x"}, .by = "scheme", .baseline = 1};
  static const double values[] = {1, 1.5, 0.75, NAN, 1.25};
  struct weir_table t;
  weir_table_start(&t, "1", "");
  t.chart = &chart;
  weir_table_column(&t, WEIR_COLUMN_TEXT, "n", "n", NULL);
  weir_table_column(&t, WEIR_COLUMN_TEXT, "scheme", "scheme", NULL);
  weir_table_column(&t, WEIR_COLUMN_RATIO, "x", "the gain", NULL);
  for (unsigned i = 0; i < 18; i++) {
    struct weir_cell *c = weir_table_row(&t);
    weir_table_text(&t, &c[0], i < 9 ? "p" : "mean");
    weir_table_text(&t, &c[1], (char[]){(char)('A' + i % 9), 0});
    c[2].ours = values[i % 9 < 5 ? i % 9 : 0];
  }
  t.summary_row = 9;
  char *script = script_of(&t);
  assert_holds(script, "set palette defined (0.75 '#eaaf80', 1 '#ffffff', 1.5 '#0072b2')\nset cbrange [0.75:1.5]\n");
  assert_holds(script, "set cblabel 'the gain'\n");
  assert_holds(script, "set xtics ('p' 0, 'mean' 1.5)");
  assert_holds(script, "set yrange [8.5:-0.5]\n");
  assert_holds(script, "set label 'C' at graph 0, first 2 right");
  assert_holds(script, "set label '1.500×' at 0, 1 center front font ',10' textcolor rgb '#ffffff'");
  assert_holds(script, "set label '0.750×' at 1.5, 2 center front font ',10' textcolor rgb '#000000'");
  assert_holds(script, "set label 'no data' at 0, 3 center");
  assert_holds(script, "\n0 2 -0.49 0.49 1.51 2.49 0.75\n");
  assert_holds(script, "$missing0 << END_OF_DATA\n0 3 -0.49 0.49 2.51 3.49 0\n1.5 3 1.01 1.99 2.51 3.49 0\nNaN");
  free(script);
  if (gnuplot) {
    char *svg = drawn(&t);
    assert_xml(svg);
    assert_holds(svg, ">0.750×<");
    assert_holds(svg, ">mean<");
    weir_free(svg);
  }
  set_plot("width_mm=40,key=none"); // where numbers do not fit, there are none
  script = script_of(&t);
  assert_null(strstr(script, "1.500×"));
  assert_holds(script, "unset colorbox\n");
  free(script);
  set_plot("");
  t.row_count = 8; // eight series are bars
  script = script_of(&t);
  assert_null(strstr(script, "palette"));
  free(script);
  weir_table_free(&t);
}

static void all_kinds(void **state) {
  (void)state;
  static const struct weir_chart charts[] = {{WEIR_CHART_BARS, {"a", "b"}, .baseline = 1},
                                             {WEIR_CHART_STACKED, {"a", "b"}, .baseline = 0},
                                             {WEIR_CHART_S_CURVE, {"a", "b"}, .by = "b", .baseline = 1},
                                             {WEIR_CHART_LINES, {"b"}, .by = "a"}};
  if (!gnuplot) skip();
  for (unsigned i = 0; i < 4; i++) {
    struct weir_table t;
    table_start(&t, &charts[i], WEIR_COLUMN_RATIO, 2, (const char *const[]){"first series", "second series"});
    t.title = "Figure 1: the title";
    ROW(&t, "some program", 0.5, 0.5)[2].published = 0.25;
    ROW(&t, "another", 0.75, NAN);
    char *svg = drawn(&t);
    assert_xml(svg);
    assert_holds(svg, ">Figure 1: the title<");
    assert_holds(svg, ">second series");
    if (i < 3) assert_holds(svg, ">some program<");
    if (i != 1) assert_holds(svg, "published<");
    weir_free(svg);
    weir_table_free(&t);
  }
}

// All that quotes, formats, macros, shells and XML take for their own, and bytes that are no text. Where it is drawn,
// there is a file that one of the labels removes if it is understood.
static void any_label(void **state) {
  (void)state;
  static const struct weir_chart chart = {WEIR_CHART_BARS, {"a", "b"}, .baseline = 0};
  static const char label[] = "it's \"%d%\" `rm file` $(rm file) @x \\";
  char folder[] = "/tmp/weir-chart-XXXXXX";
  if (!gnuplot) skip();
  assert_non_null(mkdtemp(folder));
  assert_int_equal(chdir(folder), 0);
  fclose(fopen("file", "w"));
  struct weir_table t;
  table_start(&t, &chart, WEIR_COLUMN_REAL, 2, (const char *const[]){"<b> & ]]> 'c' \\n", label});
  t.title = "a_b^{c} \xff\x01 \xed\xa0\x80 ×\n! rm file";
  ROW(&t, label, 1, 2);
  ROW(&t, "", 1, 2);
  ROW(&t, "100 % of ××××××××××××××××××××××××××××××××", NAN, NAN); // 9 + 15 × 2 bytes are at most 40
  char *svg = drawn(&t), *text = weir_text_format(">%s<", label);
  assert_xml(svg);
  assert_holds(svg, text);
  assert_holds(strstr(svg, text) + 1, text); // the row's and the column's
  assert_holds(svg, ">&lt;b> &amp; ]] > 'c' \\n<");
  assert_holds(svg, ">a_b^{c} ?? ??? ×?! rm file<");
  assert_holds(svg, ">100 % of ×××××××××××××××…<");
  assert_int_equal(unlink("file"), 0);
  assert_int_equal(rmdir(folder), 0);
  weir_free(text);
  weir_free(svg);
  weir_table_free(&t);
}

static void nothing_to_draw(void **state) {
  (void)state;
  static const struct weir_chart chart = {WEIR_CHART_LINES, {"b"}, .by = "a"};
  if (!gnuplot) skip();
  struct weir_table t;
  table_start(&t, &chart, WEIR_COLUMN_REAL, 2, NULL);
  ROW(&t, "", NAN, NAN);
  char *svg = drawn(&t);
  assert_xml(svg);
  weir_free(svg);
  weir_table_free(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(boxes),
                                     cmocka_unit_test(cut_box),
                                     cmocka_unit_test(shares),
                                     cmocka_unit_test(curve),
                                     cmocka_unit_test(all_kinds),
                                     cmocka_unit_test(any_label),
                                     cmocka_unit_test(nothing_to_draw),
                                     cmocka_unit_test(size_font_and_labels),
                                     cmocka_unit_test(pdf),
                                     cmocka_unit_test(heat_map)};
  struct weir_sink sink = {0};
  gnuplot = weir_gnuplot_find(&sink);
  weir_sink_free(&sink);
  weir_plot_start(&plot);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  weir_plot_free(&plot);
  weir_free(gnuplot);
  return failed;
}
