// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "cpu/predictor.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WEIGHT = 127, LONGEST_INSTRUCTION = 15 /* bytes, of x86 */ };

void weir_predictor_init(struct weir_predictor *p, const struct weir_cpu_config *c) {
  *p = (struct weir_predictor){.perceptrons = c->perceptrons,
                               .history_bits = c->history_bits,
                               .target_mask = c->targets - 1,
                               .returns = c->returns,
                               .threshold = (int32_t)(1.93 * c->history_bits + 14)};
  p->weights = weir_new_array(int8_t, (size_t)c->perceptrons * (c->history_bits + 1));
  p->direct = weir_new_array(struct weir_target, c->targets);
  p->indirect = weir_new_array(struct weir_target, c->targets);
  p->stack = weir_new_array(struct weir_target, c->returns);
  memset(p->history, -1, sizeof p->history);
}

void weir_predictor_free(struct weir_predictor *p) {
  weir_free(p->weights);
  weir_free(p->direct);
  weir_free(p->indirect);
  weir_free(p->stack);
}

// ---- directions -------------------------------------------------------------------------------------------------------

static int32_t output(const struct weir_predictor *p, const int8_t *w) {
  int32_t y = w[0];
  for (uint32_t i = 0; i < p->history_bits; i++) y += w[1 + i] * p->history[i];
  return y;
}

static int8_t moved(int8_t weight, int step) {
  const int to = weight + step;
  return (int8_t)(to > MOST_WEIGHT ? MOST_WEIGHT : to < -MOST_WEIGHT ? -MOST_WEIGHT : to);
}

static void train(const struct weir_predictor *p, int8_t *w, int outcome) {
  w[0] = moved(w[0], outcome);
  for (uint32_t i = 0; i < p->history_bits; i++) w[1 + i] = moved(w[1 + i], outcome * p->history[i]);
}

// Was the direction foreseen?
static bool see_direction(struct weir_predictor *p, uint64_t pc, bool taken) {
  int8_t *w = p->weights + (size_t)((pc ^ pc >> 12) % p->perceptrons) * (p->history_bits + 1);
  const int32_t y = output(p, w);
  const bool right = (y >= 0) == taken;
  if (!right || abs(y) <= p->threshold) train(p, w, taken ? 1 : -1);
  memmove(p->history + 1, p->history, p->history_bits - 1);
  p->history[0] = taken ? 1 : -1;
  return right;
}

// ---- targets ----------------------------------------------------------------------------------------------------------

static bool see_target(struct weir_target *t, uint64_t pc, uint64_t target) {
  const bool right = t->pc == pc && t->target == target;
  *t = (struct weir_target){pc, target};
  return right;
}

static bool see_indirect(struct weir_predictor *p, uint64_t pc, uint64_t target) {
  const bool right = see_target(&p->indirect[(pc ^ p->path) & p->target_mask], pc, target);
  p->path = p->path << 3 ^ target >> 2;
  return right;
}

static void push_return(struct weir_predictor *p, const struct weir_trace_static *call) {
  p->stack[p->top++ % p->returns] = (struct weir_target){call->pc, call->length ? call->pc + call->length : 0};
}

// A call whose length the trace does not tell is returned from to somewhere within the longest instruction behind it.
static bool see_return(struct weir_predictor *p, uint64_t target) {
  const struct weir_target *call = &p->stack[--p->top % p->returns];
  return call->target ? call->target == target : target - call->pc - 1 < LONGEST_INSTRUCTION;
}

enum weir_prediction weir_predictor_see(struct weir_predictor *p, const struct weir_trace_static *what,
                                        uint64_t next_pc) {
  const uint64_t pc = what->pc;
  bool known = true;
  switch ((enum weir_trace_branch)what->branch) {
  case WEIR_TRACE_RETURN: return see_return(p, next_pc) ? WEIR_PREDICTED : WEIR_MISPREDICTED;
  case WEIR_TRACE_INDIRECT_CALL: push_return(p, what); // fall through
  case WEIR_TRACE_INDIRECT:
  case WEIR_TRACE_OTHER_BRANCH: return see_indirect(p, pc, next_pc) ? WEIR_PREDICTED : WEIR_MISPREDICTED;
  case WEIR_TRACE_CALL: push_return(p, what); break;
  case WEIR_TRACE_CONDITIONAL: known = see_direction(p, pc, what->taken); break;
  default: break;
  }
  if (!known) return WEIR_MISPREDICTED;
  if (!what->taken) return WEIR_PREDICTED;
  return see_target(&p->direct[pc & p->target_mask], pc, next_pc) ? WEIR_PREDICTED : WEIR_PREDICTED_LATE;
}
