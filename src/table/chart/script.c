// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A chart in gnuplot's language. Texts stand in single quotes, where gnuplot expands nothing; numbers in data blocks.
#include "table/chart/canvas.h"

#include <math.h>
#include <string.h>

struct script {
  const struct weir_chart_view *view;
  const struct weir_plot *plot;
  enum weir_plot_format format;
  FILE *to;
  bool more; // than one thing is plotted already
};

// Told apart by readers who do not tell all colours apart (Okabe and Ito); gnuplot's filled and hollow points.
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#e69f00", "#56b4e9", "#999999", "#000000"};
static const int filled[] = {7, 5, 9, 13, 11, 15, 7, 5};
enum { COLOURS = sizeof colours / sizeof *colours, TIC_BYTES = 40 };
static const double SUMMARY_GAP = 0.5, GROUP = 0.8, MARGIN = 0.6; // of the distance from group to group

// ---- texts and numbers ----------------------------------------------------------------------------------------------

// Bytes of the character at `text` if XML may hold it, else 0.
static unsigned character(const char *text) {
  const unsigned char *u = (const unsigned char *)text;
  static const unsigned least[] = {0, ' ', 0xA0, 0x800, 0x10000};
  unsigned length = u[0] < 0x80 ? 1 : u[0] < 0xC0 ? 0 : u[0] < 0xE0 ? 2 : u[0] < 0xF0 ? 3 : u[0] < 0xF8 ? 4 : 0;
  unsigned code = length > 1 ? u[0] & (0x7Fu >> length) : u[0];
  for (unsigned i = 1; i < length; i++) {
    if ((u[i] & 0xC0) != 0x80) return 0;
    code = code << 6 | (u[i] & 0x3F);
  }
  bool wrong = code < least[length] || code == 0x7F || (code >= 0xD800 && code < 0xE000) || code > 0x10FFFF ||
    (code & 0xFFFE) == 0xFFFE;
  return wrong ? 0 : length;
}

// A quote is doubled; so is the % of tic labels, which are formats. Of those, gnuplot takes 50 bytes, and cuts
// characters.
static void put_quoted(const char *text, bool tic, FILE *to) {
  fputc('\'', to);
  for (const char *at = text; *at;) {
    unsigned length = character(at);
    if (tic && at + length - text > TIC_BYTES) {
      fputs("…", to);
      break;
    }
    if (*at == '\'' || (tic && *at == '%')) fputc(*at, to);
    if (*at == '>' && at - text > 1 && !memcmp(at - 2, "]]", 2))
      fputc(' ', to); // XML wants it escaped, gnuplot does not
    if (length)
      fwrite(at, 1, length, to);
    else
      fputc('?', to);
    at += length ? length : 1;
  }
  fputc('\'', to);
}

// As it stands on an axis.
static double on_axis(enum weir_table_format format, double v) {
  return format == WEIR_COLUMN_PERCENT ? 100 * v : format == WEIR_COLUMN_CHANGE ? 100 * (v - 1) : v;
}

static double height(const struct script *s, double v) {
  return on_axis(s->view->format, v);
}

static const char *axis_format(enum weir_table_format format) {
  switch (format) {
  case WEIR_COLUMN_PERCENT: return "%g %%";
  case WEIR_COLUMN_CHANGE: return "%+g %%";
  case WEIR_COLUMN_RATIO: return "%g×";
  case WEIR_COLUMN_BYTES: return "%.0b %BB";
  case WEIR_COLUMN_COUNT: return "%.0f";
  default: return "%g";
  }
}

// ---- frame ----------------------------------------------------------------------------------------------------------

static double place_of(const struct weir_chart_view *v, unsigned group) {
  return group + (group >= v->summary ? SUMMARY_GAP : 0);
}

// In pixels of 1/96 inch, with a font of 13 pixels.
enum { FONT = 13, SMALL = 10, HEIGHT = 420, MOST_WIDTH = 2400 };
static const double POINTS_PER_PIXEL = 0.75, PIXELS_PER_MM = 96 / 25.4;

