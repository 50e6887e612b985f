// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Finding a policy, setting its knobs, and what a descriptor can have wrong.
#include "rig.h"

static void finds_by_kind_and_name(void **state) {
  (void)state;
  static const char *const replace[] = {"lru", "plru", "fifo",  "random", "lip",
                                        "bip", "dip",  "srrip", "brrip",  "drrip"};
  static const char *const bypass[] = {"pcbp", "pcbp-verify", "counter", "random", "always"};
  for (unsigned i = 0; i < sizeof replace / sizeof *replace; i++)
    assert_string_equal(weir_policy_find(WEIR_POLICY_REPLACE, replace[i])->name, replace[i]);
  for (unsigned i = 0; i < sizeof bypass / sizeof *bypass; i++)
    assert_int_equal(weir_policy_find(WEIR_POLICY_BYPASS, bypass[i])->kind, WEIR_POLICY_BYPASS);
  assert_null(weir_policy_find(WEIR_POLICY_BYPASS, "lru"));
  assert_null(weir_policy_find(WEIR_POLICY_REPLACE, "pcbp"));
  assert_null(weir_policy_find(WEIR_POLICY_REPLACE, "LRU"));
}

static void names_are_unique(void **state) {
  (void)state;
  unsigned count;
  const struct weir_policy *const *policies = weir_policies(&count);
  for (unsigned i = 0; i < count; i++)
    for (unsigned j = 0; j < i; j++)
      assert_true(policies[i]->kind != policies[j]->kind || strcmp(policies[i]->name, policies[j]->name));
}

// ---- knobs ---------------------------------------------------------------------------------------------------------------

static const char *const colours[] = {"red", "green", NULL};
static const struct weir_knob test_knobs[] = {
  {"size", WEIR_KNOB_INT, 16, 4, 64, NULL, true, "a power of two"},
  {"count", WEIR_KNOB_INT, -2, -5, 5, NULL, false, "an integer"},
  {"share", WEIR_KNOB_REAL, 0.25, 0, 1, NULL, false, "a number"},
  {"active", WEIR_KNOB_BOOL, 1, 0, 1, NULL, false, "yes or no"},
  {"colour", WEIR_KNOB_CHOICE, 1, 0, 1, colours, false, "a choice"},
  {0},
};

static uint64_t no_cost(const struct weir_geometry *g) {
  (void)g;
  return 0;
}

static uint32_t first(struct weir_cache_view *c, struct weir_access *a, uint64_t candidates) {
  (void)c, (void)a;
  return weir_lowest(candidates);
}

static bool never(struct weir_cache_view *c, struct weir_access *a) {
  (void)c, (void)a;
  return false;
}

static size_t some_bytes(const struct weir_geometry *g) {
  (void)g;
  return 8;
}

static const struct weir_policy test_policy = {
  .abi = WEIR_POLICY_ABI,
  .kind = WEIR_POLICY_REPLACE,
  .name = "test",
  .summary = "s",
  .citation = "c",
  .knobs = test_knobs,
  .cost_bits = no_cost,
  .victim = first,
};

static void defaults(void **state) {
  (void)state;
  struct weir_policy_choice choice;
  weir_policy_defaults(&choice, &test_policy);
  for (unsigned i = 0; i < 5; i++) assert_true(choice.knobs[i] == test_knobs[i].initial);
}

static void takes_valid_values(void **state) {
  (void)state;
  static const struct {
    const char *name, *text;
    unsigned index;
    double value;
  } cases[] = {
    {"size", "4", 0, 4},       {"size", "64", 0, 64},      {"count", "-5", 1, -5},    {"count", "+3", 1, 3},
    {"share", "0.5", 2, 0.5},  {"share", "1e-3", 2, 1e-3}, {"active", "false", 3, 0}, {"active", "on", 3, 1},
    {"active", "OFF", 3, 0},   {"active", "yes", 3, 1},    {"active", "0", 3, 0},     {"colour", "red", 4, 0},
    {"colour", "green", 4, 1},
  };
  char message[200];
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct weir_policy_choice choice;
    weir_policy_defaults(&choice, &test_policy);
    assert_null(weir_policy_set(&choice, cases[i].name, cases[i].text, message, sizeof message));
    assert_true(choice.knobs[cases[i].index] == cases[i].value);
  }
}

