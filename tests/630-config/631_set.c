// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Overrides: every path that is listed can be set, to its bounds and no further, and nothing else can.
#include "chip_test.h"

enum { MAX_PATHS = 512 };

static struct {
  char *path[MAX_PATHS], *value[MAX_PATHS];
  unsigned count;
} listed;

static void take(void *context, const struct weir_chip_setting *s) {
  (void)context;
  assert_true(listed.count < MAX_PATHS);
  assert_true(*s->type && *s->help);
  listed.value[listed.count] = weir_text_copy(s->value);
  listed.path[listed.count++] = weir_text_copy(s->path);
}

static void forget_listed(void) {
  for (unsigned i = 0; i < listed.count; i++) weir_free(listed.path[i]), weir_free(listed.value[i]);
  listed.count = 0;
}

static void list_paths(const struct weir_chip_config *c) {
  forget_listed();
  weir_chip_settings(c, take, NULL);
}

static int forget_paths(void **state) {
  (void)state;
  forget_listed();
  return 0;
}

static struct weir_leaf leaf_at(struct weir_chip_config *c, const char *path) {
  struct weir_leaf leaf;
  assert_true(weir_param_find(&weir_chip_table, c, path, &leaf));
  return leaf;
}

static bool set(struct weir_chip_config *c, const char *path, const char *value, struct weir_sink *sink) {
  char assignment[200];
  snprintf(assignment, sizeof assignment, "%s=%s", path, value);
  return weir_chip_set(c, assignment, "--set", sink);
}

static void assert_taken(struct weir_chip_config *c, const char *path, const char *value) {
  struct weir_sink sink = {0};
  if (!set(c, path, value, &sink)) fail_msg("%s=%s: %s", path, value, sink.diags[0].message);
}

static void assert_refused(struct weir_chip_config *c, const char *path, const char *value) {
  struct weir_sink sink = {0};
  if (set(c, path, value, &sink)) fail_msg("%s=%s was taken", path, value);
  assert_says(&sink, 0, path);
}

static void check_number(struct weir_chip_config *c, const char *path, const struct weir_leaf *leaf) {
  const struct weir_param *p = leaf->param;
  bool integral = p->type == WEIR_PARAM_UINT;
  const double bounds[] = {integral ? (double)p->low : p->lowest, integral ? (double)p->high : p->highest};
  for (unsigned i = 0; i < 2; i++) {
    if (p->power_of_two && bounds[i] == 0) continue;
    char text[40];
    snprintf(text, sizeof text, "%.0f", bounds[i]);
    assert_taken(c, path, text);
    assert_true((integral ? *(uint32_t *)leaf->at : *(double *)leaf->at) == bounds[i]);
  }
  char beyond[40];
  snprintf(beyond, sizeof beyond, "%.0f", bounds[1] + 1);
  assert_refused(c, path, beyond);
  assert_refused(c, path, "many");
  assert_refused(c, path, "1 ");
  assert_refused(c, path, "");
  assert_true((integral ? *(uint32_t *)leaf->at : *(double *)leaf->at) == bounds[1]); // as it was
  if (p->power_of_two) assert_refused(c, path, "48");
}

static void check_bool(struct weir_chip_config *c, const char *path, const struct weir_leaf *leaf) {
  static const char *const words[] = {"false", "true", "off", "on", "no", "yes", "0", "1"};
  for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
    assert_taken(c, path, words[i]);
    assert_int_equal(*(bool *)leaf->at, i & 1);
  }
  assert_refused(c, path, "2");
}

static void check_enum(struct weir_chip_config *c, const char *path, const struct weir_leaf *leaf) {
  for (unsigned i = 0; leaf->param->choices[i]; i++) {
    assert_taken(c, path, leaf->param->choices[i]);
    assert_int_equal(*(unsigned *)leaf->at, i);
  }
  assert_refused(c, path, "0");
}

static void check_text(struct weir_chip_config *c, const char *path, const struct weir_leaf *leaf) {
  assert_taken(c, path, "some text");
  assert_string_equal(*(char **)leaf->at, "some text");
  assert_refused(c, path, "");
}

static void check_path(struct weir_chip_config *c, const char *path) {
  struct weir_leaf leaf = leaf_at(c, path);
  switch (leaf.param->type) {
  case WEIR_PARAM_UINT:
  case WEIR_PARAM_REAL: check_number(c, path, &leaf); break;
  case WEIR_PARAM_BOOL: check_bool(c, path, &leaf); break;
  case WEIR_PARAM_CHOICE: check_enum(c, path, &leaf); break;
  default: check_text(c, path, &leaf); break;
  }
}

static void every_path_can_be_set(void **state) {
  (void)state;
  const char *const chips[] = {"fermi-gtx480", "fermi-bucl", "gcn-apu"};
  for (unsigned i = 0; i < sizeof chips / sizeof *chips; i++) {
    struct weir_chip_config *c = read_good(chips[i]);
    list_paths(c);
    assert_true(listed.count > 100);
    for (unsigned p = 0; p < listed.count; p++) {
      for (unsigned q = 0; q < p; q++) assert_string_not_equal(listed.path[p], listed.path[q]);
      check_path(c, listed.path[p]);
    }
    weir_chip_config_free(c);
  }
}