static unsigned needed_width(const struct weir_chart_view *v) {
  unsigned bars = v->chart->kind == WEIR_CHART_BARS ? v->series : v->chart->kind == WEIR_CHART_STACKED ? 2 : 1;
  unsigned width = v->groups * (bars > 2 ? 12 * (bars + 1) : 36);
  if (v->chart->kind == WEIR_CHART_LINES || width < 480) width = 480;
  return width + 140 + 8 * weir_chart_widest(v->names, v->series, ~0u);
}

// What the chart needs is for a font of FONT; another needs more or less.
static double scale(const struct script *s) {
  return s->plot->points / POINTS_PER_PIXEL / FONT;
}

static const char *title_of(const struct script *s) { // NULL: none
  const char *own = s->view->table->title, *title = s->plot->title;
  if (!strcmp(title, "none")) return NULL;
  if (strcmp(title, "auto") != 0) return title;
  return own && *own ? own : NULL;
}

static double width_of(const struct script *s, unsigned needed) {
  unsigned title = title_of(s) ? 40 + 8 * weir_text_width(title_of(s)) : 0;
  if (needed < title) needed = title;
  if (needed > MOST_WIDTH) needed = MOST_WIDTH;
  return s->plot->width_mm > 0 ? s->plot->width_mm * PIXELS_PER_MM : needed * scale(s);
}

static double height_of(const struct script *s, unsigned needed) {
  return s->plot->height_mm > 0 ? s->plot->height_mm * PIXELS_PER_MM : needed * scale(s);
}

// The terminal's size of a font that beside one of FONT has so many pixels.
static double font_of(const struct script *s, unsigned pixels) {
  return pixels * scale(s) * (s->format == WEIR_PLOT_PDF ? POINTS_PER_PIXEL : 1);
}

static void put_terminal(const struct script *s, double width, double height) {
  char font[128];
  snprintf(font, sizeof font, "%s,%.4g", s->plot->font, font_of(s, FONT));
  if (s->format == WEIR_PLOT_PDF) // it takes a font's points for 1/72 of 96 units, of which an inch has 72
    fprintf(s->to, "set terminal pdfcairo size %.6gin,%.6gin fontscale 0.75", width / 96, height / 96);
  else
    fprintf(s->to, "set terminal svg size %.0f,%.0f", width, height);
  fputs(" noenhanced font ", s->to);
  put_quoted(font, false, s->to);
  fputs(" background '#ffffff'\nset encoding utf8\n", s->to);
}

// A title of gnuplot's would be centred over the bars, and cut.
static void put_head(const struct script *s) {
  if (!title_of(s)) return;
  fputs("set tmargin 4\nset label ", s->to);
  put_quoted(title_of(s), false, s->to);
  fprintf(s->to, " at screen 0.02, 0.94 left font ',%.4g'\n", font_of(s, FONT + 1));
}

// What names an axis: `own` unless it is to be another. Nothing without a name.
static void put_axis_label(const struct script *s, const char *axis, const char *wanted, const char *own) {
  const char *label = !strcmp(wanted, "auto") ? own : strcmp(wanted, "none") != 0 ? wanted : NULL;
  if (!label) return;
  fprintf(s->to, "set %slabel ", axis);
  put_quoted(label, false, s->to);
  fputc('\n', s->to);
}

// Some air beyond the numbers, but none beyond a baseline that nothing crosses.
static void put_range(const struct script *s) {
  const struct weir_chart_view *v = s->view;
  double low = height(s, v->low), high = height(s, v->high), air = 0.06 * (high - low);
  double baseline = height(s, v->chart->baseline);
  if (high > baseline && v->chart->kind != WEIR_CHART_STACKED) high += air;
  if (low < baseline) low -= air;
  fprintf(s->to, "set yrange [%.9g:%.9g]\n", low, high > low ? high : low + 1);
  fprintf(s->to, "set arrow from graph 0, first %.9g to graph 1, first %.9g nohead lc rgb '#444444'\n", baseline,
          baseline);
}