static void explains_invalid_values(void **state) {
  (void)state;
  static const struct {
    const char *name, *text, *message;
  } cases[] = {
    {"size", "12", "knob 'size' of policy 'test' must be a power of two from 4 to 64, not '12'"},
    {"size", "128", "knob 'size' of policy 'test' must be a power of two from 4 to 64, not '128'"},
    {"count", "6", "knob 'count' of policy 'test' must be an integer from -5 to 5, not '6'"},
    {"count", "1.5", "knob 'count' of policy 'test' must be an integer from -5 to 5, not '1.5'"},
    {"count", "3x", "knob 'count' of policy 'test' must be an integer from -5 to 5, not '3x'"},
    {"share", "1.01", "knob 'share' of policy 'test' must be a number from 0 to 1, not '1.01'"},
    {"share", "nan", "knob 'share' of policy 'test' must be a number from 0 to 1, not 'nan'"},
    {"share", "1e999", "knob 'share' of policy 'test' must be a number from 0 to 1, not '1e999'"},
    {"active", "2", "knob 'active' of policy 'test' must be true or false, not '2'"},
    {"colour", "blue", "knob 'colour' of policy 'test' must be one of red, green, not 'blue'"},
    {"color", "red", "policy 'test' has no knob 'color'; did you mean 'colour'?"},
    {"xyzzy", "1", "policy 'test' has no knob 'xyzzy'; it has size, count, share, active, colour"},
  };
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct weir_policy_choice choice, before;
    weir_policy_defaults(&choice, &test_policy);
    before = choice;
    char message[200];
    assert_ptr_equal(weir_policy_set(&choice, cases[i].name, cases[i].text, message, sizeof message), message);
    assert_string_equal(message, cases[i].message);
    assert_memory_equal(choice.knobs, before.knobs, sizeof choice.knobs);
  }
}

static void cuts_long_messages(void **state) {
  (void)state;
  struct weir_policy_choice choice;
  weir_policy_defaults(&choice, &test_policy);
  char message[16];
  memset(message, '#', sizeof message);
  assert_non_null(weir_policy_set(&choice, "xyzzy", "1", message, 12));
  assert_string_equal(message, "policy 'tes");
  assert_int_equal(message[12], '#');
}

// What "per_part" said until contract 5.
static void old_knobs(void **state) {
  (void)state;
  struct weir_policy_choice mat = rig_choose(WEIR_POLICY_BYPASS, "mat", NULL),
                            lip = rig_choose(WEIR_POLICY_BYPASS, "random", NULL);
  char message[300];
  assert_string_equal(
    weir_policy_set(&mat, "per_part", "on", message, sizeof message),
    "policy 'mat' has no knob 'per_part' any more: scope=part says what per_part=true said, scope=level "
    "what per_part=false said");
  assert_null(strstr(weir_policy_set(&lip, "per_part", "on", message, sizeof message), "any more")); // it never had it
}

// One scope or two of two parts; a core's own cache is one by itself.
static void scopes(void **state) {
  (void)state;
  for (unsigned level = 0; level < 2; level++) {
    struct weir_policy_choice choice = rig_choose(WEIR_POLICY_REPLACE, "drrip", level ? "scope=level" : NULL);
    struct weir_geometry g = {.sets = 64, .ways = 4, .line_bytes = 64, .instances = 2, .knobs = choice.knobs};
    struct weir_policy_instance part[2];
    for (uint32_t i = 0; i < 2; i++) {
      g.instance = i;
      weir_policy_start(&part[i], i ? &part[0] : NULL, &choice, &g, 1, i);
    }
    assert_int_equal(part[0].view.scope->count, 1 + level);
    assert_ptr_equal(part[0].view.scope->caches[0], &part[0].view);
    assert_ptr_equal(part[1].view.scope->caches[level], &part[1].view);
    assert_int_equal(part[0].view.scope == part[1].view.scope, level);
    assert_int_equal(part[0].view.scope->state == part[1].view.scope->state, level);
    // 64 sets of lines with an RRPV of 2 bits; a selector of 10 bits and a counter of 5, or half of them rounded up
    assert_int_equal(weir_policy_cost_bits(choice.policy, &g), 64 * 4 * 2 + (level ? 8 : 15));
    g.warps = 48;
    assert_int_equal(weir_policy_scope_caches(choice.policy, &g), 1);
    weir_policy_stop(&part[1]);
    weir_policy_stop(&part[0]);
  }
}

