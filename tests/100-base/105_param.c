// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Tables of parameters: what each type takes from text and from YAML, how it is shown, what is said of what it does not take,
// and where values come from.
#include "base_test.h"

#include "base/alloc.h"
#include "base/param_rows.h"
#include "base/param_yaml.h"

#include <inttypes.h>
#include <math.h>

enum colour { RED, GREEN, BLUE };

struct box {
  char *name;
  uint16_t lid_bytes;
};

struct speed {
  uint32_t top, low;
};

struct thing {
  bool open;
  uint8_t small;
  uint32_t count, size, power;
  uint64_t large, many;
  int32_t offset;
  double share, clock_mhz;
  float single;
  enum colour colour;
  char *note;
  struct speed usual, fast, slow;
  struct box *boxes;
  uint32_t boxes_count;
  struct weir_place place; // of `count`
  double knob;
};
LIST_MEMBERS(thing, boxes, boxes_count);

static const char *const colours[] = {[RED] = "red", [GREEN] = "green", [BLUE] = "blue", NULL};
static const char *const sizes[] = {"8", "16", "24", NULL};
static const struct weir_param box_rows[] = {NAME(box, name, "its name"), UINT(box, lid_bytes, 1, 60000, "of the lid")};
static const struct weir_param_table box_table = TABLE_OF("a box", box, box_rows);
static const struct weir_param speed_rows[] = {UINT(speed, top, 0, 9, "at most", .unit = "m/s"),
                                               UINT(speed, low, 0, 9, "at least", .unit = "m/s")};
static const struct weir_param_table speed_table = TABLE_OF("a speed", speed, speed_rows);
static const struct weir_param thing_rows[] = {
  BOOL(thing, open, "whether", .initial = "true"),
  UINT(thing, small, 0, 255, "a byte", .initial = "7"),
  UINT(thing, count, 1, 64, "how many", .place = offsetof(struct thing, place), .initial = "3"),
  UINT(thing, size, 0, 0, "some sizes", .choices = sizes, .initial = "16"),
  POW2(thing, power, 2, 64, "a power", .initial = "4"),
  UINT(thing, large, 0, UINT64_MAX, "anything", .initial = "0"),
  UINT(thing, many, 0, INT64_MAX, "in thousands", .suffixes = true, .initial = "0"),
  {WEIR_ROW_AT(thing, offset, "offset", INT), .low = INT32_MIN, .high = INT32_MAX, .initial = "-1", .help = "signed"},
  REAL(thing, share, 0, 1, "a part", .initial = "0.5"),
  REAL(thing, clock_mhz, 1, 5000, "a clock", .initial = "700"),
  REAL(thing, single, -INFINITY, INFINITY, "any", .initial = "0"),
  CHOICE(thing, colour, colours, "of it", .initial = "green"),
  TEXT(thing, note, "free", .initial = "none"),
  SECTION(thing, usual, speed_table, .optional = true),
  SECTION(thing, fast, speed_table, .like = "usual"),
  SECTION(thing, slow, speed_table, .like = "usual"),
  LIST(thing, boxes, box_table, 0, 3, .optional = true),
  {.name = "knob",
   .type = WEIR_PARAM_INT,
   .bytes = sizeof(double),
   .as_real = true,
   .lowest = -5,
   .highest = 5,
   .offset = offsetof(struct thing, knob),
   .initial = "2",
   .help = "an integer in a double"},
};
static const struct weir_param_table thing_table = TABLE_OF("a thing", thing, thing_rows);

static bool free_text(void *context, const struct weir_leaf *leaf) {
  (void)context;
  if (leaf->param->type == WEIR_PARAM_TEXT || leaf->param->type == WEIR_PARAM_NAME) weir_free(*(char **)leaf->at);
  return true;
}

static void release(struct thing *t) {
  weir_param_leaves(&thing_table, t, free_text, NULL);
  weir_free(t->boxes);
}

static struct thing fresh(void) {
  struct thing t = {0};
  weir_param_defaults(&thing_table, &t);
  return t;
}