static void put_frame(const struct script *s) {
  static const char *const keys[] = {[WEIR_PLOT_KEY_RIGHT] = "set key outside right top Left reverse samplen 2",
                                     [WEIR_PLOT_KEY_BELOW] =
                                       "set key outside below center horizontal Left reverse samplen 2",
                                     [WEIR_PLOT_KEY_NONE] = "unset key"};
  const struct weir_chart_view *v = s->view;
  put_terminal(s, width_of(s, needed_width(v)), height_of(s, HEIGHT));
  put_head(s);
  fprintf(s->to,
          "set border 3\nset tics nomirror\nset grid ytics lc rgb '#dddddd'\nset style fill solid 1 noborder\n%s\n",
          keys[s->plot->key]);
  fputs("set format y ", s->to);
  put_quoted(axis_format(v->format), false, s->to);
  fputc('\n', s->to);
  put_range(s);
  const bool named_by_rows = v->chart->kind == WEIR_CHART_BARS && v->chart->by;
  put_axis_label(s, "y", s->plot->y, named_by_rows ? v->heading : NULL);
  put_axis_label(s, "x", s->plot->x, v->chart->kind == WEIR_CHART_LINES ? v->by_heading : NULL);
}

static void put_tic(const struct script *s, const char *label, double place) {
  put_quoted(label, true, s->to);
  fprintf(s->to, " %.9g", place);
}

static void put_group_tics(const struct script *s) {
  const struct weir_chart_view *v = s->view;
  fprintf(s->to, "set xrange [%.9g:%.9g]\nset xtics (", -MARGIN, place_of(v, v->groups ? v->groups - 1 : 0) + MARGIN);
  for (unsigned g = 0; g < v->groups; g++) {
    if (g) fputs(", ", s->to);
    put_tic(s, v->labels[g], place_of(v, g));
  }
  fputs(") rotate by -40 scale 0\n", s->to);
}

static void put_no_data(const struct script *s, double place) {
  fprintf(s->to, "set label 'no data' at %.9g, %.9g offset 0, 0.5 rotate by 90 font ',%.4g' textcolor rgb '#777777'\n",
          place, height(s, s->view->chart->baseline), font_of(s, SMALL));
}

// ---- plots ----------------------------------------------------------------------------------------------------------

// What is plotted is gathered as data blocks first, then named in one plot command.
static void open_block(const struct script *s, const char *kind, unsigned series) {
  fprintf(s->to, "$%s%u << END_OF_DATA\n", kind, series);
}

static void close_block(const struct script *s) {
  fputs("END_OF_DATA\n", s->to);
}

static void put_plot(struct script *s, const char *kind, unsigned series, const char *how) {
  fprintf(s->to, "%s$%s%u %s", s->more ? ", \\\n  " : "plot ", kind, series, how);
  s->more = true;
}

static void put_title(const struct script *s, unsigned series, const char *of) {
  char title[256];
  snprintf(title, sizeof title, "%s%s", s->view->names[series], of);
  fputs(" title ", s->to);
  put_quoted(title, false, s->to);
}

static bool has_published(const struct weir_chart_view *v, unsigned series) {
  for (unsigned g = 0; g < v->groups; g++) {
    const struct weir_cell *c = weir_view_cell(v, g, series);
    if (c && isfinite(c->published)) return true;
  }
  return false;
}

static void put_box(const struct script *s, double left, double right, double from, double to) {
  fprintf(s->to, "%.9g %.9g %.9g %.9g %.9g %.9g\n", (left + right) / 2, to, left, right, fmin(from, to),
          fmax(from, to));
}

static void plot_boxes(struct script *s) {
  for (unsigned i = 0; i < s->view->series; i++) {
    put_plot(s, "ours", i, "using 1:2:3:4:5:6 with boxxyerror");
    fprintf(s->to, " lc rgb '%s'", colours[i % COLOURS]);
    put_title(s, i, "");
  }
}

// ---- bars -----------------------------------------------------------------------------------------------------------

static double bar_left(const struct weir_chart_view *v, unsigned group, unsigned series) {
  return place_of(v, group) + GROUP * (series / (double)v->series - 0.5);
}

