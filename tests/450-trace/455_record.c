// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Programs recorded by weir trace under qemu-user, against counts made by hand (programs/). Skipped where there is no
// recorder or no QEMU that takes plugins.
#include "trace_test.h"
#include "weir_process.h"

#define PROGRAM(name) WEIR_BINARY_DIR "/tests/450-trace/trace_" name
#define RECORDER WEIR_BINARY_DIR "/lib/weir/libweirrecorder.so"

static struct weir_trace_reader *open_trace(const char *path, struct weir_sink *sink) {
  struct weir_trace_reader *r = weir_trace_open(path, sink);
  if (!r) weir_sink_print(sink, stderr);
  assert_non_null(r);
  return r;
}

static void ends_well(struct process p) {
  if (p.status) print_error("%s", p.err);
  assert_int_equal(p.status, 0);
  process_free(&p);
}

static void counts(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  const char *path = path_of("counted.wtrace");
  ends_well(process_run("trace", "-o", path, "--", PROGRAM("counted"), "an,argument"));
  struct weir_trace_reader *r = open_trace(path, &sink);
  const struct weir_trace_info *info = weir_trace_info(r);
  const struct weir_trace_totals *t = &info->totals;
  assert_int_equal(t->instructions, 5009);
  assert_int_equal(info->run_instructions, 5009);
  assert_int_equal(t->loads, 1002);
  assert_int_equal(t->stores, 1002);
  assert_int_equal(t->branches[WEIR_TRACE_CONDITIONAL], 1000);
  assert_int_equal(t->branches[WEIR_TRACE_CALL], 1);
  assert_int_equal(t->branches[WEIR_TRACE_RETURN], 1);
  assert_int_equal(t->taken, 1001);
  assert_int_equal(t->kinds[WEIR_TRACE_SYSTEM], 1);
  assert_string_equal(info->arguments[0], PROGRAM("counted"));
  assert_string_equal(info->arguments[1], "an,argument");
  assert_int_equal(read_all(r, NULL, NULL), 5009);
  weir_trace_close(r);
  assert_no_errors(&sink);
}

// One round: mov (%rsi), %rax · add $1, %rax · mov %rax, 8(%rsi) · dec %ecx · jnz.
static void one_round(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  const char *path = path_of("round.wtrace");
  ends_well(process_run("trace", "--skip", "2", "--length", "5", "-o", path, "--", PROGRAM("counted")));
  struct weir_trace_reader *r = open_trace(path, &sink);
  assert_int_equal(weir_trace_info(r)->segments[0].first, 2);
  struct weir_trace_inst i[6];
  assert_int_equal(weir_trace_read(r, i, 6), 5);
  static const uint8_t lengths[] = {3, 4, 4, 2, 2};
  for (unsigned k = 0; k < 5; k++) {
    assert_int_equal(i[k].what->length, lengths[k]);
    assert_int_equal(i[k].next_pc, k < 4 ? i[k].what->pc + lengths[k] : i[0].what->pc);
    assert_int_equal(i[k].what->kind, WEIR_TRACE_INTEGER);
    assert_int_equal(i[k].what->access_count, k == 0 || k == 2);
  }
  const struct weir_trace_static *load = i[0].what, *add = i[1].what, *store = i[2].what, *branch = i[4].what;
  assert_int_equal(load->accesses[0].bytes, 8);
  assert_int_equal(load->accesses[0].store, 0);
  assert_int_equal(store->accesses[0].store, 1);
  assert_int_equal(i[2].addresses[0], i[0].addresses[0] + 8);
  assert_int_equal(load->source_count, 1);
  assert_int_equal(load->destinations[0], add->sources[0]); // %rax
  assert_int_equal(add->destination_count, 2);              // and flags
  assert_int_equal(store->source_count, 2);
  assert_int_equal(store->destination_count, 0);
  assert_int_equal(branch->branch, WEIR_TRACE_CONDITIONAL);
  assert_int_equal(branch->taken, 1);
  assert_non_null(memchr(branch->sources, WEIR_TRACE_FLAGS, branch->source_count));
  weir_trace_close(r);
  assert_no_errors(&sink);
}

