// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#define _GNU_SOURCE // PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP

// The lock, and what else a call on the device needs of the thread that makes it.
#include "device/device_private.h"

#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

void weir_device_lock(void) {
  pthread_mutex_lock(&mutex);
}

void weir_device_unlock(void) {
  pthread_mutex_unlock(&mutex);
}

bool weir_device_try_lock(void) {
  return !pthread_mutex_trylock(&mutex);
}

// A recursive lock knows its owner by a number that the child does not have.
static void renew(void) {
  weir_device_forked();
  mutex = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
}

__attribute__((constructor)) static void keep_whole_over_fork(void) {
  pthread_atfork(weir_device_lock, weir_device_unlock, renew);
}

static locale_t c_locale;

void weir_device_enter(struct weir_device_own *own) {
  if (!c_locale) c_locale = newlocale(LC_ALL_MASK, "C", NULL);
  own->locale = uselocale(c_locale);
  fegetenv(&own->environment);
  fesetenv(FE_DFL_ENV);
}

void weir_device_leave(const struct weir_device_own *own) {
  fesetenv(&own->environment);
  uselocale(own->locale);
}