static void without_knobs(void **state) {
  (void)state;
  struct weir_policy_choice choice = rig_choose(WEIR_POLICY_REPLACE, "lru", NULL);
  char message[200];
  assert_string_equal(weir_policy_set(&choice, "depth", "1", message, sizeof message),
                      "policy 'lru' has no knobs, so none is called 'depth'");
}

// ---- flaws ---------------------------------------------------------------------------------------------------------------

static void check_flaw(struct weir_policy p, const char *part) {
  const char *flaw = weir_policy_flaw(&p);
  assert_non_null(flaw);
  if (!strstr(flaw, part)) fail_msg("'%s' does not speak of '%s'", flaw, part);
}

#define FLAWED(part, ...)                                                                                              \
  do {                                                                                                                 \
    struct weir_policy flawed = test_policy;                                                                           \
    flawed.__VA_ARGS__;                                                                                                \
    check_flaw(flawed, part);                                                                                          \
  } while (0)

static void finds_flaws(void **state) {
  (void)state;
  assert_null(weir_policy_flaw(&test_policy));
  assert_non_null(weir_policy_flaw(NULL));
  FLAWED("abi", abi = WEIR_POLICY_ABI + 1);
  FLAWED("kind", kind = (enum weir_policy_kind)7);
  FLAWED("name", name = NULL);
  FLAWED("name", name = "");
  FLAWED("name", name = "Upper");
  FLAWED("name", name = "with,comma");
  FLAWED("name", name = "9lives");
  FLAWED("name", name = "a-name-that-is-longer-than-thirty-one");
  FLAWED("summary", summary = NULL);
  FLAWED("citation", citation = "two\nlines");
  FLAWED("cost_bits", cost_bits = NULL);
  FLAWED("victim", victim = NULL);
  FLAWED("victim", kind = WEIR_POLICY_BYPASS);
  FLAWED("load", load = never);
  FLAWED("miss", miss = never);
  FLAWED("store_miss", store_miss = never);
  FLAWED("scope_bytes", scope_bytes = some_bytes); // without the knob
  FLAWED("scope_bytes", scope_bits = no_cost);
}

static const char *const wrong_scopes[] = {"part", "chip", NULL};

static void finds_flaws_in_scopes(void **state) {
  (void)state;
  static const struct weir_knob scope[] = {WEIR_SCOPE_KNOB(WEIR_SCOPE_LEVEL, "h"), {0}};
  static const struct weir_knob number[] = {{"scope", WEIR_KNOB_INT, 0, 0, 1, NULL, false, "h"}, {0}};
  static const struct weir_knob other[] = {{"scope", WEIR_KNOB_CHOICE, 0, 0, 1, wrong_scopes, false, "h"}, {0}};
  struct weir_policy p = test_policy;
  p.knobs = scope;
  check_flaw(p, "it does nothing");
  p.scope_bytes = some_bytes;
  assert_null(weir_policy_flaw(&p));
  p.scope_bits = no_cost;
  assert_null(weir_policy_flaw(&p));
  p.knobs = number;
  check_flaw(p, "WEIR_SCOPE_KNOB");
  p.knobs = other;
  check_flaw(p, "WEIR_SCOPE_KNOB");
}

static void check_knob_flaw(struct weir_knob knob, const char *part) {
  const struct weir_knob knobs[] = {test_knobs[0], knob, {0}};
  FLAWED(part, knobs = knobs);
}

