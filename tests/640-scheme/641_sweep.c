// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Values left open: what a list stands for, the schemes that combinations are, and every way to say it wrongly.
#include "chip_test.h"

#include "scheme/values.h"

static struct weir_chip_config *chip;

static int read_chip(void **state) {
  (void)state;
  chip = read_good("fermi-gtx480");
  return 0;
}

static int free_chip(void **state) {
  weir_chip_config_free(chip);
  return remove_yaml(state);
}

// ---- lists -----------------------------------------------------------------------------------------------------------

// `values` with a blank behind each.
static void assert_values(const char *text, bool open, const char *values) {
  char message[200], got[1000] = "";
  struct weir_values v;
  const char *wrong = weir_values_read(&v, text, message, sizeof message);
  if (wrong) fail_msg("'%s': %s", text, wrong);
  for (unsigned i = 0; i < v.count; i++) snprintf(got + strlen(got), sizeof got - strlen(got), "%s ", v.text[i]);
  assert_string_equal(got, values);
  assert_int_equal(v.open, open);
  weir_values_free(&v);
}

static void lists(void **state) {
  (void)state;
  assert_values("7", false, "7 ");
  assert_values("1..8", false, "1..8 "); // no list: a text like any other
  assert_values("best", false, "best ");
  assert_values("best:7", true, "7 ");
  assert_values("best:lru|srrip", true, "lru srrip ");
  assert_values("best:1..4", true, "1 2 3 4 ");
  assert_values("best:5..5", true, "5 ");
  assert_values("best:1..8|10..24/2|32|48", true, "1 2 3 4 5 6 7 8 10 12 14 16 18 20 22 24 32 48 ");
  assert_values("best:10..15/2", true, "10 12 14 ");     // 16 is above
  assert_values("best:3..5|1..4|2", true, "3 4 5 1 2 "); // each once, where it is first said
  assert_values("best:-2..2/2", true, "-2 0 2 ");
  assert_values("best-ipc:1..3|8", true, "1 2 3 8 "); // what is best is said apart from what is tried
  assert_values("best-ipc", false, "best-ipc ");
}

// In units of the last decimal place given, so nothing is rounded: 0.1 three times is 0.3.
static void decimal_ranges(void **state) {
  (void)state;
  assert_values("best:0.1..0.5/0.2", true, "0.1 0.3 0.5 ");
  assert_values("best:0.5..1.5/0.25", true, "0.5 0.75 1 1.25 1.5 ");
  assert_values("best:0..1/0.5", true, "0 0.5 1 ");
  assert_values("best:-0.5..0.5/0.5", true, "-0.5 0 0.5 ");
}

static void assert_flaw(const char *text, const char *says) {
  char message[200];
  struct weir_values v;
  const char *wrong = weir_values_read(&v, text, message, sizeof message);
  if (!wrong || !strstr(wrong, says)) fail_msg("'%s': expected '%s', got '%s'", text, says, wrong ? wrong : "nothing");
  weir_values_free(&v);
}

static void bad_lists(void **state) {
  (void)state;
  assert_flaw("best:", "no values");
  assert_flaw("best:|1", "empty value");
  assert_flaw("best:1||2", "empty value");
  assert_flaw("best:1|", "empty value");
  assert_flaw("best:1,2|3", "a value with a comma");
  assert_flaw("best:8..1", "'8..1' runs backwards");
  assert_flaw("best:1|8..1/2", "'8..1/2' runs backwards");
  assert_flaw("best:1..8/0", "has a step of 0");
  assert_flaw("best:1..8/0.0", "has a step of 0");
  assert_flaw("best:1..8/-1", "has a step of less than 0");
  const char *const junk[] = {"1..",
                              "..8",
                              "..",
                              "1..x",
                              "x..8",
                              "1..8/",
                              "1..8/x",
                              "1...8",
                              "1..2..3",
                              "1..8/2/2",
                              "1e1..20",
                              "0x1..8",
                              "-..1",
                              "1.2.3..4",
                              "1...5",
                              "0..1./1",
                              "0.05..0.25/.1",
                              "0..0.0000001",
                              "0..1000000000000"}; // seven places, thirteen digits
  for (unsigned i = 0; i < sizeof junk / sizeof *junk; i++) {
    char text[64];
    snprintf(text, sizeof text, "best:%s", junk[i]);
    assert_flaw(text, "is no range LOW..HIGH or LOW..HIGH/STEP of numbers");
  }
  assert_flaw("best:1..4097", "more than 4096 values");
  assert_flaw("best:0..999999999999", "more than 4096 values");
}

