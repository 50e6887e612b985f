// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Where machine code has a program's instructions (weir_program_places), and how many bytes of it a kernel has, beside ptxas's
// (studies/silicon/workloads/code.csv).
#include "harness.h"

#include <math.h>
#include <stdlib.h>

enum { INSTRUCTION_BYTES = 16 };

static struct weir_program *build(const struct weir_module *m, bool assembled, bool padded,
                                  struct weir_memory *memory) {
  struct weir_sink sink = {0};
  const struct weir_code code = {.assembler = WEIR_ASSEMBLER_SM_90, .assembled = assembled, .padded = padded};
  struct weir_program *p = weir_program_build(m, 32, code, memory, &sink);
  assert_non_null(p);
  weir_sink_free(&sink);
  return p;
}

static const char two[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                          ".visible .entry first(.param .u64 a) {\n.reg .b64 %d<9>;\n"
                          "ld.param.u64 %d1, [a];\nld.global.u64 %d2, [%d1];\nadd.s64 %d3, %d2, %d2;\n"
                          "st.global.u64 [%d1], %d3;\nret;\n}\n"
                          ".visible .entry second() {\nret;\n}\n";

static struct weir_module *parsed(void) {
  struct weir_sink sink = {0};
  struct weir_module *m = weir_ptx_parse("test.ptx", two, strlen(two), &sink);
  assert_non_null(m);
  weir_sink_free(&sink);
  return m;
}

// As it is written, each instruction has a place, the return past a function's end included, and programs lie one behind the other.
static void as_written(void **state) {
  (void)state;
  struct weir_module *m = parsed();
  struct weir_memory *memory = weir_memory_create();
  struct weir_program *a = build(m, false, true, memory), *b = build(m, false, true, memory);
  uint32_t count;
  weir_program_statics(a, &count);
  assert_int_equal(count, 6 + 2);
  for (uint32_t k = 0; k <= count; k++) {
    assert_int_equal(weir_program_places(a)[k], weir_program_first_pc(a) + k);
    assert_int_equal(weir_program_places(b)[k], weir_program_first_pc(b) + k);
  }
  const struct weir_kernel *first = weir_program_kernel(b, "first"), *second = weir_program_kernel(b, "second");
  assert_int_equal(first->place, count);
  assert_int_equal(first->places, 6);
  assert_int_equal(second->place, count + 6);
  assert_int_equal(second->places, 2);
  weir_program_free(a);
  weir_program_free(b);
  weir_memory_free(memory);
  weir_module_free(m);
}

// Assembled: the kernel's entry sets R1, the parameter is an operand, a load and a store of 64 bits are one instruction, of
// which the first here also moves the base; a sum of 64 bits is two. Behind the last one a branch to itself; each function fills up 128 bytes.
static void as_assembled(void **state) {
  (void)state;
  struct weir_module *m = parsed();
  struct weir_memory *memory = weir_memory_create();
  struct weir_program *a = build(m, true, false, memory), *b = build(m, true, false, memory);
  const struct weir_kernel *first = weir_program_kernel(b, "first"), *second = weir_program_kernel(b, "second");
  assert_int_equal(first->place, 2 * WEIR_CODE_ALIGN);
  assert_int_equal(first->places, WEIR_CODE_ALIGN);
  assert_int_equal(second->place, 3 * WEIR_CODE_ALIGN);
  assert_int_equal(second->places, WEIR_CODE_ALIGN);
  const uint32_t *at = weir_program_places(b);
  const uint32_t entry = first->entry - weir_program_first_pc(b);
  assert_int_equal(at[entry], first->place);
  assert_int_equal(at[entry + 3] - at[entry + 2], 2); // the sum
  assert_int_equal(at[entry + 4] - at[entry + 3], 1); // the store
  weir_program_free(a);
  weir_program_free(b);
  weir_memory_free(memory);
  weir_module_free(m);
}

// ---- beside ptxas ---------------------------------------------------------------------------------------------------

// kmn-136 and bfs-random are other sizes of the programs before the dash.
static void program_of(const char *workload, char *program) {
  strcpy(program, workload);
  if (!strcmp(workload, "kmn-136")) strcpy(program, "kmn");
  if (!strcmp(workload, "bfs-random")) strcpy(program, "bfs");
}

// What docs/VALIDATION.md says: a change that is worse must say so there.
static void as_ptxas(void **state) {
  (void)state;
  char line[200], workload[100], program[100], kernel[100], path[4096];
  double far[64];
  unsigned n = 0, bytes;
  FILE *f = fopen(WEIR_SOURCE_DIR "/studies/silicon/workloads/code.csv", "r");
  assert_non_null(f);
  while (fgets(line, sizeof line, f)) {
    if (sscanf(line, "%99[^,],%99[^,],%u", workload, kernel, &bytes) < 3) continue;
    program_of(workload, program);
    snprintf(path, sizeof path, WEIR_SOURCE_DIR "/workloads/%s/%s.ptx", program, program);
    struct weir_sink sink = {0};
    struct weir_module *m = weir_ptx_read(path, &sink);
    assert_non_null(m);
    struct weir_memory *memory = weir_memory_create();
    struct weir_program *p = build(m, true, true, memory);
    const unsigned here = weir_program_kernel(p, kernel)->places * INSTRUCTION_BYTES;
    far[n++] = fabs(log((double)here / bytes));
    weir_program_free(p);
    weir_memory_free(memory);
    weir_module_free(m);
    weir_sink_free(&sink);
  }
  fclose(f);
  qsort(far, n, sizeof *far, ascending);
  print_message("%u kernels, median |ln| %.3f\n", n, far[n / 2]);
  assert_int_equal(n, 34);
  assert_true(far[n / 2] <= 0.0745);
}

// ptxas fills each function up to whole 128 bytes, and from sm_80 on by 128 bytes more: what is there beside code is as many NOPs.
static void as_ptxas_fills(void **state) {
  (void)state;
  char line[200];
  unsigned arch, fewest, most, rows = 0;
  FILE *f = fopen(WEIR_SOURCE_DIR "/tests/300-exec/machine/jumps.csv", "r");
  assert_non_null(f);
  while (fgets(line, sizeof line, f)) {
    if (sscanf(line, "%*[^,],sm_%u,%*u,%*u,%*u,%*u,%*u,%u,%u", &arch, &fewest, &most) < 3) continue;
    struct weir_module *m = parsed();
    struct weir_memory *memory = weir_memory_create();
    struct weir_program *p = build(m, true, arch >= 80, memory);
    assert_int_equal(weir_program_kernel(p, "second")->places, WEIR_CODE_ALIGN + fewest);
    assert_int_equal(most, fewest + WEIR_CODE_ALIGN - 1);
    rows++;
    weir_program_free(p);
    weir_memory_free(memory);
    weir_module_free(m);
  }
  fclose(f);
  assert_int_equal(rows, 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(as_written),
    cmocka_unit_test(as_assembled),
    cmocka_unit_test(as_ptxas_fills),
    cmocka_unit_test(as_ptxas),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
