// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The front doors through which values come: chip files, knobs, S-L1's options, launch files, what a scheme says of launches.
// Each reads the same spellings as the same value, and says the same of what is wrong, at the line where it stands.
#include "chip_test.h"

#include "host/launch_file.h"

static struct weir_chip_config *chip;

static int load(void **state) {
  (void)state;
  chip = read_good("fermi-gtx480");
  return 0;
}

static int unload(void **state) {
  weir_chip_config_free(chip);
  return remove_yaml(state);
}

// ---- the doors -----------------------------------------------------------------------------------------------------------

// What a door read of one value; a file that it refuses leaves its sink with errors.
struct reading {
  double value;
  struct weir_sink sink;
};

#define SCHEME_HEAD "name: x\nsummary: s\ncitation: c\n"

static struct weir_scheme *read_scheme(const char *rest, struct weir_chip_config *own, struct reading *r) {
  char *text = weir_text_format(SCHEME_HEAD "%s", rest);
  struct weir_scheme *s = weir_scheme_read(write_yaml(text), own, &r->sink);
  weir_free(text);
  return s;
}

// "KEY: VALUE" at line 6 of a chip file that builds on another.
static void through_chip(struct reading *r, const char *lines) {
  char *text = weir_text_format("name: mine\nbase: fermi-gtx480\n\n\ncore:\n%s", lines);
  struct weir_chip_config *c = weir_chip_read(write_yaml(text), &r->sink);
  if (c) r->value = strstr(lines, "unit_conflicts") ? c->core.unit_conflicts : c->core.thread_registers;
  if (c && strstr(lines, "ready_warps")) r->value = c->core.ready_warps;
  weir_chip_config_free(c);
  weir_free(text);
}

static void through_knobs(struct reading *r, const char *lines) {
  struct weir_chip_config *own = weir_chip_copy(chip);
  char *text = weir_text_format("policies:\n- {cache: first, bypass: [pcbp], knobs: {\n%s }}", lines);
  struct weir_scheme *s = read_scheme(text, own, r);
  if (s) {
    const struct weir_policy_choice *choice = &weir_scheme_level(s, 0)->companions[0];
    for (unsigned i = 0; choice->policy->knobs[i].name; i++)
      if (strstr(lines, choice->policy->knobs[i].name)) r->value = choice->knobs[i];
  }
  weir_scheme_free(s);
  weir_chip_config_free(own);
  weir_free(text);
}

static struct weir_program_options through_program(struct reading *r, const char *section, const char *lines) {
  struct weir_chip_config *own = weir_chip_copy(chip);
  struct weir_program_options o = weir_program_defaults();
  char *text = weir_text_format("policies: []\nprogram: {%s: {\n%s }}", section, lines);
  struct weir_scheme *s = read_scheme(text, own, r);
  if (s) o = *weir_scheme_program(s);
  weir_scheme_free(s);
  weir_chip_config_free(own);
  weir_free(text);
  return o;
}

static void through_sl1(struct reading *r, const char *lines) {
  const struct weir_program_options o = through_program(r, "sl1", lines);
  r->value = strstr(lines, "remonitor") ? o.sl1_options.remonitor
    : strstr(lines, "alias")            ? o.sl1_options.alias
                                        : o.sl1_options.threshold;
}

static void through_scheme(struct reading *r, const char *lines) {
  r->value = through_program(r, "launch", lines).shape.block;
}

static void through_launch(struct reading *r, const char *lines) {
  char *text = weir_text_format(
    "module: m.ptx\nbuffers: {}\n\n\nlaunches: [{kernel: k, grid: [1], block: [1], args: [],\n%s }]", lines);
  struct weir_launch_file *f = weir_launch_file_parse("f.yaml", text, strlen(text), &r->sink);
  if (f) r->value = f->launches[0].registers;
  weir_launch_file_free(f);
  weir_free(text);
}

// Of the file itself, not of one of its launches.
static void through_launch_file(struct reading *r, const char *lines) {
  char *text = weir_text_format(
    "module: m.ptx\nbuffers: {}\nlaunches: [{kernel: k, grid: [1], block: [1], args: []}]\n\n\n%s", lines);
  struct weir_launch_file *f = weir_launch_file_parse("f.yaml", text, strlen(text), &r->sink);
  if (f) r->value = f->restrict_pointers;
  weir_launch_file_free(f);
  weir_free(text);
}

// A value of each type at each door that has one; all stand at line 6.
static const struct door {
  void (*read)(struct reading *r, const char *lines);
  const char *integer, *least, *most, *unit; // its name and range
  const char *boolean, *choice, *words;      // NULL: it has none; the choice's words, of which the second is read
  bool flow;                                 // a comma stands between two
} doors[] = {
  {through_chip, "thread_registers", "1", "65535", "", "unit_conflicts", "ready_warps", "hazard_free, issuable", false},
  {through_knobs, "counter_bits", "1", "8", " bits", "dueling", "hash", "fold, modulo", true},
  {through_sl1, "threshold", "1", "1000000000", "", "remonitor", "alias", "auto, search", true},
  {through_scheme, "threads", "1", "1024", "", NULL, NULL, NULL, true},
  {through_launch, "registers", "1", "65535", "", NULL, NULL, NULL, true},
  {through_launch_file, NULL, NULL, NULL, NULL, "restrict", NULL, NULL, false},
};
enum { DOORS = sizeof doors / sizeof *doors };

