// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The order that exec/assemble gives the bundled kernels' loads, beside that of the machine code that ptxas makes of them
// (order/*.csv): how many loads go between two waits, which docs/VALIDATION.md states.
#include "machine_rows.h"

#include "exec/decode/decode.h"

#include <math.h>

struct order {
  unsigned loads, waits;
};

// As scripts/machine-code.py order counts them.
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

static void hold(const char *file, enum weir_assembler assembler, unsigned near, unsigned same, double error) {
  struct comparison ordered = {0}, written = {0};
  struct machine_rows r = machine_rows(file, (struct weir_code){.assembler = assembler, .assembled = true});
  while (machine_next(&r)) {
    struct order machine;
    assert_int_equal(sscanf(r.numbers, "%u,%u", &machine.loads, &machine.waits), 2);
    compare(&written, order_of(r.written), machine);
    compare(&ordered, order_of(r.assembled), machine);
  }
  print_message("%s: %u kernels; within a quarter %u (as written %u), as many loads %u (%u), error %.3f (%.3f)\n", file,
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
  hold("order/sm_75.csv", WEIR_ASSEMBLER_SM_75, 97, 98, 0.046);
  hold("order/sm_80.csv", WEIR_ASSEMBLER_SM_70, 93, 98, 0.048);
  hold("order/sm_90.csv", WEIR_ASSEMBLER_SM_90, 92, 98, 0.058);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(as_the_machine_code)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
