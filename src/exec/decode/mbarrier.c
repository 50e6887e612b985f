// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Barriers in memory, and asynchronous copies that arrive at them.
#include "exec/decode/decode.h"
#include "exec/mbarrier.h"

static unsigned op_of(const struct weir_instruction *in) {
  const bool ends = !weir_has_modifier(in, "noComplete");
  if (weir_has_modifier(in, "init")) return WEIR_MBARRIER_INIT;
  if (weir_has_modifier(in, "inval")) return WEIR_MBARRIER_INVALIDATE;
  if (weir_has_modifier(in, "complete_tx")) return WEIR_MBARRIER_TRANSFER;
  if (weir_has_modifier(in, "expect_tx"))
    return weir_has_modifier(in, "arrive")   ? WEIR_MBARRIER_ARRIVE_EXPECT
      : weir_has_modifier(in, "arrive_drop") ? WEIR_MBARRIER_DROP_EXPECT
                                             : WEIR_MBARRIER_EXPECT;
  if (weir_has_modifier(in, "arrive")) return ends ? WEIR_MBARRIER_ARRIVE : WEIR_MBARRIER_ARRIVE_NO_COMPLETE;
  if (weir_has_modifier(in, "arrive_drop")) return ends ? WEIR_MBARRIER_DROP : WEIR_MBARRIER_DROP_NO_COMPLETE;
  return weir_has_modifier(in, "parity") ? WEIR_MBARRIER_TEST_PARITY : WEIR_MBARRIER_TEST_STATE;
}

static struct weir_ref one(struct weir_decoder *d) {
  return weir_in_constants(weir_constant(&d->constants, 1, 4));
}

static struct weir_ref no_state(struct weir_decoder *d) {
  return weir_in_constants(weir_constant(&d->constants, 0, 8));
}

// An arrival's state is what the barrier was: its pending arrivals come first.
static void pending_count(struct weir_decoder *d) {
  const struct weir_operand *o = d->in->operands;
  const struct weir_ref state = weir_source(d, &o[1], 8),
                        most = weir_in_constants(weir_constant(&d->constants, WEIR_MBARRIER_MOST, 4));
  struct weir_insn *i = weir_emit(d, WEIR_X_low_b64);
  weir_set_a(i, state);
  const uint32_t low = i->d = weir_temporary(d);
  i = weir_emit(d, WEIR_X_and_b32);
  weir_set_a(i, weir_in_frame(low));
  weir_set_b(i, most);
  i->d = weir_result(d, &o[0], 4);
}

static struct weir_insn *emit(struct weir_decoder *d, unsigned op, const struct weir_operand *where,
                              struct weir_ref count, struct weir_ref state) {
  struct weir_insn *i = weir_emit_address(d, WEIR_M_mbarrier, where);
  weir_set_b(i, count);
  weir_set_c(i, state);
  i->sub = (uint8_t)op;
  i->publishes = weir_mbarrier_tests(op) ? WEIR_TO_NOBODY : WEIR_TO_ALL;
  i->d = WEIR_PC_NONE;
  return i;
}

void weir_decode_mbarrier(struct weir_decoder *d) {
  const struct weir_operand *o = d->in->operands;
  const unsigned op = op_of(d->in);
  if (weir_has_modifier(d->in, "pending_count")) {
    pending_count(d);
    return;
  }
  const bool tests = weir_mbarrier_tests(op), returns = weir_writes_first(d->in);
  const struct weir_operand *value = d->in->operand_count > 1u + returns ? &o[1 + returns] : NULL;
  struct weir_ref count = one(d), state = no_state(d);
  if (value && op == WEIR_MBARRIER_TEST_STATE)
    state = weir_source(d, value, 8);
  else if (value)
    count = weir_source(d, value, 4);
  struct weir_insn *i = emit(d, op, &o[returns], count, state);
  if (returns && (tests || o[0].kind != WEIR_OPERAND_SINK)) i->d = weir_result(d, &o[0], tests ? 1 : 8);
}

// The thread's copies so far are done already, so that it arrives at once; without .noinc the phase waits for one arrival more because of it.
void weir_decode_copies_arrive(struct weir_decoder *d) {
  const unsigned op = weir_has_modifier(d->in, "noinc") ? WEIR_MBARRIER_ARRIVE : WEIR_MBARRIER_COPIES;
  const struct weir_ref count = one(d), state = no_state(d);
  emit(d, op, &d->in->operands[0], count, state);
}
