// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Diagnostics: what they look like, how many there are, and which word was meant.
#include "base_test.h"

static const char source[] = "first\n\tld.q32 %r1;\r\nlast";

static void show_place_and_caret(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  assert_false(weir_fail(&sink, (struct weir_place){"a.ptx", source, 3, 4}, "no %s", "t"));
  assert_prints(&sink,
                "a.ptx:3:4: error: no t\n"
                "  last\n"
                "     ^\n");
}

// A tab before the column is a tab in the caret's line too, so that it stands below the text in every terminal; the
// carriage return of a file from elsewhere is not shown.
static void stand_below_a_line_with_tabs(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  weir_fail(&sink, (struct weir_place){"a.ptx", source, 2, 5}, "wrong");
  assert_prints(&sink,
                "a.ptx:2:5: error: wrong\n"
                "  \tld.q32 %r1;\n"
                "  \t   ^\n");
}

static void point_behind_a_line_s_end(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  weir_fail(&sink, (struct weir_place){"f", source, 1, 6}, "more expected");
  assert_prints(&sink,
                "f:1:6: error: more expected\n"
                "  first\n"
                "       ^\n");
}

// No caret where it would point at nothing: no column, a column or a line that the text has not, no text.
static void point_at_nothing_that_is_not_there(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  weir_fail(&sink, (struct weir_place){"f", source, 1, 0}, "a");
  weir_fail(&sink, (struct weir_place){"f", source, 1, 7}, "b");
  weir_fail(&sink, (struct weir_place){"f", source, 9, 1}, "c");
  weir_fail(&sink, (struct weir_place){"f", NULL, 2, 3}, "d");
  weir_fail(&sink, (struct weir_place){"f", NULL, 0, 0}, "e");
  weir_fail_plain(&sink, "f");
  assert_prints(&sink,
                "f:1: error: a\nf:1:7: error: b\nf:9:1: error: c\nf:2:3: error: d\nf: error: e\nweir: error: f\n");
}

// A line of 1 MB is shown up to 160 columns; behind them there is neither line nor caret.
static void cut_a_long_line(void **state) {
  (void)state;
  enum { LONG = 1 << 20 };
  char *text = weir_alloc(LONG + 1), expected[512];
  memset(text, 'x', LONG);
  struct weir_sink sink = {0};
  weir_fail(&sink, (struct weir_place){"f", text, 1, 160}, "seen");
  weir_fail(&sink, (struct weir_place){"f", text, 1, 161}, "unseen");
  snprintf(expected, sizeof expected, "f:1:160: error: seen\n  %.160s\n%161s^\nf:1:161: error: unseen\n", text, "");
  assert_prints(&sink, expected);
  weir_free(text);
}

static void record_no_more_errors_than_the_limit(void **state) {
  (void)state;
  struct weir_sink sink = {.limit = 2};
  for (int i = 1; i <= 5; i++) weir_fail_plain(&sink, "%d", i);
  weir_report(&sink, WEIR_WARNING, (struct weir_place){0}, "still said");
  assert_int_equal(sink.errors, 5);
  assert_prints(&sink, "weir: error: 1\nweir: error: 2\nweir: warning: still said\nweir: 3 further errors not shown\n");

  for (int i = 0; i < 101; i++) weir_fail_plain(&sink, "%d", i); // empty again; no limit given means 100
  assert_int_equal(sink.count, 100);
  assert_int_equal(sink.errors, 101);
  weir_sink_free(&sink);
}

static void count_errors_alone_as_errors(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  weir_report(&sink, WEIR_NOTE, (struct weir_place){"f", NULL, 1, 0}, "a");
  weir_report(&sink, WEIR_WARNING, (struct weir_place){"f", NULL, 2, 0}, "b");
  assert_int_equal(sink.errors, 0);
  assert_prints(&sink, "f:1: note: a\nf:2: warning: b\n");
}

// Distances by hand. kitten and sitting: k-s, e-i, insert g, the textbook's 3; a word of 7 letters may be 7/3 + 1 away.
static void find_the_nearest_word(void **state) {
  (void)state;
  static const char *const schemes[] = {"lru", "plru", "srrip", "drrip", "random"};
  static const char *const kitten[] = {"kitten"};
  assert_string_equal(weir_nearest("rlru", schemes, 5), "lru");   // lru 1, plru 1: the first of equals
  assert_string_equal(weir_nearest("srip", schemes, 5), "srrip"); // srrip 1, drrip 2
  assert_string_equal(weir_nearest("random", schemes, 5), "random");
  assert_string_equal(weir_nearest("rendon", schemes, 5), "random");
  assert_null(weir_nearest("belady", schemes, 5));
  assert_string_equal(weir_nearest("lur", (const char *const[]){"lip", "lru"}, 2), "lru"); // one exchange; lip 2
  assert_string_equal(weir_nearest("sitting", kitten, 1), "kitten");
  assert_null(weir_nearest("sittings", kitten, 1)); // 4 away
  assert_null(weir_nearest("lru", schemes, 0));
}

static void find_a_word_within_others(void **state) {
  (void)state;
  static const char *const names[] = {"fermi-gtx480", "_Z5naivePKfPfi", "_Z5tiledPKfPfi"};
  assert_string_equal(weir_nearest("gtx480", names, 3), "fermi-gtx480");
  assert_string_equal(weir_nearest("tiled", names, 3), "_Z5tiledPKfPfi");
  assert_null(weir_nearest("Kf", names, 3)); // says too little
  assert_null(weir_nearest("", names, 3));
}

static void take_long_words_as_far_away(void **state) {
  (void)state;
  char word[200], near[200];
  memset(word, 'a', 199), word[199] = 0;
  memcpy(near, word, 200), near[0] = 'b';
  const char *const candidates[] = {near};
  assert_null(weir_nearest(word, candidates, 1));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(show_place_and_caret),
    cmocka_unit_test(stand_below_a_line_with_tabs),
    cmocka_unit_test(point_behind_a_line_s_end),
    cmocka_unit_test(point_at_nothing_that_is_not_there),
    cmocka_unit_test(cut_a_long_line),
    cmocka_unit_test(record_no_more_errors_than_the_limit),
    cmocka_unit_test(count_errors_alone_as_errors),
    cmocka_unit_test(find_the_nearest_word),
    cmocka_unit_test(find_a_word_within_others),
    cmocka_unit_test(take_long_words_as_far_away),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
