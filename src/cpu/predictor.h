// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Where a branch goes, guessed before it is executed. Directions: perceptrons over the global history (Jiménez and Lin,
// Dynamic branch prediction with perceptrons, HPCA 2001). Targets: a buffer of each taken branch's last one; of indirect
// branches, one indexed by the history of targets as well; of returns, a stack. Invariant: it knows what it has seen,
// nothing of the future; every branch is shown to it once, in program order.
#ifndef WEIR_CPU_PREDICTOR_H
#define WEIR_CPU_PREDICTOR_H

#include "cpu/config.h"

#include <stdbool.h>

struct weir_target {
  uint64_t pc, target; // 0: nothing yet
};

struct weir_predictor {
  uint32_t perceptrons, history_bits, target_mask, returns;
  int32_t threshold;                    // of training: 1.93 h + 14, as their section 5.3 has it
  int8_t *weights;                      // [perceptron][1 + history bit]; the first is the bias
  int8_t history[WEIR_CPU_MAX_HISTORY]; // +1 taken, -1 not taken; newest first
  uint64_t path;                        // of indirect branches' targets
  struct weir_target *direct, *indirect;
  struct weir_target *stack; // ring of calls, and where they return to (0: not known)
  uint32_t top;              // calls not yet returned from, modulo 2³²
};

enum weir_prediction {
  WEIR_PREDICTED,      // it knew
  WEIR_PREDICTED_LATE, // the target of a direct branch: the decoder finds it
  WEIR_MISPREDICTED,   // only execution tells
};

void weir_predictor_init(struct weir_predictor *p, const struct weir_cpu_config *c);
void weir_predictor_free(struct weir_predictor *p);

// Guesses what follows the branch (what->branch is not NO_BRANCH), then learns that it was next_pc.
enum weir_prediction weir_predictor_see(struct weir_predictor *p, const struct weir_trace_static *what,
                                        uint64_t next_pc);

#endif
