// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// streams PROGRAM THREADS KIB: a streaming workload of Mokhtari and Stumm on threads of the CPU, for its trace. The workload makes and checks
// its input as ever, cut into one chunk per thread; its kernels are compiled for the CPU and run by as many threads as there are chunks, which
// live from the first launch to the last. So each thread's trace is its chunk's work and little else: the first thread, which makes
// the input, is recorded as well, and left out of what is kept.
#include "host/app.h"
#include "host/launch.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void kernel(const void *const *arguments);
kernel stream_wc, stream_opinion, stream_dna_enter, stream_dna_merge, stream_affinity_customers, stream_affinity_visits;

static const struct {
  const char *name;
  kernel *run;
  unsigned pointers; // a bit for each argument that is one
} kernels[] = {{"wc", stream_wc, 0x7},
               {"opinion", stream_opinion, 0x33F},
               {"dna_enter", stream_dna_enter, 0x1B},
               {"dna_merge", stream_dna_merge, 0x5B},
               {"affinity_customers", stream_affinity_customers, 0x7},
               {"affinity_visits", stream_affinity_visits, 0xD7}};
enum { KERNELS = sizeof kernels / sizeof *kernels, MOST_ARGUMENTS = 16, MOST_THREADS = 64 };

static _Thread_local unsigned own_number;
static unsigned thread_count;

// What a kernel asks for.
unsigned stream_thread(void);
unsigned stream_threads(void);

unsigned stream_thread(void) {
  return own_number;
}

unsigned stream_threads(void) {
  return thread_count;
}

static pthread_barrier_t begin, end;
static kernel *running; // NULL: no more launches
static const void *arguments[MOST_ARGUMENTS];

static void *work(void *number) {
  own_number = (unsigned)(uintptr_t)number;
  for (;;) {
    pthread_barrier_wait(&begin);
    if (!running) return NULL;
    running(arguments);
    pthread_barrier_wait(&end);
  }
}

static bool launch(void *context, const struct weir_launch *l, struct weir_fault *fault) {
  (void)context, (void)fault;
  void *pointers[MOST_ARGUMENTS];
  unsigned k = 0;
  while (k < KERNELS && strcmp(kernels[k].name, l->kernel->name) != 0) k++;
  if (k == KERNELS || l->kernel->param_count > MOST_ARGUMENTS) return false;
  for (unsigned i = 0; i < l->kernel->param_count; i++) {
    const char *at = (const char *)l->params + l->kernel->params[i].offset;
    arguments[i] = at;
    if (!(kernels[k].pointers >> i & 1)) continue;
    uint64_t address;
    memcpy(&address, at, sizeof address);
    pointers[i] = weir_memory_at(l->memory, address, 1);
    arguments[i] = &pointers[i];
  }
  running = kernels[k].run;
  pthread_barrier_wait(&begin);
  pthread_barrier_wait(&end);
  return true;
}

static bool run(struct weir_app *app) {
  pthread_t threads[MOST_THREADS];
  pthread_barrier_init(&begin, NULL, thread_count + 1);
  pthread_barrier_init(&end, NULL, thread_count + 1);
  for (unsigned i = 0; i < thread_count; i++) pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)i);
  const bool ok = weir_app_run(app, (struct weir_backend){.launch = launch});
  running = NULL;
  pthread_barrier_wait(&begin);
  for (unsigned i = 0; i < thread_count; i++) pthread_join(threads[i], NULL);
  return ok && weir_app_check(app) == WEIR_CHECK_PASSED;
}

int main(int argc, char **argv) {
  struct weir_sink sink = {0};
  const unsigned long threads = argc == 4 ? strtoul(argv[2], NULL, 10) : 0,
                      kib = argc == 4 ? strtoul(argv[3], NULL, 10) : 0;
  if (!threads || threads > MOST_THREADS || !kib || kib > UINT32_MAX) {
    fputs("usage: streams PROGRAM THREADS KIB\n", stderr);
    return 2;
  }
  thread_count = (unsigned)threads;
  struct weir_app_options options = {
    .size = WEIR_SIZE_SMALL, .seed = 1, .lanes = 32, .program = weir_program_defaults()};
  options.program.shape = (struct weir_shape){.blocks = thread_count, .block = 1, .footprint_kib = (uint32_t)kib};
  struct weir_app *app = weir_app_open(argv[1], &options, &sink);
  const bool ok = app && run(app);
  weir_sink_print(&sink, stderr);
  weir_app_free(app);
  if (!ok) fprintf(stderr, "%s: wrong, or not one of these programs\n", argv[1]);
  return !ok;
}