static void paths_in_use(void **state) {
  (void)state;
  struct weir_chip_config *c = read_good("gcn-apu");
  assert_taken(c, "core.schedulers", "2");
  assert_int_equal(c->core.schedulers, 2);
  assert_taken(c, "core.latency.int_add.latency_cycles", "9");
  assert_int_equal(c->core.latency[WEIR_CLASS_INT_ADD].latency_cycles, 9);
  assert_int_equal(c->core.latency[WEIR_CLASS_F32_ABS].latency_cycles, 4);
  assert_taken(c, "core.latency.default.latency_cycles", "6"); // goes to all without a row
  assert_int_equal(c->core.latency[WEIR_CLASS_F32_ABS].latency_cycles, 6);
  assert_int_equal(c->core.latency[WEIR_CLASS_INT_ADD].latency_cycles, 9);
  assert_taken(c, "core.latency.f32_abs.interval_cycles", "2"); // now it has one
  assert_taken(c, "core.latency.default.latency_cycles", "7");
  assert_int_equal(c->core.latency[WEIR_CLASS_F32_ABS].latency_cycles, 6);
  assert_int_equal(c->core.latency[WEIR_CLASS_F32_NEG].latency_cycles, 7);
  assert_taken(c, "l3.ways", "32");
  assert_int_equal(c->caches[2].ways, 32);
  assert_taken(c, "clocks.core_mhz", "1.5e3");
  assert_true(c->clocks.core_mhz == 1500);
  assert_taken(c, "energy.l2.tag_pj", "0.25");
  assert_true(c->energy.levels[1].tag_pj == 0.25);
  assert_taken(c, "dram.cl", "13");
  assert_int_equal(c->dram.cl, 13);
  weir_chip_config_free(c);
}

// What a list shows is what --set and a chip file take: values of every type, and all of them put back where they were.
static void values_are_shown_as_they_are_written(void **state) {
  (void)state;
  struct weir_chip_config *c = read_good("gcn-apu");
  const char *const some[][2] = {{"core.warp_lanes", "32"},      {"clocks.core_mhz", "1066.5"},
                                 {"energy.l1.tag_pj", "0.25"},   {"core.scheduler", "lrr"},
                                 {"l1.replace", "fifo"},         {"energy.l2.parallel", "true"},
                                 {"energy.l1.parallel", "false"}};
  unsigned shown = 0;
  for (unsigned i = 0; i < sizeof some / sizeof *some; i++) assert_taken(c, some[i][0], some[i][1]);
  list_paths(c);
  for (unsigned p = 0; p < listed.count; p++) {
    assert_taken(c, listed.path[p], listed.value[p]);
    for (unsigned i = 0; i < sizeof some / sizeof *some; i++) {
      if (strcmp(some[i][0], listed.path[p])) continue;
      assert_string_equal(listed.value[p], some[i][1]);
      shown++;
    }
  }
  assert_int_equal(shown, sizeof some / sizeof *some);
  weir_chip_config_free(c);
}

static void unknown_paths(void **state) {
  (void)state;
  struct weir_chip_config *c = read_good("gcn-apu");
  const struct {
    const char *assignment, *says;
  } wrong[] = {
    {"l1.size_kb=32", "--set: chip 'gcn-apu' has no 'l1.size_kb'; did you mean 'l1.size_kib'?"},
    {"l4.ways=2", "did you mean 'l1.ways'?"},
    {"caches.l1.ways=2", "has no 'caches.l1.ways'"},
    {"core=2", "has no 'core'"},
    {"core.latency=2", "has no 'core.latency'"},
    {"name=mine", "has no 'name'"},
    {"l1.name=mine", "has no 'l1.name'"},
    {"nothing.of.the.kind=1", "`weir list chips gcn-apu` shows what it has"},
    {"l1.ways", "'l1.ways' is not of the form path=value"},
    {"=3", "is not of the form path=value"},
    {"", "is not of the form path=value"},
  };
  for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct weir_sink sink = {0};
    assert_false(weir_chip_set(c, wrong[i].assignment, "--set", &sink));
    assert_says(&sink, 0, wrong[i].says);
  }
  weir_chip_config_free(c);
}

// An override is blamed on the option that gave it, and on no line of the file.
static void overridden_values_have_no_line(void **state) {
  (void)state;
  struct weir_chip_config *c = read_good("gcn-apu");
  struct weir_sink sink = {0};
  assert_taken(c, "core.warp_lanes", "48");
  assert_false(weir_chip_validate(c, &sink));
  assert_non_null(strstr(sink.diags[0].message, "weir: error: --set: core.warp_lanes"));
  assert_says(&sink, 0, "core.warp_lanes");
  weir_chip_config_free(c);
}

static void copies_are_their_own(void **state) {
  (void)state;
  struct weir_chip_config *c = read_good("gcn-apu"), *copy = weir_chip_copy(c);
  assert_taken(copy, "l1.size_kib", "32");
  assert_taken(copy, "l1.replace", "lru");
  assert_taken(copy, "energy.l1.tag_pj", "9");
  assert_int_equal(c->caches[0].size_kib, 16);
  assert_string_equal(c->caches[0].replace, "plru");
  assert_true(c->energy.levels[0].tag_pj == 1.34096);
  weir_chip_config_free(c);
  assert_string_equal(copy->caches[0].name, "l1");
  assert_string_equal(weir_chip_name(copy), "gcn-apu");
  assert_int_equal(copy->caches[0].size_kib, 32);
  weir_chip_config_free(copy);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_path_can_be_set),
    cmocka_unit_test(paths_in_use),
    cmocka_unit_test(values_are_shown_as_they_are_written),
    cmocka_unit_test(unknown_paths),
    cmocka_unit_test(overridden_values_have_no_line),
    cmocka_unit_test(copies_are_their_own),
  };
  return cmocka_run_group_tests(tests, NULL, forget_paths);
}