static void set(struct thing *t, const char *assignment) {
  struct weir_sink sink = {0};
  if (!weir_param_set(&thing_table, t, assignment, weir_option_place("test"), &sink))
    fail_msg("%s: %s", assignment, sink.diags[0].message);
}

// ---- values ------------------------------------------------------------------------------------------------------------

static void every_type_takes_its_values(void **state) {
  (void)state;
  struct thing t = fresh();
  assert_true(t.open && t.small == 7 && t.count == 3 && t.size == 16 && t.offset == -1 && t.knob == 2);
  set(&t, "small=255");
  assert_int_equal(t.small, 255);
  assert_int_equal(t.count, 3); // a byte is a byte
  set(&t, "count=0x10");
  assert_int_equal(t.count, 16);
  set(&t, "count=6e1");
  assert_int_equal(t.count, 60);
  set(&t, "size=24");
  assert_int_equal(t.size, 24);
  set(&t, "large=18446744073709551615");
  assert_true(t.large == UINT64_MAX);
  set(&t, "many=1200K");
  assert_true(t.many == 1200000);
  set(&t, "many=3G");
  assert_true(t.many == UINT64_C(3000000000));
  set(&t, "offset=-2147483648");
  assert_int_equal(t.offset, INT32_MIN);
  set(&t, "share=2.5e-1");
  assert_true(t.share == 0.25);
  set(&t, "single=0.1");
  assert_true(t.single == 0.1f);
  set(&t, "single=-.inf");
  assert_true(isinf(t.single) && t.single < 0);
  set(&t, "single=.nan");
  assert_true(isnan(t.single));
  set(&t, "colour=blue");
  assert_int_equal(t.colour, BLUE);
  set(&t, "note=a = b");
  assert_string_equal(t.note, "a = b");
  set(&t, "knob=-5");
  assert_true(t.knob == -5);
  release(&t);
}

static void one_dialect_of_booleans(void **state) {
  (void)state;
  static const char *const words[][2] = {{"open=false", "open=true"},
                                         {"open=off", "open=on"},
                                         {"open=no", "open=yes"},
                                         {"open=0", "open=1"},
                                         {"open=OFF", "open=True"}};
  struct thing t = fresh();
  for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
    for (unsigned k = 0; k < 2; k++) {
      char shown[20];
      set(&t, words[i][k]);
      assert_int_equal(t.open, k);
      weir_param_show(&thing_rows[0], &t.open, shown, sizeof shown);
      assert_string_equal(shown, k ? "true" : "false");
    }
  release(&t);
}

static void what_is_refused_is_explained(void **state) {
  (void)state;
  static const struct {
    const char *assignment, *says;
  } cases[] = {
    {"open=2", "open must be true or false, not '2'"},
    {"small=256", "small must be an integer from 0 to 255, not '256'"},
    {"count=0", "count must be an integer from 1 to 64, not '0'"},
    {"count=-1", "count must be an integer from 1 to 64, not '-1'"},
    {"count=1.5", "not '1.5'"},
    {"count=0x", "not '0x'"},
    {"count=3K", "not '3K'"},
    {"count=99999999999999999999999", "not '99999999999999999999999'"},
    {"count=", "not ''"},
    {"size=12", "size must be one of 8, 16, 24, not '12'"},
    {"power=6", "power must be a power of two from 2 to 64, not '6'"},
    {"large=18446744073709551616", "from 0 to 18446744073709551615"},
    {"many=10000000000G", "from 0 to 9223372036854775807"},
    {"offset=2147483648", "offset must be an integer from -2147483648 to 2147483647"},
    {"share=nan", "share must be a number from 0 to 1, not 'nan'"},
    {"share=1.01", "not '1.01'"},
    {"share=0x1p-1", "not '0x1p-1'"},
    {"clock_mhz=9999", "clock_mhz must be a number from 1 to 5000 MHz, not '9999'"},
    {"single=1e39", "single must be a number in single precision's range"},
    {"usual.top=10", "usual.top must be an integer from 0 to 9 m/s, not '10'"},
    {"colour=geen", "colour must be one of red, green, blue, not 'geen'; did you mean 'green'?"},
    {"knob=6", "knob must be an integer from -5 to 5, not '6'"},
    {"coutn=3", "a thing has no key 'coutn'; did you mean 'count'?"},
    {"usual=3", "a thing has no key 'usual'"},
    {"count", "'count' is not of the form key=value"},
    {"=3", "'=3' is not of the form key=value"},
  };
  struct thing t = fresh(), before;
  t.usual.top = 1; // it is there
  before = t;
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct weir_sink sink = {0};
    assert_false(weir_param_set(&thing_table, &t, cases[i].assignment, weir_option_place("--opt"), &sink));
    assert_int_equal(sink.errors, 1);
    assert_non_null(strstr(sink.diags[0].message, "weir: error: --opt: "));
    if (!strstr(sink.diags[0].message, cases[i].says)) fail_msg("%s", sink.diags[0].message);
    weir_sink_free(&sink);
  }
  assert_memory_equal(&t, &before, sizeof t); // nothing was stored
  release(&t);
}