static void longest_list(void **state) {
  (void)state;
  char message[200];
  struct weir_values v;
  assert_null(weir_values_read(&v, "best:1..4096", message, sizeof message));
  assert_int_equal(v.count, 4096);
  assert_string_equal(v.text[4095], "4096");
  weir_values_free(&v);
}

// ---- schemes ---------------------------------------------------------------------------------------------------------

static struct weir_scheme *resolve(const char *spec, struct weir_chip_config *own) {
  struct weir_sink sink = {0};
  struct weir_scheme *s = weir_scheme_read(spec, own, &sink);
  assert_clean(&sink);
  assert_non_null(s);
  return s;
}

// The specs of all combinations, each behind `name` and followed by a blank; each is an ordinary scheme.
static void assert_combinations(const char *spec, const char *name, const char *combinations) {
  struct weir_chip_config *own = weir_chip_copy(chip);
  struct weir_scheme *s = resolve(spec, own);
  char got[2000] = "";
  for (unsigned i = 0; i < weir_scheme_combinations(s); i++) {
    char *one = weir_scheme_combination(s, i);
    assert_int_equal(strncmp(one, name, strlen(name)), 0);
    snprintf(got + strlen(got), sizeof got - strlen(got), "%s ", one + strlen(name));
    struct weir_chip_config *other = weir_chip_copy(chip);
    struct weir_scheme *ordinary = resolve(one, other);
    assert_int_equal(weir_scheme_sweep_count(ordinary), 0);
    assert_int_equal(weir_scheme_combinations(ordinary), 1);
    weir_scheme_free(ordinary);
    weir_chip_config_free(other);
    weir_free(one);
  }
  assert_string_equal(got, combinations);
  weir_scheme_free(s);
  weir_chip_config_free(own);
}

static void open_in_a_spec(void **state) {
  (void)state;
  assert_combinations("lru", "lru", " ");
  assert_combinations("bypass-random,probability=best:0.5|1", "bypass-random", ",probability=0.5 ,probability=1 ");
  assert_combinations("lru,l1.size_kib=best:16|32,l2.replace=best:lru|bip", "lru",
                      ",l1.size_kib=16,l2.replace=lru ,l1.size_kib=16,l2.replace=bip "
                      ",l1.size_kib=32,l2.replace=lru ,l1.size_kib=32,l2.replace=bip ");
  // in the order of the spec, knobs and values of the chip alike; what is decided stays where it was
  assert_combinations("bypass-random,probability=best:0|1,core.scheduler=lrr,l1.mshrs=best:8..10/2", "bypass-random",
                      ",probability=0,core.scheduler=lrr,l1.mshrs=8 ,probability=0,core.scheduler=lrr,l1.mshrs=10 "
                      ",probability=1,core.scheduler=lrr,l1.mshrs=8 ,probability=1,core.scheduler=lrr,l1.mshrs=10 ");
}

// What is said later decides.
static void decided_later(void **state) {
  (void)state;
  assert_combinations("lru,l1.mshrs=best:8|16,l1.mshrs=32", "lru", ",l1.mshrs=best:8|16,l1.mshrs=32 ");
  assert_combinations("bip,period=best:8|16,period=best:2|4", "bip",
                      ",period=best:8|16,period=2 ,period=best:8|16,period=4 ");
  assert_combinations("bip,l1.period=best:8|16,l2.period=4", "bip",
                      ",l1.period=8,l2.period=4 ,l1.period=16,l2.period=4 ");
}

