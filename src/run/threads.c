// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "config/config.h"
#include "run/experiment.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

// Below so many cores for each, threads wait for one another longer than they work (docs/PERFORMANCE.md, "Threads").
enum { LEAST_CORES_PER_THREAD = 20 };

// What others run is the host's load of the last minute; what is left of its processors is free, as far as this process may use it.
unsigned weir_free_processors(void) {
  cpu_set_t allowed;
  const long all = sysconf(_SC_NPROCESSORS_ONLN);
  const long own = sched_getaffinity(0, sizeof allowed, &allowed) ? 1 : CPU_COUNT(&allowed);
  double load = 0;
  if (getloadavg(&load, 1) != 1) load = 0;
  const double left = (double)all - load;
  const long unused = left > 1 ? (long)(left + 0.5) : 1;
  return (unsigned)(unused < own ? unused : own);
}

unsigned weir_threads_for(const struct weir_chip_config *chip, unsigned processors) {
  const unsigned most = chip ? chip->core.count / LEAST_CORES_PER_THREAD : 0;
  const unsigned threads = processors < most ? processors : most;
  return threads ? threads : 1;
}

unsigned weir_experiment_threads(const struct weir_experiment *e, const struct weir_setup *s) {
  return e->threads ? e->threads : weir_threads_for(s->chip, weir_free_processors());
}
