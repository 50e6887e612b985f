// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// --chart, --ascii, --svg, --pdf and --plot as a user meets them. gnuplot is a script of this test's, so that it is there and does
// what it should.
#include "weir_process.h"

#include "table/chart/chart.h"

#include <pty.h>
#include <sys/stat.h>

static char folder[] = "/tmp/weir-charts-XXXXXX", path[128], store[128];

static unsigned widest_line(const char *text) {
  unsigned widest = 0;
  char line[1024];
  for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
    snprintf(line, sizeof line, "%.*s", (int)(end - text), text);
    unsigned w = weir_text_width(line);
    if (w > widest) widest = w;
  }
  return widest;
}

static bool is_ascii(const char *text) {
  for (; *text; text++)
    if (*text & 0x80) return false;
  return true;
}

#define KEPT WEIR_SOURCE_DIR "/studies/tian2015/results/small.csv"
#define COMPARE "compare", "backprop", "--schemes", "lru,fifo", "--chart"

static void in_the_table_s_place(void **state) {
  (void)state;
  setenv("LC_ALL", "C.UTF-8", 1);
  setenv("COLUMNS", "57", 1);
  struct process p = process_run(COMPARE), ascii = process_run(COMPARE, "--ascii");
  assert_int_equal(p.status, 0);
  assert_holds(p.out, "backprop  lru ");
  assert_holds(p.out, "│ 1.000×\n");
  assert_holds(p.out, "  speedup  the first scheme's cycles over this one's");
  assert_null(strstr(p.out, "DRAM"));
  assert_int_equal(widest_line(p.out) <= 57, 1);
  assert_holds(ascii.out, "| 1.000x\n");
  assert_true(is_ascii(ascii.out));
  setenv("LC_ALL", "C", 1);
  struct process other = process_run(COMPARE);
  assert_string_equal(other.out, ascii.out);
  setenv("LC_ALL", "", 1); // as if it were not there
  setenv("LC_CTYPE", "en_US.utf8", 1);
  struct process same = process_run(COMPARE);
  assert_string_equal(same.out, p.out);
  process_free(&p);
  process_free(&ascii);
  process_free(&other);
  process_free(&same);
}

// Without COLUMNS as wide as the terminal is; without a terminal 80.
static void as_wide_as_the_terminal(void **state) {
  (void)state;
  char text[1 << 14];
  size_t n = 0;
  int terminal, status;
  setenv("LC_ALL", "C.UTF-8", 1);
  unsetenv("COLUMNS");
  pid_t child = forkpty(&terminal, NULL, NULL, &(struct winsize){.ws_row = 20, .ws_col = 61});
  if (!child) {
    execl(WEIR, WEIR, COMPARE, (char *)NULL);
    _exit(127);
  }
  for (ssize_t got; n < sizeof text - 1 && (got = read(terminal, text + n, sizeof text - 1 - n)) > 0;) n += (size_t)got;
  text[n] = 0;
  waitpid(child, &status, 0);
  close(terminal);
  assert_int_equal(status, 0);
  const char *chart = strstr(text, "backprop  lru");
  assert_non_null(chart);
  assert_int_equal(widest_line(chart), 61 + 1); // what means "speedup" fills it; the line ends in a carriage return
  struct process p = process_run(COMPARE);
  assert_true(widest_line(p.out) > 62 && widest_line(p.out) <= 80);
  process_free(&p);
}

static void refuses(const char *message, const char *const *argv) {
  struct process p = process_run_all(argv);
  assert_int_equal(p.status, 2);
  assert_holds(p.err, message);
  assert_string_equal(p.out, "");
  process_free(&p);
}
#define REFUSES(message, ...) refuses(message, (const char *const[]){__VA_ARGS__, NULL})

static void mistakes(void **state) {
  (void)state;
  REFUSES("--chart and --json exclude each other", COMPARE, "--json");
  REFUSES("--csv and --chart exclude each other", "compare", "nn", "--scheme", "lru", "--csv", "--chart");
  REFUSES("--ascii says how --chart draws", "study", "tian2015", "--ascii");
  REFUSES("--plot says how --svg and --pdf draw", COMPARE, "--plot=points=8");
  REFUSES("a drawing has no key 'point'; did you mean 'points'?", COMPARE, "--svg", path, "--plot", "point=8");
  REFUSES("points must be a number from 3 to 72 pt, not '2'", "study", "tian2015", "--pdf", path, "--plot", "points=2");
  REFUSES("font is a family's name, not 'a\"b'", COMPARE, "--svg", path, "--plot", "font=a\"b");
}

// ---- SVG ------------------------------------------------------------------------------------------------------------

static void make_gnuplot(const char *script) {
  char name[160];
  snprintf(name, sizeof name, "%s/bin", folder);
  mkdir(name, 0777);
  setenv("PATH", name, 1);
  snprintf(name, sizeof name, "%s/bin/gnuplot", folder);
  FILE *f = fopen(name, "w");
  fprintf(f, "#!/bin/sh\n%s\n", script);
  fclose(f);
  assert_int_equal(chmod(name, 0755), 0);
}

