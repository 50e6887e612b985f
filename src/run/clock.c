// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a run costs the machine that it runs on.
#include "run/run.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// Past whatever stands before the C library.
struct timespec weir_real_time(clockid_t clock) {
  struct timespec t = {0};
  syscall(SYS_clock_gettime, clock, &t);
  return t;
}

static double seconds_of(clockid_t clock) {
  const struct timespec t = weir_real_time(clock);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double weir_seconds_now(void) {
  return seconds_of(CLOCK_MONOTONIC);
}

double weir_cpu_seconds_now(void) {
  return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t weir_peak_rss_bytes(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (uint64_t)usage.ru_maxrss * 1024;
}
