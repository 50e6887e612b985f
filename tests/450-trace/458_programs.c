// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The committed traces of CPU programs are what the table of programs says: there is one of each, of the class that its
// misses make it (docs/TRACES.md), and they are small. Each class has programs enough for mixes of the paper's kinds.
#include "all.h"
#include "trace_test.h"

#include "trace/programs.h"

enum { LEAST = 12000000, MOST = 20000000, BYTES_IN_ALL = 20000000, LEAST_OF_CLASS = 6 };

static struct weir_trace_reader *open_program(const struct weir_cpu_program *p, struct weir_sink *sink) {
  char path[512];
  snprintf(path, sizeof path, "%s/workloads/cpu/traces/%s.wtrace", WEIR_SOURCE_DIR, p->name);
  struct weir_trace_reader *r = weir_trace_open(path, sink);
  if (!r) weir_sink_print(sink, stderr);
  assert_non_null(r);
  return r;
}

static void sizes(void **state) {
  (void)state;
  unsigned count, of_class[3] = {0};
  const struct weir_cpu_program *programs = weir_cpu_programs(&count);
  uint64_t bytes = 0, instructions = 0;
  for (unsigned i = 0; i < count; i++) {
    struct weir_sink sink = {0};
    struct weir_trace_reader *r = open_program(&programs[i], &sink);
    const struct weir_trace_info *info = weir_trace_info(r);
    assert_in_range(info->totals.instructions, LEAST, MOST);
    assert_int_equal(info->dropped_accesses, 0);
    bytes += info->file_bytes;
    instructions += info->totals.instructions;
    of_class[programs[i].measured]++;
    weir_trace_close(r);
    assert_no_errors(&sink);
  }
  assert_in_range(bytes, 1, BYTES_IN_ALL);
  assert_true(bytes * 4 <= instructions); // a quarter of a byte each, on average
  for (unsigned c = 0; c < 3; c++) assert_in_range(of_class[c], LEAST_OF_CLASS, count);
}

// The first quarter only fills the caches. Every third program, all in `make test-all`.
static void classes(void **state) {
  (void)state;
  unsigned count, wrong = 0;
  const struct weir_cpu_program *programs = weir_cpu_programs(&count);
  for (unsigned i = 0; i < count; i += test_all() ? 1 : 3) {
    struct weir_sink sink = {0};
    struct weir_trace_reader *r = open_program(&programs[i], &sink);
    struct weir_misses m = weir_misses_default;
    assert_true(weir_misses_count(&m, r, weir_trace_info(r)->totals.instructions / 4, &sink));
    weir_trace_close(r);
    assert_no_errors(&sink);
    if (m.class == programs[i].measured) continue;
    print_error("%s is %s, not %s\n", programs[i].name, weir_trace_class_names[m.class],
                weir_trace_class_names[programs[i].measured]);
    wrong++;
  }
  assert_int_equal(wrong, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sizes), cmocka_unit_test(classes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