static void put_bars(const struct script *s, unsigned series) {
  const struct weir_chart_view *v = s->view;
  double width = GROUP / v->series;
  for (unsigned g = 0; g < v->groups; g++) {
    const struct weir_cell *c = weir_view_cell(v, g, series);
    double left = bar_left(v, g, series);
    if (c && isfinite(c->ours))
      put_box(s, left, left + width, height(s, v->chart->baseline), height(s, weir_view_drawn(v, c->ours)));
  }
}

static void put_missing_bars(const struct script *s) {
  const struct weir_chart_view *v = s->view;
  for (unsigned i = 0; i < v->groups * v->series; i++)
    if (v->cells[i] && !isfinite(v->cells[i]->ours))
      put_no_data(s, bar_left(v, i / v->series, i % v->series) + GROUP / v->series / 2);
}

// A bar that is cut has its number above it.
static void put_numbers_beyond(const struct script *s) {
  const struct weir_chart_view *v = s->view;
  for (unsigned i = 0; i < v->groups * v->series; i++) {
    if (!v->cells[i] || !weir_view_cut(v, v->cells[i]->ours)) continue;
    char number[WEIR_TABLE_CELL];
    weir_table_number(number, v->format, v->cells[i]->ours);
    fputs("set label ", s->to);
    put_quoted(number, false, s->to);
    fprintf(s->to, " at %.9g, %.9g offset 0, 0.3 rotate by 90 font ',%.4g'\n",
            bar_left(v, i / v->series, i % v->series) + GROUP / v->series / 2, height(s, v->high), font_of(s, SMALL));
  }
}

static void put_published_bars(const struct script *s) {
  const struct weir_chart_view *v = s->view;
  for (unsigned i = 0; i < v->groups * v->series; i++)
    if (v->cells[i] && isfinite(v->cells[i]->published))
      fprintf(s->to, "%.9g %.9g\n", bar_left(v, i / v->series, i % v->series) + GROUP / v->series / 2,
              height(s, weir_view_drawn(v, v->cells[i]->published)));
}

static void bars(struct script *s) {
  put_group_tics(s);
  put_missing_bars(s);
  put_numbers_beyond(s);
  for (unsigned i = 0; i < s->view->series; i++) {
    open_block(s, "ours", i);
    put_bars(s, i);
    close_block(s);
  }
  open_block(s, "published", 0);
  put_published_bars(s);
  close_block(s);
  plot_boxes(s);
  if (!s->view->published) return;
  put_plot(s, "published", 0, "using 1:2 with points pt 12 ps 0.9 lw 1.5 lc rgb '#000000' title 'published'");
}

// ---- heat map -------------------------------------------------------------------------------------------------------

// A cell per bar, where there are more series than colours: white at the baseline, blue above it, orange below.
static bool is_heat_map(const struct weir_chart_view *v) {
  return v->chart->kind == WEIR_CHART_BARS && v->series > COLOURS;
}

// In pixels, as a font of FONT needs them.
enum { CELL_HEIGHT = 24, LEAST_CELL = 36, COLOUR_BOX = 110, ABOVE = 50, BOX_BELOW = 80, LABEL = 26 };
static const double CELL = 0.49; // half of one, in both directions
static const double DEEP = 0.55; // of the deepest colour: numbers are white from there on

static void number_of(const struct weir_chart_view *v, const struct weir_cell *c, char out[2 * WEIR_TABLE_CELL + 4]) {
  char ours[WEIR_TABLE_CELL] = "no data", published[WEIR_TABLE_CELL];
  if (isfinite(c->ours)) weir_table_number(ours, v->format, c->ours);
  weir_table_number(published, v->format, c->published);
  snprintf(out, 2 * WEIR_TABLE_CELL + 4, isfinite(c->published) ? "%s (%s)" : "%s", ours, published);
}

static unsigned widest_number(const struct weir_chart_view *v) {
  char number[2 * WEIR_TABLE_CELL + 4];
  unsigned widest = 0;
  for (unsigned i = 0; i < v->groups * v->series; i++) {
    if (v->cells[i]) number_of(v, v->cells[i], number);
    if (v->cells[i] && weir_text_width(number) > widest) widest = weir_text_width(number);
  }
  return widest;
}

