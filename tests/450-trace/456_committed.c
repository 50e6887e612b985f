// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A committed trace (400,000 instructions of workloads/cpu/mcf.c, 400 nodes and 4 rounds), read without any recorder:
// what a processor does holds for each instruction.
#include "trace_test.h"

#define TRACE WEIR_SOURCE_DIR "/tests/450-trace/data/mcf.wtrace"

struct seen {
  uint64_t next_pc, count, away; // away: left by what is no branch
};

static void follows(const struct weir_trace_inst *inst, void *with) {
  struct seen *s = with;
  const struct weir_trace_static *what = inst->what;
  if (s->count++) assert_int_equal(what->pc, s->next_pc);
  assert_in_range(what->length, 1, 15); // of x86-64
  const bool falls = inst->next_pc == what->pc + what->length;
  if (what->branch)
    assert_int_equal(what->taken, !falls);
  else if (!falls)
    s->away++;
  for (unsigned k = 0; k < what->access_count; k++) {
    assert_in_range(what->accesses[k].bytes, 1, 512);
    assert_in_range(inst->addresses[k], 4096, UINT64_C(1) << 47); // user space, and no null pointer
  }
  s->next_pc = inst->next_pc;
}

static void whole(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  struct seen seen = {0};
  struct weir_trace_reader *r = weir_trace_open(TRACE, &sink);
  assert_non_null(r);
  assert_int_equal(read_all(r, follows, &seen), 400000);
  assert_int_equal(weir_trace_info(r)->totals.instructions, 400000);
  assert_in_range(seen.away, 0, 400); // repeated string instructions follow themselves
  assert_string_equal(weir_trace_info(r)->isa, "x86-64");
  assert_int_equal(weir_trace_info(r)->segments[0].first, 60000);
  weir_trace_close(r);
  assert_no_errors(&sink);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(whole)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
