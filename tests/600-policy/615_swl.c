// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Static warp limiting: which warps are among the n oldest, as they start, wait and end.
#include "core_rig.h"

// A history: "+5" warp 5 starts, "-5" it ends, "w5" it waits, "g5" it goes on, "i5" it issues. After each step those may
// load whose slots `may` names.
struct step {
  const char *what, *may;
};

static void take(struct throttle_rig *rig, const char *what) {
  uint32_t warp = (uint32_t)strtoul(what + 1, NULL, 10);
  switch (what[0]) {
  case '+': weir_conform_core_start(&rig->core, &rig->i, warp); break;
  case '-': weir_conform_core_end(&rig->core, &rig->i, warp); break;
  case 'w': rig->core.view.waiting |= UINT64_C(1) << warp; break;
  case 'g': rig->core.view.waiting &= ~(UINT64_C(1) << warp); break;
  default: weir_conform_core_issue(&rig->core, &rig->i, warp, 0);
  }
}

static void follow(const char *knobs, const struct step *steps) {
  struct throttle_rig *rig = throttle_rig_new("swl", knobs, 2);
  bool loads = strstr(knobs, "restrict=loads") != NULL;
  for (; steps->what; steps++) {
    take(rig, steps->what);
    struct weir_allowance a = throttle_rig_ask(rig, 7);
    if (a.loads != warps_in(steps->may))
      fail_msg("%s: after %s, %#jx may load, not %s", knobs, steps->what, (uintmax_t)a.loads, steps->may);
    assert_int_equal(a.issue, loads ? rig->core.view.resident : a.loads);
    assert_true(a.until == WEIR_NEVER);
  }
  throttle_rig_free(rig);
}

// Two of them. Who waits stays in the list and takes no place in it.
static const struct step
  two
    [] =
      {
        {"+5", "5"},       {"+2", "5 2"},   {"+7", "5 2"},   // by age, not by slot
        {"+0", "5 2"},     {"+3", "5 2"},   {"w5", "5 2 7"}, // 2 and 7 take the places
        {"w2", "5 2 7 0"},                                   // 7 and 0
        {"g5", "5 2 7"},                                     // 5 and 7
        {"-5", "2 7 0"},   {"+1", "2 7 0"},                  // a new warp is the youngest
        {"g2", "2 7"},     {"-7", "2 0"},   {"-0", "2 3"},   {"-3", "2 1"},
        {"+5", "2 1"},     {"w1", "2 1 5"}, // slot 5 again, now the youngest
        {"w2", "2 1 5"},   {"w5", "2 1 5"}, // all wait
        {"g1", "2 1 5"},   {"g5", "2 1 5"}, {"g2", "2 1"},   {"-2", "1 5"},
        {"-1", "5"},       {"-5", ""},      {NULL, NULL},
};

static void lists_the_oldest(void **state) {
  (void)state;
  follow("warps=2", two);
  follow("warps=2,restrict=loads", two);
  follow("warps=2,scope=core", two);
}

// One of each scheduler: 5, 7, 3 belong to scheduler 1, 2 and 0 to scheduler 0.
static void lists_per_scheduler(void **state) {
  (void)state;
  follow("warps=1,scope=scheduler",
         (const struct step[]){{"+5", "5"},
                               {"+2", "5 2"},
                               {"+7", "5 2"},
                               {"+0", "5 2"},
                               {"+3", "5 2"},
                               {"w5", "5 2 7"},
                               {"-2", "5 7 0"},
                               {"w0", "5 7 0"},
                               {"-7", "5 0 3"},
                               {"g5", "5 0"},
                               {"-5", "0 3"},
                               {NULL, NULL}});
}

// The warp that issued last goes on as one more, until another issues.
static void greedy_is_one_more(void **state) {
  (void)state;
  follow("warps=1,greedy=true",
         (const struct step[]){{"+4", "4"},
                               {"+6", "4"},
                               {"+1", "4"},
                               {"w4", "4 6"},
                               {"i6", "4 6"},
                               {"g4", "4 6"}, // 6 is no longer among the oldest
                               {"i4", "4"},   // and not the last any more
                               {"w4", "4 6"},
                               {"i6", "4 6"},
                               {"-6", "4 1"},
                               {"+6", "4 1"},
                               {"g4", "4"}, // another warp in slot 6 has issued nothing
                               {NULL, NULL}});
  follow("warps=1,greedy=true,scope=scheduler", // 4 and 6 of one scheduler, 1 and 3 of the other
         (const struct step[]){{"+4", "4"},
                               {"+6", "4"},
                               {"+1", "4 1"},
                               {"+3", "4 1"},
                               {"w4", "4 6 1"},
                               {"w1", "4 6 1 3"},
                               {"i6", "4 6 1 3"},
                               {"i3", "4 6 1 3"},
                               {"g4", "4 6 1 3"},
                               {"g1", "4 6 1 3"},
                               {"i4", "4 1 3"},
                               {"i1", "4 1"},
                               {NULL, NULL}});
}

static void without_limit_all_go(void **state) {
  (void)state;
  struct throttle_rig *rig = throttle_rig_new("swl", NULL, 2);
  for (uint32_t w = 0; w < 48; w++) {
    weir_conform_core_start(&rig->core, &rig->i, 47 - w);
    struct weir_allowance a = throttle_rig_ask(rig, w);
    assert_int_equal(a.issue, rig->core.view.resident);
    assert_int_equal(a.loads, rig->core.view.resident);
  }
  throttle_rig_free(rig);
}

// What bounds a warp's time in the back row: it goes if and only if fewer than n older warps can go. `age` is kept here,
// apart from the order that the policy is shown.
static void is_held_back_by_older_warps_alone(void **state) {
  (void)state;
  struct throttle_rig *rig = throttle_rig_new("swl", "warps=5", 2);
  struct weir_rng rng = weir_rng_seed(3, 3);
  uint64_t age[48] = {0}, next = 1; // 0: not there
  for (unsigned step = 0; step < 20000; step++) {
    uint32_t w = (uint32_t)weir_rng_below(&rng, 48);
    uint64_t bit = UINT64_C(1) << w;
    if (!age[w]) {
      age[w] = next++;
      weir_conform_core_start(&rig->core, &rig->i, w);
    } else if (weir_rng_below(&rng, 2)) {
      rig->core.view.waiting ^= bit;
    } else {
      age[w] = 0;
      weir_conform_core_end(&rig->core, &rig->i, w);
    }
    uint64_t may = throttle_rig_ask(rig, step).issue, waiting = rig->core.view.waiting;
    for (w = 0; w < 48; w++) {
      unsigned older = 0;
      for (uint32_t v = 0; v < 48; v++) older += age[v] && age[v] < age[w] && !(waiting >> v & 1);
      if (age[w] && !(waiting >> w & 1)) assert_int_equal(may >> w & 1, older < 5);
    }
  }
  throttle_rig_free(rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(lists_the_oldest),
    cmocka_unit_test(lists_per_scheduler),
    cmocka_unit_test(greedy_is_one_more),
    cmocka_unit_test(without_limit_all_go),
    cmocka_unit_test(is_held_back_by_older_warps_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
