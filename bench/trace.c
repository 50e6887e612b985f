// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// How fast a CPU trace is read, as a core would: trace FILE [REPEATS]. Prints the best of REPEATS (3) in seconds of
// processor time and millions of instructions per second.
#include "trace/trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

enum { BATCH = 64 };

static double now(void) { // of this process: one thread, whatever else runs
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// Looks at everything that a core looks at, so that nothing is left out.
static uint64_t look_at(const struct weir_trace_inst *i) {
  uint64_t sum = i->next_pc + i->what->pc + i->what->kind;
  for (unsigned k = 0; k < i->what->access_count; k++) sum += i->addresses[k];
  return sum;
}

static uint64_t read_once(struct weir_trace_reader *r, uint64_t *sum) {
  struct weir_trace_inst batch[BATCH];
  uint64_t count = 0;
  for (size_t n; (n = weir_trace_read(r, batch, BATCH)); count += n)
    for (size_t i = 0; i < n; i++) *sum += look_at(&batch[i]);
  return count;
}

int main(int count, char **arguments) {
  if (count < 2) return fprintf(stderr, "usage: trace FILE [REPEATS]\n"), WEIR_EXIT_USER;
  struct weir_sink sink = {0};
  struct weir_trace_reader *r = weir_trace_open(arguments[1], &sink);
  double best = 1e9;
  uint64_t instructions = 0, sum = 0;
  for (int i = 0; r && i < (count > 2 ? atoi(arguments[2]) : 3); i++) {
    const double start = now();
    if (weir_trace_seek(r, 0)) instructions = read_once(r, &sum);
    const double seconds = now() - start;
    if (seconds < best) best = seconds;
  }
  weir_sink_print(&sink, stderr);
  if (!r || sink.errors) return WEIR_EXIT_USER;
  printf("%" PRIu64 " instructions in %.3f s: %.1f million/s (sum %016" PRIx64 ")\n", instructions, best,
         (double)instructions * 1e-6 / best, sum);
  weir_trace_close(r);
  return 0;
}
