// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What each warp does, as it does it in a timed run: so that a program whose warps race does what it did there.
#include "replay/capture.h"

#include "replay/subject.h"
#include "run/mix.h"
#include "run/recording.h"

struct capture {
  struct weir_subject of;
  struct weir_warptrace_writer *to;
};

static void copied_in(void *context, uint64_t address, uint64_t bytes) {
  struct capture *c = context;
  if (bytes) weir_warptrace_copy(c->to, address, bytes);
  if (c->of.inner.copied_in) c->of.inner.copied_in(c->of.inner.context, address, bytes);
}

static bool launch(void *context, const struct weir_launch *what, struct weir_fault *fault) {
  struct capture *c = context;
  return weir_recording_launch(c->to, &c->of.inner, what, fault);
}

static bool record(struct capture *c, const char *path, struct weir_captured *done, struct weir_sink *sink) {
  c->to = weir_recording_start(path, c->of.experiment, &c->of.setup, sink);
  if (!c->to) return false;
  const bool ok =
    weir_subject_run(&c->of, (struct weir_backend){.context = c, .copied_in = copied_in, .launch = launch}, NULL, sink);
  *done = (struct weir_captured){weir_warptrace_instructions(c->to), weir_warptrace_launches(c->to)};
  return weir_recording_end(c->to, ok, sink) && ok;
}

bool weir_record_instructions(const struct weir_experiment *e, const char *path, struct weir_captured *done,
                              struct weir_sink *sink) {
  struct capture c = {0};
  const bool ok = weir_subject_open(&c.of, e, sink) && record(&c, path, done, sink);
  weir_subject_close(&c.of);
  return ok;
}
