// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The CPU cores of a chip: ports of the network behind those of the GPU's cores, a clock per kind. Private to src/chip; all
// but build is called only where there are CPU cores.
#ifndef WEIR_CHIP_CPUS_H
#define WEIR_CHIP_CPUS_H

#include "chip/clocks.h"
#include "chip/mix.h"

// A CPU core of the chip, and whether a program runs on it.
struct weir_chip_cpu {
  struct weir_cpu_core core;
  struct weir_level_stats levels[WEIR_CPU_LEVELS];
  bool taken;
};

// The CPU cores of one kind, which have one clock.
struct weir_cpu_cluster {
  struct weir_domain clock;
  uint32_t first; // the number of its first core
};

// The cores, with the programs that have been given to them; their pasts have passed the caches.
void weir_cpus_build(struct weir_chip *c);
void weir_cpus_free(struct weir_chip *c);

// Something arrives for a core in a cycle of the network.
void weir_cpus_wake(struct weir_chip *c, uint32_t core, weir_cycle network);

// The earlier of `t` and the next time at which a core has something to do.
weir_time weir_cpus_next(const struct weir_chip *c, weir_time t);

// Serves those that have something to do now, at `t`. Were there any?
bool weir_cpus_run(struct weir_chip *c, weir_time t);

#endif