static void choices_by_key(void **state) {
  (void)state;
  struct weir_chip_config *own = weir_chip_copy(chip);
  struct weir_scheme *s = resolve("bip,period=best:8|16|32,l1.size_kib=best:16|32", own);
  assert_int_equal(weir_scheme_sweep_count(s), 2);
  assert_string_equal(weir_scheme_sweep(s, 0)->key, "period");
  assert_int_equal(weir_scheme_sweep(s, 0)->count, 3);
  assert_string_equal(weir_scheme_sweep(s, 1)->key, "l1.size_kib");
  assert_int_equal(weir_scheme_combinations(s), 6);
  assert_string_equal(weir_scheme_choice_of(s, 3, 0), "16"); // 3 = 1 × 2 + 1
  assert_string_equal(weir_scheme_choice_of(s, 3, 1), "32");
  assert_int_equal(own->caches[0].size_kib, 16); // the first of the list, until it is decided
  weir_scheme_free(s);
  weir_chip_config_free(own);
}

#define HEAD "name: mine\nsummary: a test\ncitation: none\n" // three lines

static const char *scheme_of(const char *rest) {
  char text[2000];
  snprintf(text, sizeof text, HEAD "%s", rest);
  return write_yaml(text);
}

static void assert_file(const char *rest, const char *overrides, const char *combinations) {
  char spec[400];
  const char *path = scheme_of(rest);
  snprintf(spec, sizeof spec, "%s%s", path, overrides);
  assert_combinations(spec, path, combinations);
}

#define HALF "policies:\n  - {cache: first, bypass: [random], knobs: {probability: best:0..1/0.5}}\n"

// What the spec says still comes last.
static void open_in_a_file(void **state) {
  (void)state;
  assert_file(HALF, "", ",probability=0 ,probability=0.5 ,probability=1 ");
  assert_file(HALF, ",l1.mshrs=8", ",probability=0,l1.mshrs=8 ,probability=0.5,l1.mshrs=8 ,probability=1,l1.mshrs=8 ");
  assert_file(HALF, ",probability=0.25", ",probability=0.25 ");
  assert_file(HALF, ",l1.probability=best:0.1|0.2", ",l1.probability=0.1 ,l1.probability=0.2 ");
  assert_file("policies: []\nset: [l1.mshrs=best:8|16, l1.ways=4]\n", ",l1.size_kib=16",
              ",l1.mshrs=8,l1.size_kib=16 ,l1.mshrs=16,l1.size_kib=16 ");
  assert_file("policies: []\nset: [l1.mshrs=best:8|16]\n", ",l1.mshrs=4", ",l1.mshrs=4 ");
  // one cache of two decided
  assert_file("policies:\n  - {cache: all, replace: bip, knobs: {period: best:8|16}}\n", ",l2.period=4",
              ",period=8,l2.period=4 ,period=16,l2.period=4 ");
  // with its policy, its knob is gone
  assert_file("policies:\n  - {cache: l2, replace: bip, knobs: {period: best:8|16}}\n", ",l2.replace=lru",
              ",l2.replace=lru ");
  // a later entry decides
  assert_file("policies:\n  - {cache: all, replace: bip, knobs: {period: best:8|16}}\n"
              "  - {cache: all, replace: bip, knobs: {period: 4}}\n",
              "", " ");
  // also if it only puts the same policy there anew, with its knobs as they come
  assert_file("policies:\n  - {cache: l2, replace: bip, knobs: {period: best:8|16}}\n  - {cache: l2, replace: bip}\n",
              "", " ");
}

static void assert_objective(const char *spec, enum weir_objective objective) {
  struct weir_chip_config *own = weir_chip_copy(chip);
  struct weir_scheme *s = resolve(spec, own);
  assert_int_equal(weir_scheme_objective(s), objective);
  weir_scheme_free(s);
  weir_chip_config_free(own);
}