static char *contents(const char *name) {
  static char text[1 << 16];
  char file[256];
  snprintf(file, sizeof file, "%s/%s", path, name);
  FILE *f = fopen(file, "r");
  if (!f) return NULL;
  text[fread(text, 1, sizeof text - 1, f)] = 0;
  fclose(f);
  return text;
}

static void without_gnuplot(void **state) {
  (void)state;
  setenv("PATH", "/nonexistent::/tmp", 1);
  REFUSES("no gnuplot on PATH", "study", "tian2015", "--svg", path, "--store", store);
  REFUSES("no gnuplot on PATH", COMPARE, "--svg", path);
  assert_int_not_equal(access(path, F_OK), 0);
  assert_int_not_equal(access(store, F_OK), 0); // it did not even begin
}

static void wrong_folder_or_figure(void **state) {
  (void)state;
  make_gnuplot("exec /bin/cat");
  REFUSES("/dev/null: error: cannot be used: Not a directory", COMPARE, "--svg", "/dev/null");
  REFUSES("figure 'storage' of tian2015 is a table", "study", "tian2015", "--figure", "storage", "--svg", path);
  assert_int_not_equal(access(path, F_OK), 0);
}

// This gnuplot prints what it is told. A file per chart, and the charts on the terminal as without it.
static void a_file_per_chart(void **state) {
  (void)state;
  setenv("COLUMNS", "80", 1);
  make_gnuplot("[ \"$*\" = --default-settings ] && exec /bin/cat");
  struct process p = process_run("study", "tian2015", "--figure", "12", "--chart", "--svg", path, "--from", KEPT);
  if (p.status) print_error("%s", p.err);
  assert_int_equal(p.status, 0);
  assert_holds(p.out, "Figure 12: Execution time of nw with different configurations\n\nnw, 16 KiB          │");
  assert_holds(p.out, "  ◇ 7.000\n");
  assert_non_null(contents("12.svg"));
  assert_holds(contents("12.svg"), "'nw, 16 KiB' 0, 'nw, PC-based' 1");
  process_free(&p);
  p = process_run(COMPARE, "--svg", path);
  assert_int_equal(p.status, 0);
  assert_non_null(contents("compare.svg"));
  assert_holds(contents("compare.svg"), "'backprop' 0");
  process_free(&p);
  p = process_run(COMPARE, "--svg", path, "--pdf", path, "--plot", "width_mm=84,font=Times,y=gain");
  assert_int_equal(p.status, 0);
  assert_holds(contents("compare.pdf"), "set terminal pdfcairo size 3.30709in,");
  assert_holds(contents("compare.pdf"), "set ylabel 'gain'");
  assert_holds(contents("compare.svg"), "set terminal svg size 317,");
  assert_holds(contents("compare.svg"), "font 'Times,13'");
  process_free(&p);
}

static void fails(const char *script, const char *message) {
  make_gnuplot(script);
  struct process p = process_run("compare", "backprop", "--scheme", "lru", "--csv", "--svg", path);
  assert_int_equal(p.status, 2);
  assert_holds(p.out, "\nbackprop,lru,"); // what gnuplot is not needed for is there
  assert_holds(p.err, message);
  assert_null(contents("compare.svg"));
  process_free(&p);
  assert_int_equal(rmdir(path), 0); // nor is anything else
}

static void broken_gnuplot(void **state) {
  (void)state;
  fails("echo '<svg>'; echo trouble >&2; exit 3",
        "compare.svg: error: not written: gnuplot ended with status 3: trouble");
  fails("echo '<svg>'; kill -9 $$", "not written: gnuplot was ended by signal 9");
  fails("exit 0", "not written: gnuplot drew nothing");
  make_gnuplot("exit 1");
  REFUSES("gnuplot has no terminal pdfcairo", COMPARE, "--pdf", path); // before anything runs
}

static int start(void **state) {
  (void)state;
  if (!mkdtemp(folder)) return -1;
  snprintf(path, sizeof path, "%s/svg", folder);
  snprintf(store, sizeof store, "%s/store", folder);
  return 0;
}

static int clean(void **state) {
  (void)state;
  static const char *const names[] = {
    "svg/12.svg", "svg/compare.svg", "svg/compare.pdf", "svg", "bin/gnuplot", "bin", "store", ""};
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
    char name[160];
    snprintf(name, sizeof name, "%s/%s", folder, names[i]);
    remove(name);
  }
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(in_the_table_s_place), cmocka_unit_test(as_wide_as_the_terminal), cmocka_unit_test(mistakes),
    cmocka_unit_test(without_gnuplot),      cmocka_unit_test(wrong_folder_or_figure),  cmocka_unit_test(broken_gnuplot),
    cmocka_unit_test(a_file_per_chart),
  };
  return cmocka_run_group_tests(tests, start, clean);
}
