// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "advise/build.h"

#include "base/alloc.h"
#include "batch/batch.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static int run_one(struct weir_trials *t, const char *hints, struct weir_measured *outcome, struct weir_sink *sink) {
  struct weir_wanted w = {.hints = hints};
  int status = weir_trials_run(t, &w, 1, sink);
  *outcome = w.outcome;
  if (!status && w.failure) {
    weir_report(sink, WEIR_ERROR, (struct weir_place){.file = t->experiment->program},
                "it cannot be run once it is patched: %s", w.failure);
    status = WEIR_EXIT_USER;
  }
  weir_free(w.failure);
  json_decref(w.run);
  return status;
}

// What it prints is no part of the advice.
static bool runs(const char *command, struct weir_sink *sink) {
  char *quiet = weir_text_format("{ %s\n} >&2", command);
  fflush(NULL);
  const int status = system(quiet);
  weir_free(quiet);
  if (!status) return true;
  if (status != -1 && WIFEXITED(status))
    return weir_fail(sink, weir_option_place("--build"), "'%s' ended with status %d", command, WEXITSTATUS(status));
  return weir_fail(sink, weir_option_place("--build"), "'%s' could not be run to its end", command);
}

// Each line as an option, as trials take it; to be freed.
static char *options_of(const char *requests) {
  char *all = weir_text_copy("");
  for (const char *at = requests; *at; at += strcspn(at, "\n") + 1) {
    char *more = weir_text_format("%s--hint\t%.*s\n", all, (int)strcspn(at, "\n"), at);
    weir_free(all);
    all = more;
  }
  return all;
}

int weir_advice_build(struct weir_advice *a, const struct weir_advise_options *o, const char *command,
                      struct weir_sink *sink) {
  struct weir_trials t = {.experiment = o->experiment, .program = o->program, .jobs = 1, .expected = 2};
  struct weir_patched *p = &a->patched;
  const char *written = p->requests;
  char *all = weir_advice_requests(a, ""), *hints = options_of(written);
  int status = WEIR_EXIT_OK;
  p->hinted = a->together.outcome;
  weir_trials_start(&t);
  if (!*written)
    weir_report(sink, WEIR_NOTE, weir_option_place("--build"), "no hint is in the patch, so nothing is built");
  else if (strcmp(all, written) != 0)
    status = run_one(&t, hints, &p->hinted, sink);
  if (!status && *written) status = runs(command, sink) ? run_one(&t, NULL, &p->compiled, sink) : WEIR_EXIT_USER;
  a->runs += t.done;
  weir_free(all);
  weir_free(hints);
  return status;
}
