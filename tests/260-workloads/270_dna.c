// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Merging DNA fragments, on fragments whose overlaps are seen with the naked eye.
#include "from_text.h"

static void assert_next(const char *text, const uint32_t (*want)[2], uint32_t count) {
  struct weir_sink sink = {0};
  struct weir_app *a = open_text("dna", text, &sink);
  if (!a) weir_sink_print(&sink, stderr);
  assert_non_null(a);
  assert_true(weir_app_run(a, weir_functional_backend(NULL)));
  assert_int_equal(weir_app_check(a), WEIR_CHECK_PASSED);
  unsigned results;
  const struct weir_result *r = weir_host_results(weir_app_host(a), &results);
  assert_int_equal(r->bytes, count * sizeof *want);
  assert_memory_equal(weir_host_bytes(weir_app_host(a), r->address, r->bytes), want, r->bytes);
  weir_app_free(a);
}

#define A15 "ACGTTGCAAGCTTAG"
#define B15 "GGATCCATTTACGCA"
#define C15 "TCTCAGAGTATTTGC"

// The sequence x A B y C z in three fragments: x A B | A B y C | C z, in another order, in lines and in small letters.
static void fragments_follow_one_another(void **state) {
  (void)state;
  assert_next(">last\n" C15 "CCCC\n>middle, which has lines\r\nacgtt\r\ngcaagcttag" B15 "\n\nTTT" C15
              "\n>first\nGGG" A15 B15,
              (const uint32_t[][2]){{0, 0}, {1, 15}, {2, 30}}, 3);
}

// An overlap of fewer bases than a seed, one that breaks off, a fragment inside of another, and a base that nobody knows.
static void others_do_not(void **state) {
  (void)state;
  assert_next(">a\nGGG" A15 "TT\n>b\n" A15 "TA" C15 "\n>c\n" C15 "\n>d\nTTCTCAGAGTATTTG\n>e\nC" B15 "N\n>f\n" B15
              "A\n>g\nN\n>\n",
              (const uint32_t[][2]){{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}}, 8);
}

// Of the ways to go on the one with the longest overlap, and of fragments that begin alike the first in the file.
static void the_longest_overlap_wins(void **state) {
  (void)state;
  assert_next(">a\nG" A15 B15 "\n>b\n" B15 "AAA\n>c\n" A15 B15 "C\n>d\n" A15 B15 "G\n",
              (const uint32_t[][2]){{3, 30}, {0, 0}, {0, 0}, {0, 0}}, 4);
}

static void what_is_no_fasta_is_refused(void **state) {
  (void)state;
  assert_refused("dna", "ACGT\n", ":1:1: error: a FASTA file begins with '>'");
  assert_refused("dna", ">a\nACGT\n>b 12\nAC?T\n", ":4:3: error: a letter that stands for a base");
  assert_refused("dna", ">a\nAC\x01T", ":2:3: error");
  assert_refused("dna", "", "empty");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(fragments_follow_one_another),
    cmocka_unit_test(others_do_not),
    cmocka_unit_test(the_longest_overlap_wins),
    cmocka_unit_test(what_is_no_fasta_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