static struct reading pass(const struct door *d, const char *name, const char *value) {
  struct reading r = {.value = -1};
  char *line = weir_text_format("%s%s: %s", d->read == through_launch_file ? "" : "  ", name, value);
  d->read(&r, line);
  weir_free(line);
  return r;
}

static void assert_reads(const struct door *d, const char *name, const char *value, double expected) {
  struct reading r = pass(d, name, value);
  if (r.sink.count) fail_msg("%s: %s: %s", name, value, r.sink.diags[0].message);
  if (!(r.value == expected)) fail_msg("%s: %s is read as %g", name, value, r.value);
}

// All that is said, about line 6 (or `line`), with this in it.
static void assert_refuses(const struct door *d, const char *lines, unsigned line, const char *says) {
  struct reading r = {0};
  d->read(&r, lines);
  char place[24];
  snprintf(place, sizeof place, ".yaml:%u:", line);
  assert_true(r.sink.count > 0);
  if (!strstr(r.sink.diags[0].message, says) || !strstr(r.sink.diags[0].message, place))
    fail_msg("expected '%s' at line %u: %s", says, line, r.sink.diags[0].message);
  weir_sink_free(&r.sink);
}

// ---- right values --------------------------------------------------------------------------------------------------------

static void the_same_spellings_are_the_same_values(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double value;
  } integers[] = {{"7", 7}, {"0x7", 7}, {"7.0", 7}, {"0.7e1", 7}, {"\"7\"", 7}, {"+7", 7}},
    booleans[] = {{"true", 1}, {"false", 0}, {"on", 1},     {"off", 0},  {"yes", 1}, {"no", 0},
                  {"1", 1},    {"0", 0},     {"\"on\"", 1}, {"True", 1}, {"OFF", 0}};
  for (unsigned i = 0; i < DOORS; i++) {
    for (unsigned k = 0; doors[i].integer && k < sizeof integers / sizeof *integers; k++)
      assert_reads(&doors[i], doors[i].integer, integers[k].text, integers[k].value);
    for (unsigned k = 0; doors[i].boolean && k < sizeof booleans / sizeof *booleans; k++)
      assert_reads(&doors[i], doors[i].boolean, booleans[k].text, booleans[k].value);
    if (doors[i].choice) assert_reads(&doors[i], doors[i].choice, strchr(doors[i].words, ',') + 2, 1);
  }
}

// ---- options -------------------------------------------------------------------------------------------------------------

// "KEY=VALUE" as options have them; the value that is read.
static double through_set(const char *assignment, struct weir_sink *sink) {
  struct weir_chip_config *own = weir_chip_copy(chip);
  weir_chip_set(own, assignment, "--set", sink);
  const double value = own->core.thread_registers;
  weir_chip_config_free(own);
  return value;
}

static double through_sl1_option(const char *assignment, struct weir_sink *sink) {
  struct weir_sl1_options o = weir_sl1_defaults();
  weir_param_set_list(&weir_sl1_table, &o, assignment, weir_option_place("--sl1"), sink);
  return o.threshold;
}

static double through_spec(const char *assignment, struct weir_sink *sink) {
  struct weir_chip_config *own = weir_chip_copy(chip);
  char *spec = weir_text_format("pcbp,%s", assignment);
  struct weir_scheme *s = weir_scheme_read(spec, own, sink);
  double value = -1;
  if (s)
    value = *assignment == 'l' ? weir_scheme_program(s)->shape.block
                               : weir_scheme_level(s, 0)->companions[0].knobs[1]; // counter_bits
  weir_scheme_free(s);
  weir_chip_config_free(own);
  weir_free(spec);
  return value;
}

static const struct option {
  double (*read)(const char *assignment, struct weir_sink *sink);
  const char *name, *short_name, *says; // of what is out of range
} options[] = {
  {through_set, "core.thread_registers", "core.thread_register",
   "--set: core.thread_registers must be an integer from 1"},
  {through_sl1_option, "threshold", "treshold", "--sl1: option 'threshold' of S-L1 must be an integer from 1"},
  {through_spec, "counter_bits", "counter_bit", "scheme pcbp: knob 'counter_bits' of policy 'pcbp' must be an integer"},
  {through_spec, "launch.threads", "launch.thread", "scheme pcbp: launch.threads must be an integer from 1 to 1024"},
};

static double pass_option(const struct option *o, const char *name, const char *value, struct weir_sink *sink) {
  char text[100];
  snprintf(text, sizeof text, "%s=%s", name, value);
  return o->read(text, sink);
}

