// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A program under several schemes: one process of it per scheme, several at a time.
#include "base/alloc.h"
#include "launcher/command.h"
#include "base/hash.h"
#include "batch/jobs.h"
#include "batch/progress.h"
#include "run/object.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static const double WAIT_SECONDS = 0.2, PATIENCE_SECONDS = 3;

// Of one item's run, what the others must agree with.
struct ended {
  char output[WEIR_HASH_TEXT];
  bool known, signalled;
  int status;
};

struct many {
  struct weir_batch *batch;
  char *const *argv;
  const regex_t *ignored; // of what is printed; or NULL
  struct weir_job *jobs;
  unsigned *item_of; // by job
  unsigned running, started, done;
  struct ended *ends;                       // by item
  const struct weir_experiment *experiment; // of the job that starts
};

// ---- in the job -----------------------------------------------------------------------------------------------------------

// Copies what is left of a line; how much that is. A line may have any bytes in it.
static size_t copy_unignored(char *to, const char *line, size_t size, const regex_t *ignored) {
  size_t kept = 0, at = 0;
  regmatch_t m = {.rm_eo = (regoff_t)size};
  while (at < size && !regexec(ignored, line, 1, &m, REG_STARTEND | (at ? REG_NOTBOL : 0))) {
    const size_t end = (size_t)m.rm_eo > at ? (size_t)m.rm_eo : at + 1; // an empty match takes nothing away
    const size_t until = m.rm_eo > m.rm_so ? (size_t)m.rm_so : end;
    memcpy(to + kept, line + at, until - at);
    kept += until - at;
    at = end;
    m = (regmatch_t){.rm_so = (regoff_t)at, .rm_eo = (regoff_t)size};
  }
  memcpy(to + kept, line + at, size - at);
  return kept + size - at;
}

// Takes what is ignored out of what was printed.
static void ignore_output(struct weir_command_result *r, const regex_t *ignored) {
  char *left = weir_alloc(r->out_bytes + 1);
  size_t kept = 0;
  for (size_t at = 0, size; at < r->out_bytes; at += size) {
    const char *line = r->out + at, *end = memchr(line, '\n', r->out_bytes - at);
    size = end ? (size_t)(end - line) : r->out_bytes - at;
    kept += copy_unignored(left + kept, line, size, ignored);
    if (end) left[kept++] = '\n', size++;
  }
  weir_free(r->out);
  r->out = left;
  r->out_bytes = kept;
}

static void hash_output(const struct weir_command_result *r, char text[static WEIR_HASH_TEXT]) {
  weir_hash_print(weir_hash_bytes(weir_hash_start(), r->out, r->out_bytes), text);
}

static json_t *first_that_launched(const struct weir_command_result *r) {
  for (unsigned i = 0; i < r->run_count; i++)
    if (json_array_size(json_object_get(r->runs[i], "kernels"))) return json_incref(r->runs[i]);
  return json_null();
}

static json_t *answer_of(const struct weir_command_result *r) {
  char output[WEIR_HASH_TEXT];
  hash_output(r, output);
  return json_pack("{s:o, s:s*, s:s, s:b, s:i, s:s%}", "run", first_that_launched(r), "foreign", r->foreign, "output",
                   output, "signalled", r->signalled, "status", r->status, "err", r->err, strlen(r->err));
}

static int run_one(void *context, FILE *answer) {
  const struct many *m = context;
  struct weir_command_result r;
  struct weir_sink sink = {0};
  if (!weir_command_run(m->experiment, m->argv, WEIR_STREAMS_KEPT, &r, &sink)) {
    weir_sink_print(&sink, answer);
    return WEIR_EXIT_USER;
  }
  if (!weir_command_selected(&r, &sink)) {
    weir_sink_print(&sink, answer);
    return WEIR_EXIT_USER;
  }
  if (m->ignored) ignore_output(&r, m->ignored);
  json_t *o = answer_of(&r);
  json_dumpf(o, answer, JSON_COMPACT);
  return o ? WEIR_EXIT_OK : WEIR_EXIT_INTERNAL;
}

// ---- outside --------------------------------------------------------------------------------------------------------------

static const char *keep(struct weir_batch *b, const char *text) {
  return weir_arena_text(&b->texts, text, strlen(text));
}

static const char *why_no_run(struct weir_batch *b, const json_t *answer) {
  const char *foreign = weir_run_text(answer, "foreign");
  const char *err = weir_run_text(answer, "err");
  char *text = weir_text_format("it launched nothing on a device%s%s%s%s\n", *foreign ? "; it loaded\n" : "", foreign,
                                *err ? "; it said:\n" : "", err);
  const char *kept = keep(b, text);
  weir_free(text);
  return kept;
}

