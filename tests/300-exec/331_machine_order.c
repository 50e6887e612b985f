// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The order that exec/assemble gives the bundled kernels' loads, beside that of the machine code that ptxas makes of them
// (order/*.csv): how many loads go between two waits, which docs/VALIDATION.md states.
#include "harness.h"

#include "exec/assemble/assemble.h"
#include "exec/decode/decode.h"

#include <math.h>

struct order {
  unsigned loads, waits;
};

// As scripts/machine-order.py counts them.
static bool is_load(const struct weir_instruction *in) {
  const unsigned space = in->form.space;
  const bool memory = space == WEIR_SPACE_GLOBAL || space == WEIR_SPACE_SHARED || space == WEIR_SPACE_GENERIC;
  return (in->opcode == WEIR_OP_LD && memory) || weir_opcode_effect(in->opcode) == WEIR_EFFECT_UNIFORM;
}

static bool is_any(const bool *coming, const uint32_t *registers, unsigned count) {
  for (unsigned k = 0; k < count; k++)
    if (coming[registers[k]]) return true;
  return false;
}

static struct order order_of(const struct weir_function *f) {
  struct order o = {0};
  bool *coming = weir_new_array(bool, f->register_count + 1), any = false;
  struct weir_registers r;
  for (uint32_t s = 0; s < f->statement_count; s++) {
    if (f->statements[s].kind != WEIR_STMT_INSTRUCTION) continue;
    const struct weir_instruction *in = f->statements[s].instruction;
    weir_registers_of(in, &r);
    if (is_any(coming, r.src, r.src_count) || (!is_load(in) && is_any(coming, r.dst, r.dst_count))) {
      o.waits++;
      memset(coming, 0, f->register_count);
      any = false;
    }
    if (!is_load(in)) continue;
    o.loads++;
    any = true;
    for (unsigned k = 0; k < r.dst_count; k++) coming[r.dst[k]] = true;
  }
  o.waits += any;
  weir_free(coming);
  return o;
}

static const struct weir_function *function_of(const struct weir_module *m, const char *name) {
  for (uint32_t k = 0; k < m->function_count; k++)
    if (!strcmp(m->functions[k]->symbol->name, name)) return m->functions[k];
  fail_msg("no function %s", name);
  return NULL;
}

struct comparison {
  unsigned kernels, near, same; // loads per wait within a quarter; as many loads
  double error;                 // mean of |ln(loads per wait, over the machine code's)|
};

static void compare(struct comparison *c, struct order here, struct order machine) {
  const double distance = fabs(log((double)here.loads / here.waits * machine.waits / machine.loads));
  c->kernels++;
  c->near += distance < log(1.25);
  c->same += here.loads == machine.loads;
  c->error += distance;
}

static void hold(const char *arch, enum weir_assembler assembler, unsigned near, unsigned same, double error) {
  char path[4096], line[300], workload[100], kernel[100], module[100] = "";
  struct weir_module *m = NULL, *assembled = NULL;
  struct weir_sink sink = {0};
  struct comparison ordered = {0}, written = {0};
  struct order machine;
  snprintf(path, sizeof path, WEIR_SOURCE_DIR "/tests/300-exec/order/%s.csv", arch);
  FILE *f = fopen(path, "r");
  assert_non_null(f);
  while (fgets(line, sizeof line, f)) {
    if (*line == '#') continue;
    assert_int_equal(sscanf(line, "%99[^,],%99[^,],%u,%u", workload, kernel, &machine.loads, &machine.waits), 4);
    if (strcmp(workload, module)) {
      weir_module_free(assembled);
      weir_module_free(m);
      snprintf(module, sizeof module, "%s", workload);
      snprintf(path, sizeof path, WEIR_SOURCE_DIR "/workloads/%s/%s.ptx", workload, workload);
      m = weir_ptx_read(path, &sink);
      assert_non_null(m);
      assembled = weir_assemble(m, assembler);
    }
    compare(&written, order_of(function_of(m, kernel)), machine);
    compare(&ordered, order_of(function_of(assembled, kernel)), machine);
  }
  fclose(f);
  weir_module_free(assembled);
  weir_module_free(m);
  weir_sink_free(&sink);
  print_message("%s: %u kernels; within a quarter %u (as written %u), as many loads %u (%u), error %.3f (%.3f)\n", arch,
                ordered.kernels, ordered.near, written.near, ordered.same, written.same,
                ordered.error / ordered.kernels, written.error / written.kernels);
  assert_true(ordered.kernels >= 90);
  assert_true(ordered.near >= near);
  assert_true(ordered.same >= same);
  assert_true(ordered.error / ordered.kernels <= error + 0.0005);
}

// What docs/VALIDATION.md says: a change that is worse must say so there.
static void as_the_machine_code(void **state) {
  (void)state;
  hold("sm_75", WEIR_ASSEMBLER_SM_75, 87, 85, 0.066);
  hold("sm_80", WEIR_ASSEMBLER_SM_70, 84, 85, 0.067);
  hold("sm_90", WEIR_ASSEMBLER_SM_90, 82, 85, 0.072);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(as_the_machine_code)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
