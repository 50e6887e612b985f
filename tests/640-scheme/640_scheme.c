// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Schemes: which policies, with which knobs, come to which cache of which chip; and every way to ask for it wrongly.
#include "chip_test.h"

#include <glob.h>

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

static struct weir_scheme *resolve(const char *spec) {
  struct weir_sink sink = {0};
  struct weir_scheme *s = weir_scheme_read(spec, chip, &sink);
  assert_clean(&sink);
  assert_non_null(s);
  return s;
}

static void assert_refused(const char *spec, unsigned line, const char *says) {
  struct weir_sink sink = {0};
  struct weir_chip_config *own = weir_chip_copy(chip); // overrides before the error were applied to it
  assert_null(weir_scheme_read(spec, own, &sink));
  assert_says(&sink, line, says);
  weir_chip_config_free(own);
}

static double knob_of(const struct weir_policy_choice *choice, const char *name) {
  for (unsigned i = 0; choice->policy->knobs[i].name; i++)
    if (!strcmp(choice->policy->knobs[i].name, name)) return choice->knobs[i];
  fail_msg("policy %s has no knob %s", choice->policy->name, name);
  return 0;
}

static const struct weir_policy_choice *only_bypass(const struct weir_scheme *s, unsigned level, const char *name) {
  const struct weir_level_policies *l = weir_scheme_level(s, level);
  assert_int_equal(l->companion_count, 1);
  assert_string_equal(l->companions[0].policy->name, name);
  return &l->companions[0];
}

static void assert_replace(const struct weir_scheme *s, unsigned level, const char *name) {
  assert_string_equal(weir_scheme_level(s, level)->replace.policy->name, name);
}

// Tian et al. section 3.1: a predictor at the L1, a bit per line of the L2 to correct it; replacement stays.
static void pcbp_is_the_papers(void **state) {
  (void)state;
  struct weir_scheme *s = resolve("pcbp");
  assert_string_equal(weir_scheme_name(s), "pcbp");
  assert_string_equal(weir_scheme_spec(s), "pcbp");
  assert_non_null(strstr(weir_scheme_citation(s), "Tian"));
  const struct weir_policy_choice *predictor = only_bypass(s, 0, "pcbp");
  assert_true(knob_of(predictor, "entries") == 128);
  assert_true(knob_of(predictor, "counter_bits") == 4);
  assert_true(knob_of(predictor, "stores_are_reuse") == 1);    // listing 1: each L1 access
  assert_true(knob_of(predictor, "train_on_correction") == 0); // listing 1 names no victim there
  only_bypass(s, 1, "pcbp-verify");
  for (unsigned level = 0; level < 2; level++) assert_replace(s, level, "lru");
  weir_scheme_free(s);
}

static void replacement_schemes_reach_every_cache(void **state) {
  (void)state;
  const char *const names[] = {"lru", "plru", "fifo", "random", "lip", "bip", "dip", "srrip", "brrip", "drrip"};
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
    struct weir_scheme *s = resolve(names[i]);
    for (unsigned level = 0; level < 2; level++) {
      assert_replace(s, level, names[i]);
      assert_int_equal(weir_scheme_level(s, level)->companion_count, 0);
    }
    weir_scheme_free(s);
  }
}

static void bundled_schemes_fit_bundled_chips(void **state) {
  (void)state;
  glob_t chips, schemes;
  assert_int_equal(glob(WEIR_SOURCE_DIR "/chips/*.yaml", 0, NULL, &chips), 0);
  assert_int_equal(glob(WEIR_SOURCE_DIR "/schemes/*.yaml", 0, NULL, &schemes), 0);
  for (size_t c = 0; c < chips.gl_pathc; c += WEIR_SANITIZED ? 3 : 1)
    for (size_t i = 0; i < schemes.gl_pathc; i++) {
      struct weir_chip_config *own = read_good(chips.gl_pathv[c]);
      struct weir_sink sink = {0};
      struct weir_scheme *s = weir_scheme_read(schemes.gl_pathv[i], own, &sink);
      assert_clean(&sink);
      assert_true(*weir_scheme_summary(s) && *weir_scheme_citation(s));
      char file[64];
      snprintf(file, sizeof file, "/%s.yaml", weir_scheme_name(s));
      assert_non_null(strstr(schemes.gl_pathv[i], file)); // called like its file
      weir_scheme_free(s);
      weir_chip_config_free(own);
    }
  globfree(&chips);
  globfree(&schemes);
}

