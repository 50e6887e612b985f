// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// libquantum [QUBITS] [GATES]: a register of 2^QUBITS states (20), each with its amplitude, through which gates sweep
// from end to end: NOT, controlled NOT, TOFFOLI and phase shifts, as a simulated quantum computer does. Prints a
// checksum.
#include "random.h"

#include <complex.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
  float complex amplitude;
  uint64_t state;
};

static struct node *nodes;
static size_t node_count;

static void controlled_not(uint64_t controls, uint64_t target) {
  for (size_t i = 0; i < node_count; i++)
    if ((nodes[i].state & controls) == controls) nodes[i].state ^= target;
}

static void phase(uint64_t controls, float complex shift) {
  for (size_t i = 0; i < node_count; i++)
    if ((nodes[i].state & controls) == controls) nodes[i].amplitude *= shift;
}

int main(int count, char **arguments) {
  const unsigned qubits = count > 1 ? (unsigned)atoi(arguments[1]) : 20,
                 gates = count > 2 ? (unsigned)atoi(arguments[2]) : 30;
  node_count = (size_t)1 << qubits;
  nodes = calloc(node_count, sizeof *nodes);
  if (qubits > 30 || !nodes) return 1;
  for (size_t i = 0; i < node_count; i++) nodes[i] = (struct node){1.0f / (float)(i + 1), i};
  for (unsigned g = 0; g < gates; g++) {
    const uint64_t a = UINT64_C(1) << random_below(qubits), b = UINT64_C(1) << random_below(qubits);
    const uint64_t target = UINT64_C(1) << random_below(qubits);
    switch (random_below(4)) {
    case 0: controlled_not(0, target); break;
    case 1: controlled_not(a, target); break;
    case 2: controlled_not(a | b, target); break;
    default: phase(a, 0.8f + 0.6f * I); break;
    }
  }
  uint64_t sum = 0;
  for (size_t i = 0; i < node_count; i++)
    sum = sum * 31 + nodes[i].state + (uint64_t)(crealf(nodes[i].amplitude) * 1000);
  printf("%llu\n", (unsigned long long)sum);
  return 0;
}