static void a_list_of_assignments(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  struct thing t = fresh(), again = fresh();
  assert_true(weir_param_set_list(&thing_table, &t, "", weir_option_place("x"), &sink));
  assert_true(weir_param_set_list(&thing_table, &t, "count=5,open=no,colour=red", weir_option_place("x"), &sink));
  char *text = weir_param_changes(&thing_table, &t);
  assert_string_equal(text, "open=false,count=5,colour=red"); // in the table's order
  assert_true(weir_param_set_list(&thing_table, &again, text, weir_option_place("x"), &sink));
  assert_int_equal(again.count, 5);
  assert_false(again.open);
  assert_false(weir_param_set_list(&thing_table, &t, "count=0,,colour=pink", weir_option_place("x"), &sink));
  assert_int_equal(sink.errors, 3); // all of it
  weir_sink_free(&sink);
  weir_free(text);
  release(&t);
  release(&again);
}

// ---- YAML --------------------------------------------------------------------------------------------------------------

static bool read(struct thing *t, const char *text, bool inherits, struct weir_origins *origins,
                 struct weir_sink *sink) {
  struct weir_yaml y;
  if (!weir_yaml_load(&y, "t.yaml", text, strlen(text), sink)) return false;
  struct weir_param_reader r = {.yaml = &y, .origins = origins};
  const bool ok = weir_param_read(&r, yaml_document_get_root_node(&y.document), &thing_table, t, inherits);
  weir_yaml_free(&y);
  return ok;
}

static void a_mapping_is_read_by_its_table(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  struct thing t = {0};
  assert_true(read(&t, "open: \"off\"\ncount: \"5\"\nusual: {top: 3, low: 1}\nboxes:\n  - {name: a, lid_bytes: 300}\n",
                   false, NULL, &sink));
  assert_false(t.open); // quotes change nothing
  assert_int_equal(t.count, 5);
  assert_int_equal(t.place.line, 2);
  assert_int_equal(t.small, 7); // the default
  assert_int_equal(t.usual.top, 3);
  assert_int_equal(t.boxes_count, 1);
  assert_int_equal(t.boxes[0].lid_bytes, 300);
  // On top of it: what differs, and an element more.
  assert_true(
    read(&t, "boxes:\n  - {name: b, lid_bytes: 2}\n  - {name: a, lid_bytes: 9}\nusual: {low: 2}\n", true, NULL, &sink));
  assert_int_equal(t.count, 5);
  assert_int_equal(t.usual.top, 3);
  assert_int_equal(t.usual.low, 2);
  assert_int_equal(t.boxes_count, 2);
  assert_int_equal(t.boxes[0].lid_bytes, 9);
  assert_string_equal(t.boxes[1].name, "b");
  assert_int_equal(sink.count, 0);
  release(&t);
}