// The chip's own, none of ours.
static void none_changes_nothing(void **state) {
  (void)state;
  struct weir_chip_config *gcn = read_good("gcn-apu");
  struct weir_sink sink = {0};
  struct weir_scheme *s = weir_scheme_read("none", gcn, &sink);
  for (unsigned level = 0; level < 3; level++) {
    assert_replace(s, level, "plru");
    assert_int_equal(weir_scheme_level(s, level)->companion_count, 0);
  }
  weir_scheme_free(s);
  weir_chip_config_free(gcn);
}

// ---- overrides -------------------------------------------------------------------------------------------------------

static void knobs_by_every_name(void **state) {
  (void)state;
  const char *const specs[] = {"pcbp,threshold=6", "pcbp,l1.threshold=6", "pcbp,pcbp.threshold=6",
                               "pcbp,l1.pcbp.threshold=6", "pcbp,threshold=3,threshold=6"};
  for (unsigned i = 0; i < sizeof specs / sizeof *specs; i++) {
    struct weir_scheme *s = resolve(specs[i]);
    assert_true(knob_of(only_bypass(s, 0, "pcbp"), "threshold") == 6);
    assert_string_equal(weir_scheme_name(s), "pcbp");
    assert_string_equal(weir_scheme_spec(s), specs[i]);
    weir_scheme_free(s);
  }
}

static void one_knob_at_every_cache_or_at_one(void **state) {
  (void)state;
  struct weir_scheme *s = resolve("bip,period=64");
  for (unsigned level = 0; level < 2; level++)
    assert_true(knob_of(&weir_scheme_level(s, level)->replace, "period") == 64);
  weir_scheme_free(s);
  s = resolve("bip,l2.period=16");
  assert_true(knob_of(&weir_scheme_level(s, 0)->replace, "period") == 32); // Qureshi et al.: 1 in 32
  assert_true(knob_of(&weir_scheme_level(s, 1)->replace, "period") == 16);
  weir_scheme_free(s);
}

static void values_of_the_chip(void **state) {
  (void)state;
  struct weir_chip_config *own = weir_chip_copy(chip);
  struct weir_sink sink = {0};
  struct weir_scheme *s = weir_scheme_read("lru,l1.size_kib=32,core.scheduler=lrr", own, &sink);
  assert_clean(&sink);
  assert_int_equal(own->caches[0].size_kib, 32);
  assert_int_equal(own->core.scheduler, WEIR_SCHEDULE_LRR);
  assert_int_equal(chip->caches[0].size_kib, 16);
  weir_scheme_free(s);
  weir_chip_config_free(own);
}

// Said last, it wins over the scheme; and its knobs can be set.
static void replacement_of_one_cache(void **state) {
  (void)state;
  struct weir_chip_config *own = weir_chip_copy(chip);
  struct weir_sink sink = {0};
  struct weir_scheme *s = weir_scheme_read("lru,l2.replace=bip,period=8", own, &sink);
  assert_clean(&sink);
  assert_replace(s, 0, "lru");
  assert_replace(s, 1, "bip");
  assert_true(knob_of(&weir_scheme_level(s, 1)->replace, "period") == 8);
  weir_scheme_free(s);
  weir_chip_config_free(own);
}

static void assert_bypass(const char *spec, const char *l1, const char *l2) {
  struct weir_scheme *s = resolve(spec);
  const char *names[] = {l1, l2};
  for (unsigned level = 0; level < 2; level++)
    if (names[level])
      only_bypass(s, level, names[level]);
    else
      assert_int_equal(weir_scheme_level(s, level)->companion_count, 0);
  weir_scheme_free(s);
}

// Likewise; by the words for caches too. It takes the place of the scheme's own bypass policies, not of throttles.
static void bypass_of_one_cache(void **state) {
  (void)state;
  assert_bypass("lru,l1.bypass=pcbp", "pcbp", NULL);
  assert_bypass("lru,l2.bypass=mat", NULL, "mat");
  assert_bypass("lru,first.bypass=always,shared.bypass=random", "always", "random");
  assert_bypass("lru,all.bypass=random,l2.bypass=always", "random", "always");
  assert_bypass("pcbp,l1.bypass=counter", "counter", "pcbp-verify");
  assert_bypass("lru,l1.bypass=counter,l1.bypass=pcbp", "pcbp", NULL); // the last one counts, as of any key
  struct weir_scheme *s = resolve("swl,l1.bypass=random");
  assert_int_equal(weir_scheme_level(s, 0)->companion_count, 2);
  assert_string_equal(weir_scheme_level(s, 0)->companions[0].policy->name, "swl");
  assert_string_equal(weir_scheme_level(s, 0)->companions[1].policy->name, "random");
  weir_scheme_free(s);
}

