// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The stages of Figure 10's forms, each on a machine of which everything can be varied alone. Times are of a chunk, in picoseconds, and NaN where
// a run failed; speeds are over one thread of the CPU.
#ifndef WEIR_STUDY_MOKHTARI2015_LARGE_H
#define WEIR_STUDY_MOKHTARI2015_LARGE_H

#include "mokhtari2015/mokhtari2015.h"

enum { MOKHTARI_CHUNK_MIB = 64 };
enum mokhtari_gather { MOKHTARI_BY_BYTE, MOKHTARI_BY_LINE };

struct mokhtari_machine {
  double copy, gather;       // how much of their time these take
  double side_by_side;       // how many times as fast the CPU's threads together are, when they gather, too
  double moves;              // of each gathered byte in the CPU's memory
  bool by_line;              // whether BigKernel without S-L1 gathers so
  enum mokhtari_sweep sweep; // numbers of threads that BigKernel's computation has
};
extern const struct mokhtari_machine mokhtari_machine; // Figure 10's

extern const char *const mokhtari_large[];     // the four applications; ends with NULL
unsigned mokhtari_passes(const char *program); // kernels that go over the data, one after the other

double mokhtari_cores(const struct weir_plan *p, const char *program, const struct mokhtari_machine *m);
double mokhtari_double_buffer(const struct weir_plan *p, const char *program, const struct mokhtari_machine *m);
double mokhtari_big(const struct weir_plan *p, const char *program, const struct mokhtari_machine *m);
double mokhtari_big_sl1(const struct weir_plan *p, const char *program, const struct mokhtari_machine *m);

double mokhtari_serial_ps(const struct weir_plan *p, const char *program); // one thread of the CPU, all passes
double mokhtari_copy_ps(const struct mokhtari_machine *m);
double mokhtari_gather_ps(const struct weir_plan *p, enum mokhtari_gather unit, const struct mokhtari_machine *m);
double mokhtari_gather_ipc(const struct weir_plan *p, enum mokhtari_gather unit); // instructions per cycle of a core
// Of one pass's kernel, on the whole chip.
double mokhtari_kernel_ps(const struct weir_plan *p, const char *program, const char *variant,
                          enum mokhtari_sweep sweep, unsigned pass);

void mokhtari_plan_gather(struct weir_plan *p, enum mokhtari_gather unit);
void mokhtari_plan_serial(struct weir_plan *p, const char *program);
void mokhtari_plan_kernels(struct weir_plan *p, const char *program); // without an L1, and of BigKernel

#endif
