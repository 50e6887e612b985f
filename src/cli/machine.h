// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a speed was measured on.
#ifndef WEIR_CLI_MACHINE_H
#define WEIR_CLI_MACHINE_H

struct weir_machine {
  char date[16];         // 2026-01-31
  char version[64];      // weir's version, and the commit if it was built from a checkout
  char description[256]; // processor, cores, memory, compiler
};

void weir_machine_describe(struct weir_machine *m);

// How fast this machine is just now at what weir mostly does: look-ups per second of processor time of a small cache, written out
// in this function and never changed, so that rates divided by it compare between machines. Takes some 50 ms.
double weir_machine_calibrate(void);

#endif