// What the names left of the cells and those below them take: these are turned by 40 degrees.
static unsigned left_of_cells(const struct weir_chart_view *v) {
  return 20 + 8 * weir_chart_widest(v->names, v->series, ~0u);
}

static unsigned below_cells(const struct script *s) {
  const bool labelled = strcmp(s->plot->x, "auto") != 0 && strcmp(s->plot->x, "none") != 0;
  return 20 + 6 * weir_chart_widest(s->view->labels, s->view->groups, TIC_BYTES) + (labelled ? LABEL : 0);
}

// The colours' box, or what the last name needs.
static unsigned right_of_cells(const struct script *s) {
  const struct weir_chart_view *v = s->view;
  const unsigned last = v->groups ? 6 * weir_chart_widest(&v->labels[v->groups - 1], 1, TIC_BYTES) : 0;
  return s->plot->key == WEIR_PLOT_KEY_RIGHT && last < COLOUR_BOX ? COLOUR_BOX : last + 10;
}

// From -1, the deepest orange, to 1, the deepest blue. Equal steps from the baseline have equal depth on both sides.
static double depth_of(const struct weir_chart_view *v, double value) {
  double baseline = v->chart->baseline, most = fmax(v->high - baseline, baseline - v->low);
  return most > 0 ? (weir_view_drawn(v, value) - baseline) / most : 0;
}

static void put_colour(const struct script *s, double value) {
  static const int more[] = {0x00, 0x72, 0xb2}, less[] = {0xd5, 0x5e, 0x00}; // as of the bars
  double depth = depth_of(s->view, value);
  fprintf(s->to, "%.9g '#", height(s, value));
  for (unsigned i = 0; i < 3; i++)
    fprintf(s->to, "%02lx", (unsigned long)lround(255 + fabs(depth) * ((depth < 0 ? less : more)[i] - 255)));
  fputc('\'', s->to);
}

static void put_palette(const struct script *s) {
  const struct weir_chart_view *v = s->view;
  fputs("set palette defined (", s->to);
  if (v->low < v->chart->baseline) put_colour(s, v->low), fputs(", ", s->to);
  put_colour(s, v->chart->baseline);
  if (v->high > v->chart->baseline) fputs(", ", s->to), put_colour(s, v->high);
  fprintf(s->to, ")\nset cbrange [%.9g:%.9g]\nset format cb ", height(s, v->low),
          height(s, v->high > v->low ? v->high : v->low + 1));
  put_quoted(axis_format(v->format), false, s->to);
  fputc('\n', s->to);
}

// Below the cells, a box of their width and numbers at its ends alone, as there may be no room for more.
static void put_box_below(const struct script *s, double unit) {
  const struct weir_chart_view *v = s->view;
  const double ends[] = {v->low, v->high > v->low ? v->high : v->low + 1};
  fprintf(s->to, "set colorbox horizontal user origin graph 0, screen %.4g size graph 1, screen %.4g\nset cbtics (",
          (BOX_BELOW - 12) * unit, 10 * unit);
  for (unsigned i = 0; i < 2; i++) {
    char number[WEIR_TABLE_CELL];
    weir_table_number(number, v->format, ends[i]);
    fputs(i ? ", " : "", s->to);
    put_tic(s, number, height(s, ends[i]));
  }
  fputs(")\n", s->to);
}