// A scheme has one; what is decided later has no say.
static void objectives(void **state) {
  (void)state;
  assert_objective("lru", WEIR_FEWEST_CYCLES);
  assert_objective("lru,l1.mshrs=best:8|16", WEIR_FEWEST_CYCLES);
  assert_objective("lru,l1.mshrs=best-ipc:8|16,l2.mshrs=best-ipc:8|16", WEIR_HIGHEST_IPC);
  assert_objective("bypass-random,probability=best-ipc:0|1", WEIR_HIGHEST_IPC);
  assert_objective("lru,l1.mshrs=best:8|16,l1.mshrs=best-ipc:8|16", WEIR_HIGHEST_IPC);
  assert_objective("swl-best", WEIR_FEWEST_CYCLES);
  assert_objective("swl-best,warps=best-ipc:2|4", WEIR_HIGHEST_IPC);
}

// The key is the shortest that means just the knobs left open.
static void keys_of_a_file(void **state) {
  (void)state;
  assert_file("policies:\n  - {cache: first, bypass: [counter], knobs: {stores_are_reuse: best:true|false}}\n"
              "  - {cache: first, bypass: [pcbp]}\n",
              "", ",counter.stores_are_reuse=true ,counter.stores_are_reuse=false ");
  assert_file("policies:\n  - {cache: first, replace: bip, knobs: {period: best:8|16}}\n"
              "  - {cache: shared, replace: bip}\n",
              "", ",first.period=8 ,first.period=16 ");
  assert_file("policies:\n  - {cache: first, bypass: [counter], knobs: {stores_are_reuse: best:true|false}}\n"
              "  - {cache: first, bypass: [pcbp]}\n  - {cache: shared, bypass: [counter]}\n",
              "", ",first.counter.stores_are_reuse=true ,first.counter.stores_are_reuse=false ");
}

static void assert_refused(const char *spec, unsigned line, const char *says) {
  struct weir_sink sink = {0};
  struct weir_chip_config *own = weir_chip_copy(chip);
  assert_null(weir_scheme_read(spec, own, &sink));
  assert_int_equal(sink.errors, 1);
  assert_says(&sink, line, says);
  weir_chip_config_free(own);
}

static void wrong_values(void **state) {
  (void)state;
  assert_refused("bypass-random,probability=best:", 0, "scheme bypass-random: probability: the list has no values");
  assert_refused("bypass-random,probability=best:0|2|1", 0, "knob 'probability' of policy 'random' must be");
  assert_refused("bypass-random,probability=best-ipc:", 0, "scheme bypass-random: probability: the list has no values");
  assert_refused("lru,l1.mshrs=best-joules:1|2", 0, "scheme lru: l1.mshrs must be an integer");
  assert_refused("lru,l1.mshrs=best:8|16,l2.mshrs=best-ipc:8|16", 0, "one of them has to say what is best");
  assert_refused("lru,l1.mshrs=best:1|none", 0, "scheme lru: l1.mshrs must be an integer");
  assert_refused("lru,l1.mshrs=best:8..1", 0, "scheme lru: l1.mshrs: the range '8..1' runs backwards");
  assert_refused("lru,l1.mshrs=best:1..64,l2.mshrs=best:1..64,dram.queue=best:1|2", 0, "more than 4096 combinations");
  assert_refused(scheme_of("policies:\n  - cache: first\n    bypass: [random]\n    knobs: {probability: best:1||2}\n"),
                 7, "knob 'probability': the list has an empty value");
  assert_refused(scheme_of("policies:\n  - cache: first\n    bypass: [random]\n    knobs: {probability: best:0..2}\n"),
                 7, "must be a number from 0 to 1, not '2'");
  assert_refused(scheme_of("policies: []\nset: [l1.mshrs=best:0..2]\n"), 5, "l1.mshrs must be an integer");
  assert_refused(scheme_of("policies: []\nset: [\"l1.mshrs=best:\"]\n"), 5, "l1.mshrs: the list has no values");
}

static void no_key_for_it(void **state) {
  (void)state;
  assert_refused(
    scheme_of("policies:\n  - {cache: first, bypass: [counter, pcbp], knobs: {stores_are_reuse: best:true|false}}\n"),
    5, "several policies of this cache have a knob 'stores_are_reuse'");
  assert_refused(scheme_of("policies:\n  - {cache: first, bypass: [random], knobs: {probability: best:0|1}}\n"
                           "  - {cache: first, bypass: [random]}\n"),
                 5, "no key says so");
}

