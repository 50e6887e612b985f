// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "batch/progress.h"

#include "run/run.h"

#include <stdio.h>
#include <unistd.h>

static const double PERIOD_SECONDS = 0.1;

void weir_progress_start(struct weir_progress *p, unsigned total) {
  *p = (struct weir_progress){.on = isatty(STDERR_FILENO), .total = total, .start = weir_seconds_now()};
}

static void put_duration(double seconds) {
  unsigned s = (unsigned)(seconds + 0.5);
  if (s >= 3600)
    fprintf(stderr, "%u h %02u min", s / 3600, s / 60 % 60);
  else if (s >= 60)
    fprintf(stderr, "%u min %02u s", s / 60, s % 60);
  else
    fprintf(stderr, "%u s", s);
}

void weir_progress_show(struct weir_progress *p, const struct weir_progress_state *s) {
  double now = weir_seconds_now(), elapsed = now - p->start;
  if (!p->on || (now - p->last < PERIOD_SECONDS && !s->doing)) return;
  p->last = now;
  fputs("\r\033[K", stderr);
  if (p->total > 1) fprintf(stderr, "%u of %u runs done, %u running; ", s->done, p->total, s->running);
  fprintf(stderr, "%.1f M warp instructions", (double)s->warp_instructions * 1e-6);
  if (s->doing) fprintf(stderr, "; %s", s->doing);
  if (s->fraction > 0) {
    fprintf(stderr, "; %.0f %%, about ", 100 * s->fraction);
    put_duration(elapsed / s->fraction - elapsed);
    fputs(" left", stderr);
  } else {
    fputs("; ", stderr);
    put_duration(elapsed);
  }
  fflush(stderr);
}

void weir_progress_stop(struct weir_progress *p) {
  if (p->on && p->last > 0) fputs("\r\033[K", stderr);
  p->on = false;
}