// Knobs are those of the policies that the whole spec leaves; one that is there already keeps its own. "off" is no policy
// but a value of counter's knob `bypass`.
static void knobs_of_a_bypass(void **state) {
  (void)state;
  struct weir_scheme *s = resolve("lru,threshold=9,l1.bypass=pcbp");
  assert_true(knob_of(only_bypass(s, 0, "pcbp"), "threshold") == 9);
  weir_scheme_free(s);
  s = resolve("bypass-random,probability=0.25,l1.bypass=random");
  assert_true(knob_of(only_bypass(s, 0, "random"), "probability") == 0.25);
  weir_scheme_free(s);
  s = resolve("counter,l1.bypass=off");
  assert_true(knob_of(only_bypass(s, 0, "counter"), "bypass") == 0);
  weir_scheme_free(s);
  s = resolve("lru,l1.bypass=counter,l1.bypass=off");
  assert_true(knob_of(only_bypass(s, 0, "counter"), "bypass") == 0);
  weir_scheme_free(s);
  s = resolve("counter,counter.bypass=off");
  assert_true(knob_of(only_bypass(s, 0, "counter"), "bypass") == 0);
  weir_scheme_free(s);
}

static void wrong_specs(void **state) {
  (void)state;
  assert_refused("pcpb", 0, "there is no scheme 'pcpb'; did you mean 'pcbp'?");
  assert_refused("", 0, "there is no scheme ''");
  assert_refused("pcbp,treshold=3", 0, "did you mean 'threshold'?");
  assert_refused("sdbp,per_part=true", 0, "'per_part' is no knob any more: scope=part says what per_part=true said");
  assert_refused("mat,shared.mat.per_part=off", 0, "'shared.mat.per_part' is no knob any more: scope=part says");
  assert_refused("pcbp,l1.size_kb=3", 0, "did you mean 'l1.size_kib'?");
  assert_refused("pcbp,l2.threshold=3", 0, "'l2.threshold' is neither a knob");
  assert_refused("pcbp,threshold=999", 0, "scheme pcbp: knob 'threshold' of policy 'pcbp' must be");
  assert_refused("pcbp,threshold=", 0, "knob 'threshold'");
  assert_refused("pcbp,l1.size_kib=0", 0, "scheme pcbp: l1.size_kib must be an integer");
  assert_refused("lru,l1.replace=none", 0, "l1.replace names no replacement policy: 'none'");
  assert_refused("lru,l1.replace=lur", 0, "l1.replace names no replacement policy: 'lur'; did you mean 'lru'?");
  assert_refused("lru,l1.bypass=pcpb", 0, "scheme lru: l1.bypass names no bypass policy: 'pcpb'; did you mean 'pcbp'?");
  assert_refused("lru,l1.bypass=lru", 0, "l1.bypass names no bypass policy: 'lru'"); // which is a replacement policy
  assert_refused("lru,l1.bypass=", 0, "l1.bypass names no bypass policy: ''");
  assert_refused("lru,l1.bypass=best:pcbp|counte", 0, "names no bypass policy: 'counte'; did you mean 'counter'?");
  assert_refused("lru,l3.bypass=pcbp", 0, "l3.bypass: chip 'fermi-gtx480' has no cache 'l3'; did you mean 'l1'?");
  assert_refused("lru,fist.bypass=pcbp", 0, "chip 'fermi-gtx480' has no cache 'fist'; did you mean 'first'?");
  assert_refused("counter,l1.bypass=of", 0, "l1.bypass names no bypass policy: 'of'");
  assert_refused("pcbp,threshold", 0, "'threshold' is not of the form key=value");
  assert_refused("pcbp,", 0, "'' is not of the form key=value");
  assert_refused("pcbp,=3", 0, "'=3' is not of the form key=value");
}

// ---- files -----------------------------------------------------------------------------------------------------------

#define HEAD "name: mine\nsummary: a test\ncitation: none\n" // three lines

static const char *scheme_of(const char *rest) {
  char text[2000];
  snprintf(text, sizeof text, HEAD "%s", rest);
  return write_yaml(text);
}

static void a_file_of_ones_own(void **state) {
  (void)state;
  struct weir_chip_config *own = weir_chip_copy(chip);
  struct weir_sink sink = {0};
  const char *path = scheme_of("policies:\n  - cache: l2\n    replace: drrip\n    knobs: {period: 4}\n"
                               "  - {cache: first, bypass: [counter, pcbp], knobs: {threshold: 2}}\n"
                               "set: [l1.mshrs=7]\n");
  struct weir_scheme *s = weir_scheme_read(path, own, &sink);
  assert_clean(&sink);
  assert_string_equal(weir_scheme_name(s), "mine");
  assert_replace(s, 0, "lru");
  assert_replace(s, 1, "drrip");
  assert_true(knob_of(&weir_scheme_level(s, 1)->replace, "period") == 4);
  const struct weir_level_policies *l1 = weir_scheme_level(s, 0);
  assert_int_equal(l1->companion_count, 2);
  assert_true(knob_of(&l1->companions[1], "threshold") == 2);
  assert_int_equal(own->caches[0].mshrs, 7);
  weir_scheme_free(s);
  weir_chip_config_free(own);
}

