// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Curves of modern chips' memory systems beside those measured on silicon: latency, throughput of strided loads, bandwidth of a
// buffer that all cores read, of buffers that a block reads each, and of streams against occupancy. Rows are the points of one curve of one chip (chips.def, measured.def); each is one run of a
// micro-benchmark, whose launches differ by the work that is counted: what a launch costs of itself falls out.
#ifndef WEIR_STUDY_SILICON_H
#define WEIR_STUDY_SILICON_H

#include "report/study.h"

enum silicon_curve { SILICON_LATENCY, SILICON_STRIDES, SILICON_BANDWIDTH, SILICON_BUFFERS, SILICON_OCCUPANCY };

// The column of a curve's value.
#define SILICON_VALUE_LATENCY "cycles"
#define SILICON_VALUE_STRIDES "cycles"
#define SILICON_VALUE_BANDWIDTH "bytes"
#define SILICON_VALUE_BUFFERS "bytes"
#define SILICON_STREAMS "init", "read", "scale", "triad", "stencil3", "stencil5" // of OCCUPANCY, a column each

struct silicon_chip {
  const char *name;
  unsigned cores;
  double silicon_mhz;       // at which its bandwidth was measured
  const char *strides_chip; // whose points its strides are held against
  unsigned stream_l2_kib, channels;
  const char *measured_by;
};

struct silicon_point {
  enum silicon_curve curve;
  const char *chip;
  unsigned at;          // KiB, elements between lanes, or threads of a block
  double value;         // in the source's unit: cycles, or GB/s; NaN: not measured
  const char *level;    // NULL: the knee between two levels; of OCCUPANCY the kernel
  double before, after; // of a latency's knee: the value one step of the measured curve before it, and after it
};

// The points of the curve that the chip is held against; *i goes on from 0. NULL: there are no more.
const struct silicon_point *silicon_next(const struct silicon_chip *c, enum silicon_curve curve, unsigned *i);

double silicon_measured(const struct silicon_chip *c,
                        const struct silicon_point *p); // in the unit of ours: core cycles; bytes of
                                                        // one; GB/s of OCCUPANCY
double silicon_ours(const struct weir_plan *plan, const struct silicon_chip *c,
                    const struct silicon_point *p); // NaN: failed

void silicon_plan(struct weir_plan *plan, const struct silicon_chip *c, enum silicon_curve curve);
void silicon_table(struct weir_table *t, const struct weir_plan *plan, const struct silicon_chip *c,
                   enum silicon_curve curve);
void silicon_occupancy_table(struct weir_table *t, const struct weir_plan *plan, const struct silicon_chip *c);

#endif