// Whether numbers are put into the cells: whether they fit.
static bool put_heat_frame(const struct script *s) {
  const struct weir_chart_view *v = s->view;
  const unsigned number = widest_number(v), left = left_of_cells(v), below = below_cells(s);
  const unsigned cell = 7 * number + 12 > LEAST_CELL ? 7 * number + 12 : LEAST_CELL;
  const double places = v->groups ? place_of(v, v->groups - 1) + 2 * MARGIN : 1;
  const bool box_below = s->plot->key == WEIR_PLOT_KEY_BELOW;
  const unsigned right = right_of_cells(s), foot = box_below ? BOX_BELOW : 0;
  const double width = width_of(s, (unsigned)(left + cell * places + right));
  const double high = height_of(s, ABOVE + CELL_HEIGHT * v->series + below + foot), unit = scale(s);
  put_terminal(s, width, high);
  put_head(s);
  fprintf(s->to, "set lmargin at screen %.4g\nset rmargin at screen %.4g\n", left * unit / width,
          1 - right * unit / width);
  fprintf(s->to, "set tmargin at screen %.4g\nset bmargin at screen %.4g\n",
          1 - (title_of(s) ? ABOVE : 20) * unit / high, (below + foot) * unit / high);
  fprintf(s->to, "unset border\nunset key\nset tics scale 0\nunset ytics\nset yrange [%.9g:-0.5]\n", v->series - 0.5);
  if (box_below) put_box_below(s, unit / high);
  if (s->plot->key == WEIR_PLOT_KEY_NONE) fputs("unset colorbox\n", s->to);
  put_palette(s);
  put_axis_label(s, "cb", s->plot->y, v->heading);
  put_axis_label(s, "x", s->plot->x, NULL);
  return (width / unit - left - right) / places >= 6 * number + 4 &&
    (high / unit - ABOVE - below - foot) / v->series >= FONT;
}

static void put_number(const struct script *s, const struct weir_cell *c, double x, unsigned series) {
  char number[2 * WEIR_TABLE_CELL + 4];
  number_of(s->view, c, number);
  const bool deep = isfinite(c->ours) && fabs(depth_of(s->view, c->ours)) > DEEP;
  fputs("set label ", s->to);
  put_quoted(number, false, s->to);
  fprintf(s->to, " at %.9g, %u center front font ',%.4g' textcolor rgb '%s'\n", x, series, font_of(s, SMALL),
          deep ? "#ffffff" : "#000000");
}

static void put_cells(const struct script *s, bool missing) {
  const struct weir_chart_view *v = s->view;
  open_block(s, missing ? "missing" : "ours", 0);
  for (unsigned i = 0; i < v->groups * v->series; i++) {
    const struct weir_cell *c = v->cells[i];
    const double x = place_of(v, i / v->series), y = i % v->series;
    if (!c || isfinite(c->ours) == missing) continue;
    fprintf(s->to, "%.9g %.9g %.9g %.9g %.9g %.9g %.9g\n", x, y, x - CELL, x + CELL, y - CELL, y + CELL,
            missing ? 0 : height(s, weir_view_drawn(v, c->ours)));
  }
  fputs("NaN NaN NaN NaN NaN NaN NaN\n", s->to); // that there is some row
  close_block(s);
}

static void heat_map(struct script *s) {
  const struct weir_chart_view *v = s->view;
  const bool numbers = put_heat_frame(s);
  put_group_tics(s);
  for (unsigned i = 0; i < v->series; i++) {
    fputs("set label ", s->to);
    put_quoted(v->names[i], false, s->to);
    fprintf(s->to, " at graph 0, first %u right offset -0.5, 0\n", i);
  }
  for (unsigned i = 0; numbers && i < v->groups * v->series; i++)
    if (v->cells[i]) put_number(s, v->cells[i], place_of(v, i / v->series), i % v->series);
  put_cells(s, false);
  put_cells(s, true);
  put_plot(s, "ours", 0, "using 1:2:3:4:5:6:7 with boxxyerror fs solid 1 border lc rgb '#dddddd' lc palette");
  put_plot(s, "missing", 0, "using 1:2:3:4:5:6 with boxxyerror fs solid 1 noborder lc rgb '#bbbbbb'");
}

// ---- stacked --------------------------------------------------------------------------------------------------------

typedef void on_stack(const struct script *s, unsigned group, unsigned series, bool published, double place);

// Calls `each` with the place of every bar: a row's own and, where it is whole, the published one beside it. The end.
static double each_stack(const struct script *s, unsigned series, on_stack *each) {
  double place = 0;
  for (unsigned g = 0; g < s->view->groups; g++) {
    if (g && g == s->view->summary) place += SUMMARY_GAP;
    each(s, g, series, false, place++);
    if (weir_view_whole(s->view, g, true)) each(s, g, series, true, place++);
  }
  return place;
}

static void put_stack_tic(const struct script *s, unsigned group, unsigned series, bool published, double place) {
  (void)series;
  fputs(group || published ? ", " : "", s->to);
  put_tic(s, published ? "published" : s->view->labels[group], place);
}