static void finds_flaws_in_knobs(void **state) {
  (void)state;
  static const char *const bad_choices[] = {"fine", "not fine", NULL};
  check_knob_flaw((struct weir_knob){"b", WEIR_KNOB_INT, 9, 0, 5, NULL, false, "h"}, "initial");
  check_knob_flaw((struct weir_knob){"b", WEIR_KNOB_INT, 0.5, 0, 5, NULL, false, "h"}, "initial");
  check_knob_flaw((struct weir_knob){"b", WEIR_KNOB_INT, 3, 0, 5, NULL, true, "h"}, "initial");
  check_knob_flaw((struct weir_knob){"b", WEIR_KNOB_INT, 3, 5, 0, NULL, false, "h"}, "initial");
  check_knob_flaw((struct weir_knob){"b", WEIR_KNOB_INT, 3, 0, 5, NULL, false, NULL}, "help");
  check_knob_flaw((struct weir_knob){"B", WEIR_KNOB_INT, 3, 0, 5, NULL, false, "h"}, "name");
  check_knob_flaw((struct weir_knob){"size", WEIR_KNOB_INT, 3, 0, 5, NULL, false, "h"}, "same name");
  check_knob_flaw((struct weir_knob){"b", (enum weir_knob_type)9, 3, 0, 5, NULL, false, "h"}, "type");
  check_knob_flaw((struct weir_knob){"b", WEIR_KNOB_BOOL, 1, 0, 2, NULL, false, "h"}, "bool");
  check_knob_flaw((struct weir_knob){"b", WEIR_KNOB_REAL, 1, 0, 2, NULL, true, "h"}, "power of two");
  check_knob_flaw((struct weir_knob){"b", WEIR_KNOB_CHOICE, 0, 0, 1, NULL, false, "h"}, "choices");
  check_knob_flaw((struct weir_knob){"b", WEIR_KNOB_CHOICE, 0, 0, 2, colours, false, "h"}, "range");
  check_knob_flaw((struct weir_knob){"b", WEIR_KNOB_CHOICE, 0, 0, 1, bad_choices, false, "h"}, "choice's name");
  struct weir_knob many[WEIR_MAX_KNOBS + 2] = {0};
  static char names[WEIR_MAX_KNOBS + 1][4];
  for (unsigned i = 0; i <= WEIR_MAX_KNOBS; i++) {
    snprintf(names[i], sizeof names[i], "k%02u", i % 100);
    many[i] = (struct weir_knob){names[i], WEIR_KNOB_INT, 0, 0, 1, NULL, false, "h"};
  }
  FLAWED("WEIR_MAX_KNOBS", knobs = many);
  many[WEIR_MAX_KNOBS] = (struct weir_knob){0};
  struct weir_policy full = test_policy;
  full.knobs = many;
  assert_null(weir_policy_flaw(&full));
}

static void finds_flaws_in_counters(void **state) {
  (void)state;
  static const struct weir_policy_counter twice[] = {{"a", "u", "h", false}, {"a", "u", "h", false}, {0}};
  static const struct weir_policy_counter no_unit[] = {{"a", NULL, "h", false}, {0}};
  FLAWED("same name", counters = twice);
  FLAWED("unit", counters = no_unit);
}

// ---- the macro that calls a hook, for hooks that return a value and hooks that do not -------------------------------------

static void hit_counts(struct weir_cache_view *c, struct weir_access *a, uint32_t way, bool pending) {
  (void)a, (void)pending;
  c->counters[0] += way;
}

static void hooks_may_be_absent(void **state) {
  (void)state;
  struct weir_policy with = test_policy;
  with.hit = hit_counts;
  struct weir_policy_choice choice;
  struct weir_geometry g = {.sets = 2, .ways = 4, .line_bytes = 64};
  struct weir_policy_instance present, absent;
  weir_policy_defaults(&choice, &with);
  weir_policy_start(&present, NULL, &choice, &g, 0, 0);
  weir_policy_defaults(&choice, &test_policy);
  weir_policy_start(&absent, NULL, &choice, &g, 0, 0);
  struct weir_access a = {0};
  weir_hook(&present, hit, &a, 3, false);
  weir_hook(&absent, hit, &a, 3, false);
  assert_int_equal(present.counters[0], 3);
  assert_int_equal(absent.counters[0], 0);
  assert_false(weir_hook(&absent, load, &a));
  assert_int_equal(weir_hook(&absent, dead, &a, 15), 0);
  assert_int_equal(weir_hook(&absent, victim, &a, 12), 2);
  weir_policy_stop(&present);
  weir_policy_stop(&absent);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(finds_by_kind_and_name),
    cmocka_unit_test(names_are_unique),
    cmocka_unit_test(defaults),
    cmocka_unit_test(takes_valid_values),
    cmocka_unit_test(explains_invalid_values),
    cmocka_unit_test(cuts_long_messages),
    cmocka_unit_test(without_knobs),
    cmocka_unit_test(old_knobs),
    cmocka_unit_test(scopes),
    cmocka_unit_test(finds_flaws),
    cmocka_unit_test(finds_flaws_in_scopes),
    cmocka_unit_test(finds_flaws_in_knobs),
    cmocka_unit_test(finds_flaws_in_counters),
    cmocka_unit_test(hooks_may_be_absent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