static void every_mistake_of_a_file_has_its_place(void **state) {
  (void)state;
  static const char *const says[] = {
    "t.yaml:2:1: error: a thing has no key 'cuont'; did you mean 'count'?\n  cuont: 3\n  ^\n",
    "t.yaml:4:1: error: the key 'small' is given twice",
    "t.yaml:8:1: error: a key of a thing is a list",
    "t.yaml:5:8: error: power must be a power of two from 2 to 64, not '6'",
    "t.yaml:1:8: error: share must be a number from 0 to 1, not 'much'",
    "t.yaml:6:8: error: a speed lacks the key 'low'",
    "t.yaml:7:8: error: boxes must have 0 to 3 elements, not 4",
  };
  struct weir_sink sink = {0};
  struct thing t = {0};
  assert_false(read(&t,
                    "share: much\ncuont: 3\nsmall: 1\nsmall: 2\npower: \"6\"\nusual: {top: 1}\nboxes: [a, b, c, d]\n"
                    "[x]: 1\n",
                    false, NULL, &sink));
  assert_int_equal(sink.count, sizeof says / sizeof *says);
  for (unsigned i = 0; i < sink.count; i++)
    if (!strstr(sink.diags[i].message, says[i])) fail_msg("%u: %s", i, sink.diags[i].message);
  weir_sink_free(&sink);
  release(&t);
}

// ---- origins -----------------------------------------------------------------------------------------------------------

static void values_know_where_they_come_from(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  struct thing t = {0};
  struct weir_origins o = {0};
  assert_true(
    read(&t, "count: 5\nusual:\n  top: 3\n  low: 1\nboxes:\n  - {name: a, lid_bytes: 300}\n", false, &o, &sink));
  assert_int_equal(weir_origins_place(&o, "usual.top").line, 3);
  assert_string_equal(weir_origins_place(&o, "boxes.a.lid_bytes").file ? "" : "none", "none"); // a list has no name
  assert_int_equal(weir_origins_place(&o, "a.lid_bytes").line, 6);
  assert_string_equal(weir_origins_place(&o, "a.lid_bytes").file, "t.yaml");
  assert_null(weir_origins_place(&o, "small").file); // the default
  weir_origins_note(&o, "count", weir_option_place("--set"));
  struct weir_origins copy = weir_origins_copy(&o);
  weir_origins_free(&o);
  assert_null(weir_origins_place(&copy, "count").file);
  assert_string_equal(weir_origins_place(&copy, "count").text, "--set");
  assert_int_equal(weir_origins_place(&copy, "usual.low").line, 4);
  weir_origins_free(&copy);
  release(&t);
}

static void a_section_follows_another_until_it_is_given(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  struct thing t = {0};
  struct weir_origins o = {0};
  assert_true(read(&t, "usual: {top: 3, low: 1}\nslow: {top: 2, low: 0}\n", false, &o, &sink));
  weir_param_settle(&thing_table, &t, &o);
  assert_int_equal(t.fast.top, 3);
  assert_int_equal(t.slow.top, 2);
  set(&t, "usual.top=4");
  weir_origins_note(&o, "usual.top", weir_option_place("--set"));
  weir_param_settle(&thing_table, &t, &o);
  assert_int_equal(t.fast.top, 4);
  assert_int_equal(t.slow.top, 2);
  set(&t, "fast.low=2");
  weir_origins_note(&o, "fast.low", weir_option_place("--set"));
  set(&t, "usual.top=5");
  weir_param_settle(&thing_table, &t, &o);
  assert_int_equal(t.fast.top, 4); // its own since something of it was given
  assert_int_equal(t.fast.low, 2);
  weir_origins_free(&o);
  release(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_type_takes_its_values),      cmocka_unit_test(one_dialect_of_booleans),
    cmocka_unit_test(what_is_refused_is_explained),     cmocka_unit_test(a_list_of_assignments),
    cmocka_unit_test(a_mapping_is_read_by_its_table),   cmocka_unit_test(every_mistake_of_a_file_has_its_place),
    cmocka_unit_test(values_know_where_they_come_from), cmocka_unit_test(a_section_follows_another_until_it_is_given),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