static void options_take_the_same(void **state) {
  (void)state;
  static const char *const spellings[] = {"7", "0x7", "7.0", "0.7e1", "+7"},
                           *const wrong[] = {"0", "-1", "7.5", "many"};
  for (const struct option *o = options; o < options + sizeof options / sizeof *options; o++) {
    struct weir_sink sink = {0};
    for (unsigned k = 0; k < sizeof spellings / sizeof *spellings; k++)
      assert_true(pass_option(o, o->name, spellings[k], &sink) == 7);
    assert_clean(&sink);
    for (unsigned k = 0; k < sizeof wrong / sizeof *wrong; k++) {
      sink = (struct weir_sink){0};
      pass_option(o, o->name, wrong[k], &sink);
      assert_says(&sink, 0, o->says);
    }
    char meant[100];
    snprintf(meant, sizeof meant, "did you mean '%s'?", o->name);
    sink = (struct weir_sink){0};
    pass_option(o, o->short_name, "7", &sink);
    assert_says(&sink, 0, meant);
  }
}

// ---- wrong values --------------------------------------------------------------------------------------------------------

static void an_unknown_name_gets_a_suggestion(void **state) {
  (void)state;
  for (unsigned i = 0; i < DOORS; i++) {
    const struct door *d = &doors[i];
    const char *name = d->integer ? d->integer : d->boolean;
    char lines[100], says[100];
    snprintf(lines, sizeof lines, "%s%.*s: 1", d->flow || d->integer ? "  " : "", (int)strlen(name) - 1, name);
    snprintf(says, sizeof says, "%s'?", name);
    assert_refuses(d, lines, 6, says);
  }
}

static void what_is_out_of_range_gets_range_and_unit(void **state) {
  (void)state;
  static const char *const wrong[] = {"0", "99999999999", "-1", "7.5", "many", "\"many\"", "7 7", "0x", "[7]"};
  for (unsigned i = 0; i < DOORS; i++)
    for (unsigned k = 0; doors[i].integer && k < sizeof wrong / sizeof *wrong; k++) {
      const struct door *d = &doors[i];
      char lines[100], says[200];
      snprintf(lines, sizeof lines, "  %s: %s", d->integer, wrong[k]);
      snprintf(says, sizeof says, " must be an integer from %s to %s%s, not '", d->least, d->most, d->unit);
      assert_refuses(d, lines, 6, *wrong[k] == '[' ? " must be a scalar, not a list" : says);
    }
}

static void wrong_words_get_the_right_ones(void **state) {
  (void)state;
  for (unsigned i = 0; i < DOORS; i++) {
    const struct door *d = &doors[i];
    char lines[100], says[200];
    snprintf(lines, sizeof lines, "%s%s: maybe", d->integer ? "  " : "", d->boolean ? d->boolean : "");
    if (d->boolean) assert_refuses(d, lines, 6, " must be true or false, not 'maybe'");
    snprintf(lines, sizeof lines, "  %s: maybe", d->choice ? d->choice : "");
    snprintf(says, sizeof says, " must be one of %s", d->choice ? d->words : "");
    if (d->choice) assert_refuses(d, lines, 6, says);
  }
}

static void what_is_given_twice_is_refused(void **state) {
  (void)state;
  for (unsigned i = 0; i < DOORS; i++) {
    const struct door *d = &doors[i];
    const char *name = d->integer ? d->integer : d->boolean, *indent = d->integer ? "  " : "";
    char lines[200], says[100];
    snprintf(lines, sizeof lines, "%s%s: 1%s\n%s%s: 1", indent, name, d->flow ? "," : "", indent, name);
    snprintf(says, sizeof says, "the key '%s' is given twice", name);
    assert_refuses(d, lines, 7, says);
  }
}

// What single values cannot say is found later, and blamed on the line or option that gave the value: 24 KiB of 4 ways of 128
// bytes are 48 sets.
static void what_does_not_fit_is_blamed_on_who_gave_it(void **state) {
  (void)state;
  struct reading r = {0};
  struct weir_chip_config *own = weir_chip_copy(chip);
  struct weir_scheme *s = read_scheme("policies: []\nset:\n- l1.ways=4\n- l1.size_kib=24\n", own, &r);
  assert_clean(&r.sink);
  assert_false(weir_chip_validate(own, &r.sink));
  assert_says(&r.sink, 7, "l1.size_kib (24) must be a power of two of sets");
  weir_scheme_free(s);
  r.sink = (struct weir_sink){0};
  assert_true(weir_chip_set(own, "l1.size_kib=40", "WEIR_SET", &r.sink));
  assert_false(weir_chip_validate(own, &r.sink));
  assert_says(&r.sink, 0, "weir: error: WEIR_SET: l1.size_kib (40) must be");
  weir_chip_config_free(own);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_same_spellings_are_the_same_values),
    cmocka_unit_test(an_unknown_name_gets_a_suggestion),
    cmocka_unit_test(what_is_out_of_range_gets_range_and_unit),
    cmocka_unit_test(wrong_words_get_the_right_ones),
    cmocka_unit_test(what_is_given_twice_is_refused),
    cmocka_unit_test(options_take_the_same),
    cmocka_unit_test(what_does_not_fit_is_blamed_on_who_gave_it),
  };
  return cmocka_run_group_tests(tests, load, unload);
}