static void put_missing_stack(const struct script *s, unsigned group, unsigned series, bool published, double place) {
  (void)series;
  if (!weir_view_whole(s->view, group, published)) put_no_data(s, place);
}

static void put_share(const struct script *s, unsigned group, unsigned series, bool published, double place) {
  double from = 0, share = 0;
  if (!weir_view_whole(s->view, group, published)) return;
  for (unsigned i = 0; i <= series; i++) {
    const struct weir_cell *c = weir_view_cell(s->view, group, i);
    from += share;
    share = fmax(0, published ? c->published : c->ours);
  }
  put_box(s, place - GROUP / 2, place + GROUP / 2, height(s, from), height(s, from + share));
}

static void stacked(struct script *s) {
  fputs("set xtics (", s->to);
  double end = each_stack(s, 0, put_stack_tic);
  fprintf(s->to, ") rotate by -40 scale 0\nset xrange [%.9g:%.9g]\n", -MARGIN, end - 1 + MARGIN);
  each_stack(s, 0, put_missing_stack);
  for (unsigned i = 0; i < s->view->series; i++) {
    open_block(s, "ours", i);
    each_stack(s, i, put_share);
    close_block(s);
  }
  plot_boxes(s);
}

// ---- curves and lines -----------------------------------------------------------------------------------------------

static void put_points(const struct script *s, unsigned series, bool published) {
  const struct weir_chart_view *v = s->view;
  bool lines = v->chart->kind == WEIR_CHART_LINES;
  open_block(s, published ? "published" : "ours", series);
  for (unsigned g = 0; g < v->groups; g++) {
    const struct weir_cell *c = weir_view_cell(v, g, series);
    double x = lines ? on_axis(v->by_format, v->by[g]->ours) : place_of(v, g);
    double y = published ? c->published : c->ours;
    if (!lines && g == v->summary) fputc('\n', s->to); // parts the line
    if (isfinite(x) && isfinite(y))
      fprintf(s->to, "%.9g %.9g\n", x, height(s, y));
    else
      fputs("NaN NaN\n", s->to);
  }
  close_block(s);
}

static void plot_points(struct script *s, unsigned series, bool published) {
  char how[128];
  snprintf(how, sizeof how, "using 1:2 with %s pt %d ps 0.8 lw 1.5 lc rgb '%s'", published ? "points" : "linespoints",
           filled[series % COLOURS] - published, colours[series % COLOURS]);
  put_plot(s, published ? "published" : "ours", series, how);
  put_title(s, series, published ? ", published" : "");
}

static void points(struct script *s) {
  for (unsigned i = 0; i < s->view->series; i++) {
    put_points(s, i, false);
    put_points(s, i, true);
  }
  for (unsigned i = 0; i < s->view->series; i++) {
    plot_points(s, i, false);
    if (has_published(s->view, i)) plot_points(s, i, true);
  }
}

static void put_x_axis(const struct script *s) {
  fputs("set format x ", s->to);
  put_quoted(axis_format(s->view->by_format), false, s->to);
  fputs("\nset xtics rotate by -40\n", s->to);
  for (unsigned g = 0; g < s->view->groups; g++)
    if (isfinite(s->view->by[g]->ours)) return;
  fputs("set xrange [0:1]\n", s->to); // no point has a place
}

void weir_chart_script(const struct weir_table *t, const struct weir_plot *p, enum weir_plot_format format, FILE *to) {
  struct weir_chart_view v;
  weir_view_make(&v, t);
  struct script s = {.view = &v, .plot = p, .format = format, .to = to};
  if (!is_heat_map(&v)) put_frame(&s);
  switch (t->chart->kind) {
  case WEIR_CHART_BARS: is_heat_map(&v) ? heat_map(&s) : bars(&s); break;
  case WEIR_CHART_STACKED: stacked(&s); break;
  case WEIR_CHART_S_CURVE: put_group_tics(&s), points(&s); break;
  case WEIR_CHART_LINES: put_x_axis(&s), points(&s); break;
  }
  fputc('\n', to);
  weir_view_free(&v);
}