// `set` is of the chip's own policy, which those of the scheme go over; left open where none does.
static void replacement_in_a_file(void **state) {
  (void)state;
  assert_file("policies: []\nset: [l1.replace=best:lru|bip]\n", "", ",l1.replace=lru ,l1.replace=bip ");
  assert_refused(scheme_of("policies: [{cache: all, replace: drrip}]\nset: [l1.replace=best:lru|bip]\n"), 5,
                 "l1.replace is left open, but decided by the scheme's policies");
}

// A bypass policy left open; a file's sweep of a policy that gives way ends, and that of a throttle beside it stays.
static void bypass_left_open(void **state) {
  (void)state;
  assert_combinations("lru,l1.bypass=best:pcbp|always", "lru", ",l1.bypass=pcbp ,l1.bypass=always ");
  assert_combinations("lru,l1.bypass=best:pcbp|always,first.bypass=random", "lru",
                      ",l1.bypass=best:pcbp|always,first.bypass=random "); // decided later: nothing is swept
  assert_file("policies:\n  - {cache: l1, bypass: [random], throttle: [swl], knobs: {probability: best:0|1}}\n"
              "  - {cache: l1, bypass: [always]}\n",
              ",l1.bypass=pcbp", ",l1.bypass=pcbp ");
  assert_file("policies:\n  - {cache: l1, bypass: [random], throttle: [swl], knobs: {warps: best:4|8}}\n",
              ",l1.bypass=pcbp", ",warps=4,l1.bypass=pcbp ,warps=8,l1.bypass=pcbp ");
}

// Its file's knob stays, in the sweep's first value as in the combination.
static void replacement_that_is_there(void **state) {
  (void)state;
  char spec[200];
  snprintf(spec, sizeof spec, "%s,l1.replace=best:bip|lru",
           scheme_of("policies: [{cache: first, replace: bip, knobs: {period: 4}}]\n"));
  struct weir_chip_config *own = weir_chip_copy(chip), *other = weir_chip_copy(chip);
  struct weir_scheme *s = resolve(spec, own);
  char *first = weir_scheme_combination(s, 0);
  struct weir_scheme *ordinary = resolve(first, other);
  const struct weir_policy_choice *a = &weir_scheme_level(s, 0)->replace, *b = &weir_scheme_level(ordinary, 0)->replace;
  assert_string_equal(a->policy->name, "bip");
  assert_memory_equal(a, b, sizeof *a);
  assert_string_equal(a->policy->knobs[0].name, "period");
  assert_true(a->knobs[0] == 4);
  weir_scheme_free(s);
  weir_scheme_free(ordinary);
  weir_free(first);
  weir_chip_config_free(own);
  weir_chip_config_free(other);
}

static void largest_sweep(void **state) {
  (void)state;
  struct weir_chip_config *own = weir_chip_copy(chip);
  struct weir_scheme *s = resolve("lru,l1.mshrs=best:1..64,l2.mshrs=best:1..64", own);
  assert_int_equal(weir_scheme_combinations(s), 4096);
  char *last = weir_scheme_combination(s, 4095);
  assert_string_equal(last, "lru,l1.mshrs=64,l2.mshrs=64");
  weir_free(last);
  weir_scheme_free(s);
  weir_chip_config_free(own);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(lists),
    cmocka_unit_test(decimal_ranges),
    cmocka_unit_test(bad_lists),
    cmocka_unit_test(longest_list),
    cmocka_unit_test(open_in_a_spec),
    cmocka_unit_test(decided_later),
    cmocka_unit_test(choices_by_key),
    cmocka_unit_test(open_in_a_file),
    cmocka_unit_test(objectives),
    cmocka_unit_test(keys_of_a_file),
    cmocka_unit_test(wrong_values),
    cmocka_unit_test(no_key_for_it),
    cmocka_unit_test(largest_sweep),
    cmocka_unit_test(replacement_in_a_file),
    cmocka_unit_test(replacement_that_is_there),
    cmocka_unit_test(bypass_left_open),
  };
  return cmocka_run_group_tests(tests, read_chip, free_chip);
}