static void ambiguous_knob(void **state) {
  (void)state;
  const char *path = scheme_of("policies:\n  - {cache: first, bypass: [counter, pcbp]}\n");
  char spec[200];
  snprintf(spec, sizeof spec, "%s,stores_are_reuse=true", path);
  assert_refused(spec, 0, "may mean counter.stores_are_reuse or pcbp.stores_are_reuse");
  snprintf(spec, sizeof spec, "%s,counter.stores_are_reuse=true,pcbp.stores_are_reuse=false", path);
  struct weir_scheme *s = resolve(spec);
  assert_true(knob_of(&weir_scheme_level(s, 0)->companions[0], "stores_are_reuse") == 1);
  assert_true(knob_of(&weir_scheme_level(s, 0)->companions[1], "stores_are_reuse") == 0);
  weir_scheme_free(s);
}

static void wrong_files(void **state) {
  (void)state;
  const struct {
    const char *rest;
    unsigned line;
    const char *says;
  } files[] = {
    {"", 1, "a scheme lacks the key 'policies'"},
    {"policies: []\npolicy: x\n", 5, "a scheme has no key 'policy'"},
    {"policies: lru\n", 4, "policies must be a list"},
    {"policies: [lru]\n", 4, "a cache's policies must be a mapping"},
    {"policies:\n  - replace: lru\n", 5, "lacks the key 'cache'"},
    {"policies:\n  - cache: l3\n    replace: lru\n", 5, "chip 'fermi-gtx480' has no cache 'l3'"},
    {"policies:\n  - cache: all\n    replace: lur\n", 6, "no replacement policy 'lur'"},
    {"policies:\n  - cache: all\n    replace: [lru]\n", 6, "a policy must be a scalar"},
    {"policies:\n  - cache: all\n    bypass: pcbp\n", 6, "bypass must be a list"},
    {"policies:\n  - cache: all\n    bypass:\n      - pcpb\n", 7, "no bypass policy 'pcpb'; did you mean 'pcbp'?"},
    {"policies:\n  - cache: all\n    bypass: [lru]\n", 6, "no bypass policy 'lru'"},
    {"policies:\n  - cache: all\n    bypass: [random, random, random, random, random, random, random]\n", 5,
     "at most 6 bypass and throttle"},
    {"policies:\n  - cache: all\n    throttle: [swl]\n", 6, "it belongs to the cache 'first'"},
    {"policies:\n  - cache: first\n    throttle: [lru]\n", 6, "no throttle policy 'lru'"},
    {"policies:\n  - cache: all\n    replace: bip\n    knobs: {perod: 3}\n", 7, "none of its policies has a knob"},
    {"policies:\n  - cache: l2\n    bypass: [mat]\n    knobs: {per_part: true}\n", 7,
     "none of its policies has a knob 'per_part' any more: scope=part says what per_part=true said"},
    {"policies:\n  - cache: all\n    replace: bip\n    knobs:\n      period: 0\n", 8, "knob 'period' of policy 'bip'"},
    {"policies:\n  - cache: all\n    replace: bip\n    knobs: [period]\n", 7, "knobs must be a mapping"},
    {"policies: []\nset: [l1.wais=3]\n", 5, "did you mean 'l1.ways'?"},
    {"policies: []\nset: l1.ways=3\n", 5, "set must be a list"},
  };
  for (unsigned i = 0; i < sizeof files / sizeof *files; i++)
    assert_refused(scheme_of(files[i].rest), files[i].line, files[i].says);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(pcbp_is_the_papers),
    cmocka_unit_test(replacement_schemes_reach_every_cache),
    cmocka_unit_test(bundled_schemes_fit_bundled_chips),
    cmocka_unit_test(none_changes_nothing),
    cmocka_unit_test(knobs_by_every_name),
    cmocka_unit_test(one_knob_at_every_cache_or_at_one),
    cmocka_unit_test(values_of_the_chip),
    cmocka_unit_test(replacement_of_one_cache),
    cmocka_unit_test(bypass_of_one_cache),
    cmocka_unit_test(knobs_of_a_bypass),
    cmocka_unit_test(wrong_specs),
    cmocka_unit_test(a_file_of_ones_own),
    cmocka_unit_test(ambiguous_knob),
    cmocka_unit_test(wrong_files),
  };
  return cmocka_run_group_tests(tests, read_chip, free_chip);
}
