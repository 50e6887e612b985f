// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "advise/trials.h"

#include "base/alloc.h"
#include "batch/batch.h"
#include "batch/jobs.h"
#include "launcher/command.h"
#include "run/numbers.h"
#include "run/run.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

void weir_trials_start(struct weir_trials *t) {
  t->start = weir_seconds_now();
}

static unsigned jobs_of(const struct weir_trials *t) {
  return t->jobs ? t->jobs : weir_processors();
}

// Wall seconds of a round of as many runs as go at a time.
static double round_seconds(const struct weir_trials *t) {
  return t->done ? t->busy / t->done : 0;
}

unsigned weir_trials_affordable(const struct weir_trials *t, unsigned count) {
  if (t->budget <= 0 || !t->done) return count;
  const double left = t->budget - (weir_seconds_now() - t->start), rounds = floor(left / round_seconds(t));
  if (rounds <= 0) return 0;
  const double runs = rounds * jobs_of(t);
  return runs < count ? (unsigned)runs : count;
}

// Beside the line that a batch shows on a terminal, one that stays in a log.
static void tell_progress(const struct weir_trials *t) {
  const unsigned left = t->expected > t->done ? t->expected - t->done : 0;
  const double rounds = ceil((double)left / jobs_of(t));
  if (isatty(STDERR_FILENO) && left)
    fprintf(stderr, "%u of about %u runs done; about %.0f s left\n", t->done, t->expected, rounds * round_seconds(t));
  if (!isatty(STDERR_FILENO))
    fprintf(stderr, "weir advise: %u of about %u runs done in %.0f s; about %.0f s left\n", t->done, t->expected,
            weir_seconds_now() - t->start, rounds * round_seconds(t));
}

// ---- experiments -------------------------------------------------------------------------------------------------------------

static const char *keep(struct weir_batch *b, char *text) { // takes the text
  const char *kept = weir_arena_text(&b->texts, text, strlen(text));
  weir_free(text);
  return kept;
}

// As a chip has it, which knows no greater one.
static const char *limit(struct weir_batch *b, const char *name, double most) {
  return keep(b, weir_text_format("%s=%.0f", name, most < UINT32_MAX ? ceil(most) : 0));
}

static void add(struct weir_batch *b, const struct weir_experiment *from, const struct weir_command_line *command,
                const struct weir_wanted *w) {
  struct weir_experiment e = *from;
  if (w->chip) e.chip = w->chip;
  if (w->hints) e.hints = keep(b, weir_text_format("%s%s", from->hints ? from->hints : "", w->hints));
  if (w->scheme) e.scheme = w->scheme;
  if (w->sl1) e.sl1 = w->sl1;
  const char **sets = weir_arena_array(&b->texts, const char *, from->set_count + w->set_count + 3);
  for (unsigned i = 0; i < from->set_count; i++) sets[i] = from->sets[i];
  for (unsigned i = 0; i < w->set_count; i++) sets[e.set_count++] = w->sets[i];
  if (w->perturb) sets[e.set_count++] = keep(b, weir_text_format("core.perturb=%u", w->perturb));
  if (w->most_core_cycles > 0) sets[e.set_count++] = limit(b, "most_core_cycles", w->most_core_cycles);
  if (w->most_flits > 0) sets[e.set_count++] = limit(b, "most_flits", w->most_flits);
  e.sets = sets;
  e.command = command;
  weir_batch_add(b, &e);
}

static struct weir_measured outcome_of(const json_t *run) {
  const struct weir_run_numbers n = weir_run_total(run);
  return (struct weir_measured){.ran = true,
                                .cycles = n.cycles,
                                .l1_misses = weir_cache_of(&n, WEIR_FIRST_CACHE).loads.misses,
                                .network_bytes = n.network_bytes,
                                .dram_bytes = n.dram.bytes,
                                .energy_pj = n.energy_pj,
                                .instructions = n.warp_instructions,
                                .core_cycles = n.core_cycles,
                                .network_flits = n.network_flits};
}

static void take(struct weir_wanted *w, const struct weir_batch_item *item) {
  if (item->run) {
    w->run = json_incref(item->run);
    w->outcome = outcome_of(item->run);
  } else {
    w->failure = weir_text_copy(item->failure ? item->failure : "it was not run\n");
  }
}

// ---- running -----------------------------------------------------------------------------------------------------------------

// What programs print need not be the same: some print times.
static int run_batch(struct weir_trials *t, struct weir_batch *b, struct weir_sink *sink) {
  if (!weir_batch_check(b, sink)) return WEIR_EXIT_USER;
  return weir_batch_run(b, &(struct weir_batch_options){.jobs = t->jobs, .run_command = weir_command_experiment}, sink)
    ? WEIR_EXIT_OK
    : WEIR_EXIT_INTERRUPTED;
}

int weir_trials_run(struct weir_trials *t, struct weir_wanted *wanted, unsigned count, struct weir_sink *sink) {
  if (!count) return WEIR_EXIT_OK;
  struct weir_batch b = {0};
  const double start = weir_seconds_now();
  const struct weir_command_line line = {.argv = t->program};
  for (unsigned i = 0; i < count; i++) add(&b, t->experiment, t->program ? &line : NULL, &wanted[i]);
  const int status = run_batch(t, &b, sink);
  for (unsigned i = 0; i < count && !status; i++) take(&wanted[i], &b.items[i]);
  weir_batch_free(&b);
  const unsigned at_once = count < jobs_of(t) ? count : jobs_of(t);
  t->busy += (weir_seconds_now() - start) * at_once;
  t->done += count;
  if (!status) tell_progress(t);
  return status;
}