// Parts of the run, as they lie in the whole: any N from any place on.
static void parts(void **state) {
  (void)state;
  static const char *const cases[][3] = {{"0", "1", "1"}, {"5000", "9", "9"}, {"5005", "100", "4"}, {"4999", "3", "3"}};
  for (unsigned c = 0; c < 4; c++) {
    struct weir_sink sink = {0};
    const char *path = path_of("part.wtrace");
    ends_well(
      process_run("trace", "--skip", cases[c][0], "--length", cases[c][1], "-o", path, "--", PROGRAM("counted")));
    struct weir_trace_reader *r = open_trace(path, &sink);
    assert_int_equal(read_all(r, NULL, NULL), atoi(cases[c][2]));
    weir_trace_close(r);
    assert_no_errors(&sink);
  }
  struct process p = process_run("trace", "--skip", "5009", "-o", path_of("none.wtrace"), "--", PROGRAM("counted"));
  assert_int_equal(p.status, 2);
  assert_holds(p.err, "the program ended before its instruction 5009");
  process_free(&p);
  assert_int_equal(access(path_of("none.wtrace"), F_OK), -1);
}

// A is 300,000 of 400,000 instructions, in turns; an interval of 50,000 is of one phase, but for a few instructions.
static void phases(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  const char *path = path_of("phased.wtrace");
  ends_well(process_run("trace", "--phases=4", "--interval", "50000", "-o", path, "--", PROGRAM("phased")));
  struct weir_trace_reader *r = open_trace(path, &sink);
  const struct weir_trace_info *info = weir_trace_info(r);
  assert_in_range(info->segment_count, 2, 4);
  double multiplying = 0, all = 0;
  for (unsigned s = 0; s < info->segment_count; s++) {
    struct weir_trace_inst first[64];
    assert_int_equal(info->segments[s].instructions, 50000);
    assert_int_equal(info->segments[s].first % 50000, 0);
    assert_true(weir_trace_select_segment(r, s));
    assert_int_equal(weir_trace_read(r, first, 64), 64);
    bool multiplies = false;
    for (unsigned i = 0; i < 64; i++) multiplies |= first[i].what->kind == WEIR_TRACE_MULTIPLY;
    all += info->segments[s].weight;
    if (multiplies) multiplying += info->segments[s].weight;
  }
  assert_true(all > 0.9999 && all < 1.0001);
  assert_true(multiplying > 0.2 && multiplying < 0.3);
  weir_trace_close(r);
  assert_no_errors(&sink);
}

// Each thread has a segment; the child that was forked has none, and does no harm.
static void threads(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  const char *path = path_of("threads.wtrace");
  ends_well(process_run("trace", "-o", path, "--", PROGRAM("threads")));
  struct weir_trace_reader *r = open_trace(path, &sink);
  const struct weir_trace_info *info = weir_trace_info(r);
  assert_int_equal(info->segment_count, 4);
  uint64_t all = 0;
  for (uint32_t t = 1; t < 4; t++) { // 100,000 rounds of at least 4 instructions each
    assert_true(weir_trace_select_thread(r, t));
    const uint64_t count = read_all(r, NULL, NULL);
    assert_in_range(count, 400000, 2000000);
    all += count;
  }
  assert_true(weir_trace_select_thread(r, 0));
  assert_int_equal(all + read_all(r, NULL, NULL), info->totals.instructions);
  weir_trace_close(r);
  assert_no_errors(&sink);
}

