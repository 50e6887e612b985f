// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The part of libweirends.so that is the program's clock where weir has one for it (--clock, WEIR_CLOCK). Each reading takes a
// nanosecond, so that time goes on and a loop that waits for it ends; besides, modelled time is what the device says that the host
// has waited for, and still time is nothing. The calendar begins with the year 2000.
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

// Picoseconds that the host has waited for its device (src/device/timeline.c).
_Atomic(uint64_t) weir_clock_ps;

static const uint64_t YEAR_2000_S = 946684800, NS = 1000000000;
static _Atomic(uint64_t) readings;

static const char *kind(void) { // NULL: the real clock
  static _Atomic(const char *) known;
  const char *k = known;
  if (!k) {
    k = getenv("WEIR_CLOCK");
    known = k = k && (!strcmp(k, "modelled") || !strcmp(k, "still")) ? k : "";
  }
  return *k ? k : NULL;
}

static uint64_t ns_now(void) {
  const uint64_t waited = *kind() == 'm' ? weir_clock_ps / 1000 : 0;
  return waited + 1 + readings++;
}

static bool is_calendar(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}

// The function that would have been called without this one.
#define NEXT(name)                                                                                                     \
  static __typeof__(name) *next;                                                                                       \
  if (!next) next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name);

int clock_gettime(clockid_t clock, struct timespec *t) {
  NEXT(clock_gettime)
  if (!kind()) return next(clock, t);
  const uint64_t ns = ns_now();
  t->tv_sec = (time_t)(ns / NS + (is_calendar(clock) ? YEAR_2000_S : 0));
  t->tv_nsec = (long)(ns % NS);
  return 0;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone) {
  NEXT(gettimeofday)
  if (!kind()) return next(t, zone);
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  *t = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

time_t time(time_t *t) {
  NEXT(time)
  if (!kind()) return next(t);
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (t) *t = now.tv_sec;
  return now.tv_sec;
}

int timespec_get(struct timespec *t, int base) {
  NEXT(timespec_get)
  if (!kind()) return next(t, base);
  return base == TIME_UTC && !clock_gettime(CLOCK_REALTIME, t) ? base : 0;
}

clock_t clock(void) {
  NEXT(clock)
  if (!kind()) return next();
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (clock_t)now.tv_sec * CLOCKS_PER_SEC + (clock_t)(now.tv_nsec / (1000000000 / CLOCKS_PER_SEC));
}
