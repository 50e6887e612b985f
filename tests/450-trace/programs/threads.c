// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Three threads beside the first, which forks a child that does the same work; the child is no part of what is
// recorded.
#include <pthread.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 3, ROUNDS = 100000 };

static volatile uint64_t sums[THREADS][8];

static void *work(void *which) {
  volatile uint64_t *sum = which;
  for (unsigned i = 0; i < ROUNDS; i++) *sum += i;
  return NULL;
}

int main(void) {
  const pid_t child = fork();
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)sums[i])) return 1;
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  if (child) waitpid(child, NULL, 0);
  return 0;
}