// Parts of a trace, as they lie in the whole; also of one that has several segments.
static void copies(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  const char *phases = path_of("two.wtrace"), *part = path_of("part.wtrace");
  ends_well(process_run("trace", "--phases=4", "--interval", "50000", "-o", phases, "--", PROGRAM("phased")));
  struct weir_trace_reader *r = open_trace(phases, &sink);
  const uint64_t second = weir_trace_info(r)->segments[1].first;
  const double weight = weir_trace_info(r)->segments[1].weight;
  weir_trace_close(r);
  ends_well(process_run("trace", phases, "--skip", "50100", "--length", "10", "-o", part));
  r = open_trace(part, &sink);
  assert_int_equal(weir_trace_info(r)->segment_count, 1);
  assert_int_equal(weir_trace_info(r)->segments[0].first, second + 100);
  assert_true(weir_trace_info(r)->segments[0].weight == weight);
  weir_trace_close(r);
  ends_well(process_run("trace", phases, "--skip", "49990", "--length", "20", "-o", part));
  r = open_trace(part, &sink);
  assert_int_equal(weir_trace_info(r)->segment_count, 2);
  assert_int_equal(weir_trace_info(r)->segments[0].instructions, 10);
  assert_int_equal(weir_trace_info(r)->segments[1].first, second);
  weir_trace_close(r);
  struct process p = process_run("trace", phases, "--phases", "-o", part);
  assert_int_equal(p.status, 2);
  assert_holds(p.err, "holds phases already");
  process_free(&p);
  assert_no_errors(&sink);
}

// sh replaces itself by what exec names, which nobody records; and by a signal it ends before anything is whole.
static void early_ends(void **state) {
  (void)state;
  const char *path = path_of("early.wtrace");
  struct process p = process_run("trace", "-o", path, "--", "sh", "-c", "exec true");
  assert_int_equal(p.status, 2);
  assert_holds(p.err, "replaces itself by exec");
  process_free(&p);
  p = process_run("trace", "-o", path, "--", "sh", "-c", "kill -TERM $$");
  assert_int_equal(p.status, 2);
  assert_holds(p.err, "was ended by signal 15");
  process_free(&p);
  assert_int_equal(access(path, F_OK), -1);
}

static void what_is_wrong(void **state) {
  (void)state;
  struct {
    const char *const arguments[7];
    const char *message;
  } cases[] = {
    {{"trace", "--", "/nowhere/at/all"}, "cannot be found"},
    {{"trace", "--", "ldd"}, "is a script; name the program that runs it"},
    {{"trace", "-o", "/nowhere/x.wtrace", "--", PROGRAM("counted")}, "cannot be written"},
    {{"trace", "-o", "x.champsim.xz", "--", PROGRAM("counted")}, "recorded in weir's format"},
    {{"trace", "--phases", "--skip", "3", "--", PROGRAM("counted")}, "--phases chooses"},
    {{"trace", "--info", "--misses", "x"}, "exclude each other"},
    {{"trace", "--info", "/nowhere/x"}, "No such file"},
    {{"trace", "x"}, "what to do with the trace?"},
  };
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct process p = process_run_all(cases[i].arguments);
    assert_int_equal(p.status, 2);
    assert_holds(p.err, cases[i].message);
    process_free(&p);
  }
}

static void without_qemu(void **state) {
  (void)state;
  setenv("WEIR_QEMU", "/bin/true", 1);
  struct process p = process_run("trace", "-o", path_of("no.wtrace"), "--", PROGRAM("counted"));
  unsetenv("WEIR_QEMU");
  assert_int_equal(p.status, 2);
  assert_holds(p.err, "no QEMU that takes plugins");
  process_free(&p);
  char *path = weir_text_copy(getenv("PATH"));
  setenv("PATH", folder, 1);
  p = process_run("trace", "-o", path_of("no.wtrace"), "--", PROGRAM("counted"));
  setenv("PATH", path, 1);
  weir_free(path);
  assert_int_equal(p.status, 2);
  assert_holds(p.err, "apt-get install qemu-user");
  process_free(&p);
}

int main(void) {
  if (access(RECORDER, R_OK)) return puts("weir was built without capstone: nothing can be recorded"), 77;
  if (system("qemu-x86_64 --help 2>/dev/null | grep -q '^-plugin'")) return puts("no qemu-x86_64 with plugins"), 77;
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(counts),     cmocka_unit_test(one_round),     cmocka_unit_test(parts),
    cmocka_unit_test(phases),     cmocka_unit_test(threads),       cmocka_unit_test(copies),
    cmocka_unit_test(early_ends), cmocka_unit_test(what_is_wrong), cmocka_unit_test(without_qemu),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
