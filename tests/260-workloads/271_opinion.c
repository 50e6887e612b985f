// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Opinions of tweets that a reader can judge.
#include "from_text.h"

enum { UNRELATED, NEGATIVE, NEUTRAL, POSITIVE };

static void assert_opinions(const char *text, const uint8_t *want, uint32_t count) {
  struct weir_sink sink = {0};
  struct weir_app *a = open_text("opinion", text, &sink);
  if (!a) weir_sink_print(&sink, stderr);
  assert_non_null(a);
  assert_true(weir_app_run(a, weir_functional_backend(NULL)));
  assert_int_equal(weir_app_check(a), WEIR_CHECK_PASSED);
  unsigned results;
  const struct weir_result *r = weir_host_results(weir_app_host(a), &results);
  assert_int_equal(results, 2);
  assert_memory_equal(weir_host_bytes(weir_app_host(a), r[0].address, count), want, count);
  const uint32_t *totals = weir_host_bytes(weir_app_host(a), r[1].address, r[1].bytes);
  for (uint32_t opinion = NEGATIVE; opinion <= POSITIVE; opinion++) {
    uint32_t total = 0;
    for (uint32_t i = 0; i < count; i++) total += want[i] == opinion;
    assert_int_equal(totals[opinion - NEGATIVE], total);
  }
  weir_app_free(a);
}

// The words of "text" alone, in any case and between any signs; escapes end a word or are part of it.
static void opinions_are_those_of_the_text(void **state) {
  (void)state;
  assert_opinions("{\"text\": \"I love my PHONE\"}\n"
                  "{\"text\": \"I love my telephone\"}\n"
                  "{\"text\":\"bad screen,\\nbad camera,nice battery\", \"lang\":\"great\"}\n"
                  "\n"
                  "{\"user\": {\"text\": \"great phone\"}, \"text\": \"the phone\", \"a\": [\"text\", \"love\"]}\n"
                  "{\"user\": \"phone\", \"Text\": \"great phone\", \"texts\": \"great phone\"}\n"
                  "{\"te\\u0078t\": \"\\u0070hone is \\u006cove\\\\\"}\n"
                  "{\"text\": \"phone\\u00e9 is great\"}\n"
                  "{\"text\": [\"great phone\"]}\n"
                  "{\"text\": \"\\\"awful\\\" phone\\tgreat\\u0020love\"}\r\n"
                  "{\"text\": \"phone hate\"}",
                  (const uint8_t[]){POSITIVE, UNRELATED, NEGATIVE, UNRELATED, NEUTRAL, UNRELATED, POSITIVE, UNRELATED,
                                    UNRELATED, POSITIVE, NEGATIVE},
                  11);
}

static void what_is_no_tweet_is_refused(void **state) {
  (void)state;
  assert_refused("opinion", "{\"text\": \"\"}\n{\"text\": \"}\n", ":2:");
  assert_refused("opinion", "{\"text\": \"\"}\n[1]\n", ":2:1: error: a line with a JSON object was expected");
  assert_refused("opinion", "{\"text\": \"\\u12\"}\n", ":1:");
  assert_refused("opinion", "{\"text\": \"a\", \"text\": \"b\"}\n", ":1:");
  assert_refused("opinion", "no tweet", ":1:");
  assert_refused("opinion", "", "empty");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(opinions_are_those_of_the_text),
    cmocka_unit_test(what_is_no_tweet_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
