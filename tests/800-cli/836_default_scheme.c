// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What runs where no scheme is named: the chip's own policies, as its file has them (scheme none).
#include "folder.h"

#include <jansson.h>
#include <stdbool.h>

#define SUBJECT WEIR_BINARY_DIR "/tests/820-device/device_subject"

// One warp goes over 544 lines of 128 bytes again and again, four rounds. The L1 of turing-2080ti has 62 KiB: 16 sets, which a line's
// number chooses, of 31 lines each (chips/turing-2080ti.yaml). So 34 lines of the walk share a set.
static const char WALK[] = "module: " WEIR_SOURCE_DIR "/examples/teaching/teaching.ptx\n"
                           "buffers:\n  in: {bytes: 69632, fill: iota}\n  out: {bytes: 128, fill: zero}\n"
                           "launches:\n  - {kernel: walk, grid: [1], block: [32],"
                           " args: [in, out, {s32: 544}, {s32: 32}, {s32: 4}]}\n";
enum { SECTORS = 4, LOADS = 4 * 544 * SECTORS };

static int write_walk(void **state) {
  make_folder(state);
  write_text_file(file("walk.yaml"), WALK);
  return 0;
}

static char *text_of(const char *const *argv) { // freed by free
  struct process p = process_run_all(argv);
  if (p.status) print_error("%s", p.err);
  assert_int_equal(p.status, 0);
  free(p.err);
  return p.out;
}

#define JSON_OF(...) json_of((const char *const[]){__VA_ARGS__, "--json", NULL})
static json_t *json_of(const char *const *argv) {
  char *text = text_of(argv);
  json_t *o = json_loads(text, 0, NULL);
  assert_non_null(o);
  free(text);
  return o;
}

static json_t *run_on(const char *chip, const char *program, const char *scheme) {
  json_t *run =
    scheme ? JSON_OF("run", program, "--chip", chip, "--scheme", scheme) : JSON_OF("run", program, "--chip", chip);
  json_object_del(run, "host");
  return run;
}

// Takes the scheme's name out of a run, which must be this one.
static void assert_under(json_t *run, const char *scheme) {
  assert_string_equal(json_string_value(json_object_get(run, "scheme")), scheme);
  json_object_del(run, "scheme");
}

// What is left of two runs when their schemes' names are taken away; frees both.
static bool are_equal(json_t *a, json_t *b) {
  json_object_del(a, "scheme");
  json_object_del(b, "scheme");
  const bool equal = json_equal(a, b);
  json_decref(a);
  json_decref(b);
  return equal;
}

static void assert_replacement(const json_t *run, const char *name) {
  size_t i;
  json_t *p;
  assert_true(json_array_size(json_object_get(run, "policy")) > 0);
  json_array_foreach(json_object_get(run, "policy"), i, p) {
    assert_string_equal(json_string_value(json_object_get(p, "kind")), "replace");
    assert_string_equal(json_string_value(json_object_get(p, "name")), name);
  }
}

static json_int_t l1_hits(const json_t *run) {
  const json_t *loads = json_object_get(json_object_get(json_object_get(run, "total"), "l1"), "loads");
  assert_int_equal(json_integer_value(json_object_get(loads, "accesses")), LOADS);
  return json_integer_value(json_object_get(loads, "hits")) +
    json_integer_value(json_object_get(loads, "hits_on_miss"));
}

// Under LRU a line of the walk is the oldest of its set when the 31st other one comes, and gone before its turn: nothing hits. The chip's
// file says lru-random, which takes any of the oldest eighth: a line that leaves before the oldest spares it for its next turn.
static void as_the_file_says(void **state) {
  (void)state;
  json_t *unnamed = run_on("turing-2080ti", file("walk.yaml"), NULL),
         *none = run_on("turing-2080ti", file("walk.yaml"), "none"),
         *lru = run_on("turing-2080ti", file("walk.yaml"), "lru");
  assert_true(json_equal(unnamed, none));
  assert_under(unnamed, "none");
  assert_replacement(unnamed, "lru-random");
  assert_true(l1_hits(unnamed) > 0);
  assert_int_equal(l1_hits(lru), 0);
  json_decref(unnamed);
  json_decref(none);
  json_decref(lru);
}

// The papers' chips from NVIDIA have LRU in their files, so that it is the same whether it is named; gcn-apu has pseudo-LRU, under which
// the walk over more than the cache holds finds something.
static void on_older_chips(void **state) {
  (void)state;
  static const char *const chips[] = {"fermi-gtx480", "fermi-bucl", "kepler-titan-black"};
  const char *walk = file("walk.yaml");
  for (unsigned i = 0; i < sizeof chips / sizeof *chips; i++)
    assert_true(are_equal(run_on(chips[i], walk, NULL), run_on(chips[i], walk, "lru")));
  assert_true(are_equal(run_on("gcn-apu", walk, NULL), run_on("gcn-apu", walk, "plru")));
  assert_false(are_equal(run_on("gcn-apu", walk, NULL), run_on("gcn-apu", walk, "lru")));
}

static void assert_of_none(json_t *o) {
  assert_under(o, "none");
  json_decref(o);
}

static void every_command(void **state) {
  (void)state;
  const char *walk = file("walk.yaml"), *stream = file("walk.wrec");
  assert_of_none(JSON_OF("look", walk, "--chip", "turing-2080ti"));
  assert_of_none(JSON_OF("advise", walk, "--chip", "turing-2080ti", "--runs", "2", "--perturb", "0"));
  free(text_of((const char *const[]){"record", walk, "--instructions", "--chip", "turing-2080ti", "-o", stream, NULL}));
  json_t *recorded = run_on("turing-2080ti", stream, NULL), *run = run_on("turing-2080ti", walk, NULL);
  assert_under(recorded, "none");
  assert_int_equal(l1_hits(recorded), l1_hits(run));
  json_decref(recorded);
  json_decref(run);
  free(text_of((const char *const[]){"record", walk, "--chip", "turing-2080ti", "-o", stream, NULL}));
  char *unnamed = text_of((const char *const[]){"replay", stream, "--csv", NULL}),
       *none = text_of((const char *const[]){"replay", stream, "--scheme", "none", "--csv", NULL});
  assert_string_equal(unnamed, none);
  free(unnamed);
  free(none);
}

// Behind --, and without weir run, by what a program's environment leaves unsaid.
static void programs(void **state) {
  (void)state;
  const char *alone = file("alone.json");
  char command[400];
  snprintf(command, sizeof command,
           "unset WEIR_RESULTS WEIR_SCHEME; WEIR_CHIP=turing-2080ti WEIR_REPORT=%s " SUBJECT " exit", alone);
  struct process p = process_run("run", "--", "sh", "-c", command);
  process_free(&p);
  json_t *run = json_load_file(alone, 0, NULL);
  assert_replacement(run, "lru-random");
  assert_of_none(run);
  p = process_run("run", "--chip", "turing-2080ti", "--json", "--", SUBJECT, "exit");
  json_t *runs = json_loads(p.out, 0, NULL);
  assert_replacement(json_array_get(runs, 0), "lru-random");
  assert_under(json_array_get(runs, 0), "none");
  json_decref(runs);
  process_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(as_the_file_says), cmocka_unit_test(on_older_chips),
                                     cmocka_unit_test(every_command), cmocka_unit_test(programs)};
  return cmocka_run_group_tests(tests, write_walk, remove_folder);
}