static void take(struct many *m, unsigned job) {
  unsigned i = m->item_of[job];
  struct weir_batch_item *item = &m->batch->items[i];
  int status = m->jobs[job].status;
  char *text = weir_job_answer(&m->jobs[job]);
  json_t *answer = WIFEXITED(status) && !WEXITSTATUS(status) ? json_loads(text, 0, NULL) : NULL;
  if (answer) {
    json_t *run = json_object_get(answer, "run");
    if (json_is_object(run))
      item->run = json_incref(run);
    else
      item->failure = why_no_run(m->batch, answer);
    m->ends[i] = (struct ended){.known = true,
                                .signalled = json_is_true(json_object_get(answer, "signalled")),
                                .status = (int)weir_run_number(answer, "status")};
    snprintf(m->ends[i].output, WEIR_HASH_TEXT, "%s", weir_run_text(answer, "output"));
  } else {
    item->failure = keep(m->batch, *text ? text : "its launcher was killed\n");
  }
  json_decref(answer);
  free(text);
  m->running--;
  m->done++;
  m->jobs[job] = m->jobs[m->running];
  m->item_of[job] = m->item_of[m->running];
}

static void start(struct many *m, unsigned jobs) {
  while (m->running < jobs && m->started < m->batch->count) {
    m->experiment = &m->batch->items[m->started].experiment;
    m->item_of[m->running] = m->started++;
    if (weir_job_start(&m->jobs[m->running], run_one, m)) {
      m->running++;
    } else {
      m->batch->items[m->started - 1].failure = "no process can be had\n";
      m->done++;
    }
  }
}

// Asks the programs to end, so that their launchers leave nothing behind; those that do not are killed.
static void stop(struct many *m) {
  unsigned job;
  for (unsigned i = 0; i < m->running; i++) kill(m->jobs[i].pid, SIGTERM);
  for (double waited = 0; m->running && waited < PATIENCE_SECONDS; waited += WAIT_SECONDS)
    while (weir_jobs_wait(m->jobs, m->running, WAIT_SECONDS, &job) == WEIR_WAIT_ENDED) take(m, job);
  weir_jobs_kill(m->jobs, m->running);
}

static bool run_all(struct many *m, unsigned jobs) {
  struct weir_progress progress;
  unsigned job;
  bool whole = true;
  weir_progress_start(&progress, m->batch->count);
  weir_jobs_begin();
  for (start(m, jobs); m->running && whole; start(m, jobs)) {
    enum weir_wait what = weir_jobs_wait(m->jobs, m->running, WAIT_SECONDS, &job);
    if (what == WEIR_WAIT_ENDED) take(m, job);
    whole = what != WEIR_WAIT_INTERRUPTED;
    weir_progress_show(&progress, &(struct weir_progress_state){.done = m->done, .running = m->running});
  }
  stop(m);
  weir_jobs_end();
  weir_progress_stop(&progress);
  return whole;
}

static bool agree(const struct many *m, struct weir_sink *sink) {
  unsigned first = 0;
  bool same = true;
  while (first < m->batch->count && !m->ends[first].known) first++;
  for (unsigned i = first + 1; i < m->batch->count; i++) {
    const struct ended *a = &m->ends[first], *b = &m->ends[i];
    if (!b->known) continue;
    const char *x = m->batch->items[first].experiment.scheme, *y = m->batch->items[i].experiment.scheme;
    if (a->signalled != b->signalled || a->status != b->status)
      weir_report(sink, WEIR_WARNING, (struct weir_place){0}, "it ends with %s %d under %s, with %s %d under %s",
                  a->signalled ? "signal" : "status", a->status, x, b->signalled ? "signal" : "status", b->status, y);
    else if (strcmp(a->output, b->output))
      weir_report(sink, WEIR_WARNING, (struct weir_place){0}, "what it prints differs between %s and %s", x, y);
    else
      continue;
    same = false;
  }
  return same;
}

// What --registers names and nothing was is told once: all were given the same.
static void warn_of_registers(const struct many *m, struct weir_sink *sink) {
  size_t k;
  json_t *name;
  unsigned first = 0;
  while (first < m->batch->count && !m->batch->items[first].run) first++;
  if (first == m->batch->count) return;
  json_array_foreach(weir_run_member(m->batch->items[first].run, "process.not_launched"), k, name)
    weir_report(sink, WEIR_WARNING, (struct weir_place){0},
                "--registers names '%s', and no kernel of that name was launched", json_string_value(name));
}

bool weir_command_batch(struct weir_batch *b, char *const argv[], unsigned jobs, const regex_t *ignored, bool *same,
                        struct weir_sink *sink) {
  if (!jobs) jobs = weir_processors();
  struct many m = {.batch = b,
                   .argv = argv,
                   .ignored = ignored,
                   .jobs = weir_new_array(struct weir_job, jobs),
                   .item_of = weir_new_array(unsigned, jobs),
                   .ends = weir_new_array(struct ended, b->count + 1)};
  bool whole = run_all(&m, jobs);
  *same = agree(&m, sink);
  warn_of_registers(&m, sink);
  weir_free(m.jobs);
  weir_free(m.item_of);
  weir_free(m.ends);
  return whole;
}
